package ostrich

// An element of a binaryHeap says which of two comes first, and knows its place there,
// which is -1 while it is in none.
type element[T any] interface {
	before(other T) bool
	place() *int
}

// binaryHeap is a binary heap whose first element comes before all others.
type binaryHeap[T element[T]] []T

// put adds an element, or moves it to where it belongs now.
func (h *binaryHeap[T]) put(x T) {
	at := x.place()
	if *at < 0 {
		*at = len(*h)
		*h = append(*h, x)
	}
	if i := *at; i > 0 && x.before((*h)[(i-1)/2]) {
		h.up(x)
	} else {
		h.down(x)
	}
}

// remove removes an element, if it is there.
func (h *binaryHeap[T]) remove(x T) {
	at := x.place()
	if *at < 0 {
		return
	}
	n := len(*h) - 1
	last := (*h)[n]
	clear((*h)[n:])
	*h = (*h)[:n]
	if *at < n {
		*last.place() = *at
		h.put(last)
	}
	*at = -1
}

// up moves an element from its place to where it belongs, there or above.
func (h binaryHeap[T]) up(x T) {
	i := *x.place()
	for i > 0 {
		parent := (i - 1) / 2
		if !x.before(h[parent]) {
			break
		}
		h.set(i, h[parent])
		i = parent
	}
	h.set(i, x)
}

// down moves an element from its place to where it belongs, there or below.
func (h binaryHeap[T]) down(x T) {
	i := *x.place()
	for {
		child := 2*i + 1
		if child >= len(h) {
			break
		}
		if child+1 < len(h) && h[child+1].before(h[child]) {
			child++
		}
		if !h[child].before(x) {
			break
		}
		h.set(i, h[child])
		i = child
	}
	h.set(i, x)
}

func (h binaryHeap[T]) set(i int, x T) {
	h[i] = x
	*x.place() = i
}

package sharing

import "container/heap"

// A node is a place in the share tree: an account, or a user as a leaf.
//
// Each account has a virtual clock of its own. It counts the processor-seconds
// that one unit of weight below the account has received, so a child of weight
// w is served w·dV. What an account receives it hands on to its active
// children only (hierarchical generalised processor sharing). With flat shares
// there is one clock, the root's, and it is the virtual clock V of the package comment.
type node struct {
	account string // name of an account
	line    *Line  // of a leaf; nil for an account
	parent  *node  // nil for the root
	weight  float64

	// tag is when, on the parent's clock, the next stage below this node
	// is completed. Kept while the node is active.
	tag   float64
	index int // in the parent's heap of active children; -1 while idle

	// Of an account:
	clock    float64 // at the moment of the latest synchronisation
	synced   float64 // the parent's clock then; for the root the real moment
	sharing  float64 // Σ weights of the active children
	siblings float64 // Σ weights of all children that the shares name
	children nodeHeap
}

func (n *node) active() bool { return n.index >= 0 }

// activate puts a child among the active ones of its parent, or moves it to the
// place of its new tag.
func (n *node) activate(tag float64) {
	n.tag = tag
	if n.active() {
		heap.Fix(&n.parent.children, n.index)
		return
	}
	heap.Push(&n.parent.children, n)
	n.parent.sharing += n.weight
}

// rest removes a child from the active ones of its parent.
func (n *node) rest() {
	if !n.active() {
		return
	}
	heap.Remove(&n.parent.children, n.index)
	n.parent.sharing -= n.weight
	if len(n.parent.children) == 0 {
		n.parent.sharing = 0 // without the rounding left over from sums
	}
}

// retag updates the tags from n up to the root after a change among n's children: the
// clock of each account says when the next completion below it is due.
func (n *node) retag() {
	for ; n.parent != nil; n = n.parent {
		if len(n.children) == 0 {
			n.rest()
			continue
		}
		n.activate(n.parent.clock + (n.children[0].tag-n.clock)*n.sharing/n.weight)
	}
}

// shared is the sum of the weights among which a node would be served now, its own
// included.
func (n *node) shared() float64 {
	if n.active() {
		return n.parent.sharing
	}
	return n.parent.sharing + n.weight
}

// nodeHeap orders active nodes by tag; ties end on the user or the name.
type nodeHeap []*node

func (h nodeHeap) Len() int { return len(h) }
func (h nodeHeap) Less(i, j int) bool {
	a, b := h[i], h[j]
	if a.tag != b.tag {
		return a.tag < b.tag
	}
	if (a.line == nil) != (b.line == nil) {
		return a.line != nil
	}
	if a.line != nil {
		return a.line.User < b.line.User
	}
	return a.account < b.account
}

func (h nodeHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].index, h[j].index = i, j
}

func (h *nodeHeap) Push(x any) {
	n := x.(*node) // only nodes are pushed
	n.index = len(*h)
	*h = append(*h, n)
}

func (h *nodeHeap) Pop() any {
	old := *h
	n := old[len(old)-1]
	n.index = -1
	*h = old[:len(old)-1]
	return n
}

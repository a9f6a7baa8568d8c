package priority

import "cmp"

// lineup is a list into which items are put from behind, each before those that it may
// stand before. It is a treap: a tree in the order of the list, and a heap by numbers that
// look random, so its depth is logarithmic.
type lineup struct {
	nodes []lineupNode // the first stands for no node
	root  int
}

type lineupNode struct {
	left, right int
	heap        uint32
	item        int
	own, all    standing // of the item, and together with those below
}

// standing decides which items may stand before others. Of several items, all may be passed
// if their standing may.
type standing struct {
	value     int64 // who passes it has more
	distance  float64
	wait, top Wait // of one item the same; of several, the least and the greatest
}

func (a standing) with(b standing) standing {
	return standing{max(a.value, b.value), min(a.distance, b.distance), min(a.wait, b.wait), max(a.top, b.top)}
}

// nearby reports whether b, wanted after a, is hardly farther away.
func nearby(a, b standing, margin int) bool {
	return a.wait == b.wait && a.top == b.top && a.distance > 0 && b.distance > 0 && b.distance <= a.distance*(1+float64(margin)/100)
}

func newLineup(most int) *lineup { return &lineup{nodes: make([]lineupNode, 1, 1+most)} }

// put adds an item behind the last one that it may not pass, and reports whether it has
// passed any. It has the given value, and others need more than that of s to pass it.
func (l *lineup) put(item int, value int64, s standing, margin int) (passed bool) {
	n := len(l.nodes)
	l.nodes = append(l.nodes, lineupNode{heap: uint32(n) * 0x9e3779b1, item: item, own: s, all: s})
	before, after := l.split(l.root, func(a standing) bool { return a.value < value && nearby(a, s, margin) })
	l.root = l.join(l.join(before, n), after)
	return after != 0
}

// split divides a tree before the longest end of which all may be passed.
func (l *lineup) split(root int, may func(standing) bool) (before, after int) {
	n := &l.nodes[root]
	switch {
	case root == 0:
		return 0, 0
	case n.right != 0 && !may(l.nodes[n.right].all):
		n.right, after = l.split(n.right, may)
		before = root
	case !may(n.own):
		after, n.right = n.right, 0
		before = root
	default:
		before, n.left = l.split(n.left, may)
		after = root
	}
	l.sum(root)
	return before, after
}

// join makes one tree of two.
func (l *lineup) join(a, b int) int {
	if a == 0 || b == 0 {
		return cmp.Or(a, b)
	}
	root := a
	if l.nodes[a].heap > l.nodes[b].heap {
		l.nodes[a].right = l.join(l.nodes[a].right, b)
	} else {
		root = b
		l.nodes[b].left = l.join(a, l.nodes[b].left)
	}
	l.sum(root)
	return root
}

func (l *lineup) sum(root int) {
	n := &l.nodes[root]
	n.all = n.own
	for _, below := range []int{n.left, n.right} {
		if below != 0 {
			n.all = n.all.with(l.nodes[below].all)
		}
	}
}

func (l *lineup) items() []int {
	list := make([]int, 0, len(l.nodes)-1)
	var add func(int)
	add = func(i int) {
		if i != 0 {
			add(l.nodes[i].left)
			list = append(list, l.nodes[i].item)
			add(l.nodes[i].right)
		}
	}
	add(l.root)
	return list
}

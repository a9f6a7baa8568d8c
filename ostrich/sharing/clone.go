package sharing

import (
	"maps"
	"slices"
)

// Clone returns an independent copy in the same state, whose calls are still to be set. The
// caller has copied what holds the lines and stages: given an original, line and stage return its copy.
func (t *Tree) Clone(line func(*Line) *Line, stage func(*Stage) *Stage) Tree {
	c := *t
	c.Completed, c.Moved = nil, nil
	nodes := make(map[*node]*node, len(t.lines)+len(t.accounts))
	var copied func(*node) *node // with those above it and those active below it
	copied = func(from *node) *node {
		if from == nil {
			return nil
		}
		if to, ok := nodes[from]; ok {
			return to
		}
		to := new(node)
		*to = *from
		nodes[from] = to
		to.parent = copied(from.parent)
		to.children = make(nodeHeap, len(from.children))
		for i, child := range from.children {
			to.children[i] = copied(child)
		}
		return to
	}
	c.root = copied(t.root)
	c.accounts = make(map[string]*node, len(t.accounts))
	for name, n := range t.accounts {
		c.accounts[name] = copied(n)
	}
	c.places = maps.Clone(t.places)
	lines := make(map[*Line]*Line, len(t.lines))
	c.lines = make([]*Line, len(t.lines))
	for i, from := range t.lines {
		to := line(from)
		*to = *from
		c.lines[i], lines[from] = to, to
		to.leaf = copied(from.leaf)
		to.leaf.line = to
		to.reached = slices.Clone(from.reached)
		to.stages = make([]*Stage, len(from.stages))
		for k, g := range from.stages {
			to.stages[k] = stage(g)
			to.stages[k].line = to
		}
	}
	c.absences = make([]absence, len(t.absences))
	for i, a := range t.absences {
		c.absences[i] = absence{lines[a.line], a.since}
	}
	c.unlaid = make([]*Line, len(t.unlaid))
	for i, l := range t.unlaid {
		c.unlaid[i] = lines[l]
	}
	return c
}

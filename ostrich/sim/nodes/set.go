package nodes

import (
	"iter"
	"math/bits"
	"slices"
)

// Set is a set of nodes by their places in [Cluster.Nodes], a bit each. Sets that meet are of the
// same cluster.
type Set []uint64

func newSet(n int) Set { return make(Set, (n+63)/64) }

// Has reports whether a node is in the set.
func (s Set) Has(n int) bool { return s[n>>6]&(1<<(n&63)) != 0 }

// Add puts a node into the set.
func (s Set) Add(n int) { s[n>>6] |= 1 << (n & 63) }

// Remove takes a node out of the set.
func (s Set) Remove(n int) { s[n>>6] &^= 1 << (n & 63) }

// And keeps what is in another set too.
func (s Set) And(other Set) {
	for i := range s {
		s[i] &= other[i]
	}
}

// Or adds another set.
func (s Set) Or(other Set) {
	for i := range s {
		s[i] |= other[i]
	}
}

// AndNot takes another set out of this one.
func (s Set) AndNot(other Set) {
	for i := range s {
		s[i] &^= other[i]
	}
}

// Within reports whether all of the set is in another one.
func (s Set) Within(other Set) bool {
	for i := range s {
		if s[i]&^other[i] != 0 {
			return false
		}
	}
	return true
}

// Meets reports whether any node is in both sets.
func (s Set) Meets(other Set) bool {
	for i := range s {
		if s[i]&other[i] != 0 {
			return true
		}
	}
	return false
}

// Count is the number of nodes in the set.
func (s Set) Count() int {
	n := 0
	for _, w := range s {
		n += bits.OnesCount64(w)
	}
	return n
}

// All lists the nodes of the set in their order.
func (s Set) All() iter.Seq[int] {
	return func(yield func(int) bool) {
		for i, w := range s {
			for ; w != 0; w &= w - 1 {
				if !yield(i<<6 + bits.TrailingZeros64(w)) {
					return
				}
			}
		}
	}
}

// Copy returns a set of its own with the same nodes.
func (s Set) Copy() Set { return slices.Clone(s) }

// SetOf returns the set of some nodes of a cluster of n.
func SetOf(n int, places []int) Set {
	s := newSet(n)
	for _, p := range places {
		s.Add(p)
	}
	return s
}

package ostrich

// Shares says how the machine is divided between users: by a tree of accounts
// with users as its leaves, each node with a weight relative to its siblings.
// What a node is entitled to is split among its active children, so the share
// of an idle user goes to the siblings first (hierarchical sharing).
//
// The zero value is flat: every user hangs below the root with weight 1, which
// is the even division of the papers. A user the tree does not name is added
// below the root with weight 1.
type Shares struct {
	Accounts []Account
	Users    []UserShare
}

// Account is an inner node of the tree.
type Account struct {
	Name   string
	Parent string  // "" for a child of the root
	Weight float64 // relative to its siblings; see MinWeight
}

// UserShare is a leaf of the tree.
type UserShare struct {
	User    UserID
	Account string  // "" for a child of the root
	Weight  float64 // relative to its siblings; see MinWeight
}

// MinWeight replaces smaller weights: a user with no share still gets
// somewhere when nobody else wants the machine, and no completion time is
// infinite.
const MinWeight = 1e-6

// Shares is how the schedule divides the machine. It is not to be changed.
func (s *Schedule) Shares() *Shares { return s.shares }

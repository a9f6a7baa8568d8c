package sharing

import "slurm-ostrich/ostrich/scalar"

// Shares divides the machine between users. It is a tree of accounts with users as
// its leaves; each node has a weight relative to its siblings. A node's share is
// split among its active children, so the share of an idle user goes to the
// siblings first (hierarchical sharing).
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
	User    scalar.UserID
	Account string  // "" for a child of the root
	Weight  float64 // relative to its siblings; see MinWeight
}

// MinWeight replaces smaller weights. So a user without a share is still served when
// nobody else is active, and every completion time is finite.
const MinWeight = 1e-6

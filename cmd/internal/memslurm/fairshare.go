package memslurm

import (
	"fmt"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/multifactor"
)

// Rule is how fair share is computed.
type Rule uint8

const (
	// FairTree is Slurm's default since 19.05. It is the zero value.
	FairTree Rule = iota
	// Classic is PriorityFlags=NO_FAIR_TREE.
	Classic
)

// RuleNames lists the rules in the order of their constants.
var RuleNames = []string{"tree", "classic"}

// plugin returns the priority plugin of a cluster whose clock starts at a moment. Its
// associations are the users, in their order; all have the same shares, and so
// have the accounts.
func (c *Config) plugin(at ostrich.Time) (*multifactor.Multifactor, error) {
	m := multifactor.Config{
		Weights: multifactor.Weights{Age: float64(c.Age), Fairshare: float64(c.Fairshare)},
		MaxAge:  c.MaxAge, HalfLife: c.HalfLife, Period: c.CalcPeriod, Procs: c.Procs(), Nodes: c.Nodes,
	}
	if c.Rule == Classic {
		m.Flags = multifactor.NoFairTree
	}
	known := make(map[string]bool)
	for _, u := range c.Users {
		if !known[u.Account] {
			known[u.Account] = true
			m.Accounts = append(m.Accounts, multifactor.Account{Name: u.Account, Shares: 1})
		}
		m.Associations = append(m.Associations, multifactor.Association{User: u.Name, Account: u.Account, Shares: 1})
	}
	return multifactor.New(m, at)
}

// user returns the user of a uid and the number of the association. An unknown
// user has a number for a name, and no association.
func (c *Config) user(uid ostrich.UserID) (u User, association int) {
	for i, u := range c.Users {
		if u.UID == uid {
			return u, i
		}
	}
	return User{UID: uid, Name: fmt.Sprint(uid)}, -1
}

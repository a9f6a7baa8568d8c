package emulated

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"slurm-ostrich/ostrich"
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

// fairshare is the association tree, accounts with users, and the usage that
// decays.
type fairshare struct {
	users []User
	index map[ostrich.UserID]int
	usage []float64    // processor-seconds, by index
	rate  float64      // what is left of usage after a second
	at    ostrich.Time // when it was last decayed

	rule    Rule
	members map[string]int // users of each account
	factors []float64      // F, by index, as of the last computation
}

func newFairshare(users []User, halfLife ostrich.Duration, rule Rule) fairshare {
	f := fairshare{
		users: users, index: make(map[ostrich.UserID]int, len(users)),
		usage: make([]float64, len(users)), factors: slices.Repeat([]float64{1}, len(users)),
		rule: rule, members: make(map[string]int),
		// Slurm's own number: 0.693 for ln 2.
		rate: 1 - 0.693/float64(halfLife),
	}
	for i, u := range users {
		f.index[u.UID] = i
		f.members[u.Account]++
	}
	return f
}

// user is who has a uid; one that is not known has a number for a name.
func (f *fairshare) user(uid ostrich.UserID) User {
	if i, ok := f.index[uid]; ok {
		return f.users[i]
	}
	return User{UID: uid, Name: fmt.Sprint(uid)}
}

// decay lets the usage fall up to now.
func (f *fairshare) decay(now ostrich.Time) {
	left := math.Pow(f.rate, float64(now-f.at))
	for i := range f.usage {
		f.usage[i] *= left
	}
	f.at = now
}

// book counts what a job has used since it was last counted.
func (f *fairshare) book(j *Job, now ostrich.Time) {
	if i, ok := f.index[j.User]; ok {
		f.usage[i] += float64(now-j.counted) * float64(j.Procs)
	}
	j.counted = now
}

// settle makes the usage so far count from now on.
func (f *fairshare) settle() {
	used := make(map[string]float64)
	for i, u := range f.usage {
		used[f.users[i].Account] += u
	}
	if f.rule == Classic {
		f.classic(used)
	} else {
		f.tree(used)
	}
}

// classic computes F = 2^(−U/S). S is the user's part of the account's shares
// times that of the account. U is the effective usage: an account has its part
// U_a of all usage, and a user whose own part is U_u
//
//	U = U_u + (U_a − U_u)·s
//
// with s the user's part of the account's shares: colleagues are charged for
// one another. Without any usage F is 1.
func (f *fairshare) classic(used map[string]float64) {
	sum := 0.0
	for _, u := range f.usage {
		sum += u
	}
	for i, u := range f.usage {
		account := f.users[i].Account
		s := 1 / float64(f.members[account])
		effective := 0.0
		if sum > 0 {
			effective = (u + (used[account]-u)*s) / sum
		}
		f.factors[i] = math.Exp2(-effective * float64(len(f.members)) / s)
	}
}

// tree ranks the users: first the accounts by S/U among all, then the users of
// an account by S/U in it, both with the greatest first; what has no usage has
// an infinite one. F is the place from the end over the number of users. The
// users of accounts that are equal are ranked together, and equal ones share a
// place (fair_tree.c).
func (f *fairshare) tree(used map[string]float64) {
	all := 0.0
	for _, u := range f.usage {
		all += u
	}
	type level struct {
		account, own float64 // S/U
		user         int
	}
	levels := make([]level, len(f.users))
	for i, u := range f.usage {
		account := f.users[i].Account
		levels[i] = level{
			account: all / (used[account] * float64(len(f.members))), own: used[account] / (u * float64(f.members[account])), user: i,
		}
		if used[account] <= 0 {
			levels[i].account = math.Inf(1)
		}
		if u <= 0 {
			levels[i].own = math.Inf(1)
		}
	}
	compare := func(a, b level) int {
		return cmp.Or(-cmp.Compare(a.account, b.account), -cmp.Compare(a.own, b.own))
	}
	slices.SortStableFunc(levels, compare)
	place := 0
	for i, l := range levels {
		if i == 0 || compare(levels[i-1], l) != 0 {
			place = len(levels) - i
		}
		f.factors[l.user] = float64(place) / float64(len(levels))
	}
}

// factor is F as of the last computation. Before the first one it is 1.
func (f *fairshare) factor(user ostrich.UserID) float64 {
	i, ok := f.index[user]
	if !ok {
		return 0 // as for a job without an association
	}
	return f.factors[i]
}

package replay

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/plural"
)

// WhatIfUsage describes the changes that Change knows, a line each.
const WhatIfUsage = `share:NAME=N       NAME, a user or an account, has N shares
nodes:+N           N nodes more, or fewer with -
procs:+N           N processors more, or fewer with -`

// Change returns a study like this one with one thing changed that is not a policy's,
// and the policies that see the change; nil is all.
func (s *Study) Change(what string) (changed *Study, heeded []string, err error) {
	kind, value, ok := strings.Cut(what, ":")
	if !ok || value == "" {
		return nil, nil, fmt.Errorf("%q: must be KIND:VALUE, one of\n%s", what, WhatIfUsage)
	}
	c := *s
	switch kind {
	case "share":
		heeded, err = []string{"fairshare", "ostrich"}, c.share(value)
	case "nodes", "procs":
		err = c.grow(kind, value)
	case "rule", "order", "gate", "classes", "halflife":
		err = errors.New("is a setting of the policy: --policy " + asSetting(kind, value))
	default:
		err = fmt.Errorf("unknown; there are\n%s", WhatIfUsage)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", what, err)
	}
	return &c, heeded, nil
}

// asSetting returns the policy that has what was a change once.
func asSetting(kind, value string) string {
	switch kind {
	case "halflife":
		return "fairshare:halflife=" + value
	case "order":
		kind = "inside"
	case "rule":
		if rule, time, timed := strings.Cut(value, "="); timed {
			return "ostrich:rule=" + rule + ":threshold=" + time
		}
	}
	return "ostrich:" + kind + "=" + value
}

// share changes the shares of a user, in all accounts, or of an account.
func (s *Study) share(value string) error {
	name, number, ok := strings.Cut(value, "=")
	n, err := strconv.Atoi(number)
	if !ok || err != nil || n < 0 || n > math.MaxInt32 {
		return errors.New("must be share:NAME=N with a number of at least 0")
	}
	s.Priority.Accounts, s.Priority.Associations = slices.Clone(s.Priority.Accounts), slices.Clone(s.Priority.Associations)
	found := false
	for i := range s.Priority.Associations {
		if a := &s.Priority.Associations[i]; a.User == name {
			a.Shares, found = n, true
		}
	}
	for i := range s.Priority.Accounts {
		if a := &s.Priority.Accounts[i]; a.Name == name {
			a.Shares, found = n, true
		}
	}
	if !found {
		return fmt.Errorf("no user or account %q has jobs here", name)
	}
	if s.Tree {
		s.Shares = s.divide()
		return nil
	}
	// Evenly, but for this user, or the users of this account.
	d := &ostrich.Shares{}
	if s.Shares != nil {
		d.Users = slices.Clone(s.Shares.Users)
	}
	for i, u := range s.Users {
		if u.Name == name || u.Account == name {
			d.Users = append(slices.DeleteFunc(d.Users, func(x ostrich.UserShare) bool { return x.User == ostrich.UserID(i+1) }),
				ostrich.UserShare{User: ostrich.UserID(i + 1), Weight: float64(n)})
		}
	}
	s.Shares = d
	return nil
}

// grow changes the size of the machine, of every pool in proportion.
func (s *Study) grow(kind, value string) error {
	n, err := strconv.Atoi(value)
	if err != nil || n == 0 || max(n, -n) > math.MaxInt32 || value[0] != '+' && value[0] != '-' {
		return fmt.Errorf("must be %s:+N or %[1]s:-N", kind)
	}
	had := s.Priority.Procs // after an earlier change; Procs is the machine by which all is measured
	if kind == "nodes" {
		if s.Nodes < 1 {
			return errors.New("how many nodes the machine has is not known: give --nodes, or change procs instead")
		}
		if s.Priority.Nodes+n < 1 {
			return plural.Errorf("the machine has %d node{|s}", s.Priority.Nodes)
		}
		s.Priority.Nodes += n
		n = n * s.Procs / s.Nodes
	}
	if had+n < 1 || had+n >= math.MaxInt32 {
		return plural.Errorf("the machine has %d processor{|s}", had)
	}
	s.Pools = resize(s.Pools, had, had+n)
	for i := range s.Jobs {
		if j := &s.Jobs[i]; j.Procs > s.Pools[j.pool].Procs {
			return plural.Errorf("job %d needs %d processor{|s}", j.Slurm, j.Procs)
		}
	}
	s.Priority.Procs = had + n
	return nil
}

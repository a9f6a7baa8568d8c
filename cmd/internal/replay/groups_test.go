package replay

import (
	"math"
	"testing"

	"slurm-ostrich/ostrich/accounting"
)

// TestByAccount: what accounts paid for at every level, of a tree in which a user stands beside
// an account, and jobs in the account of their own and in all above it.
func TestByAccount(t *testing.T) {
	h := history()
	for i := range h.Associations {
		h.Associations[i].Account = []string{"optics", "bio"}[i%2]
	}
	site := &accounting.Site{
		Accounts: []accounting.Account{
			{Name: "root"}, {Name: "physics", Parent: "root", Shares: 30}, {Name: "bio", Parent: "root", Shares: 9}, {Name: "optics", Parent: "physics", Shares: 3},
		},
		Associations: []accounting.AssociationShare{{User: "root", Account: "root", Shares: 1}, {User: "eve", Account: "physics", Shares: 1}},
	}
	s := mustNew(t, h, Setup{Options: window30, Site: site})
	all := s.groupings(h)
	if len(all) == 0 || all[0].By != "account" {
		t.Fatalf("%+v", all)
	}
	g := all[0]
	at := make(map[string]int)
	for i, group := range g.Groups {
		at[group.Name] = i
	}
	for name, want := range map[string]struct {
		level int
		paid  float64
	}{"physics": {0, 30.0 / 40}, "bio": {0, 9.0 / 40}, "optics": {1, 30.0 / 40 * 3 / 4}} {
		i, is := at[name]
		if !is {
			t.Errorf("no %s in %+v", name, g.Groups)
			continue
		}
		if group := g.Groups[i]; group.Level != want.level || group.Paid == nil || math.Abs(*group.Paid-want.paid) > 1e-12 {
			t.Errorf("%s: level %d, paid %v, want %+v", name, group.Level, group.Paid, want)
		}
	}
	for i := range g.Of[0] {
		top, low := g.Of[0][i], g.Of[1][i]
		if in := int(top) == at["physics"]; in != (int(low) == at["optics"]) || !in && low != -1 {
			t.Errorf("job %d: in group %d and below it in %d", i, top, low)
		}
	}
	without := mustNew(t, h, Setup{Options: window30}).groupings(h)
	if without[0].Groups[0].Paid != nil {
		t.Errorf("without a tree: %+v", without[0].Groups)
	}
}

func TestDevicesOf(t *testing.T) {
	for want, n := range map[string]accounting.Needs{
		"":           {TRES: "license/matlab=1"},
		"gpu":        {TRES: "gres/gpu:a100=2,gres/gpu=2"},
		"gpu, shard": {Layout: accounting.Layout{GRES: "shard:4,gpu:1"}},
	} {
		if got := devicesOf(&n); got != want {
			t.Errorf("%+v: %q, want %q", n, got, want)
		}
	}
}

// TestNoShare: a user without shares counts with as few as the virtual schedule has for such a user, one whom nothing weighs with one.
func TestNoShare(t *testing.T) {
	site := &accounting.Site{
		Accounts:     []accounting.Account{{Name: "physics", Parent: "root", Shares: 1}},
		Associations: []accounting.AssociationShare{{User: "alice", Account: "physics"}, {User: "bob", Account: "physics", Shares: 3}},
	}
	of := mustNew(t, history(), Setup{Options: window30, Tree: true, Site: site}).Share()
	if got, want := [3]float64{of(1), of(2), of(9)}, [3]float64{1e-6, 3, 1}; got != want {
		t.Errorf("shares %v, want %v", got, want)
	}
}

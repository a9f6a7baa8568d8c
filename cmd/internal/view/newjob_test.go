package view

import (
	"strings"
	"testing"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting/ledger"
	"slurm-ostrich/priority"
)

// TestParseLimit reads what sbatch takes.
func TestParseLimit(t *testing.T) {
	for text, want := range map[string]ostrich.Duration{
		"30": 1800, "30:15": 1815, "2:00:00": 7200, "1-12": 129_600, "1-12:30": 131_400, "1-12:30:05": 131_405,
		"": 0, "0": 0, "x": 0, "-1": 0, "1:2:3:4": 0, "1-": 0, "1-1:1:1:1": 0, "99999999999": 0, "1 0": 0,
	} {
		if got, err := parseLimit(text); got != want || (err == nil) != (want > 0) {
			t.Errorf("%q: %d, %v, want %d", text, got, err, want)
		}
	}
}

// sited gives a cycle a partition of 8 processors, of which another campaign waits for all of it.
func sited(s *Cycle) *Cycle {
	s.Partitions = []priority.Partition{
		{Name: "main", Default: true, MaxTime: 86_400, TotalCPUs: 8, Nodes: []string{"a", "b"}},
		{Name: "whole", MaxTime: priority.Unlimited, TotalCPUs: 8, Nodes: []string{"a", "b"}, NodeCPUs: []int{4, 4}, Exclusive: true},
	}
	return s
}

// TestForecastNew: a job that is not submitted yet starts after what goes before it, and what never starts says why.
func TestForecastNew(t *testing.T) {
	s := sited(foreseen(later(wide(10, 1, 8))))
	ask := func(n New, partition ...string) (*Forecast, error) {
		return s.Forecast(Everything(), &Selection{New: n, Partitions: partition})
	}
	a, err := ask(New{CPUs: []string{"2"}, Time: []string{"1:00:00"}, Odds: []string{"90", "25"}})
	if err != nil {
		t.Fatal(err)
	}
	if a.Partition != "main" || a.CPUs != 2 || a.Limit != 3600 || a.Ahead != 1 || a.Odds.P10 < s.Time || a.Odds.P90 < a.Odds.P50 ||
		len(a.By) != 2 || a.By[0].Percent != 25 || a.By[1].At != a.Odds.P90 {
		t.Errorf("%+v %+v", a, a.Odds)
	}
	if whole, bad := ask(New{CPUs: []string{"5"}, Time: []string{"5"}}, "whole"); bad != nil || whole.CPUs != 8 {
		t.Errorf("on whole nodes: %+v, %v", whole, bad)
	}
	for want, n := range map[string]New{
		"it never starts: 9 processors are asked for, and partition main has 8": {CPUs: []string{"9"}},
		"it never starts: 3 nodes are asked for, and partition main has 2":      {Nodes: []string{"3"}},
		"it never starts: 2 d are asked for, and partition main allows 24 h":    {Time: []string{"2-0"}},
		`odds "100": not a whole number of per cent from 1 to 99`:               {Odds: []string{"100"}},
	} {
		if _, err = ask(n); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if _, err = ask(New{}, "whole"); err == nil || !strings.HasPrefix(err.Error(), "name a time limit") {
		t.Errorf("without a limit: %v", err)
	}
	if _, err = ask(New{}, "x"); err == nil || err.Error() != `partition "x": Slurm has none of that name; there are main and whole` {
		t.Errorf("an unknown partition: %v", err)
	}
	s.Partitions[1].DefaultTime, s.Partitions[1].MaxNodes = 600, 1
	if a, err = ask(New{}, "whole"); err != nil || a.Limit != 600 {
		t.Errorf("by DefaultTime: %+v, %v", a, err)
	}
	if _, err = ask(New{Nodes: []string{"2"}}, "whole"); err == nil || err.Error() != "it never starts: 2 nodes are asked for, and partition whole allows 1" {
		t.Errorf("more than MaxNodes: %v", err)
	}
	s.Partitions[0].MaxNodes, s.Partitions[0].NodeCPUs = 1, []int{2, 6}
	if _, err = ask(New{CPUs: []string{"7"}}, "main"); err == nil || err.Error() != "it never starts: 7 processors are asked for, and MaxNodes=1 of partition main allows 6" {
		t.Errorf("more than MaxNodes have: %v", err)
	}
	s.Partitions[1].State = "DOWN"
	if _, err = ask(New{}, "whole"); err == nil || err.Error() != "it does not start: partition whole is DOWN" {
		t.Errorf("in a partition that is down: %v", err)
	}
	s.Foresight = nil
	if _, err = ask(New{}); err == nil {
		t.Error("without a foresight it is known")
	}
}

// TestForecastGates: whom a partition lets in stands in front of the answer, unless the user has a job under an account that it names.
func TestForecastGates(t *testing.T) {
	s := sited(foreseen(later(wide(10, 1, 8))))
	s.live = append(s.live, &ledger.Record{Job: ostrich.Job{ID: 1 << 20}, UserName: "alice", Account: "bio"})
	ask := func(user string, gates ...priority.Gate) *Forecast {
		s.Partitions[0].Gates = gates
		a, err := s.Forecast(Everything(), &Selection{New: New{Time: []string{"5"}}, Users: []string{user}})
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	bio, groups := priority.Gate{Key: "AllowAccounts", Names: []string{"bio", "chem"}}, priority.Gate{Key: "AllowGroups", Names: []string{"gpu"}}
	for _, test := range []struct {
		user string
		want string
	}{
		{"bob", "if partition main lets it in (AllowAccounts=bio,chem AllowGroups=gpu), else never:"},
		{"alice", "if partition main lets it in (AllowGroups=gpu), else never:"},
	} {
		if got, _, _ := strings.Cut(ask(test.user, bio, groups).String(), "\n"); got != test.want {
			t.Errorf("%s: %q, want %q", test.user, got, test.want)
		}
	}
	if got := ask("alice", bio); got.Gates != nil || strings.Contains(got.String(), "lets it in") {
		t.Errorf("alice's account is named: %q", got)
	}
}

// TestForecastGoes: in OStrich's order before the campaigns that end later, in Slurm's behind all.
func TestForecastGoes(t *testing.T) {
	s := sited(foreseen(later(wide(10, 1, 8), wide(20, 2, 8))))
	at := float64(s.Time)
	campaigns := []ostrich.Campaign{
		{User: 1, Lead: 10, Pending: []ostrich.JobID{10}, Work: 3600, VirtualEnd: at + 10},
		{User: 1, Lead: 20, Pending: []ostrich.JobID{20}, Work: 3600, VirtualEnd: at + 100_000},
	}
	s.describePool(&s.Pools[0], []ostrich.User{{User: 1, Active: true, Fraction: 1}}, campaigns, func(ostrich.UserID) string { return "user" })
	for _, test := range []struct {
		user     string
		enforced bool
		want     int
	}{{"", true, 1}, {"", false, 2}, {"user", true, 2}} {
		s.Enforced = test.enforced
		a, err := s.Forecast(Everything(), &Selection{Users: []string{test.user}, New: New{Time: []string{"60"}}})
		if err != nil || a.Ahead != test.want {
			t.Errorf("%+v: %+v, %v", test, a, err)
		}
	}
	s.Enforced = true
	hidden, err := s.Forecast(&Viewer{Names: []string{"other"}}, &Selection{Users: []string{"user"}, New: New{Time: []string{"60"}}})
	if err != nil || hidden.User != "other" || hidden.Ahead != 1 {
		t.Errorf("as somebody else: %+v, %v", hidden, err)
	}
}

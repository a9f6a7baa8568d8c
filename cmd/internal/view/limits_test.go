package view

import (
	"testing"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting"
	"slurm-ostrich/ostrich/accounting/ledger"
	"slurm-ostrich/priority"
)

// atLimit is a machine of 8 processors on which alice runs a job of 2 for up to an hour more, and waits with another of 2 as job 10 behind a
// limit of slurmctld's, by a reason of squeue's. bob has job 20.
func atLimit(reason string, limits ...accounting.Limit) *Cycle {
	first, second := wide(10, 1, 2), wide(20, 2, 2)
	first.User, first.Account, first.QOS, first.Partition = "alice", "physics", "normal", "all"
	second.User, second.Account, second.QOS, second.Partition = "bob", "physics", "normal", "all"
	if first.Reason = reason; priority.InUse(reason) || reason == "JobArrayTaskLimit" {
		first.Wait = priority.Limited
	}
	s := equipped(foreseen(later(first, second)))
	s.live = []*ledger.Record{
		{Job: ostrich.Job{ID: 1, User: 1, Start: s.Time - 60, Procs: 2, Estimate: 3600, Needs: 1, Partition: "all"}, UserName: "alice", Account: "physics", QOS: "normal", State: accounting.Running},
		{Job: ostrich.Job{ID: 10, User: 1, Procs: 2, Estimate: 600, Needs: 1, Partition: "all"}, UserName: "alice", Account: "physics", QOS: "normal"},
		{Job: ostrich.Job{ID: 20, User: 2, Procs: 2, Estimate: 600, Needs: 1, Partition: "all"}, UserName: "bob", Account: "physics", QOS: "normal"},
	}
	s.site = &accounting.Site{
		QOS:          []accounting.QOS{{Name: "normal"}, {Name: "of-partition"}},
		Accounts:     []accounting.Account{{Name: "root"}, {Name: "physics", Parent: "root"}},
		Associations: []accounting.AssociationShare{{User: "alice", Account: "physics"}, {User: "bob", Account: "physics"}},
	}
	s.site.QOS[0].Limits.List = limits
	return s
}

// TestOddsAtLimit: who is at a limit of use is told a start once the job ends that uses it up, whatever processors are idle, and whether
// Slurm has said so yet or not; others are told to start now, and nothing of a limit that the futures do not know.
func TestOddsAtLimit(t *testing.T) {
	user := func(resource string, most int64) accounting.Limit {
		return accounting.Limit{Scope: accounting.ByUser, Resource: resource, Most: most}
	}
	group := func(resource string, most int64) accounting.Limit {
		return accounting.Limit{Scope: accounting.ByGroup, Resource: resource, Most: most}
	}
	const soon, then = "soon", "then" // now, or once another job has ended
	for _, test := range []struct {
		name, reason string
		limit        accounting.Limit
		first        string // "" for nothing
		second       string
	}{
		{"no limit", "Priority", user("cpu", 4), soon, soon},
		{"processors, of which Slurm has said nothing yet", "Priority", user("cpu", 3), then, soon},
		{"processors", "QOSMaxCpuPerUserLimit", user("cpu", 3), then, soon},
		{"jobs", "QOSMaxJobsPerUserLimit", user("jobs", 1), then, soon},
		{"memory", "QOSMaxMemoryPerUser", user("mem", 1999), then, soon},
		{"nodes", "QOSMaxNodePerUserLimit", user("node", 1), soon, soon}, // the one that it has
		{"the account's", "MaxCpuPerAccount", accounting.Limit{Scope: accounting.ByAccount, Resource: "cpu", Most: 3}, then, then},
		{"the group's", "QOSGrpCpuLimit", group("cpu", 5), soon, then}, // one of both
		{"the group's of all", "QOSGrpCpuLimit", group("cpu", 3), then, then},
		{"minutes", "QOSGrpCPUMinutesLimit", user("cpu", 3), "", soon},
		{"an array's", "JobArrayTaskLimit", user("cpu", 4), "", soon},
		{"one that is gone", "QOSMaxCpuPerUserLimit", user("cpu", 4), "", soon},
		{"billing", "Priority", user("billing", 1), soon, soon},
		{"never", "Priority", accounting.Limit{Scope: accounting.ByJob, Resource: "cpu", Most: 1}, soon, soon},
	} {
		s := atLimit(test.reason, test.limit)
		if test.reason == "QOSGrpCPUMinutesLimit" {
			s.Plan.Entries[0].Wait = priority.Limited
		}
		for id, want := range map[string]string{"10": test.first, "20": test.second} {
			got, e := "", explainOne(t, s, id)
			if o := e.Odds; o != nil {
				if got = soon; o.P50 > s.Time {
					got = then
				}
			}
			if got != want {
				t.Errorf("%s: job %s starts %q, want %q: %+v at %d", test.name, id, got, want, e.Odds, s.Time)
			}
			if limited := e.Reason != "Priority" && id == "10"; limited && (e.Able || e.Expected != nil) {
				t.Errorf("%s: able %t, expected %+v", test.name, e.Able, e.Expected)
			}
		}
	}
}

// TestLimitsOf: limits of associations count as those of QOS do, and so does the QOS of a partition, before that of the job. A plan tells
// the odds of who waits for one, the daemon asks itself about them, and who asks for a new job is under the limit of the others.
func TestLimitsOf(t *testing.T) {
	for name, set := range map[string]func(*Cycle){
		"association": func(s *Cycle) {
			s.site.Associations[0].Limits.List = []accounting.Limit{{Scope: accounting.ByUser, Resource: "jobs", Most: 1}}
		},
		"account": func(s *Cycle) { s.site.Accounts[1].Limits.List = []accounting.Limit{{Resource: "cpu", Most: 3}} },
		"beside one that is not counted": func(s *Cycle) {
			s.site.QOS[0].Limits.List = []accounting.Limit{{Resource: "billing", Most: 9}, {Scope: accounting.ByJob, Resource: "cpu", Most: 1}, {Resource: "cpu", Most: 3}}
		},
		"root": func(s *Cycle) { s.site.Accounts[0].Limits.List = []accounting.Limit{{Resource: "jobs", Most: 1}} },
		"partition": func(s *Cycle) {
			s.Partitions[0].QOS = "of-partition"
			s.site.QOS[1].Limits.List = []accounting.Limit{{Scope: accounting.ByUser, Resource: "cpu", Most: 3}}
			s.site.QOS[0].Limits.List = []accounting.Limit{{Scope: accounting.ByUser, Resource: "cpu", Most: 8}}
		},
	} {
		s := atLimit("AssocGrpCpuLimit")
		set(s)
		s.moved = make([]int, 2)
		e := explainOne(t, s, "10")
		if e.Odds == nil || e.Odds.P50 <= s.Time {
			t.Errorf("%s: %+v at %d", name, e.Odds, s.Time)
			continue
		}
		if plan := s.Chosen(Everything(), &Selection{}); plan.Jobs[0].Odds == nil || *plan.Jobs[0].Odds != *e.Odds {
			t.Errorf("%s: the plan tells %+v", name, plan.Jobs[0].Odds)
		}
		if q := s.queueOf(&s.Pools[0]); len(q.Jobs) != 2 || len(q.Unable) > 0 {
			t.Errorf("%s: it asks itself about %v, and not about %v", name, q.Jobs, q.Unable)
		}
	}
	s := atLimit("Priority", accounting.Limit{Scope: accounting.ByUser, Resource: "cpu", Most: 3})
	s.site, s.controller.AccountingEnforce = nil, nil
	if o := explainOne(t, s, "10").Odds; o == nil || o.P50 > s.Time {
		t.Errorf("without limits: %+v at %d", o, s.Time)
	}
}

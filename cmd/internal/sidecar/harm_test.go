package sidecar

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"slurm-ostrich/cmd/internal/configuration"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/priority"
	"slurm-ostrich/priority/journal"
)

// Under a setting with which an order can do harm nothing is written, what is
// only read goes on, and writing begins again when the setting is gone.
func TestHarmRefusesToWrite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSite()
		s.submit(1, 1, 100, "main")
		s.Conf.PreemptType, s.Conf.PreemptMode = "preempt/qos", "WITHIN,REQUEUE"
		sc := s.start(t)
		if c := run(t, sc, false); !errors.Is(c.Harm, priority.ErrImpossible) || c.Plan.Summary.Writes != 1 {
			t.Errorf("observed: harm %v, %d writes planned", c.Harm, c.Plan.Summary.Writes)
		}
		if _, err := sc.Run(t.Context(), true); !errors.Is(err, priority.ErrImpossible) || !Permanent(err) || len(s.sent) > 0 {
			t.Errorf("error %v, %d bursts", err, len(s.sent))
		}
		s.Conf.PreemptMode = "REQUEUE"
		sc.asked = sc.asked.Add(-configAge)
		if c := run(t, sc, true); c.Harm != nil || len(s.sent) != 1 {
			t.Errorf("the setting is gone: harm %v, %d bursts", c.Harm, len(s.sent))
		}
	})
}

// A setting with which an order can do harm stays known when slurmctld does not tell of
// it for once.
func TestHarmIsNotForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSite()
		s.submit(1, 1, 100, "main")
		s.Conf.PreemptType = "preempt/qos"
		s.Conf.QOS = []priority.QOS{{Name: "high", PreemptMode: "WITHIN,REQUEUE"}}
		sc := s.start(t)
		s.Conf.QOS, s.Conf.PoliciesUnknown = nil, "scontrol: no answer"
		sc.asked = sc.asked.Add(-configAge)
		if _, err := sc.Run(t.Context(), true); !errors.Is(err, priority.ErrImpossible) || len(s.sent) > 0 {
			t.Errorf("error %v, %d bursts", err, len(s.sent))
		}
		s.Conf.PoliciesUnknown = ""
		sc.asked = sc.asked.Add(-configAge)
		if run(t, sc, true); len(s.sent) != 1 {
			t.Errorf("the setting is gone: %d bursts", len(s.sent))
		}
	})
}

// Where QOS preempt, nothing is written before it is known which, and with that the classes
// are found anew. What is known stays known.
func TestNothingIsWrittenBeforeQOSAreKnown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSite()
		s.submit(1, 1, 100, "main")
		s.Conf.PreemptType, s.Conf.PreemptMode = "preempt/qos", "REQUEUE"
		unknown := []priority.QOS{{Name: "normal"}, {Name: "urgent"}}
		s.Conf.QOS, s.Conf.QOSUnknown, s.Conf.PoliciesUnknown = unknown, true, "sacctmgr: exit status 1: no answer"
		events := s.Events
		sc := s.start(t)
		if c := run(t, sc, false); !errors.Is(c.Harm, priority.ErrUndecided) {
			t.Errorf("observed: %v", c.Harm)
		}
		if _, err := sc.Run(t.Context(), true); !errors.Is(err, priority.ErrUndecided) || Permanent(err) || !strings.Contains(err.Error(), "no answer") || len(s.sent) > 0 {
			t.Errorf("error %v, %d bursts", err, len(s.sent))
		}
		s.Conf.QOS, s.Conf.QOSUnknown, s.Conf.PoliciesUnknown = []priority.QOS{{Name: "normal"}, {Name: "urgent", Preempts: []string{"normal"}}}, false, ""
		if _, err := sc.Run(t.Context(), true); !errors.Is(err, ErrClasses) || len(s.sent) > 0 {
			t.Errorf("known at once: error %v, %d bursts", err, len(s.sent))
		}
		s.Events = events
		sc = s.start(t)
		s.Conf.QOS, s.Conf.QOSUnknown, s.Conf.PoliciesUnknown = unknown, true, "sacctmgr: exit status 1: no answer"
		sc.asked = sc.asked.Add(-configAge)
		if c := run(t, sc, true); len(s.sent) != 1 {
			t.Errorf("known before: %d bursts, harm %v", len(s.sent), c.Harm)
		}
	})
}

// A job that is moved out of the pools loses its value, and so does one whose
// user is excluded by new settings; a value of somebody else's stays.
func TestLeavingJobsLoseTheirValues(t *testing.T) {
	s := newSite()
	s.submit(1, 1, 100, "main")
	s.submit(2, 2, 101, "main")
	s.submit(3, 3, 102, "main")
	path := filepath.Join(t.TempDir(), "journal")
	start := func(edit func(*configuration.Config)) *Sidecar {
		sc := s.start(t, func(c *configuration.Config) { c.Pools = []ostrich.Pool{{Name: "m", Partitions: []string{"main"}}} }, edit)
		j, err := journal.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		sc.journal = j
		return sc
	}
	sites := func() (list []int64) {
		for _, q := range s.Pending {
			list = append(list, q.Site)
		}
		return list
	}
	events := slices.Clone(s.Events)
	sc := start(func(*configuration.Config) {})
	run(t, sc, true)
	if slices.Contains(sites(), 0) {
		t.Fatalf("values %v", sites())
	}
	s.Pending[0].Partition = "gpu"
	s.Events = []ostrich.Event{{At: 200, Kind: ostrich.Change, Job: ostrich.Job{ID: 1, User: 1, Partition: "gpu", Procs: 2, Estimate: 600, Submit: 100}}}
	run(t, sc, true)
	if got := sites(); got[0] != 0 || got[1] == 0 || got[2] == 0 {
		t.Errorf("values %v after job 1 left the pools", got)
	}
	if err := sc.Close(); err != nil {
		t.Fatal(err)
	}

	s.Events = events
	s.Pending[0].Partition, s.Pending[0].Site = "main", 0
	s.Pending[2].Site = 777
	sc = start(func(c *configuration.Config) { c.Exclude.Users = []string{"u2", "u3"} })
	run(t, sc, true)
	if got := sites(); got[0] == 0 || got[1] != 0 || got[2] != 777 {
		t.Errorf("values %v after users 2 and 3 were excluded, and somebody gave job 3 another", got)
	}
	if err := sc.Close(); err != nil {
		t.Fatal(err)
	}
}

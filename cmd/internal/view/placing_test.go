package view

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting"
	"slurm-ostrich/ostrich/accounting/ledger"
	"slurm-ostrich/ostrich/forecast"
	"slurm-ostrich/ostrich/sim/nodes"
	"slurm-ostrich/priority"
)

// equipped gives a cycle two nodes of 4 processors and a partition for each, of which the second has two GPUs.
func equipped(s *Cycle) *Cycle {
	s.controller = priority.Controller{SelectsMemory: true, AccountingTRES: []string{"cpu", "mem", "gres/gpu", "gres/gpu:a100"}}
	s.Partitions = []priority.Partition{
		{Name: "all", Default: true, MaxTime: 86_400, TotalCPUs: 8, Nodes: []string{"n10", "n9"}, NodeCPUs: []int{4, 4}, NodeTRES: []string{"cpu=4,mem=8G,billing=4,gres/gpu=2,gres/gpu:a100=1", "cpu=4,mem=4000M,billing=4"}},
		{Name: "alone", MaxTime: 86_400, TotalCPUs: 4, Nodes: []string{"n9"}, NodeCPUs: []int{4}, NodeTRES: []string{"cpu=4,mem=4000M,billing=4"}, Exclusive: true},
	}
	s.asked = []ledger.Needs{
		{},
		{CPUs: 2, Nodes: 1, Memory: 1000, Partition: "all"},
		{CPUs: 1, Nodes: 1, Memory: 100, GRES: "gres/gpu=2", Partition: "all"},
		{CPUs: 8, Nodes: 2, Memory: 4001, Partition: "all,alone", Exclusive: true},
		{CPUs: 6, Nodes: 1, Partition: "gone", GRES: "gres/gpu=3,gres/gpu:a100=1"},
		{CPUs: 6, Nodes: 1, Memory: 601, Partition: "all"},
	}
	return s
}

// TestPlacing: nodes and requests are those that slurmctld and accounting tell of.
func TestPlacing(t *testing.T) {
	s := equipped(machine())
	s.out = []ledger.Outage{{Node: "n9", From: s.Time - 5000}, {Node: "other", From: 1}}
	is := s.placing(&s.Pools[0])
	c, requests := is.cluster, is.requests
	gpus := func(n int64, kind string) nodes.GRES { return nodes.GRES{Name: "gpu", Type: kind, Count: n} }
	want := &nodes.Cluster{
		Nodes:      []nodes.Node{{Name: "n9", CPUs: 4, Memory: 4000}, {Name: "n10", CPUs: 4, Memory: 8192, GRES: []nodes.GRES{gpus(1, "a100"), gpus(1, "")}}},
		Partitions: []nodes.Partition{{Name: "all", Nodes: []int{0, 1}}, {Name: "alone", Nodes: []int{0}, OverSubscribe: nodes.Exclusive}},
		Select:     nodes.Select{Memory: true}, DefMemory: nodes.Memory{MiB: 1, PerCPU: true},
		Outages: []nodes.Outage{{Node: 0, From: s.Time - 5000, To: s.Time + 5000}},
	}
	if !reflect.DeepEqual(c, want) {
		t.Errorf("nodes %+v\nwant %+v", c, want)
	}
	all := []nodes.Request{
		{CPUs: 2, MinNodes: 1, Partitions: []int{0}, Memory: nodes.Memory{MiB: 1000}},
		{CPUs: 1, MinNodes: 1, Partitions: []int{0}, Memory: nodes.Memory{MiB: 100}, GRES: []nodes.GRESRequest{{GRES: gpus(2, "")}}},
		{CPUs: 8, MinNodes: 2, Partitions: []int{0, 1}, Memory: nodes.Memory{MiB: 2001}, Exclusive: nodes.WholeNodes},
		{CPUs: 6, MinNodes: 1, Memory: nodes.Memory{MiB: nodes.AllMemory}, GRES: []nodes.GRESRequest{{GRES: gpus(1, "a100")}, {GRES: gpus(2, "")}}},
		{CPUs: 6, MinNodes: 1, Partitions: []int{0}, Memory: nodes.Memory{MiB: 101, PerCPU: true}},
	}
	for i := range all {
		if !reflect.DeepEqual(requests[i], all[i]) {
			t.Errorf("request %d: %+v\nwant %+v", i+1, requests[i], all[i])
		}
	}
	held := ostrich.Job{Needs: 1}
	for _, test := range []struct {
		needs uint32
		procs int
		want  int32
	}{{0, 1, 0}, {6, 1, 0}, {1, 1, 1}, {1, 2, 1}, {1, 4, 6}, {1, 4, 6}, {2, 4, 7}} {
		if held.Needs = test.needs; is.of(&held, test.procs, "", forecast.Bound{}) != test.want {
			t.Errorf("a job that asks for %d and has %d processors has request %d, want %d", test.needs, test.procs, is.of(&held, test.procs, "", forecast.Bound{}), test.want)
		}
	}
	if r := is.requests[5]; r.CPUs != 4 || r.Memory.MiB != 1000 {
		t.Errorf("with all 4 processors: %+v", r)
	}
	for name, hide := range map[string]func(*Cycle){
		"hidden":           func(s *Cycle) { s.Partitions[0].NodeCPUs[0] = priority.Hidden },
		"not told":         func(s *Cycle) { s.Partitions[0].NodeTRES[0] = "" },
		"without TRES":     func(s *Cycle) { s.Partitions[0].NodeTRES = nil },
		"of no accounting": func(s *Cycle) { s.asked = nil },
	} {
		s = equipped(machine())
		if hide(s); s.placing(&s.Pools[0]).cluster != nil {
			t.Errorf("%s: there are nodes", name)
		}
	}
}

// TestOddsOnNodes: a job that asks for both GPUs waits for one that holds one of them, whatever processors are idle, and so does one that
// is not submitted yet for the nodes.
func TestOddsOnNodes(t *testing.T) {
	build := func(needs uint32) *Cycle {
		s := equipped(foreseen(later(wide(10, 1, 1))))
		s.live = []*ledger.Record{
			{Job: ostrich.Job{ID: 1, Start: s.Time - 60, Procs: 1, Estimate: 3600, Needs: 2, Partition: "all"}, State: accounting.Running},
			{Job: ostrich.Job{ID: 10, Procs: 1, Estimate: 600, Needs: needs, Partition: "all"}},
		}
		return s
	}
	if o := explainOne(t, build(1), "10").Odds; o == nil || o.P50 > build(1).Time+600 {
		t.Errorf("processors are idle: %+v", o)
	}
	s := build(2)
	if o := explainOne(t, s, "10").Odds; o == nil || o.P50 < s.Time+60 {
		t.Errorf("the GPUs are taken: %+v", o)
	}
	for nodes, waits := range map[string]bool{"1": false, "2": true} {
		s = build(1)
		s.live[0].Job.Needs, s.asked[2].Exclusive = 2, true // a node is taken whole
		a, err := s.Forecast(Everything(), &Selection{New: New{Nodes: []string{nodes}, Time: []string{"10"}}})
		if err != nil || a.Odds.P50 > s.Time+30 != waits {
			t.Errorf("%s nodes: %s, %v", nodes, fmt.Sprintf("%+v at %d", a.Odds, s.Time), err)
		}
	}
	s = build(1)
	s.live[0].Job.Needs = 2
	for _, test := range []struct {
		asks  New
		waits bool
		never string
	}{
		{asks: New{GRES: []string{"gpu:1"}}, waits: true},
		{asks: New{GRES: []string{"gpu:a100:1"}}, waits: true},
		{asks: New{GRES: []string{"gpu:h100:1"}}, waits: true}, // a type that is not counted
		{asks: New{GRES: []string{"tape:1"}}, never: "gres tape: it is not known which nodes have it, as accounting does not count it (AccountingStorageTRES of slurm.conf): ask without it"},
		{asks: New{Mem: []string{"4G"}}},
		{asks: New{GRES: []string{"gpu:3"}}, never: "it never starts: no nodes of partition all have all that it asks for"},
		{asks: New{Mem: []string{"9G"}}, never: "it never starts: no nodes of partition all have all that it asks for"},
		{asks: New{Mem: []string{"much"}}, never: `mem "much": not memory as sbatch takes it, such as 4000 or 4G`},
		{asks: New{GRES: []string{"gpu:x:y:z"}}, never: `gres: "gpu:x:y:z": not NAME[:TYPE][:COUNT], as in gpu:a100:4(S:0-1)`},
	} {
		test.asks.Time = []string{"10"}
		a, err := s.Forecast(Everything(), &Selection{New: test.asks})
		switch {
		case err != nil:
			if err.Error() != test.never {
				t.Errorf("%+v: %v, want %s", test.asks, err, test.never)
			}
		case test.never != "" || a.Odds.P50 > s.Time+30 != test.waits:
			t.Errorf("%+v: %+v at %d", test.asks, a.Odds, s.Time)
		}
	}
	s.asked = nil
	if _, err := s.Forecast(Everything(), &Selection{New: New{Mem: []string{"1G"}}}); err == nil || !strings.HasPrefix(err.Error(), "slurmctld does not tell what memory") {
		t.Errorf("of nodes that are not known: %v", err)
	}
}

// TestOddsByName: a job waits for the node that it asks for by name, or by a feature, though another one is idle. Names that
// no node can meet do not count, and what else it asks for does.
func TestOddsByName(t *testing.T) {
	for _, test := range []struct {
		asks  priority.Asked
		waits bool
		needs uint32 // 2 is two GPUs, which n10 alone has
	}{
		{priority.Asked{}, false, 1},
		{priority.Asked{Nodes: "n10"}, true, 1},
		{priority.Asked{Nodes: "n[9]"}, false, 1},
		{priority.Asked{Nodes: "elsewhere"}, false, 1},
		{priority.Asked{Without: "n9"}, true, 1},
		{priority.Asked{Without: "n[10-12]"}, false, 1},
		{priority.Asked{Features: "big"}, true, 1},
		{priority.Asked{Features: "old|big"}, false, 1},
		{priority.Asked{Features: "old"}, false, 1},
		{priority.Asked{Licenses: "matlab"}, false, 1},
		{priority.Asked{}, true, 2},
		{priority.Asked{Features: "nosuch"}, true, 2},
		{priority.Asked{Features: "big&old"}, true, 2},
		{priority.Asked{Features: "big&("}, true, 2},
		{priority.Asked{Nodes: "n9"}, true, 2},
		{priority.Asked{Without: "n10"}, true, 2},
	} {
		s := equipped(foreseen(later(wide(10, 1, 1))))
		s.Partitions[0].NodeFeatures = []string{"big,new", "old"}
		s.asked[2].Exclusive = true // a node is taken whole
		s.live = []*ledger.Record{
			{Job: ostrich.Job{ID: 1, Start: s.Time - 60, Procs: 1, Estimate: 3600, Needs: 2, Partition: "all"}, State: accounting.Running},
			{Job: ostrich.Job{ID: 10, Procs: 1, Estimate: 600, Needs: test.needs, Partition: "all"}},
		}
		for i := range s.Plan.Entries {
			s.Plan.Entries[i].Wants = test.asks.Wants()
		}
		if o := explainOne(t, s, "10").Odds; o == nil || o.P50 > s.Time+30 != test.waits {
			t.Errorf("%+v: %+v at %d", test.asks, o, s.Time)
		}
	}
}

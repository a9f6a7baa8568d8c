package nodes_test

import (
	"slices"
	"testing"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/sim/nodes"
)

// TestVictims chooses who makes room, worked by hand from job_test.c's _run_now, on nodes of four CPUs.
func TestVictims(t *testing.T) {
	type job struct {
		start    ostrich.Time
		cpus     int
		on       []int
		priority int64
		mode     nodes.PreemptMode
	}
	requeue, cancel, suspend, off := nodes.PreemptRequeue, nodes.PreemptCancel, nodes.PreemptSuspend, nodes.PreemptOff
	wide := nodes.Request{CPUs: 8, MinNodes: 2, MaxNodes: 2}
	for _, tt := range []struct {
		name    string
		nodes   int
		preempt nodes.Preempt
		jobs    []job // in the order of their submission
		request nodes.Request
		gone    []int32
		left    []int32 // CPUs that those keep
	}{
		{"equal ones in the order of their submission", 2, nodes.Preempt{}, []job{{5, 4, []int{0}, 0, requeue}, {1, 4, []int{1}, 0, requeue}}, nodes.Request{CPUs: 4}, []int32{0}, nil},
		{"the youngest first", 2, nodes.Preempt{YoungestFirst: true}, []job{{5, 4, []int{0}, 0, requeue}, {6, 4, []int{1}, 0, requeue}}, nodes.Request{CPUs: 4}, []int32{1}, nil},
		{"the smallest first", 3, nodes.Preempt{}, []job{{1, 8, []int{0, 1}, 0, requeue}, {1, 4, []int{2}, 0, requeue}}, nodes.Request{CPUs: 4}, []int32{1}, nil},
		{"a low priority before a small size", 3, nodes.Preempt{}, []job{{1, 8, []int{0, 1}, 1, requeue}, {1, 4, []int{2}, 2, requeue}}, nodes.Request{CPUs: 4}, []int32{0}, nil},
		{"the last one that is needed comes first then: it is enough", 1, nodes.Preempt{}, []job{{1, 1, []int{0}, 0, requeue}, {1, 3, []int{0}, 0, cancel}}, nodes.Request{CPUs: 3}, []int32{1}, nil},
		{"in strict order too", 1, nodes.Preempt{StrictOrder: true}, []job{{1, 1, []int{0}, 0, requeue}, {1, 3, []int{0}, 0, requeue}}, nodes.Request{CPUs: 3}, []int32{1}, nil},
		{
			// 1, 2, 3: the job finds nodes without all of them, and 3 comes first. 3, 1: it does, and 1 comes first. 1, 3 leave.
			"three times at most", 1,
			nodes.Preempt{},
			[]job{{1, 1, []int{0}, 0, requeue}, {1, 1, []int{0}, 0, requeue}, {1, 2, []int{0}, 0, requeue}},
			nodes.Request{CPUs: 3},
			[]int32{0, 2},
			nil,
		},
		{
			"with no reordering once more all the same", 1,
			nodes.Preempt{Reorder: -1},
			[]job{{1, 1, []int{0}, 0, requeue}, {1, 1, []int{0}, 0, requeue}, {1, 2, []int{0}, 0, requeue}},
			nodes.Request{CPUs: 2},
			[]int32{1, 0},
			nil,
		},
		{"those on other nodes stay", 3, nodes.Preempt{}, []job{{1, 4, []int{0}, 0, requeue}, {1, 4, []int{1}, 0, requeue}, {1, 4, []int{2}, 0, requeue}}, nodes.Request{CPUs: 4, NodeList: []int{2}}, []int32{2}, nil},
		{"as many as it takes", 3, nodes.Preempt{}, []job{{1, 4, []int{0}, 0, requeue}, {1, 4, []int{1}, 0, requeue}, {1, 4, []int{2}, 0, requeue}}, wide, []int32{0, 1}, nil},
		{"those that may not be preempted stay", 2, nodes.Preempt{}, []job{{1, 4, []int{0}, 0, off}, {1, 4, []int{1}, 0, requeue}}, nodes.Request{CPUs: 4}, []int32{1}, nil},
		{"too few", 2, nodes.Preempt{}, []job{{1, 4, []int{0}, 0, off}, {1, 4, []int{1}, 0, requeue}}, wide, nil, nil},
		{"those stand that do not fit beside it, and give what is not free", 1, nodes.Preempt{}, []job{{1, 1, []int{0}, 0, suspend}, {1, 2, []int{0}, 0, suspend}}, nodes.Request{CPUs: 3}, []int32{1}, []int32{0}},
		{"as a real Slurm 22.05 has it", 2, nodes.Preempt{}, []job{{1, 1, []int{0}, 0, suspend}, {2, 3, []int{0}, 0, suspend}, {3, 2, []int{1}, 0, suspend}, {4, 2, []int{1}, 0, suspend}}, nodes.Request{CPUs: 2}, []int32{1}, []int32{1}},
		{"a low priority stands first", 1, nodes.Preempt{}, []job{{1, 2, []int{0}, 1, suspend}, {2, 2, []int{0}, 2, suspend}}, nodes.Request{CPUs: 2}, []int32{0}, []int32{0}},
		{"but no memory", 1, nodes.Preempt{}, []job{{1, 4, []int{0}, 0, suspend}}, nodes.Request{CPUs: 1, Memory: nodes.Memory{MiB: 700}}, nil, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := &nodes.Cluster{Select: nodes.Select{Unit: nodes.Core, Memory: true}, DefMemory: nodes.Memory{MiB: 100, PerCPU: true}, Preempt: tt.preempt}
			c.Preempt.By, c.Preempt.Mode = nodes.PreemptByQOS, nodes.PreemptRequeue
			for range tt.nodes {
				c.Nodes = append(c.Nodes, nodes.Node{Sockets: 1, Cores: 4, Memory: 1000})
			}
			f, err := nodes.NewFloor(c)
			if err != nil {
				t.Fatal(err)
			}
			high, l, choose := &nodes.QOS{Name: "high"}, f.NewLoad(), f.NewChooser()
			var victims []nodes.Victim
			for i, j := range tt.jobs {
				q := &nodes.QOS{Priority: j.priority, Mode: j.mode}
				high.Preempts = append(high.Preempts, q)
				var w *nodes.Want
				if w, err = f.Want(&nodes.Request{QOS: q, CPUs: j.cpus, NodeList: j.on, MinNodes: len(j.on), MaxNodes: len(j.on)}, -1); err != nil {
					t.Fatal(err)
				}
				a, ok := choose.Choose(w, 1, f.All(), l)
				if !ok {
					t.Fatalf("job %d finds no nodes", i)
				}
				l.Add(a)
				victims = append(victims, nodes.Victim{Allocation: a, Want: w, Job: int32(i), Start: j.start, Mode: cmpMode(f.ModeOf(w), j.mode)})
			}
			tt.request.QOS = high
			w, err := f.Want(&tt.request, -1)
			if err != nil {
				t.Fatal(err)
			}
			f.Sort(victims)
			a, gone := choose.Preempt(w, 2, f.All(), l, victims)
			var jobs, left []int32
			for _, v := range gone {
				if jobs = append(jobs, v.Job); v.Left != nil {
					left = append(left, v.Left.CPUs...)
				}
			}
			if !slices.Equal(jobs, tt.gone) || !slices.Equal(left, tt.left) || (a == nil) != (tt.gone == nil) {
				t.Errorf("jobs %v leave, with %v CPUs left, want %v, %v", jobs, left, tt.gone, tt.left)
			}
			if got, _ := choose.WillRunNow(w, f, l, victims); got != (a != nil) {
				t.Errorf("the backfill scheduler says %v", got)
			}
		})
	}
}

// cmpMode has a QOS that says OFF say so: Slurm takes that for nothing.
func cmpMode(mode, said nodes.PreemptMode) nodes.PreemptMode {
	if said == nodes.PreemptOff {
		return said
	}
	return mode
}

// TestWhoMayPreempt has the rules of both plugins.
func TestWhoMayPreempt(t *testing.T) {
	low, mid := &nodes.QOS{Name: "low", Mode: nodes.PreemptCancel, Exempt: 7, Grace: 3}, &nodes.QOS{Name: "mid", Mode: nodes.PreemptOff}
	high := &nodes.QOS{Name: "high", Preempts: []*nodes.QOS{low, mid}}
	c := &nodes.Cluster{
		Nodes: make([]nodes.Node, 1), Preempt: nodes.Preempt{By: nodes.PreemptByQOS, Mode: nodes.PreemptRequeue, Exempt: 60},
		Partitions: []nodes.Partition{
			{Name: "a", Nodes: []int{0}, Tier: 1, GraceTime: 5},
			{Name: "b", Nodes: []int{0}, Tier: 2, PreemptMode: nodes.PreemptOff, QOS: &nodes.QOS{Exempt: 9}},
			{Name: "c", Nodes: []int{0}, Tier: 3},
		},
	}
	f, err := nodes.NewFloor(c)
	if err != nil {
		t.Fatal(err)
	}
	want := func(q *nodes.QOS, part int) *nodes.Want {
		w, err := f.Want(&nodes.Request{CPUs: 1, QOS: q, NoRequeue: q == nil}, part)
		if err != nil {
			t.Fatal(err)
		}
		return w
	}
	for _, tt := range []struct {
		by, victim *nodes.Want
		qos, tier  bool
	}{
		{want(high, 0), want(low, 0), true, false},
		{want(low, 0), want(high, 0), false, false},
		{want(high, 0), want(high, 0), false, false},
		{want(high, 2), want(low, 0), true, true},
		{want(low, 2), want(low, 1), false, false},
		{want(nil, 2), want(low, 0), false, true},
		{want(high, 0), want(low, 2), true, false},
	} {
		for by, may := range map[nodes.PreemptBy]bool{nodes.PreemptByQOS: tt.qos, nodes.PreemptByTier: tt.tier, nodes.NoPreemption: false} {
			c.Preempt.By = by
			if got := f.MayPreempt(tt.by, tt.victim); got != may {
				t.Errorf("by %d, %v in %d preempts %v in %d: %v, want %v", by, tt.by.QOS, tt.by.Part(), tt.victim.QOS, tt.victim.Part(), got, may)
			}
		}
	}
	for _, tt := range []struct {
		by            nodes.PreemptBy
		w             *nodes.Want
		mode          nodes.PreemptMode
		exempt, grace ostrich.Duration
	}{
		{nodes.PreemptByQOS, want(low, 0), nodes.PreemptCancel, 7, 3},
		{nodes.PreemptByQOS, want(mid, 0), nodes.PreemptRequeue, 60, 0},
		{nodes.PreemptByQOS, want(low, 1), nodes.PreemptCancel, 9, 3},
		{nodes.PreemptByQOS, want(nil, 0), nodes.PreemptCancel, 60, 0},
		{nodes.PreemptByTier, want(low, 0), nodes.PreemptRequeue, 7, 5},
		{nodes.PreemptByTier, want(low, 1), nodes.PreemptOff, 9, 0},
	} {
		c.Preempt.By = tt.by
		if m, e, g := f.ModeOf(tt.w), f.ExemptOf(tt.w), f.GraceOf(tt.w); m != tt.mode || e != tt.exempt || g != tt.grace {
			t.Errorf("by %d, %v in %d: mode %d, exempt %d, grace %d, want %d, %d, %d", tt.by, tt.w.QOS, tt.w.Part(), m, e, g, tt.mode, tt.exempt, tt.grace)
		}
	}
}

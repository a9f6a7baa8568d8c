package forecast

import (
	"fmt"
	"math/bits"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/lengths"
	"slurm-ostrich/ostrich/report"
	"slurm-ostrich/ostrich/sim"
	"slurm-ostrich/ostrich/sim/nodes"
)

// gpus is a cluster of some nodes of 4 CPUs and 4000 MiB, each with a GPU.
func gpus(n int) *nodes.Cluster {
	c := &nodes.Cluster{Select: nodes.Select{Memory: true}, DefMemory: nodes.Memory{MiB: 1}}
	for i := range n {
		c.Nodes = append(c.Nodes, nodes.Node{Name: fmt.Sprintf("g%d", i+1), CPUs: 4, Memory: 4000, GRES: []nodes.GRES{{Name: "gpu", Count: 1}}})
	}
	return c
}

// requests of a CPU, of one with a GPU, of one with all memory of a node, and of what no node has.
var requests = []nodes.Request{
	{CPUs: 1},
	{CPUs: 1, GRES: []nodes.GRESRequest{{GRES: nodes.GRES{Name: "gpu", Count: 1}}}},
	{CPUs: 1, Memory: nodes.Memory{MiB: 4000}},
	{CPUs: 1, GRES: []nodes.GRESRequest{{GRES: nodes.GRES{Name: "gpu", Count: 2}}}},
}

// TestNodes: two nodes of a GPU each. Job 1 holds one of them for 100 s more, and job 2 the other for 300 s. Of those that wait, job 3
// asks for a GPU and waits for the first, job 4 for a processor and starts, job 5 for all memory of a node and waits for the second, and
// job 6 for what no node has, for which its processor is taken.
func TestNodes(t *testing.T) {
	asking := func(id ostrich.JobID, request int32, ran, length ostrich.Duration) Job {
		j := fixed(id, ostrich.UserID(id), 1, length, length)
		j.Request, j.Ran = request, ran
		return j
	}
	s := &State{
		Now: 1000, Cluster: gpus(2), Requests: requests, Draws: 4, Workers: 2,
		Running: []Job{asking(1, 2, 10, 110), asking(2, 2, 10, 310)},
		Pending: []Job{asking(3, 2, 0, 500), asking(4, 1, 0, 5), asking(5, 3, 0, 50), asking(6, 4, 0, 5)},
	}
	for _, held := range []bool{false, true} {
		if held { // job 1 on the second node, where the draws would not put it
			load := on(t, s.Cluster, 2)
			s.Running[0].On, s.Running[1].On = load[1], load[0]
		}
		var starts []ostrich.Time
		for _, d := range askAll(t, s) {
			starts = append(starts, d.Starts[0])
		}
		if want := []ostrich.Time{1100, 1000, 1300, 1000}; !slices.Equal(starts, want) {
			t.Errorf("starts %v, want %v, with places known %t", starts, want, held)
		}
	}
	s.Cluster = nil
	s.Procs = 8
	for _, d := range askAll(t, s) {
		if d.Starts[0] != s.Now {
			t.Errorf("on processors a job starts at %d", d.Starts[0])
		}
	}
}

// TestBound: user 1 may have one job at a time, by limits of two kinds. Two run all the same, as the limit is new; their jobs wait for both,
// one after the other, and those that come of them behind these, though there is room. User 2 is under no limit.
func TestBound(t *testing.T) {
	now := 10 * day
	one := &nodes.Association{User: "one", Limits: []nodes.Limit{{Scope: nodes.User, Resource: "jobs", Most: 1}}}
	for name, b := range map[string]Bound{
		"association": {Association: one},
		"QOS":         {QOS: &nodes.QOS{Limits: []nodes.Limit{{Scope: nodes.User, Resource: "cpu", Most: 1}}}, Association: &nodes.Association{User: "one"}},
	} {
		var h Habits
		h.Came(Arrival{At: now - day - 2, User: 7, Procs: 1, Limit: 1, Ran: 1})
		for _, user := range []ostrich.UserID{1, 1, 2} {
			h.Came(Arrival{At: now - day + 10, User: user, Procs: 1, Limit: 50, Ran: 50, Request: 2})
		}
		s := &State{
			Now: now, Cluster: gpus(4), Requests: append(slices.Clone(requests), b.Of(requests[1])), Came: len(requests), Draws: 1, Habits: &h,
			Bound:   map[ostrich.UserID]Bound{1: b},
			Running: []Job{fixed(1, 1, 1, 100, 100), fixed(2, 1, 1, 200, 200)},
			Pending: []Job{fixed(3, 1, 1, 30, 30), fixed(4, 1, 1, 40, 40), fixed(5, 3, 1, 500, 500), fixed(6, 3, 1, 500, 500)},
		}
		for i := range s.Running {
			s.Running[i].Request, s.Pending[i].Request = 5, 5
			s.Pending[2+i].Request = 2
		}
		var starts []ostrich.Time
		for _, d := range askAll(t, s) {
			starts = append(starts, d.Starts[0]-now)
		}
		// Of the GPUs one is free from 100 s on: user 2 takes it, and not the jobs of user 1 that come as early.
		if want := []ostrich.Time{200, 230, 0, 0}; !slices.Equal(starts, want) {
			t.Errorf("%s: starts %v, want %v", name, starts, want)
		}
		d, err := newDrawer(s, s.Pending, []int{3})
		if err != nil {
			t.Fatal(err)
		}
		a := Arrival{User: 1, Procs: 1, Request: 2}
		bound := d.cameWith(&a)
		if r := d.machine.Requests[bound-1]; bound <= int32(len(s.Requests)) || r.Association != b.Association || r.QOS != b.QOS || len(r.GRES) != 1 {
			t.Errorf("%s: a job of user 1 comes with request %d, %+v", name, bound, r)
		}
		if a.User = 2; d.cameWith(&a) != 2 {
			t.Errorf("%s: one of user 2 comes with request %d", name, d.cameWith(&a))
		}
	}
}

// TestManyOnNodes: a pass gives up after many that find no nodes, not after many that start, be it that they run already.
func TestManyOnNodes(t *testing.T) {
	s := &State{Now: 1000, Cluster: gpus(2 * tests), Requests: requests, Came: len(requests), Draws: 1}
	for id := range ostrich.JobID(6 * tests) {
		j := fixed(id+1, 1, 1, 1000, 1000)
		if j.Request = 1; id < 3*tests {
			j.Ran = 10
			s.Running = append(s.Running, j)
		} else {
			s.Pending = append(s.Pending, j)
		}
	}
	for i, d := range askAll(t, s) {
		if d.Starts[0] != s.Now {
			t.Fatalf("job %d starts at %d", i, d.Starts[0])
		}
	}
}

// TestMoreThanNodes: where more runs than the nodes are known to have, processors count.
func TestMoreThanNodes(t *testing.T) {
	s := &State{Now: 1000, Procs: 8, Cluster: gpus(2), Requests: requests, Draws: 1, Running: []Job{fixed(1, 1, 9, 100, 100)}, Pending: []Job{fixed(2, 1, 1, 100, 100)}}
	s.Running[0].Ran = 10
	if d := askAll(t, s); d[0].Starts[0] != 1090 {
		t.Errorf("it starts at %d", d[0].Starts[0])
	}
}

// TestCame: an arrival of a number beyond those of arrivals asks for its processors.
func TestCame(t *testing.T) {
	s := &State{Now: 10 * day, Cluster: gpus(1), Requests: requests, Came: 1, Pending: []Job{fixed(1, 1, 1, 1, 1)}}
	d, err := newDrawer(s, nil, []int{0})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ number, asked, came int32 }{{1, 1, 1}, {2, 2, 0}, {4, 0, 0}, {9, 0, 0}} {
		if asked, came := d.request(test.number), d.cameWith(&Arrival{Procs: 1, Request: test.number}); asked != test.asked || came != test.came {
			t.Errorf("request %d: %d, of an arrival %d", test.number, asked, came)
		}
	}
}

// TestWatchAsksOnNodes: of two jobs that ask for the only GPU the second is not told to start before the first ends, in any of the ways
// that know nodes, and what runs is where it is.
func TestWatchAsksOnNodes(t *testing.T) {
	c := gpus(2)
	c.Nodes[0].GRES = nil
	m := sim.Machine{Cluster: c, Requests: requests, Open: true, Offsets: true, Policy: policies["fairshare"], Backfill: sim.EASY}
	job := func(id ostrich.JobID, at ostrich.Time, request int32) sim.Campaign {
		return sim.NewCampaign(ostrich.UserID(id), at, 0, sim.Job{ID: id, Procs: 1, Run: 1000, Estimate: 1000, Request: request})
	}
	m, w := Over(m, []sim.Campaign{job(1, 1_000_000, 2), job(2, 1_000_100, 2)}, Sampling{})
	if _, err := m.Run([]sim.Campaign{job(1, 1_000_000, 2), job(2, 1_000_100, 2)}); err != nil {
		t.Fatal(err)
	}
	asks, err := w.Asks()
	if err != nil || len(asks) != 1 {
		t.Fatalf("%d questions, %v", len(asks), err)
	}
	a := asks[0]
	if a.Job != 2 || a.Start != 1_001_000 || a.Limits != a.Start || a.Two[0] != a.Start || a.Draws[0] <= a.At {
		t.Errorf("%+v", a)
	}
	f := &watched{job: ostrich.Job{ID: 1, User: 1, Procs: 1, Estimate: 1000, Start: 5}, at: 0, on: &nodes.Allocation{Nodes: []int32{1}}}
	if j := w.known(f, 10); j.On != f.on || j.Request != 2 {
		t.Errorf("what runs: %+v", j)
	}
	if came := w.habits.between(0, 2_000_000); len(came) != 2 || came[0].Request != 2 {
		t.Errorf("arrivals %+v", came)
	}
}

// on returns what so many jobs with a GPU have of a cluster.
func on(t *testing.T, c *nodes.Cluster, n int) (all []*nodes.Allocation) {
	m := sim.Machine{Cluster: c, Requests: requests, Placed: func(_ int, _ ostrich.Time, a *nodes.Allocation) { all = append(all, a) }}
	jobs := make([]sim.Job, n)
	for i := range jobs {
		jobs[i] = sim.Job{ID: ostrich.JobID(i + 1), Procs: 1, Run: 1, Estimate: 1, Request: 2}
	}
	if _, err := m.Replay(jobs); err != nil {
		t.Fatal(err)
	}
	return all
}

// TestBack: a node that has been out for long is away for as long again, one that has just gone for an hour; one that was out earlier, or
// will be, is there.
func TestBack(t *testing.T) {
	c := gpus(3)
	c.Outages = []nodes.Outage{{Node: 0, From: 1000}, {Node: 1, From: 9000, To: 9999}, {Node: 2, From: 100, To: 200}, {Node: 2, From: 9500}}
	s := siteOf(&sim.Machine{Cluster: c})
	if got, want := s.clusterAt(9400).Outages, []nodes.Outage{{Node: 0, From: 1000, To: 17800}, {Node: 1, From: 9000, To: 13000}}; !slices.Equal(got, want) {
		t.Errorf("outages %v, want %v", got, want)
	}
}

// TestWatchOnNodes: on nodes, too, the schedule is that without the watch, also under Slurm's schedulers, which look at jobs at other
// moments.
func TestWatchOnNodes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := sim.Machine{Cluster: gpus(3), Requests: requests, Open: true, Offsets: true, Policy: policies["fairshare"], Backfill: sim.EASY}
		if rapid.Bool().Draw(t, "outage") {
			m.Cluster.Outages = []nodes.Outage{{Node: 1, From: 1_000_500, To: 1_009_000}}
		}
		if rapid.Bool().Draw(t, "slurm") {
			m.Backfill = sim.Slurm
		}
		var campaigns []sim.Campaign
		at := ostrich.Time(1_000_000)
		for i := range rapid.IntRange(1, 40).Draw(t, "jobs") {
			at += ostrich.Time(rapid.IntRange(0, 500).Draw(t, "after"))
			limit := ostrich.Duration(rapid.IntRange(1, 5000).Draw(t, "limit"))
			campaigns = append(campaigns, sim.NewCampaign(ostrich.UserID(rapid.IntRange(1, 3).Draw(t, "user")), at, 0, sim.Job{
				ID: ostrich.JobID(i + 1), Procs: 1, Estimate: limit, Run: ostrich.Duration(rapid.IntRange(1, int(limit)).Draw(t, "run")),
				Request: rapid.Int32Range(1, 3).Draw(t, "request"),
			}))
		}
		without, err := m.Run(campaigns)
		if err != nil {
			t.Fatal(err)
		}
		watched, w := Over(m, campaigns, Sampling{AtOne: 2})
		with, err := watched.Run(campaigns)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.EqualFunc(with, without, func(a, b report.Job) bool { return a == b }) {
			t.Fatalf("%v with a watch, %v without", with, without)
		}
		asks, err := w.Asks()
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range asks {
			if a.Start < a.At || a.Odds[0] < a.At || a.Odds[2] < a.Odds[0] {
				t.Errorf("asked at %d: %+v", a.At, a)
			}
		}
	})
}

// BenchmarkAsk asks a queue of 20 000 jobs, on processors and on nodes of 8, a quarter of which have 4 GPUs; so many jobs ask for one.
func BenchmarkAsk(b *testing.B) {
	for _, on := range []string{"processors", "nodes"} {
		b.Run(on, func(b *testing.B) { benchmarkAsk(b, on == "nodes") })
	}
}

func benchmarkAsk(b *testing.B, onNodes bool) {
	s := &State{Now: 100 * day, Procs: 2000, Habits: new(Habits), Seed: 1}
	var past lengths.Spreads
	next := uint64(1)
	if onNodes {
		s.Cluster = &nodes.Cluster{Select: nodes.Select{Memory: true}}
		for i := range 250 {
			n := nodes.Node{Name: fmt.Sprintf("n%d", i+1), CPUs: 8, Memory: 64_000}
			if i%4 == 0 {
				n.GRES = []nodes.GRES{{Name: "gpu", Count: 4}}
			}
			s.Cluster.Nodes = append(s.Cluster.Nodes, n)
		}
		for gpus := range int64(4) { // of each, by the number of processors
			for power := range 6 {
				r := nodes.Request{CPUs: 1 << power, Memory: nodes.Memory{MiB: 1000 << gpus, PerCPU: true}}
				if gpus == 3 {
					r.GRES = []nodes.GRESRequest{{GRES: nodes.GRES{Name: "gpu", Count: 1}}}
				}
				s.Requests = append(s.Requests, r)
			}
		}
	}
	random := func(n int) int {
		next = next*6364136223846793005 + 1442695040888963407
		return int(next>>33) % n
	}
	job := func(id int) Job {
		r := &lengths.Request{Limit: ostrich.Duration(1+random(24)) * 3600, Procs: 1 << random(6)}
		u := ostrich.UserID(random(100))
		past.Learn(u, r, ostrich.Duration(random(int(r.Limit))))
		request := int32(1 + random(4)*6 + bits.Len(uint(r.Procs)) - 1)
		if !onNodes {
			request = 0
		}
		return Job{Request: request, ID: ostrich.JobID(id), User: u, Procs: r.Procs, Limit: r.Limit, Spread: past.Of(u, r)}
	}
	for i := range 28 * 2000 {
		j := job(i)
		s.Habits.Came(Arrival{At: s.Now - 28*day + ostrich.Time(i)*43, User: j.User, Procs: j.Procs, Limit: j.Limit, Ran: j.Limit / 3, Place: 0.5, Request: j.Request})
	}
	for busy := 0; busy < 1500; {
		j := job(len(s.Running))
		s.Running, busy = append(s.Running, j), busy+j.Procs
	}
	for len(s.Pending) < 20_000 {
		s.Pending = append(s.Pending, job(100_000+len(s.Pending)))
	}
	for _, place := range []int{0, 1000, 19_999} {
		b.Run(map[int]string{0: "first", 1000: "thousandth", 19_999: "last"}[place], func(b *testing.B) {
			for b.Loop() {
				if _, err := s.Ask([]int{place}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

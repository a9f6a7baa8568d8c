package statuspage

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"slurm-ostrich/cmd/internal/configuration"
	"slurm-ostrich/cmd/internal/foresight"
	"slurm-ostrich/cmd/internal/live"
	"slurm-ostrich/cmd/internal/sidecar"
	"slurm-ostrich/cmd/internal/statuspage/statuspagetest"
	"slurm-ostrich/cmd/internal/view"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/priority"
)

// cycle is the first cycle of a cluster, with what the comparison finds in it.
func cycle(tb testing.TB, cluster *statuspagetest.Cluster, change ...func(*configuration.Config)) (*sidecar.Sidecar, *sidecar.Cycle, *live.Report) {
	tb.Helper()
	config := configuration.Default()
	for _, f := range change {
		f(&config)
	}
	s, err := cluster.Sidecar(config)
	if err != nil {
		tb.Fatal(err)
	}
	c, err := s.Run(tb.Context(), false)
	if err != nil {
		tb.Fatal(err)
	}
	compared := live.New()
	compared.Observe(c, s)
	return s, c, compared.Report()
}

// foresees gives a cycle a foresight that has learned nothing, and a partition to ask about.
func foresees(c *view.Cycle) *view.Cycle {
	c.Foresight, c.Partitions = foresight.New(), []priority.Partition{{Name: "main", Default: true, MaxTime: 86_400, TotalCPUs: 8}}
	c.Foresight.Begin(c.Cluster, nil)
	return c
}

// taken is a snapshot of a cluster.
func taken(tb testing.TB, users, pending int) *Snapshot {
	tb.Helper()
	s, c, report := cycle(tb, statuspagetest.New(users, pending))
	now := time.Unix(int64(statuspagetest.Now), 0)
	return New(foresees(view.Describe(s, c, nil)), report).With(&Daemon{Health: Health{
		Version: "v1", Mode: "observe", Channel: "sitefactor", PriorityMode: "strict", Interval: 10,
		Started: Unix(now.Add(-time.Hour)), LastSuccess: Unix(now), Took: 1,
	}}, now)
}

// everything is all that a snapshot tells, as text.
func everything(tb testing.TB, s *Snapshot) string {
	tb.Helper()
	text, err := json.Marshal([]any{s, s.queued(Query{}, 0)})
	if err != nil {
		tb.Fatal(err)
	}
	for _, job := range []string{"1", "40", "60"} {
		e, err := s.explain(tb.Context(), job)
		text = fmt.Appendf(text, "%+v %v", e.Jobs, err)
	}
	return string(text)
}

// A snapshot stays as it is while cycles go on, and the same state gives the
// same one.
func TestSnapshotStays(t *testing.T) {
	cluster := statuspagetest.New(7, 200)
	s, c, report := cycle(t, cluster)
	described := view.Describe(s, c, nil)
	first := everything(t, New(described, report))
	cluster.Busy = true
	for range 30 {
		if _, err := s.Run(t.Context(), true); err != nil {
			t.Fatal(err)
		}
	}
	if again := everything(t, New(described, report)); again != first {
		t.Errorf("it was\n%s\nand is\n%s", first, again)
	}
	c, err := s.Run(t.Context(), false)
	if err != nil {
		t.Fatal(err)
	}
	if later := everything(t, New(view.Describe(s, c, described), report)); later == first {
		t.Error("nothing has changed in 30 cycles")
	}
}

// A pool's pending jobs are those that are ordered, which is fewer than wait in
// its campaigns where some are left alone.
func TestPendingOfPools(t *testing.T) {
	s, c, report := cycle(t, statuspagetest.New(5, 600), func(config *configuration.Config) { config.Exclude.Users = []string{"user001"} })
	got := New(view.Describe(s, c, nil), report).Pools[0].Pending
	if got != c.Plan.Summary.Managed || got == 0 || got >= 600 {
		t.Errorf("%d pending, %d ordered", got, c.Plan.Summary.Managed)
	}
}

// A job moves among the ordered jobs of its pool: neither those of another pool
// in front of it in Slurm's order count, nor those that are left alone.
func TestMoved(t *testing.T) {
	entry := func(pool string, id ostrich.JobID, rank, slurm int) *priority.Entry {
		return &priority.Entry{Queued: &priority.Queued{Job: id}, Rank: rank, SlurmRank: slurm, Pool: pool}
	}
	s := New(planned(sidecar.Plan{Entries: []*priority.Entry{
		entry("cpu", 1, 1, 5), entry("cpu", 2, 2, 1), entry("cpu", 3, 3, 3), entry("cpu", 4, 0, 2),
		entry("gpu", 5, 1, 4), entry("gpu", 6, 2, 6),
	}}), nil)
	b := builder{s: s}
	var got []string
	for _, row := range b.queue().Rows {
		got = append(got, row.Job+row.Who.ID+" "+row.Moved)
	}
	if d := cmp.Diff([]string{"job%2F1 +2", "job%2F2 −1", "job%2F3 −1", "job%2F4 –", "job%2F5 0", "job%2F6 0"}, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	b.query.Job = "3"
	if rows := b.queue().Rows; len(rows) != 1 || rows[0].Moved != "−1" {
		t.Errorf("one job: %+v", rows)
	}
}

// A pending job is shown with until when users accept to wait, which is marked once it
// has passed.
func TestDue(t *testing.T) {
	s := taken(t, 3, 8)
	now := s.cycle.Time
	b := builder{s: s, clock: clock{time.Unix(int64(now), 0)}}
	due := 0
	for i, row := range b.queue().Rows {
		j := s.queued(Query{}, 0).Jobs[i]
		switch {
		case j.Due == nil:
			if row.Due.Absolute != "–" || row.PastDue {
				t.Errorf("job %d without a due date: %+v", j.JobID, row.Due)
			}
			continue
		case row.Due != b.clock.at(float64(*j.Due)) || row.PastDue != (*j.Due < now):
			t.Errorf("job %d, due at %d: %+v, past: %t", j.JobID, *j.Due, row.Due, row.PastDue)
		}
		due++
		s.cycle.Time = *j.Due + 1
		if !b.queued(&j).PastDue {
			t.Errorf("job %d is not past its due date a second later", j.JobID)
		}
		s.cycle.Time = *j.Due
		if b.queued(&j).PastDue {
			t.Errorf("job %d is past its due date in the last second", j.JobID)
		}
	}
	if due == 0 {
		t.Error("no job has a due date")
	}
}

// The parts of a snapshot add up and agree with one another.
func TestSnapshot(t *testing.T) {
	s := taken(t, 5, 600)
	p := s.Pools[0]
	if p.Procs != 40 || p.Busy != 40 || p.Active != 5 || p.Pending != 600 || p.Campaigns != len(s.Campaigns) {
		t.Errorf("pool: %+v with %d campaigns", p, len(s.Campaigns))
	}
	blocks, procs, jobs := 0, 0, view.Jobs{}
	for i, lane := range s.Lanes {
		blocks += len(lane.Blocks)
		if colour := s.number(lane.User); s.Users[colour] != lane.User {
			t.Errorf("%s has the colour of %s", lane.User, s.Users[colour])
		}
		if i > 0 && *lane.Blocks[0].End < *s.Lanes[i-1].Blocks[0].End {
			t.Errorf("%s comes behind %s, who ends later", lane.User, s.Lanes[i-1].User)
		}
		for k := 1; k < len(lane.Blocks); k++ {
			// One that has begun may have been interrupted, see ostrich.Late.
			if start := *lane.Blocks[k].Start; start > float64(statuspagetest.Now) && start < *lane.Blocks[k-1].End-1 {
				t.Errorf("%s: block %d begins before the end of the one before", lane.User, k)
			}
		}
		if s.Running[i].User != lane.User {
			t.Errorf("lane %d is %s's, and what runs %s's", i, lane.User, s.Running[i].User)
		}
	}
	for _, r := range s.Running {
		procs += int(r.Procs)
	}
	unfinished := 0
	for _, c := range s.Campaigns {
		jobs.Pending, jobs.Running, jobs.Done = jobs.Pending+c.Jobs.Pending, jobs.Running+c.Jobs.Running, jobs.Done+c.Jobs.Done
		if !c.Completed {
			unfinished++
		}
		if *c.Share != 0.2 || c.Done < 0 || c.Done > c.Work {
			t.Errorf("campaign %d: share %v, %v of %v done", c.Campaign, c.Share, c.Done, c.Work)
		}
	}
	if blocks != unfinished || s.Left != (Left{}) {
		t.Errorf("%d blocks of %d campaigns, left out %+v", blocks, unfinished, s.Left)
	}
	if float64(procs) != p.Busy || jobs != (view.Jobs{Pending: 600, Running: 10}) {
		t.Errorf("%d processors run, jobs %+v", procs, jobs)
	}
	held := 0.0
	for _, one := range s.Shares {
		held += one.HeldShare
	}
	if math.Abs(held-1) > 1e-9 {
		t.Errorf("users hold %v of the pool", held)
	}
	q := s.queued(Query{}, MostQueued)
	if len(q.Jobs) != MostQueued || q.More != 100 || *q.Jobs[499].Rank != 500 {
		t.Errorf("%d jobs of the queue, %d more", len(q.Jobs), q.More)
	}
}

// What a drawing leaves out is counted.
func TestBounds(t *testing.T) {
	const users, pending = mostLanes + 200, 120_000
	s := taken(t, users, pending)
	if len(s.Lanes) != mostLanes || s.Left.Lanes != users-mostLanes {
		t.Errorf("%d lanes, %d left out", len(s.Lanes), s.Left.Lanes)
	}
	blocks, work := s.Left.Blocks, s.Left.Work
	drawn, more := 0, 0
	for _, lane := range s.Lanes {
		drawn += len(lane.Blocks)
		more += lane.More
		for _, b := range lane.Blocks {
			work += b.Work
		}
	}
	all, total := 0, 0.0
	for _, c := range s.Campaigns {
		if !c.Completed {
			all++
			total += c.Work
		}
	}
	if drawn > mostBlocks || drawn+blocks != all || more > blocks || math.Abs(work-total) > 1e-6*total {
		t.Errorf("%d blocks and %d left out of %d; %v core-hours of %v", drawn, blocks, all, work, total)
	}
}

// campaign is one of a core-hour, of a user's.
func campaign(of *view.User, lead int, start, end float64) *view.Campaign {
	return &view.Campaign{Campaign: ostrich.JobID(lead), User: of.User, Work: 1, VirtualStart: &start, VirtualEnd: &end, Of: of}
}

// A user with many campaigns has a bounded number of blocks.
func TestLongLane(t *testing.T) {
	cycle := &view.Cycle{Time: 1000, Pools: []view.Pool{{Procs: 10, Users: []view.User{{Active: true, Share: 1}}}}}
	u := &cycle.Pools[0].Users[0]
	for i := range 120 {
		u.Campaigns = append(u.Campaigns, campaign(u, i+1, float64(1000+i), float64(1001+i)))
	}
	s := New(cycle, nil)
	lane := s.Lanes[0]
	if len(lane.Blocks) != mostInLane || lane.More != 120-mostInLane || lane.Work != 70 || lane.Blocks[49].Campaign != 50 {
		t.Errorf("%d blocks, %d more with %v core-hours", len(lane.Blocks), lane.More, lane.Work)
	}
	if s.Left != (Left{Blocks: 70, Work: 70}) {
		t.Errorf("left out: %+v", s.Left)
	}
}

// Pool after pool, who completes a campaign first comes first, then the smaller
// name; who only runs comes last, and who has nothing not at all.
func TestLaneOrder(t *testing.T) {
	pool := func(name string, users ...string) view.Pool {
		p := view.Pool{Pool: ostrich.Pool{Name: name}, Procs: 10, Users: make([]view.User, len(users))}
		for i := range users {
			u := &p.Users[i]
			u.User = users[i]
			if end := []float64{3000, 2000, 2000}; i < len(end) {
				u.Campaigns = append(u.Campaigns, campaign(u, i+1, 1000, end[i]))
			}
		}
		return p
	}
	cpu, gpu := pool("cpu", "u1", "u2", "u3", "u4", "u5"), pool("gpu", "u5", "u4", "u3")
	cpu.Users[3].Held = 2
	gpu.Users[1].Campaigns[0].Completed, gpu.Users[1].Campaigns[0].Jobs.Running = true, 2
	s := New(&view.Cycle{Time: 1000, Pools: []view.Pool{cpu, gpu}}, nil)
	var got []string
	for _, lane := range s.Lanes {
		got = append(got, fmt.Sprintf("%s %s %d", lane.Pool, lane.User, len(lane.Blocks)))
	}
	if d := cmp.Diff([]string{"cpu u2 1", "cpu u3 1", "cpu u1 1", "cpu u4 0", "gpu u3 1", "gpu u5 1", "gpu u4 0"}, got); d != "" {
		t.Errorf("lanes (-want +got):\n%s", d)
	}
	if d := cmp.Diff([]Running{{Pool: "cpu", User: "u4", Procs: 2}, {Pool: "gpu", User: "u4", Jobs: 2}}, s.Running); d != "" {
		t.Errorf("what runs (-want +got):\n%s", d)
	}
}

// BenchmarkSnapshot is the cost of the page: describe is what the daemon's loop waits
// for, unchanged the same if nothing has happened, and snapshot is what a request does
// besides. The page and the list of all jobs come on top.
func BenchmarkSnapshot(b *testing.B) {
	for _, pending := range []int{20_000, 100_000} {
		s, _, report := cycle(b, statuspagetest.New(300, pending))
		c, err := s.Run(b.Context(), false)
		if err != nil {
			b.Fatal(err)
		}
		unread := *c
		b.Run(fmt.Sprintf("describe-%d", pending), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				again := unread
				view.Describe(s, &again, nil)
			}
		})
		described := view.Describe(s, c, nil)
		b.Run(fmt.Sprintf("unchanged-%d", pending), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				again := unread
				view.Describe(s, &again, described)
			}
		})
		b.Run(fmt.Sprintf("snapshot-%d", pending), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				New(described, report)
			}
		})
		snapshot := New(described, report)
		b.Run(fmt.Sprintf("queue-%d", pending), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				snapshot.queued(Query{}, 0)
			}
		})
		b.Run(fmt.Sprintf("explain-%d", pending), func(b *testing.B) {
			for b.Loop() {
				if _, err := snapshot.explain(b.Context(), strconv.Itoa(len(c.Plan.Entries))); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// A description that takes over what the one before knew says the same as one made anew.
func TestDescribedAgain(t *testing.T) {
	cluster := statuspagetest.New(7, 200)
	s, c, report := cycle(t, cluster)
	described := view.Describe(s, c, nil)
	for n := range 12 {
		cluster.Busy = n%4 == 3
		c, err := s.Run(t.Context(), n%3 == 1)
		if err != nil {
			t.Fatal(err)
		}
		described = view.Describe(s, c, described)
		if got, want := everything(t, New(described, report)), everything(t, New(view.Describe(s, c, nil), report)); got != want {
			t.Errorf("cycle %d: it says\n%s\nand made anew\n%s", n, got, want)
		}
	}
}

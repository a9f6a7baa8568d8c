package sim_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/sim"
)

// A plainReplay does at every second in which something happens what the
// package comment says, and keeps nothing that it can find anew.
type plainReplay struct {
	sim.Machine
	now              ostrich.Time
	free             int
	waiting, running []*plainJob
	late             bool // at the last pass
}

type plainJob struct {
	sim.Job
	number               int
	start                ostrich.Time // of the reservation, while it waits
	first                ostrich.Time // reservation that was promised
	running, ended, held bool         // held: it has a reservation
}

func (j *plainJob) expected() ostrich.Time { return j.start + ostrich.Time(j.Estimate) }

// late tells whether a job runs that should have ended.
func (r *plainReplay) overdue() bool {
	return slices.ContainsFunc(r.running, func(j *plainJob) bool { return j.expected() <= r.now })
}

func (r *plainReplay) replay(t rapid.TB, jobs []sim.Job) []ostrich.Time {
	r.free = r.Procs
	list := make([]*plainJob, len(jobs))
	for i, j := range jobs {
		if r.Kill {
			j.Run = min(j.Run, j.Estimate)
		}
		list[i] = &plainJob{Job: j, number: i}
	}
	for r.now = jobs[0].Submit; slices.ContainsFunc(list, func(j *plainJob) bool { return !j.ended }); r.now++ {
		if r.now > 100_000 {
			t.Fatal("never done")
		}
		var ends, comes []*plainJob
		due := false
		for _, j := range list {
			switch {
			case j.running && j.start+ostrich.Time(j.Run) == r.now:
				ends = append(ends, j)
			case j.Submit == r.now:
				comes = append(comes, j)
			case j.held && j.start == r.now:
				due = true
			}
		}
		end := func(j *plainJob) {
			j.running, j.ended = false, true
			r.free += j.Procs
			r.running = slices.DeleteFunc(r.running, func(o *plainJob) bool { return o == j })
		}
		come := func(j *plainJob) {
			r.waiting = append(r.waiting, j)
			slices.SortFunc(r.waiting, func(a, b *plainJob) int {
				if r.Order.Compare != nil {
					if c := r.Order.Compare(&a.Job, &b.Job); c != 0 {
						return c
					}
				}
				return a.number - b.number
			})
		}
		if r.EventOrder == sim.PerEvent {
			for _, j := range comes {
				come(j)
				r.pass()
			}
			for _, j := range ends {
				end(j)
				r.pass()
			}
			continue
		}
		if len(ends)+len(comes) == 0 && !due {
			continue
		}
		early := slices.ContainsFunc(ends, func(j *plainJob) bool { return j.expected() > r.now })
		for _, j := range ends {
			end(j)
		}
		for _, j := range comes {
			come(j)
		}
		if r.Backfill == sim.Conservative {
			r.conservative(t, early)
		} else {
			r.pass()
		}
	}
	starts := make([]ostrich.Time, len(jobs))
	for i, j := range list {
		starts[i] = j.start
	}
	return starts
}

func (r *plainReplay) begin(j *plainJob) {
	j.start, j.running, j.held = r.now, true, false
	r.free -= j.Procs
	r.running = append(r.running, j)
	r.waiting = slices.DeleteFunc(slices.Clone(r.waiting), func(o *plainJob) bool { return o == j })
}

// pass of all kinds of backfilling but the conservative one.
func (r *plainReplay) pass() {
	available := r.free
	if r.EventOrder == sim.PerEvent {
		for _, j := range r.running {
			if j.expected() == r.now && j.Run <= j.Estimate {
				available += j.Procs
			}
		}
	}
	for len(r.waiting) > 0 && r.waiting[0].Procs <= available {
		available -= r.waiting[0].Procs
		r.begin(r.waiting[0])
	}
	if len(r.waiting) == 0 || r.Backfill == sim.None {
		return
	}
	extra, shadow := available, r.now
	if r.Backfill == sim.EASY {
		for ; ; shadow++ {
			extra = r.free - r.waiting[0].Procs
			for _, j := range r.running {
				if j.expected() <= shadow {
					extra += j.Procs
				}
			}
			if extra >= 0 {
				break
			}
		}
	}
	for _, j := range r.waiting[1:] {
		fits := r.now+ostrich.Time(j.Estimate) <= shadow
		if j.Procs > available || !fits && j.Procs > extra {
			continue
		}
		available -= j.Procs
		if !fits {
			extra -= j.Procs
		}
		r.begin(j)
	}
}

// fits tells whether a job could run from a moment on beside the running jobs
// and the reservations of others.
func (r *plainReplay) fits(job *plainJob, at ostrich.Time) bool {
	for s := at; s < at+ostrich.Time(job.Estimate); s++ {
		busy := 0
		for _, j := range r.running {
			if s < max(j.expected(), r.now+1) {
				busy += j.Procs
			}
		}
		for _, j := range r.waiting {
			if j.held && j != job && j.start <= s && s < j.expected() {
				busy += j.Procs
			}
		}
		if busy+job.Procs > r.Procs {
			return false
		}
	}
	return true
}

func (r *plainReplay) conservative(t rapid.TB, early bool) {
	late := r.overdue()
	anew := late || r.late
	for _, j := range r.waiting {
		if anew {
			j.held, j.first = false, math.MaxInt64
		}
	}
	for _, j := range slices.Clone(r.waiting) {
		if j.held && early || anew { // then those that have just come
			for j.start = r.now; !r.fits(j, j.start); {
				j.start++
			}
			j.held = true
		}
	}
	for _, j := range r.waiting {
		if !j.held {
			for j.start = r.now; !r.fits(j, j.start); {
				j.start++
			}
			j.held, j.first = true, j.start
		}
	}
	for _, j := range slices.Clone(r.waiting) {
		if !anew && j.start > j.first {
			t.Fatalf("job %d is to start at %d, and was promised to at %d", j.number, j.start, j.first)
		}
		if j.start == r.now {
			r.begin(j)
		}
		if late {
			j.held = false
		}
	}
	r.late = late
	if r.free < 0 {
		t.Fatal("more processors are busy than there are")
	}
}

var everyOrder = []sim.Order{sim.FCFS, sim.SPT, sim.LPT, sim.LJF}

// drawJobs draws jobs for a machine, up to so much longer than their estimates.
func drawJobs(t *rapid.T, m, wide, beyond int) []sim.Job {
	var jobs []sim.Job
	at := ostrich.Time(rapid.IntRange(-9, 3).Draw(t, "first"))
	for i := range rapid.IntRange(1, 24).Draw(t, "jobs") {
		at += ostrich.Time(rapid.SampledFrom([]int{0, 0, 1, 1, 2, 5, 20}).Draw(t, "gap"))
		estimate := rapid.IntRange(1, 20).Draw(t, "estimate")
		jobs = append(jobs, sim.Job{
			ID: ostrich.JobID(i + 1), Submit: at, Procs: rapid.IntRange(wide, m).Draw(t, "procs"),
			Estimate: ostrich.Duration(estimate), Run: ostrich.Duration(rapid.IntRange(1, estimate+beyond).Draw(t, "run")),
		})
	}
	return jobs
}

func mustReplay(t rapid.TB, m sim.Machine, jobs []sim.Job) []ostrich.Time {
	t.Helper()
	starts, err := m.Replay(jobs)
	if err != nil {
		t.Fatal(err)
	}
	return starts
}

// TestReplayOracle compares every kind of replay with the plain one.
func TestReplayOracle(t *testing.T) {
	for b, name := range sim.BackfillNames[:sim.Slurm] {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				m := sim.Machine{
					Procs: rapid.IntRange(1, 6).Draw(t, "m"), Order: rapid.SampledFrom(everyOrder).Draw(t, "order"),
					Backfill: sim.Backfill(b), Kill: rapid.Bool().Draw(t, "kill"),
				}
				if m.Backfill != sim.Conservative {
					m.EventOrder = rapid.SampledFrom([]sim.EventOrder{sim.Batched, sim.PerEvent}).Draw(t, "event order")
				}
				jobs := drawJobs(t, m.Procs, 1, rapid.SampledFrom([]int{0, 0, 15}).Draw(t, "beyond"))
				want := (&plainReplay{Machine: m}).replay(t, jobs)
				if diff := gocmp.Diff(want, mustReplay(t, m, jobs)); diff != "" {
					t.Fatalf("plain - replay +\n%s", diff)
				}
			})
		})
	}
}

// TestReplaySame: where no job can jump, whoever may, the starts are the same;
// and killed jobs are as good as shorter ones.
func TestReplaySame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := sim.Machine{Procs: rapid.IntRange(1, 6).Draw(t, "m")}
		wide := m.Procs
		if rapid.Bool().Draw(t, "sequential") {
			wide = 1
		}
		jobs := drawJobs(t, wide, wide, 0)
		want := mustReplay(t, m, jobs)
		for b, name := range sim.BackfillNames[:sim.Slurm] {
			m.Backfill = sim.Backfill(b)
			if diff := gocmp.Diff(want, mustReplay(t, m, jobs)); diff != "" {
				t.Fatalf("%s: -none +%s\n%s", name, name, diff)
			}
		}
		m.Kill = true
		jobs = drawJobs(t, m.Procs, 1, 15)
		got := mustReplay(t, m, jobs)
		for i := range jobs {
			if jobs[i].Run = min(jobs[i].Run, jobs[i].Estimate); m.Length(&jobs[i]) != jobs[i].Run {
				t.Fatalf("job %d runs for %d s", i+1, m.Length(&jobs[i]))
			}
		}
		m.Kill = false
		if diff := gocmp.Diff(mustReplay(t, m, jobs), got); diff != "" {
			t.Fatal("shorter - killed +\n", diff)
		}
	})
}

// TestReplayCampaigns: a log is the same as campaigns of one job each in an open
// loop, by any order and policy.
func TestReplayCampaigns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := sim.Machine{
			Procs: rapid.IntRange(1, 6).Draw(t, "m"), Order: rapid.SampledFrom(everyOrder).Draw(t, "order"),
			Backfill: rapid.SampledFrom([]sim.Backfill{sim.None, sim.EASY, sim.Greedy, sim.Slurm}).Draw(t, "backfill"),
			Kill:     rapid.Bool().Draw(t, "kill"),
		}
		if m.Backfill != sim.Slurm {
			m.EventOrder = rapid.SampledFrom([]sim.EventOrder{sim.Batched, sim.PerEvent}).Draw(t, "event order")
		}
		jobs := drawJobs(t, m.Procs, 1, rapid.SampledFrom([]int{0, 0, 15}).Draw(t, "beyond"))
		campaigns := make([]sim.Campaign, len(jobs))
		for i := range jobs {
			j := &jobs[i]
			j.ID = ostrich.JobID(i + 1)
			campaigns[i] = sim.NewCampaign(j.User, j.Submit, 0, sim.Job{ID: j.ID, Procs: j.Procs, Run: j.Run, Estimate: j.Estimate})
		}
		got := mustReplay(t, m, jobs)
		m.Open = true
		if diff := gocmp.Diff(starts(mustRun(t, m, campaigns)), got); diff != "" {
			t.Fatal("starts: campaigns - log +\n", diff)
		}
		m.Order, m.EventOrder = sim.FCFS, sim.Batched
		got = mustReplay(t, m, jobs)
		m.Policy = sim.FCFSCampaigns
		if diff := gocmp.Diff(mustReplay(t, m, jobs), got); diff != "" {
			t.Fatal("starts: ranked - in the order of arrival +\n", diff)
		}
	})
}

// TestReplayDeep: the starts are the same in a queue so deep that it slides.
func TestReplayDeep(t *testing.T) {
	var jobs []sim.Job
	for i := range 2000 {
		jobs = append(jobs, sim.Job{Submit: ostrich.Time(i / 2), Procs: 1 + i*7%5, Run: 1 + ostrich.Duration(i*11%6), Estimate: 6})
	}
	for b, name := range sim.BackfillNames[:sim.Slurm] {
		m := sim.Machine{Procs: 6, Backfill: sim.Backfill(b)}
		got := mustReplay(t, m, jobs)
		m.Order = sim.Order{Name: "arrival", Compare: func(*sim.Job, *sim.Job) int { return 0 }} // in a tree of all jobs
		if diff := gocmp.Diff(mustReplay(t, m, jobs), got); diff != "" {
			t.Errorf("%s: whole - sliding +\n%s", name, diff)
		}
	}
}

// TestConservative: a job may not start ahead of one that it would delay, which
// EASY lets it if that one is not the head; and the reservations move up when a
// job ends early.
func TestConservative(t *testing.T) {
	jobs := []sim.Job{
		{ID: 1, Submit: 0, Procs: 3, Run: 10, Estimate: 10},
		{ID: 2, Submit: 1, Procs: 4, Run: 10, Estimate: 10}, // from 10 to 20
		{ID: 3, Submit: 2, Procs: 3, Run: 10, Estimate: 10}, // from 20 to 30
		{ID: 4, Submit: 3, Procs: 1, Run: 7, Estimate: 7},   // fits in front of 2
		{ID: 5, Submit: 11, Procs: 2, Run: 10, Estimate: 10},
	}
	m := sim.Machine{Procs: 4, Backfill: sim.Conservative}
	if diff := gocmp.Diff([]ostrich.Time{0, 10, 20, 3, 30}, mustReplay(t, m, jobs)); diff != "" {
		t.Error("-want +got\n", diff)
	}
	jobs[1].Run = 3 // ends at 13
	if diff := gocmp.Diff([]ostrich.Time{0, 10, 13, 3, 23}, mustReplay(t, m, jobs)); diff != "" {
		t.Error("-want +got\n", diff)
	}
	jobs = []sim.Job{
		{ID: 1, Submit: 0, Procs: 3, Run: 10, Estimate: 10},
		{ID: 2, Submit: 1, Procs: 3, Run: 10, Estimate: 10}, // from 10 to 20
		{ID: 3, Submit: 2, Procs: 4, Run: 10, Estimate: 10}, // from 20 to 30
		{ID: 4, Submit: 3, Procs: 1, Run: 25, Estimate: 25}, // room beside 2, not beside 3
	}
	for b, want := range map[sim.Backfill][]ostrich.Time{
		sim.EASY: {0, 10, 28, 3}, sim.Conservative: {0, 10, 20, 30},
	} {
		m.Backfill = b
		if diff := gocmp.Diff(want, mustReplay(t, m, jobs)); diff != "" {
			t.Errorf("%s: -want +got\n%s", sim.BackfillNames[b], diff)
		}
	}
}

// TestOverdue: jobs that outlive their estimates run on, and are expected to
// end at any moment; under Kill they end at it.
func TestOverdue(t *testing.T) {
	jobs := []sim.Job{
		{ID: 1, Submit: 0, Procs: 2, Run: 20, Estimate: 5},
		{ID: 2, Submit: 0, Procs: 2, Run: 20, Estimate: 6},
		{ID: 3, Submit: 1, Procs: 4, Run: 9, Estimate: 9},   // expected to start at 5
		{ID: 4, Submit: 4, Procs: 1, Run: 9, Estimate: 9},   // would take room from 3 then
		{ID: 5, Submit: 10, Procs: 1, Run: 9, Estimate: 9},  // takes one processor of those that 3 leaves if 1 and 2 end now
		{ID: 6, Submit: 20, Procs: 1, Run: 10, Estimate: 1}, // as late as the last one
	}
	for _, tt := range []struct {
		m    sim.Machine
		want []ostrich.Time
	}{
		{sim.Machine{}, []ostrich.Time{0, 0, 20, 20, 20, 29}},
		{sim.Machine{Backfill: sim.EASY}, []ostrich.Time{0, 0, 20, 10, 10, 20}},
		{sim.Machine{Backfill: sim.Conservative}, []ostrich.Time{0, 0, 20, 5, 10, 20}},
		{sim.Machine{Kill: true}, []ostrich.Time{0, 0, 5, 6, 10, 20}},
		{sim.Machine{Kill: true, Backfill: sim.Conservative}, []ostrich.Time{0, 0, 5, 6, 10, 20}},
	} {
		tt.m.Procs = 6
		if diff := gocmp.Diff(tt.want, mustReplay(t, tt.m, jobs)); diff != "" {
			t.Errorf("%+v: -want +got\n%s", tt.m, diff)
		}
	}
}

// TestOverdueRoom: the room beside the head grows when another job outlives its
// estimate, though nothing ends.
func TestOverdueRoom(t *testing.T) {
	jobs := []sim.Job{
		{Procs: 2, Run: 100, Estimate: 10},
		{Procs: 1, Run: 100, Estimate: 20},
		{Submit: 1, Procs: 3, Run: 5, Estimate: 5},
		{Submit: 15, Procs: 1, Run: 50, Estimate: 50}, // keeps a processor that the head needs
		{Submit: 30, Procs: 1, Run: 50, Estimate: 50},
	}
	got := mustReplay(t, sim.Machine{Procs: 4, Backfill: sim.EASY}, jobs)
	if diff := gocmp.Diff([]ostrich.Time{0, 0, 100, 30, 80}, got); diff != "" {
		t.Error("-want +got\n", diff)
	}
}

// TestProgress: a long replay tells how far it is.
func TestProgress(t *testing.T) {
	jobs := make([]sim.Job, 40_000)
	for i := range jobs {
		jobs[i] = sim.Job{ID: ostrich.JobID(i + 1), Submit: ostrich.Time(i), Procs: 1, Run: 1, Estimate: 2}
	}
	for b, name := range sim.BackfillNames[:sim.Slurm] {
		var told []int
		m := sim.Machine{Procs: 1, Backfill: sim.Backfill(b), Progress: func(done, total int) {
			if told = append(told, done); total != len(jobs) {
				t.Fatalf("%d jobs in all", total)
			}
		}}
		mustReplay(t, m, jobs)
		if len(told) < 2 || !slices.IsSorted(told) || told[0] < 1 || told[len(told)-1] != len(jobs) {
			t.Errorf("%s: %v", name, told)
		}
	}
}

func TestReplayErrors(t *testing.T) {
	good := sim.Job{ID: 7, Procs: 1, Run: 1, Estimate: 1}
	with := func(change func(*sim.Job)) []sim.Job {
		j := good
		change(&j)
		return []sim.Job{j}
	}
	for _, tt := range []struct {
		name string
		m    sim.Machine
		jobs []sim.Job
		want string
	}{
		{"no machine", sim.Machine{}, nil, "a machine of 0 processors"},
		{"backfilling", sim.Machine{Procs: 4, Backfill: 99}, nil, "backfilling number 99 is not known"},
		{"event order", sim.Machine{Procs: 4, EventOrder: 99}, nil, "event order number 99 is not known"},
		{
			"conservative per event",
			sim.Machine{Procs: 4, Backfill: sim.Conservative, EventOrder: sim.PerEvent},
			nil,
			"conservative backfilling takes the events of an instant batched, not per-event",
		},
		{
			"policy per event",
			sim.Machine{Procs: 4, Policy: sim.FCFSCampaigns, EventOrder: sim.PerEvent},
			nil,
			"a policy takes the events of an instant batched, not per-event",
		},
		{"depth", sim.Machine{Procs: 4, Depth: -1}, nil, "reservations for -1 jobs"},
		{"too wide", sim.Machine{Procs: 4}, with(func(j *sim.Job) { j.Procs = 5 }), "job 7: needs 5 of 4 processors"},
		{"no width", sim.Machine{Procs: 4}, with(func(j *sim.Job) { j.Procs = -1 }), "job 7: needs -1 of 4 processors"},
		{"no run", sim.Machine{Procs: 4}, with(func(j *sim.Job) { j.Run = 0 }), "job 7: runs for 0 s"},
		{"long run", sim.Machine{Procs: 4}, with(func(j *sim.Job) { j.Run = math.MaxInt32 }), "job 7: runs for 2147483647 s"},
		{"no estimate", sim.Machine{Procs: 4}, with(func(j *sim.Job) { j.Estimate = -1 }), "job 7: has an estimate of -1 s"},
		{"long estimate", sim.Machine{Procs: 4}, with(func(j *sim.Job) { j.Estimate = 1 << 40 }), "job 7: has an estimate of 1099511627776 s"},
		{"late", sim.Machine{Procs: 4}, with(func(j *sim.Job) { j.Submit = math.MaxInt64 }), "job 7: submitted at 9223372036854775807"},
		{"order", sim.Machine{Procs: 4}, append(with(func(j *sim.Job) { j.Submit = 1 }), good), "job 7: submitted before the one in front of it"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := tt.m.Replay(tt.jobs)
			if want := fmt.Sprintf("sim: %s: %v", tt.want, sim.ErrWorkload); !errors.Is(err, sim.ErrWorkload) || err.Error() != want {
				t.Errorf("got %v\nwant %s", err, want)
			}
		})
	}
	for b := range sim.BackfillNames {
		if starts, err := (sim.Machine{Procs: 4, Backfill: sim.Backfill(b)}).Replay(nil); err != nil || len(starts) != 0 {
			t.Errorf("without a job: %v, %v", starts, err)
		}
	}
	if strings.Join(sim.BackfillNames, " ") != "none easy greedy conservative slurm" || sim.BackfillNames[sim.Slurm] != "slurm" {
		t.Errorf("%v", sim.BackfillNames)
	}
}

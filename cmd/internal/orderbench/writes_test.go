package orderbench

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"slurm-ostrich/cmd/internal/configuration"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/satisfaction"
	"slurm-ostrich/ostrich/sim"
	"slurm-ostrich/ostrich/sim/swf"
	"slurm-ostrich/ostrich/trace"
	"slurm-ostrich/ostrich/trace/tracetest"
	"slurm-ostrich/priority"
)

// written ranks jobs as a Slurm does beside which ostrichd writes SiteFactors: by
// what was written in the latest cycle. Submissions are known in the next one.
type written struct {
	schedule *ostrich.Schedule
	options  priority.Options
	interval ostrich.Time
	queue    []priority.Queued
	jobs     []ostrich.JobID
	updates  int
	again    int // of the updates, those of jobs that had been written before
	hours    float64
}

func (w *written) Step(e ostrich.Event) error {
	e.Job.Group = 0
	switch e.Kind {
	case ostrich.Submit:
		w.queue = append(w.queue, priority.Queued{
			Job: e.Job.ID, Count: 1, Priority: 1, Listed: true, SiteKnown: true, State: "PENDING", Submit: e.Job.Submit,
		})
	case ostrich.Start:
		w.queue = slices.DeleteFunc(w.queue, func(q priority.Queued) bool { return q.Job == e.Job.ID })
	default:
	}
	return w.schedule.Step(e)
}

// Wake is when the next cycle is due.
func (w *written) Wake(bool) ostrich.Time { return (w.schedule.Now()/w.interval + 1) * w.interval }

// AdvanceTo does a cycle at each multiple of the interval.
func (w *written) AdvanceTo(t ostrich.Time) error {
	if err := w.schedule.AdvanceTo(t); err != nil || t%w.interval != 0 {
		return err
	}
	plan, err := w.options.Plan(w.schedule.Order(), w.queue)
	if err != nil {
		return err
	}
	queue := make([]priority.Queued, 0, len(w.queue))
	for i := range plan.Entries {
		e := &plan.Entries[i]
		if e.Write {
			w.updates++
		}
		if e.Write && e.From > 0 {
			w.again++
		}
		q := *e.Queued
		q.Site, q.Priority = e.To, uint32(1+e.To)
		queue = append(queue, q)
	}
	priority.Rank(queue, nil)
	w.queue = queue
	return nil
}

// Jobs lists the waiting jobs, new ones last.
func (w *written) Jobs() []ostrich.JobID {
	w.jobs = w.jobs[:0]
	for i := range w.queue {
		w.jobs = append(w.jobs, w.queue[i].Job)
	}
	return w.jobs
}

// BenchmarkWrites counts the updates that ostrichd sends in an hour with cycles every
// 30 s, and every 3 s as the trigger rings under a flood, beside the ratio of the mean bounded stretch to that without a margin: in the
// 30 days of a log in which most jobs were submitted, which are replayed ten times
// as in ostrich bench; and under floods of six users.
func BenchmarkWrites(b *testing.B) {
	folder := tracetest.Folder(b)
	flood := func(n int) []sim.Job { return shake(sixUsers(1), 1, n) }
	for _, log := range []struct {
		name     string
		interval ostrich.Time
		load     func(n int) []sim.Job
		file     string
	}{
		{"six-users", 30, flood, ""},
		{"six-users-often", 3, flood, ""},
		{"turns", 30, takeTurns, ""},
		{"turns-often", 3, takeTurns, ""},
		{"KTH", 30, nil, "KTH-SP2-1996-2.1-cln.swf.gz"},
		{"CTC", 30, nil, "CTC-SP2-1996-3.1-cln.swf.gz"},
		{"Curie", 30, nil, "CEA-Curie-2011-2.1-cln.swf.gz"},
	} {
		procs, load := 16, log.load
		if load == nil {
			var jobs []sim.Job
			procs, jobs = month(b, filepath.Join(folder, log.file))
			load = func(n int) []sim.Job { return shake(jobs, 1, n) }
		}
		stretches := make([]float64, 10) // without a margin
		for _, margin := range []int{0, 10, 20, 30} {
			b.Run(fmt.Sprintf("%s/margin=%d", log.name, margin), func(b *testing.B) {
				for b.Loop() {
					var updates, again, sum, squares float64
					for n := range stretches {
						w, m := writes(b, procs, load(n), log.interval, margin)
						updates += float64(w.updates) / w.hours
						again += float64(w.again) / w.hours
						if margin == 0 {
							stretches[n] = *m.Of("mean")
						}
						ratio := *m.Of("mean") / stretches[n]
						sum, squares = sum+ratio, squares+ratio*ratio
					}
					n := float64(len(stretches))
					b.ReportMetric(updates/n, "updates/h")
					b.ReportMetric(again/n, "again/h")
					b.ReportMetric(sum/n, "stretch")
					b.ReportMetric(math.Sqrt(max(0, squares-sum*sum/n)/(n-1)/n), "±stretch")
				}
			})
		}
	}
}

// sixUsers is a load of floods: six users with 500 jobs of 1 to 4 processors each at
// once, on 16 processors, with limits from 5 to 104 min, all of which run for 30 s.
func sixUsers(seed uint64) (jobs []sim.Job) {
	random := rand.New(rand.NewPCG(seed, 2))
	for i := range 3000 {
		jobs = append(jobs, sim.Job{
			ID: ostrich.JobID(i + 1), User: ostrich.UserID(1 + i/500), Submit: ostrich.Time(1 + i/500), Procs: 1 + i%4,
			Run: 30, Estimate: ostrich.Duration(60 * (5 + random.IntN(100))),
		})
	}
	return jobs
}

// takeTurns is that load when four of the users have had a job before: it is known of
// all their jobs how long they run, so they have equal work and take turns.
func takeTurns(n int) (jobs []sim.Job) {
	for user := range ostrich.UserID(4) {
		jobs = append(jobs, sim.Job{ID: 3001 + ostrich.JobID(user), User: 1 + user, Submit: 1, Procs: 4, Run: 30, Estimate: 600})
	}
	for _, j := range sixUsers(uint64(n) + 1) {
		j.Submit += 60
		jobs = append(jobs, j)
	}
	return jobs
}

// month returns the processors and the jobs of the 30 days with the most submissions.
func month(b *testing.B, path string) (procs int, jobs []sim.Job) {
	b.Helper()
	log, err := trace.Open(path, trace.Options{})
	if err != nil {
		b.Fatal(err)
	}
	procs = int(log.Processors())
	all, _, err := swf.Jobs(log, procs, swf.ByLimit)
	if err != nil {
		b.Fatal(err)
	}
	all = slices.DeleteFunc(all, func(j sim.Job) bool { return j.User == sim.Nobody })
	const length = 30 * 24 * 3600
	to := 0
	for from := range all {
		for to < len(all) && all[to].Submit < all[from].Submit+length {
			to++
		}
		if to-from > len(jobs) {
			jobs = all[from:to]
		}
	}
	return procs, jobs
}

// writes replays jobs under the order of ostrichd as it is written.
func writes(b *testing.B, procs int, jobs []sim.Job, interval ostrich.Time, margin int) (*written, Measures) {
	b.Helper()
	c := configuration.Default()
	options, err := c.ScheduleOptions()
	if err != nil {
		b.Fatal(err)
	}
	options.Procs = procs
	s, err := ostrich.New(options)
	if err != nil {
		b.Fatal(err)
	}
	w := &written{schedule: s, interval: interval, options: priority.Options{
		Channel: priority.SiteFactor, Mode: priority.Strict, Margin: margin, Procs: procs,
		Controller: priority.Controller{
			Version: "24.11.5", PriorityType: "priority/multifactor", Weights: priority.Weights{Age: 1000, Fairshare: 10000},
			DefaultQueueDepth: 100, BackfillMaxJobTest: 500,
		},
	}}
	campaigns, err := sim.Campaigns(jobs, measuredBy)
	if err != nil {
		b.Fatal(err)
	}
	loop := sim.Machine{Procs: procs, Backfill: sim.EASY, Open: true, Offsets: true, Policy: func(int) (sim.Ranker, error) { return w, nil }}
	ended, err := loop.Run(campaigns)
	if err != nil {
		b.Fatal(err)
	}
	w.hours = float64(w.schedule.Now()-jobs[0].Submit) / 3600
	m, err := measured(ended, procs, 10, satisfaction.Median)
	if err != nil {
		b.Fatal(err)
	}
	return w, m
}

package ostrich_test

import (
	"cmp"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/trace"
)

var measure = flag.Bool("measure", false, "measure the defaults on whole traces and print tables: some minutes")

// A workload is the beginning of a log, with its campaigns by the rule Max on
// the logged ends. They are the yardstick for all rules.
type workload struct {
	procs     int
	jobs      []ostrich.Job // sorted by Submit; Start and End as logged
	campaigns [][]int       // indices of jobs
	think     []ostrich.Time
	previous  []int // the same user's campaign before, or -1
}

func readWorkload(t *testing.T, path string, count int) *workload {
	t.Helper()
	log, err := trace.Open(path, trace.Options{Lenient: true})
	if err != nil {
		t.Fatal(err)
	}
	w := &workload{procs: int(log.Processors())}
	for _, r := range log.Records {
		if !r.Runnable() || r.User < 0 || r.Procs() > int64(w.procs) || len(w.jobs) == count {
			continue
		}
		limit := r.Limit
		if limit < 1 {
			limit = r.Run
		}
		j := ostrich.Job{
			ID: ostrich.JobID(len(w.jobs) + 1), User: ostrich.UserID(r.User), Procs: int(r.Procs()),
			Estimate: ostrich.Duration(max(1, limit)), Submit: ostrich.Time(r.Submit + 1),
		}
		j.Start = j.Submit + ostrich.Time(max(0, r.Wait))
		j.End = j.Start + ostrich.Time(r.Run)
		w.jobs = append(w.jobs, j)
	}
	slices.SortStableFunc(w.jobs, func(a, b ostrich.Job) int { return cmp.Compare(a.Submit, b.Submit) })
	split, err := ostrich.Rule{By: ostrich.Max}.Split(w.jobs)
	if err != nil {
		t.Fatal(err)
	}
	latest := make(map[ostrich.UserID]int)
	ends := []ostrich.Time{}
	for i, c := range split {
		j := &w.jobs[i]
		j.ID = ostrich.JobID(i + 1)
		if c == len(w.campaigns) {
			w.campaigns = append(w.campaigns, nil)
			ends = append(ends, 0)
			before, ok := latest[j.User]
			if !ok {
				before = -1
				w.think = append(w.think, 0)
			} else {
				w.think = append(w.think, max(0, j.Submit-ends[before]))
			}
			w.previous = append(w.previous, before)
			latest[j.User] = c
		}
		w.campaigns[c] = append(w.campaigns[c], i)
		ends[c] = max(ends[c], j.End)
	}
	return w
}

// figures are what is measured of a replay.
type figures struct {
	mean, p95, max, user, worst float64 // campaign stretch; mean of users' means; the worst of them
}

// replay runs the jobs with EASY backfilling in OStrich's order, or in the
// order of submission without options. In a closed loop a campaign is
// submitted when the user's one before has ended and the logged think time
// has passed.
func (w *workload) replay(options *ostrich.Options, closed bool) (figures, error) {
	n := len(w.jobs)
	var s *ostrich.Schedule
	if options != nil {
		o := *options
		o.Procs = w.procs
		var err error
		if s, err = ostrich.New(o); err != nil {
			return figures{}, err
		}
	}
	tell := func(at ostrich.Time, k ostrich.Kind, j ostrich.Job) error {
		if s == nil {
			return nil
		}
		return s.Step(ostrich.Event{At: at, Kind: k, Job: j})
	}
	campaign := make([]int, n)
	left := make([]int, len(w.campaigns))
	following := make([]int, len(w.campaigns))
	for c, jobs := range w.campaigns {
		left[c] = len(jobs)
		following[c] = -1
		for _, i := range jobs {
			campaign[i] = c
		}
		if p := w.previous[c]; p >= 0 {
			following[p] = c
		}
	}
	submit := make([]ostrich.Time, n)
	var coming []int // sorted by submission
	release := func(c int, at ostrich.Time) {
		shift := at - w.jobs[w.campaigns[c][0]].Submit
		for _, i := range w.campaigns[c] {
			submit[i] = w.jobs[i].Submit + shift
			at, _ := slices.BinarySearchFunc(coming, i, func(a, b int) int {
				return cmp.Or(cmp.Compare(submit[a], submit[b]), cmp.Compare(a, b))
			})
			coming = slices.Insert(coming, at, i)
		}
	}
	for c := range w.campaigns {
		if !closed || w.previous[c] < 0 {
			release(c, w.jobs[w.campaigns[c][0]].Submit)
		}
	}
	type running struct {
		i        int
		end, due ostrich.Time // true, and as expected
	}
	var busy []running // sorted by end
	var waiting []int  // in the order of submission
	ended := make([]ostrich.Time, len(w.campaigns))
	free, done := w.procs, 0
	for done < n {
		now := ostrich.Time(math.MaxInt64)
		if len(busy) > 0 {
			now = busy[0].end
		}
		if len(coming) > 0 {
			now = min(now, submit[coming[0]])
		}
		for len(busy) > 0 && busy[0].end == now {
			r := busy[0]
			busy = busy[1:]
			j := w.jobs[r.i]
			free += j.Procs
			j.Submit, j.Start, j.End = submit[r.i], now-(j.End-j.Start), now
			if err := tell(now, ostrich.End, j); err != nil {
				return figures{}, err
			}
			c := campaign[r.i]
			ended[c] = now
			done++
			if left[c]--; left[c] == 0 && closed && following[c] >= 0 {
				release(following[c], now+w.think[following[c]])
			}
		}
		for len(coming) > 0 && submit[coming[0]] == now {
			i := coming[0]
			coming = coming[1:]
			j := w.jobs[i]
			j.Submit, j.Start, j.End = now, 0, 0
			if err := tell(now, ostrich.Submit, j); err != nil {
				return figures{}, err
			}
			waiting = append(waiting, i)
		}
		if len(waiting) == 0 || free == 0 {
			continue
		}
		order := waiting
		if s != nil {
			if err := s.AdvanceTo(now); err != nil {
				return figures{}, err
			}
			order = make([]int, 0, len(waiting))
			for _, p := range s.Order() {
				order = append(order, int(p.Job)-1)
			}
		}
		start := func(i int) error {
			j := w.jobs[i]
			run := j.End - j.Start
			j.Submit, j.Start, j.End = submit[i], now, 0
			free -= j.Procs
			r := running{i, now + max(1, run), now + ostrich.Time(j.Estimate)}
			at, _ := slices.BinarySearchFunc(busy, r, func(a, b running) int {
				return cmp.Or(cmp.Compare(a.end, b.end), cmp.Compare(a.i, b.i))
			})
			busy = slices.Insert(busy, at, r)
			waiting = slices.DeleteFunc(slices.Clone(waiting), func(x int) bool { return x == i })
			return tell(now, ostrich.Start, j)
		}
		shadow, extra := ostrich.Time(-1), 0
		for _, i := range slices.Clone(order) {
			q := w.jobs[i].Procs
			switch {
			case shadow < 0 && q <= free:
			case shadow < 0: // the first that has to wait gets a reservation
				expected := slices.Clone(busy)
				slices.SortFunc(expected, func(a, b running) int { return cmp.Or(cmp.Compare(a.due, b.due), cmp.Compare(a.i, b.i)) })
				extra = free
				for _, r := range expected {
					shadow = max(now+1, r.due)
					if extra += w.jobs[r.i].Procs; extra >= q {
						break
					}
				}
				extra -= q
				continue
			case q > free || now+ostrich.Time(w.jobs[i].Estimate) > shadow && q > extra:
				continue
			case now+ostrich.Time(w.jobs[i].Estimate) > shadow:
				extra -= q
			}
			if err := start(i); err != nil {
				return figures{}, err
			}
			if free == 0 {
				break
			}
		}
	}

	var f figures
	var stretches []float64
	of := make(map[ostrich.UserID][]float64)
	for c, jobs := range w.campaigns {
		v := ostrich.Campaign{First: submit[jobs[0]], Ended: ended[c]}
		for _, i := range jobs {
			run := ostrich.Duration(max(1, w.jobs[i].End-w.jobs[i].Start))
			v.Longest = max(v.Longest, run)
			v.Work += ostrich.Work(run) * ostrich.Work(w.jobs[i].Procs)
		}
		d := v.Stretch(w.procs, 0)
		stretches = append(stretches, d)
		u := w.jobs[jobs[0]].User
		of[u] = append(of[u], d)
	}
	slices.Sort(stretches)
	f.mean, f.p95, f.max = mean(stretches), stretches[len(stretches)*95/100], stretches[len(stretches)-1]
	users := make([]float64, 0, len(of))
	for _, d := range of {
		users = append(users, mean(d))
	}
	slices.Sort(users)
	f.user, f.worst = mean(users), users[len(users)-1]
	return f, nil
}

func mean(list []float64) float64 {
	sum := 0.0
	for _, x := range list {
		sum += x
	}
	return sum / float64(len(list))
}

// TestDefaults measures what docs/adr/0002-campaign-defaults.md decides on:
//
//	OSTRICH_TRACES=folder go test -run TestDefaults -v ./ostrich -measure
//
// Without -measure it replays the beginning of a log with the defaults only.
func TestDefaults(t *testing.T) {
	dir := os.Getenv("OSTRICH_TRACES")
	if dir == "" {
		t.Skip("OSTRICH_TRACES is not set: no folder with logs of the Parallel Workloads Archive to replay")
	}
	traces := map[string]string{
		"KTH-SP2":  "KTH-SP2-1996-2.1-cln.swf.gz",
		"SDSC-SP2": "SDSC-SP2-1998-4.2-cln.swf.gz",
		"LPC-EGEE": "LPC-EGEE-2004-1.2-cln.swf.gz",
	}
	plain := ostrich.Options{Machine: ostrich.Parallel}
	if !*measure {
		f, err := readWorkload(t, filepath.Join(dir, traces["KTH-SP2"]), 1000).replay(&plain, true)
		if err != nil || f.mean < 1 {
			t.Fatalf("%+v, %v", f, err)
		}
		return
	}
	type row struct {
		name string
		o    *ostrich.Options
	}
	rows := []row{{"submission order", nil}}
	add := func(o ostrich.Options) {
		name := fmt.Sprintf("%v/%d", o.Rule.By, o.Rule.Threshold/60)
		rows = append(rows, row{fmt.Sprintf("%-10s %-7v %-10v %v", strings.TrimSuffix(name, "/0"), o.Late, o.Inside, o.Machine), &o})
	}
	rules := []ostrich.Rule{{By: ostrich.Max}, {By: ostrich.Last}}
	for _, by := range []ostrich.By{ostrich.Arrival, ostrich.Window} {
		for _, minutes := range []ostrich.Duration{10, 30, 60} {
			rules = append(rules, ostrich.Rule{By: by, Threshold: 60 * minutes})
		}
	}
	for _, rule := range rules {
		for late := range ostrich.Append + 1 {
			o := plain
			o.Rule, o.Late = rule, late
			add(o)
		}
	}
	for _, rule := range []ostrich.Rule{rules[0], rules[6]} {
		for machine := range ostrich.Parallel + 1 {
			for inside := range ostrich.LJF + 1 {
				o := plain
				o.Rule, o.Machine, o.Inside = rule, machine, inside
				if o.Machine == plain.Machine && o.Inside == plain.Inside {
					continue
				}
				add(o)
			}
		}
	}
	for _, name := range []string{"KTH-SP2", "SDSC-SP2", "LPC-EGEE"} {
		w := readWorkload(t, filepath.Join(dir, traces[name]), 20_000)
		for _, closed := range []bool{false, true} {
			results := make([]figures, len(rows))
			var group sync.WaitGroup
			places := make(chan int, len(rows))
			for i := range rows {
				places <- i
			}
			close(places)
			for range 2 {
				group.Go(func() {
					for i := range places {
						f, err := w.replay(rows[i].o, closed)
						if err != nil {
							t.Errorf("%s: %v", rows[i].name, err)
						}
						results[i] = f
					}
				})
			}
			group.Wait()
			var table strings.Builder
			fmt.Fprintf(&table, "%s, closed loop %t: %d jobs, %d campaigns, m = %d\n", name, closed, len(w.jobs), len(w.campaigns), w.procs)
			fmt.Fprintf(&table, "%-44s %8s %8s %8s %8s %8s\n", "", "mean", "p95", "max", "users", "worst")
			for i, r := range rows {
				f := results[i]
				fmt.Fprintf(&table, "%-44s %8.2f %8.2f %8.0f %8.2f %8.1f\n", r.name, f.mean, f.p95, f.max, f.user, f.worst)
			}
			t.Log("\n" + table.String())
		}
	}
}

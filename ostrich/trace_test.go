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

// A workload is a part of a log, with its campaigns by the rule Max on
// the logged ends. They are the yardstick for all rules.
type workload struct {
	procs     int
	jobs      []ostrich.Job // sorted by Submit; Start and End as logged
	campaigns [][]int       // indices of jobs
	think     []ostrich.Time
	previous  []int // the same user's campaign before, or -1
}

// readWorkload reads the given jobs of a log, counted among those that ran.
func readWorkload(t *testing.T, path string, from, count int) *workload {
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
		if from--; from >= 0 {
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

// figures are what is measured of a replay: of the stretches of all campaigns
// the mean, the 95th percentile and the maximum, and the mean of the users'
// means. As usual with slowdowns, the lower bound below the line is at least
// 10 s, or jobs of a second would decide alone.
type figures [4]float64

var figureNames = [...]string{"mean", "p95", "max", "users"}

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

	var stretches []float64
	of := make(map[ostrich.UserID][]float64)
	for c, jobs := range w.campaigns {
		v := ostrich.Campaign{First: submit[jobs[0]], Ended: ended[c], Longest: 10}
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
	users := make([]float64, 0, len(of))
	for _, d := range of {
		users = append(users, mean(d))
	}
	slices.Sort(users) // so that the sum does not depend on the map
	return figures{mean(stretches), stretches[len(stretches)*95/100], stretches[len(stretches)-1], mean(users)}, nil
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
// Each setting is replayed on the same parts of the logs, in an open and in a
// closed loop, and compared with the first setting on the same part: the
// geometric mean of the ratios, and its standard error. Without -measure it
// replays the beginning of a log only.
func TestDefaults(t *testing.T) {
	dir := os.Getenv("OSTRICH_TRACES")
	if dir == "" {
		t.Skip("OSTRICH_TRACES is not set: no folder with logs of the Parallel Workloads Archive to replay")
	}
	kth := filepath.Join(dir, "KTH-SP2-1996-2.1-cln.swf.gz")
	base := ostrich.Options{Machine: ostrich.Parallel}
	if !*measure {
		f, err := readWorkload(t, kth, 0, 1000).replay(&base, true)
		if err != nil || f[0] <= 0 {
			t.Fatalf("%v, %v", f, err)
		}
		return
	}
	type setting struct {
		name string
		o    *ostrich.Options
	}
	settings := []setting{}
	add := func(o ostrich.Options) {
		rule := o.Rule.By.String()
		if o.Rule.Threshold > 0 {
			rule += fmt.Sprintf(" %d min", o.Rule.Threshold/60)
		}
		name := fmt.Sprintf("%s, %v, %v, %v", rule, o.Late, o.Inside, o.Machine)
		if !slices.ContainsFunc(settings, func(s setting) bool { return s.name == name }) {
			settings = append(settings, setting{name, &o})
		}
	}
	var rules []ostrich.Rule
	for _, by := range []ostrich.By{ostrich.Max, ostrich.Last} {
		rules = append(rules, ostrich.Rule{By: by})
	}
	for _, by := range []ostrich.By{ostrich.Arrival, ostrich.Window} {
		for _, minutes := range []ostrich.Duration{10, 30, 60} {
			rules = append(rules, ostrich.Rule{By: by, Threshold: 60 * minutes})
		}
	}
	for _, rule := range rules {
		for late := range ostrich.Append + 1 {
			o := base
			o.Rule, o.Late = rule, late
			add(o)
		}
	}
	for _, rule := range []ostrich.Rule{rules[0], {By: ostrich.Window, Threshold: 1800}} {
		for machine := range ostrich.Parallel + 1 {
			for inside := range ostrich.LJF + 1 {
				add(ostrich.Options{Rule: rule, Machine: machine, Inside: inside})
			}
		}
	}
	settings = append(settings, setting{"submission order, no campaigns", nil})

	var parts []*workload
	for _, path := range []string{
		kth, filepath.Join(dir, "SDSC-SP2-1998-4.2-cln.swf.gz"), filepath.Join(dir, "CTC-SP2-1996-3.1-cln.swf.gz"),
	} {
		for i := range 4 {
			parts = append(parts, readWorkload(t, path, i*5000, 5000))
		}
	}
	for name, parts := range map[string][]*workload{
		"KTH, SDSC, CTC, first 20 000 jobs of each in 4 parts": parts,
		"LPC-EGEE, jobs 100 000 to 180 000 in 4 parts": {
			readWorkload(t, filepath.Join(dir, "LPC-EGEE-2004-1.2-cln.swf.gz"), 100_000, 20_000),
			readWorkload(t, filepath.Join(dir, "LPC-EGEE-2004-1.2-cln.swf.gz"), 120_000, 20_000),
			readWorkload(t, filepath.Join(dir, "LPC-EGEE-2004-1.2-cln.swf.gz"), 140_000, 20_000),
			readWorkload(t, filepath.Join(dir, "LPC-EGEE-2004-1.2-cln.swf.gz"), 160_000, 20_000),
		},
	} {
		results := make([][]figures, len(settings))
		var group sync.WaitGroup
		places := make(chan int, len(settings))
		for i := range settings {
			places <- i
		}
		close(places)
		for range 2 {
			group.Go(func() {
				for i := range places {
					for _, w := range parts {
						for _, closed := range []bool{false, true} {
							f, err := w.replay(settings[i].o, closed)
							if err != nil {
								t.Errorf("%s: %v", settings[i].name, err)
							}
							results[i] = append(results[i], f)
						}
					}
				}
			})
		}
		group.Wait()
		var table strings.Builder
		fmt.Fprintf(&table, "%s, open and closed loop\n| setting |", name)
		for _, name := range figureNames {
			fmt.Fprintf(&table, " %s |", name)
		}
		table.WriteString("\n|---|---|---|---|---|\n")
		for i, s := range settings {
			fmt.Fprintf(&table, "| %s |", s.name)
			for f := range figureNames {
				var logs []float64
				for part := range results[i] {
					x := results[i][part][f]
					if i > 0 {
						x /= results[0][part][f]
					}
					logs = append(logs, math.Log(x))
				}
				m := mean(logs)
				if i == 0 {
					fmt.Fprintf(&table, " = %.2f |", math.Exp(m))
					continue
				}
				deviation := 0.0
				for _, x := range logs {
					deviation += (x - m) * (x - m)
				}
				n := float64(len(logs))
				fmt.Fprintf(&table, " %.2f ± %.2f |", math.Exp(m), math.Exp(m)*math.Sqrt(deviation/(n-1)/n))
			}
			table.WriteByte('\n')
		}
		t.Log("\n" + table.String())
	}
}

package slurmdb_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting/ledger"
	"slurm-ostrich/slurmdb"
	"slurm-ostrich/slurmdb/slurmdbtest"
)

// Times in the scenes count from t0, so that rows and events read as stories.
const t0 = 1_800_000_000

// tell writes an event on one line, with times from t0.
func tell(e ostrich.Event) string {
	j := e.Job
	at := func(t ostrich.Time) ostrich.Time {
		if t == 0 {
			return 0
		}
		return t - t0
	}
	s := fmt.Sprintf("%d %v %d", at(e.At), e.Kind, j.ID)
	switch e.Kind {
	case ostrich.End:
		if j.Start == 0 {
			return s + " never ran"
		}
		return fmt.Sprintf("%s ran %d..%d suspended %d", s, at(j.Start), at(j.End), j.Suspended)
	default:
		s += fmt.Sprintf(" of %d: %d x %d for %d in %s", j.User, j.Tasks, j.Procs, j.Estimate, j.Partition)
		if j.Group != 0 {
			s += fmt.Sprintf(" group %d", j.Group)
		}
		if j.Submit != e.At {
			s += fmt.Sprintf(" since %d", at(j.Submit))
		}
		return s
	}
}

func tellAll(events []ostrich.Event) string {
	var b strings.Builder
	for _, e := range jobEvents(events) {
		b.WriteString(tell(e) + "\n")
	}
	return b.String()
}

// scene is a story in rows.
type scene struct {
	name  string
	steps []func(*slurmdbtest.DB) // a poll follows each
	live  string                  // events in the order of the polls
	cold  string                  // events of a cold start at the end, if others
	edit  func(*slurmdb.Config)
	skips string
}

type job = slurmdbtest.Job

func put(jobs ...job) func(*slurmdbtest.DB) {
	for i := range jobs {
		j := &jobs[i]
		j.Submit += t0
		for _, t := range []*int64{&j.Start, &j.End} {
			if *t != 0 {
				*t += t0
			}
		}
		if j.Eligible > 0 && j.Eligible != slurmdbtest.Infinite {
			j.Eligible += t0
		}
		if j.User == 0 {
			j.User = 1001
		}
	}
	return func(db *slurmdbtest.DB) { db.Put(jobs...) }
}

func both(all ...func(*slurmdbtest.DB)) func(*slurmdbtest.DB) {
	return func(db *slurmdbtest.DB) {
		for _, f := range all {
			f(db)
		}
	}
}

// pause writes a suspension of job 1 with times from t0.
func pause(submit, start, end int64) func(*slurmdbtest.DB) {
	if end != 0 {
		end += t0
	}
	return func(db *slurmdbtest.DB) { db.Pause(1, submit+t0, start+t0, end) }
}

func purge(id uint32, submit int64) func(*slurmdbtest.DB) {
	return func(db *slurmdbtest.DB) { db.Remove(id, submit+t0) }
}

// The clock is 100 s further at each poll of a scene.
const perStep = 100

func TestShapes(t *testing.T) {
	for _, release := range []slurmdbtest.Release{slurmdbtest.R2205, slurmdbtest.R2411} {
		for _, tt := range scenes() {
			t.Run(string(release)+"/"+tt.name, func(t *testing.T) {
				db := slurmdbtest.New(t, release)
				c := config(db)
				if tt.edit != nil {
					tt.edit(&c)
				}
				var skips []ledger.Skip
				r := open(t, c)
				r.SetClock(t0 - perStep)
				poll(t, r)
				var live strings.Builder
				for i, step := range tt.steps {
					step(db)
					now := ostrich.Time(t0 + perStep*i)
					r.SetClock(now)
					b := poll(t, r)
					live.WriteString(tellAll(b.Events))
					skips = append(skips, b.Skipped...)
					if again := poll(t, r); len(again.Events)+len(again.Skipped) != 0 {
						t.Errorf("step %d: told again: %s %v", i, tellAll(again.Events), again.Skipped)
					}
				}
				if diff := cmp.Diff(tt.live, live.String()); diff != "" {
					t.Errorf("step by step (-want +got):\n%s", diff)
				}
				fresh := open(t, c)
				fresh.SetClock(ostrich.Time(t0 + perStep*len(tt.steps)))
				b := poll(t, fresh)
				want := tt.cold
				if want == "" {
					want = tt.live
				}
				want = strings.TrimLeft(want, " ") // A space is a cold start that tells nothing.
				if diff := cmp.Diff(want, tellAll(b.Events)); diff != "" {
					t.Errorf("cold start (-want +got):\n%s", diff)
				}
				var why strings.Builder
				for _, s := range skips {
					fmt.Fprintf(&why, "%d %s\n", s.Job, s.Why)
				}
				if diff := cmp.Diff(tt.skips, why.String()); diff != "" {
					t.Errorf("skipped (-want +got):\n%s", diff)
				}
				if live, cold := r.Live(), fresh.Live(); len(live) != len(cold) {
					t.Errorf("%d live jobs step by step, %d after a cold start", len(live), len(cold))
				}
			})
		}
	}
}

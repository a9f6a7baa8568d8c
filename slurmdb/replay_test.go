package slurmdb_test

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/slurmdb"
	"slurm-ostrich/slurmdb/slurmdbtest"
)

// slurm is a small slurmctld that writes rows as time goes on. What happens and
// is undone within a second it leaves out, as doc.go does.
type slurm struct {
	rt   *rapid.T
	db   *slurmdbtest.DB
	now  int64
	next uint32
	jobs map[uint32]*slurmJob
}

type slurmJob struct {
	row     slurmdbtest.Job
	paused  int64
	resumed int64
	left    uint32 // pending tasks of an array record
}

func (s *slurm) put(j *slurmJob) { s.db.Put(j.row) }

// pick chooses a job that passes.
func (s *slurm) pick(ok func(*slurmJob) bool) *slurmJob {
	var ids []uint32
	for _, id := range slices.Sorted(maps.Keys(s.jobs)) {
		if ok(s.jobs[id]) {
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	return s.jobs[rapid.SampledFrom(ids).Draw(s.rt, "job")]
}

func pending(j *slurmJob) bool { return j.row.Start == 0 }
func running(j *slurmJob) bool { return j.row.Start != 0 && j.paused == 0 }
func paused(j *slurmJob) bool  { return j.paused != 0 }

// settled reports whether a job was neither suspended nor resumed this second.
func (s *slurm) settled(j *slurmJob) bool { return j.paused < s.now && j.resumed < s.now }

func (s *slurm) act() {
	act := rapid.SampledFrom([]string{
		"submit", "submit", "array", "start", "start", "end", "end", "cancel", "requeue", "resize", "suspend", "resume",
		"hold", "release", "later",
	}).Draw(s.rt, "act")
	switch act {
	case "submit", "array":
		s.next++
		j := &slurmJob{row: slurmdbtest.Job{
			ID: s.next, User: 1001 + s.next%3, Submit: s.now, CPUs: 1 + s.next%4, Limit: 10,
		}}
		if s.next%3 == 0 {
			j.left = 2 + s.next%3
			j.row.Array, j.row.Tasks, j.row.Mask = s.next, j.left, fmt.Sprintf("0x%X", 1<<j.left-1)
		}
		s.jobs[s.next] = j
		s.put(j)
	case "start":
		j := s.pick(pending)
		if j == nil {
			return
		}
		if j.left > 1 { // A task leaves the array under an id of its own.
			j.left--
			j.row.Tasks, j.row.Mask = j.left, fmt.Sprintf("0x%X", 1<<j.left-1)
			s.put(j)
			s.next++
			task := &slurmJob{row: j.row}
			task.row.ID, task.row.Task, task.row.Mask, task.row.Tasks = s.next, int64(j.left)+1, "", 0
			s.jobs[s.next] = task
			j = task
		} else if j.left == 1 {
			j.left, j.row.Task, j.row.Mask, j.row.Tasks = 0, 1, "", 0
		}
		j.row.Start, j.row.State = s.now, 1
		s.put(j)
	case "end":
		if j := s.pick(func(j *slurmJob) bool { return j.row.Start != 0 && s.settled(j) }); j != nil {
			s.unpause(j)
			s.close(j, 3)
			delete(s.jobs, j.row.ID)
		}
	case "cancel":
		if j := s.pick(pending); j != nil {
			s.close(j, 4)
			delete(s.jobs, j.row.ID)
		}
	case "requeue":
		if j := s.pick(running); j != nil && s.now > j.row.Start && s.now > j.row.Submit && s.settled(j) {
			s.close(j, rapid.SampledFrom([]uint32{1024, 8, 7}).Draw(s.rt, "state"))
			j.row.Submit, j.row.Start, j.row.End, j.row.State, j.row.Suspended, j.row.Eligible = s.now, 0, 0, 0, 0, s.now
			s.put(j)
		}
	case "resize":
		if j := s.pick(running); j != nil && s.now > j.row.Submit && s.settled(j) {
			s.close(j, 8192)
			j.row.Submit, j.row.End, j.row.State, j.row.Suspended = s.now, 0, 1, 0
			j.row.Procs = 1 + uint32(s.now)%5
			s.put(j)
		}
	case "hold", "release", "later":
		s.now++ // not in the second of its submission
		if j := s.pick(pending); j != nil {
			j.row.Eligible = s.now
			switch act {
			case "hold":
				j.row.Eligible = -1
			case "later":
				j.row.Eligible += 60
			}
			s.put(j)
		}
	case "suspend":
		if j := s.pick(running); j != nil && s.now > j.resumed {
			j.paused, j.row.State = s.now, 2
			j.row.Suspended = uint64(s.now) - j.row.Suspended
			s.put(j)
			s.db.Pause(j.row.ID, j.row.Submit, j.paused, 0)
		}
	case "resume":
		if j := s.pick(paused); j != nil && s.now > j.paused {
			s.unpause(j)
			j.row.State = 1
			s.put(j)
		}
	}
}

func (s *slurm) unpause(j *slurmJob) {
	if j.paused != 0 {
		s.db.Pause(j.row.ID, j.row.Submit, j.paused, s.now)
		j.row.Suspended = uint64(s.now) - j.row.Suspended
		j.paused, j.resumed = 0, s.now
	}
}

func (s *slurm) close(j *slurmJob, state uint32) {
	j.row.End, j.row.State = s.now, state
	s.put(j)
}

// facts are what the rows hold for good: everything but changes and what a
// job was said to ask for before it started.
func facts(events []ostrich.Event) []string {
	var all []string
	for _, e := range jobEvents(events) {
		if e.Kind == ostrich.Change || e.Kind == ostrich.Hold || e.Kind == ostrich.Release {
			continue
		}
		j := e.Job
		s := fmt.Sprintf("%d %v %d of %d since %d group %d", e.At, e.Kind, j.ID, j.User, j.Submit, j.Group)
		if e.Kind == ostrich.End {
			s += fmt.Sprintf(" ran %d..%d suspended %d", j.Start, j.End, j.Suspended)
		}
		if e.Kind == ostrich.Start || e.Kind == ostrich.End {
			s += fmt.Sprintf(" on %d x %d for %d", j.Tasks, j.Procs, j.Estimate)
		}
		all = append(all, s)
	}
	slices.Sort(all)
	return all
}

// waiting is what was told last of when the pending jobs could start: since when,
// 0 for their submission, or -1 if they cannot.
func waiting(events []ostrich.Event) map[ostrich.JobID]ostrich.Time {
	since := map[ostrich.JobID]ostrich.Time{}
	for _, e := range jobEvents(events) {
		switch e.Kind {
		case ostrich.Submit, ostrich.Requeue:
			since[e.Job.ID] = 0
		case ostrich.Hold, ostrich.Release:
			if _, pending := since[e.Job.ID]; !pending {
				continue // it ended within the second, see lawful
			}
			since[e.Job.ID] = e.At
			if e.Kind == ostrich.Hold {
				since[e.Job.ID] = -1
			}
		case ostrich.Start, ostrich.End:
			delete(since, e.Job.ID)
		default:
		}
	}
	return since
}

// lawful says why a consumer would reject the events, in their order.
func lawful(events []ostrich.Event) error {
	const pending, runs, rests = 1, 2, 3
	state := map[ostrich.JobID]int{}
	ended := make(map[ostrich.JobID]ostrich.Time)
	for _, e := range jobEvents(events) {
		id := e.Job.ID
		was := state[id]
		ok := was != 0
		switch e.Kind {
		case ostrich.Submit:
			ok = was == 0
			state[id] = pending
		case ostrich.Start:
			ok = was == pending
			state[id] = runs
		case ostrich.Suspend:
			ok = was == runs
			state[id] = rests
		case ostrich.Resume:
			ok = was == rests
			state[id] = runs
		case ostrich.Requeue:
			ok = was == runs || was == rests
			state[id] = pending
		case ostrich.Hold, ostrich.Release:
			ok = was == pending || ended[id] == e.At // within a second the end comes first
		case ostrich.End:
			delete(state, id)
			ended[id] = e.At
		default:
		}
		if !ok || e.Job.Procs < 1 || e.Job.Estimate < 1 {
			return fmt.Errorf("%s: in state %d", tell(e), was)
		}
	}
	return nil
}

// TestReplay lets a small Slurm live, polls at times, and compares what was
// told with what a cold start tells at the end.
func TestReplay(t *testing.T) {
	db := slurmdbtest.New(t, slurmdbtest.R2411)
	c := config(db)
	rapid.Check(t, func(rt *rapid.T) {
		db.Run("DELETE FROM c1_job_table")
		db.Run("DELETE FROM c1_suspend_table")
		s := &slurm{rt: rt, db: db, now: t0, jobs: map[uint32]*slurmJob{}}
		r := openAt(t, rt, c, t0)
		var told []ostrich.Event
		poll := func(r *slurmdb.Reader) []ostrich.Event {
			b, err := tryPoll(t, r)
			if err != nil {
				rt.Fatal(err)
			}
			if len(b.Skipped) != 0 {
				rt.Fatal(b.Skipped)
			}
			if !slices.IsSortedFunc(b.Events, ostrich.Compare) {
				rt.Fatal("not in order")
			}
			return b.Events
		}
		for range rapid.IntRange(1, 30).Draw(rt, "acts") {
			s.now += int64(rapid.IntRange(0, 90).Draw(rt, "wait"))
			s.act()
			if rapid.IntRange(0, 3).Draw(rt, "poll") == 0 {
				r.SetClock(ostrich.Time(s.now))
				told = append(told, poll(r)...)
			}
		}
		r.SetClock(ostrich.Time(s.now))
		told = append(told, poll(r)...)
		if err := lawful(told); err != nil {
			rt.Fatalf("step by step: %v\n%s", err, tellAll(told))
		}
		if more := poll(r); len(more) != 0 {
			rt.Fatalf("told again: %s", tellAll(more))
		}
		fresh := openAt(t, rt, c, s.now)
		cold := poll(fresh)
		if err := lawful(cold); err != nil {
			rt.Fatalf("cold start: %v\n%s", err, tellAll(cold))
		}
		live, want := facts(told), facts(cold)
		if !slices.Equal(live, want) {
			rt.Fatalf("step by step:\n%s\n\ncold start:\n%s\n\nevents:\n%s", strings.Join(live, "\n"), strings.Join(want, "\n"), tellAll(told))
		}
		if live, want := waiting(told), waiting(cold); !maps.Equal(live, want) {
			rt.Fatalf("can start since %v step by step, %v by a cold start\n%s\ncold:\n%s", live, want, tellAll(told), tellAll(cold))
		}
		for i, a := range r.Live() {
			b := fresh.Live()[i]
			if cmp.Compare(a.Job.ID, b.Job.ID) != 0 || unnumbered(a.Job) != unnumbered(b.Job) || a.State != b.State || a.Name != b.Name {
				rt.Fatalf("live %+v\ncold %+v", a, b)
			}
		}
	})
}

func openAt(t *testing.T, rt *rapid.T, c slurmdb.Config, now int64) *slurmdb.Reader {
	r, err := slurmdb.Open(t.Context(), c)
	if err != nil {
		rt.Fatal(err)
	}
	rt.Cleanup(func() {
		if err := r.Close(); err != nil {
			rt.Error(err)
		}
	})
	r.SetClock(ostrich.Time(now))
	return r
}

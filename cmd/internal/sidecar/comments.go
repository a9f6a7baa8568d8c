package sidecar

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"slurm-ostrich/cmd/internal/configuration"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting"
	"slurm-ostrich/ostrich/accounting/ledger"
	"slurm-ostrich/priority"
	"slurm-ostrich/priority/slurm"
)

// Commenter is a Controller that knows the comments of jobs. slurm.Commands is
// one.
type Commenter interface {
	Comments(ctx context.Context) ([]slurm.Comment, error)
}

// comments joins what users say in comments with what accounting reports of their
// jobs. Accounting has a comment once the job has ended, and only if Slurm is told
// to store it. slurmctld has it from the submission until it forgets the job,
// MinJobAge after its end.
//
// The present comment counts: a user who changes it while the job is unfinished
// changes what was said. So a restart, which reads the present comments, agrees
// with a daemon that ran through, with one exception: of jobs that slurmctld has
// forgotten it knows only what accounting stores.
type comments struct {
	from      Commenter // nil: comments do not count
	hints     bool
	campaigns bool

	read   time.Time                         // when slurmctld was asked last
	fresh  bool                              // that was in this cycle
	known  map[ostrich.JobID]accounting.Said // of jobs, and of arrays by their id
	passed map[ostrich.JobID]said            // to the schedules, of jobs that have not ended and say something
	err    error
}

// said is what was passed on of a job.
type said struct {
	accounting.Said

	group ostrich.JobID
}

// newComments returns the comments of a controller. They have no source, and so do not
// count, if the settings do not use them or the controller is no Commenter.
func newComments(c *configuration.Config, commands Controller) comments {
	m := comments{
		hints:     c.Schedule.Hints == configuration.HintsComment,
		campaigns: c.Campaign.Declared == ledger.InComment,
		passed:    make(map[ostrich.JobID]said),
	}
	if c.ReadsComments() {
		m.from, _ = commands.(Commenter)
	}
	return m
}

// begin reads comments again that were read a while ago, as users may change them.
func (m *comments) begin(ctx context.Context, _ []priority.Queued) {
	m.fresh, m.err = false, nil
	if m.from != nil && time.Since(m.read) >= configAge {
		m.ask(ctx)
	}
}

// ask reads the comments from slurmctld.
func (m *comments) ask(ctx context.Context) {
	list, err := m.from.Comments(ctx)
	m.fresh = true // once a cycle is enough
	if err != nil {
		m.err, m.read = err, time.Time{}
		return
	}
	m.read, m.known = time.Now(), make(map[ostrich.JobID]accounting.Said, len(list))
	for _, c := range list {
		s := accounting.ReadComment([]byte(c.Text))
		if !m.hints {
			s.Hint = 0
		}
		if !m.campaigns {
			s.Campaign = ""
		}
		m.known[c.Job] = s
		if _, known := m.known[c.Array]; !known {
			m.known[c.Array] = s
		}
	}
}

// of returns what the user said of a job, and whether slurmctld knows it.
func (m *comments) of(id, group ostrich.JobID) (accounting.Said, bool) {
	s, ok := m.known[id]
	if !ok && group != 0 {
		s, ok = m.known[group]
	}
	return s, ok
}

// fill asks slurmctld if the comment of a new job is not known.
func (m *comments) fill(ctx context.Context, events []ostrich.Event) []ostrich.Event {
	if m.from == nil {
		return events
	}
	if !m.fresh && slices.ContainsFunc(events, m.unknown) {
		m.ask(ctx)
	}
	for i := range events {
		j := &events[i].Job
		s, _ := m.of(j.ID, j.Group)
		m.say(j, s)
	}
	return events
}

func (m *comments) join(ctx context.Context, events []ostrich.Event) []ostrich.Event {
	events = m.fill(ctx, events)
	if m.from == nil {
		return events
	}
	for i := range events {
		e := &events[i]
		if e.Kind == ostrich.Capacity || e.Kind == ostrich.Reshare {
			continue
		}
		now := accounting.Said{Hint: e.Job.Hint}
		if m.campaigns {
			now.Campaign = e.Job.Campaign
		}
		if e.Kind == ostrich.End || now == (accounting.Said{}) {
			delete(m.passed, e.Job.ID)
		} else {
			m.passed[e.Job.ID] = said{now, e.Job.Group}
		}
	}
	return events
}

// unknown reports whether an event submits a job whose comment is not known.
func (m *comments) unknown(e ostrich.Event) bool {
	_, known := m.of(e.Job.ID, e.Job.Group)
	return e.Kind == ostrich.Submit && !known
}

// say adds to a job what its user said. What accounting has stored counts if
// slurmctld says nothing.
func (m *comments) say(j *ostrich.Job, s accounting.Said) {
	j.Hint = cmp.Or(s.Hint, j.Hint)
	j.Campaign = cmp.Or(s.Campaign, j.Campaign)
}

func (m *comments) changes(now ostrich.Time, record func(ostrich.JobID) (ledger.Record, bool)) []ostrich.Event {
	if !m.fresh || m.err != nil {
		return nil
	}
	other := make(map[ostrich.JobID]accounting.Said)
	for id, s := range m.known {
		if s != (accounting.Said{}) && m.passed[id].Said != s {
			other[id] = s
		}
	}
	for id, was := range m.passed {
		if s, known := m.of(id, was.group); known && s != was.Said {
			other[id] = s
		}
	}
	var events []ostrich.Event
	for _, id := range slices.Sorted(maps.Keys(other)) {
		r, known := record(id)
		if !known {
			continue // accounting does not know it yet, or has forgotten it
		}
		m.say(&r.Job, other[id])
		events = append(events, ostrich.Event{At: now, Kind: ostrich.Change, Job: r.Job})
		if other[id] == (accounting.Said{}) {
			delete(m.passed, id)
		} else {
			m.passed[id] = said{other[id], r.Job.Group}
		}
	}
	return events
}

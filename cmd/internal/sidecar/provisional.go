package sidecar

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"
	"sync"

	"slurm-ostrich/cmd/internal/configuration"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting/ledger"
	"slurm-ostrich/ostrich/accounting/sacct"
	"slurm-ostrich/priority"
)

// provisional holds the pending jobs that the queue has and accounting has not
// reported yet. That takes up to five seconds, and for ever while slurmdbd is
// away. They are ordered by what the queue says. Each cycle finds them anew, so a
// row that arrives confirms or corrects one.
type provisional struct {
	record  func(ostrich.JobID) (ledger.Record, bool) // accounting's, of an unfinished job
	latest  ostrich.Time                              // of the events that accounting has reported
	queue   []priority.Queued                         // of this cycle
	new     []*priority.Queued                        // of queue, those that accounting did not know when the cycle began
	heard   bool                                      // accounting has reported something since new was found
	ended   map[ostrich.JobID]ostrich.Time
	records []ledger.Record // of the provisional jobs, by id

	// ask asks slurmctld for the resources of jobs; nil where work is counted by processors.
	ask  func(context.Context, []ostrich.JobID) (map[ostrich.JobID]string, error)
	tres map[ostrich.JobID]string // of new
}

// begin finds the jobs of the queue that accounting does not know. It may report what
// happened up to a minute before its latest event late, so only jobs submitted since, and
// those that were provisional before, are looked up.
func (p *provisional) begin(ctx context.Context, queue []priority.Queued) {
	p.ended = nil
	if !p.heard && sameList(p.queue, queue) {
		return // accounting knows what it knew
	}
	p.queue, p.new, p.heard = queue, nil, false
	for i := range queue {
		q := &queue[i]
		if q.Submit <= p.latest-unheardFor && !p.has(q.Job) {
			continue
		}
		if _, known := p.record(q.Job); !known {
			p.new = append(p.new, q)
		}
	}
	if p.ask == nil || len(p.new) == 0 {
		return
	}
	ids := make([]ostrich.JobID, len(p.new))
	for i, q := range p.new {
		ids[i] = q.Job
	}
	// squeue fails for a job that is gone. Without an answer a job counts for its processors
	// until accounting has it, seconds later.
	p.tres, _ = p.ask(ctx, ids)
}

// join notes which jobs accounting knows now: one that has ended since the queue was read
// is not expected any more.
func (p *provisional) join(_ context.Context, events []ostrich.Event) []ostrich.Event {
	for i := range events {
		e := &events[i]
		if e.Kind == ostrich.Change || e.Kind == ostrich.Hold || e.Kind == ostrich.Release {
			continue // of a job that it knew
		}
		p.heard = true
		if e.Kind != ostrich.End || len(p.new) == 0 {
			continue
		}
		if p.ended == nil {
			p.ended = make(map[ostrich.JobID]ostrich.Time, len(p.new))
			for _, q := range p.new {
				p.ended[q.Job] = 0
			}
		}
		if _, is := p.ended[e.Job.ID]; is {
			p.ended[e.Job.ID] = e.At
		}
	}
	return events
}

// changes returns nothing: what the queue says of its jobs is supposed, see expected.
func (p *provisional) changes(ostrich.Time, func(ostrich.JobID) (ledger.Record, bool)) []ostrich.Event {
	return nil
}

func (p *provisional) fill(_ context.Context, events []ostrich.Event) []ostrich.Event { return events }

func (p *provisional) find(id ostrich.JobID) (ledger.Record, bool) {
	i, is := slices.BinarySearchFunc(p.records, id, func(r ledger.Record, id ostrich.JobID) int { return cmp.Compare(r.Job.ID, id) })
	if !is {
		return ledger.Record{}, false
	}
	return p.records[i], true
}

func (p *provisional) has(id ostrich.JobID) bool {
	_, is := p.find(id)
	return is
}

// recorded returns accounting's record of a job, or else the one that is expected.
func (s *Sidecar) recorded(id ostrich.JobID) (ledger.Record, bool) {
	if r, known := s.accounting.Record(id); known {
		return r, true
	}
	return s.provisional.find(id)
}

// nameOf returns accounting's name of the user of a job in the queue, "" if
// accounting has seen none of the user's jobs and does not know the name that
// squeue shows.
func (s *Sidecar) nameOf(j *ostrich.Job, uid uint32) string {
	_, name := configuration.Owner(s.accounting.UserName(j.User))
	if name == strconv.FormatUint(uint64(uid), 10) {
		return ""
	}
	return name
}

// expected returns the submissions of the jobs of the queue that accounting has not
// reported. A task that has just left the waiting ones of an array waits for its
// own row: until then the array's row counts it.
func (s *Sidecar) expected() (events []ostrich.Event) {
	p := &s.provisional
	counted := sync.OnceValue(s.waitingArrays)
	p.records = nil
	for _, q := range p.new {
		if _, known := s.accounting.Record(q.Job); known || p.ended[q.Job] >= q.Submit {
			continue
		}
		if _, out := s.skipped[q.Job]; out || (q.Array != 0 && counted()[q.Array]) {
			continue
		}
		w := waiting(q)
		w.TRES, _ = sacct.ReadResources([]byte(p.tres[q.Job]), s.counted.Unit.Named())
		r, ok := s.accounting.Expect(&w)
		if !ok {
			continue
		}
		user := s.nameOf(&r.Job, q.UID)
		if user == "" {
			if len(s.config.Exclude.Users)+len(s.config.Include.Users) > 0 {
				continue // nobody knows yet whether the user is named there
			}
			user = q.User
		}
		r.UserName = user
		p.records = append(p.records, r)
		events = append(events, ostrich.Event{At: r.Job.Submit, Kind: ostrich.Submit, Job: r.Job})
	}
	slices.SortFunc(p.records, func(a, b ledger.Record) int { return cmp.Compare(a.Job.ID, b.Job.ID) })
	return events
}

// waitingArrays returns the job arrays for which accounting has a record of
// waiting tasks.
func (s *Sidecar) waitingArrays() map[ostrich.JobID]bool {
	arrays := make(map[ostrich.JobID]bool)
	for _, r := range s.accounting.Live() {
		if r.ArrayJob != 0 && r.ArrayTask == ledger.NoTask && r.Job.Start == 0 {
			arrays[r.ArrayJob] = true
		}
	}
	return arrays
}

// waiting returns a job of the queue in the reader's terms.
func waiting(q *priority.Queued) ledger.Waiting {
	w := ledger.Waiting{
		ID: q.Job, Array: q.Array, UID: q.UID, User: q.User, Account: q.Account, Partition: q.Partition, QOS: q.QOS,
		Name: q.Name, WCKey: q.WCKey, Comment: q.Comment, Tasks: q.Count, Procs: q.CPUs, Limit: max(0, q.TimeLimit), Submit: q.Submit,
	}
	if leader, _, het := strings.Cut(q.Full, "+"); het {
		if id, err := strconv.ParseUint(leader, 10, 32); err == nil {
			w.Het = ostrich.JobID(id)
		}
	}
	return w
}

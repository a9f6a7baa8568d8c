package slurmdb

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting"
)

// Rows that are told by somebody who has read them elsewhere, from what sacct prints.

// NewLedger returns a ledger for rows that are told. Only what Config says of the
// cluster and of what is read counts, not how to connect.
func NewLedger(c Config) (*Ledger, error) {
	c, err := c.withDefaults()
	if err != nil {
		return nil, err
	}
	l := newLedger(c)
	l.told = told{
		texts: map[string]string{}, paused: map[key][]interval{},
		former: map[uint32]Association{}, qos: map[uint32]string{},
	}
	return l, nil
}

// told is what a ledger remembers of rows that were told.
type told struct {
	texts  map[string]string      // one copy of each
	paused map[key][]interval     // suspensions of unfinished rows
	former map[uint32]Association // of rows, that are not among the present ones
	qos    map[uint32]string      // names
}

// intern returns the one copy of a string that many rows share.
func (t *told) intern(s string) string {
	if known, ok := t.texts[s]; ok {
		return known
	}
	t.texts[s] = s
	return s
}

// Told is a poll in which somebody tells what has been read. Nothing of it counts
// before Enter.
type Told struct {
	l      *Ledger
	f      fetched
	window ostrich.Time
}

// Tell begins a poll at a time.
func (l *Ledger) Tell(now ostrich.Time) *Told {
	return &Told{l: l, f: fetched{now: now}, window: l.begin(now)}
}

// First returns where the history begins, and Window the time from which on ended
// rows are to be told. In the first poll they are one.
func (t *Told) First() ostrich.Time { return t.l.first }

// Window is explained at First.
func (t *Told) Window() ostrich.Time { return t.window }

// Row tells of a row. Rows that are known already, or were before those that are known,
// are dropped. One without a submission cannot be true, which Enter says.
func (t *Told) Row(r *accounting.Row) {
	t.f.read++
	h := t.l.history
	w := t.l.row(r)
	if _, known := h.closed[w.key]; known {
		return
	}
	if _, stale := h.stale[w.key]; stale {
		h.stale[w.key] = h.poll
		return
	}
	if j := h.jobs[w.id]; j != nil && w.submit < j.row.submit && w.submit > 0 {
		return
	}
	t.f.rows = append(t.f.rows, w)
}

// Same tells that an unfinished job is as it was.
func (t *Told) Same(id ostrich.JobID) {
	if j := t.l.history.jobs[id]; j != nil && j.closed == 0 {
		j.poll, j.live = t.l.history.poll, t.f.now
	}
}

// Missed lists the unfinished jobs of which nothing was told in this poll, by id.
func (t *Told) Missed() []ostrich.JobID {
	missed, _ := t.l.history.missed(t.f.rows)
	return missed
}

// Gone tells that accounting has no row of an unfinished job any more.
func (t *Told) Gone(id ostrich.JobID) { t.f.gone = append(t.f.gone, id) }

// Nodes tells of rows of the event table.
func (t *Told) Nodes(rows ...accounting.NodeEvent) {
	t.f.read += len(rows)
	t.f.nodes = append(t.f.nodes, rows...)
}

// Associations tells of all associations that there are.
func (t *Told) Associations(s *accounting.Site) {
	t.f.read += len(s.Accounts) + len(s.Associations)
	t.f.names = newNames()
	for _, a := range s.Accounts {
		t.f.names.assocs[a.ID] = Association{ID: a.ID, Account: a.Name, Parent: a.Parent, Shares: a.Shares}
	}
	for _, a := range s.Associations {
		t.f.names.assocs[a.ID] = Association{ID: a.ID, User: a.User, Account: a.Account, Partition: a.Partition, Shares: a.Shares}
	}
}

// Enter ends the poll: it passes the news to emit as Reader.PollEach does.
func (t *Told) Enter(emit func(ostrich.Event)) Batch {
	l := t.l
	t.f.sort()
	t.f.rows = l.linked(t.f.rows, t.window)
	t.f.pauses = map[uint64][]interval{}
	for i := range t.f.rows {
		if w := &t.f.rows[i]; w.started() && (w.suspended > 0 || w.state == Suspended) {
			w.inx = uint64(i) + 1 // that of the other rows is 0
			t.f.pauses[w.inx] = l.pausesOf(w, t.f.now)
		}
	}
	b, news, machine := l.enter(&t.f)
	for id, a := range l.told.former {
		if _, present := l.names.assocs[id]; !present {
			l.names.assocs[id] = a
		}
	}
	maps.Copy(l.names.qos, l.told.qos)
	maps.DeleteFunc(l.told.paused, func(k key, _ []interval) bool {
		j := l.history.jobs[k.id]
		return j == nil || j.row.key != k
	})
	news.sorted(machine, emit)
	return b
}

// linked drops rows from before the window that are not the earlier runs of a later row
// of the same job: Slurm uses the ids of ended jobs again. The rows are sorted.
func (l *Ledger) linked(rows []row, window ostrich.Time) []row {
	keep := make([]bool, len(rows))
	for i := range slices.Backward(rows) {
		w := &rows[i]
		keep[i] = w.end == 0 || w.end >= window || l.history.jobs[w.id] != nil ||
			i+1 < len(rows) && rows[i+1].id == w.id && keep[i+1] && follows(w, &rows[i+1])
	}
	kept := rows[:0]
	for i := range rows {
		if keep[i] {
			kept = append(kept, rows[i])
		}
	}
	return kept
}

// row returns a row that was told as the one that the tables have.
func (l *Ledger) row(r *accounting.Row) row {
	state, known := parseState(r.State)
	w := row{
		key: key{r.ID, r.Submit}, start: r.Start, end: r.End, eligible: r.Eligible,
		state: state, limit: minutes(r.Limit), uid: r.UID, assoc: r.Assoc, qos: r.QOSNumber, array: r.Array, het: r.Het, task: NoTask,
		tasks: uint32(min(max(r.Tasks, 1), maxTasks)), partition: l.told.intern(r.Partition), extra: &none,
	}
	if r.Task >= 0 {
		w.task = uint32(r.Task)
	}
	if w.end == 0 {
		w.extra = &extra{account: l.told.intern(r.Account), name: r.Name}
	}
	w.pauses(0, uint64(max(0, r.Suspended)))
	l.config.fill(&w, said{name: []byte(r.Name), comment: []byte(r.Comment), wckey: []byte(r.WCKey)})
	if _, present := l.names.assocs[r.Assoc]; !present && r.Assoc != 0 {
		l.told.former[r.Assoc] = Association{ID: r.Assoc, User: l.told.intern(r.User), Account: l.told.intern(r.Account), Shares: 1, Deleted: true}
	}
	if _, named := l.told.qos[r.QOSNumber]; !named {
		l.told.qos[r.QOSNumber] = r.QOS
	}
	req, alloc := w.holds(uint64(r.Asked), uint64(r.Held))
	switch err := w.processors(req, alloc); {
	case r.Impossible != "":
		w.refuse(errors.New(r.Impossible))
	case !known:
		w.refuse(fmt.Errorf("sacct: state %q: not one of accounting's", r.State))
	case req == 0:
		w.refuse(errUnfinished("asks for no processor"))
	case err != nil:
		w.refuse(err)
	}
	return w
}

// pausesOf returns the suspensions of a row, of which sacct prints the sum alone, at
// present too. From poll to poll that tells of each when it began and ended, if it was the
// only one between them. What a job had before it was first seen counts as one suspension
// right after its start.
func (l *Ledger) pausesOf(w *row, now ostrich.Time) []interval {
	j := l.history.jobs[w.id]
	seen := j != nil && j.row.key == w.key
	all, known := l.told.paused[w.key]
	if !known && !seen && w.end != 0 && w.state != Resizing {
		return nil // the sum is all that counts; what follows a resize has to begin with it
	}
	all = slices.Clone(all)
	sum, last := ostrich.Time(0), w.start
	for _, p := range all {
		if p.end != 0 {
			sum, last = sum+p.end-p.start, p.end
		}
	}
	more := max(0, ostrich.Time(min(w.suspended, 1<<40))-sum)
	open := len(all) > 0 && all[len(all)-1].end == 0
	latest := now
	if w.end != 0 {
		latest = w.end
	}
	switch {
	case w.state == Suspended && w.end == 0:
		if !open {
			all = append(all, interval{start: max(last, now-more)})
		}
	case open:
		p := &all[len(all)-1]
		p.end = max(p.start+1, min(p.start+more, latest))
	case more > 0 && seen:
		all = append(all, interval{max(last, latest-more), latest})
	case more > 0:
		all = append(all, interval{last, min(last+more, latest)})
	}
	l.told.paused[w.key] = all
	return all
}

// Describe returns the record of a row, ended or not. It does not depend on polls and
// does not change what polls report.
func (l *Ledger) Describe(r *accounting.Row) Record {
	w := l.row(r)
	if _, known := l.names.assocs[w.assoc]; !known && w.assoc != 0 {
		l.names.assocs[w.assoc] = l.told.former[w.assoc]
	}
	l.names.qos[w.qos] = l.told.qos[w.qos]
	l.names.uids[w.uid] = w.assoc
	t := &tracked{row: w, job: l.history.job(&w)}
	if w.started() {
		t.job.Start, t.job.Procs, t.job.Suspended = w.start, int(w.alloc), r.Suspended
	}
	t.job.End = w.end
	found := l.record(t)
	found.State = w.state
	if found.Name == "" {
		found.Name, found.Account = r.Name, r.Account
	}
	return found
}

// parseState returns the state with a name of Slurm's, see State.String, and reports
// whether there is one.
func parseState(name string) (State, bool) {
	for _, s := range []State{Requeued, Resizing, Revoked} {
		if s.String() == name {
			return s, true
		}
	}
	i := slices.Index(stateNames[:], name)
	return State(max(i, 0)), i >= 0
}

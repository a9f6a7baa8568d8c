package slurmdb

import (
	"errors"
	"maps"
	"slices"

	"slurm-ostrich/ostrich"
)

// Rows that are told by somebody who has read them elsewhere, from what sacct prints.

// Entry is a row of the job table as sacct prints it. The fields Asked, Held, Class,
// NameClass and ScriptClass of the row mean nothing.
type Entry struct {
	Row

	Task                       uint32 // of the array, or NoTask
	Het                        ostrich.JobID
	User, QOSName, Name, WCKey string // User is that of the association
	Comment                    string
}

// NodeEvent is a row of the event table: an outage of a node, or a size of the cluster
// if Node is "".
type NodeEvent struct {
	Node        string
	From, To    ostrich.Time // To is 0 while it lasts
	State       uint32       // as Slurm stores it, with its flags
	CPUs, Nodes uint64
}

// NewLedger returns a ledger for rows that are told. Only what Config says of the
// cluster and of what is read counts, not how to connect.
func NewLedger(c Config) (*Ledger, error) {
	c, err := c.withDefaults()
	if err != nil {
		return nil, err
	}
	known := map[string]bool{"job_name": true, "derived_es": true, "wckey": true}
	l := newLedger(c, newSaying(c, &schema{columns: map[string]map[string]bool{"job_table": known}}))
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
func (t *Told) Row(e *Entry) {
	t.f.read++
	h := t.l.history
	w := t.l.row(e)
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
	h := t.l.history
	found := make(map[key]bool, len(t.f.rows))
	for i := range t.f.rows {
		found[t.f.rows[i].key] = true
	}
	var missed []ostrich.JobID
	for id, j := range h.jobs {
		if j.poll != h.poll && j.closed == 0 && !found[j.row.key] {
			missed = append(missed, id)
		}
	}
	slices.Sort(missed)
	return missed
}

// Gone tells that accounting has no row of an unfinished job any more.
func (t *Told) Gone(id ostrich.JobID) { t.f.gone = append(t.f.gone, id) }

// Node tells of a row of the event table.
func (t *Told) Node(n NodeEvent) {
	t.f.read++
	t.f.nodes = append(t.f.nodes, nodeRow{name: n.Node, start: n.From, end: n.To, state: n.State, cpus: n.CPUs, size: n.Nodes})
}

// Associations tells of all associations that there are.
func (t *Told) Associations(all []Association) {
	t.f.read += len(all)
	t.f.names = newNames()
	for _, a := range all {
		t.f.names.assocs[a.ID] = a
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

// row returns an entry as the row that the tables have.
func (l *Ledger) row(e *Entry) row {
	w := row{
		key: key{e.ID, e.Submit}, start: e.Start, end: e.End, eligible: e.Eligible,
		state: e.State, limit: noVal, uid: e.UID, assoc: e.Assoc, qos: e.QOS, array: e.Array, het: e.Het, task: e.Task,
		tasks: min(max(e.Tasks, 1), maxTasks), partition: l.told.intern(e.Partition), extra: &none,
	}
	if e.Limit > 0 {
		w.limit = uint32(min((e.Limit+59)/60, noVal-1))
	}
	if w.end == 0 {
		w.extra = &extra{account: l.told.intern(e.Account), name: e.Name}
	}
	w.pauses(0, uint64(max(0, e.Suspended)))
	var s said
	if l.saying.name > 0 {
		s.name = []byte(e.Name)
	}
	if l.saying.comment > 0 {
		s.comment = []byte(e.Comment)
	}
	if l.saying.wckey > 0 {
		s.wckey = []byte(e.WCKey)
	}
	l.saying.fill(&w, s)
	if _, known := l.names.assocs[e.Assoc]; !known && e.Assoc != 0 {
		l.told.former[e.Assoc] = Association{ID: e.Assoc, User: l.told.intern(e.User), Account: l.told.intern(e.Account), Shares: 1, Deleted: true}
	}
	if _, known := l.told.qos[e.QOS]; !known {
		l.told.qos[e.QOS] = e.QOSName
	}
	req, alloc := w.holds(uint64(e.Req), uint64(e.Alloc))
	switch err := w.processors(req, alloc); {
	case e.Impossible != "":
		w.refuse(errors.New(e.Impossible))
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

// Describe returns the record of an entry, ended or not. It does not depend on polls and
// does not change what polls report.
func (l *Ledger) Describe(e *Entry) Record {
	w := l.row(e)
	if _, known := l.names.assocs[w.assoc]; !known && w.assoc != 0 {
		l.names.assocs[w.assoc] = l.told.former[w.assoc]
	}
	l.names.qos[w.qos] = l.told.qos[w.qos]
	l.names.uids[w.uid] = w.assoc
	t := &tracked{row: w, job: l.history.job(&w)}
	if w.started() {
		t.job.Start, t.job.Procs, t.job.Suspended = w.start, int(w.alloc), e.Suspended
	}
	t.job.End = w.end
	found := l.record(t)
	found.State = w.state
	if found.Name == "" {
		found.Name, found.Account = e.Name, e.Account
	}
	return found
}

// ParseState returns the state with a name of Slurm's, see State.String, and reports
// whether there is one.
func ParseState(name string) (State, bool) {
	if i := slices.Index(stateNames[:], name); i >= 0 {
		return State(i), true
	}
	for _, s := range []State{Requeued, Resizing, Revoked} {
		if s.String() == name {
			return s, true
		}
	}
	return 0, false
}

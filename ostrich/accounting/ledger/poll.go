package ledger

import (
	"maps"
	"slices"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting"
	"slurm-ostrich/ostrich/accounting/tools"
)

// Poll collects what one poll has read. Nothing of it counts before Enter. sacct's rows
// come in by Row and Same, those of the tables by Add, in this order: rows that have not
// ended and are not Unchanged, rows that have ended and are not Over, those of jobs that
// are Missed, Earlier ones, and the suspensions of those Paused.
type Poll struct {
	First  ostrich.Time // where the history begins
	Window ostrich.Time // ended rows are needed from then on; in the first poll that is First

	Now ostrich.Time // on the clock by which rows have their times

	l       *Ledger
	read    int
	rows    rows                           // new or changed
	found   map[accounting.Key]bool        // by Missed: the keys of rows
	began   map[ostrich.JobID]ostrich.Time // by Earlier: submission of the earliest row read
	gone    []ostrich.JobID
	pauses  map[uint64][]interval // by job_db_inx
	nodes   []accounting.NodeEvent
	names   *names             // nil if unchanged
	factors map[string]float64 // nil if not read
	tables  bool               // the rows are those of the tables
}

// Begin begins a poll. now is the time on the clock of the database, or of slurmctld.
func (l *Ledger) Begin(now ostrich.Time) *Poll {
	l.history.poll++
	if l.cold {
		l.first = max(0, now-ostrich.Time(max(l.config.History, l.config.Overlap)))
	}
	return &Poll{First: l.first, Window: l.window(), l: l, Now: now, pauses: map[uint64][]interval{}}
}

// Row adds a row. It drops a row that was reported to its end, and one that is earlier than
// the known row of its job. It keeps one without a submission, which Enter reports as
// impossible. Row completes r.
func (p *Poll) Row(r *accounting.Row) {
	p.read++
	h := p.l.history
	w := p.l.read(r)
	if _, known := h.closed[w.Key]; known {
		return
	}
	if _, stale := h.stale[w.Key]; stale {
		h.stale[w.Key] = h.poll
		return
	}
	if j := h.jobs[w.ID]; j != nil && w.Submit < j.row.Submit && w.Submit > 0 {
		return
	}
	p.rows.add(&w)
}

// Same records that an unfinished job is unchanged.
func (p *Poll) Same(id ostrich.JobID) {
	if j := p.l.history.jobs[id]; j != nil && j.closed == 0 {
		j.poll, j.live = p.l.history.poll, p.Now
	}
}

// Missed lists the unfinished jobs of which this poll has no row, and which it does not
// know to be unchanged, by id.
func (p *Poll) Missed() (missed []ostrich.JobID) {
	missed, p.found = p.l.history.missed(&p.rows)
	return missed
}

// Grow makes room for a number of rows.
func (p *Poll) Grow(rows int) { p.rows.list = slices.Grow(p.rows.list, rows) }

// Add adds a row of the tables. sum is a hash of what was read of it, see Unchanged.
func (p *Poll) Add(r *accounting.Row, sum uint64) {
	w := p.l.row(r)
	if sum != 0 {
		x := *w.extra
		x.sum, w.extra = sum, &x
	}
	p.rows.add(&w)
}

// Unchanged notes that accounting has a row of a job that has not ended, and reports
// whether nothing new is in it.
func (p *Poll) Unchanged(k accounting.Key, sum uint64) bool {
	h := p.l.history
	if t := h.jobs[k.ID]; t != nil && t.row.Key == k && t.closed == 0 {
		t.poll, t.live = h.poll, p.Now
		if t.row.sum == sum {
			return true
		}
	}
	if _, stale := h.stale[k]; stale {
		h.stale[k] = h.poll
		return true
	}
	return false
}

// Over reports whether a row has been reported to its end, or belongs to a job that a
// later one has replaced.
func (p *Poll) Over(k accounting.Key) bool {
	_, closed := p.l.history.closed[k]
	_, stale := p.l.history.stale[k]
	return closed || stale
}

// IsMissed reports whether a row is needed of a job that is Missed.
func (p *Poll) IsMissed(k accounting.Key) bool {
	if k.Submit < p.l.history.jobs[k.ID].row.Submit || p.found[k] {
		return false
	}
	p.found[k] = true
	return true
}

// Earlier lists new jobs that may have rows from before the window, which a requeue or a
// resize closed.
func (p *Poll) Earlier() (ids []ostrich.JobID) {
	p.rows.sort()
	p.began = map[ostrich.JobID]ostrich.Time{}
	for i := range p.rows.len() {
		w := p.rows.at(i)
		if i > 0 && p.rows.list[i-1].id == uint32(w.ID) || p.l.history.jobs[w.ID] != nil {
			continue
		}
		if w.Submit < p.Window || w.started() && w.start < w.Submit-1 {
			ids = append(ids, w.ID)
			p.began[w.ID] = w.Submit
		}
	}
	return ids
}

// IsEarlier reports whether a row is needed of a job that is in Earlier.
func (p *Poll) IsEarlier(k accounting.Key) bool { return k.Submit < p.began[k.ID] && !p.Over(k) }

// Paused lists the records that were or are suspended. No row comes in after it.
func (p *Poll) Paused() (records []uint64) {
	p.link()
	p.tables = true
	for i := range p.rows.len() {
		if w := p.rows.special(i); w != nil && w.paused() {
			records = append(records, w.inx)
		}
	}
	return records
}

// Pause adds a suspension of a record; to is 0 while it lasts.
func (p *Poll) Pause(record uint64, from, to ostrich.Time) {
	p.pauses[record] = append(p.pauses[record], interval{from, to})
}

// Gone records that accounting has no row of an unfinished job any more.
func (p *Poll) Gone(id ostrich.JobID) { p.gone = append(p.gone, id) }

// Nodes adds rows of the event table.
func (p *Poll) Nodes(rows ...accounting.NodeEvent) {
	p.read += len(rows)
	p.nodes = append(p.nodes, rows...)
}

// Associations sets the associations; those that it does not name count as deleted.
func (p *Poll) Associations(s *accounting.Site) {
	p.read += len(s.Accounts) + len(s.Associations)
	p.names = newNames()
	for _, a := range s.Accounts {
		p.names.assocs[a.ID] = Association{ID: a.ID, Account: a.Name, Parent: a.Parent, Shares: a.Shares}
	}
	for _, a := range s.Associations {
		p.names.assocs[a.ID] = Association{ID: a.ID, User: a.User, Account: a.Account, Partition: a.Partition, Shares: a.Shares}
	}
}

// Names sets all associations and QOS, with those that are deleted.
func (p *Poll) Names(associations map[uint32]Association, qos map[uint32]string) {
	p.names = &names{assocs: associations, qos: qos, whole: true}
}

// Factors sets what the jobs of each QOS are charged, as a multiple of what they take
// (UsageFactor). A poll that does not set it keeps what is known.
func (p *Poll) Factors(byQOS map[string]float64) { p.factors = byQOS }

// NewQOS reports whether a row has a QOS without a name.
func (p *Poll) NewQOS() bool {
	for i := range p.rows.len() {
		w := p.rows.at(i)
		if _, named := p.l.names.qos[w.qos]; !named && w.qos != 0 {
			return true
		}
	}
	return false
}

// Enter ends the poll. It passes the new events one by one to emit, in the order of
// ostrich.Compare.
func (p *Poll) Enter(emit func(ostrich.Event)) Batch {
	l := p.l
	if p.tables {
		return p.enter(emit)
	}
	p.link()
	for i := range p.rows.len() {
		if w := p.rows.special(i); w != nil && w.paused() {
			x := *w.extra
			x.inx, w.extra = uint64(i)+1, &x // that of the other rows is 0
			p.pauses[w.inx] = l.pausesOf(w, p.Now)
		}
	}
	b := p.enter(emit)
	maps.DeleteFunc(l.paused, func(k accounting.Key, _ []interval) bool {
		j := l.history.jobs[k.ID]
		return j == nil || j.row.Key != k
	})
	return b
}

// read completes a row of sacct, and makes of it what is kept.
func (l *Ledger) read(r *accounting.Row) row {
	r.Partition, r.Account = l.texts.Of([]byte(r.Partition)), l.texts.Of([]byte(r.Account))
	l.config.Say(r, &tools.Texts{
		Name: []byte(r.Name), Comment: []byte(r.Comment), WCKey: []byte(r.WCKey), Folder: []byte(r.Folder), Line: []byte(r.Line),
	}, 0)
	if _, present := l.names.assocs[r.Assoc]; !present && r.Assoc != 0 { // It is none of the present ones.
		l.names.assocs[r.Assoc] = Association{ID: r.Assoc, User: r.User, Account: r.Account, Deleted: true}
	}
	if _, named := l.names.qos[r.QOSNumber]; !named {
		l.names.qos[r.QOSNumber] = r.QOS
	}
	r.Settle()
	return l.row(r)
}

// pausesOf returns the suspensions of a row. sacct prints only their sum, including a present
// one. Its growth from poll to poll shows when a suspension began and ended, if it was the
// only one in between. What a job had before it was first seen counts as one suspension
// right after its start.
func (l *Ledger) pausesOf(w *row, now ostrich.Time) []interval {
	j := l.history.jobs[w.ID]
	seen := j != nil && j.row.Key == w.Key
	all, known := l.paused[w.Key]
	if !known && !seen && w.end != 0 && w.state != accounting.Resizing {
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
	case w.state == accounting.Suspended && w.end == 0:
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
	l.paused[w.Key] = all
	return all
}

// Describe returns the record of a row of sacct, as RecordOf does, and completes r.
func (l *Ledger) Describe(r *accounting.Row) Record {
	w := l.read(r)
	l.names.uids[w.uid] = w.assoc
	return l.RecordOf(r, r.Suspended)
}

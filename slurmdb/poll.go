package slurmdb

import (
	"maps"
	"slices"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting"
)

// NewLedger returns a ledger for rows that the caller reads, see Poll. It ignores the
// fields of Config that say how to connect.
func NewLedger(c Config) (*Ledger, error) {
	c, err := c.withDefaults()
	if err != nil {
		return nil, err
	}
	return newLedger(c), nil
}

// Poll collects what one poll has read: a Reader fills it from the tables, or a caller by
// its methods. Nothing of it counts before Enter.
type Poll struct {
	First  ostrich.Time // where the history begins
	Window ostrich.Time // ended rows are needed from then on; in the first poll that is First

	l      *Ledger
	now    ostrich.Time
	read   int
	rows   []row // new or changed
	gone   []ostrich.JobID
	pauses map[uint64][]interval // by job_db_inx
	nodes  []accounting.NodeEvent
	names  *names // nil if unchanged
}

// Begin begins a poll. now is the time on the clock of the database, or of slurmctld.
func (l *Ledger) Begin(now ostrich.Time) *Poll {
	l.history.poll++
	if l.cold {
		l.first = max(0, now-ostrich.Time(max(l.config.History, l.config.Overlap)))
	}
	return &Poll{First: l.first, Window: l.window(), l: l, now: now, pauses: map[uint64][]interval{}}
}

// Row adds a row. It drops a row that was reported to its end, and one that is earlier than
// the known row of its job. It keeps one without a submission, which Enter reports as
// impossible. Row completes r.
func (p *Poll) Row(r *accounting.Row) {
	p.read++
	h := p.l.history
	w := p.l.read(r)
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
	p.rows = append(p.rows, w)
}

// Same records that an unfinished job is unchanged.
func (p *Poll) Same(id ostrich.JobID) {
	if j := p.l.history.jobs[id]; j != nil && j.closed == 0 {
		j.poll, j.live = p.l.history.poll, p.now
	}
}

// Missed lists the unfinished jobs for which this poll has neither a Row nor Same, by id.
func (p *Poll) Missed() []ostrich.JobID {
	missed, _ := p.l.history.missed(p.rows)
	return missed
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

// Enter ends the poll: it passes the new events to emit as Reader.PollEach does.
func (p *Poll) Enter(emit func(ostrich.Event)) Batch {
	l := p.l
	p.link()
	for i := range p.rows {
		if w := &p.rows[i]; w.paused() {
			x := *w.extra
			x.inx, w.extra = uint64(i)+1, &x // that of the other rows is 0
			p.pauses[w.inx] = l.pausesOf(w, p.now)
		}
	}
	b := p.enter(emit)
	maps.DeleteFunc(l.paused, func(k key, _ []interval) bool {
		j := l.history.jobs[k.id]
		return j == nil || j.row.key != k
	})
	return b
}

// read completes a row of sacct, and makes of it what is kept.
func (l *Ledger) read(r *accounting.Row) row {
	r.Partition, r.Account = l.texts.Of([]byte(r.Partition)), l.texts.Of([]byte(r.Account))
	l.config.say(r, said{name: []byte(r.Name), comment: []byte(r.Comment), wckey: []byte(r.WCKey)})
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
	j := l.history.jobs[w.id]
	seen := j != nil && j.row.key == w.key
	all, known := l.paused[w.key]
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
	l.paused[w.key] = all
	return all
}

// Describe returns the record of a row, ended or not. It does not depend on polls and
// does not change what polls report.
func (l *Ledger) Describe(r *accounting.Row) Record {
	w := l.read(r)
	l.names.uids[w.uid] = w.assoc
	return l.describe(&w, r, r.Suspended)
}

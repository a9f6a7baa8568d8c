package ledger

import (
	"cmp"
	"maps"
	"slices"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting"
)

// Ledger turns rows of the job table into events, see Poll. It is not safe for concurrent
// use.
type Ledger struct {
	config Config

	history *history
	machine *machine
	names   *names
	shares  *ostrich.Shares // as last reported

	cold   bool
	first  ostrich.Time // where history begins
	newest ostrich.Time // end of the row that ended last, never after the clock
	latest ostrich.Time // of all times in the rows, never after the clock

	needs  needs
	texts  accounting.Texts
	paused map[accounting.Key][]interval // suspensions of unfinished rows of sacct, see pausesOf
}

// New returns a ledger of which the next poll is the first. c needs an Overlap and a
// DefaultLimit.
func New(c Config) *Ledger {
	n := newNames()
	return &Ledger{
		config: c, history: newHistory(c, n), machine: newMachine(&c), names: n, cold: true,
		needs: needs{gres: accounting.Texts{}}, texts: accounting.Texts{}, paused: map[accounting.Key][]interval{},
	}
}

// Batch is what a poll found.
type Batch struct {
	Now     ostrich.Time // the database's clock when the poll began
	Rows    int          // rows read of all tables
	Skipped []Skip       // rows that cannot be true, each reported once, sorted by job
}

// Divide replaces what is known of the machine. The pools must be those of Config, with
// other nodes perhaps. The next poll reports what is different, as of its own time.
func (l *Ledger) Divide(s Site) {
	l.machine.divide(&s)
	l.history.config.Site, l.history.redefined = s, true
}

// window returns the time from which on closed rows are read: the newest end less
// the overlap, and never before the history.
func (l *Ledger) window() ostrich.Time {
	return max(l.first, l.newest-ostrich.Time(l.config.Overlap))
}

// Cold reports whether the next poll is the first.
func (l *Ledger) Cold() bool { return l.cold }

// Latest is the latest time in all rows, never after the clock.
func (l *Ledger) Latest() ostrich.Time { return l.latest }

// Remembered is how many things the ledger remembers of rows that have ended, or that it
// has left out.
func (l *Ledger) Remembered() int {
	return len(l.history.closed) + len(l.history.stale) + len(l.history.bad)
}

// NodeWindow returns the time before which closed rows of the event table are not read
// again.
func (l *Ledger) NodeWindow() ostrich.Time {
	return l.machine.newest - ostrich.Time(l.config.Overlap)
}

// link sorts the rows, keeps the last version of each, as a job may end between two queries,
// and drops those from before the window that are not the earlier runs of a later row of the
// same job: Slurm uses the ids of ended jobs again.
func (p *Poll) link() {
	p.rows.sort()
	keep := make([]bool, p.rows.len())
	var next row
	for i := range slices.Backward(keep) {
		w := p.rows.at(i)
		keep[i] = w.end == 0 || w.end >= p.Window || p.l.history.jobs[w.ID] != nil ||
			i+1 < len(keep) && next.ID == w.ID && keep[i+1] && follows(&w, &next)
		next = w
	}
	p.rows.only(keep)
}

// enter processes what the poll has read, and passes the new events to emit. link must
// come before.
func (p *Poll) enter(emit func(ostrich.Event)) Batch {
	l := p.l
	h := l.history
	for i := range p.rows.len() {
		w := p.rows.at(i)
		l.names.uids[w.uid] = w.assoc
		for _, at := range []ostrich.Time{w.Submit, w.start, w.end} {
			if at <= p.Now {
				l.latest = max(l.latest, at)
			}
		}
		if w.end <= p.Now {
			l.newest = max(l.newest, w.end)
		}
	}
	if p.names != nil {
		l.names.replace(p.names)
	}
	if p.factors != nil && !maps.Equal(p.factors, l.names.factors) {
		l.names.factors, h.redefined = p.factors, true
	}
	h.update(p.Now, l.window(), &p.rows, p.pauses, p.gone)
	b := Batch{Now: p.Now, Rows: p.read, Skipped: h.skipped}
	since := p.Now
	if l.cold {
		since = h.log.first(since)
	}
	machine := l.machine.update(p.Now, since, l.NodeWindow(), p.nodes)
	if p.names != nil && l.config.Shares == Tree {
		if s := p.names.shares(); l.shares == nil || !slices.Equal(l.shares.Accounts, s.Accounts) || !slices.Equal(l.shares.Users, s.Users) {
			l.shares = s
			machine = append(machine, ostrich.Event{At: since, Kind: ostrich.Reshare, Shares: s})
		}
	}
	slices.SortStableFunc(b.Skipped, func(a, b Skip) int { return cmp.Compare(a.Job, b.Job) })
	news := h.log
	h.log, h.made, h.skipped, h.pauses, l.cold = log{}, map[int]*ostrich.Job{}, nil, nil, false
	news.sorted(machine, func(e logged) ostrich.Event { return h.again(&p.rows, e) }, emit)
	h.spare, h.unused, h.log, h.made, p.rows = nil, nil, log{}, nil, rows{}
	l.needs.forget(h.jobs, p.Now)
	return b
}

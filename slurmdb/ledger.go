package slurmdb

import (
	"cmp"
	"slices"

	"slurm-ostrich/ostrich"
)

// Ledger turns rows of the job table into events, whoever has read the rows: a Reader
// from the tables, or somebody else from what sacct prints of them, see Told. It reads
// nothing itself. It is not safe for concurrent use.
type Ledger struct {
	config Config

	history *history
	machine *machine
	names   *names
	shares  *ostrich.Shares // as last reported

	cold   bool
	first  ostrich.Time // where history begins
	newest ostrich.Time // end of the row that ended last, never after the clock
	latest ostrich.Time // of all that the rows told, never after the clock

	told told // what is remembered of rows that were told
}

func newLedger(c Config) *Ledger {
	return &Ledger{config: c, history: newHistory(c), machine: newMachine(c.Pools), names: newNames(), cold: true}
}

// Partitions takes over what the controller says of its partitions now: the nodes of the
// pools, which are those of Config, and the time limits. The next poll reports what is
// different, as of its own time.
func (l *Ledger) Partitions(pools []Pool, maxTime map[string]ostrich.Duration) {
	l.machine.divide(pools)
	l.history.config.MaxTime, l.history.relimited = maxTime, true
}

// begin begins a poll at a time, and returns the time from which on closed rows are read.
func (l *Ledger) begin(now ostrich.Time) (window ostrich.Time) {
	l.history.poll++
	if l.cold {
		l.first = max(0, now-ostrich.Time(max(l.config.History, l.config.Overlap)))
	}
	return l.window()
}

// window returns the time from which on closed rows are read: the newest end less
// the overlap, and never before the history.
func (l *Ledger) window() ostrich.Time {
	return max(l.first, l.newest-ostrich.Time(l.config.Overlap))
}

// newestNodeWindow returns the time before which closed rows of the event table
// are not read again.
func (l *Ledger) newestNodeWindow() ostrich.Time {
	return l.machine.newest - ostrich.Time(l.config.Overlap)
}

// enter takes over what a poll has read, and returns the news.
func (l *Ledger) enter(f *fetched) (b Batch, news log, machine []ostrich.Event) {
	h := l.history
	for i := range f.rows {
		w := &f.rows[i]
		for _, at := range []ostrich.Time{w.submit, w.start, w.end} {
			if at <= f.now {
				l.latest = max(l.latest, at)
			}
		}
		if w.end <= f.now {
			l.newest = max(l.newest, w.end)
		}
	}
	h.update(f.now, l.window(), f.rows, f.pauses, f.gone)
	b = Batch{Now: f.now, Rows: f.read, Skipped: h.skipped}
	since := f.now
	if l.cold {
		since = h.log.first(since)
	}
	machine = l.machine.update(f.now, since, l.newestNodeWindow(), f.nodes)
	if f.names != nil {
		l.names.replace(f.names)
		if s := f.names.shares(); l.config.Shares == Tree && (l.shares == nil || !equalShares(l.shares, s)) {
			l.shares = s
			machine = append(machine, ostrich.Event{At: since, Kind: ostrich.Reshare, Shares: s})
		}
	}
	for i := range f.rows {
		l.names.uids[f.rows[i].uid] = f.rows[i].assoc
	}
	slices.SortStableFunc(b.Skipped, func(a, b Skip) int { return cmp.Compare(a.Job, b.Job) })
	h.skipped, h.pauses, f.rows, l.cold = nil, nil, nil, false
	news, h.log = h.log, log{}
	return b, news, machine
}

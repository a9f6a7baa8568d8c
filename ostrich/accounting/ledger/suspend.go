package ledger

import (
	"cmp"
	"slices"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting"
)

// interval is a suspension; end 0 means that it goes on.
type interval struct{ start, end ostrich.Time }

// suspensions reports the new ones. It leaves out those that began and ended
// within one second, and ends that are also the end of the job.
func (h *history) suspensions(t *tracked, w *row) {
	all := merge(h.pauses[w.inx], w.start, w.end)
	if len(all) == 0 {
		return
	}
	t.job.Suspended = t.prior
	for i, p := range all {
		if i >= t.pauses {
			h.report(t, ostrich.Suspend, p.start)
			t.pauses, t.paused = i+1, true
		}
		if p.end == 0 {
			break
		}
		t.job.Suspended += ostrich.Duration(p.end - p.start)
		if i == t.pauses-1 && t.paused && p.end != w.end {
			h.report(t, ostrich.Resume, p.end)
			t.paused = false
		}
	}
}

// merge sorts suspensions, clips them to the run and joins those that touch. In a
// run that has ended, all have an end.
func merge(all []interval, start, end ostrich.Time) []interval {
	all = slices.Clone(all)
	slices.SortFunc(all, func(a, b interval) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.end, b.end))
	})
	var merged []interval
	for _, p := range all {
		p.start = max(p.start, start)
		if end != 0 && (p.end == 0 || p.end > end) {
			p.end = end
		}
		if p.end != 0 && p.end <= p.start {
			continue
		}
		if n := len(merged); n > 0 && (merged[n-1].end == 0 || p.start <= merged[n-1].end) {
			if merged[n-1].end != 0 && (p.end == 0 || p.end > merged[n-1].end) {
				merged[n-1].end = p.end
			}
			continue
		}
		merged = append(merged, p)
	}
	return merged
}

// suspended returns how long the ending run was suspended. If the suspend table
// holds nothing, it uses the row's own sum.
func (t *tracked) suspended(end ostrich.Time) ostrich.Duration {
	ran := ostrich.Duration(end - t.job.Start)
	if t.pauses > 0 || t.row.suspended == 0 {
		return min(t.job.Suspended, ran)
	}
	rest := ostrich.Duration(min(t.row.suspended, accounting.Infinite))
	if rest > ran {
		// While a job is suspended, Slurm stores that moment less the sum so far.
		rest = max(0, ostrich.Duration(end)-rest)
	}
	return min(t.prior+rest, ran)
}

package replay

import (
	"cmp"
	"slices"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting"
	"slurm-ostrich/ostrich/plural"
	"slurm-ostrich/ostrich/report"
)

// preempts reports whether jobs make room for others in the replay.
func (s *Study) preempts() bool { return s.placement != nil && s.placement.floor.Preempts() }

// rejoined finds the rows of jobs that were preempted and requeued, if jobs make room in the replay, too: then a
// job is what it was when the user submitted it. It returns -1 for the rows that go on in another one, for the last rows of such jobs when
// the first could start, and 0 for all others.
func (s *Study) rejoined(h *accounting.History) []ostrich.Time {
	first := make([]ostrich.Time, len(h.Jobs))
	if !s.preempts() {
		return first
	}
	order := make([]int, 0, len(h.Jobs))
	for i := range h.Jobs {
		if h.Jobs[i].Count() == 1 {
			order = append(order, i)
		}
	}
	slices.SortFunc(order, func(a, b int) int {
		x, y := &h.Jobs[a], &h.Jobs[b]
		return cmp.Or(cmp.Compare(x.ID, y.ID), cmp.Compare(x.Submit, y.Submit), cmp.Compare(a, b))
	})
	for k := 1; k < len(order); k++ {
		i, next := order[k-1], order[k]
		x, y := &h.Jobs[i], &h.Jobs[next]
		// slurmctld writes the row of a preempted job as PREEMPTED, and the next one as it writes that of a requeued one.
		if x.ID != y.ID || x.State != accounting.Preempted || !accounting.Requeued.GoesOn(x.End, y.Submit) || y.Start == 0 && (y.End != 0 || y.Eligible == 0) {
			continue // one that was cancelled before it ran again was the last run
		}
		first[next] = cmp.Or(max(0, first[i]), max(x.Submit, min(x.Eligible, x.Start)))
		first[i] = -1
	}
	return first
}

// made says how many jobs of a run made room for others, and what that cost; "" if none did.
func made(run string, jobs []report.Job) string {
	n, times, cancelled, lost := 0, 0, 0, 0.0
	for i := range jobs {
		j := &jobs[i]
		if j.Preempted == 0 {
			continue
		}
		n, times = n+1, times+int(j.Preempted)
		lost += float64(j.Lost) * float64(j.Procs)
		if j.Cancelled {
			cancelled++
		}
	}
	if n == 0 {
		return ""
	}
	return plural.Sprintf("%s: %d job{|s} made room for others, %d time{|s}; %d {was|were} cancelled so, and %.0f core-hours of runs that began again were in vain.",
		run, n, times, cancelled, lost/3600)
}

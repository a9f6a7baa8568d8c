package sim

import (
	"cmp"
	"slices"

	"slurm-ostrich/ostrich"
)

// Pieces cuts a log at its downtimes, which are times of at least quiet
// seconds during which no job ran and none was submitted (thesis 5.5). Each
// job is in the piece in which it started; one that was queued before the
// downtime counts as submitted at the beginning of that piece, with its first
// event. The log must be sorted by Submit, and so is each piece.
func Pieces(log []Job, quiet ostrich.Duration) [][]Job {
	if len(log) == 0 {
		return nil
	}
	// What shows that the machine is up: from Start to end, and submissions.
	type life struct{ from, to ostrich.Time }
	signs := make([]life, 0, 2*len(log))
	for i := range log {
		l := &log[i]
		signs = append(signs, life{l.Submit, l.Submit}, life{l.Start, l.end()})
	}
	slices.SortFunc(signs, func(a, b life) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to)) })
	begins := []ostrich.Time{signs[0].from} // of the pieces
	last := signs[0].to
	for _, s := range signs {
		if ostrich.Duration(s.from-last) >= max(1, quiet) {
			begins = append(begins, s.from)
		}
		last = max(last, s.to)
	}
	pieces := make([][]Job, len(begins))
	for i := range log {
		l := log[i]
		n, found := slices.BinarySearch(begins, l.Start)
		if !found {
			n-- // the latest that begins before
		}
		l.Submit = max(l.Submit, begins[n])
		pieces[n] = append(pieces[n], l)
	}
	pieces = slices.DeleteFunc(pieces, func(p []Job) bool { return len(p) == 0 })
	for _, p := range pieces {
		slices.SortStableFunc(p, func(a, b Job) int { return cmp.Compare(a.Submit, b.Submit) })
	}
	return pieces
}

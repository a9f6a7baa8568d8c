package replay

import (
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting"
)

// What was there before the window and did not last until then is not in the record. So jobs that ran when it began are put where they
// ran, and those that waited are kept waiting until then: they would all have found nodes at once.

// opening is until when jobs have to have started, or to have come, that are taken to have run or waited when the window began. The
// window of a dump begins with the first end, which in the record of a machine that was idle before is soon.
func (setup *Setup) opening(from ostrich.Time) ostrich.Time {
	if setup.Cut {
		return from
	}
	return from - 3600
}

// pins reports whether a job is put where it ran, from its start on.
func (p *placement) pins(j *accounting.Job) bool {
	return p != nil && j.Start != 0 && j.Start < p.opening && p.history.WhereRan(j) != ""
}

// arrive says since when a job waits: one that came earlier than its row says since rejoined, if that is not 0, and one that waited
// when the window began from then on.
func (s *Study) arrive(l *Job, from ostrich.Time, j *accounting.Job, rejoined ostrich.Time, ran ostrich.Duration) {
	if s.placement.pins(j) {
		return
	}
	if rejoined > 0 {
		l.Submit, l.priority = rejoined, 0
	}
	if !s.Happened && l.Submit < s.opening(from) && l.Start >= from {
		l.Submit, l.priority, l.aged = from, 0, ostrich.Duration(from-l.Submit)
		s.left.add(waitedBefore, j, ran)
	}
}

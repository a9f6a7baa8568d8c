package sidecar

import (
	"maps"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/priority"
	"slurm-ostrich/slurmdb"
)

// LeftOut begins Entry.Why of a job whose accounting row makes no sense. What is
// wrong with the row follows.
const LeftOut = "accounting row left out: "

// leaveOut remembers the jobs of the queue whose rows make no sense. Accounting
// tells of each once, maybe before the queue has it.
func (s *Sidecar) leaveOut(skipped []slurmdb.Skip, queue []priority.Queued) {
	if len(s.skipped) == 0 && len(skipped) == 0 {
		return
	}
	pending := make(map[ostrich.JobID]string)
	for i := range queue {
		if why, out := s.skipped[queue[i].Job]; out {
			pending[queue[i].Job] = why
		}
	}
	for _, skip := range skipped {
		pending[skip.Job] = skip.Why
	}
	if !maps.Equal(pending, s.skipped) {
		s.made = nil // the plan tells of them
	}
	s.skipped = pending
}

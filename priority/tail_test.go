package priority

import (
	"testing"

	"slurm-ostrich/ostrich"
)

// A single job that asks for the impossible, or that is beyond the depth, is not written either.
func TestSingleLeftBelow(t *testing.T) {
	for _, tt := range []struct {
		name, reason string
		depth        int
		why          string
	}{{"impossible", "BadConstraints", 0, "asks for the impossible (BadConstraints)"}, {"beyond the depth", "Priority", 3, "beyond the depth Slurm looks at"}} {
		s := newPools(1, Options{Channel: SiteFactor, Mode: Strict, Controller: multifactor(), Procs: 8, Depth: tt.depth})
		for i := range 4 {
			s.add(ostrich.Place{Job: ostrich.JobID(i + 1), Procs: 1}, "a", "normal", func(q *Queued) {
				if i == 3 {
					q.Reason = tt.reason
				}
			})
		}
		p := s.plan(t)
		if e := &p.Entries[3]; e.Job != 4 || e.Write || len(p.Changes()) != 3 || p.Exact != 3 {
			t.Errorf("%s: job %d, written %v, %d changes, %d exact", tt.name, e.Job, e.Write, len(p.Changes()), p.Exact)
		} else if e.Why.String() != tt.why {
			t.Errorf("%s: %q", tt.name, e.Why)
		}
		apply(SiteFactor, s.queue, p.Changes())
		if again := s.plan(t).Changes(); len(again) > 0 {
			t.Errorf("%s: the second plan changes %+v", tt.name, again)
		}
	}
}

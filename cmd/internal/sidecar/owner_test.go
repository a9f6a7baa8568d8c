package sidecar

import (
	"testing"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/priority"
)

// A job that asks by name for what is not there, or for what its user holds, counts for
// nothing; once its owner asks for something else, it counts as submitted then.
func TestOwnersChoice(t *testing.T) {
	w := newSite()
	for i := range 4 {
		w.submit(i+1, i+1, 9000, "main")
	}
	w.Pending[1].Wants, w.Pending[1].Barred, w.Pending[1].Reason = priority.Asked{Nodes: "n1"}.Wants(), "it asks for n1, where no job can start", "ReqNodeNotAvail"
	w.Pending[2].Wants = priority.Asked{Nodes: "n2"}.Wants() // which others fill
	s := w.start(t)
	c := run(t, s, false)
	ids, work := kept(c)
	equal(t, "kept back", []ostrich.JobID{2}, ids)
	equal(t, "work of what is not able", ostrich.Work(0), work[2])
	equal(t, "why", "asks for what is not free (it asks for n1, where no job can start)", c.Plan.Entries[3].Why.String())

	since := func(c *Cycle, lead ostrich.JobID) ostrich.Time {
		for _, v := range c.Pools[0].Schedule.Campaigns() {
			if v.Lead == lead {
				return v.Since
			}
		}
		return 0
	}
	submitted := since(c, 3)
	w.Now += 600
	w.Pending[1].Wants, w.Pending[1].Barred, w.Pending[1].Reason = "", "", "Priority"
	c = run(t, s, false)
	ids, _ = kept(c)
	equal(t, "kept back", 0, len(ids))
	equal(t, "since when it counts", true, since(c, 2) >= submitted+600)
	equal(t, "since when what waits for others counts", submitted, since(c, 3))

	// Another choice of an able job is a submission too; a reason that changes is none.
	w.Now += 600
	w.Pending[2].Wants, w.Pending[3].Reason = "", "Resources"
	c = run(t, s, false)
	ids, _ = kept(c)
	equal(t, "kept back", 0, len(ids))
	equal(t, "since when it counts", true, since(c, 3) >= submitted+1200)
	equal(t, "since when what never changed counts", submitted, since(c, 4))

	// So is a move out of a partition that is down, and out of a reservation.
	w.Now += 600
	w.Pending[3].Reason, w.Pending[0].Reservation = "PartitionDown", "r"
	run(t, s, false)
	w.Pending[3].Partition, w.Pending[0].Reservation = "other", ""
	c = run(t, s, false)
	equal(t, "since when a job that left a partition counts", true, since(c, 4) >= submitted+1800)
	equal(t, "since when a job that left a reservation counts", true, since(c, 1) >= submitted+1800)
}

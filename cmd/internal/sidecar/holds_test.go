package sidecar

import (
	"slices"
	"testing"
	"time"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/priority"
)

// kept is what the schedule has of the jobs that cannot start, and the work of the
// campaigns by their leads.
func kept(c *Cycle) (ids []ostrich.JobID, work map[ostrich.JobID]ostrich.Work) {
	s := c.Pools[0].Schedule
	work = make(map[ostrich.JobID]ostrich.Work)
	for _, v := range s.Campaigns() {
		work[v.Lead] = v.Work
	}
	return s.Kept(), work
}

// What the queue says of limits counts, from the submission on for a job that is
// found so when accounting tells of it. A restart finds the same.
func TestLimitsOfTheQueue(t *testing.T) {
	w := newSite()
	for i := range 4 {
		w.submit(i+1, i+1, 9000, "main")
	}
	w.Pending[1].Reason, w.Pending[2].Reason, w.Pending[3].Reason = "QOSMaxJobsPerUserLimit", "PartitionConfig", "ReasonToCome"
	history := slices.Clone(w.Events)
	s := w.start(t)
	first := run(t, s, false)
	ids, work := kept(first)
	equal(t, "kept back", []ostrich.JobID{2, 3}, ids)
	equal(t, "work of what is at a limit", ostrich.Work(0), work[2])
	var order []ostrich.JobID
	for _, e := range first.Plan.Entries {
		order = append(order, e.Job)
	}
	equal(t, "order", []ostrich.JobID{1, 4, 2, 3}, order)
	equal(t, "why", "waits for a limit (QOSMaxJobsPerUserLimit)", first.Plan.Entries[2].Why)

	// The limit is gone, and another job is at one.
	w.Now += 60
	w.Pending[1].Reason, w.Pending[0].Reason = "Resources", "AssocGrpCpuLimit"
	ids, work = kept(run(t, s, false))
	equal(t, "kept back", []ostrich.JobID{1, 3}, ids)
	equal(t, "work of what is released", true, work[2] > 0)
	w.Events = history
	ids, again := kept(run(t, w.start(t), false))
	equal(t, "kept back after a restart", []ostrich.JobID{1, 3}, ids)
	equal(t, "work after a restart", work, again)
}

// A job at a limit stays behind while slurmctld has forgotten why it waits, but not
// for ever.
func TestLimitsAreRecalled(t *testing.T) {
	h := newHolds()
	began := time.Now()
	for _, step := range []struct {
		after     time.Duration
		told, got string
	}{
		{0, "None", "None"},
		{time.Second, "AssocGrpCpuLimit", "AssocGrpCpuLimit"},
		{2 * time.Second, "None", "AssocGrpCpuLimit"},
		{50 * time.Second, "Priority", "AssocGrpCpuLimit"},
		{62 * time.Second, "None", "None"},
		{63 * time.Second, "PartitionConfig", "PartitionConfig"},
		{64 * time.Second, "Resources", "Resources"},
		{65 * time.Second, "None", "None"},
	} {
		queue := []priority.Queued{{Job: 1, Priority: 5, Reason: step.told}, {Job: 2, Priority: 5, Reason: "None"}}
		queue = h.recall(queue, began.Add(step.after))
		equal(t, "reason after "+step.after.String(), step.got, queue[0].Reason)
		equal(t, "of another job", "None", queue[1].Reason)
	}
}

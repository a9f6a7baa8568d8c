package sidecar

import (
	"slices"
	"testing"
	"time"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting/ledger"
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
	equal(t, "why", "waits for a limit (QOSMaxJobsPerUserLimit)", first.Plan.Entries[2].Why.String())

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

// The queue and accounting are read one after the other: the younger one counts, and of a
// job that the scheduler has not looked at accounting knows more. What is left open is
// looked at again.
func TestHoldsChange(t *testing.T) {
	const now = 10_000
	hold, release := []ostrich.Kind{ostrich.Hold}, []ostrich.Kind{ostrich.Release}
	for _, tt := range []struct {
		name     string
		kept     bool
		reason   string
		listed   bool
		eligible ostrich.Time
		want     []ostrich.Kind
	}{
		{"depends, and could start 5 s ago", false, "Dependency", false, now - 5, nil},
		{"depends, and could start 6 s ago", false, "Dependency", false, now - 6, hold},
		{"at a limit, and could start just now", false, "AssocGrpCpuLimit", true, now, hold},
		{"can start by the queue, not looked at", true, "Priority", false, 0, nil},
		{"can start by the queue, looked at", true, "Priority", true, 0, release},
		{"can start by both", true, "Priority", false, now, release},
		{"is to begin in a second, not looked at", true, "Priority", false, now + 1, nil},
		{"as it was", true, "Dependency", false, 0, nil},
	} {
		h := newHolds()
		h.kept[1] = tt.kept
		h.begin(t.Context(), h.recall([]priority.Queued{{Job: 1, Priority: 5, Reason: tt.reason, Listed: tt.listed}}, time.Now()))
		eligible := ostrich.Time(0)
		record := func(ostrich.JobID) (ledger.Record, bool) {
			return ledger.Record{Job: ostrich.Job{ID: 1}, Eligible: eligible}, eligible >= 0
		}
		for _, eligible = range []ostrich.Time{-1, tt.eligible} { // not known at first
			var got []ostrich.Kind
			for _, e := range h.changes(now, record) {
				got = append(got, e.Kind)
			}
			if want := tt.want; eligible >= 0 && !slices.Equal(got, want) || eligible < 0 && len(got) > 0 {
				t.Errorf("%s, eligible since %d: %v, want %v", tt.name, eligible, got, want)
			}
		}
	}
}

// Accounting releases a job that is at a limit, and the schedules do not.
func TestHoldsJoin(t *testing.T) {
	for reason, want := range map[string][]ostrich.Kind{
		"Priority":         {ostrich.Submit, ostrich.Release},
		"Dependency":       {ostrich.Submit, ostrich.Hold, ostrich.Release},
		"AssocGrpCpuLimit": {ostrich.Submit, ostrich.Hold},
		"PartitionConfig":  {ostrich.Submit, ostrich.Hold},
	} {
		h := newHolds()
		h.recall([]priority.Queued{{Job: 1, Priority: 5, Reason: reason}}, time.Now())
		var got []ostrich.Kind
		for _, e := range h.join(t.Context(), []ostrich.Event{{Kind: ostrich.Submit, Job: ostrich.Job{ID: 1}}, {Kind: ostrich.Release, Job: ostrich.Job{ID: 1}}}) {
			got = append(got, e.Kind)
		}
		equal(t, reason, want, got)
	}
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

package view

import (
	"slices"
	"testing"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting"
	"slurm-ostrich/ostrich/accounting/ledger"
	"slurm-ostrich/priority"
)

// Of a job that has just been submitted, started, queued again or ended, the next cycles
// will say something else, and the answer tells so. Whatever is old or far away is not
// waited for.
func TestUnsettled(t *testing.T) {
	s := cycleOf() // 20 waits, 30 runs
	add := func(p *priority.Entry) *priority.Entry {
		p.User = "u"
		s.Plan.Entries = append(s.Plan.Entries, p)
		s.works, s.dues = append(s.works, 1), append(s.dues, due{})
		return p
	}
	left := func(job ostrich.JobID, code priority.Code, ago ostrich.Time) {
		p := add(pending(job, 0))
		p.Why.Code, p.Submit, p.SlurmRank = code, s.Time-ago, int(job)
	}
	left(21, priority.NotListed, 900)
	left(22, priority.Unheard, 2)
	left(23, priority.Unheard, 900)
	left(24, priority.NotEligible, 2)
	add(pending(25, 0)) // queued again: accounting still says that it runs
	array := add(pending(40, 2))
	array.Array, array.Tasks, array.Full = 40, "3-5", "40_[3-5]"
	for _, r := range []*ledger.Record{
		{Job: ostrich.Job{ID: 25, Submit: 10, Start: 20}, State: accounting.Running, ArrayTask: ledger.NoTask},
		{Job: ostrich.Job{ID: 31, Submit: 500}, ArrayTask: ledger.NoTask}, // has left the queue
		{Job: ostrich.Job{ID: 43, Submit: 500, Start: 900}, State: accounting.Running, ArrayJob: 40, ArrayTask: 1},
	} {
		r.UserName = "u"
		s.live = append(s.live, r)
	}
	slices.SortFunc(s.live, func(a, b *ledger.Record) int { return int(a.Job.ID) - int(b.Job.ID) })
	p := &past{records: map[string]ledger.Record{"29 -1 -1": {Job: ostrich.Job{ID: 29, Submit: 500, End: 700}, UserName: "u", State: accounting.Cancelled, ArrayTask: ledger.NoTask}}}
	for job, want := range map[string]bool{
		"20": false, "30": false, "29": false, "24": false, "23": false, "43": false, "40_1": false, "40_3": false, "40_[3-5]": false,
		"21": true, "22": true, "25": true, "31": true,
		"44": true, "44_1": true, "44+1": true, "1043": true, // just submitted
		"40_2": true, // a task that has just started
		"1044": false, "28": false, "28_1": false, "30_1": false, "28+1": false, "40+1": false,
	} {
		if a := ask(t, s, p, named(job)); slices.Equal(a.Unsettled, []string{job}) != want {
			t.Errorf("%s: unsettled %v, want %v", job, a.Unsettled, want)
		}
	}
	if a := ask(t, s, p, users("u")); !slices.Equal(a.Unsettled, []string{"", "", "25"}) {
		t.Errorf("of the user: %q", a.Unsettled) // in this test jobs 21 and 22 have no name
	}
	// Who may not see an array learns nothing of it.
	by := named("40_2")
	if a, err := s.Answer(t.Context(), &Viewer{Names: []string{"w"}}, &by); err != nil || a.Unsettled != nil {
		t.Errorf("%+v, %v", a, err)
	}
}

package replay

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting"
	"slurm-ostrich/ostrich/sim"
	"slurm-ostrich/priority/slurm"
)

// TestLooks: the backfill scheduler looked when it started jobs, and between them as often as its interval
// allows. What it did not start, the main scheduler did.
func TestLooks(t *testing.T) {
	h := &accounting.History{}
	for _, at := range []ostrich.Time{1000, 1000, 1035, 1048, 2000} {
		h.Jobs = append(h.Jobs, accounting.Job{Start: at, Backfilled: at < 2000})
	}
	records, err := slurm.ParseRecords("KillWait=5\nSchedulerParameters=bf_interval=10,bf_min_age_reserve=60\n", nil)
	if err != nil {
		t.Fatal(err)
	}
	s := &Study{Setup: Setup{Records: records}, Scheduler: sim.Scheduler{BackfillInterval: 10}}
	if err := s.looks(h); err != nil {
		t.Fatal(err)
	}
	want := sim.Scheduler{BackfillInterval: 10, KillWait: 5, MinAge: 60, Backfills: []ostrich.Time{1000, 1011, 1023, 1035, 1048}, Looks: []ostrich.Time{2000}}
	if diff := cmp.Diff(want, s.Scheduler); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

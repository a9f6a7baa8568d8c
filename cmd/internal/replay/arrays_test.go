package replay

import (
	"maps"
	"testing"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting"
	"slurm-ostrich/priority/slurm"
)

// TestThrottled: an array whose own limit held tasks back has as many running at a time as the record. On nodes its tasks come together, and replays find when
// each may start; otherwise they come when they did, and have the age of those before. Tasks that were requeued, or were late for another reason, are jobs of their own.
func TestThrottled(t *testing.T) {
	h := history()
	h.Jobs, h.Where = nil, []string{"n1"}
	for _, j := range []struct {
		id, array                    ostrich.JobID
		submit, eligible, start, end ostrich.Time
	}{
		{20, 21, 1010, 1015, 1100, 1300},
		{22, 21, 1010, 1015, 1200, 1400},
		{23, 21, 1010, 1301, 1350, 1500},
		{24, 21, 1010, 1400, 1400, 1800},
		{21, 21, 1500, 1621, 1700, 1800}, // requeued
		{30, 0, 1010, 1200, 1300, 1400},
		{40, 41, 1010, 1010, 1300, 1400}, // nothing of it ran when the second one became eligible
		{41, 41, 1010, 1200, 1300, 1400},
		{50, 51, 1010, 1010, 1020, 1900}, // more ran later
		{52, 51, 1010, 1100, 1100, 1900},
		{51, 51, 1010, 1200, 1200, 1900},
	} {
		h.Jobs = append(h.Jobs, accounting.Job{ID: j.id, Array: j.array, Where: 0, Procs: 1, Nodes: 1, Submit: j.submit, Eligible: j.eligible, Start: j.start, End: j.end, Limit: 1000})
	}
	records, err := slurm.ParseRecords("NodeName=n1 CPUs=20\nPartitionName=main Nodes=n1\n", nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		what  string
		setup Setup
		most  map[ostrich.JobID]int
		aged  map[ostrich.JobID]ostrich.Duration
		comes map[ostrich.JobID]ostrich.Time
	}{
		{"processors", Setup{}, nil, map[ostrich.JobID]ostrich.Duration{23: 286, 24: 385}, map[ostrich.JobID]ostrich.Time{20: 1015, 23: 1301, 24: 1400, 21: 1621, 41: 1200}},
		{"nodes", Setup{Records: records}, map[ostrich.JobID]int{21: 2}, nil, map[ostrich.JobID]ostrich.Time{20: 1015, 23: 1015, 24: 1015, 21: 1621, 41: 1200}},
	} {
		tt.setup.Options = window30
		s := mustNew(t, h, tt.setup)
		if !maps.Equal(s.throttles, tt.most) {
			t.Errorf("on %s: arrays %v, want %v", tt.what, s.throttles, tt.most)
		}
		for i := range s.Jobs {
			j := &s.Jobs[i]
			if want := tt.aged[j.Slurm]; j.request().Aged != want {
				t.Errorf("on %s: job %d has aged for %d s, want %d", tt.what, j.Slurm, j.request().Aged, want)
			}
			if want, is := tt.comes[j.Slurm]; is && j.Submit != want {
				t.Errorf("on %s: job %d comes at %d, want %d", tt.what, j.Slurm, j.Submit, want)
			}
		}
		jobs, _, err := s.Replay(sitePolicy(t, "fairshare"), func(int) {})
		if err != nil {
			t.Fatal(err)
		}
		recorded := s.Recorded()
		for i, j := range jobs { // a comparison wants the same ones
			if j.ID != recorded[i].ID || j.Submit != recorded[i].Submit {
				t.Errorf("on %s: job %d is submitted at %d in the replay, and job %d at %d as recorded", tt.what, j.ID, j.Submit, recorded[i].ID, recorded[i].Submit)
			}
		}
	}
}

package archive_test

import (
	"context"
	"testing"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/slurmdb/archive"
	"slurm-ostrich/slurmdb/slurmdbtest"
)

// TestRecent: of one job that ended each hour, and of many that ended in the last.
func TestRecent(t *testing.T) {
	const hour = ostrich.Duration(3600)
	db := slurmdbtest.New(t, slurmdbtest.R2505)
	now := db.Clock()
	for i := range int64(200) {
		end := now - 1800 - i*3600
		if i < 50 {
			end = now - 100 - i
		}
		db.Put(slurmdbtest.Job{ID: uint32(i + 1), User: 1001, Submit: end - 20, Start: end - 10, End: end, CPUs: 1})
	}
	r := open(t, db)
	for _, tt := range []struct {
		longest ostrich.Duration
		most    int
		want    ostrich.Duration
	}{
		{160 * hour, 1000, 160 * hour}, // all of it
		{160 * hour, 70, 40 * hour},    // 80 h hold 50 and 30
		{200 * hour, 130, 100 * hour},  // 12.5 h, doubled until it would be too many
		{160 * hour, 49, 600},          // too many however short
		{300, 1000, 600},
	} {
		from, at, err := archive.Recent(t.Context(), r, tt.longest, tt.most)
		if err != nil {
			t.Fatal(err)
		}
		if got := ostrich.Duration(at - from); at < ostrich.Time(now) || got != tt.want {
			t.Errorf("up to %d h with %d jobs: %d s until %d, want %d s", tt.longest/hour, tt.most, got, at, tt.want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := archive.Recent(ctx, r, hour, 1); err == nil {
		t.Error("cancelled, and no error")
	}
}

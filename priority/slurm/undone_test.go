package slurm

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"slurm-ostrich/ostrich"
)

// sprio is asked again where its sums are not the priorities, as slurmctld may
// have computed both in between.
func TestQueueComparesTwice(t *testing.T) {
	f := newFake(t, "id=1 age=5000 restored=5100 decayed=5100", "id=2 age=5000 restored=90 decayed=5100", "id=3 age=5000")
	queue, err := f.Queue(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	got := make(map[ostrich.JobID]int64)
	for i := range queue {
		got[queue[i].Job] = queue[i].Behind()
	}
	if diff := cmp.Diff(map[ostrich.JobID]int64{1: 0, 2: 90 - 5000, 3: 0}, got); diff != "" || f.Ran("sprio") != 2 {
		t.Errorf("%d runs; behind (-want +got):\n%s", f.Ran("sprio"), diff)
	}
	quiet := newFake(t, "id=1")
	if _, err = quiet.Queue(t.Context()); err != nil || quiet.Ran("sprio") != 1 {
		t.Errorf("%v after %d runs", err, quiet.Ran("sprio"))
	}
}

// As sdiag says in all releases from 20.11 to 26.05.
func TestDiagBackfilling(t *testing.T) {
	text := captured(t, "22.05/sdiag.txt")
	busy := strings.Replace(text, "Backfilling stats\n", "Backfilling stats (WARNING: data obtained in the middle of backfilling execution.)\n", 1)
	for out, want := range map[string]bool{text: false, busy: true} {
		if d, err := parseDiag(out); err != nil || d.Backfilling != want {
			t.Errorf("%+v, %v", d, err)
		}
	}
}

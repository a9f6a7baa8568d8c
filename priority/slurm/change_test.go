package slurm

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/priority"
)

// A release gives the nice value back that the pin took, in a line of its own.
func TestReleases(t *testing.T) {
	list := []priority.Change{{Job: 3, From: 70_000, Nice: -4}, {Job: 1, From: 70_000, Nice: 7}, {Job: 2, From: 70_000}, {Job: 4, From: 70_000, Nice: 5}}
	var got []string
	for _, c := range list {
		text, err := lines(c, priority.Priority)
		if err != nil {
			t.Error(err)
		}
		got = append(got, text)
	}
	want := []string{
		"release 3\nupdate jobid=3 nice=-4", "release 1\nupdate jobid=1 nice=7", "release 2", "release 4\nupdate jobid=4 nice=5",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("commands (-want +got):\n%s", diff)
	}
	f := newFake(t, "id=1 pinned=70000", "id=2 pinned=70000", "id=3 pinned=70000", "id=4 pinned=70000")
	r, err := f.Update(t.Context(), priority.Priority, list)
	if err != nil || r.Count(priority.Applied) != 4 {
		t.Fatalf("%+v, %v", outcomes(r), err)
	}
	for i, want := range map[ostrich.JobID]int64{1: 7, 2: 0, 3: -4, 4: 5} {
		if got := r.Queue[slices.IndexFunc(r.Queue, func(q priority.Queued) bool { return q.Job == i })].Nice; got != want {
			t.Errorf("job %d: nice %d after its release, want %d", i, got, want)
		}
	}
}

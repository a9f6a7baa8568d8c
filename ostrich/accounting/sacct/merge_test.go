package sacct_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"slurm-ostrich/ostrich/accounting"
	"slurm-ostrich/ostrich/accounting/sacct"
)

func TestMerge(t *testing.T) {
	read := func(text string) *accounting.History {
		h, err := sacct.Read(strings.NewReader(text), "dump", sacct.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	a := read(line(fieldRaw, "1", fieldUser, "bob", fieldPartition, "long") + "\n" + line(fieldState, "RUNNING", fieldEnd, "Unknown"))
	b := read(plainLine + "\n" + line(fieldRaw, "9", fieldUser, "carol", fieldPartition, "gpu", fieldSubmit, "2024-03-01T10:00:30") + "\n" + line(fieldRaw, "9.0"))
	for name, order := range map[string][]*accounting.History{"in order": {a, b}, "later first": {b, a}} {
		h, err := accounting.Merge(order...)
		if err != nil {
			t.Fatal(err)
		}
		want := []jobOf{
			plainJob(func(j *jobOf) { j.ID, j.User, j.Partition = 1, "bob", "long" }), plainJob(nil),
			plainJob(func(j *jobOf) { j.ID, j.User, j.Partition, j.Submit = 9, "carol", "gpu", tenAM+30 }),
		}
		if diff := cmp.Diff(want, jobsOf(h)); diff != "" {
			t.Errorf("%s: jobs (-want +got):\n%s", name, diff)
		}
		notes := []string{"1 line of job steps is left out.", "1 record tells of the same run of a job as another: dropped."}
		if diff := cmp.Diff(notes, h.Notes); diff != "" {
			t.Errorf("%s: notes (-want +got):\n%s", name, diff)
		}
		if h.From != tenAM || h.To != tenAM+31 || h.Cluster != "c1" {
			t.Errorf("%s: %d to %d of %s", name, h.From, h.To, h.Cluster)
		}
	}
	c, err := sacct.Read(strings.NewReader("x\n"+line(fieldRaw, "3")), "other", sacct.Options{Lenient: true})
	if err != nil {
		t.Fatal(err)
	}
	h, err := accounting.Merge(a, c)
	if err != nil || h.Skipped != 1 || len(h.Faults) != 1 || len(h.Notes) != 1 {
		t.Errorf("%d skipped, %v, %q, %v", h.Skipped, h.Faults, h.Notes, err)
	}
	if _, err := accounting.Merge(a, read(line(fieldCluster, "c2"))); err == nil || err.Error() != "histories of two clusters, c1 and c2" {
		t.Error(err)
	}
	if _, err := accounting.Merge(); !errors.Is(err, accounting.ErrEmpty) {
		t.Error(err)
	}
}

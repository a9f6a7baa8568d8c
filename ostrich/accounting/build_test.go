package accounting_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting"
)

// TestResizedParts: a record is the next part of a job if it begins when a resize closed
// the one before, give or take a second. What comes after the last part is another run.
func TestResizedParts(t *testing.T) {
	part := func(state accounting.State, procs int32, submit, end ostrich.Time) accounting.Job {
		return accounting.Job{ID: 7, State: state, Procs: procs, Submit: submit, Start: submit, End: end, Suspended: 10, Limit: ostrich.Duration(submit)}
	}
	first := part(accounting.Resizing, 8, 100, 200)
	alone := first
	alone.State = accounting.Requeued
	joined := func(limit ostrich.Duration) accounting.Job {
		j := part(accounting.Completed, 4, 100, 600)
		j.Suspended, j.Limit, j.Resized = 20, limit, true
		return j
	}
	for _, tt := range []struct {
		name string
		next []accounting.Job
		want []accounting.Job
	}{
		{"a second before", []accounting.Job{part(accounting.Completed, 3, 199, 600)}, []accounting.Job{joined(199)}},
		{"a second later", []accounting.Job{part(accounting.Completed, 3, 201, 600)}, []accounting.Job{joined(201)}},
		{
			"two before",
			[]accounting.Job{part(accounting.Completed, 3, 198, 600)},
			[]accounting.Job{alone, part(accounting.Completed, 3, 198, 600)},
		},
		{
			"two later",
			[]accounting.Job{part(accounting.Completed, 3, 202, 600)},
			[]accounting.Job{alone, part(accounting.Completed, 3, 202, 600)},
		},
		{
			"and another run",
			[]accounting.Job{part(accounting.Completed, 3, 200, 600), part(accounting.Completed, 3, 600, 900)},
			[]accounting.Job{joined(200), part(accounting.Completed, 3, 600, 900)},
		},
	} {
		var b accounting.Builder
		for _, j := range append(tt.next, first) {
			b.Add(j)
		}
		if diff := cmp.Diff(tt.want, b.History("c1", 0, 1000).Jobs); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", tt.name, diff)
		}
	}
}

// TestEarly: no job starts before its submission. Counted are those that did, by more
// than a second and no more than asked for, but for resized ones.
func TestEarly(t *testing.T) {
	var b accounting.Builder
	for id, by := range map[ostrich.JobID]ostrich.Time{1: 0, 2: 1, 3: 2, 4: 3600, 5: 3601, 6: 100, 7: 100} {
		b.Add(accounting.Job{ID: id, State: accounting.Completed, Submit: 9000, Start: 9000 - by, End: 9500 - by, Suspended: 400})
	}
	b.Add(accounting.Job{ID: 6, State: accounting.Resizing, Submit: 1, Start: 1, End: 9000})
	if got := b.Early(3600); got != 3 {
		t.Errorf("%d are early, want 3, 4 and 7", got)
	}
	var got []accounting.Job
	for _, j := range b.History("c1", 0, 10_000).Jobs {
		if j.ID == 5 || j.ID == 7 {
			got = append(got, j)
		}
	}
	if diff := cmp.Diff([]accounting.Job{
		{ID: 5, State: accounting.Completed, Submit: 9000, Start: 9000, End: 9000},
		{ID: 7, State: accounting.Completed, Submit: 9000, Start: 9000, End: 9400, Suspended: 400},
	}, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// TestBuilderPlaces: what several jobs have in common is listed once.
func TestBuilderPlaces(t *testing.T) {
	var b accounting.Builder
	bob, eve := accounting.Association{User: "bob", Account: "a"}, accounting.Association{User: "eve", Account: "a"}
	got := []int32{b.Association(bob), b.Association(eve), b.Association(bob), b.Partition("x"), b.Partition("y"), b.Partition("x"), b.QOS(""), b.QOS("")}
	if diff := cmp.Diff([]int32{0, 1, 0, 0, 1, 0, 0, 0}, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	h := b.History("c1", 0, 0)
	if len(h.Associations) != 2 || len(h.Partitions) != 2 || len(h.QOS) != 1 {
		t.Errorf("%v, %v, %v", h.Associations, h.Partitions, h.QOS)
	}
}

// TestMergeSize: the size of a merged cluster is the latest that is known.
func TestMergeSize(t *testing.T) {
	of := func(to ostrich.Time, procs, nodes int) *accounting.History {
		return &accounting.History{
			To: to, Procs: procs, Nodes: nodes, Jobs: []accounting.Job{{ID: 1, Submit: 1}},
			Associations: make([]accounting.Association, 1), Partitions: []string{""}, QOS: []string{""},
		}
	}
	for _, all := range [][]*accounting.History{
		{of(10, 4, 1), of(20, 8, 2), of(5, 2, 3), of(30, 0, 0)},
		{of(30, 0, 0), of(20, 8, 2), of(10, 4, 1)},
		{of(20, 8, 2), of(20, 9, 3)},
	} {
		if h, err := accounting.Merge(all...); err != nil || h.Procs != 8 || h.Nodes != 2 {
			t.Errorf("%+v, %v", h, err)
		}
	}
}

// TestResizedBilling: a job of mean size costs the mean of what its parts cost.
func TestResizedBilling(t *testing.T) {
	for _, tt := range []struct {
		name          string
		first, second accounting.Job
		want          float64
	}{
		{
			"ended",
			accounting.Job{ID: 7, State: accounting.Resizing, Procs: 8, Billing: 16, Submit: 100, Start: 100, End: 200},
			accounting.Job{ID: 7, State: accounting.Completed, Procs: 2, Billing: 4, Submit: 200, Start: 200, End: 500},
			7,
		},
		{
			"runs",
			accounting.Job{ID: 7, State: accounting.Resizing, Procs: 8, Billing: 16, Submit: 100, Start: 100, End: 200},
			accounting.Job{ID: 7, State: accounting.Running, Procs: 2, Billing: 4, Submit: 200, Start: 200},
			4,
		},
	} {
		var b accounting.Builder
		b.Add(tt.first)
		b.Add(tt.second)
		h := b.History("c1", 0, 1000)
		if len(h.Jobs) != 1 || h.Jobs[0].Billing != tt.want {
			t.Errorf("%s: %+v, want a billing of %v", tt.name, h.Jobs, tt.want)
		}
	}
}

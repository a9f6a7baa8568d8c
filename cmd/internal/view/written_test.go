package view_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"slurm-ostrich/cmd/internal/configuration"
	"slurm-ostrich/cmd/internal/sidecar"
	"slurm-ostrich/cmd/internal/statuspage/statuspagetest"
	"slurm-ostrich/cmd/internal/view"
	"slurm-ostrich/priority"
)

// What a cycle has written itself is no longer to be written.
func TestWritten(t *testing.T) {
	s, err := statuspagetest.New(3, 60).Sidecar(configuration.Default())
	if err != nil {
		t.Fatal(err)
	}
	c, err := s.Run(t.Context(), false)
	if err != nil {
		t.Fatal(err)
	}
	before := view.Describe(s, c, nil).Chosen(view.Everything(), &view.Selection{})
	if before.Summary.Writes < 3 {
		t.Fatalf("only %d writes", before.Summary.Writes)
	}
	again := *c
	for i, change := range c.Plan.Changes() {
		again.Outcomes = append(again.Outcomes, change.Outcome([]priority.Status{priority.Applied, priority.Refused}[min(1, i/2)], ""))
	}
	after := view.Describe(s, &again, nil).Chosen(view.Everything(), &view.Selection{})
	if after.Summary.Writes != before.Summary.Writes-2 {
		t.Errorf("%d writes, before %d", after.Summary.Writes, before.Summary.Writes)
	}
	left := 0
	for i, j := range after.Jobs {
		if j.Write {
			left++
		} else if j.From != j.To || j.To != before.Jobs[i].To {
			t.Errorf("job %s: from %d to %d, before to %d", j.Job, j.From, j.To, before.Jobs[i].To)
		}
	}
	if left != after.Summary.Writes {
		t.Errorf("%d jobs are to be written, and the summary says %d", left, after.Summary.Writes)
	}
}

// What the stock arm of a trial has given back was not written as planned.
func TestGivenBack(t *testing.T) {
	s, err := statuspagetest.New(3, 60).Sidecar(configuration.Default())
	if err != nil {
		t.Fatal(err)
	}
	c, err := s.Run(t.Context(), false)
	if err != nil {
		t.Fatal(err)
	}
	want := view.Describe(s, c, nil).Chosen(view.Everything(), &view.Selection{})
	back := *c
	back.Trial = &sidecar.TrialState{}
	for _, e := range c.Plan.Entries {
		back.Outcomes = append(back.Outcomes, priority.Change{Job: e.Job, From: e.From, Status: priority.Applied})
	}
	if d := cmp.Diff(want, view.Describe(s, &back, nil).Chosen(view.Everything(), &view.Selection{})); d != "" {
		t.Errorf("as if written (-want +got):\n%s", d)
	}
}

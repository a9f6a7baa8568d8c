package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"slurm-ostrich/cmd/internal/format"
	"slurm-ostrich/cmd/internal/view"
)

// TestFoundColumn: a campaign of which it is not told how it was found has an empty cell.
func TestFoundColumn(t *testing.T) {
	all := []view.Campaign{{Name: "paper", Found: &view.Found{By: "comment"}}, {}}
	table := format.Table{Header: []string{"CAMPAIGN"}}
	found := withFound(&table, all)
	for i, want := range [][]any{{1, "declared by comment"}, {2, ""}} {
		if diff := cmp.Diff(want, found(&all[i], []any{i + 1})); diff != "" {
			t.Error(diff)
		}
	}
	if diff := cmp.Diff([]string{"CAMPAIGN", "FOUND"}, table.Header); diff != "" {
		t.Error(diff)
	}
}

package accounting

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestAssign: a job has the association of its partition, and else that of all partitions.
func TestAssign(t *testing.T) {
	h := &History{
		Associations: []Association{{User: "a", Account: "x"}, {ID: 7, User: "a", Account: "x"}, {ID: 9, User: "b", Account: "x"}, {User: "b", Account: "y"}},
		Partitions:   []string{"main", "gpu", ""},
		Jobs: []Job{
			{ID: 1}, {ID: 2, Partition: 1}, {ID: 3, Partition: 2}, {ID: 4, Association: 1}, {ID: 5, Association: 2, Partition: 1}, {ID: 6, Association: 3, Partition: 1},
		},
	}
	h.Assign(&Site{Associations: []AssociationShare{
		{User: "a", Account: "x", Partition: "gpu"}, {ID: 7, User: "a", Account: "x", Partition: "gpu"}, {User: "b", Account: "x", Partition: "gpu"}, {User: "b", Account: "y"},
	}})
	var got []Association
	for _, j := range h.Jobs {
		got = append(got, h.Associations[j.Association])
	}
	want := []Association{
		{User: "a", Account: "x"},
		{User: "a", Account: "x", Partition: "gpu"},
		{User: "a", Account: "x"},
		{ID: 7, User: "a", Account: "x", Partition: "gpu"},
		{ID: 9, User: "b", Account: "x", Partition: "gpu"}, // 9 is not in the tree
		{User: "b", Account: "y"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("associations (-want +got):\n%s", diff)
	}
	if len(h.Associations) != 5 {
		t.Errorf("%d associations, want those with jobs: %v", len(h.Associations), h.Associations)
	}
}

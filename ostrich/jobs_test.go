package ostrich

import (
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// TestJobTable compares with a map.
func TestJobTable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var table jobTable
		want := make(map[JobID]*job)
		// Few ids meet often; those a table's length apart have the same home.
		stride := rapid.SampledFrom([]JobID{1, 16, 0x10000000, 0x10000001}).Draw(t, "stride")
		ids := rapid.Map(rapid.Uint32Range(0, 40), func(i uint32) JobID { return JobID(i) * stride })
		t.Repeat(map[string]func(*rapid.T){
			"put": func(t *rapid.T) {
				j := &job{Job: Job{ID: ids.Draw(t, "id")}}
				table.put(j)
				want[j.ID] = j
			},
			"remove": func(t *rapid.T) {
				id := ids.Draw(t, "id")
				table.remove(id)
				delete(want, id)
			},
			"": func(t *rapid.T) {
				got := make(map[JobID]*job)
				for j := range table.all() {
					got[j.ID] = j
				}
				if !maps.Equal(want, got) || table.count != len(want) {
					t.Fatal(cmp.Diff(want, got, cmp.Comparer(func(a, b *job) bool { return a == b })))
				}
				for i := range JobID(42) {
					if id := i * stride; table.get(id) != want[id] {
						t.Fatalf("job %d: got %p, want %p", id, table.get(id), want[id])
					}
				}
			},
		})
	})
}

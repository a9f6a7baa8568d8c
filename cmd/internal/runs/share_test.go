package runs

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// TestShare: tasks share the runs out, each run to one of them, and one that would have none is
// an error.
func TestShare(t *testing.T) {
	of := func(n, task, perTask int) (first, end int, ok bool) {
		first, end, err := Share{Tasked: true, Task: task, PerTask: perTask}.Of(n, "run")
		return first, end, err == nil
	}
	if first, end, err := (Share{Task: 3}).Of(10, "run"); first != 0 || end != 10 || err != nil {
		t.Errorf("all: %d to %d, %v", first, end, err)
	}
	for _, far := range [][2]int{{math.MaxInt, 2}, {math.MaxInt, math.MaxInt}, {2, math.MaxInt}, {10, 0}} {
		if first, end, ok := of(10, far[0], far[1]); ok {
			t.Errorf("task %d with %d each of 10 runs: %d to %d", far[0], far[1], first, end)
		}
	}
	if first, end, ok := of(10, 0, math.MaxInt); first != 0 || end != 10 || !ok {
		t.Errorf("one task of all: %d to %d", first, end)
	}
	rapid.Check(t, func(t *rapid.T) {
		n, perTask := rapid.IntRange(0, 200).Draw(t, "runs"), rapid.IntRange(1, 30).Draw(t, "per task")
		next := 0
		for task := range (n + perTask - 1) / perTask {
			first, end, ok := of(n, task, perTask)
			if !ok || first != next || end <= first || end-first > perTask {
				t.Fatalf("task %d: %d to %d, expected from %d on", task, first, end, next)
			}
			next = end
		}
		if next != n {
			t.Fatalf("%d of %d runs", next, n)
		}
		if first, end, ok := of(n, (n+perTask-1)/perTask, perTask); ok {
			t.Fatalf("beyond the last: %d to %d", first, end)
		}
	})
}

package sidecar

import (
	"testing"

	"slurm-ostrich/ostrich"
)

// kinds are the kinds of a cycle's events.
func kinds(c *Cycle) []ostrich.Kind {
	var list []ostrich.Kind
	for _, e := range c.Events {
		list = append(list, e.Kind)
	}
	return list
}

// A cycle has the events since the latest one that succeeded, and the first one none.
func TestEventsOfACycle(t *testing.T) {
	w := newSite()
	w.submit(1, 1, 9000, "main")
	s := w.start(t)
	c := run(t, s, false)
	equal(t, "first", []ostrich.Kind(nil), kinds(c))
	equal(t, "first is anew", true, c.Anew)
	equal(t, "partitions", w.Parts, c.Partitions)

	w.submit(2, 1, 9500, "main")
	w.Conf.PriorityType = "priority/basic" // no plan can be made
	s.controller = w.Conf
	if _, err := s.Run(t.Context(), false); err == nil {
		t.Fatal("a plan under priority/basic")
	}
	s.controller = multifactor()
	w.submit(3, 1, 9600, "main")
	c = run(t, s, false)
	equal(t, "after a failure", []ostrich.Kind{ostrich.Submit, ostrich.Submit}, kinds(c))
	equal(t, "anew after a failure", false, c.Anew)
	equal(t, "quiet", 0, len(run(t, s, false).Events))
}

// What is told while no cycle succeeds is not kept for ever.
func TestTooManyEvents(t *testing.T) {
	w := newSite()
	s := w.start(t)
	run(t, s, false)
	for i := range mostNews + 1 {
		w.Events = append(w.Events, ostrich.Event{At: 9000 + ostrich.Time(i/1000), Kind: ostrich.Capacity, Procs: 8})
	}
	c := run(t, s, false)
	equal(t, "too many", []any{0, true}, []any{len(c.Events), c.Anew})
	w.Events = append(w.Events, ostrich.Event{At: 10_000, Kind: ostrich.Capacity, Procs: 9})
	c = run(t, s, false)
	equal(t, "later", []any{1, false}, []any{len(c.Events), c.Anew})
}

package priority

import (
	"testing"
)

// aging is a controller that computes priorities every five minutes. A decay
// step is 4 of age, 500 of fairshare and 1 of rounding.
func aging() Controller {
	c := multifactor()
	c.CalcPeriod, c.PriorityMaxAge = 300, 75_000
	return c
}

func TestUndone(t *testing.T) {
	tests := []struct {
		name string
		at   func(q *Queued, c *Controller)
		want bool
	}{
		{"as computed", func(*Queued, *Controller) {}, false},
		{"a decay step behind", func(q *Queued, _ *Controller) { q.Priority -= 505 }, false},
		{"more than a decay step behind", func(q *Queued, _ *Controller) { q.Priority -= 506 }, true},
		{"more than a decay step ahead", func(q *Queued, _ *Controller) { q.Priority += 506 }, true},
		{"age at its full within a step, behind as far", func(q *Queued, c *Controller) { q.Priority, c.PriorityMaxAge = q.Priority-1501, 100 }, false},
		{"age at its full within a step, behind farther", func(q *Queued, c *Controller) { q.Priority, c.PriorityMaxAge = q.Priority-1502, 100 }, true},
		{"sum not known", func(q *Queued, _ *Controller) { q.Computed, q.Priority = 0, 900_000 }, false},
		{"held", func(q *Queued, _ *Controller) { q.Priority = 0 }, false},
		{"not listed", func(q *Queued, _ *Controller) { q.SiteKnown, q.Priority = false, 900_000 }, false},
		{"several partitions", func(q *Queued, _ *Controller) { q.Partition, q.Priority = "main,debug", 900_000 }, false},
		{"heterogeneous", func(q *Queued, _ *Controller) { q.Full, q.Priority = "17+1", 900_000 }, true},
		{"heterogeneous, with its leader's priority", func(q *Queued, c *Controller) {
			q.Full, q.Priority, c.SchedulerParameters = "17+1", 900_000, []string{"bf_continue", "bf_hetjob_prio=min"}
		}, false},
		{"priorities that never fall", func(q *Queued, c *Controller) { q.Priority, c.PriorityFlags = 900_000, []string{"INCR_ONLY"} }, false},
		{"another plugin", func(q *Queued, c *Controller) { q.Priority, c.PriorityType = 900_000, "priority/basic" }, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := aging()
			q := job(1, func(q *Queued) { q.Priority, q.Computed = 800_000, 800_000 })
			tt.at(&q, &c)
			if got := c.undone(&q); got != tt.want {
				t.Errorf("undone: %v", got)
			}
		})
	}
}

package sim

import (
	"cmp"
	"slices"

	"slurm-ostrich/ostrich"
)

// arrange gives each job its slot among all of the workload, in the loop's
// order and then by id. In the order of arrival, which a closed loop does not
// know beforehand, jobs get their slots as they come.
func (r *loop) arrange() {
	if r.Order.Compare == nil {
		r.all = newQueue(64) // and slides
		return
	}
	r.all = newQueue(len(r.tasks))
	jobs := make([]Job, len(r.tasks))
	order := make([]int32, len(r.tasks))
	for i := range jobs {
		t := r.task(int32(i))
		c := &r.campaigns[r.tasks[i].campaign]
		jobs[i] = Job{
			ID: t.ID, User: c.User, Submit: c.Submit + ostrich.Time(t.Offset), Run: t.Run, Estimate: t.Estimate, Procs: t.Procs,
		}
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(a, b int32) int {
		return cmp.Or(r.Order.Compare(&jobs[a], &jobs[b]), cmp.Compare(jobs[a].ID, jobs[b].ID), cmp.Compare(a, b))
	})
	for slot, i := range order {
		r.tasks[i].slot = int32(slot)
	}
}

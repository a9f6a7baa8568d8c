package priority

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

	"slurm-ostrich/ostrich"
)

// TestTurns lets four campaigns of equal work take turns for long: what starts counts
// against its campaign, whose distance so grows, and new jobs take the places of those
// that started. Each job that starts costs a write, and each turn one for each job of
// the head that was and of the one that comes, however many ranks there are.
func TestTurns(t *testing.T) {
	for _, ranks := range []int64{100_000, 2_000, 240} {
		t.Run(fmt.Sprintf("ranks=%d", ranks), func(t *testing.T) {
			o := Options{Channel: SiteFactor, Mode: Strict, Controller: multifactor(), Procs: 16, Margin: 20}
			o.Controller.Weights = Weights{QOS: limit / ranks}
			o.Controller.DefaultQueueDepth, o.Controller.BackfillMaxJobTest = 50, 100
			var queue []Queued
			var order []Ranked
			id := ostrich.JobID(0)
			distances := []float64{0, 100, 101, 102, 103}
			submit := func(campaign uint64) {
				id++
				queue = append(queue, job(id, nil))
				order = append(order, Ranked{Job: id, Campaign: campaign, Procs: 1 + int(id)%4})
			}
			for i := range 600 {
				submit(uint64(1 + i/150))
			}
			var front uint64
			writes, started, turns := 0, 0, 0
			for cycle := range 2000 {
				for i := range order {
					order[i].Distance = distances[order[i].Campaign]
				}
				slices.SortStableFunc(order, func(a, b Ranked) int {
					return cmp.Or(cmp.Compare(a.Distance, b.Distance), cmp.Compare(a.Campaign, b.Campaign), cmp.Compare(a.Job, b.Job))
				})
				Rank(queue, nil)
				p, err := o.Plan(order, queue)
				if err != nil {
					t.Fatal(err)
				}
				if cycle > 0 {
					for _, c := range p.Changes() {
						if c.From > 0 {
							writes++
						}
					}
				}
				if p.Entries[0].Campaign != front {
					front = p.Entries[0].Campaign
					turns++
				}
				apply(o.Channel, queue, p.Changes())
				for _, e := range p.Entries[:2] {
					started++
					distances[e.Campaign] *= 1.02
					queue = slices.DeleteFunc(queue, func(q Queued) bool { return q.Job == e.Job })
					order = slices.DeleteFunc(order, func(r Ranked) bool { return r.Job == e.Job })
					submit(e.Campaign)
				}
			}
			t.Logf("%d turns, %d started, %d writes", turns, started, writes)
		})
	}
}

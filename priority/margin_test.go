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
// that started. A turn costs writes to the head, not to a campaign; where ranks are few,
// room for them has to be made as well.
func TestTurns(t *testing.T) {
	for _, tt := range []struct {
		ranks int64
		most  float64 // writes for each job that starts
	}{{100_000, 3}, {2_000, 4.5}, {240, 7}} {
		t.Run(fmt.Sprintf("ranks=%d", tt.ranks), func(t *testing.T) {
			o := Options{Channel: SiteFactor, Mode: Strict, Controller: multifactor(), Procs: 16, Margin: 20}
			o.Controller.Weights = Weights{QOS: limit / tt.ranks}
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
			for cycle := range 600 {
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
			if per := float64(writes) / float64(started); turns < 50 || per > tt.most {
				t.Errorf("%.1f writes for each of %d jobs that started in %d turns; want at most %g, in 50 turns or more", per, started, turns, tt.most)
			}
		})
	}
}

// TestOneJobDoesNotDragItsCampaign has a job that its campaign wants last and that
// stands before everybody: its campaign stays where it is.
func TestOneJobDoesNotDragItsCampaign(t *testing.T) {
	o := Options{Channel: SiteFactor, Mode: Strict, Controller: multifactor(), Procs: 1, Margin: 20}
	var queue []Queued
	var order []Ranked
	for id := ostrich.JobID(1); id <= 20; id++ {
		r := Ranked{Job: id, Campaign: 1, Procs: 1, Distance: 1}
		site := int64(50-id) * 10_000_000
		if id > 10 {
			r.Campaign, r.Distance = 2, 1.5
		}
		if id == 20 {
			site = 600_000_000
		}
		order = append(order, r)
		queue = append(queue, job(id, func(q *Queued) { q.Site, q.Priority = site, q.Priority+uint32(site) }))
	}
	Rank(queue, nil)
	p, err := o.Plan(order, queue)
	if err != nil {
		t.Fatal(err)
	}
	if c := p.Changes(); len(c) != 1 || c[0].Job != 20 {
		t.Errorf("changes %+v, want job 20 alone", c)
	}
}

package priority

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

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
			var order []ostrich.Place
			id := ostrich.JobID(0)
			distances := []float64{0, 100, 101, 102, 103}
			submit := func(campaign int) {
				id++
				queue = append(queue, job(id, nil))
				order = append(order, ostrich.Place{Job: id, Campaign: campaign, Procs: 1 + int(id)%4})
			}
			for i := range 600 {
				submit(1 + i/150)
			}
			var front int
			writes, started, turns := 0, 0, 0
			for cycle := range 600 {
				for i := range order {
					order[i].Distance = distances[order[i].Campaign]
				}
				slices.SortStableFunc(order, func(a, b ostrich.Place) int {
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
				if p.Entries[0].Place.Campaign != front {
					front = p.Entries[0].Place.Campaign
					turns++
				}
				apply(o.Channel, queue, p.Changes())
				for _, e := range p.Entries[:2] {
					started++
					distances[e.Place.Campaign] *= 1.02
					queue = slices.DeleteFunc(queue, func(q Queued) bool { return q.Job == e.Place.Job })
					order = slices.DeleteFunc(order, func(r ostrich.Place) bool { return r.Job == e.Place.Job })
					submit(e.Place.Campaign)
				}
			}
			if per := float64(writes) / float64(started); turns < 50 || per > tt.most {
				t.Errorf("%.1f writes for each of %d jobs that started in %d turns; want at most %g, in 50 turns or more", per, started, turns, tt.most)
			}
		})
	}
}

// TestMargin: job 2 stands before job 1, which is wanted before it, and stays there if it is
// farther away by no more than the margin of 25 %, or behind the head by five times that.
func TestMargin(t *testing.T) {
	for _, tt := range []struct {
		name     string
		distance float64 // of job 2; that of the others is 1
		edit     func(*Options)
		stays    bool
	}{
		{"as far as the margin", 1.25, nil, true},
		{"farther", 1.26, nil, false},
		{"without a margin", 1, func(o *Options) { o.Margin = 0 }, false},
		{"without a distance", 0, nil, false},
		{"behind the head", 2.25, func(o *Options) { o.Procs = 0 }, true},
		{"farther, behind the head", 2.26, func(o *Options) { o.Procs = 0 }, false},
		{"in mode weight", 1.25, func(o *Options) { o.Mode, o.Weight = Weight, 1<<30 }, true},
		{"fewer values than jobs", 1.25, func(o *Options) { o.Mode, o.Weight = Weight, 2 }, false},
		{"fewer ranks than jobs", 1.25, func(o *Options) { o.Controller.Weights = Weights{QOS: limit / 4} }, false},
		{"priorities that Slurm computed", 1.25, func(o *Options) { o.Channel = Priority }, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := Options{Channel: SiteFactor, Mode: Strict, Controller: multifactor(), Procs: 8, Margin: 25}
			if tt.edit != nil {
				tt.edit(&o)
			}
			order := ranked(3, 1, 2)
			var queue []Queued
			for i := range order {
				order[i].Campaign, order[i].Procs, order[i].Distance = i, 1, 1
				site := int64(i+1) * 300_000_000
				queue = append(queue, job(ostrich.JobID(i+1), func(q *Queued) { q.Site, q.Priority = site, q.Priority+uint32(site) }))
			}
			order[2].Distance = tt.distance
			Rank(queue, nil)
			p, err := o.Plan(order, queue)
			if err != nil {
				t.Fatal(err)
			}
			for i := range p.Entries {
				e := &p.Entries[i]
				if why := e.Why.Code == WithinMargin; why != (tt.stays && e.Job == 2) || tt.stays != p.Kept || tt.stays != (p.Entries[1].Job == 2) {
					t.Errorf("job %d has place %d: %s; kept %v, want %v", e.Job, e.Rank, e.Why, p.Kept, tt.stays)
				}
			}
		})
	}
}

// TestOneJobDoesNotDragItsCampaign has a job that its campaign wants last and that
// stands before everybody: its campaign stays where it is.
func TestOneJobDoesNotDragItsCampaign(t *testing.T) {
	o := Options{Channel: SiteFactor, Mode: Strict, Controller: multifactor(), Procs: 1, Margin: 20}
	var queue []Queued
	var order []ostrich.Place
	for id := ostrich.JobID(1); id <= 20; id++ {
		r := ostrich.Place{Job: id, Campaign: 1, Procs: 1, Distance: 1}
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

// TestMarginLeavesCampaignsSorted: whatever values jobs have, as after other lengths are
// expected of them, the margin lets a job stay before another of its campaign that is wanted
// first only behind the head, and never before one with a smaller nice value, down to the
// depth.
func TestMarginLeavesCampaignsSorted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := Options{Channel: SiteFactor, Mode: Strict, Controller: multifactor(), Procs: rapid.IntRange(0, 8).Draw(t, "m"), Margin: 20, Depth: 6}
		var queue []Queued
		var order []ostrich.Place
		for campaign := range rapid.IntRange(1, 4).Draw(t, "campaigns") {
			nice := int64(0)
			for range rapid.IntRange(1, 8).Draw(t, "jobs") {
				id := ostrich.JobID(len(queue) + 1)
				order = append(order, ostrich.Place{Job: id, Campaign: campaign, Procs: 1, Distance: 1 + 0.1*float64(campaign)})
				site := rapid.Int64Range(0, 40).Draw(t, "value") * 10_000_000
				nice += rapid.Int64Range(0, 1).Draw(t, "nicer")
				queue = append(queue, job(id, func(q *Queued) { q.Nice, q.Site, q.Priority = nice, site, q.Priority+uint32(site) }))
			}
		}
		Rank(queue, nil)
		p, err := o.Plan(order, queue)
		if err != nil {
			t.Fatal(err)
		}
		apply(o.Channel, queue, p.Changes())
		Rank(queue, nil)
		latest, nice := make(map[int]ostrich.JobID), make(map[int]int64)
		for i, q := range queue[:min(o.Depth, len(queue))] {
			campaign := order[q.Job-1].Campaign
			if q.Job < latest[campaign] && i <= o.Procs || q.Nice < nice[campaign] {
				t.Fatalf("job %d comes after job %d of its campaign: %+v", q.Job, latest[campaign], p.Entries)
			}
			latest[campaign], nice[campaign] = max(latest[campaign], q.Job), q.Nice
		}
	})
}

// TestOtherLengths: the jobs of a campaign behind the head are wanted in another order, as other
// lengths are expected of them. Those of the head get their places, and nothing else is written.
func TestOtherLengths(t *testing.T) {
	o := Options{Channel: SiteFactor, Mode: Strict, Controller: multifactor(), Procs: 3, Margin: 20}
	var queue []Queued
	var order []ostrich.Place
	for id := ostrich.JobID(1); id <= 40; id++ {
		order = append(order, ostrich.Place{Job: id, Campaign: 1, Procs: 1, Distance: 1})
		site := int64(60-id) * 10_000_000
		queue = append(queue, job(id, func(q *Queued) { q.Site, q.Priority = site, q.Priority+uint32(site) }))
	}
	slices.Reverse(order)
	Rank(queue, nil)
	p, err := o.Plan(order, queue)
	if err != nil {
		t.Fatal(err)
	}
	var written []ostrich.JobID
	for _, c := range p.Changes() {
		written = append(written, c.Job)
	}
	// What the machine could start, and one job more.
	if want := []ostrich.JobID{40, 39, 38, 37}; !slices.Equal(written, want) || p.Kept {
		t.Errorf("jobs %v are written, want %v; the plan changes with time: %v", written, want, p.Kept)
	}
}

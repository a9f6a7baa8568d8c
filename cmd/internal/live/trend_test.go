package live

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/priority"
)

// totals are the counts of all points: waits, stretches.
func totals(points []Point) (n [2]uint64) {
	for _, p := range points {
		n[0] += p.Wait.Count
		n[1] += p.Stretch.Count
	}
	return n
}

// near compares a quantile of stretches.
func near(t *testing.T, what string, want, got float64) {
	t.Helper()
	if math.Abs(math.Log(got/want)) > 0.0443 {
		t.Errorf("%s: %v, want about %v", what, got, want)
	}
}

// The waits of jobs that started, and the stretches of campaigns that ended.
func TestTrends(t *testing.T) {
	s := full(t)
	s.submit(2, 2, 4, 7200) // at 10 010
	s.cycle()
	s.submit(3, 3, 4, 60) // at 10 020
	s.cycle()
	s.end(1)
	s.start(2)
	r := s.cycle()
	equal(t, "2 has started, 1 has ended", [2]uint64{1, 1}, totals(r.Trends))
	equal(t, "wait of 2", Spread{1, 20, 20}, r.Trends[0].Wait)
	equal(t, "when", []ostrich.Time{9900}, []ostrich.Time{r.Trends[0].Time})
	for range 6 {
		s.cycle()
	}
	s.end(2)
	s.start(3)
	r = s.cycle()
	equal(t, "3 has started", [2]uint64{2, 2}, totals(r.Trends))
	near(t, "stretch of 2", 90.0/70, r.Trends[0].Stretch.P90) // it ran for 70 s from 10 030 on
	s.Now += 230
	s.end(3)
	r = s.cycle()
	equal(t, "points", []ostrich.Time{9900, 10_200}, []ostrich.Time{r.Trends[0].Time, r.Trends[1].Time})
	equal(t, "3 ended", Spread{1, 320.0 / 240, 320.0 / 240}, r.Trends[1].Stretch) // it ran for 240 s from 10 100 on
	equal(t, "waits in all", [2]float64{2, 100}, [2]float64{float64(r.Waits.Count), r.Waits.Sum})
}

// A job is counted at its first start, a task of an array each, and one that OStrich leaves
// alone too.
func TestWhoseWait(t *testing.T) {
	s := full(t)
	s.submit(5, 2, 1, 600, func(_ *ostrich.Job, q *priority.Queued) { q.Pinned, q.SiteKnown = true, false })
	s.submit(3, 3, 1, 600, func(j *ostrich.Job, q *priority.Queued) {
		j.Group, j.Tasks = 3, 3
		q.Array, q.Tasks, q.Count = 3, "1-3", 3
	})
	s.cycle()
	s.end(1)
	s.start(5, 3)
	r := s.cycle()
	equal(t, "5 and 3", [2]uint64{4, 1}, totals(r.Trends))
	s.requeue(5)
	s.cycle()
	s.start(5)
	r = s.cycle()
	equal(t, "requeued", uint64(4), r.Waits.Count)
}

func TestTrendsAreBounded(t *testing.T) {
	n := newTrends()
	n.at(1000 * trendStep)
	n.add(trendWait, 999*trendStep, 5, 1) // before the first cycle
	if points := n.list(); len(points) != 1 || points[0].Wait.Count != 0 {
		t.Errorf("points %+v", points)
	}
	n.add(trendWait, 1000*trendStep, 5, 2)
	first := n.list()
	equal(t, "counted", Spread{2, 5, 5}, first[0].Wait)
	if &first[0] != &n.list()[0] {
		t.Error("the same is made again")
	}
	n.add(trendWait, 1000*trendStep, 5, 1)
	equal(t, "what was handed out stays", uint64(2), first[0].Wait.Count)
	equal(t, "counted", uint64(3), n.list()[0].Wait.Count)
	n.at(1200 * trendStep) // nothing for 200 steps
	points := n.list()
	equal(t, "length", 201, len(points))
	equal(t, "empty", Point{Time: 1100 * trendStep}, points[100])
	n.at((1000 + trendSteps) * trendStep)
	points = n.list()
	equal(t, "a day", [2]ostrich.Time{1001 * trendStep, (1000 + trendSteps) * trendStep}, [2]ostrich.Time{points[0].Time, points[len(points)-1].Time})
	n.add(trendWait, (1000+trendSteps)*trendStep, 7, 1)
	n.add(trendWait, 1000*trendStep, 5, 1) // over
	points = n.list()
	equal(t, "count", [2]uint64{1, 0}, totals(points))
	equal(t, "the slot of the day before", Spread{1, 7, 7}, points[len(points)-1].Wait)
	n.add(trendWait, (1009+trendSteps)*trendStep, 7, 1) // a start ahead of the cycle's clock
	equal(t, "ahead", uint64(2), n.list()[len(points)-1].Wait.Count)
}

// The quantiles of a sample are near those of its values.
func TestQuantiles(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, test := range []struct{ perDoubling, off float64 }{{binsPerDoubling(trendWait), 0.0906}, {binsPerDoubling(trendStretch), 0.0443}} {
		for n := range 300 {
			var s sample
			var values []float64
			for range n + 1 {
				v := math.Floor(math.Exp2(rng.Float64()*11)*8) / 8
				values = append(values, v)
				s.add(v, test.perDoubling, 1)
			}
			slices.Sort(values)
			got := s.spread(test.perDoubling)
			for _, q := range []struct{ q, got float64 }{{0.5, got.P50}, {0.9, got.P90}} {
				want := values[int(math.Ceil(q.q*float64(len(values))))-1]
				if math.Abs(math.Log(q.got/want)) > math.Log(1+test.off) {
					t.Fatalf("quantile %v of %v is %v, want %v", q.q, values, q.got, want)
				}
			}
		}
	}
	var s sample
	s.add(0, 4, 3)
	s.add(1e12, 4, 1)
	equal(t, "none and very long", Spread{4, 0, 1e12}, s.spread(4))
}

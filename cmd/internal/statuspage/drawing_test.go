package statuspage

import (
	"math"
	"regexp"
	"slices"
	"testing"
	"time"

	"slurm-ostrich/cmd/internal/live"
	"slurm-ostrich/cmd/internal/svg/svgtest"
)

// TestLanes: blocks lie where their campaigns are between now and the end of the
// axis, and ticks go on from left to right.
func TestLanes(t *testing.T) {
	s := sample(8, 60)
	pool := newContent(s, Query{}, nil, time.UTC).Pools[0]
	now, right, known := float64(s.Health.Now), 0.0, 0.0 // the end of the axis, in seconds
	for i, tick := range pool.Ticks {
		x := svgtest.Number(t, tick.X)
		if i > 0 && x <= right || x > 100 {
			t.Errorf("tick %d, %s, is at %v behind %v", i, tick.Label, x, right)
		}
		right = x
	}
	for i, lane := range pool.Lanes {
		k := 0
		for _, block := range s.Lanes[i].Blocks {
			from, to := max(*block.Start-now, 0), *block.End-now
			if k == len(lane.Blocks) {
				break // the others begin beyond the axis
			}
			x, w := svgtest.Number(t, lane.Blocks[k].X), svgtest.Number(t, lane.Blocks[k].W)
			k++
			if x+w > 99.99 || w <= 100*leastWidth {
				continue // cut off, or made wider to be seen
			}
			if span := 100 * to / (x + w); known == 0 {
				known = span
			} else if math.Abs(span-known) > known/100 {
				t.Errorf("%s: a block that ends at %v ends at %v %%, by an axis of %v s and not of %v s", lane.Who.Name, to, x+w, span, known)
			}
			if math.Abs(x-100*from/known) > 0.5 {
				t.Errorf("%s: a block that begins at %v begins at %v %%, on an axis of %v s", lane.Who.Name, from, x, known)
			}
		}
	}
	if want := newScale(clock{time.Unix(int64(s.Health.Now), 0)}, []float64{now + known*0.99}).span.Seconds(); math.Abs(known-want) > want/100 {
		t.Errorf("the axis is %v s long, want %v s", known, want)
	}
	at := 0.0
	for i, part := range pool.Running.Parts {
		x, w := svgtest.Number(t, part.X), svgtest.Number(t, part.W)
		if math.Abs(x-at) > 0.02 || math.Abs(w-100*s.Running[i].Procs/s.Pools[0].Procs) > 0.02 {
			t.Errorf("%s holds %v processors of %v, from %v %% on %v %%", part.Who.Name, s.Running[i].Procs, s.Pools[0].Procs, x, w)
		}
		at = x + w
	}
}

// TestCurves: curves are as high as their values, run from left to right, and
// break where nothing was counted.
func TestCurves(t *testing.T) {
	s := sample(8, 60)
	s.Trends.Points = slices.Delete(s.Trends.Points, 40, 41) // and step 29 was quiet
	v := newContent(s, Query{}, nil, time.UTC).Trends
	move := regexp.MustCompile(`([ML])(\d+) (\d+)`)
	for c, of := range []func(*live.Point) [2]float64{
		func(p *live.Point) [2]float64 { return [2]float64{p.Wait.P50, p.Wait.P90} },
		func(p *live.Point) [2]float64 { return [2]float64{p.Stretch.P50, p.Stretch.P90} },
	} {
		points := slices.DeleteFunc(slices.Clone(s.Trends.Points), func(p live.Point) bool { return p.Wait.Count == 0 })
		top := 0.0 // the value at the upper edge, by the highest curve
		for i, curve := range v.Charts[c].Curves {
			drawn := move.FindAllStringSubmatch(curve.Path, -1)
			if len(drawn) != len(points) {
				t.Fatalf("%s: %d points of %d", v.Legend[i].Text, len(drawn), len(points))
			}
			begins, last := 0, -1.0
			for k, m := range drawn {
				x, y, value := svgtest.Number(t, m[2]), svgtest.Number(t, m[3]), of(&points[k])[i]
				if m[1] == "M" {
					begins++
				}
				if x <= last {
					t.Errorf("%s: point %d is at %v, behind %v", v.Legend[i].Text, k, x, last)
				}
				last = x
				if top == 0 && y < 500 {
					top = value * 1000 / (1000 - y)
				}
				if top > 0 && math.Abs(1000-y-1000*value/top) > 3 {
					t.Errorf("%s: %v is drawn at %v of 1000, where %v is the edge", v.Legend[i].Text, value, 1000-y, top)
				}
			}
			if begins != 3 {
				t.Errorf("%s: the line begins %d times", v.Legend[i].Text, begins)
			}
		}
		if top == 0 {
			t.Errorf("%s: nothing is in the upper half", v.Charts[c].Title)
		}
	}
}

// A campaign that cannot start is not among those that begin later.
func TestUndrawn(t *testing.T) {
	s := sample(2, 2)
	far := float64(s.Health.Now) + 1e9
	s.Lanes[0].Blocks = []Block{{Campaign: 1, Waiting: true, Pending: 3}, {Campaign: 2, Start: &far, End: &far}, {Campaign: 3, Waiting: true}, {Campaign: 4}}
	var out undrawn
	b := newContent(s, Query{}, nil, time.UTC).builder
	lane := b.lane(newScale(b.clock, nil), s.Lanes[0], &out)
	want := []string{
		"1 campaign of these users begins later than the right edge; the table of campaigns says when.",
		"2 campaigns of these users are not drawn, as none of their jobs could start yet: they are held, depend on others or begin later.",
		"1 campaign of these users is not drawn, as the pool has no processors.",
	}
	if got := out.notes(); !slices.Equal(got, want) || len(lane.Blocks) != 0 {
		t.Errorf("%d blocks, notes %q, want %q", len(lane.Blocks), got, want)
	}
	if got := b.blockWords(&s.Lanes[0].Blocks[0]); got != "campaign 1: none of its jobs could start yet; 3 pending" {
		t.Error(got)
	}
}

// Due dates have a column only where the setting asks for it.
func TestDueColumn(t *testing.T) {
	for _, shown := range []bool{false, true} {
		s := sample(2, 2)
		s.cycle.DueShown = shown
		if v := newContent(s, Query{}, nil, time.UTC); v.Due != shown {
			t.Errorf("shown %v: %v", shown, v.Due)
		}
	}
}

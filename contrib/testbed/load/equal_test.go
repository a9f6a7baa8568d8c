package main

import (
	"fmt"
	"math"
	"slices"
	"testing"
)

// The load equal without its jitter: eight users with two campaigns each, which take
// half of the machine for 12 s, the second one 5 s after the first. So two campaigns
// run in each 12 s.
const equalUsers, equalLength, equalThink = 8, 12, 5

// TestEqual shows what an order can gain in the load equal: nothing of the mean
// stretch without a greater maximum than that of the order of submission, and at
// best 16 % of it (docs/scenarios.md).
func TestEqual(t *testing.T) {
	t.Parallel()
	mean, most := equalBySubmission()
	if got, want := fmt.Sprintf("%.2f %.2f", mean, most), "3.04 4.00"; got != want {
		t.Errorf("in the order of submission mean and maximum are %s, want %s", got, want)
	}
	for _, tt := range []struct{ most, want float64 }{{most, 1}, {most + 0.5, 1}, {5, 0.918}, {6, 0.836}, {math.Inf(1), 0.836}} {
		e := equalOrder{most: tt.most, known: map[string]float64{}}
		if got := e.least(0, equalUsers, nil) / (2 * equalUsers * equalLength) / mean; math.Abs(got-tt.want) > 0.001 {
			t.Errorf("with no stretch above %v the least mean is %.3f of that in the order of submission, want %v", tt.most, got, tt.want)
		}
	}
}

// equalBySubmission is the mean and the greatest stretch in the order of submission.
func equalBySubmission() (mean, most float64) {
	waiting := make([]int, equalUsers) // times of submission
	firsts := equalUsers               // those of them that are first campaigns are in front
	for at := 0; len(waiting) > 0; {
		end := at + equalLength
		for range 2 {
			if len(waiting) == 0 || waiting[0] > at {
				break
			}
			flow := float64(end - waiting[0])
			mean += flow / (2 * equalUsers * equalLength)
			most = max(most, flow/equalLength)
			waiting = waiting[1:]
			if firsts > 0 {
				firsts--
				waiting = append(waiting, end+equalThink)
			}
		}
		at = end
	}
	return mean, most
}

// equalOrder looks at all orders in which no campaign has a greater stretch than most.
type equalOrder struct {
	most  float64
	known map[string]float64
}

// least is the least sum of the flow times of what has not begun: as many first
// campaigns, and the second ones that were or will be submitted at these times.
func (e equalOrder) least(at, firsts int, seconds []int) float64 {
	if firsts == 0 && len(seconds) == 0 {
		return 0
	}
	state := fmt.Sprint(at, firsts, seconds)
	if sum, ok := e.known[state]; ok {
		return sum
	}
	best := math.Inf(1)
	end := at + equalLength
	here, _ := slices.BinarySearch(seconds, at+1) // so many of the second campaigns are there
	if firsts+here == 0 {
		best = e.least(end, firsts, seconds)
	}
	for begun := 0; begun <= min(2, firsts); begun++ {
		// Of second campaigns those that wait longest begin: which ones is all one to the sum.
		longest := min(2-begun, here)
		if begun+longest == 0 || begun+longest < min(2, firsts+here) {
			continue
		}
		sum := float64(begun * end)
		fits := begun == 0 || float64(end)/equalLength <= e.most
		for _, submitted := range seconds[:longest] {
			sum += float64(end - submitted)
			fits = fits && float64(end-submitted)/equalLength <= e.most
		}
		if fits {
			rest := append(slices.Clone(seconds[longest:]), slices.Repeat([]int{end + equalThink}, begun)...)
			best = min(best, sum+e.least(end, firsts-begun, rest))
		}
	}
	e.known[state] = best
	return best
}

package forecast

import (
	"math"
	"reflect"
	"testing"

	"slurm-ostrich/ostrich"
)

// TestScore: three answers by hand, in two weeks.
func TestScore(t *testing.T) {
	const week = 7 * day
	var s Score
	if !math.IsNaN(s.MeanLoss()) || !math.IsNaN(s.MedianError()) || !math.IsNaN(s.Margin()) || !math.IsNaN(s.All.Part()) {
		t.Error("figures of no answer")
	}
	s.Add(0, [3]ostrich.Time{10, 20, 30}, 30)                     // held
	s.Add(0, [3]ostrich.Time{10, 20, 30}, 0)                      // early
	s.Add(week, [3]ostrich.Time{week, week, week + 10}, week+600) // late
	if s.All != (Band{3, 1}) || s.Early != 1 || s.Late != 1 || s.ByWait != [5]Band{{2, 1}, {1, 0}} {
		t.Errorf("%+v", s)
	}
	loss := 0.1*20 + 0.5*10 + 0 + 0.9*10 + 0.5*20 + 0.1*30 + 0.1*600 + 0.5*600 + 0.9*590
	if math.Abs(s.MeanLoss()-loss/9) > 1e-9 || s.MedianError() != 20 || !reflect.DeepEqual(s.Errors, []int64{10, 20, 600}) {
		t.Errorf("%v of %v, %v", s.MeanLoss(), loss/9, s.Errors)
	}
	// Two weeks, of which one had 1 of 2 and one 0 of 1, where 1/3 and 2/3 were to be expected.
	if want := 1.96 * math.Sqrt(2*(1./9+1./9)) / 3; math.Abs(s.Margin()-want) > 1e-9 {
		t.Errorf("± %v, want %v", s.Margin(), want)
	}
}

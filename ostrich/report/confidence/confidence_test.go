package confidence_test

import (
	"math"
	"testing"

	"slurm-ostrich/ostrich/report/confidence"
)

// TestReach: a 95 % interval of few values is wider than 1.96 standard errors. Student's
// t of 4 degrees of freedom is 2.776, and two means alike have 8, with 2.306.
func TestReach(t *testing.T) {
	five := confidence.MeanOf([]float64{0, 0.1, 0.2, 0.3, 0.4})
	if math.Abs(five.Mean-0.2) > 1e-12 || math.Abs(five.Error-0.1/math.Sqrt2) > 1e-12 {
		t.Errorf("%+v, want a mean of 0.2 with an error of 0.0707", five)
	}
	certain := confidence.MeanOf([]float64{0.2, 0.2, 0.2})
	mix := func(means ...confidence.Mean) confidence.Mean { return confidence.MeanOfMeans(means) }
	for _, tt := range []struct {
		name string
		of   confidence.Mean
		want float64 // standard errors
	}{{"five values", five, 2.776}, {"two means", mix(five, five), 2.306}, {"one of two means is certain", mix(five, certain), 2.776}} {
		if got := tt.of.Reach() / tt.of.Error; math.Abs(got-tt.want) > 0.001 {
			t.Errorf("%s: %.3f standard errors, want %.3f", tt.name, got, tt.want)
		}
	}
	if all := mix(certain, certain); all.Reach() != 0 {
		t.Errorf("certain, and reaches %v", all.Reach())
	}
	if one := confidence.MeanOf([]float64{7}); one.Mean != 7 || !math.IsNaN(one.Error) || !math.IsNaN(one.Reach()) {
		t.Errorf("one value: %+v", one)
	}
}

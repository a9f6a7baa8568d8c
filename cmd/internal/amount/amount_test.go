package amount

import (
	"math"
	"testing"
	"time"
)

func TestMoment(t *testing.T) {
	at := time.Date(2026, 11, 22, 8, 5, 9, 0, time.Local)
	for x, want := range map[float64]string{
		math.Inf(1): "never", math.Inf(-1): "never", 0: "-", -1: "-", float64(at.Unix()) + 0.9: "2026-11-22T08:05:09",
	} {
		if got := Moment(x); got != want {
			t.Errorf("%v: %s, want %s", x, got, want)
		}
		if got := When(Finite(x)); got != want {
			t.Errorf("%v by way of JSON: %s, want %s", x, got, want)
		}
	}
	if Finite(math.NaN()) != nil {
		t.Error("NaN is a number for JSON")
	}
}

func TestPlural(t *testing.T) {
	for n, want := range map[int]string{0: "0 jobs", 1: "1 job", 2: "2 jobs", -1: "-1 jobs"} {
		if got := Plural(n, "job"); got != want {
			t.Errorf("%d: %q", n, got)
		}
	}
	if CoreHours(5400) != 1.5 {
		t.Errorf("%v core-hours", CoreHours(5400))
	}
}

//go:build !race

package figures

import (
	"math"
	"strconv"
	"testing"
	"time"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/report"
)

// TestLPCNumbers pins ours beside those of thesis section 5.5.
func TestLPCNumbers(t *testing.T) {
	in := lpcInput(t)
	drawnOnce := make(map[string]*Result)
	for _, tt := range []struct{ figure, what, want string }{ // the thesis has 55.2 %, 68.6 %, 80 % and 89.7 %
		{"thesis-5.5", "optimal", "0.3 %"},
		{"thesis-5.5", "below 1.5", "56.2 %"},
		{"thesis-5.5", "campaigns", "58654"},
		{"thesis-5.6", "optimal", "73.3 %"},
		{"thesis-5.6", "at most 1.15", "78.4 %"},
		{"thesis-5.6", "below 1.5", "89.2 %"},
	} {
		r := drawnOnce[tt.figure]
		if r == nil {
			r = drawFigure(t, tt.figure, in)
			drawnOnce[tt.figure] = r
		}
		if got := r.number(t, tt.what); got != tt.want {
			t.Errorf("%s, %s: %s, want %s", tt.figure, tt.what, got, tt.want)
		}
		sum := 0
		for _, row := range r.Tables[0].Rows {
			n, err := strconv.Atoi(row[2])
			if err != nil {
				t.Fatal(err)
			}
			sum += n
		}
		if sum != 58654 {
			t.Errorf("%s: %d campaigns in the histogram", tt.figure, sum)
		}
	}
}

// TestWithoutDependencies is what the thesis says of Fig. 5.11, and of 5.9.
func TestWithoutDependencies(t *testing.T) {
	in := lpcInput(t)
	r := drawFigure(t, "thesis-5.11", in)
	what := "utilisation without dependencies against that with them, hours above 10 % in each replay by itself"
	if got, want := r.number(t, what), "70.4 % against 48.2 %: +22.2 points, +46.1 %"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if n := len(r.Tables[0].Rows); n != 62*24 {
		t.Errorf("%d hours in December and January", n)
	}
	if got := r.Tables[0].Rows[0][0]; got != "2004-12-01T00:00:00+01:00" {
		t.Errorf("begins at %s", got)
	}
}

// TestUtilisationOfLog: over the whole log the mean is that of package report.
func TestUtilisationOfLog(t *testing.T) {
	in := lpcInput(t)
	log, err := readLPC(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	if want := time.Date(2004, time.August, 4, 11, 32, 12, 0, paris); !log.begin.Equal(want) { // 12:32:12 in summer time
		t.Errorf("the log begins at %v, want %v", log.begin, want)
	}
	if at := log.moment(log.date(12345)); at != 12345 {
		t.Errorf("moment %d", at)
	}
	jobs := log.original()
	first, last := report.Span(jobs)
	area := report.Utilisation(jobs, lpcProcs) * float64(last-first)
	used := drawFigure(t, "thesis-5.7", in).Tables[0].Rows
	sum := 0.0
	for i, row := range used {
		u, err := strconv.ParseFloat(row[1], 64)
		if err != nil {
			t.Fatal(err)
		}
		begin, err := time.Parse(time.RFC3339, row[0])
		if err != nil {
			t.Fatal(err)
		}
		end := log.date(last)
		if i+1 < len(used) {
			end = begin.Add(6 * time.Hour)
		}
		sum += u * float64(ostrich.Duration(end.Sub(begin)/time.Second))
	}
	if math.Abs(sum/area-1) > 1e-3 {
		t.Errorf("area %v in the figure, %v in the log", sum, area)
	}
}

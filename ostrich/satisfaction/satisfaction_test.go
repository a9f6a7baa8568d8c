package satisfaction

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"slurm-ostrich/ostrich"
)

// TestTableI checks r(p), S(p) and the accepted wait of the paper's regressions, in
// minutes, under both readings of equation 22.
func TestTableI(t *testing.T) {
	literally := func(a Acceptance) Acceptance {
		a.Reading = Literal
		return a
	}
	for _, tt := range []struct {
		name           string
		accept         Acceptance
		length         ostrich.Duration // minutes
		response, wait float64
	}{
		{"median", Median, 10, 46.51, 36.51},
		{"median", Median, 60, 131.51, 71.51},
		{"median", Median, 1440, 2477.51, 1037.51},
		{".75", Upper, 10, 238.55, 228.55},
		{".75", Upper, 60, 352.55, 292.55},
		{".75", Upper, 1440, 3498.95, 2058.95},
		{".25", Lower, 10, -154.79, 0},
		{".25", Lower, 60, -97.79, 0},
		{".25", Lower, 1440, 1475.41, 35.41},
		{"literal median", literally(Median), 10, 46.51, 26.51},
		{"literal median", literally(Median), 60, 131.51, 11.51},
		{"literal median", literally(Median), 1440, 2477.51, 0},
		{"no length", Median, 0, 29.51, 29.51},
		{"no length", Lower, 0, -166.19, 0},
	} {
		p := tt.length * minute
		for _, v := range []struct {
			name      string
			got, want float64
		}{
			{"r", tt.accept.Response(p) / minute, tt.response},
			{"accepted wait", tt.accept.Wait(p) / minute, tt.wait},
		} {
			if v.got != v.want && !(math.Abs(v.got-v.want) <= 1e-7) {
				t.Errorf("%s, %d min: %s = %v, want %v", tt.name, tt.length, v.name, v.got, v.want)
			}
		}
	}
}

// TestLiteralTolerance: read literally, the median tolerates no wait above 98.37 min.
func TestLiteralTolerance(t *testing.T) {
	a := Median
	a.Reading = Literal
	const border = 5902 // 98.37 min: 29.51/0.3
	if wait := a.Wait(border - 1); wait <= 0 || wait > 1 {
		t.Errorf("a job of 98.35 min may wait for %v s, want less than a second", wait)
	}
	for p := ostrich.Duration(border + 1); p < 1<<40; p *= 2 {
		if wait := a.Wait(p); wait != 0 {
			t.Errorf("a job of %d s may wait for %v s, want 0", p, wait)
		}
		if Median.Wait(p) <= 0 {
			t.Errorf("by the ratio, a job of %d s may not wait", p)
		}
	}
}

func TestDue(t *testing.T) {
	for _, tt := range []struct {
		accept Acceptance
		p      ostrich.Duration
		want   ostrich.Time
	}{
		{Median, 600, 1000 + 2190}, // 36.51 min are 2190.6 s
		{Lower, 600, 1000},
		{Acceptance{Slope: 1.15}, 6000, 1000 + 900}, // 899.9999999999991 in binary
		{Acceptance{Slope: 1e9, Offset: 1e9}, math.MaxInt64, 1000 + longest},
	} {
		if got := tt.accept.Due(1000, tt.p); got != tt.want {
			t.Errorf("%s, %d s: due at %d, want %d", tt.accept, tt.p, got, tt.want)
		}
	}
}

// draw draws a valid acceptance.
func draw(t *rapid.T) Acceptance {
	a := Acceptance{
		Slope: rapid.Float64Range(0, 5).Draw(t, "c1"), Offset: rapid.Float64Range(-300, 300).Draw(t, "c2"),
		Reading: rapid.SampledFrom([]Reading{ByRatio, Literal}).Draw(t, "reading"),
	}
	if a.Validate() != nil {
		a.Slope += 3
	}
	return a
}

// TestAsPrinted compares with equations 20 to 24 as they are printed, and read with
// r(p)/p.
func TestAsPrinted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := draw(t)
		p := rapid.Int64Range(1, 1e6).Draw(t, "p")
		wait := rapid.Int64Range(0, 1e7).Draw(t, "w")
		length := float64(p) / minute
		r := a.Slope*length + a.Offset
		s := max(r/length, 1)
		if a.Reading == Literal {
			s = max((r-length)/length, 1)
		}
		late := float64(wait)/minute + length - s*length
		due := a.Due(1000, ostrich.Duration(p))
		got := Lateness(1000+ostrich.Time(wait), due)
		if off := float64(got) - late*minute; off < -1e-3 || off > 1+1e-3 {
			t.Errorf("L = %d s, want %v", got, late*minute)
		}
		if off := float64(Tardiness(got)) - max(0, late*minute); off < -1e-3 || off > 1+1e-3 {
			t.Errorf("T = %d s, want %v", Tardiness(got), max(0, late*minute))
		}
		if math.Abs(late*minute) < 1e-3 {
			return // rounding decides
		}
		if want := late > 0; Unified(got) != map[bool]int{true: 1}[want] {
			t.Errorf("U = %d with L = %v s", Unified(got), late*minute)
		}
	})
}

func TestLateness(t *testing.T) {
	for _, tt := range []struct {
		start, due      ostrich.Time
		late, tardiness ostrich.Duration
		unified         int
	}{
		{90, 100, -10, 0, 0},
		{100, 100, 0, 0, 0},
		{101, 100, 1, 1, 1},
		{160, 100, 60, 60, 1},
	} {
		late := Lateness(tt.start, tt.due)
		if late != tt.late || Tardiness(late) != tt.tardiness || Unified(late) != tt.unified {
			t.Errorf("start %d, due %d: L = %d, T = %d, U = %d, want %d, %d, %d",
				tt.start, tt.due, late, Tardiness(late), Unified(late), tt.late, tt.tardiness, tt.unified)
		}
	}
}

func TestValidate(t *testing.T) {
	for _, tt := range []struct {
		text, want string
	}{
		{"median", ""},
		{" .75 ", ""},
		{".25", ""},
		{"median,literal", ""},
		{"1.5, 20", ""},
		{"0.5,20 , literal", ""},
		{"1.01,-1000", ""},
		{"0,0.1", ""},
		{"1e9,-1e9", ""},
		{"", `"": want median, .25, .75 or C1,C2`},
		{"mean", `"mean": want median, .25, .75 or C1,C2`},
		{"literal", `want median`},
		{"median literal", `want median`},
		{"1.5,", `"1.5,": c2: "" is not a number`},
		{"a,1", `c1: "a" is not a number`},
		{"1,2,3", `c2: "2,3" is not a number`},
		{"NaN,1", `c1 = NaN: want a number up to 1e+09`},
		{"1,nan", `c2 = NaN: want a number of minutes up to 1e+09`},
		{"+Inf,1", `c1 = +Inf: want a number`},
		{"1,-Inf", `c2 = -Inf: want a number`},
		{"1000000001,1", `c1 = 1.000000001e+09: want a number`},
		{"1,-1000000001", `c2 = -1.000000001e+09: want a number`},
		{"-1,500", `c1 = -1 is negative: a longer job would have to end sooner`},
		{"1,0", `c1 = 1, c2 = 0 min: S(p) is 1 for every length, so no wait is accepted for any job; want c1 above 1 or c2 above 0`},
		{"0.9,-10", `S(p) is 1 for every length`},
		{"2,0", ""},
		{"2,0,literal", `want c1 above 2 or c2 above 0`},
		{".25,literal", `".25,literal": c1 = 1.14, c2 = -166.19 min: S(p) is 1 for every length`},
	} {
		_, err := Parse(tt.text)
		switch {
		case err == nil && tt.want != "":
			t.Errorf("%q: no error, want %q", tt.text, tt.want)
		case err != nil && (tt.want == "" || !strings.Contains(err.Error(), tt.want)):
			t.Errorf("%q: %v, want %q", tt.text, err, tt.want)
		}
	}
	if err := (Acceptance{}).Validate(); err == nil {
		t.Error("the zero value is valid")
	}
	if err := (Acceptance{Slope: 2, Offset: 1, Reading: Literal + 1}).Validate(); err == nil {
		t.Error("a third reading is valid")
	}
}

// TestValid: an acceptance is valid if and only if some job may wait.
func TestValid(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := Acceptance{
			Slope: float64(rapid.IntRange(0, 30).Draw(t, "10·c1")) / 10, Offset: float64(rapid.IntRange(-100, 100).Draw(t, "c2")),
			Reading: rapid.SampledFrom([]Reading{ByRatio, Literal}).Draw(t, "reading"),
		}
		some := a.Wait(0) > 0 || a.Wait(math.MaxInt64) > 0
		if err := a.Validate(); (err == nil) != some {
			t.Errorf("%s: a wait is accepted: %t, but %v", a, some, err)
		}
	})
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{"median", ".25", ".75,literal", "1.5,20", "2.5,-1e3,literal", "0x1p-2,1", ",", "1,2,3", "NaN,NaN"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		a, err := Parse(text)
		if err != nil {
			return
		}
		again, err := Parse(a.String())
		if err != nil || again != a {
			t.Errorf("%q is %+v, and %q is %+v, %v", text, a, a.String(), again, err)
		}
		if w := a.Wait(3600); w < 0 || math.IsNaN(w) {
			t.Errorf("%q: accepted wait of 1 h = %v", text, w)
		}
	})
}

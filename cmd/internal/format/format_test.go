package format

import (
	"math"
	"strings"
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

func TestNumbers(t *testing.T) {
	for _, tt := range []struct{ got, want string }{
		{Plural(0, "job"), "0 jobs"},
		{Plural(1, "job"), "1 job"},
		{Plural(-1, "job"), "-1 jobs"},
		{Plural(12345, "job"), "12345 jobs"},
		{Counted(1, "job"), "1 job"},
		{Counted(12345, "job"), "12\u202f345 jobs"},
		{Count(0), "0"},
		{Count(999), "999"},
		{Count(-1234567), "−1\u202f234\u202f567"},
		{Grouped(999.6), "1\u00a0000"},
		{Grouped(-0.4), "0"},
		{Grouped(-123456), "−123\u00a0456"},
		{Number(0), "0"},
		{Number(0.0123), "0.012"},
		{Number(0.5), "0.50"},
		{Number(-2.345), "−2.35"},
		{Number(-0.0004), "0.000"},
		{Number(0.0996), "0.10"},
		{Number(9.994), "9.99"},
		{Number(9.996), "10.0"},
		{Number(-99.96), "−100"},
		{Number(12.34), "12.3"},
		{Number(1234567), "1\u00a0234\u00a0567"},
		{Rounded(0), "0"},
		{Rounded(0.004), "0.00"},
		{Rounded(9.994), "9.99"},
		{Rounded(9.996), "10.0"},
		{Rounded(99.96), "100"},
		{Rounded(123456.7), "123\u202f457"},
		{Rounded(1e18), "1e+18"},
		{Trimmed(2.5, 2), "2.5"},
		{Trimmed(20, 0), "20"},
		{Trimmed(-0.004, 2), "0"},
		{Trimmed(1.996, 2), "2"},
		{Percent(0.1234), "12.3 %"},
		{PercentCell(0.1234, 0).Text, "12%"},
		{Signed(-2, "2 s"), "−2 s"},
		{Signed(2, "2 s"), "+2 s"},
		{Signed(0.0001, "0.0 s"), "0.0 s"},
		{List(nil), ""},
		{List([]string{"a"}), "a"},
		{List([]string{"a", "b", "c"}), "a, b and c"},
		{Length(89), "89 s"},
		{Length(90), "1.5 min"},
		{Length(5400), "1.5 h"},
		{Length(172800), "2 d"},
		{Span(89), "89 s"},
		{Span(5399), "90 min"},
		{Span(7200), "2 h"},
		{Span(7300), "2 h 2 min"},
		{Span(172799), "48 h"},
		{Span(172800), "2 d"},
		{Span(14.4 * 86400), "14 d"},
		{Elapsed(59), "00:00:59"},
		{Elapsed(90061), "1-01:01:01"},
	} {
		if tt.got != tt.want {
			t.Errorf("%q, want %q", tt.got, tt.want)
		}
	}
	if CoreHours(5400) != 1.5 {
		t.Errorf("%v core-hours", CoreHours(5400))
	}
}

func TestTable(t *testing.T) {
	table := Table{Header: []string{"USER", "JOBS", "NOTE"}}
	table.Add("alice", 12, "")
	table.Add("bob", 3, "a b")
	for _, tt := range []struct {
		header, parsable bool
		want             string
	}{
		{true, false, "USER   JOBS  NOTE\nalice  12    -\nbob    3     a b\n"},
		{false, false, "alice  12  -\nbob    3   a b\n"},
		{true, true, "USER|JOBS|NOTE\nalice|12|\nbob|3|a b\n"},
		{false, true, "alice|12|\nbob|3|a b\n"},
	} {
		var b strings.Builder
		if err := table.Write(&b, tt.header, tt.parsable, 0); err != nil || b.String() != tt.want {
			t.Errorf("header %v, parsable %v: %v\n%s", tt.header, tt.parsable, err, b.String())
		}
	}
}

package trace_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"slurm-ostrich/ostrich/trace"
)

func filterLog(t *testing.T) *trace.Log {
	t.Helper()
	log, err := trace.Read(strings.NewReader(`; MaxProcs: 4
1 100 5 10 1 -1 -1 1 20 -1 1 7 -1 -1 -1 -1 -1 -1
2 150 0 10 1 -1 -1 1 20 -1 1 8 -1 -1 -1 -1 -1 -1
3 200 0 10 1 -1 -1 1 20 -1 1 7 -1 -1 -1 -1 -1 -1
4 301 0 10 1 -1 -1 1 20 -1 1 9 -1 -1 -1 -1 -1 -1
`), "log", trace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return log
}

// TestFilterNegative: without a From, records of before the start of the log
// are kept, so that later readers can count them.
func TestFilterNegative(t *testing.T) {
	for _, tt := range []struct {
		filter trace.Filter
		want   []int64
	}{
		{trace.Filter{}, []int64{-1, 150, 200, 301}},
		{trace.Filter{Users: []int64{7}}, []int64{-1, 200}},
		{trace.Filter{Before: 200}, []int64{-1, 150}},
		{trace.Filter{Load: 2}, []int64{-1, 150, 175, 226}},
		{trace.Filter{From: 1}, []int64{150, 200, 301}},
	} {
		log := filterLog(t)
		log.Records[0].Submit = -1
		part, err := tt.filter.Apply(log)
		if err != nil {
			t.Fatal(err)
		}
		var got []int64
		for i := range part.Records {
			got = append(got, part.Records[i].Submit)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%+v: submissions -want +got\n%s", tt.filter, diff)
		}
	}
}

func TestFilter(t *testing.T) {
	for _, tt := range []struct {
		name    string
		filter  trace.Filter
		numbers []int64
		submits []int64
	}{
		{"nothing", trace.Filter{}, []int64{1, 2, 3, 4}, []int64{100, 150, 200, 301}},
		{"window", trace.Filter{From: 150, Before: 301}, []int64{2, 3}, []int64{150, 200}},
		{"open window", trace.Filter{From: 151}, []int64{3, 4}, []int64{200, 301}},
		{"users", trace.Filter{Users: []int64{9, 7}}, []int64{1, 3, 4}, []int64{100, 200, 301}},
		{"twice the load", trace.Filter{Load: 2}, []int64{1, 2, 3, 4}, []int64{100, 125, 150, 201}},
		{"half the load of a part", trace.Filter{From: 150, Load: 0.5}, []int64{2, 3, 4}, []int64{150, 250, 452}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			log := filterLog(t)
			part, err := tt.filter.Apply(log)
			if err != nil {
				t.Fatal(err)
			}
			var numbers, submits []int64
			for _, r := range part.Records {
				numbers, submits = append(numbers, r.Number), append(submits, r.Submit)
			}
			if diff := cmp.Diff(tt.numbers, numbers); diff != "" {
				t.Errorf("jobs (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.submits, submits); diff != "" {
				t.Errorf("submit times (-want +got):\n%s", diff)
			}
			if part.Processors() != 4 {
				t.Errorf("the header is lost: %v", part.Header)
			}
			if diff := cmp.Diff(filterLog(t), log); diff != "" {
				t.Errorf("the log itself was changed:\n%s", diff)
			}
		})
	}
}

func TestFilterRefuses(t *testing.T) {
	for _, tt := range []struct {
		filter trace.Filter
		want   string
	}{
		{trace.Filter{From: -1}, "from -1 s"},
		{trace.Filter{From: 10, Before: 10}, "from 10 s to 10 s"},
		{trace.Filter{Load: -1}, "load of -1"},
		{trace.Filter{Load: math.NaN()}, "load of NaN"},
		{trace.Filter{Load: math.Inf(1)}, "load of +Inf"},
		{trace.Filter{Before: -1}, "to -1 s"},
		{trace.Filter{Load: 1e-300}, "job 2 comes too late"},
		{trace.Filter{Users: []int64{4}}, "no job in the log is left of 4"},
	} {
		_, err := tt.filter.Apply(filterLog(t))
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%+v: %v, want %q", tt.filter, err, tt.want)
		}
	}
	if _, err := (trace.Filter{From: 1000}).Apply(filterLog(t)); !errors.Is(err, trace.ErrEmpty) {
		t.Errorf("an empty window: %v, want ErrEmpty", err)
	}
}

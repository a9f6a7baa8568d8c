package view

import (
	"strings"
	"testing"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting/ledger"
	"slurm-ostrich/ostrich/satisfaction"
	"slurm-ostrich/priority"
)

// TestDueOf: the median user accepts a wait of 36 min and 30 s for a job of 10 min,
// from when it could first start.
func TestDueOf(t *testing.T) {
	const wait = 2190
	k := &known{live: []*ledger.Record{
		{Job: ostrich.Job{ID: 10, Submit: 1000}, Eligible: 1000},
		{Job: ostrich.Job{ID: 20, Submit: 1000}, Eligible: 5000},
		{Job: ostrich.Job{ID: 30, Submit: 1000}}, // accounting does not know yet since when it can start
	}}
	for _, tt := range []struct {
		name   string
		job    ostrich.JobID
		length ostrich.Duration
		wait   priority.Wait
		want   due
	}{
		{"since its submission", 10, 600, priority.Able, due{1000 + wait, 600}},
		{"since it may begin", 20, 600, priority.Able, due{5000 + wait, 600}},
		{"since its submission, without a record of more", 30, 600, priority.Able, due{1000 + wait, 600}},
		{"new", 40, 600, priority.Able, due{900 + wait, 600}},
		{"of a second", 10, 1, priority.Able, due{satisfaction.Median.Due(1000, 1), 1}},
		{"of no known length", 10, 0, priority.Able, due{}},
		{"held", 10, 600, priority.Kept, due{}},
		{"dependent", 10, 600, priority.Dependent, due{}},
		{"at a limit", 10, 600, priority.Limited, due{}},
	} {
		e := pending(tt.job, 1)
		e.Submit, e.Wait = 900, tt.wait
		if got := k.dueOf(e, tt.length, satisfaction.Median); got != tt.want {
			t.Errorf("%s: %+v, want %+v", tt.name, got, tt.want)
		}
	}
}

func TestPastDue(t *testing.T) {
	s := &Cycle{known: known{dues: []due{{}, {100, 1}, {200, 1}, {-5, 60}}}}
	for now, want := range map[ostrich.Time]int{-5: 0, 0: 1, 100: 1, 101: 2, 200: 2, 201: 3} {
		if got := s.PastDue(now); got != want {
			t.Errorf("at %d: %d, want %d", now, got, want)
		}
	}
	if s.dueAt(0) != nil || *s.dueAt(2) != 200 {
		t.Errorf("due %v and %v", s.dueAt(0), s.dueAt(2))
	}
}

func TestDueWords(t *testing.T) {
	at := ostrich.Time(1_700_000_000)
	for _, tt := range []struct {
		now      ostrich.Time
		accepted string
		want     string
	}{
		{at - 600, "median", "most users accept to wait until " + moment(at) + " for a job that runs 90 min"},
		{at, ".25", "three of four users accept to wait until " + moment(at) + " for a job that runs 90 min"},
		{at + 7200, ".75,literal", "one of four users accepted to wait until " + moment(at) + " for a job that runs 90 min; that was 2 h ago"},
		{at + 1, "1.5,20", "users accepted to wait until " + moment(at) + " for a job that runs 90 min; that was 1 s ago"},
		{at, "of another version", ""},
	} {
		e := Explanation{Time: tt.now, Due: &at, Length: 5399, Accepted: tt.accepted, DueShown: true}
		var w words
		e.accepted(&w)
		var said strings.Builder
		for _, line := range w {
			said.WriteString(line.Text)
		}
		if got := said.String(); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.accepted, got, tt.want)
		}
	}
	var w words
	if (&Explanation{Accepted: "median", DueShown: true}).accepted(&w); len(w) != 0 {
		t.Errorf("without a due date: %v", w)
	}
	if (&Explanation{Due: &at, Length: 5399, Accepted: "median"}).accepted(&w); len(w) != 0 {
		t.Errorf("where it is not to be shown: %v", w)
	}
}

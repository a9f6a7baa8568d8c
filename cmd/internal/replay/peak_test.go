package replay

import (
	"testing"

	"slurm-ostrich/ostrich/accounting"
)

// TestPeak: jobs that were suspended, resized, lost, or over before the window tell nothing
// of how large the machine is.
func TestPeak(t *testing.T) {
	h := &accounting.History{From: 100, To: 1000, Jobs: []accounting.Job{
		{Procs: 64, Start: 10, End: 90},                   // before the window
		{Procs: 4, Start: 90, End: 200},                   // reaches into it
		{Procs: 2, Start: 150, End: 300},                  // beside it
		{Procs: 8, Start: 200, End: 250},                  // when the first has ended
		{Procs: 32, Start: 200, End: 400, Suspended: 100}, // others ran in its place
		{Procs: 9, Start: 800, Limit: 60},                 // lost: past its limit
		{Procs: 5, Start: 900, Limit: 1000},               // runs
		{Procs: 3, Start: 950},                            // runs, without a limit
		{Procs: 128, Start: 700, End: 700},                // no time at all
		{Procs: 24, Start: 200, End: 400, Resized: true},  // the same
		{Procs: 256}, // never started
	}}
	if procs, at := peak(h); procs != 10 || at != 200 {
		t.Errorf("peak %d at %d, want 10 at 200", procs, at)
	}
	h.Unstarted = true // all starts are made up
	if procs, at := peak(h); procs != 256 || at != 0 {
		t.Errorf("peak %d at %d, want 256 of the widest", procs, at)
	}
}

// TestRanSuspended: while a job stands, it keeps no processors busy.
func TestRanSuspended(t *testing.T) {
	h := history()
	h.Jobs[1].Suspended = 60
	for _, j := range mustNew(t, h, Setup{Options: window30, Happened: true}).ran(h) {
		if want := map[bool]float64{true: 4 * 0.4, false: float64(j.Procs)}[j.ID == 11]; j.Busy() != want {
			t.Errorf("job %d keeps %v processors busy, want %v", j.ID, j.Busy(), want)
		}
	}
}

package simulation

import (
	"testing"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/trace"
)

// TestPeakOfLog: the jobs of a log that name no wait ran by themselves, as far as is known.
func TestPeakOfLog(t *testing.T) {
	log := &trace.Log{Records: []trace.Record{
		{Submit: 5, Wait: 5, Run: 10, Allocated: 4},
		{Submit: 10, Wait: 0, Run: 10, Allocated: 2},
		{Submit: 20, Wait: 0, Run: 10, Allocated: 5},
		{Submit: 30, Wait: -1, Run: 10, Allocated: 3},
	}}
	if procs, at := LogPeak(log, LogRan(log)); procs != 6 || at != 10 {
		t.Errorf("peak %d at %d, want 6 at 10", procs, at)
	}
	log.Records[3].Allocated = 7
	if procs, at := LogPeak(log, LogRan(log)); procs != 7 || at != ostrich.Time(30) {
		t.Errorf("peak %d at %d, want 7 at 30", procs, at)
	}
}

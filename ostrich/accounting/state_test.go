package accounting_test

import (
	"testing"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting"
	"slurm-ostrich/ostrich/lengths"
)

// The next row of a job may come an hour after a requeue, and a second after a resize. That of
// another state is of another job.
func TestGoesOn(t *testing.T) {
	const end = 9000
	for _, tt := range []struct {
		state            accounting.State
		earliest, latest ostrich.Time // of those submissions that go on; 0: none does
	}{
		{accounting.Requeued, end - 1, end + 3600},
		{accounting.Resizing, end - 1, end + 1},
		{accounting.Completed, 0, 0},
		{accounting.Revoked, 0, 0},
	} {
		for _, next := range []ostrich.Time{end - 2, end - 1, end, end + 1, end + 2, end + 3600, end + 3601} {
			want := tt.earliest <= next && next <= tt.latest
			if got := tt.state.GoesOn(end, next); got != want {
				t.Errorf("%v at %d, next row at %d: %v", tt.state, end, next, got)
			}
		}
		if tt.state.GoesOn(0, 1) {
			t.Errorf("%v: goes on before its end", tt.state)
		}
	}
}

// A state of a later release of Slurm is a job's end, and is shown as its number.
func TestUnknownState(t *testing.T) {
	for _, s := range []accounting.State{12, 1 << 11, 1 << 30} {
		if _, known := accounting.StateNamed(s.String()); known || !s.Ended() || s.Lost() || s.Outcome() != lengths.Stopped {
			t.Errorf("%v: known %v, ended %v, lost %v, outcome %v", s, known, s.Ended(), s.Lost(), s.Outcome())
		}
	}
	for s := accounting.Pending; s <= accounting.OutOfMemory; s++ {
		if again, known := accounting.StateNamed(s.String()); !known || again != s {
			t.Errorf("%v is read as %v, %v", s, again, known)
		}
	}
}

// TestOutcomeByLimit: what a limit ended would have run for longer, and by how much its state does not say.
func TestOutcomeByLimit(t *testing.T) {
	for state, want := range map[accounting.State]lengths.Outcome{
		accounting.Completed: lengths.Done, accounting.TimedOut: lengths.Stopped, accounting.Deadline: lengths.Stopped,
	} {
		if got := state.Outcome(); got != want {
			t.Errorf("%v: outcome %v, want %v", state, got, want)
		}
	}
}

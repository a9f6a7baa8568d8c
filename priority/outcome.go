package priority

import (
	"slices"
	"strings"
)

// Status is the outcome of a change.
type Status string

// The outcomes of a change.
const (
	// Applied: the job had the new value when the queue was read back.
	Applied Status = "applied"
	// Refused: Slurm said why not; see Change.Words.
	Refused Status = "refused"
	// NotApplied: Slurm said nothing, and the job still has another value.
	NotApplied Status = "not applied"
	// Undone: the job has the value, and slurmctld still schedules by the
	// priority before; see Options.Judge.
	Undone Status = "undone"
	// Gone: the job is no longer pending. It has started, ended or left.
	Gone Status = "gone"
	// Unknown: Slurm said nothing, and the value could not be read back: the
	// job is not eligible now, or the reading failed. So is the change that
	// was on its way when a burst was cut off, unless it shows.
	Unknown Status = "unknown"
	// Unsent: the burst ended before this change, or at it for lack of rights, and
	// it does not show.
	Unsent Status = "not sent"
)

// Outcome returns the change with its outcome, and Slurm's words on it.
func (c Change) Outcome(status Status, words string) Change {
	c.Status, c.Words = status, words
	return c
}

// Result is the outcome of a burst, in the order of its changes.
type Result struct {
	Outcomes []Change
	// Queue is the queue as it was read back, nil if that failed.
	Queue []Queued
}

// Count returns the number of changes with the given status.
func (r Result) Count(status Status) int {
	n := 0
	for i := range r.Outcomes {
		if r.Outcomes[i].Status == status {
			n++
		}
	}
	return n
}

// Denied reports whether Slurm's words are those for a lack of rights. A plugin of
// job_submit can deny a single job in them.
func Denied(said string) bool {
	return Says(said, "Access/permission denied", "Invalid user id")
}

// Says reports whether Slurm's words hold one of these.
func Says(said string, words ...string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(said, w) })
}

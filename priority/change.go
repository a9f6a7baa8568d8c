package priority

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"slurm-ostrich/ostrich"
)

// Channel is the field of a job through which the order reaches Slurm.
type Channel string

// The channels.
const (
	// SiteFactor adds to the priority that priority/multifactor computes.
	// Only operators may set it, and it leaves no trace in the accounting
	// tables. Slurm shows it in sprio only.
	SiteFactor Channel = "sitefactor"
	// Nice is subtracted from the priority that priority/multifactor
	// computes. The owner of a job can undo it, and slurmctld sends a record
	// to slurmdbd for every change.
	Nice Channel = "nice"
	// Priority sets the priority itself, which pins it: Slurm computes it no
	// more until the job is released. It is the only one that works under
	// priority/basic.
	Priority Channel = "priority"
)

// limit is the largest SiteFactor and nice value that Slurm accepts.
const limit = math.MaxInt32 - 2

const (
	// maxPriority is the largest value that scontrol accepts for Priority.
	maxPriority = math.MaxUint32 - 2
	// topPriority is what priority/basic gives to the first job; later ones
	// get less.
	topPriority = 0xffff0000
)

// Check returns an error if there is no such channel.
func (c Channel) Check() error {
	switch c {
	case SiteFactor, Nice, Priority:
		return nil
	}
	return fmt.Errorf("channel %q: must be sitefactor, nice or priority", string(c))
}

// Settable returns the value nearest to one of the channel's that scontrol accepts: slurmrestd
// and job_submit plugins can give a job others.
func (c Channel) Settable(value int64) int64 {
	if c == Priority {
		return value
	}
	return min(max(value, -limit), limit)
}

// Mode is the weight of the order beside Slurm's own factors.
type Mode string

// The modes.
const (
	// Strict puts more between two ranks than all other factors can add up to.
	Strict Mode = "strict"
	// Weight makes the order one more factor, between 0 and 1, times
	// Options.Weight.
	Weight Mode = "weight"
)

// Check returns an error if there is no such mode.
func (m Mode) Check() error {
	if m != Strict && m != Weight {
		return fmt.Errorf("mode %q: must be strict or weight", string(m))
	}
	return nil
}

// Change is one value to write, and what became of it.
type Change struct {
	Job    ostrich.JobID
	Submit ostrich.Time // when Slurm says the job was submitted; distinguishes uses of one id

	// From and To are values of the channel as scontrol reads them: a nice
	// value that puts a job ahead is negative. To 0 in channel Priority means
	// to release the job, so that Slurm computes its priority again.
	From, To int64

	// Nice is the nice value that pinning takes from the job in channel
	// Priority, and that its release gives back; 0 for none.
	Nice int64

	// Spec is how scontrol names the pending tasks of this record and no
	// others, "26_[1-3,5]" for those of an array. Empty means the id.
	Spec string
	Why  Why

	Undone bool // the value was written before, and undone

	Status Status // its outcome; "" until it was tried
	Words  string // Slurm's own on it, on one line; "" if it said nothing
}

// Target returns scontrol's name of the job's record.
func (c Change) Target() string {
	if c.Spec != "" {
		return c.Spec
	}
	return fmt.Sprint(c.Job)
}

// Check returns an error for a change that no plan makes: one that Slurm would
// refuse, or that names no job.
func (c Change) Check(ch Channel) error {
	switch {
	case c.Job == 0:
		return errors.New("job 0: not a job")
	case !validSpec(c.Target()):
		return fmt.Errorf("job %d: %q does not name a job", c.Job, c.Spec)
	case ch == Priority && (c.Nice < -limit || c.Nice > limit):
		return fmt.Errorf("job %d: nice %d: must be in ±%d", c.Job, c.Nice, limit)
	case ch == Priority && c.To != 0 && (c.To < 1 || c.To > maxPriority):
		return fmt.Errorf("job %d: priority %d: must be in [1, %d]", c.Job, c.To, uint32(maxPriority))
	case ch == Priority:
		return nil
	case c.To < -limit || c.To > limit:
		return fmt.Errorf("job %d: %s %d: must be in ±%d", c.Job, ch, c.To, limit)
	default:
		return ch.Check()
	}
}

// validSpec reports whether s can stand in a command without changing its
// meaning.
func validSpec(s string) bool {
	return s != "" && len(s) <= maxArgument+16 && strings.Trim(s, "0123456789_[],-+") == ""
}

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

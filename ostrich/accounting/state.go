package accounting

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/lengths"
)

// State is how far a row of the job table has come, as Slurm stores it in the column
// state. One that has no name here is of a later release of Slurm; its job has ended.
type State uint32

// The states. The last three are of rows that Slurm has closed: the job went on in another
// row, or another cluster of a federation took it.
const (
	Pending State = iota // waits for its start; the zero value
	Running
	Suspended
	Completed // by itself, with exit code 0
	Cancelled // on request, started or not
	Failed    // by itself, with another exit code
	TimedOut  // at its limit, or when its account had used up GrpTRESMins (findings/slurm-timeout-before-the-limit.sh)
	NodeFail
	Preempted
	BootFail
	Deadline // at a moment that its user set, whatever its limit
	OutOfMemory

	Requeued State = 1 << 10
	Resizing State = 1 << 13 // the next row has the job's new size
	Revoked  State = 1 << 19
)

// states is the table of the states. The first are in the order of their numbers.
var states = [...]struct {
	state   State
	name    string          // Slurm's
	outcome lengths.Outcome // see State.Outcome
	lost    bool            // see State.Lost
	shown   string          // what Slurm's commands also show of such a job
}{
	{Pending, "PENDING", lengths.Done, false, "REQUEUE_HOLD REQUEUE_FED SPECIAL_EXIT RESV_DEL_HOLD"},
	{Running, "RUNNING", lengths.Done, false, "CONFIGURING COMPLETING SIGNALING STAGE_OUT STOPPED"},
	{Suspended, "SUSPENDED", lengths.Done, false, ""},
	{Completed, "COMPLETED", lengths.Done, false, ""},
	{Cancelled, "CANCELLED", lengths.Stopped, false, ""},
	{Failed, "FAILED", lengths.Stopped, false, "LAUNCH_FAILED RECONFIG_FAIL"},
	{TimedOut, "TIMEOUT", lengths.Stopped, false, ""},
	{NodeFail, "NODE_FAIL", lengths.Stopped, true, ""},
	{Preempted, "PREEMPTED", lengths.Stopped, true, ""},
	{BootFail, "BOOT_FAIL", lengths.Stopped, true, ""},
	{Deadline, "DEADLINE", lengths.Stopped, false, ""},
	{OutOfMemory, "OUT_OF_MEMORY", lengths.Stopped, false, ""},
	{Requeued, "REQUEUED", lengths.Stopped, true, ""},
	{Resizing, "RESIZING", lengths.Stopped, true, ""},
	{Revoked, "REVOKED", lengths.Stopped, true, ""},
}

// find returns the place of a state in the table, -1 for one of a later release.
func (s State) find() int {
	if s <= OutOfMemory {
		return int(s)
	}
	for i := int(OutOfMemory) + 1; i < len(states); i++ {
		if states[i].state == s {
			return i
		}
	}
	return -1
}

// String returns Slurm's name of the state, or its number if it has none here.
func (s State) String() string {
	if at := s.find(); at >= 0 {
		return states[at].name
	}
	return strconv.FormatUint(uint64(s), 10)
}

// Ended reports whether a job in this state has ended, at least in this row.
func (s State) Ended() bool { return s > Suspended }

// Outcome returns what the end of a job in this state says of how long jobs like it run.
// It is Done for a job that has not ended.
func (s State) Outcome() lengths.Outcome {
	if at := s.find(); at >= 0 {
		return states[at].outcome
	}
	return lengths.Stopped
}

// Lost reports whether Slurm ended the job: its nodes failed, or something took its place.
func (s State) Lost() bool {
	at := s.find()
	return at >= 0 && states[at].lost
}

// LinkGap is how much later than a requeue a job's next row may be submitted: Slurm writes
// it when the job's nodes have completed. A job whose next row does not come within it has
// ended, and a row with its id is another job's.
const LinkGap = ostrich.Duration(3600)

// ReturnGap is the same of a job that was preempted or whose node failed. Slurm writes these states into
// the row whether it requeues the job or not (job_requeue, kill_running_job_by_node_name and
// job_complete in Slurm's src/slurmctld/job_mgr.c).
const ReturnGap = ostrich.Duration(180)

// Returns reports whether a job whose row ended in this state may go on in another row, or has ended: the row
// does not tell.
func (s State) Returns() bool { return s == Preempted || s == NodeFail }

// GoesOn reports whether a row of the same job that was submitted at next can be the one
// that Slurm opened when it closed a row in state s at end. The rows of a resize have one time;
// a second is for clocks that are read twice. See docs/adr/0042-one-row.md.
func (s State) GoesOn(end, next ostrich.Time) bool {
	gap := ostrich.Time(1)
	switch {
	case s == Requeued:
		gap = ostrich.Time(LinkGap)
	case s.Returns():
		gap = ostrich.Time(ReturnGap)
	case s == Resizing:
	default:
		return false
	}
	return end > 0 && end-1 <= next && next <= end+gap
}

// StateNamed returns the state of that name, and reports whether there is one.
func StateNamed(name string) (s State, known bool) {
	for i := range states {
		if states[i].name == name {
			return states[i].state, true
		}
	}
	return 0, false
}

// ParseState reads a state as sacct shows it, such as "COMPLETED" or "CANCELLED by 1000". It
// does not know REVOKED, that of a job which another cluster of a federation took.
func ParseState(shown []byte) (s State, known bool) {
	if s, known = shownStates[string(shown)]; known {
		return s, true
	}
	word, _, _ := bytes.Cut(shown, []byte{' '})
	if begin, cut := bytes.CutSuffix(word, []byte{'+'}); cut {
		word = whole(begin)
	}
	s, known = shownStates[string(word)]
	return s, known
}

// shownStates are the states by what sacct may show of them.
var shownStates = func() map[string]State {
	all := make(map[string]State)
	for _, of := range states {
		for name := range strings.FieldsSeq(of.name + " " + of.shown) {
			if of.state != Revoked {
				all[name] = of.state
			}
		}
	}
	return all
}()

// shownNames are the same, sorted.
var shownNames = func() (names []string) {
	for name := range shownStates {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}()

// whole returns the state of which a narrow column of sacct's shows the beginning, or just
// that if it is a state or the beginning of none or of several.
func whole(begin []byte) []byte {
	var found []byte
	for _, name := range shownNames {
		switch {
		case name == string(begin):
			return begin
		case len(begin) < 4 || !strings.HasPrefix(name, string(begin)):
		case found != nil:
			return begin
		default:
			found = []byte(name)
		}
	}
	if found == nil {
		return begin
	}
	return found
}

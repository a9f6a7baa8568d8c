package ostrich

import (
	"errors"
	"fmt"

	"slurm-ostrich/ostrich/campaign"
	"slurm-ostrich/ostrich/lengths"
	"slurm-ostrich/ostrich/scalar"
)

// Machine says which processors the virtual schedule hands out.
type Machine uint8

const (
	// Sequential hands out all m processors, as for sequential jobs
	// (thesis 5.1). It is the zero value.
	Sequential Machine = iota
	// Parallel hands out as many processors as are really busy, as for rigid
	// parallel jobs (thesis 6.1.1, event-based resizing).
	Parallel
)

// MachineNames lists the machines in the order of their constants.
var MachineNames = []string{"sequential", "parallel"}

func (m Machine) String() string { return scalar.NameOf(MachineNames, uint8(m)) }

// Gate says where jobs stand whose campaign has not started virtually. The papers
// do not start a campaign before s~ (thesis 5.1).
type Gate uint8

const (
	// Demote puts such jobs after all others, so that the machine never
	// idles for the gate. It is the zero value.
	Demote Gate = iota
	// Strict does the same, and sets Rank.Held for a caller that can hold jobs back,
	// which is what the papers do.
	Strict
	// Off lets the finish tags alone decide.
	Off
)

// GateNames lists the gates in the order of their constants.
var GateNames = []string{"demote", "strict", "off"}

func (g Gate) String() string { return scalar.NameOf(GateNames, uint8(g)) }

// Inside is the order of the jobs of one campaign.
type Inside uint8

const (
	// LPT is longest processing time first, as in the papers. The zero value.
	LPT Inside = iota
	// SPT is shortest processing time first.
	SPT
	// Submission is the order in which they were submitted.
	Submission
	// LJF is largest job (most processors) first, for parallel jobs (thesis 6.2).
	LJF
)

// InsideNames lists the orders in the order of their constants.
var InsideNames = []string{"lpt", "spt", "submission", "ljf"}

func (i Inside) String() string { return scalar.NameOf(InsideNames, uint8(i)) }

// Late says what happens to the finish tag when a job joins a campaign that has
// been open for a while.
type Late uint8

const (
	// Reopen lets the campaign grow while it is being served virtually. Once
	// it is completed, a late job opens a further stage with a tag of its own, and
	// the earlier jobs keep their place. Lemma 5.2 needs that: a later submission
	// does not delay a campaign that is completed virtually. It is the zero value.
	Reopen Late = iota
	// Grow moves the tag of the whole campaign back, completed or not.
	Grow
	// Append opens a further stage for each submission later than the last.
	Append
)

// LateNames lists the choices in the order of their constants.
var LateNames = []string{"reopen", "grow", "append"}

func (l Late) String() string { return scalar.NameOf(LateNames, uint8(l)) }

// Options are the choices of a Schedule. The zero value is OStrich as in the
// papers for sequential jobs, on a machine without processors.
type Options struct {
	Procs     int // m, processors of the machine; a Capacity event changes it
	Size      int // its parts, see Job.Size; 0 is as many as Procs
	Machine   Machine
	Rule      campaign.Rule
	Late      Late
	Gate      Gate
	Inside    Inside
	Predictor lengths.Predictor

	// Grace is how long a campaign that is completed virtually, but not really, competes
	// by what is left of its work. It is overdue, and goes first, once
	//
	//	now > C~ + max(C~ - t, Grace)
	//
	// 0 is the papers' order: a campaign goes first as soon as it is completed virtually.
	//
	// A job that has waited for three times the grace since it could first start goes
	// first inside its campaign. Otherwise a long job might wait for as long as its
	// user submits shorter ones.
	Grace Duration

	// Memory is the half-life of past use, in seconds; 0 is no memory, as in the
	// papers. With a memory, the distance to a campaign's virtual completion is
	// multiplied by what its user has had. See Schedule.Order.
	Memory Duration

	// Settle limits what the virtual schedule still has to serve to what is left of
	// the real jobs: service beyond a job's true length goes to the active users.
	// Without it that service is lost, as in the papers.
	Settle bool
}

// Validate returns everything that is wrong with the options, joined.
func (o Options) Validate() error {
	var errs []error
	if o.Procs < 0 {
		errs = append(errs, fmt.Errorf("processors: %d is below 0", o.Procs))
	}
	if o.Size < 0 {
		errs = append(errs, fmt.Errorf("size: %d parts are below 0", o.Size))
	}
	if o.Grace < 0 {
		errs = append(errs, fmt.Errorf("grace: %d s is below 0", o.Grace))
	}
	if o.Memory < 0 {
		errs = append(errs, fmt.Errorf("memory: %d s is below 0", o.Memory))
	}
	known := func(what string, i uint8, names []string) {
		if int(i) >= len(names) {
			errs = append(errs, fmt.Errorf("%s %d: unknown", what, i))
		}
	}
	known("machine", uint8(o.Machine), MachineNames)
	known("late", uint8(o.Late), LateNames)
	known("gate", uint8(o.Gate), GateNames)
	known("order inside a campaign", uint8(o.Inside), InsideNames)
	return errors.Join(append(errs, o.Rule.Validate(), o.Predictor.Validate())...)
}

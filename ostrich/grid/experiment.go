package grid

import (
	"fmt"
	"math"
	"strings"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/lengths"
)

// Architecture says which resource managers there are and who submits to them
// (section 2.2).
type Architecture uint8

const (
	// SepC are separate clusters: each has a queue of its own, and a user submits
	// to the Bag.Home alone. It is the zero value.
	SepC Architecture = iota
	// CSP is a central queue: a global manager looks every Monitor seconds which
	// processors are idle, and sends tasks there, one at a time.
	CSP
	// FCondor are separate clusters with flocking: a user submits to one of them,
	// from Bag.Home on, as long as it starts the user's tasks at once; when it lets
	// one wait, the user's next ones go to the next cluster in turn.
	FCondor
)

// ArchitectureNames lists the architectures in the order of their constants.
var ArchitectureNames = []string{"sep-c", "csp", "fcondor"}

func (a Architecture) String() string { return nameOf(ArchitectureNames, uint8(a)) }

// Redraw says when an eligible set is finished, so that the next one is drawn. The
// paper has it both ways: "only after all the tasks in the schedule are completed"
// (section 2.2), and "when the eligible set has become empty" (section 2.3, S-BoT).
type Redraw uint8

const (
	// Started is when all its tasks have started, or under a chart wait in the queue of
	// a cluster. It is the zero value. With Ended a single task of S-U-RR would keep
	// the whole platform.
	Started Redraw = iota
	// Ended is when all its tasks have ended.
	Ended
	// Called has the next set drawn whenever a bag comes and whenever a task ends, as
	// often as section 2.2 calls the selection, and when no task is eligible while a
	// processor is idle. A set joins what is eligible. S-BoT has to wait until its set is
	// empty, which section 2.3 says of it alone.
	Called
)

// RedrawNames lists the choices in the order of their constants.
var RedrawNames = []string{"started", "ended", "called"}

// Flock says what a user of FCondor submits to one cluster: section 2.2 has tasks,
// and a user who "will switch to another RM".
type Flock uint8

const (
	// ByTask turns a user to the next cluster with each task that has to wait. It is
	// the zero value.
	ByTask Flock = iota
	// WholeBags turns a user after a bag of which a task has to wait.
	WholeBags
)

// FlockNames lists the choices in the order of their constants.
var FlockNames = []string{"task", "bag"}

// Scope says whose ended tasks a predictor learns from (section 3.7).
type Scope uint8

const (
	// ByBag learns from the tasks of the same bag; before one of them has ended,
	// from those of the user. It is the zero value.
	ByBag Scope = iota
	// ByUser learns from the tasks of the user.
	ByUser
)

// ScopeNames lists the scopes in the order of their constants.
var ScopeNames = []string{"bag", "user"}

// Experiment is everything that is chosen but for the workload: the five axes of
// section 5. The zero value lacks a platform, a selection and a policy.
type Experiment struct {
	Platform     Platform
	Architecture Architecture
	Selection    string // which tasks are eligible: a name of Selections, in any case
	Policy       string // where they run: a name of Policies, in any case; WQR-4 for WQR-n

	// Redraw says when the eligible set is finished. FCFS, FairShare, FairCamp and
	// OStrich, which the paper does not have, choose anew whenever a task has left the
	// eligible set, whatever it says.
	Redraw Redraw

	// Flock says when a user of FCondor goes to the next cluster.
	Flock Flock

	// Monitor is the time between two looks of CSP at the clusters, from the first
	// submission on, under all policies; 0 lets it know of each end at once.
	Monitor ostrich.Duration

	// Warmup is how long after the first submission the measures begin: bags that come
	// before are run and not measured.
	Warmup ostrich.Duration

	// Load, if above 0, stretches or squeezes the times between submissions so that
	// the bags put this load on the platform (see the function Load). Of bags that
	// all come at once it changes nothing.
	Load float64

	// Inaccuracy is I in per cent (section 5.3, Fig. 8): policies that know run times
	// are told max(R + E/100·R, 1) instead of R, with E uniform in [−I, I], drawn
	// from Seed task by task. 0 tells them R.
	Inaccuracy float64
	Seed       uint64

	// Predictor and Scope are for policies that know run times from history (ECT-P).
	// The limit, which is the zero value, is no predictor here.
	Predictor lengths.Predictor
	Scope     Scope

	// OStrich are the options of the selection OStrich, but for Procs and Rule; its
	// gate is not strict.
	OStrich ostrich.Options
	// Period is the time between two calculations of the selection FairShare; 0 is
	// 300, Slurm's PriorityCalcPeriod.
	Period ostrich.Duration

	// Until ends the experiment so long after the first submission; what has not
	// ended by then never does. 0 lets all tasks end.
	Until ostrich.Duration

	// Progress is called now and then with the number of tasks that have ended and
	// that of all; it may be nil.
	Progress func(ended, tasks int)
}

// Run runs an experiment. The bags must be sorted by Submit; at one moment they
// come in their order. The same experiment and bags give the same result.
//
// The error wraps ErrInput if the experiment or the bags are wrong.
func (x Experiment) Run(bags []Bag) (*Result, error) {
	chosen, selection, err := x.check()
	if err != nil {
		return nil, err
	}
	n, err := checkBags(bags, len(x.Platform.Clusters), x.Architecture != CSP)
	if err != nil {
		return nil, err
	}
	if x.Load > 0 {
		bags = Stretch(bags, x.Platform, x.Load)
		if bags[len(bags)-1].Submit > latest {
			return nil, fmt.Errorf("grid: a load of %v: the last bag would come after %d: %w", x.Load, latest, ErrInput)
		}
	}
	e, err := newEngine(x, chosen, selection, bags, n)
	if err == nil {
		err = e.loop()
	}
	if err != nil {
		return nil, fmt.Errorf("grid: %w", err)
	}
	return e.result(), nil
}

// Validate returns what is wrong with the experiment.
func (x Experiment) Validate() error {
	_, _, err := x.check()
	return err
}

// check returns what is wrong with the experiment, and what its names mean.
func (x Experiment) check() (policy, *selector, error) {
	if err := x.Platform.Validate(); err != nil {
		return policy{}, nil, err
	}
	p, err := policyNamed(x.Policy)
	if err != nil {
		return policy{}, nil, err
	}
	s, err := selectorNamed(x.Selection)
	if err != nil {
		return policy{}, nil, err
	}
	why := ""
	switch {
	case int(x.Architecture) >= len(ArchitectureNames):
		why = fmt.Sprintf("architecture number %d: choose among %s", x.Architecture, strings.Join(ArchitectureNames, ", "))
	case int(x.Redraw) >= len(RedrawNames):
		why = fmt.Sprintf("redraw number %d: choose among %s", x.Redraw, strings.Join(RedrawNames, ", "))
	case int(x.Flock) >= len(FlockNames):
		why = fmt.Sprintf("flock number %d: choose among %s", x.Flock, strings.Join(FlockNames, ", "))
	case int(x.Scope) >= len(ScopeNames):
		why = fmt.Sprintf("scope number %d: choose among %s", x.Scope, strings.Join(ScopeNames, ", "))
	case int(x.Predictor) >= len(lengths.PredictorNames) || p.Tasks == History && x.Predictor == lengths.ByLimit:
		why = fmt.Sprintf("predictor %v of policy %s: choose among %s", x.Predictor, x.Policy, strings.Join(lengths.PredictorNames[1:], ", "))
	case x.Monitor < 0 || x.Monitor > longest:
		why = fmt.Sprintf("a look every %d s", x.Monitor)
	case x.Warmup < 0 || x.Warmup > ostrich.Duration(latest):
		why = fmt.Sprintf("a warm-up of %d s", x.Warmup)
	case !(x.Load == 0 || x.Load >= 1e-6 && x.Load <= 1000):
		why = fmt.Sprintf("a load of %v instead of 0 or 1e-06 to 1000", x.Load)
	case !(x.Inaccuracy >= 0 && x.Inaccuracy <= 1e6):
		why = fmt.Sprintf("an inaccuracy of %v %% instead of 0 to 1000000", x.Inaccuracy)
	case x.Period < 0 || x.Period > longest:
		why = fmt.Sprintf("fair-share factors every %d s", x.Period)
	case x.Until < 0 || x.Until > ostrich.Duration(latest):
		why = fmt.Sprintf("an end after %d s", x.Until)
	case x.OStrich.Gate == ostrich.Strict:
		why = "a strict gate, which holds tasks back while processors are idle"
	}
	if why != "" {
		return policy{}, nil, fmt.Errorf("grid: %s: %w", why, ErrInput)
	}
	return p, s, nil
}

// nameOf is the name of a constant.
func nameOf(names []string, i uint8) string {
	if int(i) < len(names) {
		return names[i]
	}
	return fmt.Sprintf("number %d", i)
}

// never is a moment behind all others.
const never = ostrich.Time(math.MaxInt64)

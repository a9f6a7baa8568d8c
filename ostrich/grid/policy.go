package grid

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"slurm-ostrich/ostrich"
)

// Information says what a policy knows of the tasks or of the processors (section
// 2.4, Table 1).
type Information uint8

const (
	// Unknown is nothing. It is the zero value.
	Unknown Information = iota
	// History is what tasks that have ended tell.
	History
	// Known is all, beforehand.
	Known
)

// InformationNames lists the kinds in the order of their constants, as Table 1 has
// them.
var InformationNames = []string{"U", "H", "K"}

func (i Information) String() string { return nameOf(InformationNames, uint8(i)) }

// The three views of a task and the three of a processor are all that a policy is
// given: a [List] or a [Chart] of one view cannot ask for what only another has.
type (
	// UnknownTask is a task of which nothing is known but its place in the initial
	// order.
	UnknownTask struct{ Number int32 }
	// PastTask is a task of which is known what those before it tell.
	PastTask struct {
		Number   int32
		Expected ostrich.Duration // run time on a processor of speed 1
	}
	// KnownTask is a task whose run time is known.
	KnownTask struct {
		Number int32
		Run    ostrich.Duration // on a processor of speed 1; see Experiment.Inaccuracy
	}

	// UnknownProcessor is a processor of which nothing is known.
	UnknownProcessor struct{ Number int32 }
	// PastProcessor is a processor of which is known how fast its latest task was.
	PastProcessor struct {
		Number int32
		Speed  float64 // the run time that was known, by what the task took; 0 before the first
	}
	// KnownProcessor is a processor whose speed is known.
	KnownProcessor struct {
		Number int32
		Speed  float64
	}
)

// TaskView is one of UnknownTask, PastTask and KnownTask.
type TaskView[T any] interface {
	UnknownTask | PastTask | KnownTask
	numbered
	of(e *engine, task int32) T
	information() Information
}

// ProcessorView is one of UnknownProcessor, PastProcessor and KnownProcessor.
type ProcessorView[R any] interface {
	UnknownProcessor | PastProcessor | KnownProcessor
	numbered
	of(e *engine, proc int32) R
	information() Information
}

func (t UnknownTask) number() int32      { return t.Number }
func (t PastTask) number() int32         { return t.Number }
func (t KnownTask) number() int32        { return t.Number }
func (r UnknownProcessor) number() int32 { return r.Number }
func (r PastProcessor) number() int32    { return r.Number }
func (r KnownProcessor) number() int32   { return r.Number }

func (UnknownTask) information() Information      { return Unknown }
func (PastTask) information() Information         { return History }
func (KnownTask) information() Information        { return Known }
func (UnknownProcessor) information() Information { return Unknown }
func (PastProcessor) information() Information    { return History }
func (KnownProcessor) information() Information   { return Known }

func (UnknownTask) of(_ *engine, t int32) UnknownTask { return UnknownTask{t} }
func (PastTask) of(e *engine, t int32) PastTask       { return PastTask{t, e.past.expect(e.bagOf(t))} }
func (KnownTask) of(e *engine, t int32) KnownTask     { return KnownTask{t, e.tasks[t].told} }

func (UnknownProcessor) of(_ *engine, p int32) UnknownProcessor { return UnknownProcessor{p} }
func (PastProcessor) of(e *engine, p int32) PastProcessor {
	return PastProcessor{p, e.procs[p].measured}
}
func (KnownProcessor) of(e *engine, p int32) KnownProcessor { return KnownProcessor{p, e.speed(p)} }

// A List is a policy that gives tasks to processors as these become idle.
type List[R ProcessorView[R], T TaskView[T]] struct {
	// First says which eligible task goes first; equals, and without it all, go in
	// the initial order.
	First func(a, b T) int
	// Best says which idle processor is taken first, equals by number; without it
	// the one that has been idle longest.
	Best func(a, b R) int

	// Copies is how many more copies of a task may be started when no task waits:
	// in turn, those with the fewest first, then the one whose latest copy was started
	// first. When one ends, the others are cancelled.
	Copies int
}

// A Chart is a policy that assigns each eligible task at once to the cluster where
// it would end first, behind all that was assigned there before, by the lengths
// expected; of equal ends the first cluster. The tasks wait in the queue of that
// cluster, first come, first served. (A Gantt chart, section 2.4, ECT.)
//
// It knows the speeds of the processors, or it could not compare clusters.
type Chart[T TaskView[T]] struct {
	// First says which of the tasks that become eligible at one moment is assigned
	// first; equals, and without it all, in the initial order.
	First func(a, b T) int
	// Length is how long a task is expected to take on a processor, at least 1.
	Length func(r KnownProcessor, t T) ostrich.Duration
}

// policy is a List or a Chart.
type policy interface {
	information() (processors, tasks Information)
	// manage makes the resource manager of some clusters.
	manage(q queue) manager
}

func (List[R, T]) information() (processors, tasks Information) {
	var r R
	var t T
	return r.information(), t.information()
}

func (Chart[T]) information() (processors, tasks Information) {
	var t T
	return Known, t.information()
}

// Choice is a row of a table of names.
type Choice struct {
	Name, Usage string

	// Processors and Tasks are what a policy of Policies knows, Table 1's (R, T).
	Processors, Tasks Information
}

// policies are all task scheduling policies, in the order of section 2.4. MaxMin is
// in Table 1 alone, and so is MQD, which is not here: what its authors published
// freely does not say how it ranks.
var policies = []struct {
	name, usage string
	make        func(copies int) policy
}{
	{"ECT", "earliest completion time: each task to the cluster where it ends first", func(int) policy {
		return Chart[KnownTask]{Length: knownLength}
	}},
	{"FPLT", "fastest processor, largest task", func(int) policy {
		return List[KnownProcessor, KnownTask]{First: largest, Best: fastest}
	}},
	{"RR", "in the initial order, to the processor idle longest; then each task once more", func(int) policy {
		return List[UnknownProcessor, UnknownTask]{Copies: 1}
	}},
	{"WQR-n", "work queue with replication: as RR, with n more copies of each task", func(copies int) policy {
		return List[UnknownProcessor, UnknownTask]{Copies: copies}
	}},
	{"DFPLT", "dynamic FPLT: processors by how fast their latest tasks were", func(int) policy {
		return List[PastProcessor, KnownTask]{First: largest, Best: func(a, b PastProcessor) int { return cmp.Compare(b.Speed, a.Speed) }}
	}},
	{"ECT-P", "ECT with predicted run times", func(int) policy {
		return Chart[PastTask]{Length: func(r KnownProcessor, t PastTask) ostrich.Duration { return RunTime(t.Expected, r.Speed) }}
	}},
	{"STFR", "shortest task first; then each task once more", func(int) policy {
		return List[UnknownProcessor, KnownTask]{First: func(a, b KnownTask) int { return cmp.Compare(a.Run, b.Run) }, Copies: 1}
	}},
	{"FPF", "fastest processor first, tasks in the initial order", func(int) policy {
		return List[KnownProcessor, UnknownTask]{Best: fastest}
	}},
	{"MaxMin", "ECT, of the tasks that become eligible at one moment the longest first", func(int) policy {
		return Chart[KnownTask]{First: largest, Length: knownLength}
	}},
}

func largest(a, b KnownTask) int { return cmp.Compare(b.Run, a.Run) }

func fastest(a, b KnownProcessor) int                            { return cmp.Compare(b.Speed, a.Speed) }
func knownLength(r KnownProcessor, t KnownTask) ostrich.Duration { return RunTime(t.Run, r.Speed) }

// mostCopies bounds the n of WQR-n.
const mostCopies = 1000

// Policies lists the task scheduling policies.
func Policies() []Choice {
	list := make([]Choice, len(policies))
	for i, p := range policies {
		list[i] = Choice{Name: p.name, Usage: p.usage}
		list[i].Processors, list[i].Tasks = p.make(1).information()
	}
	return list
}

// policyNamed finds a policy.
func policyNamed(name string) (policy, error) {
	kind, copies := name, 0
	if prefix, n, found := strings.Cut(name, "-"); found && strings.EqualFold(prefix, "WQR") {
		if i, err := strconv.Atoi(n); err == nil && i >= 1 && i <= mostCopies {
			kind, copies = "WQR-n", i
		}
	}
	for _, p := range policies {
		if strings.EqualFold(p.name, kind) && (copies > 0 || p.name != "WQR-n") {
			return p.make(copies), nil
		}
	}
	return nil, unknown("policy", name, Policies())
}

// unknown is the error of a name that is in no table.
func unknown(what, name string, choices []Choice) error {
	names := make([]string, len(choices))
	for i, c := range choices {
		names[i] = c.Name
	}
	return fmt.Errorf("grid: %s %q: choose among %s: %w", what, name, strings.Join(names, ", "), ErrInput)
}

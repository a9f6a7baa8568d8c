package grid

import (
	"fmt"
	"strconv"
	"strings"
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

// policy says where tasks run, and in which order.
//
// A list gives tasks to processors as these become idle: the fastest idle processor first
// as far as it knows their speeds, equals by number; or the one that has been idle longest
// if it knows nothing of them.
//
// A chart assigns each eligible task at once to the cluster where it would end first,
// behind all that was assigned there before, by the lengths expected; of equal ends the
// first cluster. The tasks wait in the queue of that cluster, first come, first served. (A
// Gantt chart, section 2.4, ECT.) It knows the speeds of the processors, or it could not
// compare clusters.
type policy struct {
	Choice
	chart bool
	order order // in which eligible tasks go, equals in the initial order

	// copies is how many more copies of a task a list may start when no task waits: in
	// turn, those with the fewest first, then the one whose latest copy was started first.
	// When one ends, the others are cancelled.
	copies int
}

// order is an order of tasks. Times it, their run times are sorted.
type order float64

const (
	initial  order = 0
	smallest order = 1
	largest  order = -1
)

// Choice is a row of a table of names.
type Choice struct {
	Name, Usage string

	// Processors and Tasks are what a policy of Policies knows, Table 1's (R, T).
	Processors, Tasks Information
}

// policies are all task scheduling policies, in the order of section 2.4. MaxMin is
// in Table 1 alone, and so is MQD, which is not here: what its authors published
// freely does not say how it ranks.
var policies = []policy{
	{Choice: Choice{"ECT", "earliest completion time: each task to the cluster where it ends first", Known, Known}, chart: true},
	{Choice: Choice{"FPLT", "fastest processor, largest task", Known, Known}, order: largest},
	{Choice: Choice{"RR", "in the initial order, to the processor idle longest; then each task once more", Unknown, Unknown}, copies: 1},
	{Choice: Choice{"WQR-n", "work queue with replication: as RR, with n more copies of each task", Unknown, Unknown}},
	{Choice: Choice{"DFPLT", "dynamic FPLT: processors by how fast their latest tasks were", History, Known}, order: largest},
	{Choice: Choice{"ECT-P", "ECT with predicted run times", Known, History}, chart: true},
	{Choice: Choice{"STFR", "shortest task first; then each task once more", Unknown, Known}, order: smallest, copies: 1},
	{Choice: Choice{"FPF", "fastest processor first, tasks in the initial order", Known, Unknown}},
	{Choice: Choice{"MaxMin", "ECT, of the tasks that become eligible at one moment the longest first", Known, Known}, chart: true, order: largest},
}

// mostCopies bounds the n of WQR-n.
const mostCopies = 1000

// Policies lists the task scheduling policies.
func Policies() []Choice {
	list := make([]Choice, len(policies))
	for i, p := range policies {
		list[i] = p.Choice
	}
	return list
}

func policyNamed(name string) (policy, error) {
	kind, copies := name, 0
	if prefix, n, found := strings.Cut(name, "-"); found && strings.EqualFold(prefix, "WQR") {
		if i, err := strconv.Atoi(n); err == nil && i >= 1 && i <= mostCopies {
			kind, copies = "WQR-n", i
		}
	}
	for _, p := range policies {
		if strings.EqualFold(p.Name, kind) && (copies > 0 || p.Name != "WQR-n") {
			p.copies = max(p.copies, copies)
			return p, nil
		}
	}
	return policy{}, unknown("policy", name, Policies())
}

// unknown is the error of a name that is in no table.
func unknown(what, name string, choices []Choice) error {
	names := make([]string, len(choices))
	for i, c := range choices {
		names[i] = c.Name
	}
	return fmt.Errorf("grid: %s %q: choose among %s: %w", what, name, strings.Join(names, ", "), ErrInput)
}

package priority

import (
	"slices"
	"strings"

	"slurm-ostrich/ostrich"
)

// Wait is why a pending job cannot start, whatever its place in the queue.
type Wait uint8

const (
	// Able waits for nothing but resources and its place. It is the zero
	// value, and what a reason that is not known is taken for.
	Able Wait = iota
	// Limited waits for a limit of its association, its QOS or its array, and
	// may start as soon as another job ends.
	Limited
	// Impossible asks for what it never gets, unless somebody changes it.
	Impossible
	// Later begins later.
	Later
	// Dependent depends on another job.
	Dependent
	// Kept is held.
	Kept
)

// WaitNames lists the kinds in the order of their constants, in words that say
// what the job does.
var WaitNames = []string{
	"can start", "waits for a limit", "asks for the impossible", "begins later", "depends on another job", "is held",
}

func (w Wait) String() string { return WaitNames[w] }

// reasons are Slurm's words, of releases 22.05 to 26.05, that are in no family of
// reasonOf. testdata/reasons.txt lists all there are, with their releases. Reasons
// of the machine (nodes down, reserved or powered off, licenses, a partition that
// is down) are not among them: every job waits for those.
var reasons = map[string]Wait{
	"JobHeldAdmin": Kept, "JobHeldUser": Kept, "JobHoldMaxRequeue": Kept,

	"Dependency": Dependent, "DependencyNeverSatisfied": Dependent,

	"BeginTime": Later,

	"BadConstraints": Impossible, "PartitionConfig": Impossible, "PartitionNodeLimit": Impossible,
	"PartitionTimeLimit": Impossible, "AccountNotAllowed": Impossible, "QOSNotAllowed": Impossible,
	"InvalidAccount": Impossible, "InvalidQOS": Impossible, "ReservationDeleted": Impossible,
	"ReservationInvalid": Impossible, "BurstBufferOperation": Impossible, "DeadLine": Impossible,
	"MaxMemPerLimit": Impossible, "AccountingPolicy": Impossible,

	"JobArrayTaskLimit": Limited, "AssociationJobLimit": Limited, "AssociationResourceLimit": Limited,
	"AssociationTimeLimit": Limited, "QOSJobLimit": Limited, "QOSResourceLimit": Limited,
	"QOSTimeLimit": Limited, "QOSUsageThreshold": Limited, "AssocMaxJobsLimit": Limited, "AssocMaxSubmitJobLimit": Limited,
}

// reasonOf returns what a reason of squeue's means. The limits come in families, a
// name for each kind of resource.
func reasonOf(reason string) Wait {
	if w, ok := reasons[reason]; ok {
		return w
	}
	name := strings.TrimSuffix(reason, "Limit")
	assoc, qos := strings.HasPrefix(name, "Assoc"), strings.HasPrefix(name, "QOS")
	switch {
	case strings.HasPrefix(name, "QOSMin"):
		return Impossible
	case (assoc || qos) && (strings.HasSuffix(name, "PerJob") || strings.HasSuffix(name, "PerNode")):
		return Impossible
	case strings.HasPrefix(name, "AssocGrp"), strings.HasPrefix(name, "QOSGrp"):
		return Limited
	case (qos || strings.HasPrefix(name, "Max")) && (strings.HasSuffix(name, "PerUser") || strings.HasSuffix(name, "PerAccount")):
		return Limited
	}
	return Able
}

// Wait returns why the job cannot start, or Able. Nothing else decides that.
func (q *Queued) Wait() Wait {
	w := reasonOf(q.Reason)
	switch {
	case w == Impossible && strings.HasPrefix(q.Reason, "Partition") && strings.Contains(q.Partition, ","):
		return Able // the reason is that of one of its partitions
	case w == Able && q.Priority == 0:
		return Kept
	case w == Able && q.Dependency != "" && (q.Reason == "None" || q.Reason == ""):
		return Dependent // before the scheduler gives it the reason
	}
	return w
}

// ForItsTurn reports whether a reason of squeue's says that the job waits for resources
// or for jobs that come before it, so that its place in the order helps. The reason is
// empty or "None" before the scheduler has looked at the job.
func ForItsTurn(reason string) bool {
	switch reason {
	case "", "None", "Priority", "Resources":
		return true
	default:
		return false
	}
}

// inTurn sorts an order into three: the jobs that can start, those that wait for a
// limit, and those that ask for the impossible. Within each it keeps the order.
// Jobs that are not in the queue count as able.
func inTurn(order []ostrich.Place, at index, waits []Wait) []ostrich.Place {
	behind := func(w Wait) bool { return w == Limited || w == Impossible }
	if !slices.ContainsFunc(waits, behind) {
		return order
	}
	turns := make([]ostrich.Place, 0, len(order))
	for _, turn := range []Wait{Able, Limited, Impossible} {
		for _, place := range order {
			wait := Able
			if i, ok := at.find(place.Job); ok && behind(waits[i]) {
				wait = waits[i]
			}
			if wait == turn {
				turns = append(turns, place)
			}
		}
	}
	return turns
}

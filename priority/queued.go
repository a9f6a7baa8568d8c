package priority

import (
	"cmp"
	"slices"
	"strings"

	"slurm-ostrich/ostrich"
)

// Queued is one pending record of slurmctld: a job, the waiting tasks of a job
// array, a task with a record of its own, or a component of a heterogeneous
// job.
type Queued struct {
	Job ostrich.JobID // id of the record (squeue's %A)

	// Array is the id of the job array, 0 for other jobs. Tasks is the set of
	// its waiting tasks as squeue prints it, "1-10%2", and Count their number;
	// a record that is no array counts 1.
	Array ostrich.JobID
	Tasks string
	Count int
	// Full is how Slurm writes the job's id for people: "17+1", "26_[1-3]".
	Full string

	User, Account, Partition, QOS, Name, WCKey, Comment string

	UID uint32
	// CPUs is how many processors a task asks for, 0 where squeue does not say it.
	// TimeLimit is what it may take: the partition's where it has no limit of its
	// own; 0 where there is none, or Unlimited.
	CPUs      int
	TimeLimit ostrich.Duration

	Priority uint32 // 0 is held
	Nice     int64

	// Listed means that sprio knows the job: priority/multifactor is in force and
	// the job is eligible. Pinned means that its priority was set and is no longer
	// computed. SiteKnown means that Site and Factors are set: the job is listed
	// and not pinned.
	Listed, Pinned, SiteKnown bool

	Site    int64
	Factors Factors
	// Computed is the sum of the factors by sprio: the priority, unless that was
	// put back to an earlier one. 0 if SiteKnown is false.
	Computed uint32

	State, Reason string
	Submit        ostrich.Time
	Reservation   string // "" for none
	Dependency    string // "" for none

	Wants Wants
	// Barred is why the job could not start even if no job of another user ran, as far
	// as Wants tells; "" if it could. It begins with "it", "its" or "of".
	Barred string

	// Tier is the highest PriorityTier of the job's partitions, 0 if Rank was not
	// given them.
	Tier int
}

// Wants is what a job asks for by name, each as squeue prints it; "" is nothing. Its owner
// can set and clear each. A queue is copied often, and few jobs ask for anything: so these
// are one text.
type Wants string

// Asked is what Wants has, told apart.
type Asked struct{ Nodes, Without, Features, Licenses string }

// Wants returns it as one text.
func (a Asked) Wants() Wants {
	if a == (Asked{}) {
		return ""
	}
	return Wants(strings.Join([]string{a.Nodes, a.Without, a.Features, a.Licenses}, between))
}

// Asked tells apart what it has.
func (w Wants) Asked() Asked {
	if f := strings.Split(string(w), between); len(f) == 4 {
		return Asked{f[0], f[1], f[2], f[3]}
	}
	return Asked{}
}

// between is a separator that no name has: squeue's output is split by it.
const between = "\x1f"

// Factors are the weighted factors of priority/multifactor, as they were added
// up. A job in several partitions has those of the one where they are largest.
type Factors struct {
	Age, Assoc, Fairshare, JobSize, Partition, QOS, TRES int64
}

// Sum returns what multifactor computes before SiteFactor and nice.
func (f Factors) Sum() int64 {
	return f.Age + f.Assoc + f.Fairshare + f.JobSize + f.Partition + f.QOS + f.TRES
}

// Held reports whether the job is held: Slurm's priority 0.
func (q *Queued) Held() bool {
	return q.Priority == 0 || strings.HasPrefix(q.Reason, "JobHeld")
}

// Rank sorts the jobs as Slurm tries them: those in a reservation, then by
// PriorityTier, priority, submission and id. Without partitions every tier
// counts as the same.
func Rank(queue []Queued, parts []Partition) {
	if len(parts) > 0 {
		tiers := make(map[string]int, len(parts))
		for _, p := range parts {
			tiers[p.Name] = p.PriorityTier
		}
		for i := range queue {
			queue[i].Tier = 0
			for name := range strings.SplitSeq(queue[i].Partition, ",") {
				queue[i].Tier = max(queue[i].Tier, tiers[name])
			}
		}
	}
	slices.SortFunc(queue, func(a, b Queued) int {
		return cmp.Or(
			-cmp.Compare(min(1, len(a.Reservation)), min(1, len(b.Reservation))),
			-cmp.Compare(a.Tier, b.Tier),
			-cmp.Compare(a.Priority, b.Priority),
			cmp.Compare(a.Submit, b.Submit),
			cmp.Compare(a.Job, b.Job),
		)
	})
}

// Wait is why a pending job cannot start, whatever its place in the queue.
type Wait uint8

const (
	// Able waits for nothing but resources and its place. It is the zero
	// value, and what a reason that is not known is taken for.
	Able Wait = iota
	// Limited waits for a limit of its association, its QOS or its array, and
	// may start as soon as another job ends.
	Limited
	// Barred asks by name for what is not there, or for what jobs of its own user hold.
	Barred
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
	"can start", "waits for a limit", "asks for what is not free", "asks for the impossible", "begins later", "depends on another job", "is held",
}

func (w Wait) String() string { return WaitNames[w] }

// reasons are Slurm's words, of releases 22.05 to 26.05, that are in no family of
// reasonOf. testdata/reasons.txt lists all there are, with their releases. Reasons
// of the machine (nodes down, reserved or powered off, licenses, a partition that
// is down) are not among them: every job waits for those, see Queued.Barred.
var reasons = map[string]Wait{
	"JobHeldAdmin": Kept, "JobHeldUser": Kept, "JobHoldMaxRequeue": Kept,

	"Dependency": Dependent, "DependencyNeverSatisfied": Dependent,

	"BeginTime": Later, "Reservation": Later,

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
	case w == Able && q.Barred != "":
		return Barred
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
		return NodesTaken(reason)
	}
}

// NodesTaken reports whether a reason of squeue's is the longer text that slurmctld has
// for Resources in a partition whose nodes jobs of other partitions wait for.
func NodesTaken(reason string) bool { return strings.HasPrefix(reason, "Nodes required for job are ") }

// InUse reports whether a reason of squeue's names a limit of what running jobs of an association or a QOS have at once: jobs, processors,
// memory, nodes or generic resources.
func InUse(reason string) bool {
	switch name := strings.TrimSuffix(reason, "Limit"); {
	case name == "AssocMaxJobs":
		return true
	case reasonOf(reason) != Limited:
		return false
	default:
		for _, of := range []string{"AssocGrp", "QOSGrp", "QOSMax", "Max"} {
			if rest, is := strings.CutPrefix(name, of); is {
				rest = strings.TrimSuffix(strings.TrimSuffix(rest, "PerUser"), "PerAccount")
				return slices.Contains([]string{"Jobs", "Cpu", "Mem", "Memory", "Node", "GRES"}, rest)
			}
		}
	}
	return false
}

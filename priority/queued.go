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

	User, Account, Partition, QOS, Name, WCKey string

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
	// Tier is the highest PriorityTier of the job's partitions, 0 if Rank was not
	// given them.
	Tier int
}

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

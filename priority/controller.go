package priority

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"slurm-ostrich/ostrich"
)

// Controller is the part of slurmctld's configuration that decides how jobs
// are ordered.
type Controller struct {
	ClusterName      string
	Version          string // "22.05.8"
	PriorityType     string // "priority/multifactor"
	TypeAssumed      bool   // a slurm.conf does not name it: the default since 23.11
	PriorityFlags    []string
	AccountingTRES   []string // the resources that accounting counts (AccountingStorageTRES); nil: not known
	Weights          Weights
	SiteFactorPlugin string // "" for none
	PriorityMaxAge   ostrich.Duration
	CalcPeriod       ostrich.Duration // PriorityCalcPeriod
	DecayHalfLife    ostrich.Duration // PriorityDecayHalfLife; 0: usage does not decay
	UsageReset       string           // PriorityUsageResetPeriod, such as "MONTHLY"; "" for never
	FairShareDamping int              // FairShareDampeningFactor; at least 1
	FavorSmall       bool             // PriorityFavorSmall

	SelectType          string // such as "select/cons_tres"; "" where it is not told
	SelectsMemory       bool   // SelectTypeParameters=CR_..._Memory: jobs get the memory that they ask for, and no more go onto a node than it has for
	SchedulerParameters []string
	SlurmctldParameters []string
	DefaultQueueDepth   int // jobs the main scheduler tries on an event
	BackfillMaxJobTest  int // jobs the backfill scheduler tries in a cycle
	RateLimited         bool
	RefillRate          float64  // requests a second that RateLimited leaves a user
	PrivateData         []string // what users do not see of others, such as "jobs"
	SlurmUser           uint32   // uid; 0, root's, where it is not known
	AccountingEnforce   []string
	StoresComments      bool // AccountingStoreFlags=job_comment: accounting has the comments of ended jobs
	BackfillContinue    bool // bf_continue: an update does not end a backfill cycle
	Scheduling          Scheduling

	PreemptType       string // such as "preempt/qos"; "" for none
	PreemptMode       string // such as "WITHIN,REQUEUE"; "" for OFF
	PreemptParameters []string
	PreemptExemptTime ostrich.Duration // 0 for none
	QOS               []QOS
	Federation        string // "" for none
	PoliciesUnknown   string // why QOS or federation are not known; "" if they are
	QOSUnknown        bool   // QOS, or which of them may preempt which, are not known
}

// Weights are the weights of priority/multifactor.
type Weights struct {
	Age, Assoc, Fairshare, JobSize, Partition, QOS int64
	TRES                                           []TRESWeight
}

// TRESWeight is one element of PriorityWeightTRES.
type TRESWeight struct {
	Name   string
	Weight float64
}

// Sum returns the most that normalised factors can add to a priority.
func (w Weights) Sum() int64 {
	sum := w.Age + w.Assoc + w.Fairshare + w.JobSize + w.Partition + w.QOS
	for _, t := range w.TRES {
		sum += int64(math.Ceil(max(t.Weight, 0)))
	}
	return sum
}

// Multifactor reports whether priority/multifactor computes the priorities.
func (c Controller) Multifactor() bool { return c.PriorityType == "priority/multifactor" }

// Basic reports whether priority/basic computes the priorities.
func (c Controller) Basic() bool { return c.PriorityType == "priority/basic" }

// Limits reports whether slurmctld enforces limits. Only then does it count what a job
// used since the latest calculation of fair share when the job ends; otherwise never
// (acct_policy_job_fini).
func (c Controller) Limits() bool {
	return slices.ContainsFunc(c.AccountingEnforce, func(word string) bool {
		return slices.Contains([]string{"limits", "safe", "all"}, strings.ToLower(word))
	})
}

// MarkExclusive makes all partitions exclusive if SelectType gives every job whole nodes, whatever they say of it
// (node_scheduler.c, _resolve_shared_status).
func (c Controller) MarkExclusive(partitions []Partition) {
	for i := range partitions {
		partitions[i].Exclusive = partitions[i].Exclusive || c.SelectType == "select/linear"
	}
}

// GRES lists the generic resources that accounting counts, such as "gres/gpu" and "gres/gpu:a100".
func (c Controller) GRES() (names []string) {
	for _, name := range c.AccountingTRES {
		if strings.HasPrefix(strings.ToLower(name), "gres/") {
			names = append(names, name)
		}
	}
	return names
}

// Flag reports whether PriorityFlags contains the flag.
func (c Controller) Flag(name string) bool {
	return slices.ContainsFunc(c.PriorityFlags, func(f string) bool { return strings.EqualFold(f, name) })
}

// unbounded reports whether PriorityFlags lets a factor exceed 1.
func (c Controller) unbounded() bool {
	return c.Flag("NO_NORMAL_ALL") || c.Flag("NO_NORMAL_ASSOC") || c.Flag("NO_NORMAL_PART") ||
		c.Flag("NO_NORMAL_QOS") || c.Flag("NO_NORMAL_TRES")
}

// Depth returns the number of jobs that Slurm's schedulers look at.
func (c Controller) Depth() int { return max(c.DefaultQueueDepth, c.BackfillMaxJobTest) }

// Release splits the version, "22.05.8" or "24.11.0-0rc1", into 22 and 5. ok is
// false for one that is neither.
func (c Controller) Release() (major, minor int, ok bool) {
	parts := strings.SplitN(c.Version, ".", 3)
	if len(parts) < 2 {
		return 0, 0, false
	}
	minorText, _, _ := strings.Cut(parts[1], "-")
	major, err := strconv.Atoi(parts[0])
	if err != nil {
		return 0, 0, false
	}
	minor, err = strconv.Atoi(minorText)
	return major, minor, err == nil
}

// Never is the interval of a scheduler that does not run by itself
// (sched_interval=-1, bf_interval=-1).
const Never ostrich.Duration = -1

// Scheduling are the elements of SchedulerParameters that say how often and how
// deep Slurm's schedulers look, beside Controller.DefaultQueueDepth and
// BackfillMaxJobTest.
type Scheduling struct {
	Interval          ostrich.Duration // sched_interval, between looks at the whole queue; or Never
	BatchDelay        ostrich.Duration // batch_sched_delay, from a submission to the next look
	Defer             bool             // defer: a job that ends brings no look at once
	MinInterval       int              // sched_min_interval, microseconds
	PartitionJobDepth int              // partition_job_depth; 0: no limit
	MaxRPCs           int              // max_rpc_cnt, requests being served at which scheduling is put off; 0: never

	NoBackfill         bool             // SchedulerType=sched/builtin: none of the following
	BackfillInterval   ostrich.Duration // bf_interval; or Never
	BackfillWindow     ostrich.Duration // bf_window, how far ahead it plans
	BackfillResolution ostrich.Duration // bf_resolution
	BackfillMaxPart    int              // bf_max_job_part, jobs of a partition; 0: no limit
	BackfillMaxUser    int              // bf_max_job_user, jobs of a user; 0: no limit
	BackfillMaxAssoc   int              // bf_max_job_assoc, jobs of an association; 0: no limit
	BackfillMaxBoth    int              // bf_max_job_user_part, jobs of a user in a partition; 0: no limit
	BackfillKept       int              // bf_job_part_count_reserve, jobs of a partition for which it keeps nodes; 0: no limit
	BackfillArray      int              // bf_max_job_array_resv, tasks of an array for which it does; 0: 20
	BackfillMinPrio    int              // bf_min_prio_reserve, of a job for which it does
	BackfillMaxStart   int              // bf_max_job_start, jobs started in a cycle; 0: no limit
	BackfillMinAge     ostrich.Duration // bf_min_age_reserve, of a job for which it keeps nodes
	BackfillBusyNodes  bool             // bf_busy_nodes, nodes that are in use first

	PackSerialAtEnd bool // pack_serial_at_end, jobs of one processor go to the last nodes

	// The following are 0 where they are not read, or are not there.
	KillWait     ostrich.Duration // from a job's limit to its end
	OverTime     ostrich.Duration // OverTimeLimit, by which jobs may run longer; UNLIMITED is 0
	CompleteWait ostrich.Duration // how long jobs that are completing keep all others from starting
}

// QOS is what a QOS of slurmctld says about priorities.
type QOS struct {
	Name        string
	PreemptMode string // such as "WITHIN,REQUEUE"; "" for that of slurm.conf
	Threshold   uint32 // MinPrioThreshold; 0 for none
	Priority    uint32
	Preempts    []string // names of the QOS that it may preempt; nil where PreemptType is not preempt/qos
}

// Unlimited is a partition's MaxTime without a limit.
const Unlimited ostrich.Duration = -1

// Partition is a partition as slurmctld has it.
type Partition struct {
	Name              string
	Default           bool
	MaxTime           ostrich.Duration // seconds, or Unlimited
	DefaultTime       ostrich.Duration // of jobs that name no limit; 0 for MaxTime
	State             string           // "DOWN", "DRAIN" or "INACTIVE"; "" for UP
	MaxNodes          int              // of a job; 0 for any number
	TotalCPUs         int
	Nodes             []string
	NodeCPUs          []int    // processors for jobs of each of Nodes, or Hidden; nil if nobody tells them
	HiddenCPUs        int      // of those that are Hidden, together
	NodeTRES          []string // what each of Nodes has, as "cpu=4,mem=1000M,billing=4"; "" where nobody tells it; nil as NodeCPUs
	NodeFeatures      []string // of each of Nodes, those that are active, as "a,b"; nil where nobody tells them
	BillingWeights    string   // TRESBillingWeights, as slurm.conf has them; "" for none
	PriorityTier      int
	PriorityJobFactor int
	PreemptMode       string // such as "REQUEUE"; "" for OFF
	QOS               string // of the partition itself, "" for none
	Gates             []Gate // whom it lets in; none for everybody
	Exclusive         bool   // each job has its nodes for itself (OverSubscribe=EXCLUSIVE, or since 26.05 Exclusive=NODE; see Controller.MarkExclusive)
}

// Gate is AllowAccounts, AllowGroups, AllowQos, DenyAccounts or DenyQos of a partition.
type Gate struct {
	Key   string
	Names []string
}

// MaxTimes returns the time limits of the partitions that have one, by name.
func MaxTimes(partitions []Partition) map[string]ostrich.Duration {
	limits := make(map[string]ostrich.Duration)
	for _, p := range partitions {
		if p.MaxTime != Unlimited {
			limits[p.Name] = p.MaxTime
		}
	}
	return limits
}

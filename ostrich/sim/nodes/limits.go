package nodes

import "slurm-ostrich/ostrich"

// Association is a line of the association tree: a user in an account, or an account.
type Association struct {
	Account string
	User    string       // "" for an account
	Parent  *Association // nil for the root
	Limits  []Limit      // of Group and Job; a job counts in its association and all above it
	MaxWall ostrich.Duration
}

// QOS is a quality of service.
type QOS struct {
	Name     string
	Limits   []Limit
	MaxWall  ostrich.Duration // 0 for none
	Override bool             // its limits go before those of the partition's QOS (OverPartQOS)
	Preempts []*QOS           // whose jobs its jobs may preempt
	Mode     PreemptMode      // of its jobs, when they are preempted
	Priority int64            // between those that preempt
	Exempt   ostrich.Duration // PreemptExemptTime: how long its jobs run before they can be preempted
	Grace    ostrich.Duration // GraceTime: how long they go on when they are
}

// Limit is the most that running jobs may use.
type Limit struct {
	Scope Scope
	// Resource is a TRES as Slurm writes it: "cpu", "node", "mem" (MiB), "billing", "gres/gpu",
	// "gres/gpu:a100", "license/x"; or "jobs", for a number of jobs.
	Resource string
	Most     int64
}

// Scope says whose jobs a limit counts together.
type Scope uint8

const (
	// Group counts all jobs (GrpTRES, GrpJobs). It is the zero value.
	Group Scope = iota
	// User counts those of each user (MaxTRESPerUser, MaxJobsPerUser).
	User
	// Account counts those of each account (MaxTRESPerAccount, MaxJobsPerAccount).
	Account
	// Job counts each by itself (MaxTRESPerJob).
	Job
	// JobNode counts each job's part on a node (MaxTRESPerNode).
	JobNode
)

// Preempt says which jobs make room for others.
type Preempt struct {
	By     PreemptBy
	Mode   PreemptMode      // where partition or QOS says none
	Exempt ostrich.Duration // PreemptExemptTime
}

// PreemptBy is what says which job may preempt which (PreemptType).
type PreemptBy uint8

const (
	// NoPreemption is preempt/none. It is the zero value.
	NoPreemption PreemptBy = iota
	// PreemptByQOS is preempt/qos.
	PreemptByQOS
	// PreemptByTier is preempt/partition_prio.
	PreemptByTier
)

// PreemptMode is what becomes of a job that is preempted.
type PreemptMode uint8

const (
	// PreemptDefault leaves it to what stands above. It is the zero value.
	PreemptDefault PreemptMode = iota
	// PreemptOff lets it not be preempted.
	PreemptOff
	// PreemptCancel ends it.
	PreemptCancel
	// PreemptRequeue puts it back into the queue, or ends it if it may not be.
	PreemptRequeue
	// PreemptSuspend lets it stand until the other has ended.
	PreemptSuspend
)

package nodes

import "slurm-ostrich/ostrich"

// Association is a line of the association tree: a user in an account, or an account.
type Association struct {
	Account string
	User    string       // "" for an account
	Parent  *Association // nil for the root
	Limits  []Limit      // of Group, User, Job and JobNode; a job counts in its association and all above it
	MaxWall ostrich.Duration
}

// QOS is a quality of service.
type QOS struct {
	Name      string
	Limits    []Limit
	MaxWall   ostrich.Duration // 0 for none
	Override  bool             // its limits go before those of the partition's QOS (OverPartQOS)
	Preempts  []*QOS           // whose jobs its jobs may preempt
	Mode      PreemptMode      // of its jobs, when they are preempted
	Priority  int64            // between those that preempt
	Exempt    ostrich.Duration // PreemptExemptTime: how long its jobs run before they can be preempted
	Grace     ostrich.Duration // GraceTime: how long they go on when they are
	NoReserve bool             // the backfill scheduler keeps no nodes for its jobs

	// MinNodes, MaxNodes and MaxTime of partitions do not bind its jobs (PartitionMinNodes, PartitionMaxNodes, PartitionTimeLimit).
	AnyMin, AnyMax, AnyTime bool
}

// Unlimited returns a QOS without limits that excepts its jobs from the same limits of partitions; nil for nil.
func (q *QOS) Unlimited() *QOS {
	if q == nil {
		return nil
	}
	return &QOS{Name: q.Name, AnyMin: q.AnyMin, AnyMax: q.AnyMax, AnyTime: q.AnyTime}
}

// Beside returns the QOS of a job and that of its partition, either of which may be nil, the one first whose limits go before:
// that of the partition, unless that of the job overrides it (acct_policy.c, acct_policy_set_qos_order).
func (q *QOS) Beside(part *QOS) [2]*QOS {
	if q != nil && q.Override {
		return [2]*QOS{q, part}
	}
	return [2]*QOS{part, q}
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

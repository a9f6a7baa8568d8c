package accounting

import "slurm-ostrich/ostrich"

// Limits are what an association or a QOS lets its jobs use.
type Limits struct {
	List    []Limit
	MaxWall ostrich.Duration // the longest time limit; 0 for none

	Priority int64 // of an association, which PriorityWeightAssoc weighs; 0 without one

	// Other names limits that are set and not among these, such as "GrpTRESMins".
	Other []string
}

// Limit is the most that running jobs may use at once, or one job.
type Limit struct {
	Scope    Scope
	Resource string // as Slurm names a TRES: "cpu", "gres/gpu:a100"; "mem" in MiB; "jobs" for a number of jobs
	Most     int64
}

// Scope says whose jobs a limit counts together.
type Scope uint8

// The scopes.
const (
	ByGroup   Scope = iota // all of the association and those below it, or of the QOS
	ByUser                 // those of each user
	ByAccount              // those of each account
	ByJob                  // each by itself
	ByJobNode              // the part of each on a node
)

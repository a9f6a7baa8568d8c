package priority

import "slurm-ostrich/ostrich"

// Unlimited is a partition's MaxTime without a limit.
const Unlimited ostrich.Duration = -1

// Partition is a partition as slurmctld has it.
type Partition struct {
	Name              string
	State             string // UP, DOWN, DRAIN or INACTIVE
	Default           bool
	MaxTime           ostrich.Duration // seconds, or Unlimited
	DefaultTime       ostrich.Duration // seconds; 0 for none, or Unlimited
	TotalCPUs         int
	Nodes             []string
	PriorityTier      int
	PriorityJobFactor int
	PreemptMode       string // such as "REQUEUE"; "" for OFF
	QOS               string // of the partition itself, "" for none
}

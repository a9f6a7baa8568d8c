package nodes

import (
	"cmp"

	"slurm-ostrich/ostrich"
)

// Cluster is a machine of nodes.
type Cluster struct {
	// Nodes are in the order in which Slurm numbers them, which is that of [CompareNames] unless
	// its topology ranks them.
	Nodes      []Node
	Partitions []Partition // those of requests; without any, a job may use all nodes
	Select     Select
	Licenses   []License
	Preempt    Preempt

	// DefMemory and MaxMemory are the memory that a job gets that asks for none, and the most that
	// it may ask for (DefMemPerCPU, DefMemPerNode, MaxMemPerCPU, MaxMemPerNode of slurm.conf). One
	// that asks for more on a node than MaxMemPerCPU allows its processors gets more processors.
	DefMemory, MaxMemory Memory

	Outages      []Outage
	Reservations []Reservation
}

// Node is a node. Nodes that are alike but for their names, places and partitions are one class.
type Node struct {
	Name string

	// Sockets, Cores (of a socket) and Threads (of a core) are 1 where they are 0, but for a node
	// of which only CPUs are given: that has as many sockets as CPUs of a core each.
	Sockets, Cores, Threads int
	CPUs                    int      // for jobs; 0 is sockets × cores × threads
	Memory                  int64    // for jobs: RealMemory less MemSpecLimit; 0 has none that counts
	GRES                    []GRES   // by name, then type
	Features                []string // active ones
	Weight                  int64    // nodes of a lower one are taken first; Slurm's default is 1
	Line                    int      // NodeName of slurm.conf that has it: select/linear tries the nodes of a line after those of the lines before
}

// Processors is how many CPUs the node has for jobs.
func (n *Node) Processors() int {
	return cmp.Or(n.CPUs, max(1, n.Sockets)*max(1, n.Cores)*max(1, n.Threads))
}

// GRES are generic resources of a node, of one type.
type GRES struct {
	Name  string // "gpu"
	Type  string // "a100"; "" for none
	Count int64
}

// Partition is a set of nodes.
type Partition struct {
	Name  string
	Nodes []int // places in Cluster.Nodes, ascending

	Tier                 int // PriorityTier: jobs of a higher one go first
	OverSubscribe        Sharing
	DefMemory, MaxMemory Memory // in place of the cluster's
	MinNodes, MaxNodes   int    // of a job; MaxNodes 0 is any number
	MaxCPUsPerNode       int    // 0 is all
	MaxTime              ostrich.Duration
	ExclusiveUser        bool // a node's jobs are of one user
	LLN                  bool // as Select.LLN
	ExclusiveTopo        bool // counted as unknown
	QOS                  *QOS // of the partition, whose limits apply beside those of the job's
	PreemptMode          PreemptMode
	GraceTime            ostrich.Duration
}

// Sharing says whether jobs of a partition share nodes and CPUs (OverSubscribe). Jobs that share CPUs get CPUs of
// their own here: see [Floor.Shares].
type Sharing uint8

const (
	// ShareNodes lets jobs share nodes, but no CPUs (NO under select/cons_tres). It is the zero value.
	ShareNodes Sharing = iota
	// Exclusive gives whole nodes to every job (EXCLUSIVE).
	Exclusive
	// ShareAsked lets jobs share CPUs that ask for it (YES).
	ShareAsked
	// ShareForced lets all jobs share CPUs (FORCE).
	ShareForced
)

// Memory is memory for each node or for each allocated CPU.
type Memory struct {
	MiB    int64
	PerCPU bool
}

// Memory returns the memory that a job gets in a partition that asks for none, and the most that it may ask for: those of
// the partition, or else of the cluster. A negative place is no partition's.
func (c *Cluster) Memory(part int) (standard, most Memory) {
	standard, most = c.DefMemory, c.MaxMemory
	if part < 0 {
		return standard, most
	}
	p := &c.Partitions[part]
	if p.DefMemory.MiB > 0 {
		standard = p.DefMemory
	}
	if p.MaxMemory.MiB > 0 {
		most = p.MaxMemory
	}
	return standard, most
}

// Select is how nodes and CPUs are chosen (SelectType, SelectTypeParameters, and those of
// SchedulerParameters that count for it).
type Select struct {
	Linear bool // select/linear: whole nodes to every job, see linear.go; otherwise select/cons_tres

	Unit   Unit // what is allocated, if not Linear
	Memory bool // memory is allocated too (CR_*_Memory)

	OneTaskPerCore bool // CR_ONE_TASK_PER_CORE
	LLN            bool // CR_LLN: the least loaded nodes first
	PackNodes      bool // CR_Pack_Nodes
	SerialAtEnd    bool // pack_serial_at_end: jobs of one CPU from the last node on
	BusyNodes      bool // bf_busy_nodes: the backfill scheduler prefers nodes in use
}

// Unit is what is allocated to jobs.
type Unit uint8

const (
	// CPU is CR_CPU. It is the zero value.
	CPU Unit = iota
	// Core is CR_Core: jobs get whole cores.
	Core
	// Socket is CR_Socket: jobs get whole sockets.
	Socket
)

// License is a number of licences.
type License struct {
	Name  string
	Count int64
}

// Outage is a time at which a node takes no jobs. Those on it run on.
type Outage struct {
	Node     int          // its place in Cluster.Nodes
	From, To ostrich.Time // [From, To); To 0 is never
}

// Reservation keeps nodes for the jobs whose Request names it.
type Reservation struct {
	Name     string
	Nodes    []int // places in Cluster.Nodes, ascending
	From, To ostrich.Time
	Known    ostrich.Time // nobody knew of it before
	Flex     bool         // its jobs may use other nodes too, and times outside it
}

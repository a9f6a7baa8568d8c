package nodes

// Request is what a job asks of a cluster, beside its time. Jobs that ask the same may share one.
type Request struct {
	Partitions  []int // places in Cluster.Partitions, in the order in which Slurm tries them; none is all nodes
	QOS         *QOS
	Association *Association
	Reservation string // name; its nodes only

	CPUs         int // of the whole job (min_cpus); 0 is what Tasks and CPUsPerTask say, at least 1
	Tasks        int // --ntasks; 0 is not said
	CPUsPerTask  int // 0 is 1
	TasksPerNode int // --ntasks-per-node: as many on each node; beside Tasks, at most
	MinNodes     int // 0 is 1
	MaxNodes     int // 0 is any number

	// Sockets, Cores and Threads of a node that takes part: at least (--sockets-per-node,
	// --cores-per-socket, --threads-per-core).
	Sockets, Cores, Threads int
	TasksPerSocket          int // --ntasks-per-socket
	TasksPerCore            int // --ntasks-per-core

	Memory     Memory // none asks for the default of the partition; all of a node's is AllMemory
	GRES       []GRESRequest
	Features   Features
	Exclusive  Exclusivity
	Share      bool  // --oversubscribe
	Contiguous bool  // --contiguous
	Spread     bool  // --spread-job: on as many nodes as it may have
	NodeList   []int // --nodelist: all of them, and others if more are needed; places in Cluster.Nodes
	Exclude    []int // --exclude
	Licenses   []License
	NoRequeue  bool // --no-requeue, or no batch job: it is ended where others are requeued
	Component  bool // of a heterogeneous job: the main scheduler starts none
}

// AllMemory as Memory.MiB of a request asks for all memory of each node (--mem=0).
const AllMemory = -1

// GRESRequest is an amount of generic resources.
type GRESRequest struct {
	GRES
	Per Per
}

// Per says of what a number of generic resources is that of each.
type Per uint8

const (
	// PerNode is --gres, --gpus-per-node. It is the zero value.
	PerNode Per = iota
	// PerJob is --gpus.
	PerJob
	// PerTask is --gpus-per-task.
	PerTask
	// PerSocket is --gpus-per-socket.
	PerSocket
)

// Exclusivity says with whom a job shares nodes.
type Exclusivity uint8

const (
	// Shares lets it share nodes with all. It is the zero value.
	Shares Exclusivity = iota
	// WholeNodes gives it whole nodes, with all of their CPUs (--exclusive).
	WholeNodes
	// OneUser lets it share nodes with jobs of its user only (--exclusive=user).
	OneUser
)

package ledger

import (
	"slices"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting"
	"slurm-ostrich/ostrich/accounting/tools"
)

// ShareBy says who competes for the machine.
type ShareBy uint8

const (
	// Flat makes every user a competitor: ostrich.UserID is the uid (id_user).
	// This is the even division of the papers.
	Flat ShareBy = iota
	// Tree makes every association a competitor: ostrich.UserID is id_assoc, and
	// the reader reports the association tree as shares. Jobs without an
	// association all belong to competitor 0.
	Tree
)

// ShareNames lists who can compete, in the order of the constants.
var ShareNames = []string{"flat", "tree"}

func (b ShareBy) String() string { return ShareNames[b] }

// ClassBy says which jobs of a user are alike, see ostrich.Job.Class.
type ClassBy uint8

const (
	// NoClass leaves every job's class 0.
	NoClass ClassBy = iota
	// ByName puts jobs of one name into a class, whatever the digits in it.
	ByName
	// ByScript puts jobs of one script into a class. If the script is not stored
	// (AccountingStoreFlags=job_script), it is ByName.
	ByScript
	// ByKind puts jobs of one kind into a class, see tools.Table: of known workflow tools the
	// same step of a workflow, else jobs of one name, whatever the digits and hexadecimal
	// numbers in it.
	ByKind
)

// ClassNames lists the kinds of classes in the order of their constants.
var ClassNames = []string{"off", "name", "script", "auto"}

func (b ClassBy) String() string { return ClassNames[b] }

// DeclareBy says where users declare to which campaign a job belongs, see
// ostrich.Job.Campaign.
type DeclareBy uint8

const (
	// NotDeclared leaves every campaign to the rule.
	NotDeclared DeclareBy = iota
	// InComment reads the word campaign:NAME of a job's comment, see
	// accounting.ReadComment. The tables hold the comments of ended jobs only,
	// and only with AccountingStoreFlags=job_comment.
	InComment
	// InWCKey reads the WCKey that a user gave. A default WCKey, which Slurm
	// stores with an asterisk, declares nothing.
	InWCKey
	// InName reads the part of a job's name before the first colon.
	InName
	// ByTool takes the runs of known workflow tools for campaigns, see tools.Table.
	ByTool
)

// DeclareNames lists where campaigns are declared in the order of the constants.
var DeclareNames = []string{"off", "comment", "wckey", "name", "auto"}

func (b DeclareBy) String() string { return DeclareNames[b] }

// Config says what rows mean.
type Config struct {
	Shares ShareBy          // who competes
	Unit   *accounting.Unit // by which work is counted; nil: processors

	// Resources are further GRES of which the counts are read that jobs ask for, for Needs; accounting.AllGRES for all. Those that accounting does not count have none.
	Resources []string

	Site // see also Ledger.Divide

	// History is how far a cold start looks back: it reports the jobs that ended
	// within it. With 0 it reports the jobs that have not ended, and those of the
	// overlap.
	History ostrich.Duration
	// Overlap is how much of the closed rows each poll reads again, for rows that
	// become visible late.
	Overlap ostrich.Duration

	Tools    tools.Table // for ByKind and ByTool
	Class    ClassBy     // which jobs are alike
	Hints    bool        // whether comments say how long jobs run, see accounting.ReadComment
	Declared DeclareBy   // where campaigns are declared

	DefaultLimit ostrich.Duration // for jobs without a limit in partitions without one
}

// Named lists the resources beside those that every TRES has of which the counts are read.
func (c *Config) Named() []string {
	all := slices.Concat(c.Unit.Named(), c.Resources)
	slices.Sort(all)
	return slices.Compact(all)
}

// Site is what only the controller knows of the machine.
type Site struct {
	Pools      []Pool // empty: the whole cluster is pool ""; with a Unit each has its nodes
	Partitions map[string]Partition
	Whole      float64 // with a Unit: what the row of the cluster stores at present, see accounting.Unit.Stored
}

// Partition is what the controller says of a partition, and the tables do not.
type Partition struct {
	MaxTime   ostrich.Duration // of jobs without a limit of their own; 0 without one
	NodeProcs float64          // processors for jobs that its nodes have in the mean; 0 if that is not known
	NodeUnits float64          // units that its nodes have in the mean, with a Unit
	Exclusive bool             // each job has its nodes for itself (OverSubscribe=EXCLUSIVE, select/linear)
}

// Pool is a part of the cluster with a virtual schedule of its own.
type Pool struct {
	Name       string
	Partitions []string // for the caller; sizes need Nodes alone
	Nodes      []string // the nodes of the partitions, one name each
	Procs      int      // of these nodes, for jobs; 0: the pool has as large a part of the cluster's as of its nodes

	Units     float64            // of these nodes, with a Unit
	NodeUnits map[string]float64 // of each
}

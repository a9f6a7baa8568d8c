package accounting

import (
	"fmt"

	"slurm-ostrich/ostrich"
)

// A Row is a row of the job table: a run of a job, or the part of a run that a resize
// ended. Slurm's marks for "no value" are 0. Slurmdbd's tables and sacct give the same
// rows, each with what it has.
type Row struct {
	ID        ostrich.JobID
	Array     ostrich.JobID // 0 unless the job belongs to an array
	Task      int64         // of the array; -1 for none and for several
	Tasks     uint32        // pending tasks of an array that are one record, 0 if sacct shows none; else 1
	Het       ostrich.JobID // leader of a heterogeneous job, or 0
	UID       uint32
	User      string // only from sacct; "" without an association
	Account   string // not read from the tables of a row that has ended
	Assoc     uint32 // 0 if there is none
	Partition string // a list while it may be any of several
	QOS       string // from the tables, only a list of several of which a pending job may get any
	QOSNumber uint32

	Submit, Eligible, Start, End ostrich.Time // 0 for none
	Suspended                    ostrich.Duration
	Limit                        ostrich.Duration // 0 without one of its own
	Throttled                    bool             // not eligible, by the array's own limit of running tasks
	Req, Alloc                   uint64           // processors of one task; Alloc is 0 before the start
	State                        State
	Exclusive                    bool   // it has its nodes for itself, or is to have them
	Impossible                   string // why the row cannot be true, or ""
	Unfinished                   bool   // Slurm has not written all of the row, which is why it is Impossible
	Asked, Held                  TRES

	Class uint64 // see ostrich.Job.Class
	Said  Said   // hint and campaign

	// The workflow tool, and the kind of the job in its words, see package
	// tools; of jobs that have not ended, if classes or campaigns are by tool.
	Tool, Kind string

	Name           string // not read from the tables of a row that has ended
	WCKey, Comment string // only from sacct
	Folder, Line   string // the same, and only if they were asked for: work_dir and submit_line

	// Only the tables have these.
	Record                            uint64 // job_db_inx, to which suspensions refer
	NameClass, ScriptClass, KindClass uint64
	ToolRow                           uint8 // see Job.Tool
	ByLine                            bool

	// Only where the reader of the tables is asked for them.
	Needs      *Needs // nil: not read
	Where      string // nodes on which it ran, as Slurm lists them; "" if they are not known
	Backfilled bool   // the backfill scheduler started it
	Priority   uint32 // when it was submitted; 0 if that is not known
}

// Slurm's marks for "no value" in 32-bit columns.
const (
	NoVal    = 0xfffffffe
	Infinite = 0xffffffff
)

// Key identifies a row of the job table.
type Key struct {
	ID     ostrich.JobID
	Submit ostrich.Time
}

// MaxProcs is the most processors that a row may have; one with more is broken.
const MaxProcs = 1 << 31

// MaxTasks is above Slurm's largest MaxArraySize (4 000 001).
const MaxTasks = 1 << 23

// Started reports whether the job runs or ran. A pending row has not started,
// whatever its time_start.
func (r *Row) Started() bool { return r.Start > 0 && r.State != Pending }

// AskedLimit returns the time limit that a job asked for, of what accounting has of it: when it starts, backfill gives
// a year to a job that has none, where its partition has none either (findings/sacct-timelimit-of-a-year.sh). Who asked for
// just a year cannot be told from that.
func AskedLimit(limit ostrich.Duration, started bool) ostrich.Duration {
	if started && limit == 365*86400 {
		return 0
	}
	return limit
}

// Settle makes Start, Req, Alloc and Limit of a row what they mean, from what its source shows. A row
// that asks for nothing or too much is Impossible afterwards.
//
// Slurm writes some rows of array tasks in two steps, and between them they have no
// processors. A job that ends before slurmdbd hears of its start gets a row with its end
// alone. That row names root and no partition until slurmdbd hears of the start too.
func (r *Row) Settle() {
	// If a job is cancelled that could not start yet (held, with a dependency or a
	// begin time), Slurm writes its end as its start. It holds nothing.
	if r.Alloc == 0 && r.End > 0 && r.Start == r.End {
		r.Start = 0
	}
	switch {
	case !r.Started():
		r.Alloc = 0
	case r.Alloc == 0:
		r.Alloc = r.Req
	}
	if r.Req == 0 {
		r.Req = r.Alloc
	}
	r.Limit = AskedLimit(r.Limit, r.Started())
	switch {
	case r.Impossible != "":
	case r.Req == 0:
		r.Impossible, r.Unfinished = "asks for no processor", true
	case r.Partition == "" && r.End != 0:
		r.Impossible, r.Unfinished = "names no partition: Slurm wrote its end alone", true
	case r.Req > MaxProcs:
		r.Impossible = fmt.Sprintf("asks for %d processors", r.Req)
	case r.Alloc > MaxProcs:
		r.Impossible = fmt.Sprintf("holds %d processors", r.Alloc)
	}
}

package slurmdb

import (
	"bytes"
	"cmp"
	"database/sql/driver"
	"fmt"
	"hash/maphash"
	"math"
	"strings"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting"
)

// Slurm's marks for "no value" in 32-bit columns.
const (
	noVal    = 0xfffffffe
	infinite = 0xffffffff
)

// farFuture is how far a time may lie ahead of the database's clock. The clocks
// of controller and database differ by seconds; a row that is a day ahead is
// broken.
const farFuture = ostrich.Time(86400)

// rowColumns are the columns read of each job. The first two are the row's key.
const rowColumns = "id_job, time_submit, time_end, job_db_inx, state, time_eligible, time_start, time_suspended, " +
	"timelimit, id_user, id_assoc, id_qos, id_array_job, id_array_task, het_job_id, array_task_pending, cpus_req, " +
	"`partition`, array_task_str, tres_req, tres_alloc"

// nameColumns follow rowColumns for jobs that have not ended.
const nameColumns = ", account, job_name"

// digestColumns are rowColumns and nameColumns without NULL, see saying.digest.
var digestColumns = strings.NewReplacer("array_task_str", "COALESCE(array_task_str, '')").Replace(rowColumns) +
	", COALESCE(account, ''), job_name"

// Positions in rowColumns.
const (
	colID = iota
	colSubmit
	colEnd
	colInx
	colState
	colEligible
	colStart
	colSuspended
	colLimit
	colUser
	colAssoc
	colQOS
	colArray
	colTask
	colHet
	colPending
	colCPUs
	colPartition
	colMask
	colReq
	colAlloc
	colAccount // the first after rowColumns; the columns of saying move it further
)

// key identifies a row of the job table.
type key struct {
	id     ostrich.JobID
	submit ostrich.Time
}

// row is what is kept of an accounting.Row: it may be one of millions.
type row struct {
	key
	start, end, eligible ostrich.Time
	state                accounting.State
	limit                uint32 // minutes; 0 without one of its own
	uid, assoc, qos      uint32
	array, het           ostrich.JobID
	task                 uint32
	tasks                uint32 // pending tasks; 1 for a single job
	req, alloc           uint32 // processors; alloc is 0 before the start
	nodes                uint32 // asked for; 0 if that is not known
	partition            string
	class                uint64
	*extra
}

// extra holds what few rows have, which keeps a long history small.
type extra struct {
	inx           uint64 // job_db_inx, which suspensions refer to
	suspended     uint64 // time_suspended as stored
	said          accounting.Said
	account, name string // of jobs that have not ended
	anyQOS        string // of a pending job that asks for any of several QOS: their names, as squeue lists them
	sum           uint64 // of the row's values
	bad           string // why the row cannot be true, or ""
	unfinished    bool   // bad, because Slurm has not written all of it, see accounting.Row.Settle
	exclusive     bool   // it is to have its nodes for itself
}

// unfinishedFor is how long after its submission, start or end a row may be
// unfinished before the reader reports it. It is less than the default overlap, so a row
// that has ended is read again by then.
const unfinishedFor = ostrich.Time(60)

// none is the extra of most rows, and alone that of an exclusive one. Nothing writes to
// them.
var (
	none  extra
	alone = extra{exclusive: true}
)

func compareRows(a, b row) int {
	return cmp.Or(
		cmp.Compare(a.id, b.id),
		cmp.Compare(a.submit, b.submit),
		cmp.Compare(min(b.end, 1), min(a.end, 1)), // the version that ended first
	)
}

// started reports whether the job runs or ran. A pending row has not started,
// whatever its time_start.
func (w *row) started() bool { return w.start > 0 && w.state != accounting.Pending }

// paused reports whether the job was suspended, or is.
func (w *row) paused() bool {
	return w.started() && (w.suspended > 0 || w.state == accounting.Suspended)
}

// parser turns values into rows.
type parser struct {
	row    accounting.Row // the latest, of which the memory is used again
	texts  accounting.Texts
	config *Config
	saying saying
	seed   maphash.Seed
}

func newParser(c *Config, s *schema, t accounting.Texts) *parser {
	return &parser{texts: t, config: c, saying: newSaying(c, s), seed: maphash.MakeSeed()}
}

// sum is a hash of a row's values: equal rows have equal sums.
func (p *parser) sum(values []byte) uint64 { return maphash.Bytes(p.seed, values) }

func rowKey(v []driver.Value) key {
	return key{ostrich.JobID(number(v[colID])), ostrich.Time(number(v[colSubmit]))}
}

// parse reads rowColumns, the columns of saying, and nameColumns if they are
// there. The row is valid until the next one.
func (p *parser) parse(v []driver.Value) *accounting.Row {
	r, y := &p.row, &p.saying
	*r = accounting.Row{
		ID:        ostrich.JobID(number(v[colID])),
		Submit:    ostrich.Time(number(v[colSubmit])),
		Start:     ostrich.Time(number(v[colStart])),
		End:       ostrich.Time(number(v[colEnd])),
		State:     accounting.State(number(v[colState])),
		UID:       uint32(number(v[colUser])),
		Assoc:     uint32(number(v[colAssoc])),
		QOSNumber: uint32(number(v[colQOS])),
		Array:     ostrich.JobID(number(v[colArray])),
		Het:       ostrich.JobID(number(v[colHet])),
		Task:      -1,
		Tasks:     1,
		Partition: p.texts.Of(text(v[colPartition])),
		Exclusive: string(text(optional(v, y.exclusive))) == "NODE", // NO, NODE, USER, MCS or TOPO; with the last three it holds what it asks for
		Record:    number(v[colInx]),
		Suspended: ostrich.Duration(min(number(v[colSuspended]), math.MaxInt64)),
	}
	if at := number(v[colEligible]); at < noVal {
		r.Eligible = ostrich.Time(at)
	} else {
		r.Throttled = at == infinite
	}
	if minutes := uint32(number(v[colLimit])); minutes < noVal {
		r.Limit = 60 * ostrich.Duration(minutes)
	}
	if task := uint32(number(v[colTask])); task != NoTask {
		r.Task = int64(task)
	}
	if at := colAccount + len(y.columns); at < len(v) {
		r.Account = p.texts.Of(text(v[at]))
		if at++; at < len(v) {
			r.Name = string(text(v[at]))
		}
	}
	p.config.say(r, said{
		name: text(optional(v, y.name)), comment: text(optional(v, y.comment)), wckey: text(optional(v, y.wckey)),
		script: number(optional(v, y.script)),
	})
	if list := text(optional(v, y.qos)); !r.Started() && bytes.IndexByte(list, ',') >= 0 {
		r.QOS = p.texts.Of(list)
	}
	if err := readSize(r, v); err != nil {
		r.Impossible = err.Error()
	}
	return r
}

// readSize reads the tasks and the processors.
func readSize(r *accounting.Row, v []driver.Value) (err error) {
	if r.Asked, err = readTRES(text(v[colReq])); err != nil {
		return fmt.Errorf("tres_req: %w", err)
	}
	if r.Held, err = readTRES(text(v[colAlloc])); err != nil {
		return fmt.Errorf("tres_alloc: %w", err)
	}
	cpus := number(v[colCPUs])
	r.Req, r.Alloc = cmp.Or(r.Asked.CPUs, cpus), r.Held.CPUs
	if r.Settle(); r.Req == 0 {
		r.Impossible += fmt.Sprintf(" (cpus_req %d, tres_req %q)", cpus, shorten(string(text(v[colReq]))))
	}
	if r.Impossible != "" || r.Array == 0 || r.Task >= 0 {
		return nil
	}
	tasks := number(v[colPending])
	if mask := text(v[colMask]); len(mask) > 0 && len(mask) < maskTruncated {
		n, err := maskTasks(mask)
		if err != nil {
			return fmt.Errorf("array_task_str: %w", err)
		}
		tasks = uint64(n)
	}
	if tasks == 0 && r.End == 0 && !r.Started() {
		return fmt.Errorf("array record with no pending task (array_task_str %q)", shorten(string(text(v[colMask]))))
	}
	if tasks > maxTasks {
		return fmt.Errorf("array of %d tasks", tasks)
	}
	r.Tasks = uint32(max(tasks, 1))
	return nil
}

// row makes of a row what is kept of it.
func (l *Ledger) row(r *accounting.Row) row {
	w := row{
		key: key{r.ID, r.Submit}, start: r.Start, end: r.End, eligible: r.Eligible,
		state: r.State, limit: uint32(min((max(r.Limit, 0)+59)/60, noVal-1)), uid: r.UID, assoc: r.Assoc, qos: r.QOSNumber, array: r.Array, het: r.Het,
		task: NoTask, tasks: min(max(r.Tasks, 1), maxTasks), req: uint32(min(r.Req, maxProcs)), alloc: uint32(min(r.Alloc, maxProcs)),
		nodes: uint32(min(r.Asked.Nodes, maxProcs)), partition: r.Partition, class: r.Class,
	}
	if r.Throttled {
		w.eligible = infinite
	}
	if r.Task >= 0 {
		w.task = uint32(r.Task)
	}
	x := extra{said: r.Said, bad: r.Impossible, unfinished: r.Unfinished, exclusive: r.Exclusive}
	if r.End == 0 {
		x.account, x.name = r.Account, r.Name
	}
	if r.Suspended > 0 || r.State == accounting.Suspended {
		x.inx, x.suspended = r.Record, uint64(max(0, r.Suspended))
	}
	if !r.Started() && strings.Contains(r.QOS, ",") {
		x.anyQOS = r.QOS
	}
	switch x {
	case none:
		w.extra = &none
	case alone:
		w.extra = &alone
	default:
		kept := x
		w.extra = &kept
	}
	return w
}

// maxTasks is above Slurm's largest MaxArraySize (4 000 001).
const maxTasks = 1 << 23

// impossible returns why the row cannot be true, or "". A resized row keeps its job's
// start, which is before the row's own submission.
func (w *row) impossible(now ostrich.Time, resized bool) string {
	latest := now + farFuture
	switch {
	case w.bad != "":
		return w.bad
	case w.submit <= 0:
		return "has no time of submission"
	case w.submit > latest:
		return fmt.Sprintf("submitted in the future, at %d", w.submit)
	case w.started() && (w.start < 0 || w.start > latest):
		return fmt.Sprintf("starts in the future, at %d", w.start)
	case w.started() && w.start < w.submit-1 && !resized:
		return fmt.Sprintf("starts at %d, before its submission at %d", w.start, w.submit)
	case w.end < 0 || w.end > latest:
		return fmt.Sprintf("ends in the future, at %d", w.end)
	case w.end > 0 && w.started() && w.end < w.start:
		return fmt.Sprintf("ends at %d, before its start at %d", w.end, w.start)
	case w.end > 0 && w.end < w.submit-1:
		return fmt.Sprintf("ends at %d, before its submission at %d", w.end, w.submit)
	}
	return ""
}

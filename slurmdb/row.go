package slurmdb

import (
	"bytes"
	"cmp"
	"database/sql/driver"
	"fmt"
	"hash/maphash"
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

// row is a row of the job table. Parsing has checked what a single row can show.
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
	unfinished    bool   // bad is an errUnfinished
	exclusive     bool   // it is to have its nodes for itself
}

// errUnfinished marks a row that Slurm has not written completely. It writes some
// rows of array tasks in two steps, and between them they have no processors. A
// job that ends before slurmdbd hears of its start gets a row with its end alone.
// That row names root and no partition until slurmdbd hears of the start too.
type errUnfinished string

func (e errUnfinished) Error() string { return string(e) }

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

// account returns the account of a row, if it was read.
func (p *parser) account(v []driver.Value) []byte {
	if at := colAccount + len(p.saying.columns); at < len(v) {
		return text(v[at])
	}
	return nil
}

// parse reads rowColumns, the columns of saying, and nameColumns if they are
// there.
func (p *parser) parse(v []driver.Value) row {
	w := row{
		key:       rowKey(v),
		start:     ostrich.Time(number(v[colStart])),
		end:       ostrich.Time(number(v[colEnd])),
		eligible:  ostrich.Time(number(v[colEligible])),
		state:     accounting.State(number(v[colState])),
		limit:     uint32(number(v[colLimit])),
		uid:       uint32(number(v[colUser])),
		assoc:     uint32(number(v[colAssoc])),
		qos:       uint32(number(v[colQOS])),
		array:     ostrich.JobID(number(v[colArray])),
		het:       ostrich.JobID(number(v[colHet])),
		task:      uint32(number(v[colTask])),
		tasks:     1,
		partition: p.texts.Of(text(v[colPartition])),
		extra:     &none,
	}
	if w.limit >= noVal {
		w.limit = 0
	}
	if at := colAccount + len(p.saying.columns) + 1; at < len(v) {
		w.extra = &extra{account: p.texts.Of(p.account(v)), name: string(text(v[at]))}
	}
	y := &p.saying
	w.setExclusive(text(optional(v, y.exclusive)))
	p.config.fill(&w, said{
		name: text(optional(v, y.name)), comment: text(optional(v, y.comment)), wckey: text(optional(v, y.wckey)),
		script: number(optional(v, y.script)),
	})
	if list := text(optional(v, y.qos)); !w.started() && bytes.IndexByte(list, ',') >= 0 {
		x := *w.extra
		x.anyQOS = p.texts.Of(list)
		w.extra = &x
	}
	w.setPauses(number(v[colInx]), number(v[colSuspended]))
	if err := w.size(v); err != nil {
		w.refuse(err)
	}
	return w
}

// minutes rounds a time limit up to what the tables hold.
func minutes(limit ostrich.Duration) uint32 { return uint32(min((max(limit, 0)+59)/60, noVal-1)) }

// setExclusive sets what the column exclusive says: NO, NODE, USER, MCS or TOPO. With
// USER, MCS and TOPO a job holds what it asks for, and keeps others away. The column is
// empty in rows from before Slurm 26.05.
func (w *row) setExclusive(to []byte) {
	switch {
	case string(to) != "NODE":
	case w.extra == &none:
		w.extra = &alone
	default:
		w.exclusive = true
	}
}

// setPauses sets the columns of a job's suspensions, if it was or is suspended.
func (w *row) setPauses(inx, suspended uint64) {
	if suspended > 0 || w.state == accounting.Suspended {
		x := *w.extra
		x.inx, x.suspended = inx, suspended
		w.extra = &x
	}
}

// refuse records why the row cannot be true.
func (w *row) refuse(why error) {
	bad := *w.extra
	bad.bad = why.Error()
	_, bad.unfinished = why.(errUnfinished) //nolint:errorlint // it is never wrapped
	w.extra = &bad
}

// size reads the tasks and the processors.
func (w *row) size(v []driver.Value) error {
	cpus := number(v[colCPUs])
	asked, err := readTRES(text(v[colReq]))
	if err != nil {
		return fmt.Errorf("tres_req: %w", err)
	}
	held, err := readTRES(text(v[colAlloc]))
	if err != nil {
		return fmt.Errorf("tres_alloc: %w", err)
	}
	req, alloc := w.holds(cmp.Or(asked.CPUs, cpus), held.CPUs)
	if req == 0 {
		return errUnfinished(fmt.Sprintf("asks for no processor (cpus_req %d, tres_req %q)", cpus, shorten(string(text(v[colReq])))))
	}
	if err := w.setProcessors(req, alloc); err != nil {
		return err
	}
	w.nodes = uint32(min(asked.Nodes, maxProcs))
	if w.array == 0 || w.task != noVal {
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
	if tasks == 0 && w.end == 0 && !w.started() {
		return fmt.Errorf("array record with no pending task (array_task_str %q)", shorten(string(text(v[colMask]))))
	}
	if tasks > maxTasks {
		return fmt.Errorf("array of %d tasks", tasks)
	}
	w.tasks = uint32(max(tasks, 1))
	return nil
}

// holds returns the processors that the row asks for and those that it holds, from its
// columns.
func (w *row) holds(req, alloc uint64) (asks, has uint64) {
	// If a job is cancelled that could not start yet (held, with a dependency or a
	// begin time), Slurm writes its end as its start. It holds nothing.
	if alloc == 0 && w.end > 0 && w.start == w.end {
		w.start = 0
	}
	switch {
	case !w.started():
		alloc = 0
	case alloc == 0:
		alloc = req
	}
	if req == 0 {
		req = alloc
	}
	return req, alloc
}

// setProcessors sets the processors that the row asks for and holds.
func (w *row) setProcessors(req, alloc uint64) error {
	switch {
	case w.partition == "" && w.end != 0:
		return errUnfinished("names no partition: Slurm wrote its end alone")
	case req > maxProcs:
		return fmt.Errorf("asks for %d processors", req)
	case alloc > maxProcs:
		return fmt.Errorf("holds %d processors", alloc)
	}
	w.req, w.alloc = uint32(req), uint32(alloc)
	return nil
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

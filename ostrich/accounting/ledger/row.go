package ledger

import (
	"cmp"
	"fmt"
	"strings"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting"
)

// farFuture is how far a time may lie ahead of the database's clock. The clocks
// of controller and database differ by seconds; a row that is a day ahead is
// broken.
const farFuture = ostrich.Time(86400)

// row is what is kept of an accounting.Row: it may be one of millions.
type row struct {
	accounting.Key
	start, end, eligible ostrich.Time
	state                accounting.State
	limit                uint32 // minutes; 0 without one of its own
	uid, assoc, qos      uint32
	array, het           ostrich.JobID
	task                 uint32
	tasks                uint32  // pending tasks; 1 for a single job
	req, alloc           uint32  // processors; alloc is 0 before the start
	nodes                uint32  // asked for; 0 if that is not known
	asked, held          float64 // units of work; 0 without a unit, and held before the start
	partition            string
	class                uint64
	needs                uint32 // see ostrich.Job.Needs
	*extra
}

// extra holds what few rows have, which keeps a long history small.
type extra struct {
	inx           uint64 // job_db_inx, which suspensions refer to
	suspended     uint64 // time_suspended as stored
	said          accounting.Said
	account, name string // of jobs that have not ended
	tool, kind    string // the same, see accounting.Row
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
		cmp.Compare(a.ID, b.ID),
		cmp.Compare(a.Submit, b.Submit),
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

// row makes of a row what is kept of it.
func (l *Ledger) row(r *accounting.Row) row {
	w := row{
		Key: accounting.Key{ID: r.ID, Submit: r.Submit}, start: r.Start, end: r.End, eligible: r.Eligible,
		state: r.State, limit: uint32(min((max(r.Limit, 0)+59)/60, accounting.NoVal-1)), uid: r.UID, assoc: r.Assoc, qos: r.QOSNumber, array: r.Array, het: r.Het,
		task: NoTask, tasks: min(max(r.Tasks, 1), accounting.MaxTasks), req: uint32(min(r.Req, accounting.MaxProcs)), alloc: uint32(min(r.Alloc, accounting.MaxProcs)),
		nodes: uint32(min(r.Asked.Nodes, accounting.MaxProcs)), partition: r.Partition, class: r.Class, needs: l.needs.number(r),
	}
	if unit := l.config.Unit; unit != nil {
		if w.asked = unit.Job(&r.Asked, r.Partition); w.alloc > 0 {
			w.held = unit.Run(&r.Asked, &r.Held, r.Partition)
		}
	}
	if r.Throttled {
		w.eligible = accounting.Infinite
	}
	if r.Task >= 0 {
		w.task = uint32(r.Task)
	}
	x := extra{said: r.Said, bad: r.Impossible, unfinished: r.Unfinished, exclusive: r.Exclusive}
	if r.End == 0 {
		x.account, x.name, x.tool, x.kind = r.Account, r.Name, r.Tool, r.Kind
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

// Impossible returns why a row cannot be true, or "". It may continue one that was
// resized.
func (l *Ledger) Impossible(r *accounting.Row, now ostrich.Time) string {
	w := l.row(r)
	return w.impossible(now, true)
}

// impossible returns why the row cannot be true, or "". A resized row keeps its job's
// start, which is before the row's own submission.
func (w *row) impossible(now ostrich.Time, resized bool) string {
	latest := now + farFuture
	switch {
	case w.bad != "":
		return w.bad
	case w.Submit <= 0:
		return "has no time of submission"
	case w.Submit > latest:
		return fmt.Sprintf("submitted in the future, at %d", w.Submit)
	case w.started() && (w.start < 0 || w.start > latest):
		return fmt.Sprintf("starts in the future, at %d", w.start)
	case w.started() && w.start < w.Submit-1 && !resized:
		return fmt.Sprintf("starts at %d, before its submission at %d", w.start, w.Submit)
	case w.end < 0 || w.end > latest:
		return fmt.Sprintf("ends in the future, at %d", w.end)
	case w.end > 0 && w.started() && w.end < w.start:
		return fmt.Sprintf("ends at %d, before its start at %d", w.end, w.start)
	case w.end > 0 && w.end < w.Submit-1:
		return fmt.Sprintf("ends at %d, before its submission at %d", w.end, w.Submit)
	}
	return ""
}

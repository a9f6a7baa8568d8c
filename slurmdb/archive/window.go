// Package archive reads a window of time from
// slurmdbd's tables. It serves questions that are asked once; package slurmdb
// follows the tables.
package archive

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting"
	"slurm-ostrich/ostrich/accounting/ledger"
	"slurm-ostrich/slurmdb"
)

// windowSlices is the number of statements that read the ended jobs of a window.
// Each has slurmdb.Config.Timeout for itself.
const windowSlices = 64

// History reads the jobs that were submitted before to and had not ended before
// from, and the size of the cluster. By the index on time_end it reads the rows
// of the job table whose time_end is in the window or 0, and later ones too,
// because a job that was submitted in the window may have ended long after it. It
// does not depend on polls.
//
// It leaves out what sacct --allocations --duplicates leaves out: rows that Slurm
// has marked as deleted, and jobs that were never eligible and never started. It also
// leaves out jobs that another cluster of a federation took. Notes say what else it left
// out or changed. A window without a job is accounting.ErrEmpty.
func History(ctx context.Context, r *slurmdb.Reader, from, to ostrich.Time) (*accounting.History, error) {
	if to <= from {
		return nil, fmt.Errorf("slurmdb: %w: a window from %s to %s", slurmdb.ErrConfig, stamp(from), stamp(to))
	}
	now, err := r.Now(ctx)
	if err != nil {
		return nil, err
	}
	w := &window{unit: r.Unit(), now: now}
	if w.associations, w.qosNames, err = r.Names(ctx); err != nil {
		return nil, err
	}
	first, _, err := r.EndTimes(ctx, from)
	if err != nil {
		return nil, err
	}
	if err = w.read(ctx, r, max(1, from, first), to); err != nil {
		return nil, err
	}
	if w.jobs.Len() == 0 {
		return nil, noJobs(ctx, r, from, to)
	}
	w.note()
	h := w.jobs.History(r.Cluster(), from, to)
	w.name(h)
	for _, what := range r.Unread() {
		h.Notes = append(h.Notes, fmt.Sprintf("The account may not read %s: what jobs ask for is not known as far as that.", what))
	}
	sizes, err := r.Sizes(ctx)
	if err != nil {
		return nil, err
	}
	size(h, sizes)
	return h, nil
}

// read reads the rows of a window. It reads what has not ended first, so that a
// job that ends meanwhile is read twice and not missed.
func (w *window) read(ctx context.Context, r *slurmdb.Reader, from, to ostrich.Time) error {
	if err := r.LiveRows(ctx, to, w.now, w.add); err != nil {
		return err
	}
	for step := max(1, (w.now-from)/windowSlices+1); ; from += step {
		until := from + step
		if until > w.now {
			until = 0
		}
		if err := r.EndedRows(ctx, from, until, to, w.now, w.add); err != nil {
			return err
		}
		if until == 0 {
			return nil
		}
	}
}

// shortest is the length of the shortest window that Recent returns, in seconds.
const shortest = ostrich.Duration(600)

// Recent returns the beginning of a window for History that ends now. The window
// is as long as possible, but no longer than longest and with at most most rows
// of jobs that ended in it. It is never shorter than 10 minutes. The rows are
// counted in an index, at most a few times as many as the window may hold.
func Recent(ctx context.Context, r *slurmdb.Reader, longest ostrich.Duration, most int) (from, now ostrich.Time, err error) {
	if now, err = r.Now(ctx); err != nil {
		return 0, 0, err
	}
	few := func(length ostrich.Duration) bool {
		rows := 0
		if err == nil {
			rows, err = r.CountEnded(ctx, now-ostrich.Time(length))
		}
		return err == nil && rows <= most
	}
	length := max(shortest, longest/16)
	if few(length) {
		for length < longest && few(min(2*length, longest)) {
			length = min(2*length, longest)
		}
	} else {
		for length > shortest && err == nil {
			if length = max(shortest, length/2); few(length) {
				break
			}
		}
	}
	if err != nil {
		return 0, 0, err
	}
	return now - ostrich.Time(length), now, nil
}

// noJobs returns the error of a window without a job. It says what the database
// holds.
func noJobs(ctx context.Context, r *slurmdb.Reader, from, to ostrich.Time) error {
	first, last, err := r.EndTimes(ctx, 0)
	if err != nil {
		return err
	}
	there := "and none has ended on this cluster"
	if last > 0 {
		there = fmt.Sprintf("jobs ended from %s to %s", stamp(first), stamp(last))
	}
	return fmt.Errorf("slurmdb: cluster %s: %w between %s and %s; %s",
		r.Cluster(), accounting.ErrEmpty, stamp(from), stamp(to), there)
}

func stamp(t ostrich.Time) string { return time.Unix(int64(t), 0).UTC().Format(time.RFC3339) }

// window turns rows into jobs.
type window struct {
	unit         *accounting.Unit
	now          ostrich.Time
	associations map[uint32]ledger.Association
	qosNames     map[uint32]string

	jobs     accounting.Builder
	ghosts   int               // rows of jobs that another cluster took
	barred   int               // rows of jobs that were never eligible
	unsized  int               // rows of array tasks that Slurm has not written completely
	unnamed  map[place]bool    // places of users without an association
	accounts map[place]int32   // indexes of associations, by place
	uids     map[string]string // user by uid in digits, from the associations
}

// place says who a row's job runs for.
type place struct {
	assoc, uid uint32
	account    string
}

func (w *window) add(r *accounting.Row) {
	if r.State == accounting.Revoked {
		w.ghosts++
		return
	}
	if r.Unfinished && r.End == 0 {
		w.unsized++
		return
	}
	if r.Impossible != "" {
		w.jobs.Skip(fmt.Errorf("job %d: %s", r.ID, r.Impossible))
		return
	}
	if r.Start == 0 && (r.Eligible == 0 || r.Eligible > w.now) {
		w.barred++
		return
	}
	j := accounting.Job{
		ID: r.ID, Array: r.Array, Het: r.Het, State: state(r), Tasks: int32(r.Tasks),
		Procs: int32(cmp.Or(r.Alloc, r.Req)), Asked: int32(r.Req),
		Memory: int64(cmp.Or(r.Asked.Memory, r.Held.Memory)), Billing: float64(r.Held.Billing),
		Units: w.unit.Run(&r.Asked, &r.Held, r.Partition),
		Nodes: fit(cmp.Or(r.Held.Nodes, r.Asked.Nodes)), AskedNodes: fit(r.Asked.Nodes),
		Submit: r.Submit, Eligible: r.Eligible, Start: r.Start, End: r.End, Suspended: r.Suspended, Limit: r.Limit,
		Association: w.association(r), QOS: w.qos(r.QOSNumber),
		Class: r.Class, NameClass: r.NameClass, ScriptClass: r.ScriptClass, KindClass: r.KindClass, Tool: r.ToolRow, ByLine: r.ByLine,
	}
	if r.Needs != nil {
		j.Needs, j.Where, j.Backfilled, j.Priority = w.jobs.Needs(*r.Needs), w.jobs.Where([]byte(r.Where)), r.Backfilled, r.Priority
	}
	partition, _, _ := strings.Cut(r.Partition, ",")
	j.Partition = w.jobs.Partition(partition)
	w.jobs.Add(j)
}

func fit(nodes uint64) int32 { return int32(min(nodes, math.MaxInt32)) }

// state returns how far the row's job has come.
func state(r *accounting.Row) accounting.State {
	switch {
	case r.End == 0 && r.Start > 0:
		return accounting.Running
	case r.End == 0:
		return accounting.Pending
	case r.State == accounting.Pending:
		return accounting.Cancelled
	case !r.State.Ended(): // Slurm ends runaway jobs as complete, too.
		return accounting.Completed
	}
	return r.State
}

// association returns the place of the association that the row's job runs for.
// If the tables have none, because Slurm deletes associations when their jobs are
// purged, it uses the row's account and uid; name then looks for the user's name.
func (w *window) association(r *accounting.Row) int32 {
	at := place{assoc: r.Assoc}
	a, known := w.associations[r.Assoc]
	if !known || a.User == "" {
		at.uid, at.account = r.UID, r.Account
	}
	i, ok := w.accounts[at]
	if ok {
		return i
	}
	if w.accounts == nil {
		w.accounts, w.unnamed, w.uids = map[place]int32{}, map[place]bool{}, map[string]string{}
	}
	uid := strconv.FormatUint(uint64(r.UID), 10)
	if at.account == "" && known && a.User != "" {
		i = w.jobs.Association(accounting.Association{ID: r.Assoc, User: a.User, Account: a.Account})
		w.uids[uid] = a.User
	} else {
		i = w.jobs.Association(accounting.Association{ID: r.Assoc, User: uid, Account: at.account})
		w.unnamed[at] = true
	}
	w.accounts[at] = i
	return i
}

// name replaces uids by the names that the users' other associations have.
func (w *window) name(h *accounting.History) {
	nameless := 0
	for at := range w.unnamed {
		a := &h.Associations[w.accounts[at]]
		if user, ok := w.uids[a.User]; ok {
			a.User = user
		} else {
			nameless++
		}
	}
	if nameless > 0 {
		h.Notes = append(h.Notes, fmt.Sprintf(
			"Of %d associations that jobs ran under the accounting tables have no user any more: the uid stands for it.", nameless))
	}
}

func (w *window) qos(id uint32) int32 {
	if id == 0 {
		return w.jobs.QOS("")
	}
	name, ok := w.qosNames[id]
	if !ok {
		name = strconv.FormatUint(uint64(id), 10)
	}
	return w.jobs.QOS(name)
}

// note adds notes on what was left out.
func (w *window) note() {
	if w.ghosts > 0 {
		w.jobs.Note("%d row{|s} of jobs that another cluster of the federation took {is|are} left out.", w.ghosts)
	}
	if w.barred > 0 {
		w.jobs.Note("%d row{|s} of jobs that were never eligible (held, a dependency, a begin time) {is|are} left out, as sacct leaves them out.", w.barred)
	}
	if w.unsized > 0 {
		w.jobs.Note("%d row{|s} of jobs that have not ended {is|are} left out: Slurm has not written their size yet.", w.unsized)
	}
	if early := w.jobs.Early(math.MaxInt64); early > 0 {
		w.jobs.Note("%d job{|s} started before {its|their} submission, as a resized job does whose earlier part had ended "+
			"before the window: {it starts|they start} with it.", early)
	}
}

// size sets the size of the cluster when the window ended: the last size before
// that moment, else the first one.
func size(h *accounting.History, sizes []slurmdb.Size) {
	if len(sizes) == 0 {
		h.Notes = append(h.Notes, "The accounting tables do not have the size of the cluster.")
		return
	}
	found := sizes[0]
	for _, s := range sizes {
		if s.From < h.To {
			found = s
		}
	}
	h.Procs, h.Nodes = found.Procs, found.Nodes
	if found.From >= h.To {
		h.Notes = append(h.Notes, fmt.Sprintf("The size of the cluster is that of %s: the tables have none of the window.", stamp(found.From)))
	}
}

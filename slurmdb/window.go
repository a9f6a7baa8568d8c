package slurmdb

import (
	"cmp"
	"context"
	"database/sql/driver"
	"fmt"
	"strconv"
	"strings"
	"time"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting"
)

// windowSlices is in how many statements the ended jobs of a window are read.
// Each has Config.Timeout for itself.
const windowSlices = 64

// progressEvery is how many rows are read between two calls of progress.
const progressEvery = 1 << 13

// windowColumns is what is read of a job of a window.
func (y *saying) windowColumns() string { return y.ended() + ", account" }

// History reads the jobs that were submitted before to and had not ended
// before from, and the size of the cluster. It reads the rows of the job table
// whose time_end is in the window or 0, by the index on time_end, and those
// later than the window, for a job that was submitted in it may have ended long
// after. It is independent of PollEach.
//
// Rows that Slurm has marked as deleted and jobs that another cluster of a
// federation took are left out. What else is left out or changed is in Notes.
// progress is told now and then how many rows were read; it may be nil. A
// window without a job is accounting.ErrEmpty.
func (r *Reader) History(ctx context.Context, from, to ostrich.Time, progress func(rows int)) (*accounting.History, error) {
	if to <= from {
		return nil, fmt.Errorf("slurmdb: %w: a window from %s to %s", ErrConfig, stamp(from), stamp(to))
	}
	now, err := r.clock(ctx)
	if err != nil {
		return nil, err
	}
	f := &fetched{now: now}
	if err = r.fetchNames(ctx, f); err != nil {
		return nil, r.failed("associations", err)
	}
	w := &window{now: now, names: cmp.Or(f.names, r.names), parser: r.parser, progress: progress}
	first, _, err := r.ended(ctx, from)
	if err != nil {
		return nil, err
	}
	for _, query := range r.windowQueries(max(from, first), to, now) {
		if _, err := r.db.each(ctx, query, w.take); err != nil {
			return nil, r.failed("jobs", err)
		}
		w.report()
	}
	if w.jobs.Len() == 0 {
		return nil, r.noJobs(ctx, from, to)
	}
	w.note()
	h := w.jobs.History(r.config.Cluster, from, to)
	w.name(h)
	if err := r.windowSize(ctx, h); err != nil {
		return nil, r.failed("the size of the cluster", err)
	}
	return h, nil
}

// windowQueries are the statements that read the jobs of a window: first what
// has not ended, so that a job that ends meanwhile is read twice, not never.
func (r *Reader) windowQueries(from, to, now ostrich.Time) []string {
	submitted := " AND time_submit < " + strconv.FormatInt(int64(to), 10)
	columns := r.parser.saying.windowColumns()
	queries := []string{r.jobsQuery(columns, r.schema.byEnd, "time_end = 0"+submitted)}
	from = max(1, from)
	step := max(1, (now-from)/windowSlices+1)
	for from+step <= now {
		queries = append(queries, r.jobsQuery(columns, r.schema.byEnd,
			endsSince(from)+" AND time_end < "+strconv.FormatInt(int64(from+step), 10)+submitted))
		from += step
	}
	return append(queries, r.jobsQuery(columns, r.schema.byEnd, endsSince(from)+submitted))
}

// ended is when the first and the last job ended of those that ended at from or
// later; 0 if none did. The index has both at hand.
func (r *Reader) ended(ctx context.Context, from ostrich.Time) (first, last ostrich.Time, err error) {
	err = r.db.scan(ctx, func(scan func(...any) error) error { return scan(&first, &last) },
		"SELECT COALESCE(MIN(time_end), 0), COALESCE(MAX(time_end), 0) FROM "+r.schema.table("job_table")+
			r.schema.byEnd+" WHERE "+endsSince(from))
	if err != nil {
		return 0, 0, r.failed("the times of jobs", err)
	}
	return first, last, nil
}

// shortest is the shortest window that Recent returns, in seconds.
const shortest = ostrich.Duration(600)

// Recent returns the beginning of a window that ends now, for History: as long as
// possible, but no longer than longest, and with no more than most rows of jobs
// that ended in it. It is at least 10 minutes long all the same. The rows are
// counted in an index, at most some times as many as there may be.
func (r *Reader) Recent(ctx context.Context, longest ostrich.Duration, most int) (from, now ostrich.Time, err error) {
	if now, err = r.clock(ctx); err != nil {
		return 0, 0, err
	}
	few := func(length ostrich.Duration) bool {
		rows := 0
		if err == nil {
			err = r.db.scan(ctx, func(scan func(...any) error) error { return scan(&rows) }, r.countQuery(now-ostrich.Time(length)))
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
		return 0, 0, r.failed("the number of jobs", err)
	}
	return now - ostrich.Time(length), now, nil
}

// noJobs is the error of a window without a job. It tells what there is.
func (r *Reader) noJobs(ctx context.Context, from, to ostrich.Time) error {
	first, last, err := r.ended(ctx, 0)
	if err != nil {
		return err
	}
	there := "and none has ended on this cluster"
	if last > 0 {
		there = fmt.Sprintf("jobs ended from %s to %s", stamp(first), stamp(last))
	}
	return fmt.Errorf("slurmdb: cluster %s: %w between %s and %s; %s",
		r.config.Cluster, accounting.ErrEmpty, stamp(from), stamp(to), there)
}

// stamp words a time.
func stamp(t ostrich.Time) string { return time.Unix(int64(t), 0).UTC().Format(time.RFC3339) }

// window turns rows into jobs.
type window struct {
	now      ostrich.Time
	names    *names
	parser   *parser
	progress func(int)

	jobs     accounting.Builder
	rows     int
	ghosts   int                    // rows of jobs that another cluster took
	unsized  int                    // rows of array tasks that Slurm has half written
	clipped  []ostrich.JobID        // started before their submission
	resized  map[ostrich.JobID]bool // have a row that a resize closed
	unnamed  map[place]bool         // jobs' users without an association
	accounts map[place]int32        // of associations seen
	uids     map[string]string      // user by uid in digits, where some association told
}

// place is who a row says it runs for.
type place struct {
	assoc, uid uint32
	account    string
}

// take takes a row.
func (w *window) take(v []driver.Value) {
	w.rows++
	if w.rows%progressEvery == 0 {
		w.report()
	}
	r := w.parser.parse(v)
	if r.state == Revoked {
		w.ghosts++
		return
	}
	if r.unfinished && r.end == 0 {
		w.unsized++
		return
	}
	if why := r.impossible(w.now, true); why != "" {
		w.jobs.Skip(fmt.Errorf("job %d: %s", r.id, why))
		return
	}
	j := accounting.Job{
		ID: r.id, Array: r.array, State: r.accountingState(), Tasks: int32(r.tasks),
		Procs: int32(cmp.Or(r.alloc, r.req)), Asked: int32(r.req),
		Submit: r.submit, End: r.end,
		Association: w.association(&r, w.parser.account(v)),
		QOS:         w.qos(r.qos),
		Class:       r.class,
	}
	w.parser.saying.history(&j, v)
	partition, _, _ := strings.Cut(r.partition, ",")
	j.Partition = w.jobs.Partition(partition)
	req, alloc := readTRES(text(v[colReq])), readTRES(text(v[colAlloc]))
	j.Memory = int64(cmp.Or(req.memory, alloc.memory))
	j.Billing = float64(alloc.billing)
	j.Nodes = int32(min(cmp.Or(alloc.nodes, req.nodes), maxProcs-1))
	j.AskedNodes = int32(min(req.nodes, maxProcs-1))
	if r.limit != noVal && r.limit != infinite {
		j.Limit = 60 * ostrich.Duration(r.limit)
	}
	if r.eligible != infinite && r.eligible != noVal {
		j.Eligible = r.eligible
	}
	if r.started() {
		if j.Start = r.start; j.Start < j.Submit-1 {
			w.clipped = append(w.clipped, j.ID)
		}
		j.Start = max(j.Start, j.Submit)
		j.End = max(j.End, min(j.End, 1)*j.Start)
		j.Suspended = r.pause(w.now)
	}
	if j.State == accounting.Resized {
		if w.resized == nil {
			w.resized = map[ostrich.JobID]bool{}
		}
		w.resized[j.ID] = true
	}
	w.jobs.Add(j)
}

// pause is how long the job was suspended. The column holds seconds, but while
// the job is suspended, and for ever if it ends so, it holds when it was
// suspended less the seconds before (as_mysql_suspend).
func (w *row) pause(now ostrich.Time) ostrich.Duration {
	end := w.end
	if end == 0 {
		end = now
	}
	length := max(0, end-max(w.start, w.submit))
	pause := ostrich.Time(min(w.suspended, 1<<62))
	if w.state == Suspended || pause > length {
		pause = end - pause
	}
	return ostrich.Duration(min(max(0, pause), length))
}

// accountingState is how far the row's job has come.
func (w *row) accountingState() accounting.State {
	switch {
	case w.end == 0 && w.started():
		return accounting.Running
	case w.end == 0:
		return accounting.Pending
	}
	switch w.state {
	case Pending, Cancelled:
		return accounting.Cancelled
	case Failed, OutOfMemory:
		return accounting.Failed
	case Timeout, Deadline:
		return accounting.TimedOut
	case NodeFail, Preempted, BootFail, Requeued:
		return accounting.Lost
	case Resizing:
		return accounting.Resized
	case Running, Suspended, Complete: // Slurm ends runaway jobs as complete, too.
		return accounting.Completed
	default: // A state of a release to come: it has ended, somehow.
		return accounting.Failed
	}
}

// association is the place of who the row's job runs for. Where the tables
// have no association, for Slurm deletes them when their jobs are purged, it
// is the row's account and its uid, which name makes a user if it can.
func (w *window) association(row *row, account []byte) int32 {
	at := place{assoc: row.assoc}
	a, known := w.names.assocs[row.assoc]
	if !known || a.user == "" {
		at.uid, at.account = row.uid, w.parser.intern(account)
	}
	i, ok := w.accounts[at]
	if ok {
		return i
	}
	if w.accounts == nil {
		w.accounts, w.unnamed, w.uids = map[place]int32{}, map[place]bool{}, map[string]string{}
	}
	uid := strconv.FormatUint(uint64(row.uid), 10)
	if at.account == "" && known && a.user != "" {
		i = w.jobs.Association(accounting.Association{ID: row.assoc, User: a.user, Account: a.account})
		w.uids[uid] = a.user
	} else {
		i = w.jobs.Association(accounting.Association{ID: row.assoc, User: uid, Account: at.account})
		w.unnamed[at] = true
	}
	w.accounts[at] = i
	return i
}

// name gives the users that only their uid names the name that another of their
// associations tells.
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
	name, ok := w.names.qos[id]
	if !ok {
		name = strconv.FormatUint(uint64(id), 10)
	}
	return w.jobs.QOS(name)
}

// note tells what was left out.
func (w *window) note() {
	if w.ghosts > 0 {
		w.jobs.Note("%d rows of jobs that another cluster of the federation took are left out.", w.ghosts)
	}
	if w.unsized > 0 {
		w.jobs.Note("%d rows of jobs that have not ended are left out: Slurm has not written their size yet.", w.unsized)
	}
	early := 0
	for _, id := range w.clipped {
		if !w.resized[id] {
			early++
		}
	}
	if early > 0 {
		w.jobs.Note("%d jobs started before their submission, as a resized job does whose earlier part had ended "+
			"before the window: they start with it.", early)
	}
}

func (w *window) report() {
	if w.progress != nil {
		w.progress(w.rows)
	}
}

// windowSize finds the size that the cluster had when the window ended.
func (r *Reader) windowSize(ctx context.Context, h *accounting.History) error {
	var found nodeRow
	_, err := r.db.each(ctx, r.nodesQuery("node_name = '' AND state = 0 ORDER BY time_start"), func(v []driver.Value) {
		n := nodeRow{start: ostrich.Time(number(v[1]))}
		t := readTRES(text(v[4]))
		n.cpus, n.size = t.cpus, t.nodes
		if n.cpus > 0 && (found.cpus == 0 || n.start < h.To) {
			found = n
		}
	})
	if err != nil {
		return err
	}
	h.Procs, h.Nodes = int(min(found.cpus, maxProcs)), int(min(found.size, maxProcs))
	switch {
	case found.cpus == 0:
		h.Notes = append(h.Notes, "The accounting tables do not have the size of the cluster.")
	case found.start >= h.To:
		h.Notes = append(h.Notes, fmt.Sprintf("The size of the cluster is that of %s: the tables have none of the window.", stamp(found.start)))
	}
	return nil
}

package slurmdb

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"strconv"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting"
	"slurm-ostrich/ostrich/accounting/ledger"
)

// ErrTooMuch marks a request that would read too many rows.
var ErrTooMuch = errors.New("too much to read")

// mostStarted is how many rows of ended jobs Started reads, at most.
const mostStarted = 200_000

// Find reads the newest record of a job, ended or not, and reports whether there is
// one. Slurm uses the ids of ended jobs again: the one that was submitted last counts.
// task is that of the array id, offset that of the heterogeneous job id; each is -1 for
// none. Find does not depend on polls and does not change what polls report.
func (r *Reader) Find(ctx context.Context, id ostrich.JobID, task, offset int) (ledger.Record, bool, error) {
	now, err := r.clock(ctx)
	if err != nil {
		return ledger.Record{}, false, err
	}
	var found *accounting.Row // one at most
	err = r.db.each(ctx, r.findQuery(id, task, offset), func(v []driver.Value) { found = r.parser.parse(v) })
	if err == nil && found != nil {
		err = r.nameOf(ctx, found.Assoc)
	}
	if err != nil {
		return ledger.Record{}, false, r.failed(fmt.Sprintf("job %d", id), err)
	}
	if found == nil {
		return ledger.Record{}, false, nil
	}
	return r.RecordOf(found, pause(found, now)), true, nil
}

// nameOf reads an association, if no poll has.
func (r *Reader) nameOf(ctx context.Context, id uint32) error {
	if _, known := r.Association(id); known {
		return nil
	}
	return r.db.scan(ctx, func(scan func(...any) error) error {
		a := ledger.Association{ID: id}
		err := scan(&a.User, &a.Account)
		r.AddAssociation(a)
		return err
	}, "SELECT `user`, acct FROM "+r.schema.table("assoc_table")+" WHERE id_assoc = ?", id)
}

// findQuery selects the newest row of a job. Slurm numbers the components of a
// heterogeneous job one after the other.
func (r *Reader) findQuery(id ostrich.JobID, task, offset int) string {
	number := strconv.Itoa(int(id))
	where := "id_job = " + number
	switch {
	case task >= 0:
		where = "id_array_job = " + number + " AND id_array_task = " + strconv.Itoa(task)
	case offset >= 0:
		where = "id_job = " + strconv.Itoa(int(id)+offset) + " AND het_job_id = " + number
	}
	// The sum keeps the server from going by an index on time_submit (Slurm 22.05 and 23.02 have one) through all rows.
	return r.jobsQuery(r.parser.saying.live(), "", where+" ORDER BY time_submit + 0 DESC LIMIT 1")
}

// Started visits the rows of jobs that started in [from, to). The index finds them by
// their ends: it reads what has ended since from. If that is more than 200 000 rows or
// from is before the history of the configuration, it visits none, and the error is an
// ErrTooMuch. The row passed to visit is valid until the next one.
func (r *Reader) Started(ctx context.Context, from, to ostrich.Time, visit func(*accounting.Row)) error {
	now, err := r.clock(ctx)
	if err != nil {
		return err
	}
	if from < now-ostrich.Time(r.config.History) {
		return fmt.Errorf("%w: it was submitted earlier than database.history reaches back", ErrTooMuch)
	}
	n := 0
	if err = r.db.one(ctx, r.countUpToQuery(from, mostStarted+1), &n); err != nil {
		return r.failed("the number of jobs", err)
	}
	if n > mostStarted {
		return fmt.Errorf("%w: more than %d jobs have ended since its submission", ErrTooMuch, mostStarted)
	}
	started := func(j *accounting.Row) {
		if j.Start >= from && j.Start < to {
			visit(j)
		}
	}
	if err = r.LiveRows(ctx, to, now, started); err != nil { // first, so that a job that ends meanwhile is not missed
		return err
	}
	return r.EndedRows(ctx, from, 0, to, now, started)
}

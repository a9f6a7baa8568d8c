package slurmdb

import (
	"cmp"
	"context"
	"database/sql/driver"
	"strconv"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting"
	"slurm-ostrich/ostrich/accounting/ledger"
)

// Reads for package archive. They do not depend on polls and do not change what
// polls report.

// LiveRows reads the rows that have not ended, of jobs submitted before a time.
// The row passed to visit is valid until the next one.
func (r *Reader) LiveRows(ctx context.Context, submitted, now ostrich.Time, visit func(*accounting.Row)) error {
	return r.rows(ctx, r.pastLiveQuery(submitted), now, visit)
}

// EndedRows reads the rows that ended in [from, to), or from on if to is 0, of
// jobs submitted before a time. The row passed to visit is valid until the next
// one.
func (r *Reader) EndedRows(ctx context.Context, from, to, submitted, now ostrich.Time, visit func(*accounting.Row)) error {
	return r.rows(ctx, r.pastEndedQuery(from, to, submitted), now, visit)
}

func (r *Reader) pastLiveQuery(submitted ostrich.Time) string {
	return r.pastQuery("time_end = 0", submitted)
}

func (r *Reader) pastEndedQuery(from, to, submitted ostrich.Time) string {
	where := endsSince(from)
	if to > 0 {
		where += " AND time_end < " + strconv.FormatInt(int64(to), 10)
	}
	return r.pastQuery(where, submitted)
}

func (r *Reader) pastQuery(where string, submitted ostrich.Time) string {
	return r.jobsQuery(r.parser.saying.ended()+", account", r.schema.byEnd,
		where+" AND time_submit < "+strconv.FormatInt(int64(submitted), 10))
}

func (r *Reader) rows(ctx context.Context, query string, now ostrich.Time, visit func(*accounting.Row)) error {
	err := r.db.each(ctx, query, func(v []driver.Value) {
		one := r.parser.parse(v)
		if one.Impossible = r.Impossible(one, now); one.Started() {
			one.Suspended = pause(one, now)
		} else {
			one.Start, one.Suspended = 0, 0
		}
		if r.config.Classes {
			one.NameClass = accounting.NameClass(text(optional(v, r.parser.saying.name)))
			one.ScriptClass = accounting.ScriptClass(number(optional(v, r.parser.saying.script)))
			said := r.config.Tools.Read(r.parser.saying.texts(v))
			one.KindClass, one.ToolRow, one.ByLine = said.Class(), said.Row, said.ByLine
		}
		visit(one)
	})
	if err != nil {
		return r.failed("jobs", err)
	}
	return nil
}

// pause returns how long the job was suspended. The column holds seconds. But
// while the job is suspended, and for ever if it ends so, the column holds the
// moment of suspension less the seconds before (as_mysql_suspend).
func pause(r *accounting.Row, now ostrich.Time) ostrich.Duration {
	end := cmp.Or(r.End, now)
	length := max(0, end-max(r.Start, r.Submit))
	pause := ostrich.Time(min(r.Suspended, 1<<62))
	if r.State == accounting.Suspended || pause > length {
		pause = end - pause
	}
	return ostrich.Duration(min(max(0, pause), length))
}

// EndTimes returns when the first and the last of the jobs ended that ended at
// from or later; 0 if none did. The index answers both at once.
func (r *Reader) EndTimes(ctx context.Context, from ostrich.Time) (first, last ostrich.Time, err error) {
	if err = r.db.one(ctx, "SELECT COALESCE(MIN(time_end), 0), COALESCE(MAX(time_end), 0) FROM "+r.schema.table("job_table")+
		r.schema.byEnd+" WHERE "+endsSince(from), &first, &last); err != nil {
		return 0, 0, r.failed("the times of jobs", err)
	}
	return first, last, nil
}

// CountEnded counts the rows that ended at from or later, those marked as deleted too.
func (r *Reader) CountEnded(ctx context.Context, from ostrich.Time) (rows int, err error) {
	if err = r.db.one(ctx, r.countUpToQuery(from, 0), &rows); err != nil {
		return 0, r.failed("the number of jobs", err)
	}
	return rows, nil
}

// Size is the size of the cluster from a time on.
type Size struct {
	From         ostrich.Time
	Procs, Nodes int
}

// Sizes reads all sizes that the cluster had, in order of time.
func (r *Reader) Sizes(ctx context.Context) (all []Size, err error) {
	err = r.db.each(ctx, r.nodesQuery("node_name = '' AND state = 0 ORDER BY time_start"), func(v []driver.Value) {
		if t, _ := readTRES(text(v[4]), nil); t.CPUs > 0 {
			all = append(all, Size{ostrich.Time(number(v[1])), int(min(t.CPUs, accounting.MaxProcs)), int(min(t.Nodes, accounting.MaxProcs))})
		}
	})
	if err != nil {
		return nil, r.failed("the size of the cluster", err)
	}
	return all, nil
}

// Outages reads the outages of nodes that had not ended before a time.
func (r *Reader) Outages(ctx context.Context, from ostrich.Time) (all []accounting.NodeEvent, err error) {
	err = r.db.each(ctx, r.nodesQuery("node_name != '' AND (time_end = 0 OR time_end > "+strconv.FormatInt(int64(from), 10)+") ORDER BY time_start, node_name"), func(v []driver.Value) {
		all = append(all, accounting.NodeEvent{
			Node: string(text(v[0])), From: ostrich.Time(number(v[1])), To: ostrich.Time(number(v[2])), State: uint32(number(v[3])),
		})
	})
	if err != nil {
		return nil, r.failed("the outages of nodes", err)
	}
	return all, nil
}

// The flags of a reservation that matter (RESERVE_FLAG_ in slurm/slurm.h).
const (
	floatFlag = 1 << 17
	flexFlag  = 1 << 25
)

// Reservations reads the reservations that had not ended before a time; none if the account may
// not read them, see Unread.
func (r *Reader) Reservations(ctx context.Context, from ostrich.Time) (all []accounting.Reservation, err error) {
	if r.parser.needs.reservations == nil {
		return nil, nil
	}
	err = r.db.each(ctx, "SELECT resv_name, nodelist, time_start, time_end, flags, tres FROM "+r.schema.table("resv_table")+
		" WHERE deleted = 0 AND time_end > "+strconv.FormatInt(int64(from), 10)+" ORDER BY time_start, id_resv", func(v []driver.Value) {
		flags := number(v[4])
		size, _ := readTRES(text(v[5]), nil) // one that cannot be read counts as 0
		all = append(all, accounting.Reservation{
			Name: string(text(v[0])), Nodes: string(text(v[1])), From: ostrich.Time(number(v[2])), To: ostrich.Time(number(v[3])),
			CPUs: size.CPUs, Flex: flags&flexFlag != 0, Floats: flags&floatFlag != 0,
		})
	})
	if err != nil {
		return nil, r.failed("the reservations", err)
	}
	return all, nil
}

// Names reads the associations and the names of QOS by number, deleted ones too.
func (r *Reader) Names(ctx context.Context) (associations map[uint32]ledger.Association, qos map[uint32]string, err error) {
	associations, qos, err = r.readNames(ctx)
	if err != nil {
		return nil, nil, r.failed("associations", err)
	}
	return associations, qos, nil
}

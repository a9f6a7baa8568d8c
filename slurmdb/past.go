package slurmdb

import (
	"context"
	"database/sql/driver"
	"fmt"
	"strconv"
	"strings"

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
	end := r.End
	if end == 0 {
		end = now
	}
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

// CountEnded counts the rows that ended at from or later. The index answers that.
func (r *Reader) CountEnded(ctx context.Context, from ostrich.Time) (rows int, err error) {
	if err = r.db.one(ctx, r.countQuery(from), &rows); err != nil {
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

// Names reads the associations and the names of QOS by number, deleted ones too.
func (r *Reader) Names(ctx context.Context) (associations map[uint32]ledger.Association, qos map[uint32]string, err error) {
	associations, qos, err = r.readNames(ctx)
	if err != nil {
		return nil, nil, r.failed("associations", err)
	}
	return associations, qos, nil
}

// QOS reads the QOS that are not deleted, with those that each may preempt.
func (r *Reader) QOS(ctx context.Context) (all []accounting.QOS, err error) {
	preempt, known := "''", r.schema.columns["qos_table"]["preempt"]
	if known {
		preempt = "preempt"
	}
	names, numbers := make(map[uint32]string), []string{}
	err = r.db.scan(ctx, func(scan func(...any) error) error {
		var id uint32
		var mayPreempt string
		q := accounting.QOS{PreemptKnown: known}
		failed := scan(&id, &q.Name, &q.Priority, &q.UsageFactor, &mayPreempt)
		all, names[id], numbers = append(all, q), q.Name, append(numbers, mayPreempt)
		return failed
	}, "SELECT id, name, COALESCE(priority, 0), usage_factor, COALESCE("+preempt+", '') FROM qos_table WHERE deleted = 0 ORDER BY id")
	for i := range all {
		if err == nil {
			if all[i].Preempts, err = preempts(numbers[i], names); err != nil {
				err = fmt.Errorf("preempt of %s: %w", all[i].Name, err)
			}
		}
	}
	if err != nil {
		return nil, r.failed("QOS", err)
	}
	return all, nil
}

// preempts returns the names of the QOS that a text of numbers lists, such as ",2,5,", which is
// how Slurm writes a set of them (bit_unfmt reads it, so that "2-5" would be a range).
func preempts(numbers string, names map[uint32]string) (all []string, err error) {
	for word := range strings.SplitSeq(numbers, ",") {
		if word == "" {
			continue
		}
		from, to, ranged := strings.Cut(word, "-")
		first, err := strconv.ParseUint(from, 10, 16)
		last := first
		if ranged && err == nil {
			last, err = strconv.ParseUint(to, 10, 16)
		}
		if err != nil {
			return nil, fmt.Errorf("%q: not numbers of QOS", shorten(numbers))
		}
		for id := first; id <= last; id++ {
			if name, there := names[uint32(id)]; there {
				all = append(all, name)
			}
		}
	}
	return all, nil
}

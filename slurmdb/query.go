package slurmdb

import (
	"context"
	"database/sql/driver"
	"fmt"
	"slices"
	"strconv"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting"
)

// The statements of a poll. They contain only numbers and quoted names.

func (r *Reader) jobsQuery(columns, hint, where string) string {
	return "SELECT " + columns + " FROM " + r.schema.table("job_table") + hint + " WHERE " +
		r.schema.kept("job_table") + where
}

// liveQuery selects each live row's key, and everything else that is read of it
// as one value.
func (r *Reader) liveQuery() string {
	return r.jobsQuery("id_job, time_submit, "+r.parser.saying.digest(), r.schema.byEnd, "time_end = 0")
}

func (r *Reader) liveRowsQuery() string {
	return r.jobsQuery(r.parser.saying.live(), r.schema.byEnd, "time_end = 0")
}

// countUpToQuery counts the rows that ended at a time or later, those marked as deleted too, no further than to a
// limit; 0 is none. The index alone answers that.
func (r *Reader) countUpToQuery(window ostrich.Time, most int) string {
	rows := "FROM " + r.schema.table("job_table") + r.schema.byEnd + " WHERE " + endsSince(window)
	if most == 0 {
		return "SELECT COUNT(*) " + rows
	}
	return "SELECT COUNT(*) FROM (SELECT 1 " + rows + " LIMIT " + strconv.Itoa(most) + ") AS ended"
}

func endsSince(window ostrich.Time) string {
	return "time_end >= " + strconv.FormatInt(max(1, int64(window)), 10)
}

func (r *Reader) closedQuery(window ostrich.Time) string {
	hint := r.schema.byEnd
	if r.Cold() {
		hint = "" // History may be most of the table; then a scan is faster.
	}
	return r.jobsQuery(r.parser.saying.ended(), hint, endsSince(window))
}

func (r *Reader) byIDQuery(ids string) string {
	return r.jobsQuery(r.parser.saying.live(), "", "id_job IN ("+ids+")")
}

func (r *Reader) earlierQuery(ids string) string {
	return r.jobsQuery(r.parser.saying.ended(), "", fmt.Sprintf("id_job IN (%s) AND state IN (%d, %d, %d, %d) AND time_end > 0",
		ids, accounting.Requeued, accounting.Resizing, accounting.Preempted, accounting.NodeFail))
}

func (r *Reader) pausesQuery(rows string) string {
	return "SELECT job_db_inx, time_start, time_end FROM " + r.schema.table("suspend_table") + " WHERE " +
		r.schema.kept("suspend_table") + "job_db_inx IN (" + rows + ")"
}

func (r *Reader) nodesQuery(where string) string {
	return "SELECT node_name, time_start, time_end, state, tres FROM " + r.schema.table("event_table") + " WHERE " +
		r.schema.kept("event_table") + where
}

// chunk is how many keys one query names.
const chunk = 500

// inChunks reads large results by numbers: query names those of a list with the
// operator IN.
func inChunks[T ~uint32 | ~uint64 | ~int64](
	ctx context.Context, db *database, all []T, query func(list string) string, row func([]driver.Value),
) error {
	for some := range slices.Chunk(all, chunk) {
		var list []byte
		for i, n := range some {
			if i > 0 {
				list = append(list, ',')
			}
			if n < 0 {
				n = 0
			}
			list = strconv.AppendUint(list, uint64(n), 10)
		}
		if err := db.each(ctx, query(string(list)), row); err != nil {
			return err
		}
	}
	return nil
}

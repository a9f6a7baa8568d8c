package slurmdb

import (
	"context"

	"slurm-ostrich/ostrich"
)

// For the tests of package slurmdb_test.
var (
	TRESCount = tresCount
	MaskTasks = maskTasks
	Reads     = reads
)

// SetClock replaces the database's clock.
func (r *Reader) SetClock(now ostrich.Time) {
	r.clock = func(context.Context) (ostrich.Time, error) { return now, nil }
}

// Tracked is how many things the reader remembers of closed rows.
func (r *Reader) Remembered() int {
	return len(r.history.closed) + len(r.history.stale) + len(r.history.bad)
}

// PollQueries are the statements of a poll of the job table.
func (r *Reader) PollQueries(window ostrich.Time) map[string]string {
	return map[string]string{
		"live":     r.liveQuery(),
		"closed":   r.closedQuery(window),
		"vanished": r.vanishedQuery("1,2,3"),
		"earlier":  r.earlierQuery("1,2,3"),
		"pauses":   r.pausesQuery("1,2,3"),
		"nodes":    r.nodesQuery("time_start >= 1000000000"),
		"open":     r.nodesQuery("time_start IN (1,2,3)"),
	}
}

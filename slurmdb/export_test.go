package slurmdb

import (
	"context"

	"slurm-ostrich/ostrich"
)

// For the tests of package slurmdb_test.
var (
	ReadTRES  = readTRES
	MaskTasks = maskTasks
	Preempts  = preempts
	Reads     = reads
)

// SetClock replaces the database's clock.
func (r *Reader) SetClock(now ostrich.Time) {
	r.clock = func(context.Context) (ostrich.Time, error) { return now, nil }
}

// Exec runs a statement on the reader's connection.
func (r *Reader) Exec(ctx context.Context, statement string) error {
	_, err := r.db.pool.ExecContext(ctx, statement)
	return err
}

// Variable is a variable of the reader's session.
func (r *Reader) Variable(ctx context.Context, name string) (value string, err error) {
	err = r.db.pool.QueryRowContext(ctx, "SHOW SESSION VARIABLES LIKE ?", name).Scan(&name, &value)
	return value, err
}

// RowsRead is how many rows the server has read one after the other on the reader's connection.
func (r *Reader) RowsRead(ctx context.Context) (rows int, err error) {
	err = r.db.scan(ctx, func(scan func(...any) error) error {
		var name string
		var n int
		failed := scan(&name, &n)
		if name == "Handler_read_next" || name == "Handler_read_prev" || name == "Handler_read_rnd_next" {
			rows += n
		}
		return failed
	}, "SHOW SESSION STATUS LIKE 'Handler_read%'")
	return rows, err
}

// Cipher is how the connection is encrypted, empty if it is not.
func (r *Reader) Cipher(ctx context.Context) (cipher string, err error) {
	var name string
	err = r.db.pool.QueryRowContext(ctx, "SHOW SESSION STATUS LIKE 'Ssl_cipher'").Scan(&name, &cipher)
	return cipher, err
}

// PollQueries are the statements of a poll of the job table.
func (r *Reader) PollQueries(window ostrich.Time) map[string]string {
	return map[string]string{
		"live":    r.liveQuery(),
		"closed":  r.closedQuery(window),
		"rows":    r.liveRowsQuery(),
		"by id":   r.byIDQuery("1,2,3"),
		"earlier": r.earlierQuery("1,2,3"),
		"pauses":  r.pausesQuery("1,2,3"),
		"nodes":   r.nodesQuery("time_start >= 1600019900"),
		"open":    r.nodesQuery("time_start IN (1,2,3)"),
	}
}

// PastQueries are the statements that read the rows of a window.
func (r *Reader) PastQueries(from, to ostrich.Time) []string {
	return []string{r.pastLiveQuery(to), r.pastEndedQuery(from, to, to), r.pastEndedQuery(from, 0, to)}
}

// CountQueries are the statements that count rows.
func (r *Reader) CountQueries(window ostrich.Time) []string {
	return []string{r.countUpToQuery(window, 0), r.countUpToQuery(window, 100)}
}

// FindQueries are the statements that find a job.
func (r *Reader) FindQueries(id ostrich.JobID) []string {
	return []string{r.findQuery(id, -1, -1), r.findQuery(id, 3, -1), r.findQuery(id, -1, 1)}
}

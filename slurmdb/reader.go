package slurmdb

import (
	"context"
	"database/sql/driver"
	"fmt"
	"slices"

	"slurm-ostrich/ostrich"
)

// Reader reads one cluster. It is not safe for concurrent use.
type Reader struct {
	*Ledger

	db     *database
	schema *schema
	parser *parser
	clock  func(context.Context) (ostrich.Time, error)
	passed error // why the servers before this one are not read; nil: it is the first
}

// Batch is what a poll found.
type Batch struct {
	Now     ostrich.Time // the database's clock when the poll began
	Rows    int          // rows read of all tables
	Skipped []Skip       // rows that cannot be true, each reported once, sorted by job
}

// Open connects to the first server that can be read, and finds the cluster and
// its columns. It reads no job.
func Open(ctx context.Context, c Config) (*Reader, error) {
	c, err := c.withDefaults()
	if err != nil {
		return nil, err
	}
	if c.Cluster == "" {
		return nil, fmt.Errorf("slurmdb: %w: no cluster", ErrConfig)
	}
	return c.inTurn(ctx, c.Addresses)
}

// openAt connects to the server at one of the addresses.
func openAt(ctx context.Context, c Config, address string) (*Reader, error) {
	db, err := dial(ctx, c, address)
	if err != nil {
		return nil, err
	}
	s, err := probe(ctx, db)
	if err != nil {
		_ = db.pool.Close() // The first error matters.
		return nil, err
	}
	if c.Declared == InWCKey && !s.columns["job_table"]["wckey"] {
		c.Declared = NotDeclared
	}
	r := &Reader{Ledger: newLedger(c), db: db, schema: s}
	r.parser = newParser(&r.config, s, r.texts)
	r.clock = r.ask
	if err = r.compare(ctx, c.Reached); err != nil {
		_ = db.pool.Close() // The first error matters.
		return nil, err
	}
	return r, nil
}

// Close ends the connection.
func (r *Reader) Close() error { return r.db.pool.Close() }

// Clusters lists the clusters of the database, by name.
func (r *Reader) Clusters() []string { return r.schema.names }

// Cluster returns the name of the cluster that is read.
func (r *Reader) Cluster() string { return r.config.Cluster }

// Now reads the database's clock.
func (r *Reader) Now(ctx context.Context) (ostrich.Time, error) { return r.clock(ctx) }

func (r *Reader) ask(ctx context.Context) (ostrich.Time, error) {
	var now ostrich.Time
	if err := r.db.one(ctx, "SELECT UNIX_TIMESTAMP()", &now); err != nil {
		return 0, r.failed("the clock", err)
	}
	return now, nil
}

// failed wraps the error of a query.
func (r *Reader) failed(what string, err error) error {
	return fmt.Errorf("slurmdb: read %s of cluster %s: %w", what, r.config.Cluster, oneLine{err})
}

// oneLine is an error whose text is on one line.
type oneLine struct{ error }

func (e oneLine) Error() string { return plain(e.error) }
func (e oneLine) Unwrap() error { return e.error }

// PollEach reads what is new. When it has read everything, it passes the events
// one by one to emit, in the order of ostrich.Compare. The first call is the cold
// start. After an error, the next call reports what this one would have.
func (r *Reader) PollEach(ctx context.Context, emit func(ostrich.Event)) (Batch, error) {
	now, err := r.clock(ctx)
	if err != nil {
		return Batch{}, err
	}
	if believe := r.config.Believe; believe != nil {
		if err := believe(now); err != nil {
			r.db.renew()
			return Batch{}, r.failed("the clock", err)
		}
	}
	p := r.Begin(now)
	r.db.read = 0
	for _, part := range []struct {
		what  string
		fetch func(context.Context, *Poll) error
	}{
		{"live jobs", r.fetchLive},
		{"ended jobs", r.fetchClosed},
		{"jobs that left the queue", r.fetchVanished},
		{"earlier rows of jobs", r.fetchEarlier},
		{"suspensions", r.fetchPauses},
		{"nodes", r.fetchNodes},
		{"associations", r.fetchNames},
	} {
		if err := part.fetch(ctx, p); err != nil {
			return Batch{}, r.failed(part.what, err)
		}
	}
	p.read += r.db.read
	return p.enter(emit), nil
}

// fetchLive reads the rows that have not ended, and keeps those that changed. The
// server joins each row into one value, because most rows are unchanged. That is
// less work for both sides than rows of two dozen columns.
func (r *Reader) fetchLive(ctx context.Context, p *Poll) error {
	h := r.history
	changed := map[key]uint64{}
	var ids []ostrich.JobID
	err := r.db.each(ctx, r.liveQuery(), func(v []driver.Value) {
		k, sum := rowKey(v), r.parser.sum(text(v[2]))
		if t := h.jobs[k.id]; t != nil && t.row.key == k && t.closed == 0 {
			t.poll, t.live = h.poll, p.now
			if t.row.sum == sum {
				return
			}
		}
		if _, stale := h.stale[k]; stale {
			h.stale[k] = h.poll
			return
		}
		changed[k] = sum
		ids = append(ids, k.id)
	})
	if err != nil {
		return err
	}
	add := func(v []driver.Value) {
		k := rowKey(v)
		if sum, ok := changed[k]; ok {
			w := r.row(r.parser.parse(v))
			x := *w.extra
			x.sum, w.extra = sum, &x
			p.rows = append(p.rows, w)
			delete(changed, k)
		}
	}
	if len(ids) > wholesale {
		return r.db.each(ctx, r.liveRowsQuery(), add)
	}
	return inChunks(ctx, r.db, ids, r.byIDQuery, add)
}

// wholesale is how many rows must have changed before all live rows are read.
const wholesale = 1000

// fetchClosed reads the rows that ended in the window, and keeps the new ones.
func (r *Reader) fetchClosed(ctx context.Context, p *Poll) error {
	if r.cold { // One allocation for what may be millions of rows, and earlier rows of their jobs.
		n := 0
		if err := r.db.one(ctx, r.countQuery(p.Window), &n); err != nil {
			return err
		}
		p.rows = slices.Grow(p.rows, n+n/64)
	}
	return r.db.each(ctx, r.closedQuery(p.Window), func(v []driver.Value) {
		if !r.history.over(rowKey(v)) {
			p.rows = append(p.rows, r.row(r.parser.parse(v)))
		}
	})
}

// fetchVanished reads the rows that were live and are in neither result.
func (r *Reader) fetchVanished(ctx context.Context, p *Poll) error {
	h := r.history
	missed, found := h.missed(p.rows)
	err := inChunks(ctx, r.db, missed, r.byIDQuery, func(v []driver.Value) {
		if k := rowKey(v); k.submit >= h.jobs[k.id].row.submit && !found[k] {
			found[k] = true
			p.rows = append(p.rows, r.row(r.parser.parse(v)))
		}
	})
	for _, id := range missed {
		if !found[h.jobs[id].row.key] {
			p.gone = append(p.gone, id)
		}
	}
	return err
}

// fetchEarlier reads the rows that a requeue or a resize closed before the
// window, of jobs that are new to the reader and began before the window.
func (r *Reader) fetchEarlier(ctx context.Context, p *Poll) error {
	p.sort()
	var ids []ostrich.JobID
	first := map[ostrich.JobID]ostrich.Time{} // submission of the earliest row read
	for i := range p.rows {
		w := &p.rows[i]
		if i > 0 && p.rows[i-1].id == w.id || r.history.jobs[w.id] != nil {
			continue
		}
		if w.submit < p.Window || w.started() && w.start < w.submit-1 {
			ids = append(ids, w.id)
			first[w.id] = w.submit
		}
	}
	err := inChunks(ctx, r.db, ids, r.earlierQuery, func(v []driver.Value) {
		if k := rowKey(v); k.submit < first[k.id] && !r.history.over(k) {
			p.rows = append(p.rows, r.row(r.parser.parse(v)))
		}
	})
	p.link()
	return err
}

// fetchPauses reads the suspensions of the rows that had any.
func (r *Reader) fetchPauses(ctx context.Context, p *Poll) error {
	var ids []uint64
	for i := range p.rows {
		if w := &p.rows[i]; w.paused() {
			ids = append(ids, w.inx)
		}
	}
	return inChunks(ctx, r.db, ids, r.pausesQuery, func(v []driver.Value) {
		inx := number(v[0])
		p.pauses[inx] = append(p.pauses[inx], interval{ostrich.Time(number(v[1])), ostrich.Time(number(v[2]))})
	})
}

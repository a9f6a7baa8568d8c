package slurmdb

import (
	"context"
	"database/sql/driver"
	"fmt"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting"
	"slurm-ostrich/ostrich/accounting/ledger"
)

// Reader reads one cluster. It is not safe for concurrent use.
type Reader struct {
	*ledger.Ledger

	config Config
	db     *database
	schema *schema
	parser *parser
	mark   mark // of the associations that were read last
	read   mark // in the poll under way
	named  int  // rows of associations and QOS read in it
	clock  func(context.Context) (ostrich.Time, error)
	passed error // why the servers before this one are not read; nil: it is the first
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
	r, err := db.reader(ctx, c)
	if err != nil {
		_ = db.pool.Close() // The first error matters.
		return nil, err
	}
	return r, nil
}

// reader returns the reader of a database whose tables are as it needs them.
func (db *database) reader(ctx context.Context, c Config) (*Reader, error) {
	s, err := probe(ctx, db)
	if err != nil {
		return nil, err
	}
	if c.Declared == ledger.InWCKey && !s.columns["job_table"]["wckey"] {
		c.Declared = ledger.NotDeclared
	}
	r := &Reader{Ledger: ledger.New(c.Config), config: c, db: db, schema: s}
	r.parser = newParser(&r.config, s)
	r.clock = r.ask
	if err = r.nameTRES(ctx); err != nil {
		return nil, err
	}
	if err = r.nameReservations(ctx); err != nil {
		return nil, err
	}
	return r, r.compare(ctx, c.Reached)
}

// Close ends the connection.
func (r *Reader) Close() error { return r.db.pool.Close() }

// Clusters lists the clusters of the database, by name.
func (r *Reader) Clusters() []string { return r.schema.names }

// Cluster returns the name of the cluster that is read.
func (r *Reader) Cluster() string { return r.config.Cluster }

// Unit is the unit of work of the configuration.
func (r *Reader) Unit() *accounting.Unit { return r.config.Unit }

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
func (r *Reader) PollEach(ctx context.Context, emit func(ostrich.Event)) (ledger.Batch, error) {
	now, err := r.clock(ctx)
	if err != nil {
		return ledger.Batch{}, err
	}
	if believe := r.config.Believe; believe != nil {
		if err = believe(now); err != nil {
			r.db.renew()
			return ledger.Batch{}, r.failed("the clock", err)
		}
	}
	p, err := r.fetch(ctx, now)
	if err != nil {
		return ledger.Batch{}, err
	}
	found, err := r.nameAnew(ctx)
	if err == nil && found {
		p, err = r.fetch(ctx, now)
	}
	if err != nil {
		return ledger.Batch{}, err
	}
	batch := p.Enter(emit)
	batch.Rows, r.mark = r.db.read+r.named, r.read
	return batch, nil
}

// fetch reads what a poll needs, and enters nothing.
func (r *Reader) fetch(ctx context.Context, now ostrich.Time) (*ledger.Poll, error) {
	p := r.Begin(now)
	r.db.read, r.named = 0, 0
	for _, part := range []struct {
		what  string
		fetch func(context.Context, *ledger.Poll) error
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
			return nil, r.failed(part.what, err)
		}
	}
	return p, nil
}

// fetchLive reads the rows that have not ended, and keeps those that changed. The
// server joins each row into one value, because most rows are unchanged. That is
// less work for both sides than rows of two dozen columns.
func (r *Reader) fetchLive(ctx context.Context, p *ledger.Poll) error {
	changed := map[accounting.Key]uint64{}
	var ids []ostrich.JobID
	err := r.db.each(ctx, r.liveQuery(), func(v []driver.Value) {
		k, sum := rowKey(v), r.parser.sum(text(v[2]))
		if !p.Unchanged(k, sum) {
			changed[k] = sum
			ids = append(ids, k.ID)
		}
	})
	if err != nil {
		return err
	}
	add := func(v []driver.Value) {
		k := rowKey(v)
		if sum, ok := changed[k]; ok {
			p.Add(r.parser.parse(v), sum)
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
func (r *Reader) fetchClosed(ctx context.Context, p *ledger.Poll) error {
	if r.Cold() { // One allocation for what may be millions of rows, and earlier rows of their jobs.
		n := 0
		if err := r.db.one(ctx, r.countUpToQuery(p.Window, 0), &n); err != nil {
			return err
		}
		p.Grow(n + n/64)
	}
	return r.db.each(ctx, r.closedQuery(p.Window), func(v []driver.Value) {
		if !p.Over(rowKey(v)) {
			p.Add(r.parser.parse(v), 0)
		}
	})
}

// fetchVanished reads the rows that were live and are in neither result.
func (r *Reader) fetchVanished(ctx context.Context, p *ledger.Poll) error {
	missed := p.Missed()
	if len(missed) == 0 {
		return nil
	}
	err := inChunks(ctx, r.db, missed, r.byIDQuery, func(v []driver.Value) {
		if p.IsMissed(rowKey(v)) {
			p.Add(r.parser.parse(v), 0)
		}
	})
	for _, id := range p.Missed() {
		p.Gone(id)
	}
	return err
}

// fetchEarlier reads the rows that a requeue or a resize closed before the
// window, of jobs that are new to the reader and began before the window.
func (r *Reader) fetchEarlier(ctx context.Context, p *ledger.Poll) error {
	return inChunks(ctx, r.db, p.Earlier(), r.earlierQuery, func(v []driver.Value) {
		if p.IsEarlier(rowKey(v)) {
			p.Add(r.parser.parse(v), 0)
		}
	})
}

// fetchPauses reads the suspensions of the rows that had any.
func (r *Reader) fetchPauses(ctx context.Context, p *ledger.Poll) error {
	return inChunks(ctx, r.db, p.Paused(), r.pausesQuery, func(v []driver.Value) {
		p.Pause(number(v[0]), ostrich.Time(number(v[1])), ostrich.Time(number(v[2])))
	})
}

package sidecar

import (
	"cmp"
	"context"
	"errors"
	"time"

	"slurm-ostrich/cmd/internal/configuration"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting"
	"slurm-ostrich/ostrich/accounting/ledger"
	"slurm-ostrich/priority/journal"
	"slurm-ostrich/slurmdb"
)

// Past answers questions about jobs that have started or ended, from accounting and from
// the journal. It has a connection of its own, which it opens with the first question, so
// nobody who asks it delays a cycle. It is safe for concurrent use, and answers one
// question at a time until it is closed. After accounting has failed to answer, it is not
// asked for pastPause.
type Past struct {
	config configuration.Config
	closed context.Context //nolint:containedctx // ends questions when the past is closed
	end    context.CancelFunc

	asking chan struct{} // of one place: a lock that a context can give up; guards what follows
	reader finder        // nil until the first question
	failed error         // of the latest question
	until  time.Time     // when accounting may be asked again after that
}

// pastPause keeps users who ask while the database does not answer from waiting for it.
const pastPause = 10 * time.Second

// NewPast returns the past of a sidecar's cluster. The configuration is that of
// Sidecar.Config, with the cluster's name filled in.
func NewPast(c configuration.Config) *Past {
	p := &Past{config: c, asking: make(chan struct{}, 1)}
	p.closed, p.end = context.WithCancel(context.Background())
	return p
}

// Find returns accounting's newest record of a job, see slurmdb.Reader.Find.
func (p *Past) Find(ctx context.Context, id ostrich.JobID, task, offset int) (found ledger.Record, ok bool, err error) {
	err = p.ask(ctx, func(r finder) error {
		found, ok, err = r.Find(ctx, id, task, offset)
		return err
	})
	return found, ok, err
}

// Started visits the rows that started in [from, to), see slurmdb.Reader.Started.
func (p *Past) Started(ctx context.Context, from, to ostrich.Time, visit func(*accounting.Row)) error {
	return p.ask(ctx, func(r finder) error { return r.Started(ctx, from, to, visit) })
}

// Writes returns what was written for jobs, see journal.Of. Without a journal that is
// nothing.
func (p *Past) Writes(jobs []ostrich.JobID) ([]journal.Record, error) {
	if p.config.Journal == "" || p.config.Foreign() != "" {
		return nil, nil
	}
	return journal.Of(p.config.Journal, jobs)
}

// ask asks a question, and opens the connection first if it is not open yet.
func (p *Past) ask(ctx context.Context, question func(finder) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(p.closed, cancel)()
	select {
	case p.asking <- struct{}{}:
		defer func() { <-p.asking }()
	case <-ctx.Done():
		return cmp.Or(p.closedError(), ctx.Err())
	}
	if err := p.closedError(); err != nil {
		return err
	}
	if time.Now().Before(p.until) {
		return p.failed
	}
	err := p.open(ctx)
	if err == nil {
		err = question(p.reader)
	}
	switch {
	case err == nil, errors.Is(err, slurmdb.ErrTooMuch), errors.Is(ctx.Err(), context.Canceled):
	default:
		p.failed, p.until = err, time.Now().Add(pastPause)
	}
	return err
}

func (p *Past) open(ctx context.Context) error {
	if p.reader != nil {
		return nil
	}
	source, err := p.config.Source()
	if err != nil {
		return err
	}
	reader, err := openAccounts(ctx, &p.config, source)
	if err == nil {
		p.reader = reader
	}
	return err
}

func (p *Past) closedError() error {
	if p.closed.Err() != nil {
		return errClosed
	}
	return nil
}

var errClosed = errors.New("accounting cannot be asked: ostrichd ends or reads its configuration anew; try again")

// Close ends a question under way and closes the connection.
func (p *Past) Close() error {
	p.end()
	p.asking <- struct{}{}
	defer func() { <-p.asking }()
	if p.reader == nil {
		return nil
	}
	err := p.reader.Close()
	p.reader = nil
	return err
}

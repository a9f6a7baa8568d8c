package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"
)

// pollEvery is the time between two readings of the queue, which all users share.
const pollEvery = time.Second

// maxPollFailures is how many readings of the queue in a row may fail.
const maxPollFailures = 10

// cluster is what a run needs of Slurm.
type cluster interface {
	Submit(ctx context.Context, name string, p Plan) error
	Queues(ctx context.Context, prefix string) (map[string]Queue, error)
	Cancel(ctx context.Context, names []string) error
}

// Run submits the campaigns of some loops and waits until they end.
type Run struct {
	Name    string // first part of every job's name
	Seed    uint64
	Until   time.Duration // after which no campaign begins; 0: no end
	Cluster cluster
	Log     io.Writer     // progress
	Report  time.Duration // time between two lines of progress

	mu     sync.Mutex
	looks  int              // number of readings of the queue
	queues map[string]Queue // the latest reading
	seen   chan struct{}    // closed at the next reading
	done   int              // campaigns that ended
	sent   []Plan           // campaigns that were submitted
}

func (r *Run) jobName(p Plan) string { return fmt.Sprintf("%s.%s.%d", r.Name, p.User, p.Seq) }

// Do runs the loops to their ends, cancels the rest of those in the background,
// and returns the submitted campaigns. If it fails or is interrupted, it cancels
// everything in the queue.
func (r *Run) Do(ctx context.Context, loops []Loop) ([]Plan, error) {
	begin := time.Now()
	r.seen = make(chan struct{})
	ctx, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	background, stopBackground := context.WithCancel(ctx)
	defer stopBackground()
	var users, others, poller sync.WaitGroup
	for _, l := range loops {
		group, of := &users, ctx
		if l.Background {
			group, of = &others, background
		}
		group.Go(func() {
			if err := r.loop(of, l, begin); err != nil && of.Err() == nil {
				fail(err)
			}
		})
	}
	polling, stopPolling := context.WithCancel(ctx)
	defer stopPolling()
	poller.Go(func() {
		if err := r.poll(polling, begin); err != nil {
			fail(err)
		}
	})
	users.Wait()
	stopBackground()
	others.Wait()
	r.mu.Lock()
	slices.SortFunc(r.sent, func(a, b Plan) int { return cmp.Or(cmp.Compare(a.User, b.User), cmp.Compare(a.Seq, b.Seq)) })
	r.mu.Unlock()
	if ctx.Err() == nil {
		if err := r.endBackground(ctx); err != nil {
			fail(err)
		}
	}
	stopPolling()
	poller.Wait()
	if err := context.Cause(ctx); err != nil {
		return nil, errors.Join(err, r.cancel(context.WithoutCancel(ctx)))
	}
	return r.sent, nil
}

// endBackground cancels the campaigns in the background, and returns when none of
// their jobs is left.
func (r *Run) endBackground(ctx context.Context) error {
	var names []string
	for _, p := range r.sent {
		if p.Background {
			names = append(names, r.jobName(p))
		}
	}
	if err := r.Cluster.Cancel(ctx, names); err != nil {
		return err
	}
	for _, name := range names {
		if err := r.wait(ctx, name); err != nil {
			return err
		}
	}
	return nil
}

// unused returns an error if there was a run of this name before.
func (r *Run) unused(ctx context.Context, s Slurm, loops []Loop) error {
	var names []string
	for _, l := range loops {
		names = append(names, r.jobName(Plan{User: l.User, Seq: 1}))
	}
	rows, err := s.Rows(ctx, names)
	if err == nil && len(rows) > 0 {
		err = fmt.Errorf("run %s: the job table has jobs of a run of this name; choose another", r.Name)
	}
	return err
}

// cancel cancels every job of the run.
func (r *Run) cancel(ctx context.Context) error {
	names := make([]string, 0, len(r.sent))
	for _, p := range r.sent {
		names = append(names, r.jobName(p))
	}
	return r.Cluster.Cancel(ctx, names)
}

// loop acts as one user.
func (r *Run) loop(ctx context.Context, l Loop, begin time.Time) error {
	if err := sleep(ctx, l.Start); err != nil {
		return err
	}
	for seq := 1; l.Campaigns == 0 || seq <= l.Campaigns; seq++ {
		if r.Until > 0 && time.Since(begin) >= r.Until {
			return nil
		}
		p := l.Plan(r.Seed, seq)
		r.mu.Lock()
		r.sent = append(r.sent, p)
		r.mu.Unlock()
		for _, step := range p.steps() {
			if err := r.Cluster.Submit(ctx, r.jobName(p), step); err != nil {
				return err
			}
			if err := r.wait(ctx, r.jobName(p)); err != nil {
				return err
			}
		}
		r.mu.Lock()
		r.done++
		r.mu.Unlock()
		if seq == l.Campaigns {
			return nil
		}
		if err := sleep(ctx, p.Think); err != nil {
			return err
		}
	}
	return nil
}

// wait returns when a reading of the queue that began after the call shows no job
// of the name. A reading may be under way, so the second one from now counts.
func (r *Run) wait(ctx context.Context, name string) error {
	r.mu.Lock()
	first := r.looks + 2
	r.mu.Unlock()
	for {
		r.mu.Lock()
		_, there := r.queues[name]
		looks, seen := r.looks, r.seen
		if looks >= first && !there {
			r.mu.Unlock()
			return nil
		}
		r.mu.Unlock()
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-seen:
		}
	}
}

// poll reads the queue for all users and reports progress.
func (r *Run) poll(ctx context.Context, begin time.Time) error {
	var failures int
	var reported time.Duration
	for ctx.Err() == nil {
		queues, err := r.Cluster.Queues(ctx, r.Name+".")
		switch {
		case ctx.Err() != nil:
			return nil //nolint:nilerr // the look was cut short by the end of the run
		case err != nil:
			if failures++; failures >= maxPollFailures {
				return fmt.Errorf("the queue could not be read %d times: %w", failures, err)
			}
		default:
			failures = 0
			r.mu.Lock()
			r.queues = queues
			r.looks++
			close(r.seen)
			r.seen = make(chan struct{})
			r.mu.Unlock()
		}
		if at := time.Since(begin); r.Report > 0 && at >= reported+r.Report {
			reported = at.Truncate(r.Report)
			r.progress(reported)
		}
		_ = sleep(ctx, pollEvery)
	}
	return nil
}

func (r *Run) progress(at time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	var all Queue
	for _, q := range r.queues {
		all.Pending += q.Pending
		all.Running += q.Running
	}
	_, _ = fmt.Fprintf(r.Log, "%s: %4.0f s: %d campaigns ended, %d under way; jobs: %d running, %d pending\n",
		r.Name, at.Seconds(), r.done, len(r.sent)-r.done, all.Running, all.Pending)
}

// sleep waits, or returns why the context ended.
func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-t.C:
		return nil
	}
}

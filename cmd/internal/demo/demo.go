// Package demo runs one load twice on a Slurm in memory, under stock fairshare
// and with OStrich's cycle beside it, and draws both schedules.
package demo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"slurm-ostrich/cmd/internal/atomicfile"
	"slurm-ostrich/cmd/internal/console"
	"slurm-ostrich/cmd/internal/format"
	"slurm-ostrich/cmd/internal/memslurm"
)

// Options say what is run and where the page goes.
type Options struct {
	Users     int // from 2 to 8
	Hours     int // for about which the users submit, from 1 to 96
	Seed      uint64
	Fairshare string // one of memslurm.RuleNames

	Out     string        // file of the page; "" writes none
	Serve   bool          // serves the page while the runs go on, and after them until the context ends
	Address string        // where; "" is DefaultAddress
	Pace    time.Duration // emulated time a second, with Serve
}

// Bounds of the options; the load grows with both.
const (
	leastUsers = 2
	mostHours  = 96
)

// check returns the rule of fair share, or what is wrong with the options.
func (o *Options) check() (memslurm.Rule, error) {
	rule := slices.Index(memslurm.RuleNames, o.Fairshare)
	switch {
	case o.Users < leastUsers || o.Users > len(userNames):
		return 0, fmt.Errorf("--users %d: must be from %d to %d", o.Users, leastUsers, len(userNames))
	case o.Hours < 1 || o.Hours > mostHours:
		return 0, fmt.Errorf("--hours %d: must be from 1 to %d", o.Hours, mostHours)
	case rule < 0:
		return 0, fmt.Errorf("--fairshare %q: must be %s", o.Fairshare, console.List(memslurm.RuleNames))
	case o.Pace < time.Second:
		return 0, fmt.Errorf("--pace %s: must be at least 1s", o.Pace)
	}
	return memslurm.Rule(rule), nil
}

// Run does both runs, writes the page, and hands the result to report. It shows
// progress on stderr.
func Run(ctx context.Context, o Options, stderr io.Writer, report func(*Result) error) error {
	rule, err := o.check()
	if err != nil {
		return fmt.Errorf("demo: %w", err)
	}
	d := newDemo(o.Users, o.Hours, o.Seed, rule)
	signalled := ctx
	pace, stop := time.Duration(0), func() error { return nil }
	if o.Serve {
		pace, d.live = o.Pace, true
		if ctx, stop, err = serve(ctx, d, o.Address, stderr); err != nil {
			return err
		}
	}
	at, done := console.Progress(stderr, fmt.Sprintf("%s of %s, twice", format.Plural(d.Total, "job"), format.Plural(len(d.Users), "user")))
	err = d.run(ctx, pace, at)
	done()
	if err == nil {
		err = d.finish(o.Out, stderr, report)
	}
	if err == nil && o.Serve {
		<-ctx.Done()
	}
	err = errors.Join(err, stop())
	if errors.Is(err, context.Canceled) && signalled.Err() != nil {
		return console.ErrInterrupted
	}
	return err
}

// finish writes the page and hands over the result.
func (d *demo) finish(out string, stderr io.Writer, report func(*Result) error) error {
	r := d.result()
	if out != "" {
		if err := atomicfile.Write(out, r.WritePage); err != nil {
			return fmt.Errorf("demo: --out: %w", err)
		}
		console.Say(stderr, "both schedules are drawn in %s", out)
	}
	return report(r)
}

package asking

import (
	"context"
	"io"
	"time"

	"github.com/urfave/cli/v2"

	"slurm-ostrich/cmd/internal/console"
	"slurm-ostrich/cmd/internal/format"
	"slurm-ostrich/cmd/internal/view"
)

// settling is for how long a command waits for a cycle that knows a job which has just been
// submitted, started or queued again; accounting has it after five seconds.
const settling = 8 * time.Second

// Settled asks for an explanation, and again while the answer is of a moment in which
// Slurm and accounting do not have the whole of a job yet, or of users without a job, who
// may have submitted one since.
func Settled(c *cli.Context, by *view.Selection) (*view.Answer, error) {
	a, err := Ask(c, view.AskExplain, by)
	if err != nil {
		return a, err
	}
	of := a.Unsettled
	switch {
	case nothing(a):
		of = by.Users
	case len(of) == 0:
		return a, nil
	}
	warned := c.App.ErrWriter
	defer console.Alive(warned, "waiting for Slurm and accounting to tell of "+format.List(of))()
	defer func() { c.App.ErrWriter = warned }()
	c.App.ErrWriter = io.Discard // what is to be warned of has been
	return settle(c.Context, a, time.Second, settling, func() (*view.Answer, error) { return Ask(c, view.AskExplain, by) }), nil
}

// nothing reports whether an answer tells of no job, as of users without one.
func nothing(a *view.Answer) bool { return len(a.Jobs)+len(a.Unknown) == 0 }

// settle asks at every interval until an answer is of settled jobs, or some time has
// passed. For a later cycle than that of a first answer without a job it waits a third as
// long, as most users without a job have none. It returns the latest answer.
func settle(ctx context.Context, a *view.Answer, every, most time.Duration, again func() (*view.Answer, error)) *view.Answer {
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	first, began := a.Time, time.Now()
	for len(a.Unsettled) > 0 || nothing(a) && a.Time == first && time.Since(began) < most/3 {
		select {
		case <-ctx.Done():
			return a
		case <-time.After(every):
		}
		later, err := again()
		if err != nil {
			return a
		}
		a = later
	}
	return a
}

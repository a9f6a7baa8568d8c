package console

import (
	"context"
	"time"
)

// Iterate calls a function, and again after each pause, until ctx ends, which is
// [ErrInterrupted]. An error of the first call ends it, as of options that are not
// understood; later ones are said, since what is away may come back.
func Iterate(ctx context.Context, pause time.Duration, do func() error, say func(error)) error {
	for first := true; ; first = false {
		err := do()
		switch {
		case ctx.Err() != nil:
			return ErrInterrupted
		case err == nil:
		case first:
			return err
		default:
			say(err)
		}
		select {
		case <-ctx.Done():
			return ErrInterrupted
		case <-time.After(pause):
		}
	}
}

package console

import (
	"io"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
)

// Progress draws a bar if w is a terminal, else nothing. It returns at, which
// sets the progress from any goroutine and in any order, and done, which removes
// the bar. Call done once; after it nothing more is drawn.
func Progress(w io.Writer, what string) (at func(done, total int), done func()) {
	if !terminal(w) {
		return func(int, int) {}, func() {}
	}
	return bar(w, what, 100*time.Millisecond)
}

// bar is Progress on a terminal. It redraws after a pause at the earliest, and once it
// has begun each second even without progress, so that one sees the time go by.
func bar(w io.Writer, what string, pause time.Duration) (at func(done, total int), done func()) {
	var mu sync.Mutex
	b := progressbar.NewOptions(1,
		progressbar.OptionSetWriter(w),
		progressbar.OptionSetDescription(what),
		progressbar.OptionSetWidth(30),
		progressbar.OptionThrottle(pause),
		progressbar.OptionUseANSICodes(true),
		progressbar.OptionSetPredictTime(true),
	)
	gone := false
	ticker, over := time.NewTicker(time.Second), make(chan struct{})
	go func() {
		for {
			select {
			case <-ticker.C:
				mu.Lock()
				if !gone && b.State().CurrentNum > 0 {
					_ = b.RenderBlank() // not worth an error
				}
				mu.Unlock()
			case <-over:
				return
			}
		}
	}()
	at = func(done, total int) {
		mu.Lock()
		defer mu.Unlock()
		if gone || total <= 0 {
			return
		}
		if total != b.GetMax() {
			b.ChangeMax(total)
		}
		// A late call from another goroutine does not turn the bar back. Removing
		// the bar draws the last step.
		if now := min(done, total-1); now > int(b.State().CurrentNum) {
			_ = b.Set(now) // not worth an error
		}
	}
	done = func() {
		mu.Lock()
		defer mu.Unlock()
		gone = true
		ticker.Stop()
		close(over)
		_ = b.Clear() // not worth an error
	}
	return at, done
}

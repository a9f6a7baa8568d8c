package console

import (
	"io"
	"os"
	"sync"
	"time"

	"github.com/mattn/go-isatty"
	"github.com/schollz/progressbar/v3"
)

// Progress draws a bar under what is being done, if w is a terminal, and
// nothing otherwise. It returns a function that is told how far that is, from
// any goroutine and in any order, and one that takes the bar away, to be called
// once and after which nothing more is drawn.
func Progress(w io.Writer, what string) (at func(done, total int), done func()) {
	file, ok := w.(*os.File)
	if !ok || !isatty.IsTerminal(file.Fd()) {
		return func(int, int) {}, func() {}
	}
	return bar(w, what, 100*time.Millisecond)
}

// bar is Progress on a terminal, drawn again no sooner than after a pause.
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
	at = func(done, total int) {
		mu.Lock()
		defer mu.Unlock()
		if gone || total <= 0 {
			return
		}
		if total != b.GetMax() {
			b.ChangeMax(total)
		}
		// What comes late from another goroutine does not turn the bar back.
		// The last step is drawn by the clearing of the bar.
		if now := min(done, total-1); now > int(b.State().CurrentNum) {
			_ = b.Set(now) // Not worth an error.
		}
	}
	done = func() {
		mu.Lock()
		defer mu.Unlock()
		gone = true
		_ = b.Clear() // Not worth an error.
	}
	return at, done
}

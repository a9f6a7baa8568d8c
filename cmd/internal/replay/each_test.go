package replay

import (
	"errors"
	"fmt"
	"io"
	"sync/atomic"
	"testing"
)

// TestEach: all replays are made, though some fail, and the error is that of the
// first one in the list.
func TestEach(t *testing.T) {
	bad := errors.New("bad")
	for workers := range 4 {
		var made atomic.Int64
		err := Each(t.Context(), io.Discard, "trying", workers, make([]int, 9), func(i int, ended func(n int)) error {
			made.Add(1 << i)
			ended(1)
			if i == 3 || i == 7 {
				return fmt.Errorf("%d: %w", i, bad)
			}
			return nil
		})
		if !errors.Is(err, bad) || err.Error() != "3: bad" || made.Load() != 1<<9-1 {
			t.Errorf("%d workers: %v, made %b", workers, err, made.Load())
		}
	}
}

package simulation

import (
	"bytes"
	"context"
	"errors"
	"testing"
)

// TestUntilDone: what is being written ends too.
func TestUntilDone(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var out bytes.Buffer
	w := untilDone{ctx, &out}
	if n, err := w.Write([]byte("a")); n != 1 || err != nil {
		t.Error(n, err)
	}
	cancel()
	if n, err := w.Write([]byte("b")); n != 0 || !errors.Is(err, context.Canceled) || out.String() != "a" {
		t.Error(n, err, out.String())
	}
}

// Package minutes tells tests on real machines whether there is time left to
// begin: $OSTRICH_TEST_UNTIL, a Unix time, is the last second to begin. Without
// it there is always time. contrib/test --minutes sets it.
package minutes

import (
	"os"
	"strconv"
	"testing"
	"time"
)

// Over reports whether it is too late to begin a long test.
func Over(t testing.TB) bool {
	t.Helper()
	text := os.Getenv("OSTRICH_TEST_UNTIL")
	if text == "" {
		return false
	}
	until, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		t.Fatalf("OSTRICH_TEST_UNTIL: %v", err)
	}
	return time.Now().Unix() > until
}

// RealTime is the attribute of a test that waits for real servers, and so depends
// on the machine. contrib/test tries such a test once more if it fails.
const RealTime = "real-time"

// Need gives a test the attribute RealTime, and skips it if it is too late to
// begin.
func Need(t testing.TB) {
	t.Helper()
	t.Attr(RealTime, "yes")
	if Over(t) {
		t.Skip("LEFT OUT: the minutes for tests are over")
	}
}

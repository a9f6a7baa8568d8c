package inventory

import (
	"strings"
	"testing"
)

// TestNamedTotal: the most nodes are those of all items together.
func TestNamedTotal(t *testing.T) {
	const text = "600000x1,400001x1"
	if _, _, err := Named(text); err == nil || !strings.Contains(err.Error(), "more than 1000000 nodes") {
		t.Errorf("--nodes %s: %v", text, err)
	}
}

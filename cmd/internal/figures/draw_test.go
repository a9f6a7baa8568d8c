package figures

import (
	"strings"
	"testing"
)

// TestNamed: names are told apart, each is drawn once, in the order of
// the papers.
func TestNamed(t *testing.T) {
	list, err := Named([]string{"thesis-6.1", "thesis-2.6", "thesis-6.1"})
	if err != nil || len(list) != 2 || list[0].Name != "thesis-2.6" || list[1].Name != "thesis-6.1" {
		t.Errorf("%v, %v", list, err)
	}
	for name := range costs {
		if _, err := Named([]string{name}); err != nil {
			t.Error(err)
		}
	}
	if _, err := Named([]string{"thesis-6.1", "Thesis-2.6"}); err == nil || !strings.Contains(err.Error(), `"Thesis-2.6" is none of`) {
		t.Error(err)
	}
}

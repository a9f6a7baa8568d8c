package configuration

import (
	"testing"
)

// The journal of a cluster is not that of another.
func TestForeign(t *testing.T) {
	for _, test := range []struct {
		configured, chosen string
		want               bool
	}{{"", "", false}, {"a", "", false}, {"", "b", false}, {"a", "a", false}, {"a", "b", true}} {
		c := Config{Cluster: test.configured}
		if test.chosen != "" {
			c.SetCluster(test.chosen)
		}
		if foreign := c.Foreign() != ""; foreign != test.want {
			t.Errorf("%+v: foreign %t", test, foreign)
		}
	}
}

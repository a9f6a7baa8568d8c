package nodes

import (
	"cmp"
	"strings"
)

// CompareNames compares names of nodes as Slurm numbers them (read_config.c,
// _sort_nodes_by_name, by strnatcmp): a run of digits counts as a number, but as text if one of
// the two begins with 0.
func CompareNames(a, b string) int {
	x, y := a, b
	for x != "" && y != "" {
		n, m := digits(x), digits(y)
		var c int
		switch {
		case n == 0 || m == 0:
			n, m = 1, 1
			c = cmp.Compare(x[0], y[0])
		case x[0] == '0' || y[0] == '0':
			c = strings.Compare(x[:n], y[:m])
		default:
			c = cmp.Or(cmp.Compare(n, m), strings.Compare(x[:n], y[:m]))
		}
		if c != 0 {
			return c
		}
		x, y = x[n:], y[m:]
	}
	return cmp.Compare(len(x), len(y))
}

// digits is how many digits a text begins with.
func digits(s string) int { return len(s) - len(strings.TrimLeft(s, "0123456789")) }

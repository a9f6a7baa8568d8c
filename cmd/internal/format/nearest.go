package format

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// DidYouMean ends an error with the names that may have been meant.
func DidYouMean(names []string) string {
	if len(names) == 0 {
		return ""
	}
	for i := range names {
		names[i] = fmt.Sprintf("%q", names[i])
	}
	return "; did you mean " + strings.Join(names, " or ") + "?"
}

// mostNearest is how many names are proposed.
const mostNearest = 3

// Nearest returns the names that differ least from one, the nearest first: those
// that differ in at most a third of its letters, or in one.
func Nearest(name string, from []string) []string {
	return Within(name, from, max(1, len([]rune(name))/3))
}

// Within returns as Nearest does the names that differ from one in at most so many letters.
func Within(name string, from []string, most int) []string {
	type candidate struct {
		name string
		far  int
	}
	var all []candidate
	for _, other := range from {
		if far := distance(strings.ToLower(name), strings.ToLower(other)); far <= most {
			all = append(all, candidate{other, far})
		}
	}
	slices.SortFunc(all, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.far, b.far), cmp.Compare(a.name, b.name))
	})
	return Texts(all[:min(len(all), mostNearest)], func(c candidate) string { return c.name })
}

// distance returns how many letters to insert, remove, replace or swap with the
// next to turn a into b (optimal string alignment).
func distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	rows := make([][]int, len(x)+1)
	for i := range rows {
		rows[i] = make([]int, len(y)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(x); i++ {
		for j := 1; j <= len(y); j++ {
			replaced := rows[i-1][j-1]
			if x[i-1] != y[j-1] {
				replaced++
			}
			rows[i][j] = min(rows[i-1][j]+1, rows[i][j-1]+1, replaced)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(x)][len(y)]
}

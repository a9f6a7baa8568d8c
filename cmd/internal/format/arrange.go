package format

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Choose keeps the columns of these names, in this order.
func (t *Table) Choose(names []string) error {
	places := make([]int, len(names))
	for i, name := range names {
		place, err := t.column(name)
		if err != nil {
			return err
		}
		places[i] = place
	}
	t.Header = pick(t.Header, places)
	pairs := t.Pairs
	t.Pairs = nil
	for to, from := range places {
		if pair, ok := pairs[from]; ok {
			t.pair(to, pair[0], pair[1])
		}
	}
	for i := range t.Rows {
		t.Rows[i] = pick(t.Rows[i], places)
	}
	return nil
}

func (t *Table) pair(column int, first, second string) {
	if t.Pairs == nil {
		t.Pairs = make(map[int][2]string)
	}
	t.Pairs[column] = [2]string{first, second}
}

func pick[T any](cells []T, places []int) []T {
	return Texts(places, func(place int) T { return cells[place] })
}

// Sort sorts the rows by columns, the first of them first: in ascending order, or with -
// before the name in descending order. A column of numbers is sorted by their values. Rows
// with nothing in the column come last. Equal rows keep their order.
func (t *Table) Sort(keys []string) error {
	type key struct {
		place, sign int
		compare     func(a, b string) int
	}
	order := make([]key, len(keys))
	for i, name := range keys {
		sign := 1
		if rest, descending := strings.CutPrefix(name, "-"); descending {
			name, sign = rest, -1
		}
		place, err := t.column(strings.TrimPrefix(name, "+"))
		if err != nil {
			return err
		}
		order[i] = key{place, sign, t.comparison(place)}
	}
	slices.SortStableFunc(t.Rows, func(a, b []Cell) int {
		for _, k := range order {
			x, y := a[k.place].program(), b[k.place].program()
			if x == "" || y == "" {
				if c := cmp.Compare(y, x); c != 0 { // the empty one is less
					return c
				}
				continue
			}
			if c := k.sign * k.compare(x, y); c != 0 {
				return c
			}
		}
		return 0
	})
	return nil
}

// column returns the place of a column. The case of its name does not count.
func (t *Table) column(name string) (int, error) {
	if i := slices.IndexFunc(t.Header, func(head string) bool { return strings.EqualFold(head, strings.TrimSpace(name)) }); i >= 0 {
		return i, nil
	}
	return 0, fmt.Errorf("no column %q: there are %s%s", name, List(t.Header), DidYouMean(Nearest(name, t.Header)))
}

// comparison returns a function that compares cells of a column.
func (t *Table) comparison(place int) func(a, b string) int {
	for _, row := range t.Rows {
		if text := row[place].program(); text != "" && !isNumber(text) {
			return compareWords
		}
	}
	return func(a, b string) int {
		x, _ := strconv.ParseFloat(a, 64) // all are, see above
		y, _ := strconv.ParseFloat(b, 64)
		return cmp.Compare(x, y)
	}
}

func isNumber(text string) bool {
	_, err := strconv.ParseFloat(text, 64)
	return err == nil
}

// compareWords compares two cells by their letters, but digits in them as numbers: 9_2
// comes before 11_[1-4].
func compareWords(a, b string) int {
	for a != "" && b != "" {
		p, restA := run(a)
		q, restB := run(b)
		m, err := strconv.ParseUint(p, 10, 64)
		n, bad := strconv.ParseUint(q, 10, 64)
		c := cmp.Compare(p, q)
		if err == nil && bad == nil {
			c = cmp.Or(cmp.Compare(m, n), c)
		}
		if c != 0 {
			return c
		}
		a, b = restA, restB
	}
	return cmp.Compare(len(a), len(b))
}

// run splits off the digits at the beginning of a text, or what precedes its first digit.
func run(text string) (first, rest string) {
	digit := func(i int) bool { return text[i] >= '0' && text[i] <= '9' }
	for i := range len(text) {
		if digit(i) != digit(0) {
			return text[:i], text[i:]
		}
	}
	return text, ""
}

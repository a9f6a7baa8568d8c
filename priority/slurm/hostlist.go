package slurm

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// mostNodes is the most nodes that a list may stand for; a larger list is broken.
// Slurm's own limit is 64 000 for one range (MAX_RANGE in src/common/hostlist.c).
const mostNodes = 1 << 20

var errNodes = errors.New("not a list of nodes")

// ExpandNodes expands a list of nodes such as "n[1-2,08-10],login,r[0-3]c[0-7]".
// Numbers keep their leading zeros. Its items end at commas outside of brackets.
func ExpandNodes(list string) (all []string, err error) {
	depth, from := 0, 0
	for i, c := range []byte(list + ",") {
		switch {
		case c == '[':
			depth++
		case c == ']':
			depth--
		case c == ',' && depth == 0:
			if item := list[from:i]; item != "" {
				if all, err = expandItem(all, "", item); err != nil {
					return nil, err
				}
			}
			from = i + 1
		}
		if depth < 0 {
			return nil, fmt.Errorf("%w: a bracket too many", errNodes)
		}
	}
	if depth != 0 {
		return nil, fmt.Errorf("%w: a bracket that does not end", errNodes)
	}
	return all, nil
}

// expandItem appends the names of one item, whose beginning done is expanded
// already.
func expandItem(all []string, done, item string) ([]string, error) {
	before, rest, ok := strings.Cut(item, "[")
	if done += before; !ok {
		if len(all) >= mostNodes {
			return nil, fmt.Errorf("%w: more than %d", errNodes, mostNodes)
		}
		return append(all, done), nil
	}
	ranges, rest, _ := strings.Cut(rest, "]")
	for r := range strings.SplitSeq(ranges, ",") {
		first, last, ranged := strings.Cut(r, "-")
		if !ranged {
			last = first
		}
		from, err1 := strconv.ParseUint(first, 10, 32)
		to, err2 := strconv.ParseUint(last, 10, 32)
		if err1 != nil || err2 != nil || to < from || to-from >= mostNodes {
			return nil, fmt.Errorf("%w: %q", errNodes, clip(r))
		}
		for n := from; n <= to; n++ {
			var err error
			if all, err = expandItem(all, done+fmt.Sprintf("%0*d", len(first), n), rest); err != nil {
				return nil, err
			}
		}
	}
	return all, nil
}

package slurmdb

import (
	"errors"
	"fmt"
	"math/bits"
	"strings"
)

var errMask = errors.New("not a mask of array tasks")

// maskTruncated is the length of a text column. The database cut off a mask that
// fills it, so the mask does not show all tasks.
const maskTruncated = 65535

// maskTasks counts the tasks in a mask such as "0x3FF", in which bit i stands
// for task i.
func maskTasks(mask string) (int, error) {
	digits, ok := strings.CutPrefix(mask, "0x")
	if !ok {
		digits, ok = strings.CutPrefix(mask, "0X")
	}
	if !ok || digits == "" {
		return 0, fmt.Errorf("%w: %q", errMask, shorten(mask))
	}
	tasks := 0
	for _, c := range []byte(digits) {
		switch {
		case '0' <= c && c <= '9':
			tasks += bits.OnesCount8(c - '0')
		case 'a' <= c && c <= 'f':
			tasks += bits.OnesCount8(c - 'a' + 10)
		case 'A' <= c && c <= 'F':
			tasks += bits.OnesCount8(c - 'A' + 10)
		default:
			return 0, fmt.Errorf("%w: %q", errMask, shorten(mask))
		}
	}
	return tasks, nil
}

// shorten makes a value from the database fit on one line of text.
func shorten(s string) string {
	const most = 40
	if len(s) > most {
		return s[:most] + "…"
	}
	return s
}

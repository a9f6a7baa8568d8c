package slurmdb

import (
	"bytes"
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
func maskTasks(mask []byte) (int, error) {
	digits, ok := bytes.CutPrefix(bytes.ToLower(mask), []byte("0x"))
	bad := !ok || len(digits) == 0
	tasks := 0
	for _, c := range digits {
		digit := strings.IndexByte("0123456789abcdef", c)
		bad = bad || digit < 0
		tasks += bits.OnesCount8(uint8(digit))
	}
	if bad {
		return 0, fmt.Errorf("%w: %q", errMask, shorten(string(mask)))
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

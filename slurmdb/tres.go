package slurmdb

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Ids of trackable resources that are the same in every database.
const (
	tresCPU  = 1
	tresNode = 4
)

// maxProcs bounds the processors of one record; more is a broken row.
const maxProcs = 1 << 31

var errTRES = errors.New("not a TRES string")

// tresCount finds the count of a resource in a TRES string such as
// "1=4,2=1000,4=1". Counts are 64-bit: Slurm writes 18446744073709551614 for
// one it does not know. A resource that is not named counts 0.
func tresCount(s string, id int) (uint64, error) {
	var found uint64
	for rest := s; rest != ""; {
		var item string
		item, rest, _ = strings.Cut(rest, ",")
		if item == "" { // Slurm has written leading commas.
			continue
		}
		name, count, ok := strings.Cut(item, "=")
		if !ok {
			return 0, fmt.Errorf("%w: %q", errTRES, s)
		}
		n, err := strconv.ParseUint(name, 10, 32)
		if err != nil {
			return 0, fmt.Errorf("%w: %q", errTRES, s)
		}
		c, err := strconv.ParseUint(count, 10, 64)
		if err != nil {
			return 0, fmt.Errorf("%w: %q", errTRES, s)
		}
		if n == uint64(id) && c < math.MaxUint64-1 {
			found = c
		}
	}
	return found, nil
}

package slurmdb

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strconv"

	"slurm-ostrich/ostrich/accounting"
)

var errTRES = errors.New("not a TRES string")

// readTRES reads a TRES string such as "1=4,2=1000,4=1". Counts are 64-bit: Slurm
// writes 18446744073709551614 for an unknown one. A resource that the string does
// not name counts 0. If the string is malformed, all do.
func readTRES(s []byte) (accounting.TRES, error) {
	var (
		t   accounting.TRES
		bad error
	)
	number := func(digits []byte, size int) uint64 {
		n, err := strconv.ParseUint(string(digits), 10, size)
		if err != nil {
			bad = err
		}
		return n
	}
	for item := range bytes.SplitSeq(s, []byte{','}) {
		if len(item) == 0 { // Slurm has written leading commas.
			continue
		}
		name, count, _ := bytes.Cut(item, []byte{'='})
		id, n := number(name, 32), number(count, 64)
		if bad != nil {
			return accounting.TRES{}, fmt.Errorf("%w: %q", errTRES, shorten(string(s)))
		}
		if n >= math.MaxUint64-1 {
			continue
		}
		switch id { // the same in every database
		case 1:
			t.CPUs = n
		case 2:
			t.Memory = n
		case 4:
			t.Nodes = n
		case 5:
			t.Billing = n
		}
	}
	return t, nil
}

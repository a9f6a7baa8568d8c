package slurmdb

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"strings"
)

// Ids of trackable resources that are the same in every database.
const (
	tresCPU  = 1
	tresNode = 4
)

// maxProcs is the most processors that a record may have; a row with more is
// broken.
const maxProcs = 1 << 31

var errTRES = errors.New("not a TRES string")

// tresCount returns the count of a resource in a TRES string such as
// "1=4,2=1000,4=1". Counts are 64-bit: Slurm writes 18446744073709551614 for an
// unknown one. A resource that the string does not name counts 0.
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
			return 0, fmt.Errorf("%w: %q", errTRES, shorten(s))
		}
		n, err := strconv.ParseUint(name, 10, 32)
		if err != nil {
			return 0, fmt.Errorf("%w: %q", errTRES, shorten(s))
		}
		c, err := strconv.ParseUint(count, 10, 64)
		if err != nil {
			return 0, fmt.Errorf("%w: %q", errTRES, shorten(s))
		}
		if n == uint64(id) && c < math.MaxUint64-1 {
			found = c
		}
	}
	return found, nil
}

// TRES holds the resources of a TRES string that jobs are described by.
type TRES struct {
	CPUs, Nodes, Billing uint64
	Memory               uint64 // MiB
}

// Ids of more resources that are the same in every database.
const (
	tresMemory  = 2 // MiB
	tresBilling = 5
)

// readTRES reads a whole TRES string. A malformed count is 0; tresCount returns
// the error.
func readTRES(s []byte) (t TRES) {
	var id, n uint64
	counting := false
	for i := 0; i <= len(s); i++ {
		switch {
		case i == len(s) || s[i] == ',':
			if counting && n < math.MaxUint64-1 {
				switch id {
				case tresCPU:
					t.CPUs = n
				case tresMemory:
					t.Memory = n
				case tresNode:
					t.Nodes = n
				case tresBilling:
					t.Billing = n
				}
			}
			id, n, counting = 0, 0, false
		case s[i] == '=':
			id, n, counting = n, 0, true
		case '0' <= s[i] && s[i] <= '9':
			if high, low := bits.Mul64(n, 10); high == 0 && low+uint64(s[i]-'0') >= low {
				n = low + uint64(s[i]-'0')
			} else {
				return TRES{}
			}
		default:
			return TRES{}
		}
	}
	return t
}

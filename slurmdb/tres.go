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

// TRES is what a TRES string counts of the resources that jobs are told by.
type TRES struct {
	CPUs, Nodes, Billing uint64
	Memory               uint64 // MiB
}

// Ids of more resources that are the same in every database.
const (
	tresMemory  = 2 // MiB
	tresBilling = 5
)

// readTRES reads a TRES string at once. What is malformed counts 0: tresCount
// tells of it.
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

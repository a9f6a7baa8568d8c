package solver

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"slurm-ostrich/ostrich/optimal"
)

// answer is what cbc found out.
type answer struct {
	starts  []float64 // of the jobs; nil without a schedule
	bound   float64   // no schedule has a smaller value; 0 if it knows of none
	optimal bool
}

var errNoAnswer = errors.New("its answer cannot be read")

// parse reads what cbc prints, where the bound is, and its solution: a line with
// the status, then the number, name, value and reduced cost of columns, those that
// are 0 perhaps left out.
func parse(m *optimal.Model, printed, solution []byte) (answer, error) {
	status, rest, _ := strings.Cut(string(solution), "\n")
	a := answer{}
	for line := range strings.SplitSeq(string(printed), "\n") {
		text, found := strings.CutPrefix(line, "Lower bound:")
		if !found {
			continue
		}
		bound, err := number(strings.TrimSpace(text))
		if err != nil {
			return answer{}, err
		}
		a.bound = max(0, bound)
	}
	switch {
	case strings.Contains(status, "no integer solution"):
		return a, nil
	case strings.HasPrefix(status, "Optimal"):
		_, text, _ := strings.Cut(status, "objective value ")
		value, err := number(strings.TrimSpace(text))
		if err != nil {
			return answer{}, err
		}
		a.bound, a.optimal = max(0, value), true
	case strings.HasPrefix(status, "Stopped on"):
	default:
		return answer{}, fmt.Errorf("%w: %.60q", errNoAnswer, status)
	}
	columns := make(map[string]int, len(m.Starts))
	for j, c := range m.Starts {
		columns[m.Columns[c].Name] = j
	}
	a.starts = make([]float64, len(m.Starts))
	for line := range strings.SplitSeq(rest, "\n") {
		f := strings.Fields(strings.TrimPrefix(line, "**")) // stars mark what misses a tolerance
		if len(f) == 0 {
			continue
		}
		if len(f) != 4 {
			return answer{}, fmt.Errorf("%w: %.60q", errNoAnswer, line)
		}
		if j, ok := columns[f[1]]; ok {
			var err error
			if a.starts[j], err = number(f[2]); err != nil {
				return answer{}, err
			}
		}
	}
	return a, nil
}

func number(text string) (float64, error) {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
		return 0, fmt.Errorf("%w: %.40q is no number", errNoAnswer, text)
	}
	return x, nil
}

package solver

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"slurm-ostrich/ostrich/optimal"
)

// answer is what a program found out.
type answer struct {
	starts  []float64 // of the jobs; nil without a schedule
	bound   float64   // no schedule has a smaller value; 0 if the program knows of none
	optimal bool
}

var errNoAnswer = errors.New("its answer cannot be read")

// parseCBC reads what cbc prints, where the bound is, and its solution: a line with
// the status, then the number, name, value and reduced cost of columns, those that
// are 0 perhaps left out.
func parseCBC(m *optimal.Model, printed, solution []byte) (answer, error) {
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

// parseGLPSOL reads what glpsol prints, where the bound stands behind ">=", and its
// solution: "s mip ROWS COLUMNS STATUS VALUE", then "j COLUMN VALUE" for each.
func parseGLPSOL(m *optimal.Model, printed, solution []byte) (answer, error) {
	a := answer{}
	for line := range strings.SplitSeq(string(printed), "\n") {
		before, after, found := strings.Cut(line, ">=")
		if f := strings.Fields(after); found && strings.HasPrefix(before, "+") && len(f) > 0 && f[0] != "tree" {
			bound, err := strconv.ParseFloat(f[0], 64)
			if err != nil || math.IsNaN(bound) {
				return answer{}, fmt.Errorf("%w: %.60q", errNoAnswer, line)
			}
			a.bound = max(a.bound, bound)
		}
	}
	if math.IsInf(a.bound, 0) {
		return answer{}, fmt.Errorf("%w: an infinite bound", errNoAnswer)
	}
	values, status := make([]float64, len(m.Columns)), ""
	for line := range strings.SplitSeq(string(solution), "\n") {
		f := strings.Fields(line)
		switch {
		case len(f) == 6 && f[0] == "s" && f[1] == "mip":
			status = f[4]
			if status == "o" {
				value, err := number(f[5])
				if err != nil {
					return answer{}, err
				}
				a.bound, a.optimal = max(0, value), true
			}
		case len(f) == 3 && f[0] == "j":
			j, err := strconv.Atoi(f[1])
			if err != nil || j < 1 || j > len(values) {
				return answer{}, fmt.Errorf("%w: %.60q", errNoAnswer, line)
			}
			if values[j-1], err = number(f[2]); err != nil {
				return answer{}, err
			}
		}
	}
	switch status {
	case "u": // none was found
		return a, nil
	case "o", "f":
	default:
		return answer{}, fmt.Errorf("%w: status %.20q", errNoAnswer, status)
	}
	for _, c := range m.Starts {
		a.starts = append(a.starts, values[c])
	}
	return a, nil
}

// number reads a finite number.
func number(text string) (float64, error) {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
		return 0, fmt.Errorf("%w: %.40q is no number", errNoAnswer, text)
	}
	return x, nil
}

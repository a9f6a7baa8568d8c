package slurm

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"

	"slurm-ostrich/ostrich/scalar"
)

// GRES is an amount of a generic resource.
type GRES struct {
	Name, Type string // Type is "" for none
	Count      int64
	Free       bool // nobody consumes it (no_consume)
}

// ErrGRES marks a text that is no generic resource.
var ErrGRES = errors.New("not NAME[:TYPE][:COUNT], as in gpu:a100:4(S:0-1)")

// ParseGRES reads generic resources as slurm.conf, scontrol and sbatch write them: "gpu:4",
// "gpu:a100:4(S:0-1)", "gpu:tesla=2", "gpu:2(IDX:0,1)", "bandwidth:lustre:no_consume:4G". A count that
// is not there is 1.
func ParseGRES(text string) ([]GRES, error) {
	var list []GRES
	for item := range splitOutside(text) {
		item, _, _ = strings.Cut(item, "(")
		if item == "" {
			continue
		}
		item = strings.TrimPrefix(item, "gres/")
		item = strings.TrimPrefix(strings.Replace(item, "=", ":", 1), "gres:")
		words := strings.Split(item, ":")
		g := GRES{Name: words[0], Count: 1, Free: slices.Contains(words, "no_consume")}
		rest := slices.DeleteFunc(words[1:], func(word string) bool { return word == "no_consume" })
		if n := len(rest); n > 0 {
			count, is := scalar.Count(rest[n-1], math.MaxInt64>>1)
			switch {
			case is:
				g.Count, rest = count, rest[:n-1]
			case n > 1 || !strings.ContainsFunc(rest[0], unicode.IsLetter): // "1g.5gb" is a type
				return nil, fmt.Errorf("%q: %w", item, ErrGRES)
			}
		}
		if len(rest) > 1 || g.Name == "" {
			return nil, fmt.Errorf("%q: %w", item, ErrGRES)
		}
		if len(rest) == 1 {
			g.Type = rest[0]
		}
		list = append(list, g)
	}
	return list, nil
}

// splitOutside yields what stands between commas outside of parentheses.
func splitOutside(text string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		depth, from := 0, 0
		for i, c := range []byte(text + ",") {
			switch c {
			case '(':
				depth++
			case ')':
				depth--
			case ',':
				if depth <= 0 {
					if !yield(text[from:i]) {
						return
					}
					from = i + 1
				}
			}
		}
	}
}

package main

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// value is a measured figure.
type value struct {
	Part   string  `json:"part"`
	Figure string  `json:"figure"`
	Value  float64 `json:"value"`
	Unit   string  `json:"unit"`
	Most   float64 `json:"most,omitempty"`  // of the envelope; 0: it has none
	Ratio  float64 `json:"ratio,omitempty"` // of the value to that
}

var (
	// benchmark is a line of go test -bench: name, iterations, results with their units. The
	// number of processors stands after the name if it is not 1.
	benchmark = regexp.MustCompile(`(?m)^(Benchmark\S+?)(?:-\d+)?[ \t]+\d+[ \t]+(.*)$`)
	// attribute is a line of go test -v for testing.T.Attr.
	attribute = regexp.MustCompile(`(?m)^=== ATTR +\S+ (\S+) (.*)$`)
)

// read returns the figures of a part from what go test has printed. Where something is
// measured several times the last one counts.
func (p *part) read(output string) ([]value, error) {
	found := make(map[[2]string]float64)
	for _, m := range benchmark.FindAllStringSubmatch(output, -1) {
		words := strings.Fields(m[2])
		for i := 0; i+1 < len(words); i += 2 {
			v, err := strconv.ParseFloat(words[i], 64)
			if err != nil {
				return nil, fmt.Errorf("%s: %s: %q is no number", p.name, m[1], words[i])
			}
			found[[2]string{m[1], words[i+1]}] = v
		}
	}
	for _, m := range attribute.FindAllStringSubmatch(output, -1) {
		if v, err := strconv.ParseFloat(m[2], 64); err == nil { // others are words
			found[[2]string{"", m[1]}] = v
		}
	}
	var list []value
	for _, f := range p.figures {
		v, ok := found[[2]string{f.from, f.metric}]
		if !ok {
			return nil, fmt.Errorf("%s: %s: go test printed no %s", p.name, f.name, strings.TrimSpace(f.from+" "+f.metric))
		}
		list = append(list, value{Part: p.name, Figure: f.name, Value: v / f.per, Unit: f.unit})
	}
	return list, nil
}

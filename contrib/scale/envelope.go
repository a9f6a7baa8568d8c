package main

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

//go:embed envelope.json
var builtin []byte

// envelope has the most that a figure may be, by part and figure. What it does not name
// may be anything.
type envelope map[string]map[string]float64

// readEnvelope reads an envelope. It refuses figures that nobody measures.
func readEnvelope(file string, raw []byte) (envelope, error) {
	var e envelope
	if err := json.Unmarshal(raw, &e); err != nil {
		return nil, fmt.Errorf("envelope %s: %w", file, err)
	}
	known := make(map[string]bool)
	for _, p := range parts() {
		for _, f := range p.figures {
			known[p.name+": "+f.name] = true
		}
	}
	for _, part := range slices.Sorted(maps.Keys(e)) {
		for _, name := range slices.Sorted(maps.Keys(e[part])) {
			if !known[part+": "+name] {
				return nil, fmt.Errorf("envelope %s: %s: %s: no part measures it", file, part, name)
			}
			if e[part][name] <= 0 {
				return nil, fmt.Errorf("envelope %s: %s: %s: must be above 0", file, part, name)
			}
		}
	}
	return e, nil
}

// judge sets bound and ratio of each value, and reports whether all are within the envelope.
func (e envelope) judge(values []value) bool {
	within := true
	for i := range values {
		v := &values[i]
		v.Most = e[v.Part][v.Figure]
		if v.Most == 0 {
			continue
		}
		v.Ratio = v.Value / v.Most
		within = within && v.Ratio <= 1
	}
	return within
}

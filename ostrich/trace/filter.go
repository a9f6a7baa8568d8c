package trace

import (
	"fmt"
	"math"
	"slices"
)

// Filter selects a part of a log. The zero value keeps all of it.
type Filter struct {
	// From and Before bound the submit times of the jobs that are kept, in
	// seconds since the start of the log: From ≤ submit < Before. 0 is no
	// bound.
	From, Before int64
	// Users keeps only the jobs of these users; if it is empty, Filter keeps
	// those of all.
	Users []int64
	// Load multiplies the load by dividing the times between submissions: with
	// 1.25, what came in 100 s comes in 80 s. Run times, logged waits and
	// submissions before the start of the log stay. 0 and 1 change nothing.
	Load float64
}

// Apply returns the part of the log that the filter selects, with the header. The
// first submission keeps its time.
func (f Filter) Apply(l *Log) (*Log, error) {
	switch {
	case f.From < 0:
		return nil, fmt.Errorf("trace: filter: a window from %d s", f.From)
	case f.Before < 0 || f.Before > 0 && f.Before <= f.From:
		return nil, fmt.Errorf("trace: filter: a window from %d s to %d s", f.From, f.Before)
	case f.Load < 0 || math.IsNaN(f.Load) || math.IsInf(f.Load, 0):
		return nil, fmt.Errorf("trace: filter: a load of %v times the logged one", f.Load)
	}
	if f.From == 0 && f.Before == 0 && len(f.Users) == 0 && (f.Load == 0 || f.Load == 1) {
		return l, nil
	}
	part := *l
	part.Records = nil
	for i := range l.Records {
		r := &l.Records[i]
		if (f.From == 0 || r.Submit >= f.From) && (f.Before == 0 || r.Submit < f.Before) && (len(f.Users) == 0 || slices.Contains(f.Users, r.User)) {
			part.Records = append(part.Records, *r)
		}
	}
	if len(part.Records) == 0 {
		return nil, fmt.Errorf("trace: filter: %w is left of %d", ErrEmpty, len(l.Records))
	}
	if f.Load == 0 || f.Load == 1 {
		return &part, nil
	}
	first := int64(math.MaxInt64)
	for i := range part.Records {
		if at := part.Records[i].Submit; at >= 0 {
			first = min(first, at)
		}
	}
	for i := range part.Records {
		r := &part.Records[i]
		if r.Submit < 0 {
			continue
		}
		at := math.Round(float64(r.Submit-first) / f.Load)
		if at > float64(math.MaxInt64/4) {
			return nil, fmt.Errorf("trace: filter: with a load of %v times the logged one, job %d comes too late", f.Load, r.Number)
		}
		r.Submit = first + int64(at)
	}
	return &part, nil
}

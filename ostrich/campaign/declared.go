package campaign

import (
	"maps"

	"slurm-ostrich/ostrich/scalar"
)

// Gap is how long jobs may still join a declared campaign after its last job has ended:
// seven days. While a job is unfinished they always may.
const Gap scalar.Duration = 7 * 86400

// Past reports whether a declared campaign whose last job ended at the given time can
// no longer be joined.
func Past(ended, now scalar.Time) bool { return scalar.Duration(now-ended) > Gap }

// Declared holds the campaigns that a user has declared, by name. C is what the caller
// keeps of a campaign. The zero value is empty.
type Declared[C any] struct {
	byName map[string]C
	sweep  int // how many there may be before those of the past are forgotten
}

// Find returns the campaign of a name. If there is none, or it is past, open makes it.
// Campaigns of the past are forgotten now and then, so the cost of one does not grow with
// their number.
func (d *Declared[C]) Find(name string, past func(C) bool, open func() C) C {
	if c, ok := d.byName[name]; ok && !past(c) {
		return c
	}
	if len(d.byName) >= d.sweep {
		maps.DeleteFunc(d.byName, func(_ string, c C) bool { return past(c) })
		d.sweep = max(16, 2*len(d.byName))
	}
	if d.byName == nil {
		d.byName = make(map[string]C)
	}
	c := open()
	d.byName[name] = c
	return c
}

// Clone returns a copy that holds what duplicate makes of each campaign.
func (d Declared[C]) Clone(duplicate func(C) C) Declared[C] {
	d.byName = maps.Clone(d.byName)
	for name, c := range d.byName {
		d.byName[name] = duplicate(c)
	}
	return d
}

package optimal

import (
	"math"
	"slices"

	"slurm-ostrich/ostrich"
)

// never is after every schedule.
const never = ostrich.Duration(math.MaxInt64 / 4)

// A profile is how many processors are free over time. Step i lasts from its time
// to that of the next one; the last one lasts for ever, with the whole machine
// free.
type profile []step

type step struct {
	at   ostrich.Duration
	free int
}

// newProfile is the machine with what runs on it.
func newProfile(in *Instance) profile {
	p := profile{{free: in.Procs}}
	for _, r := range in.Running {
		p.use(0, r.Procs, r.Left)
	}
	return p
}

// earliest returns the first time, not before from, from which procs processors are free
// for length.
func (p profile) earliest(from ostrich.Duration, procs int, length ostrich.Duration) ostrich.Duration {
	start := from
	for i := p.find(from); i < len(p); i++ {
		if p[i].free < procs {
			start = never
			continue
		}
		if start == never {
			start = p[i].at
		}
		if i+1 == len(p) || p[i+1].at >= start+length {
			break
		}
	}
	return start
}

// fits reports whether procs processors are free at a time, and for length.
func (p profile) fits(at ostrich.Duration, procs int, length ostrich.Duration) bool {
	for i := p.find(at); i < len(p) && p[i].at < at+length; i++ {
		if p[i].free < procs {
			return false
		}
	}
	return true
}

// use takes processors that are free.
func (p *profile) use(start ostrich.Duration, procs int, length ostrich.Duration) {
	first := p.cut(start)
	last := p.cut(start + length)
	for i := first; i < last; i++ {
		(*p)[i].free -= procs
	}
}

// cut makes a step begin at a time, and returns its index.
func (p *profile) cut(at ostrich.Duration) int {
	i := p.find(at)
	if (*p)[i].at == at {
		return i
	}
	*p = slices.Insert(*p, i+1, step{at, (*p)[i].free})
	return i + 1
}

// find returns the step in which a time lies.
func (p profile) find(at ostrich.Duration) int {
	low, high := 0, len(p)
	for high-low > 1 {
		mid := int(uint(low+high) / 2)
		if p[mid].at <= at {
			low = mid
		} else {
			high = mid
		}
	}
	return low
}

package sacct

import "time"

// civil is the time on a wall clock, as the seconds since 1970 that it would be
// in UTC.
type civil int64

// moments are when a wall clock shows a time: usually once, twice where the
// clocks are put back, and never where they are put forward.
type moments struct {
	first, second int64 // Unix; the same unless the time exists twice
	missing       bool  // the clocks skip the time; both are when it would be without the change
}

// zoneSpan is more than the distance, on the wall clock, of two changes of a
// zone's offset: offsets are within 14 hours of UTC.
const zoneSpan = 26 * 3600

// in finds when the clocks of a zone show the time.
func (c civil) in(loc *time.Location) moments {
	_, before := time.Unix(int64(c)-zoneSpan, 0).In(loc).Zone()
	_, after := time.Unix(int64(c)+zoneSpan, 0).In(loc).Zone()
	early, late := int64(c)-int64(before), int64(c)-int64(after)
	earlyIs, lateIs := shows(early, before, loc), shows(late, after, loc)
	switch {
	case earlyIs && lateIs:
		return moments{first: min(early, late), second: max(early, late)}
	case earlyIs:
		return moments{first: early, second: early}
	case lateIs:
		return moments{first: late, second: late}
	default: // as a clock shows it that was not put forward
		return moments{first: early, second: early, missing: true}
	}
}

// shows reports whether a zone has this offset at a moment.
func shows(unix int64, offset int, loc *time.Location) bool {
	_, is := time.Unix(unix, 0).In(loc).Zone()
	return is == offset
}

// zone turns wall-clock times into moments. While the offset has not changed for
// long, that costs one addition.
type zone struct {
	loc      *time.Location
	from, to civil // the known offset holds between these
	offset   int64
}

func (z *zone) in(c civil) moments {
	if z.from <= c && c < z.to {
		t := int64(c) - z.offset
		return moments{first: t, second: t}
	}
	m := c.in(z.loc)
	if m.missing || m.first != m.second {
		return m
	}
	start, end := time.Unix(m.first, 0).In(z.loc).ZoneBounds()
	z.offset = int64(c) - m.first
	z.from, z.to = civil(m.first-365*86400), civil(m.first+365*86400)
	if !start.IsZero() {
		z.from = max(z.from, civil(start.Unix()+2*zoneSpan))
	}
	if !end.IsZero() {
		z.to = min(z.to, civil(end.Unix()-2*zoneSpan))
	}
	return m
}

package sacct

import (
	"bytes"
	"cmp"
	"math"
	"time"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting"
	"slurm-ostrich/ostrich/internal/lines"
)

// when reads the times of a job, and decides between the two moments of a time
// that the clocks showed twice.
func (d *dump) when(j *accounting.Job) error {
	var at [4]moments
	for i, c := range []column{colSubmit, colEligible, colStart, colEnd} {
		m, ok := at[0], c == colEligible && bytes.Equal(d.values[c], d.values[colSubmit]) // as most are
		if !ok {
			m, ok = d.moment(d.values[c])
		}
		if !ok {
			return d.bad(c, "not a time such as 2024-03-01T10:00:00, which sacct writes without SLURM_TIME_FORMAT")
		}
		if m.missing {
			d.missing++
		}
		at[i] = m
	}
	submit, eligible, start, end := at[0], at[1], at[2], at[3]
	if submit.first == 0 {
		return d.bad(colSubmit, "no time of submission")
	}
	elapsed, known, err := d.elapsed()
	if err != nil {
		return err
	}
	j.Submit, j.Eligible = ostrich.Time(submit.first), ostrich.Time(eligible.first)
	if j.State == accounting.Pending {
		start, end = moments{}, moments{} // Start is the scheduler's estimate.
	}
	if start.first < submit.first && submit.first <= start.second {
		start.first = start.second // it cannot start before its submission
		d.settled++
	}
	d.choose(start, end, elapsed, known, j)
	d.twiceAt(submit, j)
	if known && elapsed > 0 && j.State.Ended() && j.Start > 0 && ostrich.Duration(j.End-j.Start) == elapsed-3600 {
		d.longerHour++
		j.End = j.Start + ostrich.Time(elapsed)
	}
	switch {
	case j.State == accounting.Running:
		j.End = 0 // an estimate, or a time beyond sacct's --endtime
		if j.Start == 0 {
			return d.bad(colStart, "a running job without a start")
		}
	case j.State.Ended() && j.End == 0:
		return d.bad(colEnd, "a job that has ended, without an end")
	case j.Start > 0 && j.End > 0 && j.End < j.Start:
		if j.State != accounting.Cancelled {
			return d.bad(colEnd, "before the job's start")
		}
		j.Start = 0
	case j.End > 0 && j.End < j.Submit-1:
		return d.bad(colEnd, "before the job's submission")
	}
	if j.State.Ended() && (!known || elapsed <= 1) && string(d.values[colNodeList]) == noNodes ||
		j.State.Ended() && (!known || elapsed == 0) && j.Start == j.End && !d.held(j) {
		j.Start = 0 // sacct shows the end as start of a job that never started
	}
	return d.suspended(j, elapsed, known)
}

// held reports whether a job that ended in the second of its start held anything.
// Without a column that says so, a cancelled one did not.
func (d *dump) held(j *accounting.Job) bool {
	if alloc := d.values[colAllocTRES]; alloc != nil {
		return len(alloc) > 0
	}
	return j.State != accounting.Cancelled
}

// twiceAt counts a submission that exists twice: as settled if the job's start or end
// rules out the second moment, else as open. The first moment is taken either way.
func (d *dump) twiceAt(submit moments, j *accounting.Job) {
	if submit.first == submit.second {
		return
	}
	// The second moment cannot be after what followed.
	follows := cmp.Or(j.Start, j.End)
	if follows > 0 && ostrich.Time(submit.second) > follows {
		d.settled++
	} else {
		d.open++
	}
}

// choose decides the start and the end of a job. If either exists twice, it takes
// the pair whose distance is the job's elapsed time; without an elapsed time, the
// first pair.
func (d *dump) choose(start, end moments, elapsed ostrich.Duration, known bool, j *accounting.Job) {
	j.Start, j.End = ostrich.Time(start.first), ostrich.Time(end.first)
	doubtful := 0
	if start.first != start.second {
		doubtful++
	}
	if end.first != end.second {
		doubtful++
	}
	if doubtful == 0 {
		return
	}
	if known && start.first > 0 && end.first > 0 {
		for _, s := range []int64{start.first, start.second} {
			for _, e := range []int64{end.first, end.second} {
				if e-s == int64(elapsed) {
					j.Start, j.End = ostrich.Time(s), ostrich.Time(e)
					d.settled += doubtful
					return
				}
			}
		}
	}
	if j.End > 0 && j.End < j.Start { // Only the second moment can be the end of this start.
		j.End = ostrich.Time(end.second)
	}
	d.open += doubtful
}

// elapsed is how long the job ran, without its suspensions.
func (d *dump) elapsed() (elapsed ostrich.Duration, known bool, err error) {
	if b := d.values[colElapsedRaw]; len(b) > 0 {
		n, ok := lines.Digits(b)
		if !ok {
			return 0, false, d.bad(colElapsedRaw, "not a number of seconds")
		}
		return ostrich.Duration(n), true, nil
	}
	b := d.values[colElapsed]
	if len(b) == 0 || string(b) == "INVALID" {
		return 0, false, nil
	}
	if elapsed, err = parseElapsed(b); err != nil {
		return 0, false, d.bad(colElapsed, err.Error())
	}
	return elapsed, true, nil
}

// suspended sets how long the job was suspended: what sacct says, or what the elapsed
// time lacks.
func (d *dump) suspended(j *accounting.Job, elapsed ostrich.Duration, known bool) error {
	length := ostrich.Duration(0)
	if j.Start > 0 && j.End > 0 {
		length = ostrich.Duration(j.End - j.Start)
	}
	if b := d.values[colSuspended]; len(b) > 0 && string(b) != "INVALID" {
		pause, err := parseElapsed(b)
		if err != nil {
			return d.bad(colSuspended, err.Error())
		}
		j.Suspended = min(pause, length)
		if known && elapsed > 0 && j.State.Ended() && length == elapsed+pause+3600 {
			d.mendedHour++
			j.End -= 3600
		}
		return nil
	}
	if !known || length == 0 {
		return nil
	}
	switch {
	case elapsed > length+1:
		d.longer++
	default:
		if j.Suspended = max(0, length-elapsed); j.Suspended == 3600 && elapsed > 0 {
			d.shorterHour++
		}
	}
	return nil
}

func (d *dump) limit(j *accounting.Job) error {
	if b := d.values[colLimitRaw]; len(b) > 0 {
		if n, ok := lines.Digits(b); ok && n < math.MaxInt32 {
			j.Limit = accounting.AskedLimit(ostrich.Duration(60*n), j.Start != 0)
			return nil
		}
	}
	for _, c := range []column{colLimit, colLimitRaw} {
		if len(d.values[c]) == 0 {
			continue
		}
		limit, ok := readLimit(d.values[c])
		if !ok {
			return d.bad(c, "not [days-]hours:minutes:seconds, minutes or UNLIMITED")
		}
		if limit > 0 {
			j.Limit = accounting.AskedLimit(ostrich.Duration(limit), j.Start != 0)
		}
	}
	return nil
}

// moment reads a time of sacct's output: 2024-03-01T10:00:00 in the zone of the
// dump, the same with Z or an offset, or the seconds since 1970
// (SLURM_TIME_FORMAT=%s). "Unknown", "None" and an empty field are no time.
func (d *dump) moment(b []byte) (moments, bool) {
	switch string(b) {
	case "", "Unknown", "None", "N/A", "Invalid", "INVALID":
		return moments{}, true
	}
	if n, ok := lines.Digits(b); ok {
		return moments{first: n, second: n}, n < 1<<40
	}
	if len(b) < 19 {
		return moments{}, false
	}
	c, ok := readCivil(b[:19])
	if !ok {
		return moments{}, false
	}
	if zone := b[19:]; len(zone) > 0 {
		offset, ok := readOffset(zone)
		t := int64(c) - offset
		return moments{first: t, second: t}, ok && t > 0
	}
	m := d.zone.in(c)
	return m, m.first > 0
}

// two reads a number of two digits; -1 is none.
func two(b []byte, at int) int {
	tens, ones := b[at]-'0', b[at+1]-'0'
	if tens > 9 || ones > 9 {
		return -1
	}
	return int(10*tens + ones)
}

// readCivil reads 2024-03-01T10:00:00, or the same with a blank.
func readCivil(b []byte) (civil, bool) {
	century, year, month, day, hour, minute, second := two(b, 0), two(b, 2), two(b, 5), two(b, 8), two(b, 11), two(b, 14), two(b, 17)
	switch {
	case century|year|month|day|hour|minute|second < 0, b[4] != '-' || b[7] != '-' || b[10] != 'T' && b[10] != ' ' || b[13] != ':' || b[16] != ':':
		return 0, false
	case month < 1 || month > 12 || day < 1 || hour > 23 || minute > 59 || second > 59:
		return 0, false
	}
	if year += 100 * century; year < 1970 || day > daysIn(year, month) {
		return 0, false
	}
	return civil(86400*(daysBefore(year, month)+day-1) + 3600*hour + 60*minute + second), true
}

// daysIn returns how many days a month has.
func daysIn(year, month int) int {
	switch {
	case month == 2 && (year%4 != 0 || year%100 == 0 && year%400 != 0):
		return 28
	case month == 2:
		return 29
	}
	return 30 + (month+month>>3)&1
}

// daysBefore returns how many days there were from 1970 to the first of a month. Years begin in March
// here, so that a leap day is the last of one.
func daysBefore(year, month int) int {
	if month -= 3; month < 0 {
		year, month = year-1, month+12
	}
	const since = 719468 // days from March of the year 0 to 1970
	return 365*year + year/4 - year/100 + year/400 + (153*month+2)/5 - since
}

// readOffset reads "Z", "+02:00", "+0200" or "+02".
func readOffset(b []byte) (seconds int64, ok bool) {
	for _, layout := range []string{"Z07:00", "Z0700", "Z07"} {
		if t, err := time.Parse(layout, string(b)); err == nil {
			_, offset := t.Zone()
			return int64(offset), -15*3600 < offset && offset < 15*3600
		}
	}
	return 0, false
}

package accounting

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"slurm-ostrich/ostrich"
)

var errTime = errors.New("not a time")

// TimeSyntax lists what ParseTime reads, for help texts.
const TimeSyntax = "HH:MM[:SS] [AM|PM], MMDD[YY], MM/DD[/YY], MM.DD[.YY], MM/DD[/YY]-HH:MM[:SS], YYYY-MM-DD[THH:MM[:SS]], " +
	"today, tomorrow, midnight, noon, elevenses, fika, teatime, now[{+|-}count[seconds|minutes|hours|days|weeks]], uts<seconds>"

// named are the words for a time of day.
var named = []struct {
	word string
	hour int
}{{"midnight", 0}, {"noon", 12}, {"elevenses", 11}, {"fika", 15}, {"teatime", 16}}

// units are what a count after now counts. A unit may be given in one or many.
var units = []struct {
	word    string
	seconds int64
}{{"second", 1}, {"minute", 60}, {"hour", 3600}, {"day", 86400}, {"week", 604800}}

// ParseTime reads a time as sacct does for --starttime and --endtime: see
// TimeSyntax. Dates and words may be put together in any order: "noon 03/01",
// "today 8:30". What is not told is taken from now and lies in the past where
// the date has no year: a month later than that of now is last year's. A time
// without a date is today's, even if it is still to come. A time that does not
// exist for a change of the clocks is that much later, and of two the first is
// taken. The syntax is that of parse_time(3) in Slurm's src/common/parse_time.c
// with its "past" set. Other than there, a date must be in the calendar
// ("02/30" is an error), two dates or two times of day are an error, and so is
// what has neither.
func ParseTime(s string, now time.Time, loc *time.Location) (ostrich.Time, error) {
	if loc == nil {
		loc = time.UTC
	}
	p := timeParser{rest: s, now: now.In(loc)}
	if err := p.parse(); err != nil {
		return 0, fmt.Errorf("time %q: %w", s, err)
	}
	t, err := p.time(loc)
	if err != nil {
		return 0, fmt.Errorf("time %q: %w", s, err)
	}
	return t, nil
}

// timeParser takes a time apart.
type timeParser struct {
	rest string
	now  time.Time

	exact            ostrich.Time // of now and uts
	isExact          bool
	dated, timed     bool
	year, month, day int // year 0: not told
	hour, min, sec   int
}

func (p *timeParser) parse() error {
	for {
		p.rest = strings.TrimLeft(p.rest, " \t")
		if p.rest == "" {
			break
		}
		if len(p.rest) > 1 && (p.dated || p.timed) && '0' <= p.rest[1] && p.rest[1] <= '9' {
			p.skip("-T") // Between a date and a time of day.
		}
		if err := p.part(); err != nil {
			return err
		}
	}
	if !p.isExact && !p.dated && !p.timed {
		return errTime
	}
	if p.isExact && (p.dated || p.timed) {
		return errors.New("a moment, and a date or a time of day as well")
	}
	return nil
}

// part reads one date, time of day or word.
func (p *timeParser) part() error {
	switch {
	case p.word("today"):
		return p.date(p.now.Year(), int(p.now.Month()), p.now.Day())
	case p.word("tomorrow"):
		next := p.now.Add(24 * time.Hour)
		return p.date(next.Year(), int(next.Month()), next.Day())
	case p.word("now"):
		return p.offset()
	case p.word("uts"):
		n, err := p.number(1, 12)
		if err != nil || n < 1_000_000 || p.rest != "" {
			return errors.New("uts is followed by seconds since 1970, at least 1000000")
		}
		return p.moment(ostrich.Time(n))
	}
	for _, n := range named {
		if p.word(n.word) {
			return p.clock(n.hour, 0, 0)
		}
	}
	switch {
	case len(p.rest) > 1 && p.rest[1] == ':', len(p.rest) > 2 && p.rest[2] == ':':
		return p.timeOfDay()
	case len(p.rest) > 7 && p.rest[4] == '-':
		return p.isoDate()
	}
	return p.monthDate()
}

// word takes a word away, in any case.
func (p *timeParser) word(w string) bool {
	if len(p.rest) < len(w) || !strings.EqualFold(p.rest[:len(w)], w) {
		return false
	}
	p.rest = p.rest[len(w):]
	return true
}

// number takes a number of few digits away.
func (p *timeParser) number(least, most int) (int64, error) {
	n := 0
	for n < len(p.rest) && n < most && '0' <= p.rest[n] && p.rest[n] <= '9' {
		n++
	}
	if n < least {
		return 0, fmt.Errorf("%w, at %q", errTime, p.rest)
	}
	v, err := strconv.ParseInt(p.rest[:n], 10, 64)
	p.rest = p.rest[n:]
	return v, err
}

// skip takes one of some bytes away.
func (p *timeParser) skip(these string) bool {
	if p.rest == "" || !strings.Contains(these, p.rest[:1]) {
		return false
	}
	p.rest = p.rest[1:]
	return true
}

func (p *timeParser) moment(t ostrich.Time) error {
	if p.isExact {
		return errors.New("two moments")
	}
	p.exact, p.isExact = t, true
	return nil
}

func (p *timeParser) date(year, month, day int) error {
	if p.dated {
		return errors.New("two dates")
	}
	if month < 1 || month > 12 || day < 1 || day > 31 {
		return fmt.Errorf("no month %d with a day %d", month, day)
	}
	p.dated, p.year, p.month, p.day = true, year, month, day
	return nil
}

func (p *timeParser) clock(hour, minute, second int) error {
	if p.timed {
		return errors.New("two times of day")
	}
	if hour > 23 || minute > 59 || second > 59 {
		return fmt.Errorf("no %02d:%02d:%02d in a day", hour, minute, second)
	}
	p.timed, p.hour, p.min, p.sec = true, hour, minute, second
	return nil
}

// offset reads what follows now: nothing, or a sign, a count and a unit.
func (p *timeParser) offset() error {
	p.rest = strings.TrimLeft(p.rest, " \t")
	sign := int64(1)
	switch {
	case p.rest == "":
		return p.moment(ostrich.Time(p.now.Unix()))
	case p.skip("-"):
		sign = -1
	case !p.skip("+"):
		return errors.New("after now comes + or -")
	}
	p.rest = strings.TrimLeft(p.rest, " \t")
	n, err := p.number(1, 12)
	if err != nil {
		return errors.New("after now+ or now- comes a count")
	}
	p.rest = strings.TrimLeft(p.rest, " \t")
	for _, u := range units {
		if p.word(u.word) {
			p.skip("sS")
			n *= u.seconds
			break
		}
	}
	if p.rest = strings.TrimLeft(p.rest, " \t"); p.rest != "" {
		return fmt.Errorf("%q: not seconds, minutes, hours, days or weeks", p.rest)
	}
	return p.moment(ostrich.Time(p.now.Unix() + sign*n))
}

// timeOfDay reads HH:MM[:SS] [AM|PM].
func (p *timeParser) timeOfDay() error {
	hour, err := p.number(1, 2)
	if err != nil {
		return err
	}
	var minute, second int64
	if !p.skip(":") {
		return fmt.Errorf("%w of day", errTime)
	}
	if minute, err = p.number(2, 2); err != nil {
		return err
	}
	if p.skip(":") {
		if second, err = p.number(2, 2); err != nil {
			return err
		}
	}
	p.rest = strings.TrimLeft(p.rest, " \t")
	switch {
	case p.word("pm"):
		if hour > 12 {
			return fmt.Errorf("no %d PM", hour)
		}
		hour = hour%12 + 12
	case p.word("am"):
		if hour > 12 {
			return fmt.Errorf("no %d AM", hour)
		}
		hour %= 12
	}
	return p.clock(int(hour), int(minute), int(second))
}

// isoDate reads YYYY-MM-DD.
func (p *timeParser) isoDate() error {
	year, err := p.number(4, 4)
	if err != nil {
		return err
	}
	p.skip("-")
	month, err := p.number(1, 2)
	if err != nil {
		return err
	}
	if !p.skip("-") {
		return fmt.Errorf("%w: a date is YYYY-MM-DD", errTime)
	}
	day, err := p.number(1, 2)
	if err != nil {
		return err
	}
	if year < 1970 {
		return errors.New("before 1970")
	}
	return p.date(int(year), int(month), int(day))
}

// monthDate reads MMDD[YY], MM/DD[/YY] or MM.DD[.YY].
func (p *timeParser) monthDate() error {
	month, err := p.number(1, 2)
	if err != nil {
		return err
	}
	p.skip("./")
	day, err := p.number(1, 2)
	if err != nil {
		return err
	}
	year := int64(0)
	if p.skip("./") || p.rest != "" && '0' <= p.rest[0] && p.rest[0] <= '9' {
		if year, err = p.number(2, 2); err != nil {
			return err
		}
		year += 2000
	}
	return p.date(int(year), int(month), int(day))
}

// time puts the parts together.
func (p *timeParser) time(loc *time.Location) (ostrich.Time, error) {
	if p.isExact {
		if p.exact <= 0 {
			return 0, errors.New("before 1970")
		}
		return p.exact, nil
	}
	if !p.dated {
		p.year, p.month, p.day = p.now.Year(), int(p.now.Month()), p.now.Day()
	}
	if p.year == 0 {
		p.year = p.now.Year()
		if p.month > int(p.now.Month()) {
			p.year--
		}
	}
	d := time.Date(p.year, time.Month(p.month), p.day, 0, 0, 0, 0, time.UTC)
	if d.Day() != p.day {
		return 0, fmt.Errorf("no day %d in month %d of %d", p.day, p.month, p.year)
	}
	m := civil(d.Unix() + int64(p.hour*3600+p.min*60+p.sec)).in(loc)
	return ostrich.Time(m.first), nil
}

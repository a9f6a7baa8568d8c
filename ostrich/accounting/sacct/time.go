package sacct

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"slurm-ostrich/ostrich"
)

var errTime = errors.New("not a time such as 2024-03-01T10:00:00, 03/01, today or now-3days")

// The parts of a time: a word, a time of day, an ISO date, a date without its
// century, and moments, which stand alone.
var (
	word      = regexp.MustCompile(`^(?i:today|tomorrow|midnight|noon)`)
	timeOfDay = regexp.MustCompile(`^(\d{1,2}):(\d\d)(?::(\d\d))?(?:[ \t]*(?i:(am|pm)))?`)
	isoDate   = regexp.MustCompile(`^(\d{4})-(\d{1,2})-(\d{1,2})`)
	monthDate = regexp.MustCompile(`^(?:(\d\d)[./]?|(\d)[./])(\d{1,2})(?:[./]?(\d\d))?`)
	fromNow   = regexp.MustCompile(`^(?i:now)[ \t]*(?:([+-])[ \t]*(\d{1,12})[ \t]*(?i:(second|minute|hour|day|week)s?)?[ \t]*)?$`)
	epoch     = regexp.MustCompile(`^(?i:uts)(\d{1,12})$`)
)

// units are the units of a count after now; without a unit it counts seconds.
var units = map[string]int64{"": 1, "second": 1, "minute": 60, "hour": 3600, "day": 86400, "week": 604800}

// ParseTime reads a time as sacct does for --starttime and --endtime:
//
//	YYYY-MM-DD[THH:MM[:SS]], MM/DD[/YY][-HH:MM[:SS]], MM.DD[.YY], MMDD[YY]
//	HH:MM[:SS] [AM|PM], today, tomorrow, midnight, noon
//	now[{+|-}count[seconds|minutes|hours|days|weeks]], uts<seconds>
//
// Dates, words and times of day may be combined in any order: "noon 03/01",
// "today 8:30". Missing parts come from now. A date without a year lies in the
// past: a later month than now's is last year's. A time without a date is
// today's, even if it is still to come. A time that a change of the clocks skips
// moves on by what was skipped; of a time that exists twice, the first counts. The syntax
// is that of parse_time(3) in Slurm's src/common/parse_time.c with its "past"
// set, without its words elevenses, fika and teatime. Stricter than there, a date
// must be in the calendar ("02/30" is an error), and two dates, two times of day
// or neither are errors.
func ParseTime(s string, now time.Time, loc *time.Location) (ostrich.Time, error) {
	if loc == nil {
		loc = time.UTC
	}
	t, err := parseTime(strings.TrimLeft(s, " \t"), now.In(loc))
	if err != nil {
		return 0, fmt.Errorf("time %q: %w", s, err)
	}
	return t, nil
}

func parseTime(s string, now time.Time) (ostrich.Time, error) {
	if m := fromNow.FindStringSubmatch(s); m != nil {
		t := now.Unix() + number(m[1]+m[2])*units[strings.ToLower(m[3])]
		if t <= 0 {
			return 0, errors.New("before 1970")
		}
		return ostrich.Time(t), nil
	}
	if m := epoch.FindStringSubmatch(s); m != nil {
		if n := number(m[1]); n >= 1_000_000 {
			return ostrich.Time(n), nil
		}
	}
	switch strings.ToLower(s[:min(3, len(s))]) {
	case "now":
		return 0, errors.New("now is followed by nothing, or by + or -, a count and seconds, minutes, hours, days or weeks")
	case "uts":
		return 0, errors.New("uts is followed by seconds since 1970, at least 1000000")
	}
	p := timeParts{now: now, clock: -1}
	for s != "" {
		rest, err := p.next(s)
		if err != nil {
			return 0, err
		}
		s = strings.TrimLeft(rest, " \t")
		if len(s) > 1 && (s[0] == '-' || s[0] == 'T') && '0' <= s[1] && s[1] <= '9' {
			s = s[1:] // between a date and a time of day
		}
	}
	if p.date.IsZero() && p.clock < 0 {
		return 0, errTime
	}
	if p.date.IsZero() {
		year, month, day := now.Date()
		p.date = time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
	}
	shown := civil(p.date.Unix() + max(0, p.clock))
	return ostrich.Time(shown.in(now.Location()).first), nil
}

// number returns the value of at most 12 digits; of none, 0.
func number(digits string) int64 {
	n, _ := strconv.ParseInt(digits, 10, 64) // The patterns admit digits only.
	return n
}

// timeParts are the date and the time of day of a time.
type timeParts struct {
	now   time.Time
	date  time.Time // its midnight, as UTC has it; zero if it is not given
	clock int64     // seconds of the day; -1 if it is not given
}

func (p *timeParts) next(s string) (rest string, err error) {
	if m := word.FindStringSubmatch(s); m != nil {
		switch strings.ToLower(m[0]) {
		case "today":
			err = p.setDate(p.now.Date())
		case "tomorrow":
			err = p.setDate(p.now.Add(24 * time.Hour).Date())
		case "midnight":
			err = p.setClock(0, 0, 0)
		case "noon":
			err = p.setClock(12, 0, 0)
		}
		return s[len(m[0]):], err
	}
	if m := timeOfDay.FindStringSubmatch(s); m != nil {
		hour := int(number(m[1]))
		if m[4] != "" {
			if hour > 12 {
				return "", fmt.Errorf("no %d %s", hour, strings.ToUpper(m[4]))
			}
			hour %= 12
		}
		if strings.EqualFold(m[4], "pm") {
			hour += 12
		}
		return s[len(m[0]):], p.setClock(hour, int(number(m[2])), int(number(m[3])))
	}
	if len(s) > 7 && s[4] == '-' {
		m := isoDate.FindStringSubmatch(s)
		if m == nil {
			return "", fmt.Errorf("%w: a date is YYYY-MM-DD", errTime)
		}
		year := int(number(m[1]))
		if year < 1970 {
			return "", errors.New("before 1970")
		}
		return s[len(m[0]):], p.setDate(year, time.Month(number(m[2])), int(number(m[3])))
	}
	m := monthDate.FindStringSubmatch(s)
	if m == nil {
		return "", fmt.Errorf("%w, at %q", errTime, s)
	}
	month, year := time.Month(number(m[1]+m[2])), 2000+int(number(m[4]))
	if m[4] == "" {
		if year = p.now.Year(); month > p.now.Month() {
			year--
		}
	}
	if rest = s[len(m[0]):]; m[4] == "" && rest != "" && '0' <= rest[0] && rest[0] <= '9' {
		return "", fmt.Errorf("%w, at %q", errTime, rest)
	}
	return rest, p.setDate(year, month, int(number(m[3])))
}

func (p *timeParts) setDate(year int, month time.Month, day int) error {
	if !p.date.IsZero() {
		return errors.New("two dates")
	}
	p.date = time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
	if p.date.Month() != month || p.date.Day() != day {
		return fmt.Errorf("no day %d in month %d of %d", day, month, year)
	}
	return nil
}

func (p *timeParts) setClock(hour, minute, second int) error {
	if p.clock >= 0 {
		return errors.New("two times of day")
	}
	if hour > 23 || minute > 59 || second > 59 {
		return fmt.Errorf("no %02d:%02d:%02d in a day", hour, minute, second)
	}
	p.clock = int64(hour*3600 + minute*60 + second)
	return nil
}

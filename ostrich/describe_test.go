package ostrich

import (
	"fmt"
	"math"
	"strings"
)

// Describe returns the schedule as text, users and campaigns by id, each campaign
// with a bar of its virtual progress:
//
//	t=5  m=6  busy 6  active 3
//	user 3  share 0.333 = 2 processors, holds 1
//	  #1  ######....  t 2  s~ 2  C~ 7  W 10, 6 served  0 pending, 1 running
//	  #2  ..........  t 5  s~ 7  C~ 11  W 8, 0 served  4 pending, 0 running  gated
//
// Times are in seconds. If s~ or C~ is still to come, it is what it will be if the
// active users stay the same.
func (s *Schedule) Describe() string {
	var b strings.Builder
	fmt.Fprintf(&b, "t=%d  m=%d  busy %d  active %d\n", s.now, s.procs, s.Busy(), s.Active())
	campaigns := s.Campaigns()
	for _, u := range s.Users() {
		if !u.Active && u.Held == 0 && u.Pending == 0 {
			continue
		}
		fmt.Fprintf(&b, "user %d  share %s = %s processors, holds %d\n", u.User, number(u.Fraction), number(u.Entitled), u.Held)
		for _, c := range campaigns {
			if c.User != u.User {
				continue
			}
			full := int(math.Round(10 * c.Progress()))
			fmt.Fprintf(&b, "  #%d  %s%s  t %d  s~ %s  C~ %s  W %s, %s served  %d pending, %d running",
				c.Number, strings.Repeat("#", full), strings.Repeat(".", 10-full), c.First,
				number(c.VirtualStart), number(c.VirtualEnd), number(float64(c.Work)), number(float64(c.Served)),
				len(c.Pending), len(c.Running))
			if !c.Started && s.options.Gate != Off {
				b.WriteString("  gated")
			}
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// number writes a number with at most three decimals and none it does not need.
func number(x float64) string {
	if math.IsInf(x, 0) {
		return "never"
	}
	return strings.TrimRight(strings.TrimRight(fmt.Sprintf("%.3f", x), "0"), ".")
}

#!/usr/bin/env bash
# Versions: github.com/robfig/cron/v3 v3.0.1, github.com/hashicorp/cronexpr v1.1.3 (Nomad's, for periodic jobs) and
#   github.com/adhocore/gronx v1.20.4.
# Guess: the last field of a crontab's line is read alike by all: 7 is Sunday as 0 is, 5-7 and FRI-SUN are Friday to Sunday. What
#   a parser does not take it refuses.
# Seen: robfig refuses 7, 5-7 and FRI-SUN. cronexpr takes 7, and of 5-7 and FRI-SUN it makes Friday and Saturday without a
#   word: Sunday never comes. gronx takes 5-7 and refuses FRI-SUN. "*/2" for the day and 1 for the day of the week: either is
#   enough for the first two, and gronx wants both.
# Ends with 0 if that is still so, 1 if not, 2 if a module cannot be fetched.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
cat >main.go <<-'END'
	package main

	import (
		"fmt"
		"time"

		"github.com/adhocore/gronx"
		"github.com/hashicorp/cronexpr"
		"github.com/robfig/cron/v3"
	)

	// list returns the next four days on which something is due.
	func list(next func(time.Time) (time.Time, error)) (days string) {
		at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC) // a Thursday
		for range 4 {
			var err error
			if at, err = next(at); err != nil {
				return " refused"
			}
			days += at.Format(" Mon-2")
		}
		return days
	}

	func main() {
		for _, line := range []string{"0 0 * * 7", "0 0 * * 5-7", "0 0 * * FRI-SUN", "0 0 */2 * 1"} {
			fmt.Print(line, ": robfig", list(func(t time.Time) (time.Time, error) {
				s, err := cron.ParseStandard(line)
				if err != nil {
					return t, err
				}
				return s.Next(t), nil
			}))
			fmt.Print(", cronexpr", list(func(t time.Time) (time.Time, error) {
				e, err := cronexpr.Parse(line)
				if err != nil {
					return t, err
				}
				return e.Next(t), nil
			}))
			fmt.Println(", gronx" + list(func(t time.Time) (time.Time, error) { return gronx.NextTickAfter(line, t, false) }))
		}
	}
END
go mod init days 2>/dev/null
go get github.com/robfig/cron/v3@v3.0.1 2>said || { echo "github.com/robfig/cron/v3@v3.0.1 could not be fetched: $(tail -n 1 said)" >&2; exit 2; }
go get github.com/hashicorp/cronexpr@v1.1.3 2>said || { echo "github.com/hashicorp/cronexpr@v1.1.3 could not be fetched: $(tail -n 1 said)" >&2; exit 2; }
go get github.com/adhocore/gronx@v1.20.4 2>said || { echo "github.com/adhocore/gronx@v1.20.4 could not be fetched: $(tail -n 1 said)" >&2; exit 2; }
seen=$(go run .)
wanted='0 0 * * 7: robfig refused, cronexpr Sun-4 Sun-11 Sun-18 Sun-25, gronx Sun-4 Sun-11 Sun-18 Sun-25
0 0 * * 5-7: robfig refused, cronexpr Fri-2 Sat-3 Fri-9 Sat-10, gronx Fri-2 Sat-3 Sun-4 Fri-9
0 0 * * FRI-SUN: robfig refused, cronexpr Fri-2 Sat-3 Fri-9 Sat-10, gronx refused
0 0 */2 * 1: robfig Sat-3 Mon-5 Wed-7 Fri-9, cronexpr Sat-3 Mon-5 Wed-7 Fri-9, gronx Mon-5 Mon-19 Mon-9 Mon-23'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi

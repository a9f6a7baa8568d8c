#!/usr/bin/env bash
# Versions: github.com/robfig/cron/v3 v3.0.1, github.com/hashicorp/cronexpr v1.1.3 (Nomad's, for periodic jobs) and
#   github.com/adhocore/gronx v1.20.4, with the time of Central Europe.
# Guess: "30 2 * * *" is due once each night, also where the clock goes from 3 back to 2, and all parsers have the same one of the two
#   times; "*/30 * * * *" is due each half hour. Where the clock goes from 2 to 3 the first is due at 3:00 or 3:30.
# Seen: in autumn it is due twice for robfig and cronexpr, and once for gronx, the second time; and gronx leaves out the whole first
#   hour from 2 to 3, so that for 90 minutes nothing is due. In spring none of the three has that night.
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
		_ "time/tzdata"

		"github.com/adhocore/gronx"
		"github.com/hashicorp/cronexpr"
		"github.com/robfig/cron/v3"
	)

	// due prints at which moments, count of them from begin on, each parser has the line due.
	func due(line string, begin time.Time, count int) {
		robfig, err := cron.ParseStandard(line)
		if err != nil {
			panic(err)
		}
		next := map[string]func(time.Time) time.Time{
			"robfig":   robfig.Next,
			"cronexpr": cronexpr.MustParse(line).Next,
			"gronx": func(t time.Time) time.Time {
				t, err := gronx.NextTickAfter(line, t, false)
				if err != nil {
					panic(err)
				}
				return t
			},
		}
		for _, name := range []string{"robfig", "cronexpr", "gronx"} {
			at, moments := begin, ""
			for range count {
				at = next[name](at)
				moments += at.Format(" Mon-15:04-MST")
			}
			fmt.Printf("%s, %s:%s\n", line, name, moments)
		}
	}

	func main() {
		berlin, err := time.LoadLocation("Europe/Berlin")
		if err != nil {
			panic(err)
		}
		due("30 2 * * *", time.Date(2026, 10, 24, 1, 0, 0, 0, berlin), 4)
		due("*/30 * * * *", time.Date(2026, 10, 25, 1, 15, 0, 0, berlin), 5)
		due("30 2 * * *", time.Date(2026, 3, 28, 1, 0, 0, 0, berlin), 3)
	}
END
go mod init nights 2>/dev/null
for module in github.com/robfig/cron/v3@v3.0.1 github.com/hashicorp/cronexpr@v1.1.3 github.com/adhocore/gronx@v1.20.4; do
	go get "$module" 2>said || { echo "$module could not be fetched: $(tail -n 1 said)" >&2; exit 2; }
done
seen=$(go run .)
wanted='30 2 * * *, robfig: Sat-02:30-CEST Sun-02:30-CEST Sun-02:30-CET Mon-02:30-CET
30 2 * * *, cronexpr: Sat-02:30-CEST Sun-02:30-CEST Sun-02:30-CET Mon-02:30-CET
30 2 * * *, gronx: Sat-02:30-CEST Sun-02:30-CET Mon-02:30-CET Tue-02:30-CET
*/30 * * * *, robfig: Sun-01:30-CEST Sun-02:00-CEST Sun-02:30-CEST Sun-02:00-CET Sun-02:30-CET
*/30 * * * *, cronexpr: Sun-01:30-CEST Sun-02:00-CEST Sun-02:30-CEST Sun-02:00-CET Sun-02:30-CET
*/30 * * * *, gronx: Sun-01:30-CEST Sun-02:00-CET Sun-02:30-CET Sun-03:00-CET Sun-03:30-CET
30 2 * * *, robfig: Sat-02:30-CET Mon-02:30-CEST Tue-02:30-CEST
30 2 * * *, cronexpr: Sat-02:30-CET Mon-02:30-CEST Tue-02:30-CEST
30 2 * * *, gronx: Sat-02:30-CET Mon-02:30-CEST Tue-02:30-CEST'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi

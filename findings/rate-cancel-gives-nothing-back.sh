#!/usr/bin/env bash
# Version: golang.org/x/time v0.16.0, package rate.
# Guess: Cancel of a reservation whose time has not come gives its token back: the next one goes a second earlier.
# Seen: only if none was made after it. With one a second, three are reserved for now, one second and two; when the second
#   one is cancelled, a new one waits three seconds all the same, and the second that became free passes unused. So callers
#   that give up while others stand behind them, as where a command's context ends, go on taking the whole rate.
# Ends with 0 if that is still so, 1 if not, 2 if the module cannot be fetched.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
cat >main.go <<-'END'
	package main

	import (
		"fmt"
		"time"

		"golang.org/x/time/rate"
	)

	func main() {
		now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
		for _, gone := range []int{1, 2} {
			limiter := rate.NewLimiter(1, 1) // one a second
			var reserved []*rate.Reservation
			for range 3 {
				reserved = append(reserved, limiter.ReserveN(now, 1))
			}
			fmt.Print("without the one that waits ", reserved[gone].DelayFrom(now), " of three, ")
			reserved[gone].CancelAt(now)
			fmt.Println("the next one waits", limiter.ReserveN(now, 1).DelayFrom(now))
		}
	}
END
go mod init rate 2>/dev/null
go get golang.org/x/time@v0.16.0 2>said || { echo "golang.org/x/time@v0.16.0 could not be fetched: $(tail -n 1 said)" >&2; exit 2; }
seen=$(go run .)
wanted='without the one that waits 1s of three, the next one waits 3s
without the one that waits 2s of three, the next one waits 2s'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi

#!/usr/bin/env bash
# Version: github.com/rs/zerolog v1.35.1.
# Guess: one duration is the same number in a line of the log, whichever method writes it, and one time the same text; a key that
#   is given twice is there once, with the last value. TimeDiff of a later time is negative.
# Seen: Dur and Fields write 1.5 s as 1500, the milliseconds, Any and Interface as 1500000000. Time cuts a time to its second,
#   Any keeps the fraction. A key stands there as often as it was given, which most readers of JSON take for the last one, and
#   a bad RawJSON breaks the line without an error. TimeDiff of 5 and 9 s is 0. With DurationFieldInteger 1.999 ms is 1.
# Ends with 0 if that is still so, 1 if not, 2 if the module cannot be fetched.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
cat >main.go <<-'END'
	package main

	import (
		"os"
		"time"

		"github.com/rs/zerolog"
	)

	func main() {
		log := zerolog.New(os.Stdout)
		wait := 1500 * time.Millisecond
		at := time.Unix(5, 700_000_000).UTC()
		log.Log().Dur("Dur", wait).Fields(map[string]any{"Fields": wait}).Any("Any", wait).Interface("Interface", wait).Send()
		log.Log().Time("Time", at).Any("Any", at).Send()
		log.Log().TimeDiff("of 9 and 5 s", time.Unix(9, 0), time.Unix(5, 0)).TimeDiff("of 5 and 9 s", time.Unix(5, 0), time.Unix(9, 0)).Send()
		log.Log().Str("user", "ann").Str("user", "bob").Send()
		log.Log().RawJSON("raw", []byte("{")).Send()
		zerolog.DurationFieldInteger = true
		log.Log().Dur("integer", 1999*time.Microsecond).Send()
	}
END
go mod init finding 2>/dev/null
go get github.com/rs/zerolog@v1.35.1 2>said || { echo "github.com/rs/zerolog@v1.35.1 could not be fetched: $(tail -n 1 said)" >&2; exit 2; }
seen=$(go run .)
wanted='{"Dur":1500,"Fields":1500,"Any":1500000000,"Interface":1500000000}
{"Time":"1970-01-01T00:00:05Z","Any":"1970-01-01T00:00:05.7Z"}
{"of 9 and 5 s":4000,"of 5 and 9 s":0}
{"user":"ann","user":"bob"}
{"raw":{}
{"integer":1}'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi

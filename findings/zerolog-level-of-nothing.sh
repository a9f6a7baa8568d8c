#!/usr/bin/env bash
# Version: github.com/rs/zerolog v1.35.1.
# Guess: ParseLevel("") is an error, or the level that a logger has by default; a name that it does not know is an error beside a
#   level with which errors, at least, are logged. "warning" is warn, as for slog's neighbours logrus and syslog, and 9 is refused.
# Seen: "" is no error, and gives NoLevel, with which a logger drops Info, Warn, Error and all that Fatal would say: a level
#   that was left empty logs nothing. "warning" and "off" are errors beside the same level, so whoever drops the error has no log
#   either. 9 and -100 are levels: the first drops everything, the second nothing.
# Ends with 0 if that is still so, 1 if not, 2 if the module cannot be fetched.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
cat >main.go <<-'END'
	package main

	import (
		"bytes"
		"fmt"

		"github.com/rs/zerolog"
	)

	func main() {
		for _, text := range []string{"info", "INFO", "", "warning", "off", "disabled", "9", "-100"} {
			level, err := zerolog.ParseLevel(text)
			var out bytes.Buffer
			log := zerolog.New(&out).Level(level)
			logged := ""
			for _, at := range []zerolog.Level{zerolog.TraceLevel, zerolog.InfoLevel, zerolog.ErrorLevel, zerolog.FatalLevel} {
				out.Reset()
				log.WithLevel(at).Msg("here")
				if out.Len() > 0 {
					logged += " " + at.String()
				}
			}
			fmt.Printf("%q: %d, error %t, logs%s\n", text, level, err != nil, logged)
		}
	}
END
go mod init level 2>/dev/null
go get github.com/rs/zerolog@v1.35.1 2>said || { echo "github.com/rs/zerolog@v1.35.1 could not be fetched: $(tail -n 1 said)" >&2; exit 2; }
seen=$(go run .)
wanted='"info": 1, error false, logs info error fatal
"INFO": 1, error false, logs info error fatal
"": 6, error false, logs
"warning": 6, error true, logs
"off": 6, error true, logs
"disabled": 7, error false, logs
"9": 9, error false, logs
"-100": -100, error false, logs trace info error fatal'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi

#!/usr/bin/env bash
# Versions: github.com/urfave/cli/v2 v2.27.7 and gopkg.in/yaml.v3 v3.0.1.
# Guess: 12_3, the task 3 of the job array 12, is no number: a flag of whole numbers refuses it, and "job: 12_3" in a file of
#   YAML is a string. 010 is ten.
# Seen: it is 123, another job: the flags of urfave/cli read as Go's source does, with underscores between digits, and yaml.v3
#   takes underscores out of what is a number then. So do floats. 010 is 8, in both, and 08 is refused by a flag, 8 in YAML:
#   of tasks that "seq -w" numbered the tenth is the eighth. "12+0", a part of a heterogeneous job, is no number; 12.10, a
#   step of job 12, is 12.1. Into a field that is a string YAML gives all as they are.
# Ends with 0 if that is still so, 1 if not, 2 if a module cannot be fetched.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
cat >main.go <<-'END'
	package main

	import (
		"fmt"
		"io"

		"github.com/urfave/cli/v2"
		"gopkg.in/yaml.v3"
	)

	func flag(text string) (whole, real string) {
		whole, real = "refused", "refused"
		for _, f := range []cli.Flag{&cli.IntFlag{Name: "job"}, &cli.Float64Flag{Name: "job"}} {
			app := &cli.App{Writer: io.Discard, ErrWriter: io.Discard, ExitErrHandler: func(*cli.Context, error) {}, Flags: []cli.Flag{f}}
			app.Action = func(c *cli.Context) error {
				if _, ok := f.(*cli.IntFlag); ok {
					whole = fmt.Sprint(c.Int("job"))
				} else {
					real = fmt.Sprint(c.Float64("job"))
				}
				return nil
			}
			_ = app.Run([]string{"app", "--job", text})
		}
		return whole, real
	}

	func main() {
		for _, text := range []string{"12_3", "010", "08", "12+0", "12.10"} {
			var free struct{ Job any }
			var typed struct{ Job string }
			for _, into := range []any{&free, &typed} {
				if err := yaml.Unmarshal([]byte("job: "+text), into); err != nil {
					panic(err)
				}
			}
			whole, real := flag(text)
			fmt.Printf("%s: IntFlag %s, Float64Flag %s, YAML %#v, into a string %#v\n", text, whole, real, free.Job, typed.Job)
		}
	}
END
go mod init ids 2>/dev/null
go get github.com/urfave/cli/v2@v2.27.7 gopkg.in/yaml.v3@v3.0.1 2>said || { echo "a module could not be fetched: $(tail -n 1 said)" >&2; exit 2; }
seen=$(go run .)
wanted='12_3: IntFlag 123, Float64Flag 123, YAML 123, into a string "12_3"
010: IntFlag 8, Float64Flag 10, YAML 8, into a string "010"
08: IntFlag refused, Float64Flag 8, YAML 8, into a string "08"
12+0: IntFlag refused, Float64Flag refused, YAML "12+0", into a string "12+0"
12.10: IntFlag refused, Float64Flag 12.1, YAML 12.1, into a string "12.10"'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi

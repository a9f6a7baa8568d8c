#!/usr/bin/env bash
# Version: github.com/urfave/cli/v2 v2.27.7.
# Guess: a variable of EnvVars that is there and empty counts as one that is not there, for each kind of flag: so "JOBS= tool"
#   is the tool with its defaults. A number is read in base ten: 010 is 10.
# Seen: that holds for numbers. A string becomes empty, and a boolean that is true by default becomes false; both count as
#   set. 010 is 8, 08 is refused, and 0x10 and 1_000 are numbers.
# Ends with 0 if that is still so, 1 if not, 2 if the module cannot be fetched.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
cat >main.go <<-'END'
	package main

	import (
		"fmt"
		"io"
		"os"

		"github.com/urfave/cli/v2"
	)

	func run(args ...string) {
		app := &cli.App{
			Writer: io.Discard, ErrWriter: io.Discard,
			Flags: []cli.Flag{
				&cli.IntFlag{Name: "number", Value: 7, EnvVars: []string{"NUMBER"}},
				&cli.StringFlag{Name: "text", Value: "text", EnvVars: []string{"TEXT"}},
				&cli.BoolFlag{Name: "bool", Value: true, EnvVars: []string{"BOOL"}},
			},
			Action: func(c *cli.Context) error {
				fmt.Printf("%q: number %d (%t), text %q (%t), bool %t (%t)\n", args, c.Int("number"), c.IsSet("number"), c.String("text"), c.IsSet("text"), c.Bool("bool"), c.IsSet("bool"))
				return nil
			},
		}
		if err := app.Run(append([]string{"tool"}, args...)); err != nil {
			fmt.Println(args, err)
		}
	}

	func main() {
		for _, number := range []string{"010", "08", "0x10", "1_000"} {
			run("--number=" + number)
		}
		os.Setenv("NUMBER", "")
		os.Setenv("TEXT", "")
		os.Setenv("BOOL", "")
		run()
	}
END
go mod init urfave 2>/dev/null
go get github.com/urfave/cli/v2@v2.27.7 2>said || { echo "github.com/urfave/cli/v2@v2.27.7 could not be fetched: $(tail -n 1 said)" >&2; exit 2; }
seen=$(go run .)
wanted='["--number=010"]: number 8 (true), text "text" (false), bool true (false)
[--number=08] invalid value "08" for flag -number: parse error
["--number=0x10"]: number 16 (true), text "text" (false), bool true (false)
["--number=1_000"]: number 1000 (true), text "text" (false), bool true (false)
[]: number 7 (false), text "" (true), bool false (true)'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi

#!/usr/bin/env bash
# Versions: github.com/docker/go-units v0.5.0 and github.com/dustin/go-humanize v1.1.0.
# Guess: KiB is 1024 wherever it is known, and a function that takes "1KiB" takes it for 1024; a decimal comma is refused.
# Seen: FromHumanSize of go-units takes 1KiB for 1000, and RAMInBytes 1kB for 1024: which function is called decides, not the
#   unit, and 64GiB of memory is 4.7 GB less. go-humanize tells KiB from kB, and drops commas: "1,5 GB" is 15 GB.
# Ends with 0 if that is still so, 1 if not, 2 if a module cannot be fetched.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
cat >main.go <<-'END'
	package main

	import (
		"fmt"

		"github.com/docker/go-units"
		"github.com/dustin/go-humanize"
	)

	func main() {
		for _, text := range []string{"1kB", "1KiB", "64GiB", "1,5 GB"} {
			fmt.Print(text, ":")
			for _, read := range []func(string) (int64, error){
				units.FromHumanSize, units.RAMInBytes,
				func(s string) (int64, error) { n, err := humanize.ParseBytes(s); return int64(n), err },
			} {
				if n, err := read(text); err != nil {
					fmt.Print(" refused")
				} else {
					fmt.Print(" ", n)
				}
			}
			fmt.Println()
		}
	}
END
go mod init sizes 2>/dev/null
go get github.com/docker/go-units@v0.5.0 2>said || { echo "github.com/docker/go-units@v0.5.0 could not be fetched: $(tail -n 1 said)" >&2; exit 2; }
go get github.com/dustin/go-humanize@v1.1.0 2>said || { echo "github.com/dustin/go-humanize@v1.1.0 could not be fetched: $(tail -n 1 said)" >&2; exit 2; }
seen=$(go run .)
wanted='1kB: 1000 1024 1000
1KiB: 1000 1024 1024
64GiB: 64000000000 68719476736 68719476736
1,5 GB: refused refused 15000000000'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi

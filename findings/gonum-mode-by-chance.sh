#!/usr/bin/env bash
# Version: gonum.org/v1/gonum v0.17.0, package stat.
# Guess: stat.Mode of numbers of which several are the most frequent gives the least of them, or the first, and the same each time.
# Seen: it gives any of them, another one from call to call with the same numbers in the same process: it goes through a map. A
#   simulation that uses it is not the same twice with one seed.
# Ends with 0 if that is still so, 1 if not, 2 if the module cannot be fetched.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
cat >main.go <<-'END'
	package main

	import (
		"fmt"

		"gonum.org/v1/gonum/stat"
	)

	func main() {
		for _, x := range [][]float64{{1, 1, 2, 2, 3, 3}, {1, 2, 2, 2, 3, 3}} {
			seen := make(map[float64]bool)
			for range 1000 {
				value, _ := stat.Mode(x, nil)
				seen[value] = true
			}
			fmt.Println("a thousand times the mode of", x, "gives", len(seen), "different values")
		}
	}
END
go mod init mode 2>/dev/null
go get gonum.org/v1/gonum@v0.17.0 2>said || { echo "gonum.org/v1/gonum@v0.17.0 could not be fetched: $(tail -n 1 said)" >&2; exit 2; }
seen=$(go run .)
wanted='a thousand times the mode of [1 1 2 2 3 3] gives 3 different values
a thousand times the mode of [1 2 2 2 3 3] gives 1 different values'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi

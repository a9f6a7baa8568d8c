#!/usr/bin/env bash
# Version: gonum.org/v1/gonum v0.17.0, package stat.
# Guess: stat.Kendall counts a pair that is tied in one of the series for nothing (tau-a) or
#   leaves it out (tau-b), so that a series of equal numbers has no correlation with any other.
# Seen: it compares the signs of the differences, and a difference of 0 has that of a rise.
#   Four equal numbers have the correlation 1 with 1 2 3 4 and -1 with 4 3 2 1.
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
		same, up, down := []float64{7, 7, 7, 7}, []float64{1, 2, 3, 4}, []float64{4, 3, 2, 1}
		fmt.Println(stat.Kendall(same, up, nil), stat.Kendall(same, down, nil), stat.Kendall(up, down, nil))
		fmt.Println(stat.Kendall([]float64{1, 1, 2, 2}, []float64{1, 2, 3, 4}, nil)) // tau-a 0.67, tau-b 0.82
	}
END
go mod init kendall 2>/dev/null
go get gonum.org/v1/gonum@v0.17.0 2>said || { echo "gonum.org/v1/gonum@v0.17.0 could not be fetched: $(tail -n 1 said)" >&2; exit 2; }
seen=$(go run .)
wanted='1 -1 -1
1'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi

#!/usr/bin/env bash
# Version: gonum.org/v1/gonum v0.17.0, package stat.
# Guess: weights are relative: stat.Variance of 1 and 3 is the same with the weights 0.5 and 0.5 as with 1 and 1 or 10 and
#   10, as stat.Mean is.
# Seen: they are counts: it is divided by their sum less 1. With weights that add up to 1, such as shares, the variance is
#   infinite, with less it is negative and StdDev NaN; 1 and 1 give 2, and 10 and 10 give 1.05. PopVariance is the one
#   that does not mind the scale.
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
		x := []float64{1, 3}
		for _, w := range []float64{0.25, 0.5, 1, 10} {
			weights := []float64{w, w}
			fmt.Printf("%v: mean %.2f, variance %.2f, deviation %.2f, of the population %.2f\n", w, stat.Mean(x, weights),
				stat.Variance(x, weights), stat.StdDev(x, weights), stat.PopVariance(x, weights))
		}
	}
END
go mod init weights 2>/dev/null
go get gonum.org/v1/gonum@v0.17.0 2>said || { echo "gonum.org/v1/gonum@v0.17.0 could not be fetched: $(tail -n 1 said)" >&2; exit 2; }
seen=$(go run .)
wanted='0.25: mean 2.00, variance -1.00, deviation NaN, of the population 1.00
0.5: mean 2.00, variance +Inf, deviation +Inf, of the population 1.00
1: mean 2.00, variance 2.00, deviation 1.41, of the population 1.00
10: mean 2.00, variance 1.05, deviation 1.03, of the population 1.00'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi

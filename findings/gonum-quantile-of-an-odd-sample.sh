#!/usr/bin/env bash
# Version: gonum.org/v1/gonum v0.17.0, package stat.
# Guess: stat.Quantile(0.5, …) is the median of a sorted sample: 3 of 1 to 5, 2.5 of 1 to 4,
#   at least with LinInterp, which interpolates as R and numpy do by default.
# Seen: LinInterp gives 2.5 of 1 to 5 and 2 of 1 to 4 (R's type 4: it reads the sample as the
#   ends of n steps of 1/n); 0.1 of 1 to 5 is the minimum. Empirical gives 3 and 2.
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
		odd, even := []float64{1, 2, 3, 4, 5}, []float64{1, 2, 3, 4}
		for _, kind := range []stat.CumulantKind{stat.LinInterp, stat.Empirical} {
			fmt.Println(stat.Quantile(0.5, kind, odd, nil), stat.Quantile(0.5, kind, even, nil), stat.Quantile(0.1, kind, odd, nil))
		}
	}
END
go mod init quantile 2>/dev/null
go get gonum.org/v1/gonum@v0.17.0 2>said || { echo "gonum.org/v1/gonum@v0.17.0 could not be fetched: $(tail -n 1 said)" >&2; exit 2; }
seen=$(go run .)
wanted='2.5 2 1
3 2 1'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi

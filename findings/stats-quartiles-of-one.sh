#!/usr/bin/env bash
# Version: github.com/montanaflynn/stats v0.14.0.
# Guess: Quartile and Percentile of one package give the same for 25, 50 and 75 percent; the quartiles of one observation are
#   that observation, as its percentiles are.
# Seen: of a single 7 Percentile gives 7, and Quartile an error that says that the input is empty, with 0, 0 and 0. Of 1 to 5
#   Percentile has 2, 3 and 4, as R does by default, and Quartile 1.5, 3 and 4.5, the medians of the halves without the middle; of
#   1 to 4 it is 1.75 and 3.25 against 1.5 and 3.5. PercentileNearestRank has 2 for the median of 1 to 4, where both have 2.5.
# Ends with 0 if that is still so, 1 if not, 2 if the module cannot be fetched.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
cat >main.go <<-'END'
	package main

	import (
		"fmt"

		"github.com/montanaflynn/stats"
	)

	func main() {
		for _, x := range []stats.Float64Data{{7}, {1, 2, 3, 4}, {1, 2, 3, 4, 5}} {
			q, err := stats.Quartile(x)
			fmt.Println("Quartile of", x, "is", q.Q1, q.Q2, q.Q3, err)
			percentiles, ranks := "", ""
			for _, p := range []float64{25, 50, 75} {
				v, _ := stats.Percentile(x, p)
				r, _ := stats.PercentileNearestRank(x, p)
				percentiles, ranks = fmt.Sprint(percentiles, " ", v), fmt.Sprint(ranks, " ", r)
			}
			fmt.Println("  Percentile:"+percentiles+", by nearest rank:"+ranks)
		}
	}
END
go mod init finding 2>/dev/null
go get github.com/montanaflynn/stats@v0.14.0 2>said || { echo "github.com/montanaflynn/stats@v0.14.0 could not be fetched: $(tail -n 1 said)" >&2; exit 2; }
seen=$(go run .)
wanted='Quartile of [7] is 0 0 0 Input must not be empty.
  Percentile: 7 7 7, by nearest rank: 7 7 7
Quartile of [1 2 3 4] is 1.5 2.5 3.5 <nil>
  Percentile: 1.75 2.5 3.25, by nearest rank: 1 2 3
Quartile of [1 2 3 4 5] is 1.5 3 4.5 <nil>
  Percentile: 2 3 4, by nearest rank: 2 3 4'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi

#!/usr/bin/env bash
# Version: github.com/VividCortex/ewma v1.2.0.
# Guess: the moving average of one observation is that observation, whatever the age; of ten times 100 it is 100.
# Seen: NewMovingAverage(20) says 0 until more than ten have come, and from the eleventh on the mean of all. NewMovingAverage()
#   and NewMovingAverage(30), which is the same, say 100 from the first on. So a wait, a rate or a run time that is asked
#   for early is 0 with one age and right with another.
# Ends with 0 if that is still so, 1 if not, 2 if the module cannot be fetched.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
cat >main.go <<-'END'
	package main

	import (
		"fmt"

		"github.com/VividCortex/ewma"
	)

	func main() {
		for _, age := range []float64{20, 30, 40} {
			mean := ewma.NewMovingAverage(age)
			fmt.Print("age ", age, ":")
			for n := 1; n <= 12; n++ {
				mean.Add(100)
				fmt.Print(" ", int(mean.Value()+0.5))
			}
			fmt.Println()
		}
	}
END
go mod init mean 2>/dev/null
go get github.com/VividCortex/ewma@v1.2.0 2>said || { echo "github.com/VividCortex/ewma@v1.2.0 could not be fetched: $(tail -n 1 said)" >&2; exit 2; }
seen=$(go run .)
wanted='age 20: 0 0 0 0 0 0 0 0 0 0 100 100
age 30: 100 100 100 100 100 100 100 100 100 100 100 100
age 40: 0 0 0 0 0 0 0 0 0 0 100 100'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi

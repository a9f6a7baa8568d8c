#!/usr/bin/env bash
# Version: pgregory.net/rapid v1.3.0.
# Guess: rapid.Float64() gives what a float can be, as a generator for property tests is there for the corners: NaN and the
#   infinities now and then, beside zeros; and rapid.IntRange(0, 1000) numbers spread over the range.
# Seen: of 10 000 none is NaN or infinite, while zeros, -0 among them, and numbers beyond 1e10 come. A property that NaN
#   breaks passes unless the test draws NaN by itself. Of the integers a third is below 10.
# Ends with 0 if that is still so, 1 if not, 2 if the module cannot be fetched.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
cat >main.go <<-'END'
	package main

	import (
		"fmt"
		"math"

		"pgregory.net/rapid"
	)

	func main() {
		var nan, inf, zero, negative, large, small int
		for i := range 10_000 {
			switch v := rapid.Float64().Example(i); {
			case math.IsNaN(v):
				nan++
			case math.IsInf(v, 0):
				inf++
			case v == 0 && math.Signbit(v):
				negative++
			case v == 0:
				zero++
			case math.Abs(v) > 1e10:
				large++
			}
			if rapid.IntRange(0, 1000).Example(i) < 10 {
				small++
			}
		}
		fmt.Println("NaN:", nan, "infinite:", inf, "0:", zero > 0, "-0:", negative > 0, "beyond 1e10:", large > 0)
		fmt.Println("a third or more of 0 to 1000 below 10:", small > 10_000/3)
	}
END
go mod init floats 2>/dev/null
go get pgregory.net/rapid@v1.3.0 2>said || { echo "pgregory.net/rapid@v1.3.0 could not be fetched: $(tail -n 1 said)" >&2; exit 2; }
seen=$(go run .)
wanted='NaN: 0 infinite: 0 0: true -0: true beyond 1e10: true
a third or more of 0 to 1000 below 10: true'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi

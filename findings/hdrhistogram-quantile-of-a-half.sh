#!/usr/bin/env bash
# Version: github.com/HdrHistogram/hdrhistogram-go v1.4.0.
# Guess: ValueAtQuantile(0.5) is the median; Max and Mean are of what was recorded, as the histogram keeps the count, and
#   nothing is above the highest value that it was made for.
# Seen: the quantile is in percent: 0.5 is that of one in two hundred, and gives the least value of a small sample without a word;
#   50 is the median. Max is the upper end of the bucket: of a day in seconds recorded once, 86527, above the 86400 that it was made
#   for, and Mean the middle of one, 86272. Of nothing all are 0, as of a 0 that was recorded.
# Ends with 0 if that is still so, 1 if not, 2 if the module cannot be fetched.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
cat >main.go <<-'END'
	package main

	import (
		"fmt"

		"github.com/HdrHistogram/hdrhistogram-go"
	)

	func main() {
		h := hdrhistogram.New(1, 86400, 2)
		fmt.Println("nothing: max", h.Max(), "mean", h.Mean(), "median", h.ValueAtQuantile(50))
		for wait := int64(1); wait <= 5; wait++ {
			if err := h.RecordValue(wait); err != nil {
				panic(err)
			}
		}
		fmt.Println("1 to 5: quantile 0.5", h.ValueAtQuantile(0.5), "quantile 50", h.ValueAtQuantile(50))
		h.Reset()
		if err := h.RecordValue(86400); err != nil {
			panic(err)
		}
		fmt.Println("a day: max", h.Max(), "mean", h.Mean())
	}
END
go mod init quantile 2>/dev/null
go get github.com/HdrHistogram/hdrhistogram-go@v1.4.0 2>said || { echo "hdrhistogram-go@v1.4.0 could not be fetched: $(tail -n 1 said)" >&2; exit 2; }
seen=$(go run .)
wanted='nothing: max 0 mean 0 median 0
1 to 5: quantile 0.5 1 quantile 50 3
a day: max 86527 mean 86272'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi

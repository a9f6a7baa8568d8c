#!/usr/bin/env bash
# Version: github.com/prometheus/client_golang v1.25.0.
# Guess: a histogram drops an observation of NaN, as it is in no bucket, or panics, as a counter does that is to fall.
# Seen: it counts it: in the count and the bucket +Inf, and the sum is NaN from then on, until the process ends. One division
#   of 0 by 0, a mean over nothing, and no mean of that histogram is there any more, over no window.
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

		"github.com/prometheus/client_golang/prometheus"
		dto "github.com/prometheus/client_model/go"
	)

	func main() {
		waits := prometheus.NewHistogram(prometheus.HistogramOpts{Name: "wait_seconds", Buckets: []float64{1, 2}})
		for _, v := range []float64{1, math.NaN(), 1} {
			waits.Observe(v)
			var shown dto.Metric
			if err := waits.Write(&shown); err != nil {
				panic(err)
			}
			h := shown.GetHistogram()
			fmt.Println("after", v, "count", h.GetSampleCount(), "up to 2:", h.GetBucket()[1].GetCumulativeCount(), "sum", h.GetSampleSum())
		}
	}
END
go mod init client 2>/dev/null
go get github.com/prometheus/client_golang/prometheus@v1.25.0 2>said || { echo "github.com/prometheus/client_golang/prometheus@v1.25.0 could not be fetched: $(tail -n 1 said)" >&2; exit 2; }
seen=$(go run .)
wanted='after 1 count 1 up to 2: 1 sum 1
after NaN count 2 up to 2: 1 sum NaN
after 1 count 3 up to 2: 2 sum NaN'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi

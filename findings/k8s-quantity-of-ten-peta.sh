#!/usr/bin/env bash
# Version: k8s.io/apimachinery v0.34.2, package pkg/api/resource, by which Kueue, Volcano and Kubernetes' own scheduler count.
# Guess: MilliValue of a quantity too large for it is the largest number that there is, or an error; two equal quantities are ==.
#   memory: 400m is refused, as there is no thousandth of a byte, or 400 MB. Value of half a processor is 0.
# Seen: of 9P MilliValue is 9000000000000000000, and of 10P, the disks of a larger cluster, 0, without an error; so is Value of
#   10E: a share of it is a division by nothing, and the largest sorts as the least. 1 == 1000m is false (Equal and Cmp are for
#   that). 400m is taken, and its Value is 1. Value rounds up: ten jobs of half a processor add up to 10 where each is
#   rounded, and to 5 where the sum is.
# Ends with 0 if that is still so, 1 if not, 2 if the module cannot be fetched.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
cat >main.go <<-'END'
	package main

	import (
		"fmt"

		"k8s.io/apimachinery/pkg/api/resource"
	)

	func main() {
		for _, text := range []string{"9P", "10P", "9E", "10E", "400m", "400M", "400k", "400K", "4g"} {
			q, err := resource.ParseQuantity(text)
			if err != nil {
				fmt.Println(text, "is refused")
				continue
			}
			fmt.Println(text, "is", q.Value(), "and in thousandths", q.MilliValue())
		}
		one, thousand := resource.MustParse("1"), resource.MustParse("1000m")
		fmt.Println("1 and 1000m: ==", one == thousand, "Equal", one.Equal(thousand))
		var rounded int64
		var sum resource.Quantity
		for range 10 {
			half := resource.MustParse("500m")
			rounded += half.Value()
			sum.Add(half)
		}
		fmt.Println("ten halves:", rounded, "and", sum.Value())
	}
END
go mod init quantity 2>/dev/null
go get k8s.io/apimachinery/pkg/api/resource@v0.34.2 2>said || { echo "k8s.io/apimachinery@v0.34.2 could not be fetched: $(tail -n 1 said)" >&2; exit 2; }
seen=$(go run .)
wanted='9P is 9000000000000000 and in thousandths 9000000000000000000
10P is 10000000000000000 and in thousandths 0
9E is 9000000000000000000 and in thousandths 0
10E is 0 and in thousandths 0
400m is 1 and in thousandths 400
400M is 400000000 and in thousandths 400000000000
400k is 400000 and in thousandths 400000000
400K is refused
4g is refused
1 and 1000m: == false Equal true
ten halves: 10 and 5'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi

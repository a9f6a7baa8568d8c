#!/usr/bin/env bash
# Version: gonum.org/v1/gonum v0.17.0, package stat/distuv.
# Guess: a distribution of what is never below zero, such as run times, has below zero a CDF of 0, a density of 0 and a survival
#   of 1, as distuv's Weibull, Gamma, Exponential and Pareto have.
# Seen: LogNormal alone gives NaN: for CDF and Survival of a negative number, and for Prob and LogProb of 0. So a likelihood over
#   run times of which one is 0 seconds is NaN with this model, where the others give a number or -Inf.
# Ends with 0 if that is still so, 1 if not, 2 if the module cannot be fetched.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
cat >main.go <<-'END'
	package main

	import (
		"fmt"

		"gonum.org/v1/gonum/stat/distuv"
	)

	type distribution interface {
		CDF(x float64) float64
		Prob(x float64) float64
		LogProb(x float64) float64
		Survival(x float64) float64
	}

	func main() {
		for _, d := range []struct {
			name string
			distribution
		}{
			{"Weibull", distuv.Weibull{K: 2, Lambda: 3}},
			{"Gamma", distuv.Gamma{Alpha: 2, Beta: 1}},
			{"Exponential", distuv.Exponential{Rate: 2}},
			{"Pareto", distuv.Pareto{Xm: 1, Alpha: 2}},
			{"LogNormal", distuv.LogNormal{Mu: 0, Sigma: 1}},
		} {
			fmt.Printf("%s:", d.name)
			for _, x := range []float64{-1, 0} {
				fmt.Printf(" at %v CDF %v, density %.3f, its logarithm %.3f, survival %v;", x, d.CDF(x), d.Prob(x), d.LogProb(x), d.Survival(x))
			}
			fmt.Println()
		}
	}
END
go mod init lognormal 2>/dev/null
go get gonum.org/v1/gonum@v0.17.0 2>said || { echo "gonum.org/v1/gonum@v0.17.0 could not be fetched: $(tail -n 1 said)" >&2; exit 2; }
seen=$(go run .)
wanted='Weibull: at -1 CDF 0, density 0.000, its logarithm -Inf, survival 1; at 0 CDF 0, density 0.000, its logarithm -Inf, survival 1;
Gamma: at -1 CDF 0, density 0.000, its logarithm -Inf, survival 1; at 0 CDF 0, density 0.000, its logarithm -Inf, survival 1;
Exponential: at -1 CDF 0, density 0.000, its logarithm -Inf, survival 1; at 0 CDF 0, density 2.000, its logarithm 0.693, survival 1;
Pareto: at -1 CDF 0, density 0.000, its logarithm -Inf, survival 1; at 0 CDF 0, density 0.000, its logarithm -Inf, survival 1;
LogNormal: at -1 CDF NaN, density 0.000, its logarithm -Inf, survival NaN; at 0 CDF 0, density NaN, its logarithm NaN, survival 1;'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi

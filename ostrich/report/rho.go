package report

import (
	"math"
	"slices"
)

// Rho returns how long a campaign took compared with a private share of the
// machine (finish-time fairness: Mahajan et al., "Themis", NSDI 2020):
//
//	ρ = (C − t) / (l~ + a)
//
// where l~ is its flow time on the equally shared machine (sim.SharedFlows), and
// a is an allowance, in seconds, for the time that a scheduler itself needs to
// start a job. ρ ≤ 1 for all campaigns means that no user would have been better
// off with a private share. It is 0 if l~ + a is not known.
func Rho(flow, shared, allowance float64) float64 {
	if !(shared+allowance > 0) {
		return 0
	}
	return flow / (shared + allowance)
}

// SharedFlow returns l~ of a campaign: max(C~, least) − t, with C~ rounded up to
// a second, because accounting has no fractions. least is the earliest time at
// which any machine could end it, the maximum of r_j + p_j over its jobs. See
// sim.SharedFlows.
func SharedFlow(submit, virtual, least float64) float64 {
	const rounding = 1e-6
	return max(math.Ceil(virtual-rounding), least) - submit
}

// Rhos is the distribution of ρ over campaigns.
type Rhos struct {
	Le1  float64 `json:"le_1"` // part of the campaigns with ρ ≤ 1
	Mean float64 `json:"mean"`
	P50  float64 `json:"p50"`
	P95  float64 `json:"p95"`
	Max  float64 `json:"max"`
}

// SummariseRho summarises values of ρ. It sorts them.
func SummariseRho(values []float64) Rhos {
	slices.Sort(values)
	kept := 0
	for kept < len(values) && values[kept] <= 1 {
		kept++
	}
	return Rhos{
		Le1: fraction(kept, len(values)), Mean: mean(values),
		P50: Quantile(values, 0.5), P95: Quantile(values, 0.95), Max: Quantile(values, 1),
	}
}

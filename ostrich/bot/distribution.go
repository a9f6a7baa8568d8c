package bot

import (
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/gonum/stat/distuv"
)

// Family is a kind of distribution.
type Family uint8

// The candidates of section 3.1.
const (
	Exponential Family = iota
	HyperExponential
	Normal
	LogNormal
	Gamma
	Weibull
)

// FamilyNames lists the families in the order of their constants.
var FamilyNames = []string{"exponential", "hyper-exponential", "normal", "log-normal", "gamma", "weibull"}

func (f Family) String() string { return FamilyNames[f] }

// A Distribution is a family with its parameters in the order of the paper:
//
//	exponential        rate
//	hyper-exponential  probability of the first phase, its rate, the other's rate
//	normal             σ, μ
//	log-normal         μ, σ of the natural logarithm
//	gamma              shape, rate
//	weibull            shape, scale
//
// The order of the two parameters is not in the paper. It follows from its
// numbers: with these the mean size of a bag of the average system is 5.28, within
// the 5 to 50 of section 3.4, and the other way round it is 3.46.
type Distribution struct {
	Family Family
	Params [3]float64 // those beyond the family's are 0
}

// parameters are the numbers of parameters of the families.
var parameters = [...]int{Exponential: 1, HyperExponential: 3, Normal: 2, LogNormal: 2, Gamma: 2, Weibull: 2}

// letters are the paper's, in Table 3.
var letters = [...]string{Exponential: "E", HyperExponential: "H", Normal: "N", LogNormal: "LN", Gamma: "G", Weibull: "W"}

// Parameters returns the parameters of the family.
func (d Distribution) Parameters() []float64 { return d.Params[:parameters[d.Family]] }

// String formats the distribution as Table 3 does: "W(1.76,2.11)".
func (d Distribution) String() string {
	var list []string
	for _, p := range d.Parameters() {
		list = append(list, fmt.Sprintf("%.2f", p))
	}
	return letters[d.Family] + "(" + strings.Join(list, ",") + ")"
}

// law is what the package needs of a distribution of gonum.
type law interface {
	CDF(x float64) float64
	Quantile(p float64) float64
	LogProb(x float64) float64
}

// law returns gonum's distribution. It must not be called for HyperExponential, which gonum
// does not have.
func (d Distribution) law() law {
	a, b := d.Params[0], d.Params[1]
	switch d.Family {
	case Normal:
		return distuv.Normal{Mu: b, Sigma: a}
	case LogNormal:
		return distuv.LogNormal{Mu: a, Sigma: b}
	case Gamma:
		return distuv.Gamma{Alpha: a, Beta: b}
	case Weibull:
		return distuv.Weibull{K: a, Lambda: b}
	default:
		return distuv.Exponential{Rate: a}
	}
}

// CDF returns the probability of a value up to x.
func (d Distribution) CDF(x float64) float64 {
	if d.Family == HyperExponential {
		if x <= 0 {
			return 0
		}
		return -d.Params[0]*math.Expm1(-d.Params[1]*x) - (1-d.Params[0])*math.Expm1(-d.Params[2]*x)
	}
	return d.law().CDF(x)
}

// Quantile returns the value up to which the probability is p, 0 < p < 1.
func (d Distribution) Quantile(p float64) float64 {
	if d.Family != HyperExponential {
		return d.law().Quantile(p)
	}
	_, high := bisect(0, -math.Log1p(-p)/min(d.Params[1], d.Params[2]), 80, func(x float64) bool { return d.CDF(x) < p })
	return high
}

// check says what is wrong with the parameters, or "".
func (d Distribution) check() string {
	if int(d.Family) >= len(FamilyNames) {
		return fmt.Sprintf("distribution %d", d.Family)
	}
	for i, p := range d.Parameters() {
		free := d.Family == Normal && i == 1 || d.Family == LogNormal && i == 0 // a mean
		if math.IsNaN(p) || math.IsInf(p, 0) || p <= 0 && !free || d.Family == HyperExponential && i == 0 && p >= 1 {
			return d.String()
		}
	}
	return ""
}

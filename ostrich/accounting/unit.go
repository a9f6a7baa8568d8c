package accounting

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Billing is the resource by which Slurm charges usage: what the weights of a partition
// make of all others.
const Billing = "billing"

// Resources lists the names that a Unit can have, for people. The count of a GRES is on its
// nodes, which a license or a burst buffer is not.
var Resources = []string{"cpu", Billing, "node", "mem", "gres/NAME"}

// AllGRES stands for all generic resources where resources are named that are wanted.
const AllGRES = "gres/"

// Wanted returns the name of a resource if it is among those that are wanted, as they write it, or
// as it is itself for AllGRES; "" if not.
func Wanted(wanted []string, name string) string {
	if i := slices.IndexFunc(wanted, func(w string) bool { return strings.EqualFold(w, name) }); i >= 0 {
		return wanted[i]
	}
	if strings.HasPrefix(name, AllGRES) && slices.Contains(wanted, AllGRES) {
		return name
	}
	return ""
}

// CanCount returns nil if a resource can be a Unit's.
func CanCount(resource string) error {
	if name, is := strings.CutPrefix(resource, "gres/"); is && name != "" || slices.Contains(Resources[:4], resource) {
		return nil
	}
	return fmt.Errorf("%q is none of %s", resource, strings.Join(Resources, ", "))
}

// Combine says how the weighted resources of a job make its billing (PriorityFlags).
type Combine uint8

const (
	// Sum adds up all of them.
	Sum Combine = iota
	// MaxTRES takes the greatest of those of a node, and adds the global ones (licenses).
	MaxTRES
	// MaxTRESGRES is MaxTRES, but adds the GRES instead of comparing them. Since Slurm 25.05.
	MaxTRESGRES
)

// A Unit is the resource by which work is counted, and by which the machine is divided. A
// nil Unit is processors.
//
// What a job takes is rounded to parts, so that the virtual schedule computes with whole
// numbers. Parts are a power of two of a unit, at which the machine has some 2^24: a job's
// rounding is nothing beside it, and a GPU, a node or a quarter of a unit is exact.
type Unit struct {
	Resource string             // one that CanCount
	Weights  map[string]Weights // of Billing: those of the partitions that have any
	Combine  Combine            // of Billing

	Parts float64 // in a unit; a power of two
	Floor float64 // units that a job counts for at least, for each of its processors: nothing is free
}

// Weights are a partition's, in the order in which Slurm adds them up.
type Weights []Weight

// first is the order of the resources that every Slurm has; those of a site come behind.
var first = []string{"cpu", "mem", "energy", "node", "fs/disk", "vmem", "pages"}

func inTurn(all Weights) Weights {
	place := func(w Weight) int {
		if i := slices.Index(first, w.Resource); i >= 0 {
			return i
		}
		return len(first)
	}
	slices.SortStableFunc(all, func(a, b Weight) int { return cmp.Compare(place(a), place(b)) })
	return all
}

// Of returns the billing of these resources (assoc_mgr_tres_weighted in Slurm's
// src/common/assoc_mgr.c): without weights their processors.
func (w Weights) Of(t *TRES, by Combine) float64 {
	if len(w) == 0 {
		return float64(t.CPUs)
	}
	node, gres, all := 0.0, 0.0, 0.0
	for _, one := range w {
		name := one.Resource
		if name == Billing {
			continue
		}
		bill := float64(t.Of(name)) * one.Each
		isGRES := strings.HasPrefix(name, "gres/")
		switch {
		case by == Sum || !isGRES && name != "cpu" && name != "mem" && name != "node":
			all += bill
		case isGRES && by == MaxTRESGRES:
			gres += bill
		default:
			node = max(node, bill)
		}
	}
	return node + gres + all
}

// Charges reports whether a job counts for what Slurm charges it, and so for what its QOS
// makes of that.
func (u *Unit) Charges() bool { return u != nil && u.Resource == Billing }

// Named lists the resources beside those that every TRES has of which the unit needs the
// counts.
func (u *Unit) Named() (names []string) {
	if u == nil {
		return nil
	}
	add := func(name string) {
		if !slices.Contains([]string{"cpu", "mem", "node", Billing}, name) {
			names = append(names, name)
		}
	}
	add(u.Resource)
	for _, weights := range u.Weights {
		for _, w := range weights {
			add(w.Resource)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Job returns how much a job takes, in units, without what its QOS makes of that (see Size):
// of the resources that it holds or asks for, in one of these partitions. Of several partitions
// the one counts in which it takes most.
//
// Slurm stores the billing of a job as a whole number, truncated, and leaves it as it is
// when the weights change. So the stored number counts, but with the fraction that the
// weights of today give it if they give it that number.
func (u *Unit) Job(t *TRES, partitions string) float64 {
	if u.Resource != Billing {
		return u.count(t)
	}
	most, agrees := 0.0, t.Billing == 0
	for name := range strings.SplitSeq(partitions, ",") {
		bill := u.Weights[name].Of(t, u.Combine)
		most, agrees = max(most, bill), agrees || truncates(bill, t.Billing)
	}
	if !agrees {
		return float64(t.Billing)
	}
	return most
}

// Run returns what a run of a job took in units: what it held, or asked for before it
// started. Without a unit that is 0.
func (u *Unit) Run(asked, held *TRES, partitions string) float64 {
	switch {
	case u == nil:
		return 0
	case held.CPUs == 0:
		return u.Job(asked, partitions)
	}
	return u.Job(held, partitions)
}

// truncates reports whether Slurm stores a billing as this number, but for rounding.
func truncates(bill float64, stored uint64) bool {
	const rounding = 1e-9
	return math.Floor(bill*(1+rounding)) == float64(stored) || math.Floor(bill*(1-rounding)) == float64(stored)
}

// count returns the units of a resource that is no Billing. Memory is in GiB.
func (u *Unit) count(t *TRES) float64 {
	n := float64(t.Of(u.Resource))
	if u.Resource == "mem" {
		n /= 1 << 10
	}
	return n
}

// Node returns how much there is of a node, in units: of billing, in the one of its
// partitions in which that is most (_set_node_billing_tres in Slurm's
// src/slurmctld/controller.c).
func (u *Unit) Node(t *TRES, partitions []string) float64 {
	switch u.Resource {
	case "node":
		return 1
	case Billing:
	default:
		return u.count(t)
	}
	most := 0.0
	for _, name := range partitions {
		if weights := u.Weights[name]; len(weights) > 0 {
			most = max(most, weights.Of(t, u.Combine))
		}
	}
	if most == 0 {
		return float64(t.CPUs)
	}
	return most
}

// Stored returns how much of the unit the row of a cluster has. Slurm adds up the
// truncated billing of the nodes.
func (u *Unit) Stored(t *TRES) float64 {
	if u.Resource == Billing {
		return float64(t.Billing)
	}
	return u.count(t)
}

// Size returns so many units in parts, and at least what so many processors count for.
func (u *Unit) Size(units float64, procs uint64) int {
	units = max(units, u.Floor*float64(procs))
	return max(1, int(math.Round(min(units*u.Parts, MaxProcs))))
}

// Units returns a number of parts in units; of processors without a unit.
func (u *Unit) Units(parts float64) float64 {
	if u == nil {
		return parts
	}
	return parts / u.Parts
}

// Measure sets Parts and Floor for a machine of so many units and processors.
func (u *Unit) Measure(units float64, procs int) {
	u.Parts, u.Floor = 1, 0
	if units <= 0 || procs <= 0 {
		return
	}
	_, exponent := math.Frexp(units)
	u.Parts = math.Ldexp(1, 24-exponent)
	u.Floor = units / float64(procs) / 1000
}

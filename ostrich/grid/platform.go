package grid

import (
	"errors"
	"fmt"
	"math"

	"slurm-ostrich/ostrich"
)

// ErrInput marks an experiment that cannot be run. The error that wraps it names the
// place and, where one of several names is wanted, all of them.
var ErrInput = errors.New("cannot be run")

// Cluster is a set of processors of one speed.
type Cluster struct {
	Name  string
	Procs int // at least 1

	// Speed is how many seconds of reference run time a processor does in a
	// second; above 0. A task runs for its reference run time divided by it.
	Speed float64
}

// Platform is the clusters that one experiment has (section 2.1).
type Platform struct {
	Name     string
	Clusters []Cluster
}

// HPDC2008 is a platform like that of section 4.1: 20 clusters of DAS and Grid'5000
// with over 3500 processors, whose speeds go from 1.0 to 1.75.
//
// That is all the paper says of it. The names, sizes and speeds here are modelled to
// that, and are not taken from a source.
func HPDC2008() Platform {
	return Platform{Name: "HPDC 2008", Clusters: []Cluster{
		{"das3-vu", 340, 1.35},
		{"das3-leiden", 64, 1.40},
		{"das3-uva", 164, 1.25},
		{"das3-delft", 136, 1.30},
		{"das3-multimedian", 92, 1.30},
		{"bordeplage", 102, 1.15},
		{"icluster2", 206, 1.05},
		{"chuque", 106, 1.15},
		{"capricorne", 112, 1.05},
		{"sagittaire", 158, 1.25},
		{"grillon", 94, 1.05},
		{"grelon", 480, 1.50},
		{"gdx", 372, 1.05},
		{"netgdx", 60, 1.05},
		{"parasol", 128, 1.15},
		{"paravent", 198, 1.05},
		{"paraquad", 264, 1.75},
		{"azur", 144, 1.00},
		{"helios", 224, 1.25},
		{"violette", 114, 1.15},
	}}
}

// Procs returns the number of all processors.
func (p Platform) Procs() int {
	n := 0
	for _, c := range p.Clusters {
		n += c.Procs
	}
	return n
}

// Capacity returns the reference run time that all processors do in a second.
func (p Platform) Capacity() float64 {
	sum := 0.0
	for _, c := range p.Clusters {
		sum += float64(c.Procs) * c.Speed
	}
	return sum
}

// fastest returns the greatest speed.
func (p Platform) fastest() float64 {
	speed := 0.0
	for _, c := range p.Clusters {
		speed = max(speed, c.Speed)
	}
	return speed
}

// mostProcs is the most processors that a platform may have.
const mostProcs = 1 << 24

// Bounds of speeds: what a processor may do in a second, so that no run time
// overflows.
const slowest, quickest = 1e-3, 1e3

// Validate returns what is wrong with the platform: an error that wraps ErrInput
// and names the cluster.
func (p Platform) Validate() error {
	if len(p.Clusters) == 0 {
		return fmt.Errorf("grid: platform %q: no clusters: %w", p.Name, ErrInput)
	}
	all, names := 0, make(map[string]int)
	for i, c := range p.Clusters {
		why := ""
		switch before, named := names[c.Name]; {
		case c.Procs < 1:
			why = fmt.Sprintf("%d processors instead of 1 or more", c.Procs)
		case c.Procs > mostProcs-all:
			why = fmt.Sprintf("%d processors, which makes more than %d together", c.Procs, mostProcs)
		case !(c.Speed >= slowest && c.Speed <= quickest): // not a number either
			why = fmt.Sprintf("a speed of %v instead of %v to %v", c.Speed, slowest, quickest)
		case c.Name != "" && named:
			why = fmt.Sprintf("the name of cluster %d", before+1)
		}
		if why != "" {
			return fmt.Errorf("grid: platform %q: cluster %d (%q): %s: %w", p.Name, i+1, c.Name, why, ErrInput)
		}
		names[c.Name] = i
		all += c.Procs
	}
	return nil
}

// RunTime returns how long a task with a reference run time takes on a processor
// of some speed: run/speed, rounded to the next second, at least 1.
func RunTime(run ostrich.Duration, speed float64) ostrich.Duration {
	return max(1, ostrich.Duration(math.Round(float64(run)/speed)))
}

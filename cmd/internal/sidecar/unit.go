package sidecar

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"slurm-ostrich/cmd/internal/configuration"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting"
	"slurm-ostrich/ostrich/accounting/ledger"
	"slurm-ostrich/ostrich/accounting/sacct"
	"slurm-ostrich/priority"
)

// ErrUnit means that the sidecar has to be opened anew, because Slurm's settings make
// another unit of work now.
var ErrUnit = errors.New("work is counted by other weights")

// ErrWeights means that weights of a partition cannot be read.
var ErrWeights = errors.New("TRESBillingWeights")

// Counted is the unit by which work is counted, and what it was made from.
type Counted struct {
	Unit *accounting.Unit // nil: processors
	Name string           // of the resource
	Why  string           // for people
	// Warnings say what of the weights is probably not meant so.
	Warnings []string

	nodes map[string]float64         // units of each node
	has   map[string]accounting.TRES // what each has
	cpus  map[string]float64         // of each, for jobs
	whole float64                    // see ledger.Site.Whole
}

// String says by what work is counted, and why.
func (u Counted) String() string { return u.Name + ": " + u.Why }

// UnitOf returns the unit of work of a cluster.
func UnitOf(c *configuration.Config, controller priority.Controller, partitions []priority.Partition) (Counted, error) {
	u := Counted{Name: c.Schedule.Resource, Why: "schedule.resource says so"}
	weights, err := u.weights(partitions)
	if err != nil {
		return u, err
	}
	if u.Name == configuration.Auto {
		if len(weights) == 0 {
			u.Name, u.Why = "cpu", "no partition has TRESBillingWeights"
		} else {
			names := slices.Sorted(maps.Keys(weights))
			u.Name, u.Why = accounting.Billing, "TRESBillingWeights of partition "+strings.Join(names, ", ")
		}
	}
	if u.Name == "cpu" {
		u.Warnings = nil
		return u, nil
	}
	if known := controller.AccountingTRES; len(known) > 0 && !slices.ContainsFunc(known, func(name string) bool { return strings.EqualFold(name, u.Name) }) {
		can := slices.DeleteFunc(slices.Clone(known), func(name string) bool { return accounting.CanCount(name) != nil })
		return u, fmt.Errorf("configuration: %w: schedule.resource: accounting does not count %s; of what it counts (AccountingStorageTRES of slurm.conf), these can be chosen: %s",
			configuration.ErrConfig, u.Name, strings.Join(can, ", "))
	}
	u.Unit = &accounting.Unit{Resource: u.Name}
	if u.Unit.Charges() {
		u.Unit.Weights = weights
		switch {
		case controller.Flag("MAX_TRES_GRES"):
			u.Unit.Combine = accounting.MaxTRESGRES
		case controller.Flag("MAX_TRES"):
			u.Unit.Combine = accounting.MaxTRES
		}
	}
	return u, u.measure(partitions)
}

// Size returns the size of the nodes of some partitions, see ostrich.Schedule.Size; 0 without a
// unit.
func (u *Counted) Size(partitions []priority.Partition) int {
	if u.Unit == nil {
		return 0
	}
	units, procs, seen := 0.0, 0.0, make(map[string]bool)
	for i := range partitions {
		for _, node := range partitions[i].Nodes {
			if !seen[node] {
				seen[node] = true
				units, procs = units+u.nodes[node], procs+u.cpus[node]
			}
		}
	}
	return u.Unit.Size(units, uint64(procs))
}

func (u *Counted) weights(partitions []priority.Partition) (map[string]accounting.Weights, error) {
	all := make(map[string]accounting.Weights)
	for _, p := range partitions {
		if p.BillingWeights == "" {
			continue
		}
		weights, err := accounting.ReadWeights(p.BillingWeights)
		if err != nil {
			return nil, fmt.Errorf("configuration: %w: %w of partition %s: %w", configuration.ErrConfig, ErrWeights, p.Name, err)
		}
		all[p.Name] = weights
		for _, w := range weights {
			if w.Resource == "mem" && !w.Unit && w.Each != 0 {
				u.Warnings = append(u.Warnings, fmt.Sprintf("the weight of Mem in partition %s has no unit, so Slurm takes it for a megabyte: %s", p.Name, p.BillingWeights))
			}
		}
	}
	return all, nil
}

// measure finds what each node has of the unit, and all of them together.
func (u *Counted) measure(partitions []priority.Partition) error {
	u.nodes, u.has, u.cpus = make(map[string]float64), make(map[string]accounting.TRES), priority.NodeCPUs(partitions)
	in := make(map[string][]string)
	for i := range partitions {
		p := &partitions[i]
		for k, node := range p.Nodes {
			in[node] = append(in[node], p.Name)
			if k < len(p.NodeTRES) && p.NodeTRES[k] != "" {
				var err error
				if u.has[node], err = sacct.ReadResources([]byte(p.NodeTRES[k]), u.Unit.Named()); err != nil {
					return fmt.Errorf("CfgTRES of node %s: %q: %w", node, p.NodeTRES[k], err)
				}
			}
		}
	}
	if len(u.has) == 0 {
		return fmt.Errorf("configuration: %w: schedule.resource: %s cannot be counted: slurmctld does not tell what the nodes have (CfgTRES of scontrol show node)", configuration.ErrConfig, u.Name)
	}
	units, procs := 0.0, 0.0
	for _, node := range slices.Sorted(maps.Keys(in)) {
		tres, told := u.has[node]
		if !told {
			tres.CPUs = uint64(u.cpus[node]) // a node that nobody is shown
			u.has[node] = tres
		}
		u.nodes[node] = u.Unit.Node(&tres, in[node])
		stored := u.nodes[node]
		if u.Unit.Charges() {
			stored = float64(int64(stored))
		}
		u.whole += stored
		units, procs = units+u.nodes[node], procs+u.cpus[node]
	}
	if units == 0 {
		return fmt.Errorf("configuration: %w: schedule.resource: no node has %s", configuration.ErrConfig, u.Name)
	}
	u.Unit.Measure(units, int(procs))
	return nil
}

// site returns what accounting is told of the partitions, with how much of the unit there is.
func (u *Counted) site(pools []ostrich.Pool, partitions []priority.Partition) (ledger.Site, error) {
	if u.Unit != nil && len(pools) == 0 {
		pools = []ostrich.Pool{{}} // the whole cluster, with its nodes
	}
	s := ledger.Site{Partitions: accountsOf(partitions), Whole: u.whole}
	var err error
	if s.Pools, err = nodesOf(pools, partitions); err != nil || u.Unit == nil {
		return s, err
	}
	for i := range s.Pools {
		p := &s.Pools[i]
		p.NodeUnits = u.nodes
		for _, node := range p.Nodes {
			p.Units += u.nodes[node]
		}
	}
	for _, p := range partitions {
		sum, n := 0.0, 0
		for _, node := range p.Nodes {
			if u.cpus[node] > 0 { // nodes of the future have none
				tres := u.has[node]
				sum, n = sum+u.Unit.Node(&tres, []string{p.Name}), n+1
			}
		}
		if of := s.Partitions[p.Name]; n > 0 {
			of.NodeUnits = sum / float64(n)
			s.Partitions[p.Name] = of
		}
	}
	return s, nil
}

// same reports whether the same jobs count for the same.
func (u *Counted) same(other *Counted) bool {
	a, b := u.Unit, other.Unit
	if a == nil || b == nil {
		return a == b
	}
	return a.Resource == b.Resource && a.Combine == b.Combine && reflect.DeepEqual(a.Weights, b.Weights)
}

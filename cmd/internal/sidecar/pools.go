package sidecar

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"slurm-ostrich/cmd/internal/configuration"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting/ledger"
	"slurm-ostrich/priority"
)

// nodesOf adds the nodes of its partitions to each pool, and how many processors these
// have.
func nodesOf(pools []ostrich.Pool, partitions []priority.Partition) ([]ledger.Pool, error) {
	named := make(map[string]bool)
	for _, pool := range pools {
		for _, name := range pool.Partitions {
			if !slices.ContainsFunc(partitions, func(p priority.Partition) bool { return p.Name == name }) {
				return nil, fmt.Errorf("configuration: %w: pool %s: slurmctld has no partition %q", configuration.ErrConfig, pool.Name, name)
			}
			named[name] = true
		}
	}
	cpus := priority.NodeCPUs(partitions)
	var list []ledger.Pool
	for _, pool := range pools {
		p := ledger.Pool{Name: pool.Name, Partitions: pool.Partitions}
		for _, part := range partitions {
			if slices.Contains(pool.Partitions, part.Name) || (len(pool.Partitions) == 0 && !named[part.Name]) {
				p.Nodes = append(p.Nodes, part.Nodes...)
			}
		}
		slices.Sort(p.Nodes)
		p.Nodes = slices.Compact(p.Nodes)
		procs := 0.0
		for _, name := range p.Nodes {
			procs += cpus[name]
		}
		p.Procs = int(math.Round(procs))
		list = append(list, p)
	}
	return list, apart(list)
}

// CheckPools returns why pools cannot be made of the partitions: they name one that slurmctld
// does not have, or share nodes, which is an [ErrShared].
func CheckPools(pools []ostrich.Pool, partitions []priority.Partition) error {
	_, err := nodesOf(pools, partitions)
	return err
}

// accountsOf returns what accounting needs to know of the partitions, by name.
func accountsOf(partitions []priority.Partition) map[string]ledger.Partition {
	cpus := priority.NodeCPUs(partitions)
	of := make(map[string]ledger.Partition)
	for _, p := range partitions {
		part := ledger.Partition{MaxTime: max(p.MaxTime, 0), Exclusive: p.Exclusive} // Unlimited is none
		sum, nodes := 0.0, 0
		for _, name := range p.Nodes {
			if n := cpus[name]; n > 0 { // nodes of the future have none
				sum, nodes = sum+n, nodes+1
			}
		}
		if nodes > 0 {
			part.NodeProcs = sum / float64(nodes)
		}
		of[p.Name] = part
	}
	return of
}

// ErrShared means that pools share nodes: the jobs of one would stand in the way of those of
// another, and neither order would know of it.
var ErrShared = fmt.Errorf("%w: pools share nodes", configuration.ErrConfig)

// apart returns an error if two pools share a node.
func apart(pools []ledger.Pool) error {
	of := make(map[string]string)
	for _, p := range pools {
		for _, node := range p.Nodes {
			if first, shared := of[node]; shared {
				return fmt.Errorf("configuration: %w: node %s is in pool %s and in pool %s", ErrShared, node, first, p.Name)
			}
			of[node] = p.Name
		}
	}
	return nil
}

// byPool sorts entries pool by pool, in the order of the configuration. Within a pool those
// that are managed come first, in their order. Jobs of no pool come last.
func byPool(entries []*priority.Entry, pools []ostrich.Pool) {
	if len(pools) < 2 {
		return
	}
	place := make(map[string]int)
	for i, p := range pools {
		place[p.Name] = i - len(pools)
	}
	slices.SortStableFunc(entries, func(a, b *priority.Entry) int {
		return cmp.Or(cmp.Compare(place[a.Pool], place[b.Pool]), cmp.Compare(min(1, b.Rank), min(1, a.Rank)))
	})
}

// sameClasses reports whether two divisions of a cluster's jobs give the same order, for all
// partitions and QOS that Slurm has or had, and for those that it does not know. The names of
// the classes may differ.
func sameClasses(a, b ostrich.Classes, partitions []priority.Partition, qos []priority.QOS) bool {
	if len(a.Names) != len(b.Names) {
		return false
	}
	for _, p := range append([]priority.Partition{{}}, partitions...) {
		for _, q := range append([]priority.QOS{{}}, qos...) {
			if a.Of != nil && a.Of(p.Name, q.Name) != b.Of(p.Name, q.Name) {
				return false
			}
		}
	}
	return true
}

package priority

import (
	"cmp"
	"slices"
)

// Hidden is the size of a node that slurmctld does not show: a powered-down one of state
// CLOUD, unless PrivateData=cloud.
const Hidden = -1

// unsized returns the partitions with the nodes of which nobody tells the sizes, and the
// processors that these have together.
func unsized(partitions []Partition) []Partition {
	var list []Partition
	for _, p := range partitions {
		if p.NodeCPUs != nil {
			var nodes []string
			for i, n := range p.NodeCPUs {
				if n == Hidden {
					nodes = append(nodes, p.Nodes[i])
				}
			}
			p.Nodes, p.TotalCPUs = nodes, p.HiddenCPUs
		}
		if len(p.Nodes) > 0 {
			list = append(list, p)
		}
	}
	return list
}

// NodeCPUs returns how many processors for jobs each node has. For nodes whose sizes
// nobody tells, the sums of the partitions say something: the partition of the smallest nodes shares its
// own evenly among them, and one of larger nodes what remains among those that are in
// none before. See Unclear.
func NodeCPUs(partitions []Partition) map[string]float64 {
	cpus := make(map[string]float64)
	for _, p := range partitions {
		for i, n := range p.NodeCPUs {
			if n != Hidden {
				cpus[p.Nodes[i]] = float64(n)
			}
		}
	}
	bySize := slices.SortedStableFunc(slices.Values(unsized(partitions)), func(a, b Partition) int {
		return cmp.Compare(a.TotalCPUs*len(b.Nodes), b.TotalCPUs*len(a.Nodes))
	})
	for _, p := range bySize {
		left, unknown := float64(p.TotalCPUs), 0.0
		for _, n := range p.Nodes {
			if c, known := cpus[n]; known {
				left -= c
			} else {
				unknown++
			}
		}
		for _, n := range p.Nodes {
			if _, known := cpus[n]; !known {
				cpus[n] = max(0, left/unknown)
			}
		}
	}
	return cpus
}

// Unclear returns two partitions whose sums do not tell how many processors their nodes
// have together, "" for none: they share some nodes, each has others, and their nodes
// differ in size.
func Unclear(partitions []Partition) (one, other string) {
	parts := unsized(partitions)
	for i := range parts {
		p := &parts[i]
		in := make(map[string]bool, len(p.Nodes))
		for _, n := range p.Nodes {
			in[n] = true
		}
		for k := range parts[:i] {
			q := &parts[k]
			shared := 0
			for _, n := range q.Nodes {
				if in[n] {
					shared++
				}
			}
			if shared > 0 && shared < len(p.Nodes) && shared < len(q.Nodes) && p.TotalCPUs*len(q.Nodes) != q.TotalCPUs*len(p.Nodes) {
				return q.Name, p.Name
			}
		}
	}
	return "", ""
}

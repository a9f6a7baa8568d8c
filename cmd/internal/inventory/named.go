package inventory

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"slurm-ostrich/ostrich/scalar"
	"slurm-ostrich/ostrich/sim/nodes"
	"slurm-ostrich/priority/slurm"
)

// NodesUsage describes what names nodes on a command line.
const NodesUsage = "place jobs on `NODES`, with processors and memory: COUNTxCPUS[:MEMORY][:gpu=N], comma-separated, as in 100x4:8G, or a slurm.conf"

// IsFile reports whether an option that names nodes is the path of a file.
func IsFile(text string) bool {
	return text != "" && (text[0] < '0' || text[0] > '9' || strings.Contains(text, "/"))
}

// Named returns the nodes that an option names; nil for none.
func Named(text string) (c *nodes.Cluster, f *nodes.Floor, err error) {
	if text == "" {
		return nil, nil, nil
	}
	if IsFile(text) {
		c, err = confCluster(text)
	} else {
		c, err = countedCluster(text)
	}
	if err == nil {
		f, err = nodes.NewFloor(c)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("--nodes %s: %w", text, err)
	}
	return c, f, nil
}

// countedCluster reads nodes such as "100x4:8G,4x16:64G:gpu=4". A job that asks for no memory gets that of its
// processors, an equal part of a node's.
func countedCluster(text string) (*nodes.Cluster, error) {
	c := &nodes.Cluster{}
	for part := range strings.SplitSeq(text, ",") {
		n, count, err := nodeOf(part)
		if err != nil {
			return nil, err
		}
		if len(c.Nodes)+count > mostNodes {
			return nil, fmt.Errorf("more than %d nodes", mostNodes)
		}
		c.Nodes = append(c.Nodes, slices.Repeat([]nodes.Node{n}, count)...)
	}
	for i := range c.Nodes {
		n := &c.Nodes[i]
		n.Name = strconv.Itoa(i + 1)
		if part := n.Memory / int64(n.CPUs); part > 0 && (c.DefMemory.MiB == 0 || part < c.DefMemory.MiB) {
			c.DefMemory = nodes.Memory{MiB: part, PerCPU: true}
		}
		c.Select.Memory = c.Select.Memory || n.Memory > 0
	}
	return c, nil
}

// mostNodes is the most nodes that an option names, so that a slip of the finger takes no memory.
const mostNodes = 1_000_000

// nodeOf reads COUNTxCPUS[:MEMORY][:NAME=N].
func nodeOf(text string) (n nodes.Node, count int, err error) {
	fields := strings.Split(text, ":")
	first, second, ok := strings.Cut(strings.ToLower(fields[0]), "x")
	count, err = strconv.Atoi(first)
	cpus, bad := strconv.Atoi(second)
	if err = errors.Join(err, bad); !ok || err != nil || count < 1 || count > mostNodes || cpus < 1 {
		return n, 0, fmt.Errorf("%q: nodes are COUNTxCPUS[:MEMORY][:gpu=N], as in 100x4:8G", text)
	}
	n.CPUs, n.Weight = cpus, 1
	for _, f := range fields[1:] {
		if name, value, is := strings.Cut(f, "="); is {
			c, wrong := strconv.ParseInt(value, 10, 32)
			if wrong != nil || c < 0 || name == "" {
				return n, 0, fmt.Errorf("%q: %q is no count of a resource, as in gpu=4", text, f)
			}
			n.GRES = append(n.GRES, nodes.GRES{Name: name, Count: c})
			continue
		}
		memory, is := scalar.Mebibytes(f)
		if !is {
			return n, 0, fmt.Errorf("%q: %q is no amount of memory, as 8G", text, f)
		}
		n.Memory = memory
	}
	return n, count, nil
}

// confCluster takes the nodes of a slurm.conf, or of what scontrol shows of them.
func confCluster(path string) (*nodes.Cluster, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	records, err := slurm.ParseRecords(string(raw), Included(path))
	if err != nil {
		return nil, err
	}
	c, err := Of(records)
	switch {
	case err != nil && !errors.Is(err, ErrNoNodes):
		return nil, err
	case len(c.Nodes) == 0:
		return nil, errors.New("names no nodes (NodeName=)")
	}
	c.Partitions = nil // jobs of a log name none of them
	return c, nil
}

// Included returns the function that reads what a slurm.conf includes. Names without a
// folder are beside it.
func Included(conf string) slurm.Include {
	return func(name string) (string, error) {
		if !filepath.IsAbs(name) {
			name = filepath.Join(filepath.Dir(conf), name)
		}
		raw, err := os.ReadFile(name)
		return string(raw), err
	}
}

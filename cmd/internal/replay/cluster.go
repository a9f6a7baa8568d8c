package replay

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"slurm-ostrich/ostrich/sim/nodes"
	"slurm-ostrich/priority/slurm"
)

// nodesUsage describes what names nodes on a command line.
const nodesUsage = "place jobs on `NODES`, with processors and memory: COUNTxCPUS[:MEMORY][:gpu=N], comma-separated, as in 100x4:8G, or a slurm.conf"

// cluster returns the nodes that an option names; nil for none.
func cluster(text string) (c *nodes.Cluster, f *nodes.Floor, err error) {
	if text == "" {
		return nil, nil, nil
	}
	if first := text[0]; first < '0' || first > '9' || strings.ContainsAny(text, "/") {
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
		if n.Memory, err = mebibytes(f); err != nil {
			return n, 0, fmt.Errorf("%q: %w", text, err)
		}
	}
	return n, count, nil
}

// mebibytes reads an amount of memory such as 8G; M is the unit of one without.
func mebibytes(text string) (int64, error) {
	units := "KMGT"
	last := strings.IndexByte(units, (" " + strings.ToUpper(text))[len(text)])
	number := text
	if last >= 0 {
		number = text[:len(text)-1]
	} else {
		last = 1
	}
	n, err := strconv.ParseInt(number, 10, 32)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("%q is no amount of memory, as 8G", text)
	}
	if last == 0 {
		return n >> 10, nil
	}
	return n << (10 * (last - 1)), nil
}

// confCluster takes the nodes of a slurm.conf, or of what scontrol shows of them.
func confCluster(path string) (*nodes.Cluster, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	records, err := slurm.ParseRecords(string(raw), included(path))
	if err != nil {
		return nil, err
	}
	c := &nodes.Cluster{Select: nodes.Select{Unit: nodes.Core}}
	for i := range records {
		r := &records[i]
		switch r.Kind {
		case slurm.NodeRecord:
			n, wrong := nodeOfRecord(r)
			if wrong != nil {
				return nil, wrong
			}
			c.Nodes = append(c.Nodes, n)
		case slurm.ConfigRecord:
			err = errors.Join(err, configure(c, r))
		default:
		}
	}
	switch {
	case err != nil:
		return nil, err
	case len(c.Nodes) == 0:
		return nil, errors.New("names no nodes (NodeName=)")
	}
	slices.SortStableFunc(c.Nodes, func(a, b nodes.Node) int { return nodes.CompareNames(a.Name, b.Name) })
	return c, nil
}

// nodeOfRecord is a node of slurm.conf.
func nodeOfRecord(r *slurm.Record) (n nodes.Node, err error) {
	n.Name = r.Name
	for _, k := range []struct {
		key string
		to  *int
	}{{"cpus", &n.CPUs}, {"sockets", &n.Sockets}, {"corespersocket", &n.Cores}, {"threadspercore", &n.Threads}} {
		if text := r.Get(k.key); text != "" {
			if *k.to, err = strconv.Atoi(text); err != nil {
				return n, fmt.Errorf("%s: %s=%s: not a number", r.Where, k.key, text)
			}
		}
	}
	for _, k := range []struct {
		key string
		to  *int64
	}{{"realmemory", &n.Memory}, {"weight", &n.Weight}} {
		if text := r.Get(k.key); text != "" {
			if *k.to, err = strconv.ParseInt(text, 10, 64); err != nil {
				return n, fmt.Errorf("%s: %s=%s: not a number", r.Where, k.key, text)
			}
		}
	}
	if text := r.Get("features"); text != "" {
		n.Features = strings.Split(text, ",")
	}
	return n, nil
}

// configure takes what slurm.conf says of how nodes are chosen.
func configure(c *nodes.Cluster, r *slurm.Record) error {
	words := strings.ToUpper(r.Get("selecttypeparameters"))
	s := &c.Select
	s.Linear = strings.EqualFold(r.Get("selecttype"), "select/linear")
	switch {
	case strings.Contains(words, "CR_CPU"):
		s.Unit = nodes.CPU
	case strings.Contains(words, "CR_SOCKET"):
		s.Unit = nodes.Socket
	}
	s.Memory = strings.Contains(words, "MEMORY")
	s.LLN = strings.Contains(words, "CR_LLN")
	s.OneTaskPerCore = strings.Contains(words, "CR_ONE_TASK_PER_CORE")
	s.SerialAtEnd = strings.Contains(r.Get("schedulerparameters"), "pack_serial_at_end")
	for _, k := range []struct {
		key    string
		perCPU bool
	}{{"defmempercpu", true}, {"defmempernode", false}} {
		if text := r.Get(k.key); text != "" && !strings.EqualFold(text, "UNLIMITED") {
			n, err := strconv.ParseInt(text, 10, 64)
			if err != nil {
				return fmt.Errorf("%s: %s=%s: not a number", r.Where, k.key, text)
			}
			c.DefMemory = nodes.Memory{MiB: n, PerCPU: k.perCPU}
		}
	}
	return nil
}

package nodes

import (
	"cmp"
	"fmt"
	"math"
	"math/bits"
	"slices"
)

// Want is a request as a cluster can meet it in one partition.
type Want struct {
	*Request
	part  int
	sets  []Set // from which it can be met, in the order in which they are tried
	able  Set   // nodes that could be part of it when nothing runs
	suits Set   // nodes that are not out of the question for it before these are looked at: they may lack generic resources (node_scheduler.c, job_req_node_filter)
	list  Set   // all of which it must have; nil for none
	any   []Set
	count []counted

	min, max      int // nodes
	req           int // nodes wanted, if there are more than min
	cpus          int
	tasks         int // 0 is not said
	perTask       int
	perNode       int   // tasks
	memory        int64 // of each node or CPU
	perCPU        bool
	allMemory     bool
	amounts       []amount // of generic resources
	whole, shared bool     // all CPUs of its nodes; no other job on them
	own           bool
	rows          bool // it shares CPUs, see Floor.Shares
	lln           bool
	simple        bool
	bounds        []bound
	missed        [2]miss // for a short job and a long one
}

// counted is a number of nodes of a set that a job must have.
type counted struct {
	of Set
	n  int
}

// amount is a number of generic resources of some kinds.
type amount struct {
	kinds []int
	n     int64
	per   Per
}

// most is a number of nodes that no job reaches (get_node_cnts).
const most = 500_000

// Want resolves a request in a partition of the cluster; -1 is that of all nodes where the cluster
// has no partitions. It returns an error if no node could ever be part of it.
func (f *Floor) Want(r *Request, part int) (*Want, error) {
	w := &Want{
		Request: r, part: max(part, 0), min: max(1, r.MinNodes), max: cmp.Or(r.MaxNodes, most), tasks: r.Tasks,
		perTask: max(1, r.CPUsPerTask), perNode: r.TasksPerNode, whole: r.Exclusive == WholeNodes || f.c.Select.Linear,
		own: r.Exclusive == OneUser, lln: f.c.Select.LLN,
	}
	w.rows = f.Shares(w)
	w.cpus = max(r.CPUs, r.Tasks*w.perTask, w.min*w.perNode*w.perTask, 1)
	if part >= 0 {
		if part >= len(f.c.Partitions) {
			return nil, fmt.Errorf("nodes: partition %d of %d: %w", part, len(f.c.Partitions), ErrCluster)
		}
		p := &f.c.Partitions[part]
		w.shared = p.OverSubscribe == Exclusive
		w.whole = w.whole || w.shared
		w.own = w.own || p.ExclusiveUser
		w.lln = w.lln || p.LLN
		if r.QOS == nil || !r.QOS.AnyMin { // get_node_cnts
			w.min = max(w.min, p.MinNodes)
		}
		if r.QOS == nil || !r.QOS.AnyMax || r.MaxNodes == 0 {
			w.max = min(w.max, cmp.Or(p.MaxNodes, most))
		}
	}
	memory, limit := f.c.Memory(part)
	if r.Memory.MiB != 0 {
		memory = r.Memory
	}
	if limit.PerCPU && !memory.PerCPU && limit.MiB > 0 && memory.MiB != AllMemory { // _valid_pn_min_mem; of memory by processor a job's record has what came of it
		w.cpus = max(w.cpus, w.min*int((memory.MiB+limit.MiB-1)/limit.MiB))
	}
	w.memory, w.perCPU = memory.MiB, memory.PerCPU
	w.allMemory = w.memory == AllMemory || w.memory == 0
	w.req = w.min
	if r.MaxNodes > 0 {
		w.req = w.max
	}
	if w.max < w.min {
		return nil, fmt.Errorf("nodes: it needs %d nodes, and may have %d: %w", w.min, w.max, ErrCluster)
	}
	if err := f.resolve(w); err != nil {
		return nil, err
	}
	w.simple = f.simple(w)
	if err := f.bind(w); err != nil {
		return nil, err
	}
	a, ok := f.idle.Choose(w, 0, f.all, f.empty)
	switch {
	case !ok:
		return nil, fmt.Errorf("nodes: no nodes of the cluster could run it when nothing else runs: %w", ErrCluster)
	case !f.NewUsage().Allows(w, 0), !f.NewUsage().AllowsAllocation(w, 0, a):
		return nil, fmt.Errorf("nodes: a limit of its QOS or association is below what it asks for: %w", ErrCluster)
	}
	return w, nil
}

// resolve finds the nodes that could be part of a request (node_scheduler.c, _build_node_list).
func (f *Floor) resolve(w *Want) error {
	n := len(f.nodes)
	for _, g := range w.GRES {
		a := amount{n: g.Count, per: g.Per}
		for k, kind := range f.kinds {
			if kind.Name == g.Name && (g.Type == "" || g.Type == kind.Type) {
				a.kinds = append(a.kinds, k)
			}
		}
		if len(a.kinds) == 0 {
			return fmt.Errorf("nodes: no node has %s: %w", g, ErrCluster)
		}
		if g.Count > 0 {
			w.amounts = append(w.amounts, a)
		}
	}
	if slices.ContainsFunc(w.NodeList, f.unknown) || slices.ContainsFunc(w.Exclude, f.unknown) {
		return fmt.Errorf("nodes: it names nodes beyond the %d of the cluster: %w", n, ErrCluster)
	}
	w.able = f.Part(w.part).Copy()
	if len(w.NodeList) > 0 {
		w.list = SetOf(n, w.NodeList)
	}
	w.able.AndNot(SetOf(n, w.Exclude))
	have, err := f.match(w)
	if err != nil {
		return err
	}
	w.able.And(have)
	w.suits = w.able.Copy()
	least := max(1, w.perNode) * w.perTask
	for i := range w.able.All() {
		c := &f.nodes[i]
		memory := w.memory
		if w.perCPU {
			memory *= int64(least)
		}
		fits := int(c.sockets) >= w.Sockets && int(c.cores) >= w.Cores*int(c.sockets) && int(c.threads) >= w.Threads && int(c.cpus) >= least &&
			(c.memory >= memory || c.memory == 0 && !f.c.Select.Memory)
		if !fits {
			w.suits.Remove(i)
		}
		if !fits || f.offer(w, 0, f.empty, i).cpus == 0 {
			w.able.Remove(i)
		}
	}
	w.sets = []Set{w.able}
	for i, s := range w.any {
		if s.And(w.able); i == 0 {
			w.sets = w.sets[:0]
		}
		w.sets = append(w.sets, s)
	}
	f.private = f.private || w.own || w.rows
	if w.list != nil && !w.list.Within(w.able) {
		return fmt.Errorf("nodes: a node of its list could never be part of it: %w", ErrCluster)
	}
	return nil
}

func (f *Floor) unknown(place int) bool { return place < 0 || place >= len(f.nodes) }

// match finds the nodes with the features that a request asks for (node_scheduler.c,
// valid_feature_counts and _valid_features).
func (f *Floor) match(w *Want) (Set, error) {
	all := f.all.Copy()
	terms := w.Features.Terms
	first := true
	for i := 0; i < len(terms); {
		t := terms[i]
		have := f.with(t.Name)
		for i++; t.Group != 0 && i < len(terms) && terms[i].Group == t.Group; i++ {
			if other := f.with(terms[i].Name); terms[i].Or {
				have.Or(other)
			} else {
				have.And(other)
			}
		}
		if have.Count() == 0 && !t.Or && (i >= len(terms) || !terms[i].Or) {
			return nil, fmt.Errorf("nodes: no node has what %q asks for: %w", w.Features, ErrCluster)
		}
		switch {
		case t.Count > 0:
			w.count = append(w.count, counted{have, t.Count})
		case t.Bracket && (t.Or || i < len(terms) && terms[i].Or && terms[i].Bracket):
			w.any = append(w.any, have)
		case t.Or && !first:
			all.Or(have)
		default:
			all.And(have)
		}
		first = false
	}
	return all, nil
}

// with returns the nodes that have a feature.
func (f *Floor) with(feature string) Set {
	s := newSet(len(f.nodes))
	for i := range f.c.Nodes {
		if slices.Contains(f.c.Nodes[i].Features, feature) {
			s.Add(i)
		}
	}
	return s
}

// Procs is the fewest CPUs that a job with the request uses.
func (w *Want) Procs() int { return min(w.cpus, math.MaxInt32-1) }

// Nodes is the fewest nodes that it uses.
func (w *Want) Nodes() int { return w.min }

// Part is the place of the partition in [Cluster.Partitions].
func (w *Want) Part() int { return w.part }

// Could reports whether a job could run on nodes of a set when nothing else does, as far as their number
// tells (node_scheduler.c, job_req_node_filter).
func (w *Want) Could(set Set) bool {
	if w.list != nil && !w.list.Within(set) {
		return false
	}
	n := 0
	for i := range set {
		n += bits.OnesCount64(set[i] & w.able[i])
	}
	return n >= w.min
}

package nodes

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"slurm-ostrich/ostrich"
)

// ErrCluster marks a cluster or a request that cannot be replayed.
var ErrCluster = errors.New("cannot be replayed on nodes")

// Floor is a cluster prepared for placing jobs.
type Floor struct {
	c     *Cluster
	nodes []node
	kinds []GRES // each name and type that a node has, sorted, without counts
	all   Set
	parts []Set // by partition
	lines []Set // under select/linear: of each weight, then line of slurm.conf
	cpus  int   // of all nodes

	licenses []Limit // of all jobs together

	private bool   // some jobs share nodes with those of their user only, or CPUs
	epochs  uint64 // of all stocks

	empty    *Load // of nothing, and what chooses beside it
	idle     *Chooser
	crowded  bool // some partitions limit the CPUs of a node
	threaded bool // some cores are several CPUs
}

// node is a node as far as choices look at it.
type node struct {
	sockets, cores, threads int32 // cores of the node; CPUs of a core that count
	cpus                    int32
	memory                  int64
	gres                    []int64 // by kind
	weight                  int64
}

// NewFloor checks a cluster and prepares it.
func NewFloor(c *Cluster) (*Floor, error) {
	f := &Floor{c: c, all: newSet(len(c.Nodes)), nodes: make([]node, len(c.Nodes))}
	if len(c.Nodes) == 0 || len(c.Nodes) > math.MaxInt32/4 {
		return nil, fmt.Errorf("nodes: a cluster of %d nodes: %w", len(c.Nodes), ErrCluster)
	}
	for i := range c.Nodes {
		for _, g := range c.Nodes[i].GRES {
			if k := (GRES{Name: g.Name, Type: g.Type}); !slices.Contains(f.kinds, k) {
				f.kinds = append(f.kinds, k)
			}
		}
	}
	slices.SortFunc(f.kinds, func(a, b GRES) int { return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Type, b.Type)) })
	for i := range c.Nodes {
		if err := f.prepare(i); err != nil {
			return nil, err
		}
		f.all.Add(i)
		f.cpus += int(f.nodes[i].cpus)
		f.threaded = f.threaded || f.nodes[i].threads > 1
		if f.cpus >= math.MaxInt32 {
			return nil, fmt.Errorf("nodes: a cluster of more than %d CPUs: %w", math.MaxInt32-1, ErrCluster)
		}
	}
	if c.Select.Linear {
		f.line()
	}
	for _, l := range c.Licenses {
		f.licenses = append(f.licenses, Limit{Resource: "license/" + l.Name, Most: l.Count})
	}
	for i := range c.Partitions {
		p := &c.Partitions[i]
		for k, n := range p.Nodes {
			if n < 0 || n >= len(c.Nodes) || k > 0 && n <= p.Nodes[k-1] {
				return nil, fmt.Errorf("nodes: partition %s: node %d of %d, or not in their order: %w", p.Name, n, len(c.Nodes), ErrCluster)
			}
		}
		f.parts = append(f.parts, SetOf(len(c.Nodes), p.Nodes))
		f.crowded = f.crowded || p.MaxCPUsPerNode > 0
	}
	f.empty, f.idle = f.NewLoad(), f.NewChooser()
	return f, f.checkTimes()
}

// Private reports whether some jobs share nodes with those of their user only.
func (f *Floor) Private() bool { return f.private }

// Shares reports whether a job with the request could share its CPUs with others in Slurm, which it does not here
// (select/cons_tres gives it those of another row of the partition when no CPUs are idle: job_test.c, _job_test).
func (f *Floor) Shares(w *Want) bool {
	if w.part >= len(f.c.Partitions) {
		return false
	}
	over := f.c.Partitions[w.part].OverSubscribe
	return over == ShareForced || over == ShareAsked && w.Share
}

// checkTimes checks outages and reservations.
func (f *Floor) checkTimes() error {
	for _, o := range f.c.Outages {
		if f.unknown(o.Node) || o.To != 0 && o.To < o.From {
			return fmt.Errorf("nodes: an outage of node %d of %d, from %d to %d: %w", o.Node, len(f.nodes), o.From, o.To, ErrCluster)
		}
	}
	for i := range f.c.Reservations {
		r := &f.c.Reservations[i]
		if slices.ContainsFunc(r.Nodes, f.unknown) || r.To < r.From {
			return fmt.Errorf("nodes: reservation %s of nodes %v of %d, from %d to %d: %w", r.Name, r.Nodes, len(f.nodes), r.From, r.To, ErrCluster)
		}
	}
	return nil
}

// Up returns the nodes that take jobs at a moment, as far as outages tell.
func (f *Floor) Up(t ostrich.Time) Set {
	up := f.all.Copy()
	for _, o := range f.c.Outages {
		if o.From <= t && (o.To == 0 || t < o.To) {
			up.Remove(o.Node)
		}
	}
	return up
}

// Changes lists the moments at which nodes go or come back, or reservations begin or end, ascending.
func (f *Floor) Changes() []ostrich.Time {
	var at []ostrich.Time
	for _, o := range f.c.Outages {
		if at = append(at, o.From); o.To != 0 {
			at = append(at, o.To)
		}
	}
	for i := range f.c.Reservations {
		at = append(at, f.c.Reservations[i].From, f.c.Reservations[i].To)
	}
	slices.Sort(at)
	return slices.Compact(at)
}

// Unreserve takes the nodes out of a set on which a job cannot run from one moment to another, as they are
// reserved for others: those of its own reservation, once that has begun, are left alone (reservation.c,
// job_test_resv). Once that is over, the job runs elsewhere: Slurm would hold it for good. It returns when the last of
// these reservations ends, 0 without one. What is to start before a reservation was known passes it over.
func (f *Floor) Unreserve(w *Want, set Set, from, to ostrich.Time) (end ostrich.Time) {
	found, comes := w.Reservation == "", false
	for i := range f.c.Reservations {
		r := &f.c.Reservations[i]
		if w.Reservation == r.Name && w.Reservation != "" {
			comes = comes || from < r.To
			if r.From <= from && from < r.To {
				found = true
				if !r.Flex {
					set.And(SetOf(len(f.nodes), r.Nodes))
				}
			}
			continue
		}
		if r.From < to && from < r.To && from >= min(r.Known, r.From) {
			set.AndNot(SetOf(len(f.nodes), r.Nodes))
			end = max(end, r.To)
		}
	}
	if comes && !found {
		clear(set)
	}
	return end
}

// mostCPUs is the most CPUs that a node may have. All of its bits are set.
const mostCPUs = math.MaxUint16

// prepare checks a node.
func (f *Floor) prepare(i int) error {
	n := &f.c.Nodes[i]
	sockets, cores, threads := max(1, n.Sockets), max(1, n.Cores), max(1, n.Threads)
	if n.Sockets == 0 && n.Cores == 0 && n.Threads == 0 {
		sockets = max(1, n.CPUs)
	}
	cpus := n.Processors()
	if min(n.Sockets, n.Cores, n.Threads, n.CPUs) < 0 || n.Memory < 0 || cpus > mostCPUs {
		return fmt.Errorf("nodes: node %s: %d sockets of %d cores of %d threads, %d CPUs, %d MiB: %w",
			n.Name, n.Sockets, n.Cores, n.Threads, n.CPUs, n.Memory, ErrCluster)
	}
	usable := max(1, min(threads, cpus/(sockets*cores)))
	to := &f.nodes[i]
	*to = node{
		sockets: int32(min(sockets, cpus/usable)), cores: int32(cpus / usable), threads: int32(usable), cpus: int32(cpus / usable * usable),
		memory: n.Memory, weight: n.Weight, gres: make([]int64, len(f.kinds)),
	}
	for _, g := range n.GRES {
		if g.Count < 0 {
			return fmt.Errorf("nodes: node %s: %d of %s: %w", n.Name, g.Count, g, ErrCluster)
		}
		to.gres[slices.Index(f.kinds, GRES{Name: g.Name, Type: g.Type})] += g.Count
	}
	return nil
}

// classify numbers the nodes by what they are: all but names and places.
func (f *Floor) classify(class []int32) {
	first := make(map[string]int32)
	for i := range f.nodes {
		in := []int(nil)
		for p := range f.parts {
			if f.parts[p].Has(i) {
				in = append(in, p)
			}
		}
		text := fmt.Sprint(f.nodes[i], f.c.Nodes[i].Features, in)
		c, ok := first[text]
		if !ok {
			c = int32(len(first))
			first[text] = c
		}
		class[i] = c
	}
}

// String is a resource in Slurm's words, without its count.
func (g GRES) String() string {
	if g.Type == "" {
		return g.Name
	}
	return g.Name + ":" + g.Type
}

// CPUs is the number of CPUs of all nodes.
func (f *Floor) CPUs() int { return f.cpus }

// All returns the set of all nodes, which must not be changed.
func (f *Floor) All() Set { return f.all }

// Part returns the nodes of a partition, which must not be changed: all of them if the cluster has
// no partitions.
func (f *Floor) Part(p int) Set {
	if len(f.parts) == 0 {
		return f.all
	}
	return f.parts[p]
}

// Load is what jobs use of each node.
type Load struct {
	cpus   []int32
	memory []int64
	gres   []int64 // by node, then kind
	jobs   []int32
	users  [][]tally // by node, the jobs of each user and partition
	inPart [][]int32 // by partition with a limit of CPUs on a node, nil for others; CPUs by node
}

// tally is a number of jobs of a user in a partition.
type tally struct {
	user uint32
	part int32
	jobs int32
	own  int32 // of those, jobs that share a node with those of their user only
	rows int32 // of those, jobs that share CPUs
}

// NewLoad returns the load of an empty cluster, for jobs whose requests have been resolved before.
func (f *Floor) NewLoad() *Load {
	l := &Load{
		cpus: make([]int32, len(f.nodes)), memory: make([]int64, len(f.nodes)), jobs: make([]int32, len(f.nodes)),
		gres: make([]int64, len(f.nodes)*len(f.kinds)), inPart: make([][]int32, len(f.parts)),
	}
	if f.private {
		l.users = make([][]tally, len(f.nodes))
	}
	for p := range f.c.Partitions {
		if f.c.Partitions[p].MaxCPUsPerNode > 0 {
			l.inPart[p] = make([]int32, len(f.nodes))
		}
	}
	return l
}

// copyFrom makes the load that of another, of the same cluster.
func (l *Load) copyFrom(other *Load) {
	copy(l.cpus, other.cpus)
	copy(l.memory, other.memory)
	copy(l.gres, other.gres)
	copy(l.jobs, other.jobs)
	for n := range l.users {
		l.users[n] = append(l.users[n][:0], other.users[n]...)
	}
	for p := range l.inPart {
		copy(l.inPart[p], other.inPart[p])
	}
}

// copyNode makes the load of a node that of another load.
func (l *Load) copyNode(other *Load, n int32) {
	l.cpus[n], l.memory[n], l.jobs[n] = other.cpus[n], other.memory[n], other.jobs[n]
	kinds := len(l.gres) / len(l.cpus)
	copy(l.gres[int(n)*kinds:int(n+1)*kinds], other.gres[int(n)*kinds:int(n+1)*kinds])
	if l.users != nil {
		l.users[n] = append(l.users[n][:0], other.users[n]...)
	}
	for p := range l.inPart {
		if l.inPart[p] != nil {
			l.inPart[p][n] = other.inPart[p][n]
		}
	}
}

// Allocation is what a job has of the nodes that it runs on.
type Allocation struct {
	Nodes  []int32 // their places
	CPUs   []int32 // of each, of whole cores
	Memory []int64 // of each
	counts []int32 // of the CPUs, those that count as its own; none for all
	gres   []int64 // of each, by kind; nil for none
	unused []int64 // memory for those
	user   uint32
	part   int32
	gone   int32 // 1 + its place in Stock.gone; 0 for none
	own    bool  // it shares nodes with jobs of its user only
	rows   bool  // it shares CPUs
}

// Copy returns an allocation that shares no memory with this one.
func (a *Allocation) Copy() *Allocation {
	c := *a
	c.unused, c.gone = nil, 0
	c.Nodes, c.CPUs, c.Memory, c.counts, c.gres = slices.Clone(a.Nodes), slices.Clone(a.CPUs), slices.Clone(a.Memory), slices.Clone(a.counts), slices.Clone(a.gres)
	return &c
}

// Fit reports whether nodes have all CPUs, and the memory and generic resources that count, that jobs are to have of them at once; nil is
// nothing.
func (f *Floor) Fit(all []*Allocation) bool {
	l, kinds := f.NewLoad(), len(f.kinds)
	for _, a := range all {
		if a == nil {
			continue
		}
		if len(a.CPUs) != len(a.Nodes) || len(a.Memory) != len(a.Nodes) || a.gres != nil && len(a.gres) != len(a.Nodes)*kinds ||
			slices.ContainsFunc(a.Nodes, func(n int32) bool { return f.unknown(int(n)) }) || slices.ContainsFunc(a.CPUs, func(n int32) bool { return n < 0 }) {
			return false
		}
		l.Add(a)
		for _, n := range a.Nodes {
			has := &f.nodes[n]
			if l.cpus[n] > has.cpus || f.c.Select.Memory && l.memory[n] > has.memory {
				return false
			}
			for k, g := range has.gres {
				if l.gres[int(n)*kinds+k] > g {
					return false
				}
			}
		}
	}
	return true
}

// Total is the number of CPUs of the allocation.
func (a *Allocation) Total() int {
	n := 0
	for _, c := range a.CPUs {
		n += int(c)
	}
	return n
}

// counted is how many CPUs of a node count as the job's own: in limits, and in memory for each CPU.
func (a *Allocation) counted(k int) int32 {
	if len(a.counts) > 0 {
		return a.counts[k]
	}
	return a.CPUs[k]
}

// Add adds an allocation to the load.
func (l *Load) Add(a *Allocation) { l.change(a, 1) }

// Remove takes an allocation from the load.
func (l *Load) Remove(a *Allocation) { l.change(a, -1) }

func (l *Load) change(a *Allocation, sign int32) {
	kinds := 0
	if a.gres != nil {
		kinds = len(a.gres) / len(a.Nodes)
	}
	for i, n := range a.Nodes {
		l.cpus[n] += sign * a.CPUs[i]
		l.memory[n] += int64(sign) * a.Memory[i]
		l.jobs[n] += sign
		for k := range kinds {
			l.gres[int(n)*kinds+k] += int64(sign) * a.gres[i*kinds+k]
		}
		if l.users != nil {
			l.count(int(n), a, sign)
		}
		if int(a.part) < len(l.inPart) && l.inPart[a.part] != nil {
			l.inPart[a.part][n] += sign * a.CPUs[i]
		}
	}
}

// count counts a job of a user and partition on a node.
func (l *Load) count(n int, a *Allocation, sign int32) {
	i := slices.IndexFunc(l.users[n], func(t tally) bool { return t.user == a.user && t.part == a.part })
	if i < 0 {
		i = len(l.users[n])
		l.users[n] = append(l.users[n], tally{user: a.user, part: a.part})
	}
	t := &l.users[n][i]
	t.jobs += sign
	if a.own {
		t.own += sign
	}
	if a.rows {
		t.rows += sign
	}
	if t.jobs == 0 {
		l.users[n] = slices.Delete(l.users[n], i, i+1)
	}
}

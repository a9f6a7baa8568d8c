package nodes

import (
	"math/bits"

	"slurm-ostrich/ostrich"
)

// Stock is the load of a cluster in which nodes that are alike are counted: of the same hardware,
// features and partitions, with the same amounts in use. A job is placed by a look at each kind of
// them, not at each node, beside those that it gets.
//
// It knows one reservation, that of EASY's head: for a job that ends after the shadow time, the nodes of
// the head have in use what they will have then, with the head, if that is more than now.
type Stock struct {
	*Floor
	now   *Load // by running jobs
	kept  *Load // or by the head at the shadow time, if that is more
	later *Load // at the shadow time, without the jobs that are gone by then

	class  []int32 // by node
	kind   []int32 // by node, its place in alike
	alike  []kind
	open   Set     // of the places in alike, those of nodes with CPUs that no job has
	partly Set     // likewise, those of nodes some of which are touched
	bucket []int32 // by class and CPUs in use, 1 + the place in alike of the first kind with them; 0 for none
	begin  []int32 // by class, its first place in bucket
	spare  []int32 // places in alike that are free

	head     []reserved // nodes of the head
	headOf   []int32    // by node, 1 + its place in head; 0 for none
	plain    bool       // CPUs and memory are all that a load has
	distinct bool       // no node is like another, as more counts than is in a state
	bits     []int      // of generic resources on a node, by kind
	former   []reserved // those of the one before, reused
	stale    bool       // the head is given up
	Free     int        // CPUs that no job has
	Left     int        // CPUs that no job has, nor the head
	epoch    uint64     // another for each stock, and since each time that nodes went or came back
	freed    []int32    // nodes of which less came into use, now or kept, one after the other
	chooser  *Chooser   // for what is not counted
	list     []candidate
	room     room    // of those
	need     need    // reused
	gres     []int64 // reused
	gone     []gone
	touched  []int32       // by node, the jobs on it that are gone
	standing *Want         // of the head for which those are gone; nil for none
	shadow   ostrich.Time  // of that
	down     Set           // nodes that take no jobs
	unused   []*Allocation // to be filled again
}

// kind are nodes that are alike.
type kind struct {
	state
	set   Set
	all   int32 // CPUs of each
	count int   // of nodes
	first int32 // of them
	gone  int   // of them, those that are touched
	next  int32 // of the same class with as many CPUs in use, as in bucket
}

// after returns the first node from one on; -1 if there is none.
func (k *kind) after(n int32) int32 {
	at := int(n) >> 6
	if at >= len(k.set) {
		return -1
	}
	for w := k.set[at] >> (n & 63) << (n & 63); ; w = k.set[at] {
		if w != 0 {
			return int32(at<<6 + bits.TrailingZeros64(w))
		}
		if at++; at == len(k.set) {
			return -1
		}
	}
}

// state is what nodes that are alike have in common.
type state struct {
	class              int32
	cpus, keptCPUs     int32
	memory, keptMemory int64
	gres, keptGRES     uint64 // packed
	single             int32  // 1 + the node, for one that is like no other
}

// reserved is a node of the head, with what will be in use of it at the shadow time.
type reserved struct {
	node int32
	use  amounts
}

// amounts are what is in use of a node.
type amounts struct {
	cpus   int32
	memory int64
	gres   []int64
}

// NewStock returns the stock of an empty cluster, for jobs whose requests have been resolved before.
func (f *Floor) NewStock() *Stock {
	n := len(f.nodes)
	f.epochs++
	s := &Stock{
		Floor: f, now: f.NewLoad(), kept: f.NewLoad(), later: f.NewLoad(), class: make([]int32, n), kind: make([]int32, n),
		Free: f.cpus, Left: f.cpus, chooser: f.NewChooser(), touched: make([]int32, n), headOf: make([]int32, n),
		down: newSet(n), epoch: f.epochs,
	}
	s.distinct = s.now.users != nil || f.crowded
	s.plain = len(f.kinds) == 0 && !s.distinct
	if widths, fit := f.widths(); fit {
		s.bits = widths
	} else {
		s.distinct = true
	}
	f.classify(s.class)
	for i := range s.class { // classes are numbered as they come
		if int(s.class[i]) == len(s.begin) {
			s.begin = append(s.begin, int32(len(s.bucket)))
			s.bucket = append(s.bucket, make([]int32, f.nodes[i].cpus+1)...)
		}
	}
	for i := range s.kind {
		s.kind[i] = -1
		s.sort(int32(i))
	}
	return s
}

// sort puts a node to those that are like it now.
func (s *Stock) sort(n int32) {
	st := state{class: s.class[n], cpus: s.now.cpus[n], keptCPUs: s.kept.cpus[n], memory: s.now.memory[n], keptMemory: s.kept.memory[n]}
	if !s.plain {
		st.gres, st.keptGRES = s.packed(s.now, n), s.packed(s.kept, n)
	}
	if s.distinct || s.down.Has(int(n)) {
		st.single = n + 1
	}
	if old := s.kind[n]; old >= 0 {
		k := &s.alike[old]
		if k.state == st {
			return
		}
		if s.touched[n] > 0 {
			s.part(old, -1)
		}
		s.leave(n, old)
	}
	at := s.find(&st)
	k := &s.alike[at]
	k.set.Add(int(n))
	if k.count++; k.count == 1 || n < k.first {
		k.first, k.all = n, s.nodes[n].cpus
	}
	if k.cpus < k.all {
		s.open.Add(int(at))
	}
	if s.kind[n] = at; s.touched[n] > 0 {
		s.part(at, 1)
	}
}

// part counts nodes of a kind that are touched.
func (s *Stock) part(at int32, n int) {
	if k := &s.alike[at]; k.gone+n > 0 {
		k.gone += n
		s.partly.Add(int(at))
	} else {
		k.gone = 0
		s.partly.Remove(int(at))
	}
}

// chain is where the kinds of a state begin.
func (s *Stock) chain(st *state) *int32 { return &s.bucket[s.begin[st.class]+st.cpus] }

// leave takes a node from those of its kind.
func (s *Stock) leave(n, at int32) {
	k := &s.alike[at]
	k.set.Remove(int(n))
	if k.count--; k.count > 0 {
		if n == k.first {
			k.first = k.after(n)
		}
		return
	}
	to := s.chain(&k.state)
	for *to != at+1 {
		to = &s.alike[*to-1].next
	}
	*to = k.next
	s.open.Remove(int(at))
	s.spare = append(s.spare, at)
}

// find returns the place of a kind, which is new if there is none.
func (s *Stock) find(st *state) int32 {
	first := s.chain(st)
	for at := *first; at > 0; at = s.alike[at-1].next {
		if s.alike[at-1].state == *st {
			return at - 1
		}
	}
	var at int32
	if last := len(s.spare) - 1; last >= 0 {
		at = s.spare[last]
		s.spare = s.spare[:last]
	} else {
		at = int32(len(s.alike))
		s.alike = append(s.alike, kind{set: newSet(len(s.nodes))})
		if len(s.alike) > 64*len(s.open) {
			s.open, s.partly = append(s.open, 0), append(s.partly, 0)
		}
	}
	s.alike[at].state, s.alike[at].next = *st, *first
	*first = at + 1
	return at
}

// packed are the generic resources that are in use of a node.
func (s *Stock) packed(l *Load, n int32) (p uint64) {
	at := int(n) * len(s.bits)
	for k, width := range s.bits {
		p = p<<width | uint64(l.gres[at+k])
	}
	return p
}

// widths returns with how many bits generic resources of each kind can be counted on a node, and whether those of a node
// go into 64 bits.
func (f *Floor) widths() (widths []int, fit bool) {
	widths, sum := make([]int, len(f.kinds)), 0
	for k := range widths {
		for i := range f.nodes {
			widths[k] = max(widths[k], bits.Len64(uint64(f.nodes[i].gres[k])))
		}
		sum += widths[k]
	}
	return widths, sum <= 64
}

// SetUp says which nodes take jobs. It comes before a pass.
func (s *Stock) SetUp(up Set) {
	s.forget()
	s.recall()
	down := s.all.Copy()
	down.AndNot(up)
	changed := down.Copy()
	for i := range changed {
		changed[i] ^= s.down[i]
	}
	s.down = down
	for n := range changed.All() {
		s.sort(int32(n))
	}
}

// Reuse lets the stock fill an allocation of a job that has ended again.
func (s *Stock) Reuse(a *Allocation) { s.unused = append(s.unused, a) }

// Add adds a job that starts, and runs beyond the shadow time if long.
func (s *Stock) Add(a *Allocation, long bool) {
	s.now.Add(a)
	switch {
	case s.standing == nil:
		s.later.Add(a)
	case s.stale: // nobody knows when it ends
		s.recall()
		s.later.Add(a)
	case long:
		s.later.Add(a)
	default:
		s.leaves(a, 0)
	}
	s.Free -= a.Total()
	s.settle(a, long)
}

// Remove takes a job away that has ended.
func (s *Stock) Remove(a *Allocation) {
	s.now.Remove(a)
	if a.gone > 0 {
		s.stays(a)
	} else {
		s.later.Remove(a)
	}
	s.Free += a.Total()
	s.settle(a, false)
	s.free(a.Nodes...)
}

// free records nodes of which less is in use than before. Long lists of them are given up, with what was known of requests.
func (s *Stock) free(n ...int32) {
	if len(s.freed) > 64*len(s.nodes) {
		s.forget()
	}
	s.freed = append(s.freed, n...)
}

// forget gives up what is known of requests for which there was no room.
func (s *Stock) forget() {
	s.freed = s.freed[:0]
	s.epochs++
	s.epoch = s.epochs
}

// settle finds what is kept of the nodes of an allocation.
func (s *Stock) settle(a *Allocation, long bool) {
	for i, n := range a.Nodes {
		r := s.headAt(n)
		if r == nil {
			s.keep(n, nil)
			continue
		}
		if long {
			r.use.cpus += a.CPUs[i]
			r.use.memory += a.Memory[i]
			for k := range r.use.gres {
				if a.gres != nil {
					r.use.gres[k] += a.gres[i*len(r.use.gres)+k]
				}
			}
		}
		s.keep(n, &r.use)
	}
}

// headAt returns the part of the head on a node; nil if there is none.
func (s *Stock) headAt(n int32) *reserved {
	if at := s.headOf[n]; at > 0 {
		return &s.head[at-1]
	}
	return nil
}

// keep keeps so much of a node, if more than now. It reports whether that is less of something than before.
func (s *Stock) keep(n int32, use *amounts) (less bool) {
	cpus, memory, jobs := s.now.cpus[n], s.now.memory[n], s.now.jobs[n]
	if use != nil {
		cpus, memory, jobs = max(cpus, use.cpus), max(memory, use.memory), jobs+1
	}
	less = cpus < s.kept.cpus[n] || memory < s.kept.memory[n] || jobs < s.kept.jobs[n]
	s.Left += int(s.kept.cpus[n] - cpus)
	if !s.plain {
		at, kinds := int(n)*len(s.kinds), len(s.kinds)
		s.gres = append(s.gres[:0], s.kept.gres[at:at+kinds]...)
		s.kept.copyNode(s.now, n)
		for k, former := range s.gres {
			g := &s.kept.gres[at+k]
			if use != nil {
				*g = max(*g, use.gres[k])
			}
			less = less || *g < former
		}
	}
	s.kept.cpus[n], s.kept.memory[n], s.kept.jobs[n] = cpus, memory, jobs
	s.sort(n)
	return less
}

// Clear gives up the reservation of the head. Its nodes are as before only when the next one is made, which
// often is the same.
func (s *Stock) Clear() { s.stale = true }

package ledger

import (
	"cmp"
	"maps"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting"
)

// Needs is what a job asks of nodes, as far as its row tells: of all of them together. Rows of the same needs share a number, see
// Ledger.Nodes.
type Needs struct {
	CPUs, Nodes uint32 // nodes at least
	Memory      uint64 // MiB, less up to 1/32: who asks for anything between asks for the same
	GRES        string // "gres/gpu=2,gres/gpu:a100=2", those of Config.Resources; "" for none
	Partition   string // or several, as ostrich.Job.Partition
	Exclusive   bool   // it has its nodes for itself
}

// mostNeeds is of how many different needs jobs are told apart at a time; of others nothing is known.
const mostNeeds = 1 << 15

// Outage is a node that is out, and since when.
type Outage struct {
	Node string
	From ostrich.Time
}

// needs numbers what jobs ask for. Number 0 is that of jobs of which nothing is known.
type needs struct {
	list   []Needs
	of     map[Needs]uint32
	free   []uint32 // numbers in the list that no job has any more, the lowest last
	lent   bool     // somebody may have the list
	sweep  int      // from how many numbers on forget looks whether jobs still have them
	gres   accounting.Texts
	buffer []byte
}

// fewNeeds are so few that nobody looks which of them are left.
const fewNeeds = 1 << 10

func (n *needs) number(r *accounting.Row) uint32 {
	is := Needs{
		CPUs: uint32(min(r.Asked.CPUs, accounting.MaxProcs)), Nodes: uint32(min(r.Asked.Nodes, accounting.MaxProcs)), Memory: rough(r.Asked.Memory),
		GRES: n.gresOf(r.Asked.Others), Partition: r.Partition, Exclusive: r.Exclusive,
	}
	i, known := n.of[is]
	if known || is.CPUs == 0 || is.Nodes == 0 {
		return i
	}
	if last := len(n.free) - 1; last >= 0 {
		if n.lent {
			n.list, n.lent = slices.Clone(n.list), false
		}
		i, n.free = n.free[last], n.free[:last]
		n.list[i], n.of[is] = is, i
	} else if len(n.list) < mostNeeds {
		if n.list == nil {
			n.list, n.of, n.sweep = make([]Needs, 1), make(map[Needs]uint32), fewNeeds
		}
		i = uint32(len(n.list))
		n.list, n.of[is] = append(n.list, is), i
	}
	return i
}

// forget gives the numbers free that no unfinished job has, once there are many: what jobs ask for
// changes over the months.
func (n *needs) forget(jobs map[ostrich.JobID]*tracked) {
	if n.list == nil || len(n.of) < n.sweep {
		return
	}
	used, most := make([]bool, len(n.list)), 0
	for _, t := range jobs {
		for _, i := range []uint32{t.row.needs, t.job.Needs} {
			used[i], most = true, max(most, int(i))
		}
	}
	n.list, n.free = n.list[:most+1:most+1], n.free[:0]
	for i := most; i > 0; i-- {
		if !used[i] {
			n.free = append(n.free, uint32(i))
		}
	}
	maps.DeleteFunc(n.of, func(_ Needs, i uint32) bool { return !used[i] })
	n.sweep = max(fewNeeds, 2*len(n.of))
}

// rough keeps the first five digits of a number in base 2.
func rough(n uint64) uint64 {
	low := max(0, bits.Len64(n)-5)
	return n >> low << low
}

// gresOf returns the generic resources among some.
func (n *needs) gresOf(all []accounting.Count) string {
	n.buffer = n.buffer[:0]
	for _, c := range all {
		if !strings.HasPrefix(c.Name, "gres/") || c.N == 0 {
			continue
		}
		if len(n.buffer) > 0 {
			n.buffer = append(n.buffer, ',')
		}
		n.buffer = strconv.AppendUint(append(append(n.buffer, c.Name...), '='), c.N, 10)
	}
	return n.gres.Of(n.buffer)
}

// Nodes returns what jobs ask of nodes, by ostrich.Job.Needs, and the nodes that are out as of the last poll. The caller must not
// change the lists. They stay as they are; the numbers are those of the jobs that have not ended.
func (l *Ledger) Nodes() (asked []Needs, out []Outage) {
	l.needs.lent = true
	return l.needs.list, l.machine.outages()
}

// outages lists the nodes whose processors are lost, by name.
func (m *machine) outages() (all []Outage) {
	for k, n := range m.rows {
		if n.To == 0 && out(&n) {
			all = append(all, Outage{k.node, k.from})
		}
	}
	slices.SortFunc(all, func(a, b Outage) int { return cmp.Or(cmp.Compare(a.Node, b.Node), cmp.Compare(a.From, b.From)) })
	return slices.CompactFunc(all, func(a, b Outage) bool { return a.Node == b.Node })
}

package ledger

import (
	"cmp"
	"maps"
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
	Memory      uint64 // MiB
	GRES        string // "gres/gpu=2,gres/gpu:a100=2", those of Config.Resources; "" for none
	Partition   string // or several, as ostrich.Job.Partition
	Exclusive   bool   // it has its nodes for itself
}

// mostNeeds is of how many different needs jobs are told apart; of later ones nothing is known.
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
	gres   accounting.Texts
	buffer []byte
}

func (n *needs) number(r *accounting.Row) uint32 {
	is := Needs{
		CPUs: uint32(min(r.Asked.CPUs, accounting.MaxProcs)), Nodes: uint32(min(r.Asked.Nodes, accounting.MaxProcs)), Memory: r.Asked.Memory,
		GRES: n.gresOf(r.Asked.Others), Partition: r.Partition, Exclusive: r.Exclusive,
	}
	i, known := n.of[is]
	if !known && is.CPUs > 0 && is.Nodes > 0 && len(n.list) < mostNeeds {
		if n.list == nil {
			n.list, n.of = make([]Needs, 1), make(map[Needs]uint32)
		}
		i = uint32(len(n.list))
		n.list, n.of[is] = append(n.list, is), i
	}
	return i
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
// change the lists; polls add to the first one only.
func (l *Ledger) Nodes() (asked []Needs, out []Outage) { return l.needs.list, l.machine.outages() }

// outages lists the nodes whose processors are lost, by name.
func (m *machine) outages() (all []Outage) {
	keys := slices.SortedFunc(maps.Keys(m.rows), func(a, b nodeKey) int { return cmp.Or(cmp.Compare(a.node, b.node), cmp.Compare(a.from, b.from)) })
	for _, k := range keys {
		if n := m.rows[k]; n.To == 0 && out(&n) && (len(all) == 0 || all[len(all)-1].Node != k.node) {
			all = append(all, Outage{k.node, k.from})
		}
	}
	return all
}

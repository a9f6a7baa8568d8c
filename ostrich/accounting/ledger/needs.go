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
	came   []ostrich.Time // by number, the latest submission of a job that has it
	free   []uint32       // numbers in the list that no job has any more, the lowest last
	lent   bool           // somebody may have the list
	sweep  ostrich.Time   // when forget looks next whether jobs still have the numbers
	gres   accounting.Texts
	buffer []byte
}

const (
	// fewNeeds are so few that nobody looks which of them are left.
	fewNeeds = 1 << 10

	day = ostrich.Time(86400)

	// needsAge is how long after the latest job with a number came it stays. Forecasts bring the jobs of the last four weeks
	// again, and know them by their numbers.
	needsAge = 29 * day
)

func (n *needs) number(r *accounting.Row) uint32 {
	is := Needs{
		CPUs: uint32(min(r.Asked.CPUs, accounting.MaxProcs)), Nodes: uint32(min(r.Asked.Nodes, accounting.MaxProcs)), Memory: rough(r.Asked.Memory),
		GRES: n.gresOf(r.Asked.Others), Partition: r.Partition, Exclusive: r.Exclusive,
	}
	i, known := n.of[is]
	switch {
	case known:
		n.came[i] = max(n.came[i], r.Submit)
		return i
	case is.CPUs == 0 || is.Nodes == 0:
		return 0
	}
	if last := len(n.free) - 1; last >= 0 {
		if n.lent {
			n.list, n.lent = slices.Clone(n.list), false
		}
		i, n.free = n.free[last], n.free[:last]
		n.list[i], n.of[is], n.came[i] = is, i, r.Submit
	} else if len(n.list) < mostNeeds {
		if n.list == nil {
			n.list, n.of, n.came = make([]Needs, 1), make(map[Needs]uint32), make([]ostrich.Time, 1)
		}
		i = uint32(len(n.list))
		n.list, n.of[is], n.came = append(n.list, is), i, append(n.came, r.Submit)
	}
	return i
}

// forget gives the numbers free that no unfinished job has, and none that came lately, once a day if there are many: what jobs
// ask for changes over the months.
func (n *needs) forget(jobs map[ostrich.JobID]*tracked, now ostrich.Time) {
	if len(n.of) < fewNeeds || now < n.sweep {
		return
	}
	n.sweep = now + day
	used, most := make([]bool, len(n.list)), 0
	for i, at := range n.came {
		used[i] = at >= now-needsAge
	}
	for _, t := range jobs {
		used[t.row.needs], used[t.job.Needs] = true, true
	}
	for i, is := range used {
		if is {
			most = i
		}
	}
	n.list, n.came, n.free = n.list[:most+1:most+1], n.came[:most+1], n.free[:0]
	for i := most; i > 0; i-- {
		if !used[i] {
			n.free = append(n.free, uint32(i))
		}
	}
	maps.DeleteFunc(n.of, func(_ Needs, i uint32) bool { return !used[i] })
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
// change the lists. They stay as they are; the numbers are those of the jobs that have not ended, or came in the last four weeks.
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

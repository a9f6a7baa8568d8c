package ledger

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting"
)

// Further states of nodes, see accounting.NodeBase.
const (
	nodeIdle  = 2
	nodeError = 4
	nodeFail  = 0x2000 // a flag
)

type nodeKey struct {
	node string
	from ostrich.Time
}

// out reports whether the node's processors are lost while the row is open. A
// node that is drained while jobs run on it still has its processors.
func out(n *accounting.NodeEvent) bool {
	switch base := n.State & accounting.NodeBase; base {
	case accounting.NodeDown, nodeError:
		return true
	case 0, nodeIdle:
		return n.State&(accounting.NodeDrain|nodeFail) != 0
	default:
		return false
	}
}

// size is a pool's size from a time on.
type size struct {
	at    ostrich.Time
	pool  int
	procs int
	parts int // 0 without a unit
}

// machine turns rows of the event table into sizes of pools.
type machine struct {
	unit     *accounting.Unit
	whole    float64 // see Site.Whole
	pools    []Pool
	of       map[string][]int // indexes of the pools of a node
	rows     map[nodeKey]accounting.NodeEvent
	reported []size // sizes reported in the window
	last     []size // last size reported of each pool; of -1 processors before the first
	newest   ostrich.Time
}

func newMachine(c *Config) *machine {
	m := &machine{unit: c.Unit, rows: map[nodeKey]accounting.NodeEvent{}}
	m.divide(&c.Site)
	m.last = m.none()
	return m
}

// none is what is known of the sizes of the pools before the first.
func (m *machine) none() []size { return slices.Repeat([]size{{procs: -1}}, len(m.pools)) }

// as reports whether a pool has the same size.
func (s size) as(other size) bool { return s.procs == other.procs && s.parts == other.parts }

// divide gives the pools their nodes. The sizes that were reported stay as they were: the
// next update reports only what they are now.
func (m *machine) divide(s *Site) {
	pools := s.Pools
	m.whole = s.Whole
	if len(pools) == 0 {
		pools = []Pool{{}}
	}
	m.pools, m.of = pools, map[string][]int{}
	for i, p := range pools {
		for _, n := range p.Nodes {
			m.of[n] = append(m.of[n], i)
		}
	}
	m.reported = m.sizes()
}

// OpenNodes lists the beginnings of the outages that go on since before a time.
func (l *Ledger) OpenNodes(before ostrich.Time) (starts []int64) {
	for k, n := range l.machine.rows {
		if n.To == 0 && k.from < before {
			starts = append(starts, int64(k.from))
		}
	}
	slices.Sort(starts)
	return slices.Compact(starts)
}

// update returns the sizes that were not reported yet. The first one counts from
// since.
func (m *machine) update(now, since, window ostrich.Time, rows []accounting.NodeEvent) []ostrich.Event {
	all, news := m.reported, false
	for _, n := range rows {
		was, known := m.rows[nodeKey{n.Node, n.From}]
		news = news || !known || !same(&was, &n)
		m.rows[nodeKey{n.Node, n.From}] = n
		if n.From <= now {
			m.newest = max(m.newest, n.From)
		}
	}
	if news { // else they are read again
		all = m.sizes()
	}
	var events []ostrich.Event
	report := func(s size) {
		if m.last[s.pool].procs < 0 {
			s.at = min(s.at, since)
		}
		m.last[s.pool] = s
		events = append(events, ostrich.Event{At: s.at, Kind: ostrich.Capacity, Pool: m.pools[s.pool].Name, Procs: s.procs, Size: s.parts})
	}
	final := slices.Clone(m.last)
	for _, s := range all {
		final[s.pool] = s
		if news && (m.last[s.pool].procs < 0 || s.at >= window) && !slices.Contains(m.reported, s) {
			report(s)
		}
	}
	for i, s := range final {
		if !s.as(m.last[i]) { // The size reported before has turned out wrong.
			report(size{now, i, s.procs, s.parts})
		}
	}
	m.reported = all
	m.forget(window)
	return events
}

// same reports whether two versions of a row say the same.
func same(a, b *accounting.NodeEvent) bool {
	return a.To == b.To && a.State == b.State && a.CPUs == b.CPUs && a.Nodes == b.Nodes && a.Memory == b.Memory && a.Billing == b.Billing &&
		slices.Equal(a.Others, b.Others)
}

// sizes returns the sizes of the pools over time, by the rows held.
func (m *machine) sizes() []size {
	type step struct {
		at    ostrich.Time
		row   *accounting.NodeEvent
		close bool
	}
	var steps []step
	for k := range m.rows {
		n := m.rows[k]
		if n.Node == "" && (n.State != 0 || n.CPUs == 0) || n.Node != "" && !out(&n) {
			continue
		}
		steps = append(steps, step{n.From, &n, false})
		if n.To != 0 {
			steps = append(steps, step{max(n.To, n.From), &n, true})
		}
	}
	// Stable: of an outage within a second the beginning comes first.
	slices.SortStableFunc(steps, func(a, b step) int {
		return cmp.Or(cmp.Compare(a.at, b.at), strings.Compare(a.row.Node, b.row.Node), cmp.Compare(a.row.From, b.row.From))
	})
	var (
		all     []size
		cluster *accounting.NodeEvent
		gone    absent
		last    = m.none()
	)
	for i, s := range steps {
		switch {
		case s.row.Node == "" && !s.close:
			if cluster == nil || s.row.From >= cluster.From {
				cluster = s.row
			}
		case s.row.Node == "": // A cluster keeps its size until a row has another.
		default:
			gone.change(s.row, s.close)
		}
		if cluster == nil || i+1 < len(steps) && steps[i+1].at == s.at {
			continue
		}
		for p, now := range m.present(cluster, gone) {
			if !now.as(last[p]) {
				last[p] = now
				all = append(all, size{s.at, p, now.procs, now.parts})
			}
		}
	}
	return all
}

// absent are the nodes that are out, by name: sums of fractions depend on the order.
type absent []absentNode

type absentNode struct {
	name string
	rows []*accounting.NodeEvent // that are open, in the order of their beginnings
	has  *accounting.TRES        // of the row with the most processors: two rows of one node are one outage
}

// change opens or closes an outage.
func (a *absent) change(row *accounting.NodeEvent, closed bool) {
	at, known := slices.BinarySearchFunc(*a, row.Node, func(n absentNode, name string) int { return strings.Compare(n.name, name) })
	if !known {
		if closed {
			return
		}
		*a = slices.Insert(*a, at, absentNode{name: row.Node})
	}
	n := &(*a)[at]
	n.rows = slices.DeleteFunc(n.rows, func(r *accounting.NodeEvent) bool { return r.From == row.From })
	if !closed {
		n.rows = append(n.rows, row)
	}
	if len(n.rows) == 0 {
		*a = slices.Delete(*a, at, at+1)
		return
	}
	n.has = &slices.MaxFunc(n.rows, func(x, y *accounting.NodeEvent) int { return cmp.Compare(x.CPUs, y.CPUs) }).TRES
}

// present returns the size of each pool with these nodes out. Where neither the pools nor
// the tables say more, it assumes that all nodes are alike.
//
// Of the unit of work, it is what the nodes of the pool have now, as much less as the row of
// the cluster has less, and without the nodes that are out.
func (m *machine) present(cluster *accounting.NodeEvent, out absent) []size {
	procs, units := make([]uint64, len(m.pools)), make([]float64, len(m.pools))
	for i := range m.pools {
		p := &m.pools[i]
		procs[i] = cluster.CPUs
		switch {
		case len(p.Nodes) == 0: // the whole cluster
		case p.Procs > 0:
			procs[i] = min(cluster.CPUs, uint64(p.Procs))
		case cluster.Nodes > 0:
			procs[i] = min(cluster.CPUs, cluster.CPUs*uint64(len(p.Nodes))/cluster.Nodes)
		}
		if units[i] = p.Units; m.unit != nil && m.whole > 0 {
			units[i] *= m.unit.Stored(&cluster.TRES) / m.whole
		}
	}
	for k := range out {
		name, has := out[k].name, out[k].has
		lost := has.CPUs
		if lost == 0 && cluster.Nodes > 0 {
			lost = cluster.CPUs / cluster.Nodes
		}
		for i := range m.pools {
			p := &m.pools[i]
			if len(p.Nodes) > 0 && !slices.Contains(m.of[name], i) {
				continue
			}
			procs[i] -= min(procs[i], lost)
			if m.unit != nil {
				gone, known := p.NodeUnits[name]
				if !known {
					gone = m.unit.Node(has, p.Partitions)
				}
				units[i] = max(0, units[i]-gone)
			}
		}
	}
	sizes := make([]size, len(procs))
	for i, n := range procs {
		if sizes[i].procs = int(min(n, accounting.MaxProcs)); m.unit != nil && n > 0 {
			sizes[i].parts = m.unit.Size(units[i], n)
		}
	}
	return sizes
}

// forget drops the rows that ended before the window, except the last size of the
// cluster.
func (m *machine) forget(window ostrich.Time) {
	var latest nodeKey
	for k := range m.rows {
		if k.node == "" && m.rows[k].State == 0 && k.from > latest.from {
			latest = k
		}
	}
	maps.DeleteFunc(m.rows, func(k nodeKey, n accounting.NodeEvent) bool { return n.To != 0 && n.To < window && k != latest })
}

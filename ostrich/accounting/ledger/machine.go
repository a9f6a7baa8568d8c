package ledger

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting"
)

// Node states of the event table: a base state and flags.
const (
	nodeBase  = 0xf
	nodeDown  = 1
	nodeIdle  = 2
	nodeError = 4
	nodeDrain = 0x200
	nodeFail  = 0x2000
)

type nodeKey struct {
	node string
	from ostrich.Time
}

// out reports whether the node's processors are lost while the row is open. A
// node that is drained while jobs run on it still has its processors.
func out(n *accounting.NodeEvent) bool {
	switch base := n.State & nodeBase; base {
	case nodeDown, nodeError:
		return true
	case 0, nodeIdle:
		return n.State&(nodeDrain|nodeFail) != 0
	default:
		return false
	}
}

// size is a pool's size from a time on.
type size struct {
	at    ostrich.Time
	pool  int
	procs int
}

// machine turns rows of the event table into sizes of pools.
type machine struct {
	pools    []Pool
	of       map[string][]int // indexes of the pools of a node
	rows     map[nodeKey]accounting.NodeEvent
	reported []size // sizes reported in the window
	last     []int  // last size reported of each pool; -1 before the first
	newest   ostrich.Time
}

func newMachine(pools []Pool) *machine {
	m := &machine{rows: map[nodeKey]accounting.NodeEvent{}}
	m.divide(pools)
	m.last = slices.Repeat([]int{-1}, len(m.pools))
	return m
}

// divide gives the pools their nodes. The sizes that were reported stay as they were: the
// next update reports only what they are now.
func (m *machine) divide(pools []Pool) {
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
	for _, n := range rows {
		m.rows[nodeKey{n.Node, n.From}] = n
		if n.From <= now {
			m.newest = max(m.newest, n.From)
		}
	}
	all := m.sizes()
	var events []ostrich.Event
	report := func(s size) {
		if m.last[s.pool] < 0 {
			s.at = min(s.at, since)
		}
		m.last[s.pool] = s.procs
		events = append(events, ostrich.Event{At: s.at, Kind: ostrich.Capacity, Pool: m.pools[s.pool].Name, Procs: s.procs})
	}
	final := slices.Clone(m.last)
	for _, s := range all {
		final[s.pool] = s.procs
		if (m.last[s.pool] < 0 || s.at >= window) && !slices.Contains(m.reported, s) {
			report(s)
		}
	}
	for i, procs := range final {
		if procs != m.last[i] { // The size reported before has turned out wrong.
			report(size{now, i, procs})
		}
	}
	m.reported = all
	m.forget(window)
	return events
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
		lost    = map[string]map[ostrich.Time]uint64{} // processors by open row, by node
		last    = slices.Repeat([]int{-1}, len(m.pools))
	)
	for i, s := range steps {
		switch {
		case s.row.Node == "" && !s.close:
			if cluster == nil || s.row.From >= cluster.From {
				cluster = s.row
			}
		case s.row.Node == "": // A cluster keeps its size until a row has another.
		case s.close:
			if delete(lost[s.row.Node], s.row.From); len(lost[s.row.Node]) == 0 {
				delete(lost, s.row.Node) // all nodes were out once
			}
		default:
			if lost[s.row.Node] == nil {
				lost[s.row.Node] = map[ostrich.Time]uint64{}
			}
			lost[s.row.Node][s.row.From] = s.row.CPUs
		}
		if cluster == nil || i+1 < len(steps) && steps[i+1].at == s.at {
			continue
		}
		for p, procs := range m.present(cluster, lost) {
			if procs != last[p] {
				last[p] = procs
				all = append(all, size{s.at, p, procs})
			}
		}
	}
	return all
}

// present returns the size of each pool with these nodes out. Where neither the pools nor
// the tables say more, it assumes that all nodes are alike.
func (m *machine) present(cluster *accounting.NodeEvent, out map[string]map[ostrich.Time]uint64) []int {
	procs := make([]uint64, len(m.pools))
	for i, p := range m.pools {
		procs[i] = cluster.CPUs
		switch {
		case len(p.Nodes) == 0: // the whole cluster
		case p.Procs > 0:
			procs[i] = min(cluster.CPUs, uint64(p.Procs))
		case cluster.Nodes > 0:
			procs[i] = min(cluster.CPUs, cluster.CPUs*uint64(len(p.Nodes))/cluster.Nodes)
		}
	}
	for name, open := range out {
		var lost uint64
		for _, cpus := range open {
			lost = max(lost, cpus) // Two rows of one node are one outage.
		}
		if lost == 0 && cluster.Nodes > 0 {
			lost = cluster.CPUs / cluster.Nodes
		}
		for i, p := range m.pools {
			if len(p.Nodes) == 0 || slices.Contains(m.of[name], i) {
				procs[i] -= min(procs[i], lost)
			}
		}
	}
	sizes := make([]int, len(procs))
	for i, n := range procs {
		sizes[i] = int(min(n, accounting.MaxProcs))
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

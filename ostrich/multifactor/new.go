package multifactor

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"time"

	"slurm-ostrich/ostrich"
)

// ErrConfig marks a configuration or a request that the model cannot use.
var ErrConfig = errors.New("no such cluster")

// Multifactor is the state of the plugin.
type Multifactor struct {
	c           Config // with Slurm's defaults
	period      ostrich.Time
	fairTree    bool
	maxAssoc    float64 // largest priority of an association
	maxPart     float64 // largest JobFactor
	maxQOS      float64
	nodes       []node  // root, the accounts, the associations
	spents      []spent // theirs
	ranks       []rank
	order       []int     // root and the accounts, from the root down
	fairshare   []float64 // of associations, side by side: they are asked for job by job; 0 with Fair Tree if nobody has asked
	shared      int64     // the calculation of which the nodes have the results; −1 before the first
	accounted   int64     // the calculation of which the accounts have the results of classic fair share; −1 before the first
	walks       int64     // walks through the tree of Fair Tree so far
	logDecay    float64   // of a second
	decay       float64   // of a period
	gone        float64   // decay − 1, with more digits
	decayed     []float64 // by periods, see left
	anchor      ostrich.Time
	calculation int64 // the latest one, from 0
	now         ostrich.Time

	reset     int64        // latest calculation with a reset; 0 for none
	nextReset ostrich.Time // if there is one

	running map[ostrich.JobID]*run
	spare   []*run // that have ended, to be used again
	fresh   []*run // runs started after the latest calculation

	// In the order of their submission, with NoFairTree only, see look.
	waiting [][]spot // by association
	ordered []*run   // those that run, with an association
	heads   []int    // reused, see findHeads
}

// New returns the plugin as it is when slurmctld starts, without running jobs and
// with the usage that the associations have. The first calculation is at that
// moment.
func New(c Config, at ostrich.Time) (*Multifactor, error) {
	c.Period, c.MaxAge = cmp.Or(c.Period, DefaultPeriod), cmp.Or(c.MaxAge, 7*24*60*60)
	c.Dampening, c.Location = cmp.Or(c.Dampening, 1), cmp.Or(c.Location, time.UTC)
	m := &Multifactor{
		c: c, anchor: at, now: at, shared: -1, accounted: -1, running: make(map[ostrich.JobID]*run),
		waiting: make([][]spot, len(c.Associations)), fairshare: make([]float64, len(c.Associations)),
		period: ostrich.Time(c.Period), fairTree: c.Flags&(NoFairTree|DepthOblivious) == 0,
	}
	if err := m.check(); err != nil {
		return nil, fmt.Errorf("multifactor: %w", err)
	}
	m.decay = 1
	if c.HalfLife > 0 {
		// _init_decay_vars; the product of a whole half-life is a little more than 1/2.
		m.logDecay = math.Log(1 - 0.693/float64(c.HalfLife))
		m.gone = math.Expm1(m.logDecay * float64(m.period))
		m.decay = 1 + m.gone
	}
	if c.Reset != ResetNever {
		m.nextReset = c.Reset.next(at, at, c.Location)
	}
	if err := m.plant(); err != nil {
		return nil, fmt.Errorf("multifactor: %w", err)
	}
	for i := range c.Accounts {
		m.maxAssoc = max(m.maxAssoc, float64(c.Accounts[i].Priority))
	}
	for i := range c.Associations {
		m.maxAssoc = max(m.maxAssoc, float64(c.Associations[i].Priority))
	}
	for i := range c.Partitions {
		m.maxPart = max(m.maxPart, float64(c.Partitions[i].JobFactor))
	}
	for i := range c.QOS {
		m.maxQOS = max(m.maxQOS, float64(c.QOS[i].Priority))
	}
	for i := range c.Associations {
		if used := c.Associations[i].Usage; used != 0 {
			if err := m.SetUsage(i, used); err != nil {
				return nil, err
			}
		}
	}
	for i := range c.Associations {
		if x := &m.nodes[m.association(i)]; x.usage > 0 {
			x.looked = normalised(x.usage, m.nodes[0].usage)
		}
	}
	return m, nil
}

// check validates the numbers of the configuration.
func (m *Multifactor) check() error {
	c := &m.c
	switch {
	case c.Period < 0 || c.MaxAge < 0 || c.HalfLife < 0 || c.Dampening < 0:
		return fmt.Errorf("a period of %d s, a largest age of %d s, a half-life of %d s, a dampening of %d: %w",
			c.Period, c.MaxAge, c.HalfLife, c.Dampening, ErrConfig)
	case c.Procs < 1 || c.Nodes < 1:
		return fmt.Errorf("%d processors on %d nodes: %w", c.Procs, c.Nodes, ErrConfig)
	case c.Reset > ResetYearly:
		return fmt.Errorf("reset period number %d: %w", c.Reset, ErrConfig)
	}
	w := &c.Weights
	for _, weight := range append([]float64{w.Age, w.Assoc, w.Fairshare, w.JobSize, w.Partition, w.QOS}, w.TRES...) {
		if !(weight >= 0 && weight <= math.MaxUint32) {
			return fmt.Errorf("a weight of %v: %w", weight, ErrConfig)
		}
	}
	if err := m.counts("weights", w.TRES); err != nil {
		return err
	}
	for _, p := range c.Partitions {
		if p.JobFactor < 0 || p.MaxTime < 0 {
			return fmt.Errorf("partition %q: a factor of %d, a limit of %d s: %w", p.Name, p.JobFactor, p.MaxTime, ErrConfig)
		}
		if err := m.counts("partition "+p.Name, p.TRES); err != nil {
			return err
		}
	}
	for _, q := range c.QOS {
		if q.Priority < 0 || !(q.UsageFactor < math.Inf(1)) {
			return fmt.Errorf("QOS %q: a priority of %d, a usage factor of %v: %w", q.Name, q.Priority, q.UsageFactor, ErrConfig)
		}
	}
	return nil
}

// counts validates numbers by TRES.
func (m *Multifactor) counts(of string, list []float64) error {
	if len(list) > len(m.c.TRES) {
		return fmt.Errorf("%s: %d TRES of %d: %w", of, len(list), len(m.c.TRES), ErrConfig)
	}
	for i, n := range list {
		if !(n >= 0 && n < math.Inf(1)) {
			return fmt.Errorf("%s: %v of TRES %q: %w", of, n, m.c.TRES[i], ErrConfig)
		}
	}
	return nil
}

// plant builds the tree (_set_assoc_parent_and_user, _post_assoc_list).
func (m *Multifactor) plant() error {
	c := &m.c
	all := 1 + len(c.Accounts) + len(c.Associations)
	m.nodes, m.spents, m.ranks = make([]node, 0, all), make([]spent, all), make([]rank, all)
	add := func(parent, shares int, user bool) {
		i := len(m.nodes)
		m.spents[i].shares, m.spents[i].user = int32(shares), user
		m.nodes = append(m.nodes, node{spent: &m.spents[i], rank: &m.ranks[i], parent: parent, fs: -1, looked: -1, lookedAt: -1})
	}
	add(-1, 1, false)
	names := map[string]int{"": 0, Root: 0}
	for i, a := range c.Accounts {
		if _, twice := names[a.Name]; twice {
			return fmt.Errorf("account %q is there already: %w", a.Name, ErrConfig)
		}
		names[a.Name] = 1 + i
	}
	grow := func(what, name, parent string, shares, priority int, user bool) error {
		above, known := names[parent]
		switch {
		case !known:
			return fmt.Errorf("%s %q: no account %q: %w", what, name, parent, ErrConfig)
		case shares < UseParent || shares > math.MaxInt32 || priority < 0:
			return fmt.Errorf("%s %q: %d shares, priority %d: %w", what, name, shares, priority, ErrConfig)
		}
		add(above, shares, user)
		return nil
	}
	for _, a := range c.Accounts {
		if err := grow("account", a.Name, a.Parent, a.Shares, a.Priority, false); err != nil {
			return err
		}
	}
	for _, a := range c.Associations {
		if err := grow("user", a.User, a.Account, a.Shares, a.Priority, true); err != nil {
			return err
		}
	}
	for i := range m.nodes {
		above, steps := m.nodes[i].parent, 0
		for ; above > 0; above = m.nodes[above].parent {
			if steps++; steps > len(c.Accounts) {
				return fmt.Errorf("account %q is its own parent: %w", c.Accounts[i-1].Name, ErrConfig)
			}
		}
	}
	m.divide()
	return nil
}

// divide computes everybody's part. It passes over accounts whose Shares are
// UseParent: their children compete with the account's siblings
// (_find_assoc_parent, _get_children_level_shares).
func (m *Multifactor) divide() {
	shares := make([]float64, len(m.nodes)) // of the children
	for i := 1; i < len(m.nodes); i++ {
		x := &m.nodes[i]
		x.fs = x.parent
		for m.nodes[x.fs].shares == UseParent {
			x.fs = m.nodes[x.fs].parent
		}
		m.nodes[x.fs].children = append(m.nodes[x.fs].children, child{node: int32(i), user: x.user})
		shares[x.fs] += float64(max(x.shares, 0))
	}
	for i := 1; i < len(m.nodes); i++ {
		x := &m.nodes[i]
		if x.siblings = shares[x.fs]; x.siblings > 0 {
			x.part = float64(max(x.shares, 0)) / x.siblings
		}
	}
	for i := m.association(0); i < len(m.nodes); i++ {
		for at := i; at >= 0; at = m.nodes[at].fs {
			m.nodes[at].users++
		}
	}
	// The parts of the machine, from the root down. Every account comes after its
	// ancestors.
	m.nodes[0].norm = 1 // _normalize_assoc_shares_traditional
	if m.fairTree {
		m.nodes[0].norm = 0
	}
	for list := []int{0}; len(list) > 0; {
		i := list[0]
		list = list[1:]
		if !m.nodes[i].user {
			m.order = append(m.order, i)
		}
		for _, c := range m.nodes[i].children {
			x := &m.nodes[c.node]
			switch above := &m.nodes[i]; {
			case m.fairTree && x.shares == UseParent: // _normalize_assoc_shares_fair_tree
				x.norm = above.part
			case m.fairTree:
				x.norm = x.part
			case x.shares == UseParent:
				x.norm = above.norm
			default:
				x.norm = above.norm * x.part
			}
			list = append(list, int(c.node))
		}
	}
}

package view

import (
	"slices"
	"strings"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting"
	"slurm-ostrich/ostrich/accounting/ledger"
	"slurm-ostrich/ostrich/accounting/sacct"
	"slurm-ostrich/ostrich/forecast"
	"slurm-ostrich/ostrich/sim/nodes"
	"slurm-ostrich/priority"
	"slurm-ostrich/priority/slurm"
)

// placing is the nodes of a pool, and what jobs ask of them.
type placing struct {
	cluster  *nodes.Cluster // nil where slurmctld does not tell what each node has
	floor    *nodes.Floor   // of these, once something is asked for by name
	asked    int            // of requests: by ostrich.Job.Needs, from 1 on
	requests []nodes.Request
	others   map[other]int32 // numbers of the others
	places   map[string]int  // of the nodes
	bounds   *bounds         // limits that may keep jobs
}

// other is what a job asks for that has, or is to have, more processors than accounting says, that asks for something by name, or that limits
// may keep.
type other struct {
	needs uint32
	procs int // 0 for as many as accounting says
	wants priority.Wants
	under forecast.Bound
}

// placing returns the nodes of a pool. What jobs ask for by name squeue tells of those that wait; the weights of nodes are not in it.
func (s *Cycle) placing(pool *Pool) *placing {
	p := &placing{others: make(map[other]int32), places: make(map[string]int)}
	if len(s.asked) == 0 {
		return p
	}
	if p.cluster = s.clusterOf(pool); p.cluster == nil {
		return p
	}
	p.bounds = s.boundsOf(pool, p.cluster)
	for i := range p.cluster.Nodes {
		p.places[p.cluster.Nodes[i].Name] = i
	}
	places := make(map[string]int, len(p.cluster.Partitions))
	for i := range p.cluster.Partitions {
		places[p.cluster.Partitions[i].Name] = i
	}
	most, gres := greatestOf(p.cluster), s.controller.GRES()
	p.requests = make([]nodes.Request, len(s.asked)-1)
	for i := range p.requests {
		p.requests[i] = requestOf(&s.asked[i+1], places, &most, gres)
	}
	p.asked = len(p.requests)
	return p
}

// of returns the number of what a job asks for that has so many processors, what it asks for by name, and what binds it. Names that no nodes
// of the pool can meet, as when features have changed since the submission, do not count.
func (p *placing) of(j *ostrich.Job, procs int, wants priority.Wants, under forecast.Bound) int32 {
	n := int(j.Needs)
	if n < 1 || n > p.asked {
		return 0
	}
	names := wants.Asked()
	names.Licenses = "" // which no node has
	is := other{j.Needs, procs, names.Wants(), under}
	if p.requests[n-1].CPUs >= procs {
		is.procs = 0
	}
	if is.procs == 0 && is.wants == "" && under == (forecast.Bound{}) {
		return int32(n)
	}
	number, known := p.others[is]
	if !known {
		r := under.Of(p.requests[n-1])
		r.CPUs = max(r.CPUs, procs)
		if is.wants != "" && !p.byName(&r, names) {
			number = p.of(j, procs, "", under)
		} else {
			number = p.add(r)
		}
		p.others[is] = number
	}
	return number
}

// byName adds what a job asks for by name to a request, and reports whether any nodes can meet that.
func (p *placing) byName(r *nodes.Request, names priority.Asked) bool {
	r.NodeList, r.Exclude = p.named(names.Nodes), p.named(names.Without)
	features, err := nodes.ParseFeatures(names.Features)
	if err != nil {
		return false
	}
	r.Features = features
	if p.floor == nil {
		if p.floor, err = nodes.NewFloor(p.cluster); err != nil {
			return false
		}
	}
	_, bad := p.floor.Want(r, -1)
	return bad == nil
}

// named returns the places of the nodes of a list that are in the pool.
func (p *placing) named(list string) (at []int) {
	names, err := slurm.ExpandNodes(list)
	if err != nil {
		return nil
	}
	for _, name := range names {
		if i, is := p.places[name]; is {
			at = append(at, i)
		}
	}
	slices.Sort(at)
	return slices.Compact(at)
}

// add adds a request, and returns its number.
func (p *placing) add(r nodes.Request) int32 {
	p.requests = append(p.requests, r)
	return int32(len(p.requests))
}

// clusterOf returns the nodes of a pool.
func (s *Cycle) clusterOf(pool *Pool) *nodes.Cluster {
	c := &nodes.Cluster{ // of a job of which nothing is known, the processors count
		Select: nodes.Select{Memory: s.controller.SelectsMemory}, DefMemory: nodes.Memory{MiB: 1, PerCPU: true},
	}
	var in []*priority.Partition
	have, gres := make(map[string]bool), s.controller.GRES()
	for i := range s.Partitions {
		p := &s.Partitions[i]
		if !s.isIn(pool, p.Name) {
			continue
		}
		in = append(in, p)
		for k, name := range p.Nodes {
			if k >= min(len(p.NodeCPUs), len(p.NodeTRES)) || p.NodeCPUs[k] == priority.Hidden {
				return nil
			}
			if p.NodeCPUs[k] == 0 || have[name] { // one of the future, or of two partitions
				continue
			}
			tres, err := sacct.ReadResources([]byte(p.NodeTRES[k]), gres)
			if err != nil || tres.CPUs == 0 {
				return nil
			}
			have[name] = true
			one := nodes.Node{Name: name, CPUs: p.NodeCPUs[k], Memory: int64(tres.Memory), GRES: gresOf(tres.Others)}
			if k < len(p.NodeFeatures) && p.NodeFeatures[k] != "" {
				one.Features = strings.Split(p.NodeFeatures[k], ",")
			}
			c.Nodes = append(c.Nodes, one)
		}
	}
	if len(c.Nodes) == 0 {
		return nil
	}
	slices.SortFunc(c.Nodes, func(a, b nodes.Node) int { return nodes.CompareNames(a.Name, b.Name) })
	places := make(map[string]int, len(c.Nodes))
	for i := range c.Nodes {
		places[c.Nodes[i].Name] = i
	}
	for _, p := range in {
		one := nodes.Partition{Name: p.Name, MaxNodes: p.MaxNodes}
		if p.Exclusive {
			one.OverSubscribe = nodes.Exclusive
		}
		for _, name := range p.Nodes {
			if i, is := places[name]; is {
				one.Nodes = append(one.Nodes, i)
			}
		}
		slices.Sort(one.Nodes)
		c.Partitions = append(c.Partitions, one)
	}
	for _, o := range s.out {
		if i, is := places[o.Node]; is && o.From <= s.Time {
			c.Outages = append(c.Outages, nodes.Outage{Node: i, From: o.From, To: forecast.Back(o.From, s.Time)})
		}
	}
	return c
}

// gresOf returns counts of generic resources by type, and what is left of their sum without one.
func gresOf(counts []accounting.Count) (list []nodes.GRES) {
	typed := make(map[string]int64)
	add := func(name, kind string, n int64) {
		if n > 0 {
			list = append(list, nodes.GRES{Name: name, Type: kind, Count: n})
		}
	}
	for _, withType := range []bool{true, false} {
		for _, c := range counts {
			name, kind, is := strings.Cut(strings.TrimPrefix(c.Name, "gres/"), ":")
			switch {
			case is != withType:
			case is:
				typed[name] += int64(c.N)
				add(name, kind, int64(c.N))
			default:
				add(name, "", int64(c.N)-typed[name])
			}
		}
	}
	return list
}

// greatest is the most that a node has: processors, and of each generic resource, of any type too.
type greatest struct {
	cpus int
	gres map[string]int64
}

func greatestOf(c *nodes.Cluster) greatest {
	most := greatest{gres: make(map[string]int64)}
	for i := range c.Nodes {
		n := &c.Nodes[i]
		most.cpus = max(most.cpus, n.CPUs)
		sums := make(map[string]int64)
		for _, g := range n.GRES {
			most.gres[g.String()] = max(most.gres[g.String()], g.Count)
			sums[g.Name] += g.Count
		}
		for name, sum := range sums { // each by itself
			most.gres[name] = max(most.gres[name], sum)
		}
	}
	return most
}

// requestOf returns what a job asks of nodes, of the generic resources those that accounting counts. Its record has sums over all
// nodes: a part for each node counts where the job asks for several or fits onto one.
func requestOf(n *ledger.Needs, places map[string]int, most *greatest, counted []string) nodes.Request {
	each := max(1, int64(n.Nodes))
	r := nodes.Request{CPUs: int(n.CPUs), MinNodes: int(n.Nodes)}
	for name := range strings.SplitSeq(n.Partition, ",") {
		if at, is := places[name]; is {
			r.Partitions = append(r.Partitions, at)
		}
	}
	if n.Exclusive {
		r.Exclusive = nodes.WholeNodes
	}
	switch memory := int64(n.Memory); {
	case memory == 0: // Slurm gives it all of its nodes
		r.Memory = nodes.Memory{MiB: nodes.AllMemory}
	case each > 1 || r.CPUs <= most.cpus:
		r.Memory = nodes.Memory{MiB: (memory + each - 1) / each}
	default:
		r.Memory = nodes.Memory{MiB: (memory + int64(r.CPUs) - 1) / int64(r.CPUs), PerCPU: true}
	}
	if n.GRES != "" {
		counts, _ := sacct.ReadResources([]byte(n.GRES), counted) // which the ledger has written
		for _, g := range gresOf(counts.Others) {
			one := nodes.GRESRequest{GRES: g, Per: nodes.PerJob}
			if g.Count%each == 0 && g.Count/each <= most.gres[g.String()] {
				one.Count, one.Per = g.Count/each, nodes.PerNode
			}
			r.GRES = append(r.GRES, one)
		}
	}
	return r
}

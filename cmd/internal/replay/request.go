package replay

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"slurm-ostrich/cmd/internal/inventory"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting"
	"slurm-ostrich/ostrich/scalar"
	"slurm-ostrich/ostrich/sim/nodes"
	"slurm-ostrich/priority/slurm"
)

// ask returns the number of a job's request, from 1, and counts what it leaves out and assumes.
// pinned jobs go where they ran.
func (p *placement) ask(j *accounting.Job, pinned bool, left func(leaving)) int32 {
	a := p.answered(j, pinned)
	for _, what := range a.left {
		left(what)
	}
	for _, what := range a.assumed {
		p.assumed[what] += j.Count()
	}
	return a.request
}

// hopeless reports whether a job that waits would do so for ever: it asks for more than a limit allows, or for what no node has. Where
// as many jobs that did start asked for what no node has, or for longer than they may, too little is known of the nodes or limits.
func (p *placement) hopeless(j *accounting.Job) bool {
	if p == nil || j.Start != 0 {
		return false
	}
	if p.tooLong(j) && p.inVain(&p.longInVain, p.tooLong) {
		return true
	}
	left := p.answered(j, false).left
	if slices.Contains(left, beyondLimit) {
		return true
	}
	return slices.Contains(left, unmet) && p.inVain(&p.unmetInVain, func(j *accounting.Job) bool { return slices.Contains(p.answered(j, false).left, unmet) })
}

// unstarted says why a job of which nothing is replayed never started.
func (p *placement) unstarted(j *accounting.Job) leaving {
	if p.hopeless(j) {
		return forEver
	}
	return neverStarted
}

// tooLong reports whether a job's time limit is longer than its partition, QOS or association allows: without EnforcePartLimits and
// DenyOnLimit Slurm takes it, and leaves it waiting, unless an administrator has set the limit. Its QOS may say that the partition's does not count.
func (p *placement) tooLong(j *accounting.Job) bool {
	var of nodes.Partition
	if at, is := p.partitions[p.history.Partitions[j.Partition]]; is && p.history.NeedsOf(j).Partitions == "" {
		of = p.cluster.Partitions[at]
	}
	q, most, wall := p.qos[j.QOS], of.MaxTime, ostrich.Duration(0)
	if q != nil && q.AnyTime {
		most = 0
	}
	for _, one := range q.Beside(of.QOS) {
		if one != nil {
			wall = cmp.Or(wall, one.MaxWall)
		}
	}
	wall = cmp.Or(wall, p.associations[j.Association].MaxWall) // those of the QOS go before (acct_policy.c)
	return most > 0 && j.Limit > most || wall > 0 && j.Limit > wall
}

// inVain reports whether more tasks waited than started of the jobs that should never start. It counts them once.
func (p *placement) inVain(more *int, never func(*accounting.Job) bool) bool {
	if *more == 0 {
		for i := range p.history.Jobs {
			switch one := &p.history.Jobs[i]; {
			case !never(one):
			case one.Start == 0:
				*more += one.Count()
			default:
				*more -= one.Count()
			}
		}
		*more = cmp.Or(*more, -1)
	}
	return *more > 0
}

// answered returns the answer to what a job asks for.
func (p *placement) answered(j *accounting.Job, pinned bool) answer {
	k := asking{j.Needs, j.Partition, j.QOS, j.Association, j.Asked, j.Procs, j.AskedNodes, j.Nodes, -1, j.Het != 0, j.AskedNodes == 1 && j.Nodes > 1 && p.full(j), p.whole(j), 0}
	if p.history.NeedsOf(j).Partitions != "" {
		k.limit = j.Limit
	}
	if pinned {
		k.pinned = j.Where
	}
	a, is := p.known[k]
	if !is {
		a = p.answer(j, pinned)
		p.known[k] = a
	}
	return a
}

// answer makes the request of a job. What no node has is left out of it.
func (p *placement) answer(j *accounting.Job, pinned bool) answer {
	var a answer
	r, bad := p.request(j, &a)
	if p.history.NeedsOf(j).Partitions != "" {
		a.left = append(a.left, several)
	}
	if bad != nil {
		a.left, a.why = append(a.left, unmet), bad
	}
	if pinned {
		r.NodeList, _ = p.list(p.history.WhereRan(j)) // check has read it
		r.QOS, r.Association, r.Reservation = nil, nil, ""
	}
	part := -1
	if len(r.Partitions) > 0 {
		part = r.Partitions[0]
	}
	could := func() bool {
		_, err := p.floor.Want(&r, part)
		a.why = cmp.Or(a.why, err)
		return err == nil
	}
	qos, association := r.QOS, r.Association
	r.QOS, r.Association = qos.Unlimited(), nil                                               // whatever their limits
	for _, simpler := range []func(){func() { r.TasksPerNode = 0 }, func() { r.Tasks = 0 }} { // than the same number on each, which is a guess
		if i := slices.IndexFunc(a.assumed, func(what assuming) bool { return what == evenNodes || what == sameNodes }); i >= 0 && !could() {
			a.why, a.assumed[i] = nil, sameNodes
			simpler()
		}
	}
	r.QOS, r.Association = qos, association
	whole := r
	if w, err := p.floor.Want(&r, part); err == nil && p.floor.Shares(w) {
		a.left = append(a.left, sharing)
	}
	if !could() {
		r.QOS, r.Association = qos.Unlimited(), nil
		if could() {
			a.left = append(a.left, beyondLimit)
		} else {
			if bad == nil {
				a.left = append(a.left, unmet)
			}
			r = nodes.Request{Partitions: whole.Partitions, CPUs: whole.CPUs, MinNodes: whole.MinNodes, NodeList: whole.NodeList}
			for _, simpler := range []func(){
				func() {}, func() { r.MinNodes, r.NodeList = 0, nil }, func() { r.Partitions, part = nil, -1 }, func() { r.CPUs = 1 },
			} {
				if simpler(); could() {
					break
				}
			}
		}
	}
	p.requests = append(p.requests, r)
	a.request = int32(len(p.requests))
	return a
}

// request makes the request of a job. Its error is about what cannot be read of it; the rest is there.
func (p *placement) request(j *accounting.Job, a *answer) (nodes.Request, error) {
	h := p.history
	n := h.NeedsOf(j)
	r := nodes.Request{
		CPUs: int(cmp.Or(j.Asked, j.Procs)), QOS: p.qos[j.QOS], Association: p.associations[j.Association],
		Tasks: n.Tasks, CPUsPerTask: n.CPUsPerTask, TasksPerNode: n.TasksPerNode, TasksPerSocket: n.TasksPerSocket, TasksPerCore: n.TasksPerCore, Sockets: n.Sockets, Cores: n.Cores, Threads: n.Threads, MinNodes: n.MinNodes, MaxNodes: n.MaxNodes, Share: n.Share, Contiguous: n.Contiguous, Spread: n.Spread, NoRequeue: n.NoRequeue, Component: j.Het != 0 && p.backfills,
	}
	if n.Overcommit { // slurm_opt.c, slurm_opt_create_job_desc; job_test.c, _allocate_sc
		r.Tasks, r.TasksPerNode = min(r.Tasks, max(1, n.MinNodes)), min(r.TasksPerNode, 1)
	}
	if at, is := p.partitions[h.Partitions[j.Partition]]; is {
		r.Partitions = p.choice(at, n.Partitions, j.Limit, r.QOS)
	}
	if p.reservations[n.Reservation] {
		r.Reservation = n.Reservation
	}
	p.layout(j, n, &r, a)
	switch n.Exclusive {
	case "":
		if n.Threads == 0 && n.TasksPerCore == 0 && p.whole(j) {
			r.Exclusive, a.assumed = nodes.WholeNodes, append(a.assumed, wholeNodes)
		}
	case "user":
		r.Exclusive = nodes.OneUser
	default:
		r.Exclusive = nodes.WholeNodes
	}
	p.memory(j, n, &r, a)
	var errs [5]error
	if r.GRES, errs[0] = p.gres(j, n, &r, a); p.atSockets && len(r.GRES) > 0 {
		a.assumed = append(a.assumed, anySocket)
	}
	r.Features, errs[1] = nodes.ParseFeatures(n.Features)
	r.Licenses, errs[2] = inventory.Licenses(n.AllLicenses())
	if all := len(r.Licenses); all > 0 {
		r.Licenses = slices.DeleteFunc(r.Licenses, func(l nodes.License) bool {
			return !slices.ContainsFunc(p.cluster.Licenses, func(k nodes.License) bool { return k.Name == l.Name })
		})
		if len(r.Licenses) < all {
			a.left = append(a.left, licensed)
		}
	}
	r.NodeList, errs[3] = p.list(n.NodeList)
	r.Exclude, errs[4] = p.list(n.Exclude)
	return r, errors.Join(errs[:]...)
}

// choice returns the partitions between which a job has the choice: that in which it ran or waits, and those of the same PriorityTier and pool that
// its line of submission names, if they allow its time limit, which by default is that of the partition.
func (p *placement) choice(ran int, names string, limit ostrich.Duration, qos *nodes.QOS) []int {
	all := []int{ran}
	tier := p.cluster.Partitions[ran].Tier
	limit = cmp.Or(limit, p.cluster.Partitions[ran].MaxTime)
	for name := range strings.SplitSeq(names, ",") {
		at, is := p.partitions[name]
		if of := &p.cluster.Partitions[at]; is && name != "" && !slices.Contains(all, at) && of.Tier == tier && p.pools[at] == p.pools[ran] && (of.MaxTime == 0 || qos != nil && qos.AnyTime || limit > 0 && limit <= of.MaxTime) {
			all = append(all, at)
		}
	}
	return all
}

// cpus returns how many processors nodes have together.
func (p *placement) cpus(where []int) (sum int) {
	for _, i := range where {
		sum += p.cluster.Nodes[i].Processors()
	}
	return sum
}

// full reports whether a job held all processors of its nodes.
func (p *placement) full(j *accounting.Job) bool {
	where, err := p.list(p.history.WhereRan(j))
	return err == nil && len(where) > 0 && int(j.Procs) == p.cpus(where)
}

// whole reports whether a job that asked for fewer processors held all of its nodes.
func (p *placement) whole(j *accounting.Job) bool {
	if j.Asked >= j.Procs || p.cluster.Select.Linear { // which gives them to all
		return false
	}
	if at, is := p.partitions[p.history.Partitions[j.Partition]]; is && p.cluster.Partitions[at].OverSubscribe == nodes.Exclusive {
		return false // the partition gives them to all
	}
	where, err := p.list(p.history.WhereRan(j))
	return err == nil && int(j.Procs-j.Asked) >= p.rounds(where) && p.full(j)
}

// rounds returns how many processors more than it asks for tell that a job has whole nodes, and not only whole cores or sockets of them.
func (p *placement) rounds(where []int) int {
	if p.cluster.Select.Unit == nodes.CPU || p.cluster.Select.Linear {
		return 1
	}
	most := 1
	for _, i := range where {
		n := &p.cluster.Nodes[i]
		unit := max(1, n.Threads)
		if p.cluster.Select.Unit == nodes.Socket {
			unit *= max(1, n.Cores)
		}
		most += unit - 1
	}
	return most
}

// layout says on how many nodes a job of which no line of submission tells it is to be.
func (p *placement) layout(j *accounting.Job, n *accounting.Needs, r *nodes.Request, a *answer) {
	told := n.Tasks > 0 || n.MinNodes > 0 || n.TasksPerNode > 0
	if n.Spread && r.MaxNodes == 0 && r.Tasks > 0 { // _copy_job_desc_to_job_record
		r.MaxNodes = max(min(r.Tasks, len(p.cluster.Nodes)), r.MinNodes)
	}
	switch held := int(j.Nodes); {
	case told:
		if j.AskedNodes > 1 && r.MinNodes == 0 {
			r.MinNodes = int(j.AskedNodes)
		}
	case p.cluster.Select.Linear && j.AskedNodes <= 1: // the processors of whole nodes are enough
	case held > 1 && j.AskedNodes == 1 && j.Start != 0 && !p.full(j): // it took what was free
		r.MinNodes = 1
	case held > 1 && r.CPUs%held == 0 && j.Start != 0 && !p.cluster.Select.Linear:
		r.MinNodes, r.MaxNodes, r.Tasks, r.TasksPerNode = held, held, r.CPUs, r.CPUs/held
		a.assumed = append(a.assumed, evenNodes)
	case j.AskedNodes > 1:
		r.MinNodes, r.MaxNodes = int(j.AskedNodes), int(j.AskedNodes)
	case held == 1 && r.CPUs > 1:
		if r.MaxNodes = 1; n.CPUsPerTask < r.CPUs { // else it is one task
			a.assumed = append(a.assumed, oneNode)
		}
	}
}

// memory says how much memory a job asks for. Nothing is as much as the partition gives.
func (p *placement) memory(j *accounting.Job, n *accounting.Needs, r *nodes.Request, a *answer) {
	if n.AllMemory {
		r.Memory = nodes.Memory{MiB: nodes.AllMemory}
		return
	}
	part := -1
	if len(r.Partitions) > 0 {
		part = r.Partitions[0]
	}
	standard, limit := p.cluster.Memory(part)
	if n.Layout.Memory > 0 {
		r.Memory = nodes.Memory{MiB: n.Layout.Memory, PerCPU: n.MemoryPer == accounting.PerCPU}
		if r.Memory.PerCPU && limit.PerCPU && limit.MiB > 0 && r.Memory.MiB > limit.MiB { // _valid_pn_min_mem
			times := (r.Memory.MiB + limit.MiB - 1) / limit.MiB
			r.Memory.MiB, r.CPUsPerTask = (r.Memory.MiB+times-1)/times, max(1, r.CPUsPerTask)*int(times)
		}
		return
	}
	asked, held := max(1, int64(j.AskedNodes)), max(1, int64(j.Nodes))
	cpus := int64(max(1, r.CPUs)) // a row of none never started
	switch {
	case n.Memory == 0:
	case n.Per == accounting.PerCPU:
		r.Memory = nodes.Memory{MiB: n.Memory, PerCPU: true}
	case n.Per == accounting.PerNode:
		r.Memory = nodes.Memory{MiB: n.Memory}
	case standard.MiB > 0 && standard.PerCPU && n.Memory == standard.MiB*cpus, standard.MiB > 0 && !standard.PerCPU && n.Memory == standard.MiB*asked:
	case held == 1:
		r.Memory = nodes.Memory{MiB: n.Memory}
	case n.Memory%cpus == 0:
		r.Memory = nodes.Memory{MiB: n.Memory / cpus, PerCPU: true}
		a.assumed = append(a.assumed, eachMemory)
	default:
		r.Memory = nodes.Memory{MiB: (n.Memory + asked - 1) / asked}
		a.assumed = append(a.assumed, eachMemory)
	}
}

// gres says which generic resources a job asks for.
func (p *placement) gres(j *accounting.Job, n *accounting.Needs, r *nodes.Request, a *answer) ([]nodes.GRESRequest, error) {
	var all []nodes.GRESRequest
	var whole []nodes.GRES
	for _, x := range []struct {
		text string
		per  nodes.Per
	}{{n.GRES, nodes.PerNode}, {n.GPUsPerTask, nodes.PerTask}, {n.GPUs, nodes.PerJob}} {
		list, err := inventory.GRES(x.text)
		if err != nil {
			return nil, err
		}
		for _, g := range list {
			is := slices.IndexFunc(all, func(o nodes.GRESRequest) bool { return o.Name == g.Name && o.Type == g.Type && o.Per != x.per })
			switch {
			case is < 0:
				if all = append(all, nodes.GRESRequest{GRES: g, Per: x.per}); x.per == nodes.PerJob {
					p.widen(g, j, r)
				}
			case x.per != nodes.PerJob || all[is].Count == 0 || g.Count > math.MaxInt32: // the same GRES are counted in another way (gres.c, _test_gres_cnt)
			case all[is].Per == nodes.PerTask && r.Tasks == 0:
				r.Tasks = max(1, int(g.Count/all[is].Count))
			case all[is].Per == nodes.PerNode:
				if on := int(g.Count / all[is].Count); on >= max(1, r.MinNodes) && (r.MaxNodes == 0 || on <= r.MaxNodes) {
					r.MinNodes, r.MaxNodes = on, on
				}
			}
		}
	}
	if all != nil {
		return all, nil
	}
	for item := range strings.SplitSeq(n.TRES, ",") {
		name, count, is := strings.Cut(item, "=")
		kind, is2 := strings.CutPrefix(name, "gres/")
		if !is || !is2 {
			continue
		}
		number, ok := scalar.Count(count, math.MaxInt64>>1)
		if !ok {
			return nil, fmt.Errorf("%q: %w", item, slurm.ErrGRES)
		}
		g := nodes.GRES{Count: number}
		g.Name, g.Type, _ = strings.Cut(kind, ":")
		whole = append(whole, g)
	}
	across := int64(max(1, r.MinNodes, int(j.AskedNodes)))
	for _, g := range whole {
		if g.Type == "" && slices.ContainsFunc(whole, func(o nodes.GRES) bool { return o.Name == g.Name && o.Type != "" }) {
			continue // the sum of those with types
		}
		q := nodes.GRESRequest{GRES: g}
		if p.widen(g, j, r) {
			q.Per = nodes.PerJob
		} else if across > 1 {
			a.assumed = append(a.assumed, eachGRES)
			if q.Per = nodes.PerJob; g.Count%across == 0 {
				q.Per, q.Count = nodes.PerNode, g.Count/across
			}
		}
		all = append(all, q)
	}
	return all, nil
}

// widen gives a request as many nodes as have what it asks for as a whole, if it asks for one (--gpus: ReqTRES has one node).
func (p *placement) widen(g nodes.GRES, j *accounting.Job, r *nodes.Request) bool {
	spread := p.spread(g, r)
	if max(r.MinNodes, int(j.AskedNodes)) > 1 || spread < 2 || r.MaxNodes > 0 && r.MaxNodes < spread {
		return false
	}
	r.MinNodes, r.CPUs = spread, max(r.CPUs, spread)
	return true
}

// spread returns on how many nodes at least the first partition of a request, or the cluster, has as many of a generic resource; 0 if it has not.
func (p *placement) spread(g nodes.GRES, r *nodes.Request) int {
	all := len(p.cluster.Nodes)
	at := func(i int) int { return i }
	if len(r.Partitions) > 0 {
		in := p.cluster.Partitions[r.Partitions[0]].Nodes
		all, at = len(in), func(i int) int { return in[i] }
	}
	have := make([]int64, all) // each node
	for i := range have {
		for _, of := range p.cluster.Nodes[at(i)].GRES {
			if of.Name == g.Name && (g.Type == "" || of.Type == g.Type) {
				have[i] += of.Count
			}
		}
	}
	slices.SortFunc(have, func(a, b int64) int { return cmp.Compare(b, a) })
	for i, n := range have {
		if g.Count -= n; g.Count <= 0 {
			return i + 1
		}
	}
	return 0
}

package ostrich

import "maps"

// Clone returns an independent copy of the schedule in the same state.
func (s *Schedule) Clone() *Schedule {
	c := *s
	d := duplicate{
		nodes:     make(map[*node]*node, len(s.users)+len(s.accounts)),
		users:     make(map[*user]*user, len(s.users)),
		campaigns: make(map[*campaign]*campaign),
		stages:    make(map[*stage]*stage),
		jobs:      make(map[*job]*job, len(s.jobs)),
	}
	c.users = make(map[UserID]*user, len(s.users))
	for id, u := range s.users {
		c.users[id] = d.user(u)
	}
	c.jobs = make(map[JobID]*job, len(s.jobs))
	for id, j := range s.jobs {
		c.jobs[id] = d.job(j)
	}
	c.groups = make(map[JobID]*group, len(s.groups))
	for id, g := range s.groups {
		c.groups[id] = &group{campaign: d.campaign(g.campaign), open: g.open}
	}
	c.overdue = make(dueHeap, len(s.overdue))
	for i, o := range s.overdue {
		c.overdue[i] = d.job(o)
	}
	c.root = d.node(s.root)
	c.accounts = make(map[string]*node, len(s.accounts))
	for name, n := range s.accounts {
		c.accounts[name] = d.node(n)
	}
	c.places = maps.Clone(s.places)
	return &c
}

// duplicate finds the copy of each part of a schedule, and makes it at the
// first asking.
type duplicate struct {
	nodes     map[*node]*node
	users     map[*user]*user
	campaigns map[*campaign]*campaign
	stages    map[*stage]*stage
	jobs      map[*job]*job
}

// once returns the copy of a part. A part made just now still has the
// pointers of the original, and fresh tells so.
func once[T any](seen map[*T]*T, from *T) (to *T, fresh bool) {
	if from == nil {
		return nil, false
	}
	if to, ok := seen[from]; ok {
		return to, false
	}
	to = new(T)
	*to = *from
	seen[from] = to
	return to, true
}

// each copies a list of parts.
func each[T any](list []*T, one func(*T) *T) []*T {
	if list == nil {
		return nil
	}
	copies := make([]*T, len(list))
	for i, x := range list {
		copies[i] = one(x)
	}
	return copies
}

func (d *duplicate) node(from *node) *node {
	n, fresh := once(d.nodes, from)
	if fresh {
		n.user, n.parent = d.user(n.user), d.node(n.parent)
		n.children = each(n.children, d.node)
	}
	return n
}

func (d *duplicate) user(from *user) *user {
	u, fresh := once(d.users, from)
	if fresh {
		u.leaf, u.latest, u.recent = d.node(u.leaf), d.campaign(u.latest), d.job(u.recent)
		u.line = each(u.line, d.stage)
	}
	return u
}

func (d *duplicate) campaign(from *campaign) *campaign {
	c, fresh := once(d.campaigns, from)
	if fresh {
		c.user = d.user(c.user)
		c.stages = each(c.stages, d.stage)
	}
	return c
}

func (d *duplicate) stage(from *stage) *stage {
	g, fresh := once(d.stages, from)
	if fresh {
		g.campaign = d.campaign(g.campaign)
		g.pending = each(g.pending, d.job)
	}
	return g
}

func (d *duplicate) job(from *job) *job {
	j, fresh := once(d.jobs, from)
	if fresh {
		j.stage = d.stage(j.stage)
	}
	return j
}

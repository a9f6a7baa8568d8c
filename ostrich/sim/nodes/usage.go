package nodes

import (
	"fmt"
	"slices"
	"strings"
)

// Usage is what running jobs use of the limits of associations and QOS, and of licences: a job that
// finds too few of those keeps no other from starting either (job_scheduler.c, _schedule).
type Usage struct {
	floor *Floor
	used  map[use]int64
	jobs  map[use][]int32 // of limits of nodes, by node: one with several jobs counts once (_get_unique_job_node_cnt)
}

// use is whose use of which limit.
type use struct {
	limit *Limit
	name  string // of the user or account, if that is known
	user  uint32 // otherwise
}

// bound is a limit that a request is under.
type bound struct {
	*Limit
	kinds []int // of generic resources
	over  bool  // another one counts in its place: its use is counted all the same
}

// NewUsage returns the usage of an empty cluster.
func (f *Floor) NewUsage() *Usage {
	return &Usage{floor: f, used: make(map[use]int64), jobs: make(map[use][]int32)}
}

// bind finds the limits that a request is under. Of a limit that both its QOS have, only that of the first one counts, and that of an
// association only if no QOS has it (acct_policy.c, acct_policy_job_runnable_pre_select, _validate_tres_limits_for_assoc).
func (f *Floor) bind(w *Want) error {
	order := f.order(w)
	var have []bound
	add := func(limits []Limit, above []bound) {
		for i := range limits {
			l := &limits[i]
			over := slices.ContainsFunc(above, func(h bound) bool { return h.Scope == l.Scope && h.Resource == l.Resource })
			have = append(have, bound{Limit: l, over: over})
		}
	}
	for i, q := range order {
		if q != nil && !slices.Contains(order[:i], q) {
			add(q.Limits, have)
		}
	}
	ofQOS := slices.Clone(have)
	for _, h := range have {
		if h.Scope == Account && h.Resource == "jobs" { // MaxJobs of an association counts only without MaxJobsPU and MaxJobsPA
			ofQOS = append(ofQOS, bound{Limit: &Limit{Scope: User, Resource: "jobs"}})
		}
	}
	for a := w.Association; a != nil; a = a.Parent {
		add(a.Limits, ofQOS)
	}
	for _, asked := range w.Licenses {
		at := slices.IndexFunc(f.licenses, func(l Limit) bool { return l.Resource == "license/"+asked.Name })
		if at < 0 {
			return fmt.Errorf("nodes: the cluster has no licence %s: %w", asked.Name, ErrCluster)
		}
		have = append(have, bound{Limit: &f.licenses[at]})
	}
	for _, b := range have {
		switch name, gres := strings.CutPrefix(b.Resource, "gres/"); {
		case gres:
			for k, kind := range f.kinds {
				if name == kind.Name || name == kind.String() {
					b.kinds = append(b.kinds, k)
				}
			}
		case slices.Contains([]string{"jobs", "cpu", "node", "mem"}, b.Resource), strings.HasPrefix(b.Resource, "license/"):
		default:
			return fmt.Errorf("nodes: a limit of %s: only jobs, cpu, mem, node, gres/… and license/… are counted: %w", b.Resource, ErrCluster)
		}
		w.bounds = append(w.bounds, b)
	}
	return nil
}

// Limited reports whether limits of associations or QOS may keep a job with the request.
func (w *Want) Limited() bool {
	return slices.ContainsFunc(w.bounds, func(b bound) bool { return !b.over })
}

// key is whose use of a limit a job counts in.
func (b *bound) key(w *Want, user uint32) use {
	k := use{limit: b.Limit}
	switch b.Scope {
	case User:
		if k.user = user; w.Association != nil {
			k.name, k.user = w.Association.User, 0
		}
	case Account:
		if w.Association != nil {
			k.name = w.Association.Account
		}
	case Group, Job, JobNode:
	}
	return k
}

// of is how much of a limit an allocation uses; for JobNode, on a node on average (_validate_tres_limits_for_assoc).
func (b *bound) of(f *Floor, w *Want, a *Allocation) int64 {
	sum := int64(0)
	for i := range a.Nodes {
		n := int64(0)
		switch b.Resource {
		case "cpu":
			n = int64(a.counted(i))
		case "mem":
			n = a.Memory[i]
		case "node":
			n = 1
		default:
			for _, k := range b.kinds {
				if a.gres != nil {
					n += a.gres[i*len(f.kinds)+k]
				}
			}
		}
		sum += n
	}
	if b.Scope == JobNode {
		return sum / int64(max(1, len(a.Nodes)))
	}
	if name, ok := strings.CutPrefix(b.Resource, "license/"); ok {
		sum += licenses(w, name)
	}
	return sum
}

// Allows reports whether a job may start as far as numbers of jobs are limited (acct_policy.c,
// acct_policy_job_runnable_pre_select).
func (u *Usage) Allows(w *Want, user uint32) bool {
	for i := range w.bounds {
		if b := &w.bounds[i]; b.Resource == "jobs" && !b.over && u.used[b.key(w, user)] >= b.Most {
			return false
		}
	}
	return true
}

// AllowsAllocation reports whether a job may start with an allocation as far as resources are limited
// (acct_policy_job_runnable_post_select).
func (u *Usage) AllowsAllocation(w *Want, user uint32, a *Allocation) bool {
	for i := range w.bounds {
		b := &w.bounds[i]
		if b.Resource == "jobs" || b.over {
			continue
		}
		if key := b.key(w, user); u.used[key]+u.more(b, key, w, a) > b.Most {
			return false
		}
	}
	return true
}

// more is how much more of a limit is used with an allocation.
func (u *Usage) more(b *bound, key use, w *Want, a *Allocation) (n int64) {
	jobs := u.jobs[key]
	if jobs == nil {
		return b.of(u.floor, w, a)
	}
	for _, i := range a.Nodes {
		if jobs[i] == 0 {
			n++
		}
	}
	return n
}

// AllowsRequest reports whether a job for which there are no nodes now may start as far as
// resources are limited, with what it asks for: one that may not waits for the limit and not for
// nodes (node_scheduler.c, select_nodes), and keeps none from others.
func (u *Usage) AllowsRequest(w *Want, user uint32) bool {
	for i := range w.bounds {
		b := &w.bounds[i]
		if b.Resource != "jobs" && b.Scope != JobNode && !b.over && u.used[b.key(w, user)]+b.asked(w) > b.Most {
			return false
		}
	}
	return true
}

// Keeps reports whether limits keep each job with a request that has an association, whatever nodes it finds and whoever submits it.
func (u *Usage) Keeps(w *Want) bool {
	if w.Association == nil {
		return false
	}
	for i := range w.bounds {
		b := &w.bounds[i]
		if b.over || b.Scope == JobNode || b.Resource == "node" { // nodes that others have count once
			continue
		}
		more := int64(1)
		if b.Resource != "jobs" {
			more = b.asked(w)
		}
		if u.used[b.key(w, 0)]+more > b.Most {
			return true
		}
	}
	return false
}

// asked is how much of a limit a request would use, as far as it says so itself.
func (b *bound) asked(w *Want) (n int64) {
	switch b.Resource {
	case "cpu":
		return int64(w.cpus)
	case "node":
		return int64(max(w.min, w.req))
	case "mem":
		switch {
		case w.allMemory:
			return 0
		case w.perCPU:
			return w.memory * int64(w.cpus)
		}
		return w.memory * int64(max(w.min, w.req))
	}
	if name, ok := strings.CutPrefix(b.Resource, "license/"); ok {
		return licenses(w, name)
	}
	for _, a := range w.amounts {
		if !slices.ContainsFunc(a.kinds, func(k int) bool { return slices.Contains(b.kinds, k) }) {
			continue
		}
		switch a.per {
		case PerJob:
			n += a.n
		case PerTask:
			n += a.n * int64(max(1, w.tasks))
		case PerNode, PerSocket:
			n += a.n * int64(max(w.min, w.req))
		}
	}
	return n
}

// licenses is how many of a licence a request takes.
func licenses(w *Want, name string) (n int64) {
	for _, l := range w.Licenses {
		if l.Name == name {
			n += l.Count
		}
	}
	return n
}

// Add counts a job that starts, Remove one that ends.
func (u *Usage) Add(w *Want, user uint32, a *Allocation) { u.change(w, user, a, 1) }

// Remove takes a job out of the usage.
func (u *Usage) Remove(w *Want, user uint32, a *Allocation) { u.change(w, user, a, -1) }

func (u *Usage) change(w *Want, user uint32, a *Allocation, sign int32) {
	for i := range w.bounds {
		b := &w.bounds[i]
		key := b.key(w, user)
		switch {
		case b.Scope == Job || b.Scope == JobNode:
		case b.Resource == "jobs":
			u.used[key] += int64(sign)
		case b.Resource == "node":
			u.onNodes(key, a, sign)
		default:
			u.used[key] += int64(sign) * b.of(u.floor, w, a)
		}
	}
}

// onNodes counts the nodes of a job in those of a limit.
func (u *Usage) onNodes(key use, a *Allocation, sign int32) {
	jobs := u.jobs[key]
	if jobs == nil {
		jobs = make([]int32, len(u.floor.nodes))
		u.jobs[key] = jobs
	}
	for _, n := range a.Nodes {
		if before := jobs[n]; before == 0 || before+sign == 0 {
			u.used[key] += int64(sign)
		}
		jobs[n] += sign
	}
}

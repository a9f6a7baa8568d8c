package view

import (
	"cmp"
	"fmt"
	"strings"

	"slurm-ostrich/cmd/internal/format"
	"slurm-ostrich/priority"
)

// verdict says in a sentence or two why a pending job does not run. Where that is not its
// place in the order, Slurm's own reason comes first.
func (s *Cycle) verdict(e *Explanation, p *priority.Entry, pool *Pool) string {
	switch p.Wait {
	case priority.Kept:
		return held(p)
	case priority.Dependent:
		return dependent(p)
	case priority.Later:
		if r, ok := s.record(p.Job); ok && r.Eligible > s.Time {
			return fmt.Sprintf("It is to begin at %s or later (Slurm's reason: %s).", format.Moment(float64(r.Eligible)), p.Reason)
		}
		return fmt.Sprintf("It is to begin later (Slurm's reason: %s).", p.Reason)
	case priority.Limited:
		if p.Reason == "JobArrayTaskLimit" {
			return "As many tasks of its array run as may run at a time (Slurm's reason: JobArrayTaskLimit). One of them must end first."
		}
		return fmt.Sprintf("A limit of its user, account or QOS is reached (Slurm's reason: %s). Other jobs under that limit must end first.", p.Reason)
	case priority.Barred:
		return fmt.Sprintf("It cannot start, whatever others do: %s (Slurm's reason: %s).", p.Barred, p.Reason)
	case priority.Impossible:
		return fmt.Sprintf("It asks for what it cannot get (Slurm's reason: %s). It does not start unless it is changed (scontrol update) "+
			"or an administrator changes the limits.", p.Reason)
	case priority.Able:
	}
	switch {
	case pool != nil && s.procs(p) > pool.Procs:
		return fmt.Sprintf("It asks for %s, and there are %d at present (Slurm's reason: %s).", format.Plural(s.procs(p), "processor"), pool.Procs, p.Reason)
	case p.Rank == 0:
		return leftAlone(e, p)
	case !priority.ForItsTurn(p.Reason):
		return lacks(p.Reason)
	case !e.Enforced:
		return fmt.Sprintf("It waits for its turn in Slurm's own order, as OStrich only watches this cluster. In OStrich's order, %s.", turn(e, p)) + s.taken(p)
	case p.Rank == 1:
		return "It is the next to start, as soon as there is room for it." + s.taken(p)
	}
	return fmt.Sprintf("It waits for its turn: %s.", turn(e, p)) + s.taken(p)
}

// held says who holds a job.
func held(p *priority.Entry) string {
	switch p.Reason {
	case "JobHeldUser":
		return "Its user holds it (Slurm's reason: JobHeldUser). It can start after: scontrol release " + p.Full
	case "JobHeldAdmin":
		return "An administrator holds it (Slurm's reason: JobHeldAdmin). Only an administrator can release it."
	}
	return fmt.Sprintf("It is held (Slurm's reason: %s). It can start after it is released.", p.Reason)
}

// dependent says on what a job depends.
func dependent(p *priority.Entry) string {
	on := cmp.Or(p.Dependency, "other jobs")
	if p.Reason == "DependencyNeverSatisfied" {
		return fmt.Sprintf("It never starts, because what it depends on has not come true: %s (Slurm's reason: %s). "+
			"Cancel it, or change its dependency.", on, p.Reason)
	}
	return fmt.Sprintf("It waits for what it depends on: %s (Slurm's reason: %s).", on, p.Reason)
}

// leftAlone says why OStrich does not order a job that could start.
func leftAlone(e *Explanation, p *priority.Entry) string {
	switch {
	case p.Why.Code == priority.Unheard && !e.Enforced:
		return "It is new: accounting does not have it yet. It waits for its turn in Slurm's own order, as OStrich only watches this cluster."
	case p.Why.Code == priority.Unheard:
		return "It is new: accounting does not have it yet, and OStrich orders it as soon as it does."
	case p.Why.Code == priority.NotListed:
		return "It is new, or has been queued again: Slurm has not computed its priority yet."
	case p.Why.Code == priority.WasRefused:
		return "OStrich cannot order it, because Slurm refused the change: " + p.Why.About + "."
	}
	return fmt.Sprintf("It waits for its turn in Slurm's own order. OStrich leaves it alone: %s.", p.Why)
}

// turn says what goes before a job in OStrich's order.
func turn(e *Explanation, p *priority.Entry) string {
	c := e.Campaign
	switch {
	case p.Rank == 1:
		return "it is the next to start, as soon as there is room for it"
	case e.Ahead.Own == e.Ahead.Jobs:
		return fmt.Sprintf("its campaign is the first, and %s of that campaign %s before it",
			format.Plural(e.Ahead.Own, "other job"), verb(e.Ahead.Own, "goes", "go"))
	case c != nil && c.Overdue:
		return "its campaign is overdue, and only campaigns that are overdue for longer go first"
	case c != nil && c.Completed:
		return "its campaign is late, and campaigns with less work left go first"
	}
	return "campaigns that are nearer to their end go first"
}

// ends is what became of a job, by its state.
var ends = map[string]string{
	"COMPLETED": "has completed", "FAILED": "failed", "TIMEOUT": "was ended by a limit", "CANCELLED": "was cancelled",
	"NODE_FAIL": "ended because a node failed", "PREEMPTED": "was preempted", "BOOT_FAIL": "ended because its nodes did not boot",
	"DEADLINE": "missed its deadline", "OUT_OF_MEMORY": "ran out of memory", "REQUEUED": "was requeued", "RESIZING": "was resized",
	"REVOKED": "was taken over by another cluster",
}

// ranVerdict says what became of a job that is not pending.
func ranVerdict(e *Explanation) string {
	waited := ""
	if e.Waited != nil {
		waited = "after a wait of " + format.Span(float64(*e.Waited))
		if *e.Waited == 0 {
			waited = "without a wait"
		}
	}
	end, known := ends[e.State]
	if !known {
		end = "ended as " + e.State
	}
	switch {
	case e.Started != nil && e.Ended != nil:
		return fmt.Sprintf("It %s. It started at %s, %s, and ended at %s, after %s.",
			end, moment(*e.Started), waited, moment(*e.Ended), format.Span(float64(*e.Ended-*e.Started)))
	case e.Ended != nil:
		return fmt.Sprintf("It %s at %s, %s, and never started.", end, moment(*e.Ended), waited)
	case e.Started != nil && e.State == "SUSPENDED":
		return fmt.Sprintf("It is suspended. It started at %s, %s.", moment(*e.Started), waited)
	case e.Started != nil:
		return fmt.Sprintf("It runs. It started at %s, %s.", moment(*e.Started), waited)
	}
	return "By the accounting tables it waits, but it is not in Slurm's queue. It has just started or ended, or accounting lost its end (sacctmgr show runawayjobs)."
}

// verb agrees with a number of things.
func verb(n int, one, more string) string {
	if n == 1 {
		return one
	}
	return more
}

// lacking is what a reason of the machine means, by how Slurm's text begins. What a job
// then lacks are nodes or licenses for now, which others have or which are not in use, so
// that its place in the order matters again once they are back.
var lacking = []struct{ begins, means string }{
	{"ReqNodeNotAvail, May be reserved", "The nodes that it needs are kept for now, for a job that goes first or by a reservation"},
	{"ReqNodeNotAvail, Reserved for maintenance", "The nodes that it needs are reserved for maintenance, now or before the job would end by its time limit"},
	{"ReqNodeNotAvail", "Nodes that it needs are down, drained or reserved, and it can start when they are back (sinfo -R tells why)"},
	{"NodeDown", "Nodes that it needs are down, and it can start when they are back (sinfo -R tells why)"},
	{"FrontEndDown", "Nodes that it needs are down, and it can start when they are back (sinfo -R tells why)"},
	{"PartitionDown", "Its partition starts no jobs until an administrator sets its State to UP"},
	{"PartitionInactive", "Its partition starts no jobs until an administrator sets its State to UP"},
	{"Reservation", "It waits for its reservation"},
	{"Licenses", "It waits for licenses that others hold; of the jobs that wait for them, those that are earlier in the order get them first"},
	{"BurstBuffer", "It waits for its burst buffer"},
	{"Cleaning", "Slurm still cleans up after its last run"},
	{"Prolog", "Its nodes are being prepared for it"},
	{"SchedDefer", "Slurm starts no job at once when it is submitted, and looks at it with its next pass"},
	{"Power", "The power that it needs is not there for now"},
	{"MaxPoweredUpNodes", "No more nodes may be powered up for now"},
	{"JobLaunchFailure", "Its last run failed to start, and it waits to run again"},
}

// lacks says what a job that could start lacks by Slurm's reason, which is not its turn.
func lacks(reason string) string {
	for _, m := range lacking {
		if strings.HasPrefix(reason, m.begins) {
			return fmt.Sprintf("%s (Slurm's reason: %s).", m.means, reason)
		}
	}
	return fmt.Sprintf("Slurm does not start it for now, for a reason other than its turn (Slurm's reason: %s).", reason)
}

// taken says of a waiting job why Slurm speaks of nodes that are down, drained or reserved
// for others: it does so of all whose nodes jobs of a higher PriorityTier wait for. It is
// "" for other reasons.
func (s *Cycle) taken(p *priority.Entry) string {
	if !priority.NodesTaken(p.Reason) {
		return ""
	}
	higher := 0
	for i := range s.Plan.Entries {
		if o := s.Plan.Entries[i]; o.Pool == p.Pool && o.Tier > p.Tier && o.Wait == priority.Able {
			higher++
		}
	}
	if higher == 0 {
		return " Its nodes are taken, down or drained (sinfo -R lists the last two); Slurm's reason does not tell these apart."
	}
	return fmt.Sprintf(" %s in partitions with a higher PriorityTier %s and %s first on nodes that both may use, whatever the order.",
		format.Plural(higher, "job"), verb(higher, "waits", "wait"), verb(higher, "goes", "go"))
}

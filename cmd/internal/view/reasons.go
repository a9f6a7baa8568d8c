package view

import (
	"fmt"
	"strings"

	"slurm-ostrich/cmd/internal/format"
	"slurm-ostrich/priority"
)

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

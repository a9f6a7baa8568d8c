package replay

import (
	"fmt"

	"slurm-ostrich/cmd/internal/comparison"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting"
)

// leaving is something that jobs of the record have and the replay has not.
type leaving uint8

const (
	neverStarted leaving = iota
	impossible
	lostEnd
	forEver
	nodeless
	unfinished
	cancelled
	lateEligible
	tooWide
	instant
	preempted
	preemptedForGood
	requeued
	nodeFailed
	resized
	suspended
	heterogeneous
	several
	pinned
	waitedBefore
	goneNodes
	reserved
	licensed
	unmet
	sharing
	beyondLimit
	asksUnlike
	leavings
)

// leavingWords are the key and the words of each: what holds for the jobs, and what the replay
// does with them.
var leavingWords = [leavings]struct{ key, name, replay string }{
	neverStarted:     {"never_started", "never started", "left out"},
	impossible:       {"impossible", "have times or sizes that cannot be", "left out"},
	lostEnd:          {"lost", "seem to run on after their limits, which ended before the window", "left out"},
	forEver:          {"for_ever", "waited in vain for what no nodes have, or for more than a limit allows", "left out"},
	nodeless:         {"no_nodes", "are of partitions that have no nodes now", "left out"},
	unfinished:       {"unfinished", "had not ended", "hold processors, are not measured"},
	cancelled:        {"cancelled", "were cancelled while they waited", "wait until then, are not measured"},
	lateEligible:     {"eligible_late", "were eligible after their submission (dependencies, --begin, holds, %N of arrays)", "count from then"},
	tooWide:          {"too_wide", "are wider than their partitions are now", "as wide as those"},
	instant:          {"instant", "ended in the second in which they started", "run for a second"},
	preempted:        {"preempted", "were preempted", "end when they did, and make no room"},
	preemptedForGood: {"preempted_for_good", "were preempted and not requeued", "run no longer than they did"},
	requeued:         {"requeued", "were requeued", "each run is a job"},
	nodeFailed:       {"node_failed", "were ended by a failure of their nodes", "end when they did"},
	resized:          {"resized", "changed their size while they ran", "have the mean size"},
	suspended:        {"suspended", "were suspended for a time", "run without a pause"},
	heterogeneous:    {"heterogeneous", "are components of heterogeneous jobs", "start without each other"},
	several:          {"partitions", "were submitted to several partitions", "have the priority of that in which they ran, and start there or in others of its PriorityTier"},
	pinned:           {"running_before", "ran before the window began", "hold the nodes where they ran, are not measured"},
	waitedBefore:     {"waited_before", "waited when the window began", "count from then, with the age that they had"},
	goneNodes:        {"nodes_gone", "ran on nodes that are no more", "run on others"},
	reserved:         {"reservation", "ran in a reservation that is not known as one of whole nodes", "run outside of it"},
	licensed:         {"licenses", "ask for licences whose number is not known", "wait for none"},
	unmet:            {"unmet", "ask for features, memory or devices that no nodes have", "ask for processors only"},
	sharing:          {"shared_cpus", "may share processors with others (OverSubscribe)", "have processors of their own"},
	asksUnlike:       {"unlike_nodes", "ask for features or devices (GPUs), or licences", "run on any processors"},
	beyondLimit:      {"beyond_limit", "ask for more than a limit of their QOS or association now", "have no such limit"},
}

// leftOut counts jobs and their work, in processor-seconds, by what is left out of them.
type leftOut struct {
	jobs [leavings]int
	work [leavings]float64

	allJobs int
	allWork float64
}

func (l *leftOut) add(what leaving, j *accounting.Job, ran ostrich.Duration) {
	n := j.Count()
	l.jobs[what] += n
	l.work[what] += float64(n) * float64(ran) * float64(j.Procs)
}

func (l *leftOut) count(j *accounting.Job, ran ostrich.Duration) {
	l.allJobs += j.Count()
	l.allWork += float64(j.Count()) * float64(ran) * float64(j.Procs)
}

// has counts what a job has that the replay has not, beyond its times and its size. preempts is whether jobs make room in
// it: who was requeued then is one job from its first submission on, as long as its last run.
func (l *leftOut) has(j *accounting.Job, ran ostrich.Duration, preempts bool) {
	for what, is := range [leavings]bool{
		preempted: j.State == accounting.Preempted && !preempts, preemptedForGood: j.State == accounting.Preempted && preempts, requeued: j.State == accounting.Requeued, resized: j.Resized, suspended: j.Suspended > 0,
		heterogeneous: j.Het != 0, nodeFailed: j.State == accounting.NodeFail || j.State == accounting.BootFail,
	} {
		if is {
			l.add(leaving(what), j, ran)
		}
	}
}

// asks counts what a job asks for and a replay without it, or without nodes, has not.
func (l *leftOut) asks(h *accounting.History, j *accounting.Job, ran ostrich.Duration, p *placement) {
	n := h.NeedsOf(j)
	if n.Reservation != "" && (p == nil || !p.reservations[n.Reservation]) {
		l.add(reserved, j, ran)
	}
	if p != nil {
		if _, gone := p.list(h.WhereRan(j)); gone != nil {
			l.add(goneNodes, j, ran)
		}
	}
	if p == nil && n.AllLicenses() != "" {
		l.add(licensed, j, ran)
	}
	if p == nil && (n.Features != "" || n.TRES != "" || n.GRES != "") {
		l.add(asksUnlike, j, ran)
	}
}

// rows returns what is left out of any job.
func (l *leftOut) rows() []comparison.LeftOut {
	var rows []comparison.LeftOut
	for what, w := range leavingWords {
		if l.jobs[what] == 0 {
			continue
		}
		row := comparison.LeftOut{
			What: w.key, Name: w.name, Replay: w.replay, Jobs: l.jobs[what], Part: float64(l.jobs[what]) / float64(max(1, l.allJobs)),
			Hours: l.work[what] / 3600,
		}
		if l.allWork > 0 {
			row.Work = l.work[what] / l.allWork
		}
		rows = append(rows, row)
	}
	return rows
}

// notes returns the same in sentences, where nothing is replayed.
func (l *leftOut) notes() []string {
	var list []string
	for _, r := range l.rows() {
		if r.What == leavingWords[unfinished].key {
			r.Replay = "their campaigns are not measured"
		}
		list = append(list, fmt.Sprintf("Jobs that %s: %d; %s.", r.Name, r.Jobs, r.Replay))
	}
	return list
}

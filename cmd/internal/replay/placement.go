package replay

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"slurm-ostrich/cmd/internal/comparison"
	"slurm-ostrich/cmd/internal/format"
	"slurm-ostrich/cmd/internal/inventory"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting"
	"slurm-ostrich/ostrich/plural"
	"slurm-ostrich/ostrich/sim"
	"slurm-ostrich/ostrich/sim/nodes"
	"slurm-ostrich/priority"
	"slurm-ostrich/priority/slurm"
)

// placement turns the jobs of a site into requests for its nodes.
type placement struct {
	cluster  *nodes.Cluster
	floor    *nodes.Floor
	requests []nodes.Request

	history      *accounting.History
	opening      ostrich.Time         // Setup.opening
	places       map[string]int       // of nodes, by name
	partitions   map[string]int       // of partitions, by name
	pools        []int                // of partitions, below 0 for those without jobs
	qos          []*nodes.QOS         // of History.QOS; nil: nothing is known of it
	associations []*nodes.Association // of History.Associations; likewise
	reservations map[string]bool      // those that are known
	known        map[asking]answer    // by what a job asks for
	lists        map[string][]int     // places by lists of nodes
	atSockets    bool                 // nodes have generic resources at certain sockets
	backfills    bool                 // there is a backfill scheduler, without which no component of a heterogeneous job would start
	assumed      [assumptions]int     // jobs of which something is not known

	// How many more tasks waited than started of jobs that ask for what no node has, and for longer than they may, not 0; 0: not counted yet.
	unmetInVain, longInVain int
}

// asking is what decides the request of a job.
type asking struct {
	needs, partition, qos, association int32
	asked, held, askedNodes, heldNodes int32
	pinned                             int32            // Job.Where of a job that ran when the window began, or -1
	component                          bool             // of a heterogeneous job
	full, whole                        bool             // it held all processors of its nodes, of which it needed one, or asked for fewer processors
	limit                              ostrich.Duration // if it has the choice between partitions
}

// answer is the request for that, its number from 1, and what had to be left out of it.
type answer struct {
	request int32
	left    []leaving
	assumed []assuming
	why     error // of what was left out
}

// assuming is something that is not known of jobs.
type assuming uint8

const (
	oneNode assuming = iota
	evenNodes
	sameNodes // as evenNodes, where that does not fit
	eachMemory
	eachGRES
	wholeNodes
	anySocket
	assumptions
)

// assumedWords are the key and the words of each: what is not known of the jobs, and what is taken.
var assumedWords = [assumptions]struct{ key, name, taken string }{
	oneNode:    {"one_node", "ran on one node, and nothing tells whether they asked for one", "ask for one"},
	evenNodes:  {"even_nodes", "ran on several nodes, and nothing tells how they divided their processors", "ask for as many nodes, with the same number on each"},
	sameNodes:  {"same_nodes", "ran on several nodes, and in the replay cannot start with the same number of processors on each", "ask for as many nodes, with any number on each"},
	eachMemory: {"each_memory", "ask for memory as a whole on several nodes", "for each processor the same, else for each node"},
	eachGRES:   {"each_gres", "ask for generic resources as a whole on several nodes", "on each node the same if that goes up, else anywhere"},
	anySocket:  {"any_socket", "ask for generic resources that nodes have at certain sockets", "use any cores of these nodes"},
	wholeNodes: {"whole_nodes", "held all processors of their nodes, and asked for fewer", "ask for whole nodes (--exclusive)"},
}

// place reads the cluster of the site's files. Without nodes, and where the run cannot use
// them, the machine stays one of identical processors; a note says why if that is a surprise.
func (s *Study) place(h *accounting.History) error {
	if s.Happened || len(s.Records) == 0 || s.Identical {
		return nil
	}
	if s.Run.Backfill != sim.Slurm {
		s.Notes = append(s.Notes, "Processors are taken as identical: jobs are placed on nodes with --backfill slurm only.")
		return nil
	}
	c, err := inventory.Of(s.Records)
	switch {
	case errors.Is(err, inventory.ErrNoNodes):
		return nil
	case err != nil:
		return err
	}
	only := ""
	if len(c.Partitions) == 1 && !slices.ContainsFunc(h.Partitions, hasName) {
		only = c.Partitions[0].Name // of jobs that name none
	} else if !slices.ContainsFunc(c.Partitions, func(p nodes.Partition) bool { return slices.Contains(h.Partitions, p.Name) }) {
		return nil // the machine is one pool
	}
	p := &placement{
		cluster: c, history: h, places: inventory.Places(c.Nodes), partitions: make(map[string]int), known: make(map[asking]answer), lists: make(map[string][]int),
		reservations: make(map[string]bool), opening: s.opening(h.From), backfills: s.Scheduler.BackfillDepth >= 0,
	}
	longest := priority.MaxTimes(s.Partitions)
	for i := range c.Partitions {
		of := &c.Partitions[i]
		of.MaxTime = longest[of.Name]
		p.partitions[of.Name], p.pools = i, append(p.pools, s.poolOf(of.Name))
	}
	unknown := func(j accounting.Job) bool { return j.Nodes == 0 && j.Start != 0 } // no column tells on how many nodes it ran
	if slices.ContainsFunc(h.Jobs, unknown) {
		h.Jobs = slices.Clone(h.Jobs)
	}
	for i := range h.Jobs {
		if j := &h.Jobs[i]; unknown(*j) {
			where, _ := p.list(h.WhereRan(j))
			j.Nodes = int32(len(where))
		}
	}
	p.atSockets = slices.ContainsFunc(s.Records, func(r slurm.Record) bool { return r.Kind == slurm.NodeRecord && strings.Contains(r.Get("gres"), "(S:") })
	if only != "" {
		p.partitions[""] = 0
	}
	if s.Controller != nil {
		c.Preempt = inventory.Preemption(s.Controller)
	}
	s.limits(p)
	if n := p.outages(s.Events); n > 0 {
		s.Notes = append(s.Notes, plural.Sprintf("%d outage{|s} of nodes that end{s|} before {it begins|they begin}, as slurmdbd notes {it|them} when a clock goes back: left out.", n))
	}
	if err = s.reserve(p); err != nil {
		return err
	}
	if !s.Present && len(c.Outages)+len(c.Reservations) > 0 {
		zone := cmp.Or(s.Location, time.UTC)
		s.Notes = append(s.Notes, fmt.Sprintf("Times of outages and reservations are taken to be of zone %s, as those of the jobs are: sacctmgr and scontrol write those of the machine that they run on, unless TZ says otherwise.", zone))
	}
	if p.floor, err = nodes.NewFloor(c); err != nil {
		return err
	}
	s.placement = p
	if !slices.ContainsFunc(h.Needs, func(n accounting.Needs) bool { return n.Known }) {
		s.Notes = append(s.Notes, "The record has no lines of submission (sacct's column SubmitLine): nothing tells which jobs had the choice between partitions, shared nodes with their user's jobs only (--exclusive=user), asked for tasks on each node, "+
			"or had nice values.")
	}
	if !s.Present && len(c.Licenses) > 0 && !slices.ContainsFunc(h.Needs, func(n accounting.Needs) bool { return n.Licenses != "" }) {
		names := make([]string, len(c.Licenses))
		for i, l := range c.Licenses {
			names[i] = l.Name
		}
		s.Notes = append(s.Notes, fmt.Sprintf("The site has licences (%s), and the record says of no job that it asks for any (sacct's column Licenses, of newer releases): "+
			"jobs wait for those only that ReqTRES has.", strings.Join(names, ", ")))
	}
	for i := range s.Records {
		r := &s.Records[i]
		for _, x := range [][2]string{{"MaxCPUsPerSocket", "UNLIMITED"}, {"OverTimeLimit", "NONE"}} { // and what is usual
			if value := r.Get(strings.ToLower(x[0])); r.Kind == slurm.PartitionRecord && value != "" && !strings.EqualFold(value, x[1]) {
				s.Notes = append(s.Notes, fmt.Sprintf("Partition %s has %s=%s, which the replay has not.", r.Name, x[0], value))
			}
		}
	}
	for _, name := range []string{"shard", "mps"} {
		if slices.ContainsFunc(c.Nodes, func(n nodes.Node) bool {
			return slices.ContainsFunc(n.GRES, func(g nodes.GRES) bool { return g.Name == name })
		}) {
			s.Notes = append(s.Notes, fmt.Sprintf("Nodes have gres/%s: in the replay it is apart from the GPUs of which it is a part.", name))
		}
	}
	if err = s.looks(h); err != nil || s.Present {
		return err // what nodes and limits were then is not known: they count where jobs do not fit
	}
	return p.check(h)
}

// looks says when Slurm's schedulers look, as far as only nodes need it: by settings, and by the moments at which the backfill scheduler is known to have
// looked, because it started jobs. Between these it looks every BackfillInterval.
func (s *Study) looks(h *accounting.History) error {
	for i := range s.Records {
		r := &s.Records[i]
		if r.Kind != slurm.ConfigRecord {
			continue
		}
		scheduling, err := r.Scheduling()
		if err != nil {
			return err
		}
		var words []string
		for _, key := range []string{"CompleteWait", "OverTimeLimit", "ResumeProgram"} {
			if value := r.Get(strings.ToLower(key)); value != "" && (key == "ResumeProgram" || slurm.Endless(value)) {
				words = append(words, key+"="+value)
			}
		}
		if len(words) > 0 {
			s.Notes = append(s.Notes, fmt.Sprintf("Settings of slurm.conf that a replay on nodes does not have: %s.", strings.Join(words, ", ")))
		}
		if plugin := r.Get("topologyplugin"); plugin != "" && !slices.Contains([]string{"topology/none", "topology/default", "topology/flat"}, strings.ToLower(plugin)) {
			s.Notes = append(s.Notes, fmt.Sprintf("TopologyPlugin=%s: in the replay, nodes have no switches or blocks, and no nodes are nearer to each other than others.", plugin))
		}
		s.Scheduler.KillWait, s.Scheduler.MinAge = scheduling.KillWait, scheduling.BackfillMinAge
		s.Scheduler.OverTime, s.Scheduler.CompleteWait = scheduling.OverTime, scheduling.CompleteWait
	}
	var known []ostrich.Time
	for i := range h.Jobs {
		switch j := &h.Jobs[i]; {
		case j.Start == 0:
		case j.Backfilled:
			known = append(known, j.Start)
		default:
			s.Scheduler.Looks = append(s.Scheduler.Looks, j.Start)
		}
	}
	slices.Sort(known)
	known = slices.Compact(known)
	slices.Sort(s.Scheduler.Looks)
	if len(known) == 0 { // nothing tells which scheduler started the jobs
		s.Scheduler.Looks = nil
	}
	step := ostrich.Time(cmp.Or(max(0, s.Scheduler.BackfillInterval), 30))
	const most = 1 << 20 // moments
	var all []ostrich.Time
	for k, at := range known {
		all = append(all, at)
		if k+1 == len(known) {
			break
		}
		// It sleeps for an interval after each look, so there are no more of them than fit.
		span := known[k+1] - at
		for n := ostrich.Time(1); n < span/step && len(all) < most; n++ {
			all = append(all, at+span*n/(span/step))
		}
	}
	s.Scheduler.Backfills = all
	return nil
}

// errGone says what to do about nodes that are not there.
const errGone = "give --slurm-config the nodes of that time, or take all processors as identical with --place processors"

// check refuses jobs on nodes that the files do not have, and limits that no job can meet, though
// some ran under them.
func (p *placement) check(h *accounting.History) error {
	for i := range h.Jobs {
		j := &h.Jobs[i]
		if j.Start == 0 || j.End != 0 && j.End < h.From {
			continue
		}
		if _, err := p.list(h.WhereRan(j)); err != nil {
			return fmt.Errorf("job %d ran on %s: %w: %s", j.ID, h.WhereRan(j), err, errGone)
		}
		if q := p.qos[j.QOS]; q != nil {
			if l := hopeless(q.Limits); l != "" {
				return fmt.Errorf("job %d ran with QOS %s, which allows %s, a limit that no job can meet: give --slurm-config the QOS of that time, or leave them out", j.ID, q.Name, l)
			}
		}
		for a := p.associations[j.Association]; a != nil; a = a.Parent {
			if l := hopeless(a.Limits); l != "" {
				return fmt.Errorf("job %d ran under account %s, %s, which allows %s, a limit that no job can meet: give --slurm-config the associations of that time, or leave these columns out",
					j.ID, a.Account, cmp.Or(a.User, "all of it"), l)
			}
		}
	}
	return nil
}

// hopeless returns a limit that no job can meet, in words; "" if there is none.
func hopeless(limits []nodes.Limit) string {
	for _, l := range limits {
		if l.Most < 1 && (l.Resource == "jobs" || l.Resource == "cpu" || l.Resource == "node") {
			return fmt.Sprintf("%s=%d", l.Resource, l.Most)
		}
	}
	return ""
}

// list returns the places of nodes.
func (p *placement) list(text string) ([]int, error) {
	if text == "" {
		return nil, nil
	}
	if all, is := p.lists[text]; is {
		return all, nil
	}
	names, err := slurm.ExpandNodes(text)
	if err != nil {
		return nil, err
	}
	var all []int
	for _, name := range names {
		at, is := p.places[name]
		if !is {
			return nil, fmt.Errorf("no node %s among %s that the files have, %s to %s", name, format.Plural(len(p.cluster.Nodes), "node"),
				p.cluster.Nodes[0].Name, p.cluster.Nodes[len(p.cluster.Nodes)-1].Name)
		}
		all = append(all, at)
	}
	slices.Sort(all)
	p.lists[text] = all
	return all, nil
}

// outages adds what the nodes were out for. Nothing tells when those come back that were out when the data ended: they do then, as what is to
// run later would wait for ever. It returns how many end before they begin, which it leaves out: slurmdbd writes the end that slurmctld tells
// (as_mysql_node_up in Slurm's as_mysql_cluster.c), whatever the beginning is.
func (p *placement) outages(events []accounting.NodeEvent) (backwards int) {
	for i := range events {
		e := &events[i]
		at, is := p.places[e.Node]
		switch {
		case !is || !e.Down() && e.State&accounting.NodeDrain == 0:
		case e.To != 0 && e.To < e.From:
			backwards++
		default:
			p.cluster.Outages = append(p.cluster.Outages, nodes.Outage{Node: at, From: e.From, To: cmp.Or(e.To, max(e.From, p.history.To))})
		}
	}
	return backwards
}

// limits makes QOS and associations with their limits, if slurmctld enforces limits.
func (s *Study) limits(p *placement) {
	p.qos, p.associations = make([]*nodes.QOS, len(p.history.QOS)), make([]*nodes.Association, len(p.history.Associations))
	if s.Site == nil {
		for i, a := range p.history.Associations {
			p.associations[i] = &nodes.Association{User: a.User, Account: a.Account}
		}
		return
	}
	of := make(map[int]string) // the QOS of partitions
	for i := range s.Records {
		if r := &s.Records[i]; r.Kind == slurm.PartitionRecord {
			if at, is := p.partitions[r.Name]; is {
				of[at] = r.Get("qos")
			}
		}
	}
	is := inventory.PoliciesOf(s.Site, s.Controller == nil || s.Controller.Limits(), p.cluster, func(partition int) string { return of[partition] }, func(*nodes.Limit) bool { return true })
	for i, name := range p.history.QOS {
		p.qos[i] = is.QOS[name]
	}
	for i, a := range p.history.Associations {
		p.associations[i] = is.Association(a.User, a.Account, a.Partition)
	}
	if other := is.Others; len(other) > 0 {
		s.Notes = append(s.Notes, fmt.Sprintf("Limits that the replay does not have: %s.", strings.Join(other, ", ")))
	}
}

// rows returns what is not known of any job, and what is taken in its place.
func (p *placement) rows() []comparison.Assumed {
	var rows []comparison.Assumed
	if p == nil {
		return nil
	}
	for what, w := range assumedWords {
		if n := p.assumed[what]; n > 0 {
			rows = append(rows, comparison.Assumed{What: w.key, Name: w.name, Taken: w.taken, Jobs: n})
		}
	}
	return rows
}

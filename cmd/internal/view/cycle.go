// Package view describes a cycle of the sidecar for people: its jobs, campaigns and users.
// Tables, explanations, the status page, metrics and JSON all print this description, so
// the command ostrich and the daemon say the same.
package view

import (
	"cmp"
	"slices"
	"sort"

	"slurm-ostrich/cmd/internal/configuration"
	"slurm-ostrich/cmd/internal/foresight"
	"slurm-ostrich/cmd/internal/sidecar"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting"
	"slurm-ostrich/ostrich/accounting/ledger"
	"slurm-ostrich/priority"
)

// Source answers what a cycle does not hold. *sidecar.Sidecar is one.
type Source interface {
	Config() configuration.Config
	Live() []*ledger.Record
	Nodes() (asked []ledger.Needs, out []ledger.Outage)
	UserName(id ostrich.UserID) string
	Past() *sidecar.Past // nil if it cannot be asked
}

// Cycle is a described cycle. Later cycles do not change it, so several readers may use
// it while they run. Nobody may change it.
type Cycle struct {
	Cluster string
	Time    ostrich.Time     // of the virtual schedule
	Channel priority.Channel // what is written
	Mode    priority.Mode
	// Enforced is set if OStrich's order is in force: in mode enforce, or if some ordered
	// job has a value of OStrich's. Otherwise Slurm's own order is.
	Enforced bool

	DueShown   bool             // the setting satisfaction is set
	Declared   ledger.DeclareBy // where campaigns are declared
	Rule       string           // the setting campaign.rule
	ByTool     bool             // workflow tools count for classes or campaigns
	Accepted   string           // the wait that users accept, as the setting has it
	Resource   string           // by which work is counted
	Options    priority.Options // of the plan, without what the journal knows
	Plan       sidecar.Plan
	Unheard    int // jobs of the plan that accounting does not know yet
	Partitions []priority.Partition
	Pools      []Pool     // in the order of the configuration, and for each the classes in theirs
	Campaigns  []Campaign // unfinished, in the order of virtual completion

	Past Past // what the cycle does not hold; nil if it cannot be asked
	// Foresight is asked when jobs start and campaigns end. It goes on learning, and the answers of a cycle hardly change with that. nil:
	// there is none, as in a command that looks for itself. Who describes a cycle sets it before anybody else has the cycle.
	Foresight *foresight.Foresight

	unit       *accounting.Unit // by which work is counted; nil: processors
	generation uint64
	written    map[ostrich.JobID]bool // jobs whose values this cycle has changed as planned
	starts     *byPool[map[ostrich.JobID]Expected]
	near       *byPool[*drawn] // near the front
	drawn      *byPool[*drawn]
	controller priority.Controller
	site       *accounting.Site // see sidecar.Cycle.Site
	known
}

// known is what is known of jobs. Cycles of one generation share it.
type known struct {
	live  []*ledger.Record      // by id
	asked []ledger.Needs        // by ostrich.Job.Needs
	out   []ledger.Outage       // nodes
	works []ostrich.Work        // of the plan's entries
	dues  []due                 // of the plan's entries
	moved []int                 // of the plan's entries, see Job.Moved
	more  map[ostrich.JobID]int // jobs that a record stands for beyond the first

	lengths map[ostrich.JobID]ostrich.Duration // expected ones of the jobs that run
	ours    bool                               // a job that is ordered has a value of OStrich's
}

// Pool is the virtual schedule of one pool, or of one class in it, at the time of the cycle.
type Pool struct {
	ostrich.Pool
	Class       string // "" if there are no classes
	Procs       int
	Units, Busy float64 // of what work is counted in: all, and those that jobs of the class hold
	Active      int     // users with a campaign that is not completed virtually
	Managed     int     // jobs of the class that are ordered
	Unfinished  int     // campaigns
	Users       []User  // by id

	size int // see ostrich.Schedule.Size
}

// Describe describes a cycle. No later cycle of the same sidecar may run meanwhile.
// before is the description of an earlier cycle, or nil; Describe takes over what still
// holds.
func Describe(from Source, c *sidecar.Cycle, before *Cycle) *Cycle {
	config := from.Config()
	s := &Cycle{
		Cluster: config.Cluster, Time: c.Time, Channel: config.Priority.Channel, Mode: config.Priority.Mode,
		Accepted: config.Satisfaction.String(), DueShown: config.Due,
		Declared: config.Campaign.Declared, Rule: config.RuleText(), ByTool: config.ByTool(),
		Options: config.PlanOptions(c.Controller), Plan: c.Plan, Partitions: c.Partitions, Resource: cmp.Or(c.Counted.Name, "cpu"), unit: c.Counted.Unit,
		Unheard: len(c.Provisional) + c.Plan.Reasons[priority.Unheard], generation: c.Generation, controller: c.Controller, site: c.Site, starts: newByPool[map[ostrich.JobID]Expected](), near: newByPool[*drawn](), drawn: newByPool[*drawn](),
	}
	if before != nil && before.generation == c.Generation {
		s.known = before.known
	} else {
		s.known = knownOf(from, c)
	}
	s.Enforced = config.Writes() && c.Trial.Orders() || s.ours
	for _, o := range c.Outcomes {
		if o.Status == priority.Applied && c.Trial.Orders() { // else it was given back
			if s.written == nil {
				s.written = make(map[ostrich.JobID]bool)
			}
			s.written[o.Job] = true
		}
	}
	if past := from.Past(); past != nil {
		s.Past = past
	}
	type part struct {
		pool  string
		class int
	}
	managed := make(map[part]int)
	for _, e := range c.Plan.Entries {
		if e.Rank > 0 {
			managed[part{e.Pool, e.Class}]++
		}
	}
	s.Pools = make([]Pool, len(c.Pools))
	for i, in := range c.Pools {
		p := Pool{Pool: in.Pool, Procs: in.Schedule.Procs(), Active: in.Schedule.Active(), size: in.Schedule.Size()}
		p.Units, p.Busy = s.unit.Units(float64(p.size)), s.unit.Units(float64(in.Schedule.Busy()))
		if in.Class < len(c.Plan.Classes) {
			p.Class = c.Plan.Classes[in.Class]
		}
		p.Managed = managed[part{in.Pool.Name, in.Class}]
		s.Pools[i] = p
		s.describePool(&s.Pools[i], c.Users(i), c.Campaigns(i), from.UserName)
	}
	s.sortCampaigns()
	return s
}

// knownOf reads all jobs of a cycle.
func knownOf(from Source, c *sidecar.Cycle) known {
	config := from.Config()
	k := known{
		live: withProvisional(from.Live(), c.Provisional), works: make([]ostrich.Work, len(c.Plan.Entries)), dues: make([]due, len(c.Plan.Entries)),
		moved: moves(c.Plan.Entries), more: make(map[ostrich.JobID]int), lengths: make(map[ostrich.JobID]ostrich.Duration),
	}
	k.asked, k.out = from.Nodes()
	for i := range k.live {
		j := &k.live[i].Job
		if j.Count() > 1 {
			k.more[j.ID] = j.Count() - 1
		}
		for _, in := range c.Pools {
			if j.Start == 0 {
				break
			}
			if d, ok := in.Schedule.Expected(j.ID); ok {
				k.lengths[j.ID] = d
			}
		}
	}
	pins := config.Priority.Channel == priority.Priority
	for i := range c.Plan.Entries {
		e := c.Plan.Entries[i]
		k.ours = k.ours || e.Rank != 0 && (pins && e.Pinned || !pins && e.From != 0)
		for _, in := range c.Pools {
			if w, ok := in.Schedule.WorkOf(e.Job); ok {
				k.works[i] = w
				length, _ := in.Schedule.Expected(e.Job)
				k.dues[i] = k.dueOf(e, length, config.Satisfaction)
				break
			}
		}
	}
	return k
}

// describePool describes the users of a pool and their campaigns. The schedule lists
// both by the user's id.
func (s *Cycle) describePool(p *Pool, users []ostrich.User, campaigns []ostrich.Campaign, name func(ostrich.UserID) string) {
	p.Unfinished = len(campaigns)
	p.Users = make([]User, len(users))
	next := 0
	for i := range users {
		u := &p.Users[i]
		*u = s.user(p, &users[i], name)
		for ; next < len(campaigns) && campaigns[next].User == u.ID; next++ {
			s.Campaigns = append(s.Campaigns, s.campaign(p, u, &campaigns[next]))
		}
	}
}

// hours returns work in hours of what it is counted in.
func (s *Cycle) hours(w ostrich.Work) float64 { return s.unit.Units(float64(w)) / 3600 }

// withProvisional merges the records made from the queue into those of accounting,
// by id.
func withProvisional(live []*ledger.Record, provisional []ledger.Record) []*ledger.Record {
	for i := range provisional {
		live = append(live, &provisional[i])
	}
	if len(provisional) > 0 {
		slices.SortFunc(live, func(a, b *ledger.Record) int { return cmp.Compare(a.Job.ID, b.Job.ID) })
	}
	return live
}

// record returns accounting's record of an unfinished job.
func (k *known) record(id ostrich.JobID) (r *ledger.Record, ok bool) {
	i := sort.Search(len(k.live), func(i int) bool { return k.live[i].Job.ID >= id })
	if i == len(k.live) || k.live[i].Job.ID != id {
		return nil, false
	}
	return k.live[i], true
}

// tasks counts the jobs that records stand for: an array's waiting tasks are
// one record.
func (k *known) tasks(records []ostrich.JobID) int {
	n := len(records)
	if len(k.more) > 0 {
		for _, id := range records {
			n += k.more[id]
		}
	}
	return n
}

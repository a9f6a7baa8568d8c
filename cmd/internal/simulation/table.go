package simulation

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"slurm-ostrich/cmd/internal/configuration"
	"slurm-ostrich/cmd/internal/format"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/campaign"
	"slurm-ostrich/ostrich/grid"
	"slurm-ostrich/ostrich/lengths"
	"slurm-ostrich/ostrich/multifactor"
	"slurm-ostrich/ostrich/policy"
	"slurm-ostrich/ostrich/sim"
	"slurm-ostrich/ostrich/sim/orders"
)

// Need is what a policy is replayed with. One name can mean another policy where
// something else is known.
type Need uint8

// What a policy is replayed with.
const (
	Log      Need = 1 << iota // a log and [Options]: simulate and sweep
	Site                      // a site's jobs, its configuration of Slurm and the settings of ostrichd: compare
	Parts                     // parts of logs, and settings of ostrichd beside the name: bench
	Clusters                  // a log and a platform: simulate and sweep
)

// Policy is a policy that can be replayed. Exactly one of order, rank and place is
// set, and none for a platform.
type Policy struct {
	Name, Usage string

	needs     Need                         // one of these
	byLimit   string                       // the usage where jobs go by their time limits; "" is Usage
	order     *sim.Order                   // job by job
	exact     *sim.Order                   // the same if the lengths of jobs are known; nil if they do not matter
	rank      func(m *Material) sim.Policy // campaign by campaign
	byJob     bool                         // rank orders single jobs, so no order inside a campaign is needed
	inside    ostrich.Inside               // what goes first in a campaign, unless that is chosen
	gated     bool                         // campaigns that have not started virtually wait behind a gate
	gate      ostrich.Gate                 // unless another is chosen
	virtual   ostrich.Machine              // how the virtual schedule serves, for OStrich and to compare with
	knows     grid.Information             // of run times, on a platform
	plans     bool                         // it plans the queue over horizons
	halves    bool                         // past usage counts less, by a half-life
	submitted bool                         // jobs of a campaign go as they were submitted, whatever the settings

	// place places whole campaigns of sequential jobs.
	place func(policy.Machine, []policy.Campaign) (policy.Schedule, error)

	// Settings returns the settings that the policy has unless others are chosen;
	// nil if it has none.
	Settings func() (ostrich.Options, error)
}

// Material is what a policy is made of. Each uses a part of it.
type Material struct {
	Tuning
	Campaigns []sim.Campaign  // in the order of the loop
	Shares    *ostrich.Shares // nil is all alike
	Closed    bool            // when jobs come depends on the replay
	Priority  multifactor.Config
	Horizon   sim.Horizon
	InClasses sim.Classes                               // of OStrich's order at a site
	Request   func(n ostrich.JobID) multifactor.Request // of the n-th job of the loop
}

// table are all policies, in the order of the helps.
var table = append([]Policy{
	{
		Name: "fairshare", needs: Site, Usage: "the site's own priority/multifactor, as slurmctld computes it", byJob: true, halves: true,
		rank: func(m *Material) sim.Policy { return orders.Multifactor(m.Priority, m.Request) },
	},
	{
		Name: "fairshare", needs: Parts, halves: true, rank: func(m *Material) sim.Policy { return flat(m, 0) },
		Usage: "priority/multifactor with fair share alone: Fair Tree, half-life 7 days, one flat account",
	},
	{
		Name: "classic", needs: Parts, halves: true, rank: func(m *Material) sim.Policy { return flat(m, multifactor.NoFairTree) },
		Usage: "the same with PriorityFlags=NO_FAIR_TREE: fair share as it was before Fair Tree",
	},
	{Name: "ostrich", needs: Site, Usage: "the virtual schedule, with the settings of ostrichd", gated: true, rank: siteOf},
	{
		Name: "ostrich", needs: Log | Parts, gated: true, Usage: "the virtual schedule with the defaults of ostrichd", rank: sidecarOf,
		Settings: func() (ostrich.Options, error) {
			c := configuration.Default()
			return c.ScheduleOptions()
		},
	},
	{
		Name: "paper", needs: Log | Parts, gated: true, Usage: "the virtual schedule in the order of the papers, campaigns by a window of 30 minutes", rank: sidecarOf,
		Settings: func() (ostrich.Options, error) { return Paper, nil },
	},
	{
		Name: "ostrich-sequential", needs: Log, Usage: "virtual fair-sharing schedule of sequential jobs, strict gate, LPT (thesis 5.1)",
		inside: ostrich.LPT, gated: true, gate: ostrich.Strict, rank: virtualOf,
	},
	{
		Name: "ostrich-parallel", needs: Log, Usage: "the same, resized to the processors that are busy, no gate, LJF (thesis algorithm 3)",
		inside: ostrich.LJF, gated: true, gate: ostrich.Off, virtual: ostrich.Parallel, rank: virtualOf,
	},
	{Name: "fcfs", needs: Log | Site | Parts, Usage: "first come, first served, job by job", order: &sim.FCFS},
	{
		Name: "fcfs-campaigns", needs: Log | Site, Usage: "first come, first served, campaign by campaign",
		inside: ostrich.Submission, submitted: true, rank: func(*Material) sim.Policy { return sim.FCFSCampaigns },
	},
	{
		Name: "spt", needs: Log | Site | Parts, Usage: "shortest job first (SJF), by estimate", byLimit: "shortest job first, by time limit",
		order: &sim.SPT,
		exact: &sim.Order{Name: sim.SPT.Name, Compare: func(a, b *sim.Job) int { return cmp.Compare(a.Run, b.Run) }},
	},
	{Name: "lpt", needs: Log | Site, Usage: "longest job first, by estimate", byLimit: "longest job first, by time limit", order: &sim.LPT},
	{Name: "ljf", needs: Log | Site, Usage: "largest job first, by processors", order: &sim.LJF},
	{
		Name: "wfp3", needs: Log, byJob: true, Usage: "the greatest (wait/r)³·n first, r the estimate and n the processors",
		rank: func(*Material) sim.Policy { return orders.Scored(orders.WFP3) },
	},
	{
		Name: "unicep", needs: Log, byJob: true, Usage: "the greatest wait/(log2(n)·r) first",
		rank: func(*Material) sim.Policy { return orders.Scored(orders.UNICEP) },
	},
	{Name: "f1", needs: Log, Usage: "the least log10(r)·n + 870·log10(s) first, s the second of the submission (Carastan-Santos, de Camargo 2017)", order: &orders.F1},
	{
		Name: "fairshare", needs: Log, Usage: "users by Slurm's factor 2^(-U/S), calculated every period (thesis 2.4)", inside: ostrich.Submission,
		rank: func(m *Material) sim.Policy { return orders.FairShare(m.Period) },
	},
	{
		Name: "multifactor", needs: Log, byJob: true, halves: true, rank: func(m *Material) sim.Policy { return flat(m, 0) },
		Usage: "Slurm's priority/multifactor with fair share alone: Fair Tree, half-life 7 days, one flat account",
	},
	{
		Name: "spaceshare", needs: Log, Usage: "the processors split evenly among active users, as Hadoop's pools (thesis 2.4)", inside: ostrich.Submission,
		rank: func(*Material) sim.Policy { return orders.SpaceShare },
	},
	{
		Name: "horizon", needs: Log, byJob: true, plans: true,
		Usage: "queues planned by an optimiser over horizons, for users' waits (Schlagkamp et al. 2016, section III)",
		rank:  func(m *Material) sim.Policy { return m.Horizon.Policy },
	},
	{
		Name: "faircamp", needs: Log, Usage: "campaigns of sequential jobs by deadline, run times known (thesis 4.1)",
		place: func(m policy.Machine, c []policy.Campaign) (policy.Schedule, error) { return m.FairCamp(c, 0) },
	},
	{
		Name: "multicamp", needs: Log, Usage: "offline, run times known: all campaigns of a user in a row, shortest user first (thesis 3.5)",
		place: policy.Machine.MultiCamp,
	},
	{
		Name: "multicmax", needs: Log, Usage: "offline, run times known: one campaign a user, shortest first (thesis 2.3)",
		place: policy.Machine.MultiCmax,
	},
}, clusterPolicies()...)

// Paper is the order of the papers for parallel jobs: what is completed
// virtually goes first, by when it was, and nothing is forgotten or given back.
var Paper = ostrich.Options{
	Machine: ostrich.Parallel, Rule: campaign.Rule{By: campaign.Window, Threshold: 30 * 60}, Late: ostrich.Reopen,
	Gate: ostrich.Demote, Inside: ostrich.LJF, Predictor: lengths.ByLimit,
}

// virtualOf returns the virtual schedule of the campaigns that the loop knows.
func virtualOf(m *Material) sim.Policy { return m.shared(sim.OStrich(m.Options)) }

// sidecarOf returns the virtual schedule that finds campaigns itself, as ostrichd
// does.
func sidecarOf(m *Material) sim.Policy { return m.shared(sim.Classed(m.Options, m.InClasses)) }

// siteOf returns the virtual schedule of a site's jobs. In a closed loop the
// submitted campaigns are not those of the recorded times, so the schedule finds
// them itself; with classes too, as a submitted campaign may have jobs of several.
func siteOf(m *Material) sim.Policy {
	if m.Closed || m.InClasses.Number > 0 {
		return sidecarOf(m)
	}
	return virtualOf(m)
}

// shared returns a virtual schedule that divides the machine by the shares.
func (m *Material) shared(made sim.Policy) sim.Policy {
	if m.Shares == nil {
		return made
	}
	return func(procs int) (sim.Ranker, error) {
		r, err := made(procs)
		if err == nil {
			err = r.Step(ostrich.Event{Kind: ostrich.Reshare, Shares: m.Shares})
		}
		return r, err
	}
}

// Policies returns those that can be replayed with something, in the order of the
// help.
func Policies(with Need) []*Policy {
	var list []*Policy
	for i := range table {
		if p := &table[i]; p.needs&with != 0 {
			list = append(list, p)
		}
	}
	return list
}

// Names returns the names of policies.
func Names(list []*Policy) []string {
	return format.Texts(list, func(p *Policy) string { return p.Name })
}

// Find returns the policy of a name that can be replayed with something; nil if
// there is none.
func Find(name string, with Need) *Policy {
	list := Policies(with)
	if i := slices.IndexFunc(list, func(p *Policy) bool { return p.Name == name }); i >= 0 {
		return list[i]
	}
	return nil
}

// Help lists the policies that can be replayed with something, a line each. Names
// fill the width.
func Help(with Need, width int) string {
	var b strings.Builder
	for _, p := range Policies(with) {
		usage := p.Usage
		if with != Log && p.byLimit != "" {
			usage = p.byLimit
		}
		fmt.Fprintf(&b, "  %-*s  %s\n", width, p.Name, usage)
	}
	return b.String()
}

// Estimates reports whether a policy uses expected lengths of jobs, so that it
// changes if it knows the true ones.
func (p *Policy) Estimates() bool { return p.exact != nil || p.Settings != nil }

// Into makes the policy and has a loop follow it.
func (p *Policy) Into(loop *sim.Machine, m *Material) {
	switch {
	case p.rank != nil:
		loop.Policy, loop.Hints = p.rank(m), m.Exact()
	case m.Exact() && p.exact != nil:
		loop.Order = *p.exact
	case p.order != nil:
		loop.Order = *p.order
	}
}

// Ranks reports whether the policy goes campaign by campaign.
func (p *Policy) Ranks() bool { return p.rank != nil }

// flat returns Slurm's own order at a site that sets PriorityWeightFairshare, these
// flags and nothing else, with all users in one account.
func flat(m *Material, flags multifactor.Flags) sim.Policy {
	c := multifactor.Config{
		Weights: multifactor.Weights{Fairshare: 1_000_000}, Flags: flags, HalfLife: m.HalfLife,
		Accounts: []multifactor.Account{{Name: "all", Shares: 1}}, Nodes: 1,
	}
	place := make(map[ostrich.UserID]int)
	jobs := 0
	for i := range m.Campaigns {
		jobs += len(m.Campaigns[i].Jobs)
	}
	of := make([]int32, 0, jobs) // association of each job
	for i := range m.Campaigns {
		campaign := &m.Campaigns[i]
		a, ok := place[campaign.User]
		if !ok {
			a = len(c.Associations)
			place[campaign.User] = a
			c.Associations = append(c.Associations, multifactor.Association{User: fmt.Sprint(campaign.User), Account: "all", Shares: 1})
		}
		for range campaign.Jobs {
			of = append(of, int32(a))
		}
	}
	return orders.Multifactor(c, func(n ostrich.JobID) multifactor.Request {
		return multifactor.Request{Association: int(of[n-1]), Partition: -1, QOS: -1}
	})
}

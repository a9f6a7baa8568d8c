package replay

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting"
	"slurm-ostrich/ostrich/accounting/sacct"
	"slurm-ostrich/ostrich/multifactor"
	"slurm-ostrich/ostrich/plural"
	"slurm-ostrich/ostrich/report"
	"slurm-ostrich/ostrich/sim"
	"slurm-ostrich/priority"
)

// configure makes the configurations of Slurm's and of OStrich's order.
func (s *Study) configure(h *accounting.History) error {
	if len(h.Lacks) > 0 {
		s.Notes = append(s.Notes, fmt.Sprintf("The record lacks columns of sacct that tell how Slurm scheduled the jobs, and is replayed without what they tell: %s.", strings.Join(h.Lacks, ", ")))
	}
	c := &s.Priority
	c.Procs, c.Nodes = s.Procs, max(1, s.Nodes)
	c.HalfLife = 7 * 24 * 3600
	c.Phase = h.From
	if s.Controller == nil {
		c.Weights.Fairshare = 100000
		s.Notes = append(s.Notes, "No configuration of priority/multifactor was given: fair share alone decides (Fair Tree, PriorityDecayHalfLife 7 days), and Slurm's schedulers have their defaults.")
	} else if err := s.controller(); err != nil {
		return err
	}
	var cpus map[string]float64 // by node
	if slices.Contains(c.TRES, "cpu") {
		cpus = priority.NodeCPUs(s.Partitions)
	}
	for _, name := range h.Partitions {
		p := multifactor.Partition{Name: name, JobFactor: 1, Tier: 1}
		if i := slices.IndexFunc(s.Partitions, func(p priority.Partition) bool { return p.Name == name }); i >= 0 {
			q := &s.Partitions[i]
			p.JobFactor, p.Tier = q.PriorityJobFactor, q.PriorityTier
			if q.MaxTime != priority.Unlimited {
				p.MaxTime = q.MaxTime
			}
			var err error
			if p.TRES, err = s.has(q, cpus); err != nil {
				return err
			}
		}
		c.Partitions = append(c.Partitions, p)
	}
	for i := range s.Partitions { // those without jobs may have the greatest factor
		if p := &s.Partitions[i]; !slices.Contains(h.Partitions, p.Name) {
			c.Partitions = append(c.Partitions, multifactor.Partition{Name: p.Name, JobFactor: p.PriorityJobFactor, Tier: p.PriorityTier})
		}
	}
	for i, name := range c.TRES {
		if c.Flags&multifactor.NoNormalTRES == 0 && !slices.ContainsFunc(c.Partitions, func(p multifactor.Partition) bool { return i < len(p.TRES) && p.TRES[i] > 0 }) {
			s.Notes = append(s.Notes, fmt.Sprintf("PriorityWeightTRES %s=%v: nothing tells how much of it the partitions have, so it is left out.", name, c.Weights.TRES[i]))
		}
	}
	for _, name := range h.QOS {
		q := multifactor.QOS{Name: name, UsageFactor: 1}
		if s.Site != nil {
			if i := slices.IndexFunc(s.Site.QOS, func(q accounting.QOS) bool { return q.Name == name }); i >= 0 {
				q.Priority, q.UsageFactor = int(s.Site.QOS[i].Priority), s.Site.QOS[i].UsageFactor
			}
		}
		c.QOS = append(c.QOS, q)
	}
	if s.Site != nil {
		for i := range s.Site.QOS { // the same
			if q := &s.Site.QOS[i]; !slices.Contains(h.QOS, q.Name) {
				c.QOS = append(c.QOS, multifactor.QOS{Name: q.Name, Priority: int(q.Priority), UsageFactor: q.UsageFactor})
			}
		}
	}
	s.associations(h)
	return nil
}

// controller copies slurmctld's configuration.
func (s *Study) controller() error {
	k := s.Controller
	if !k.Multifactor() {
		return fmt.Errorf("PriorityType is %s: only priority/multifactor can be compared with", k.PriorityType)
	}
	if k.TypeAssumed {
		s.Notes = append(s.Notes, "slurm.conf has no PriorityType: priority/multifactor is taken, Slurm's default since 23.11. Before, it is priority/basic, which knows no fair share. "+
			"To say that it is right, add the line PriorityType=priority/multifactor.")
	}
	c := &s.Priority
	w := &k.Weights
	c.Weights = multifactor.Weights{
		Age: float64(w.Age), Assoc: float64(w.Assoc), Fairshare: float64(w.Fairshare), JobSize: float64(w.JobSize),
		Partition: float64(w.Partition), QOS: float64(w.QOS),
	}
	for _, t := range w.TRES {
		switch name := strings.ToLower(t.Name); {
		case name == "cpu", name == "node", name == "mem", strings.HasPrefix(name, "gres/"):
			c.TRES, c.Weights.TRES = append(c.TRES, name), append(c.Weights.TRES, t.Weight)
		default:
			s.Notes = append(s.Notes, fmt.Sprintf("PriorityWeightTRES %s=%v: not known of the jobs, and left out.", t.Name, t.Weight))
		}
	}
	c.MaxAge, c.HalfLife, c.Period = k.PriorityMaxAge, k.DecayHalfLife, k.CalcPeriod
	c.Dampening, c.FavorSmall, c.Location = k.FairShareDamping, k.FavorSmall, s.Location
	c.LoseEnds = !k.Limits()
	c.Reset = resetOf(k)
	for _, f := range []struct {
		name string
		flag multifactor.Flags
	}{
		{"NO_FAIR_TREE", multifactor.NoFairTree},
		{"DEPTH_OBLIVIOUS", multifactor.DepthOblivious},
		{"CALCULATE_RUNNING", multifactor.CalculateRunning},
		{"ACCRUE_ALWAYS", multifactor.AccrueAlways},
		{"INCR_ONLY", multifactor.IncrOnly},
		{"SMALL_RELATIVE_TO_TIME", multifactor.SmallRelativeToTime},
		{"NO_NORMAL_ASSOC", multifactor.NoNormalAssoc},
		{"NO_NORMAL_PART", multifactor.NoNormalPart},
		{"NO_NORMAL_QOS", multifactor.NoNormalQOS},
		{"NO_NORMAL_TRES", multifactor.NoNormalTRES},
	} {
		if k.Flag(f.name) || k.Flag("NO_NORMAL_ALL") && strings.HasPrefix(f.name, "NO_NORMAL") {
			c.Flags |= f.flag
		}
	}
	if !slices.ContainsFunc([]float64{c.Weights.Age, c.Weights.Assoc, c.Weights.Fairshare, c.Weights.JobSize, c.Weights.Partition, c.Weights.QOS},
		func(w float64) bool { return w > 0 }) && len(c.Weights.TRES) == 0 {
		s.Notes = append(s.Notes, "All weights of priority/multifactor are 0: its order is that of submission.")
	}
	s.schedulers(k)
	return nil
}

// resetOf reads PriorityUsageResetPeriod.
func resetOf(k *priority.Controller) multifactor.Reset {
	resets := []string{"", "DAILY", "WEEKLY", "MONTHLY", "QUARTERLY", "YEARLY"}
	return multifactor.Reset(max(0, slices.Index(resets, k.UsageReset)))
}

// schedulers copies how Slurm's schedulers look for jobs.
func (s *Study) schedulers(k *priority.Controller) {
	p := &k.Scheduling
	s.Scheduler = sim.Scheduler{
		Depth: k.DefaultQueueDepth, Interval: p.Interval, Delay: p.BatchDelay, Least: ostrich.Duration(math.Round(float64(p.MinInterval) / 1e6)),
		BackfillInterval: p.BackfillInterval, BackfillDepth: k.BackfillMaxJobTest, BackfillWindow: p.BackfillWindow,
		Resolution: p.BackfillResolution, UserDepth: p.BackfillMaxUser, PartDepth: p.BackfillMaxPart, MainDepth: p.PartitionJobDepth, Starts: p.BackfillMaxStart,
		AssocDepth: p.BackfillMaxAssoc, BothDepth: p.BackfillMaxBoth, PartKept: p.BackfillKept, ArrayKept: p.BackfillArray, MinPrio: uint32(p.BackfillMinPrio), Defer: p.Defer,
	}
	if p.Interval == priority.Never {
		s.Scheduler.Interval = sim.Longest
	}
	if p.BatchDelay == 0 {
		s.Scheduler.Delay = -1
	}
	if words := ignored(k); len(words) > 0 {
		s.Notes = append(s.Notes, fmt.Sprintf("Settings of slurm.conf that the replay does not have: %s.", strings.Join(words, ", ")))
	}
	if p.NoBackfill || p.BackfillInterval == priority.Never {
		s.Scheduler.BackfillInterval, s.Scheduler.BackfillDepth = 0, -1
	}
	if p.Defer {
		s.unlimited = append(s.unlimited, "SchedulerParameters defer: the simulated schedulers look at once when a job ends.")
	}
	for _, limit := range []struct {
		name string
		n    int
	}{
		{"bf_max_job_part", p.BackfillMaxPart},
		{"bf_max_job_user", p.BackfillMaxUser},
		{"bf_max_job_assoc", p.BackfillMaxAssoc},
		{"bf_max_job_user_part", p.BackfillMaxBoth},
		{"bf_job_part_count_reserve", p.BackfillKept},
		{"bf_min_prio_reserve", p.BackfillMinPrio},
		{"bf_max_job_start", p.BackfillMaxStart},
		{"partition_job_depth", p.PartitionJobDepth},
	} {
		if limit.n > 0 {
			s.unlimited = append(s.unlimited, fmt.Sprintf("SchedulerParameters %s=%d: the simulated schedulers have no such limit.", limit.name, limit.n))
		}
	}
}

// unlikeParameters are the SchedulerParameters that decide which jobs start and when, and which the simulated schedulers do not have.
var unlikeParameters = []string{
	"assoc_limit_stop", "bf_allow_magnetic_slot", "bf_hetjob_immediate", "bf_hetjob_prio", "bf_licenses", "bf_max_time", "bf_one_resv_per_job", "bf_running_job_reserve", "bf_topopt_enable", "max_array_tasks", "max_sched_time",
	"reduce_completing_frag", "sched_max_job_start", "whole_hetjob",
}

// ignored returns settings that the replay does not have, as they are written.
func ignored(k *priority.Controller) (words []string) {
	for _, list := range []struct {
		words []string
		names []string
	}{{k.SchedulerParameters, unlikeParameters}, {k.PreemptParameters, []string{"min_exempt_priority", "reclaim_licenses"}}} {
		for _, word := range list.words {
			if name, _, _ := strings.Cut(strings.ToLower(word), "="); slices.Contains(list.names, name) {
				words = append(words, word)
			}
		}
	}
	if k.SiteFactorPlugin != "" {
		words = append(words, "PrioritySiteFactorPlugin="+k.SiteFactorPlugin)
	}
	return words
}

// has returns what a partition has of the resources of PriorityWeightTRES. cpus are those of the nodes
// that are for jobs.
func (s *Study) has(p *priority.Partition, cpus map[string]float64) ([]float64, error) {
	list := make([]float64, len(s.Priority.TRES))
	for i, name := range s.Priority.TRES {
		switch name {
		case "cpu":
			for _, node := range p.Nodes {
				list[i] += cpus[node]
			}
		case "node":
			list[i] = float64(len(p.Nodes))
		default:
			for k, text := range p.NodeTRES {
				t, err := sacct.ReadResources([]byte(text), s.Priority.TRES)
				if err != nil {
					return nil, fmt.Errorf("resources of node %s: %q: %w", p.Nodes[k], text, err)
				}
				list[i] += float64(t.Of(name))
			}
		}
	}
	return list, nil
}

// asks returns what a job asks for of the resources of PriorityWeightTRES.
func (s *Study) asks(h *accounting.History, j *accounting.Job, procs, nodes int) []float64 {
	list := make([]float64, len(s.Priority.TRES))
	var others accounting.TRES
	for i, name := range s.Priority.TRES {
		switch name {
		case "cpu":
			list[i] = float64(procs)
		case "node":
			list[i] = float64(nodes)
		case "mem":
			list[i] = float64(j.Memory)
		default:
			if text := h.NeedsOf(j).TRES; text != "" && others.Others == nil {
				others, _ = sacct.ReadResources([]byte(text), s.Priority.TRES) // the reader of the record has looked at it
			}
			list[i] = float64(others.Of(name))
		}
	}
	return list
}

// associations makes the tree of fair share, and OStrich's division of the
// machine if that is to follow it.
func (s *Study) associations(h *accounting.History) {
	c := &s.Priority
	site := s.Site
	if site == nil {
		site = &accounting.Site{}
	}
	known := make(map[string]bool)
	for _, a := range site.Accounts {
		if a.Name == accounting.RootAccount || a.Name == "" {
			continue
		}
		known[a.Name] = true
		c.Accounts = append(c.Accounts, multifactor.Account{Name: a.Name, Parent: a.Parent, Shares: shares(a.Shares), Priority: int(a.Limits.Priority)})
	}
	unknown := 0
	type place struct{ user, account, partition string }
	byID, byName := make(map[uint32]int), make(map[place]int) // the first of each; sites have tens of thousands
	for i, b := range slices.Backward(site.Associations) {
		if b.ID != 0 {
			byID[b.ID] = i
		}
		byName[place{b.User, b.Account, b.Partition}] = i
	}
	busy := make(map[place]bool)
	for _, a := range h.Associations {
		x := multifactor.Association{User: a.User, Account: a.Account, Shares: 1}
		if a.Account != "" && a.Account != accounting.RootAccount && !known[a.Account] {
			known[a.Account] = true
			c.Accounts = append(c.Accounts, multifactor.Account{Name: a.Account, Shares: 1})
		}
		i, is := byName[place{a.User, a.Account, a.Partition}]
		if k, ok := byID[a.ID]; ok && (!is || k < i) {
			i, is = k, true
		}
		switch {
		case is:
			b := &site.Associations[i]
			x.Shares, x.Priority = shares(b.Shares), int(b.Limits.Priority)
			busy[place{b.User, b.Account, b.Partition}] = true
		case len(site.Accounts) > 0:
			unknown++
		}
		busy[place{a.User, a.Account, a.Partition}] = true
		c.Associations = append(c.Associations, x)
	}
	// Those without jobs count among the siblings all the same.
	for _, b := range site.Associations {
		if !busy[place{b.User, b.Account, b.Partition}] {
			c.Associations = append(c.Associations, multifactor.Association{User: b.User, Account: b.Account, Shares: shares(b.Shares), Priority: int(b.Limits.Priority)})
		}
	}
	if unknown > 0 {
		s.Notes = append(s.Notes, plural.Sprintf("%d association{|s} with jobs {is|are} not in the association tree (any more): each has 1 share in its account.", unknown))
	}
	if site.Flat {
		s.Notes = append(s.Notes, "The associations have no column ParentName: all accounts are taken to be directly below the root.")
	}
	if w := c.Weights.QOS; w > 0 && len(site.QOS) == 0 {
		s.Notes = append(s.Notes, fmt.Sprintf("PriorityWeightQOS=%v: nothing tells the priorities of the QOS, so all count the same, and all usage counts in full.", w))
	}
	if w := c.Weights.Assoc; w > 0 && !site.Prioritized {
		s.Notes = append(s.Notes, fmt.Sprintf("PriorityWeightAssoc=%v: the associations have no column Priority, so all count the same.", w))
	}
	if len(site.Accounts) == 0 {
		s.Notes = append(s.Notes, "No association tree was given: every account has 1 share, and every user 1 share in it.")
	}
}

// divide makes OStrich's division of the machine from the tree, as slurmdb
// does: what hangs below an account with fairshare=parent hangs below that
// account's parent, and a user with it has weight 1.
func (s *Study) divide() *ostrich.Shares {
	accounts := make(map[string]*multifactor.Account)
	for i := range s.Priority.Accounts {
		accounts[s.Priority.Accounts[i].Name] = &s.Priority.Accounts[i]
	}
	above := func(name string) string {
		for range len(accounts) + 1 { // as a cycle would be longer
			a := accounts[name]
			switch {
			case a == nil:
				return ""
			case a.Shares != multifactor.UseParent:
				return name
			}
			name = a.Parent
		}
		return ""
	}
	weight := func(shares int) float64 {
		if shares == multifactor.UseParent {
			return 1
		}
		return float64(shares)
	}
	d := &ostrich.Shares{}
	for _, a := range s.Priority.Accounts {
		if a.Shares != multifactor.UseParent {
			d.Accounts = append(d.Accounts, ostrich.Account{Name: a.Name, Parent: above(a.Parent), Weight: weight(a.Shares)})
		}
	}
	first := s.associationOf()
	for i, u := range s.Users {
		if k, ok := first[[2]string{u.Name, u.Account}]; ok {
			a := &s.Priority.Associations[k]
			d.Users = append(d.Users, ostrich.UserShare{User: ostrich.UserID(i + 1), Account: above(a.Account), Weight: weight(a.Shares)})
		}
	}
	return d
}

// associationOf returns the places of associations by user and account, the first of each.
func (s *Study) associationOf() map[[2]string]int {
	places := make(map[[2]string]int, len(s.Priority.Associations))
	for i, a := range slices.Backward(s.Priority.Associations) {
		places[[2]string{a.User, a.Account}] = i
	}
	return places
}

// shares returns the shares of an association as priority/multifactor reads them.
func shares(n int64) int {
	if n == accounting.ParentShares {
		return multifactor.UseParent
	}
	return int(min(n, math.MaxInt32))
}

// peak returns the most processors that jobs of the history used at once in its
// window, and when; where nothing tells when jobs started, the widest. It leaves out jobs
// that were suspended or resized, because others ran in their place for a while.
func peak(h *accounting.History) (procs int, at ostrich.Time) {
	if h.Unstarted && len(h.Jobs) > 0 {
		j := slices.MaxFunc(h.Jobs, func(a, b accounting.Job) int { return cmp.Compare(a.Procs, b.Procs) })
		return int(j.Procs), j.Submit
	}
	jobs := make([]report.Job, 0, len(h.Jobs))
	for i := range h.Jobs {
		j := &h.Jobs[i]
		end := j.End
		if end == 0 {
			end = lastSeen(h, j, j.Limit)
		}
		if j.Start > 0 && j.Suspended == 0 && !j.Resized && end >= h.From {
			jobs = append(jobs, report.Job{Start: j.Start, End: end, Procs: int(j.Procs)})
		}
	}
	return report.Peak(jobs)
}

// overfull is for which part of the time jobs may hold more processors than the machine has,
// before a note says so. The times of many logs are rounded, so that jobs overlap that ran
// one after the other.
const overfull = 0.01

// checkProcs refuses a machine of --procs with fewer than enough processors. The error
// names the most that were in use at once.
func (o *SiteOptions) checkProcs(peak, enough int, when string) error {
	if !o.WasGiven("procs") || o.Procs >= enough {
		return nil
	}
	return plural.Errorf("--procs %d: jobs used %d processor{|s} at once, %s: at least --procs %d", o.Procs, peak, when, enough)
}

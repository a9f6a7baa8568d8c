package live

import (
	"cmp"
	"math"
	"slices"

	"slurm-ostrich/cmd/internal/configuration"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/report"
	"slurm-ostrich/ostrich/sim"
)

const (
	promiseStep  = 5 * minute // between two computations of ρ
	companyTime  = 7 * day    // an ended campaign shares the reference machine for that long
	mostArrivals = 10_000     // of ended campaigns; the oldest ones are forgotten
	mostInOne    = 1000       // of a campaign, which a user who never pauses may not end for months
	mostRhos     = 50_000     // computed ρ; the oldest ones are forgotten
	mostPromised = 20         // users in the report
	startup      = 10         // seconds that Slurm may take to start a job
)

// arrival is work of a campaign that came at one moment.
type arrival struct {
	at   ostrich.Time
	work ostrich.Work
}

// arrive adds work that came at a moment.
func (c *openCampaign) arrive(at ostrich.Time, work ostrich.Work) {
	if n := len(c.arrivals); n > 0 && c.arrivals[n-1].at == at {
		c.arrivals[n-1].work += work
		return
	}
	if c.arrivals = append(c.arrivals, arrival{at, work}); len(c.arrivals) > mostInOne {
		c.thin()
	}
}

// thin joins work that came at one moment, and if that leaves more than half, each two
// neighbours at the moment of the earlier one.
func (c *openCampaign) thin() {
	slices.SortStableFunc(c.arrivals, func(a, b arrival) int { return cmp.Compare(a.at, b.at) })
	join := func(same func(last, next arrival, n int) bool) {
		kept := c.arrivals[:1]
		for n, a := range c.arrivals[1:] {
			if last := &kept[len(kept)-1]; same(*last, a, n) {
				last.work += a.work
			} else {
				kept = append(kept, a)
			}
		}
		c.arrivals = kept
	}
	if join(func(last, next arrival, _ int) bool { return last.at == next.at }); len(c.arrivals) > mostInOne/2 {
		join(func(_, _ arrival, n int) bool { return n%2 == 0 })
	}
}

// promise compares ended campaigns with an equally shared machine, every
// promiseStep for all that have ended since.
type promise struct {
	next ostrich.Time
	lost ostrich.Time    // a campaign that ended then has been forgotten for want of memory
	due  []*openCampaign // whose ρ is to be computed
	past []*openCampaign // that have ended, those due among them: they share the reference machine
	rhos []rhoOf         // of the last 24 hours
}

type rhoOf struct {
	ended ostrich.Time
	user  string
	rho   float64
}

// add adds an ended campaign. Its ρ is computed only if all other work since its
// submission is known, and if its jobs waited for nothing but their turn.
func (p *promise) add(c *openCampaign, begun ostrich.Time) {
	p.past = append(p.past, c)
	for _, why := range c.blame.list() {
		switch why {
		case Ineligible, Requeued, Throttled, Limited, Unmanaged:
			return
		case Overrun, Outage, HigherTier, NotWritten, Passed, NotKnown, reasons:
		}
	}
	if c.first >= begun {
		p.due = append(p.due, c)
	}
}

// updatePromise computes ρ of the campaigns that are due.
func (s *State) updatePromise() {
	p := &s.promise
	if len(p.due) == 0 && len(p.rhos) == 0 {
		p.trim(s.now)
		return
	}
	if s.now < p.next {
		s.wake(p.next)
		return
	}
	p.next = s.now + promiseStep
	s.wake(p.next)
	p.trim(s.now)
	for i := range s.pools {
		if slices.ContainsFunc(p.due, func(c *openCampaign) bool { return c.pool == i }) {
			s.computeRho(i)
		}
	}
	p.due = nil
	s.report.Campaigns.Promise = p.summary()
}

// trim drops what is too old, or too much.
func (p *promise) trim(now ostrich.Time) {
	p.rhos = slices.DeleteFunc(p.rhos, func(r rhoOf) bool { return r.ended <= now-day })
	p.rhos = slices.Delete(p.rhos, 0, max(0, len(p.rhos)-mostRhos))
	first, arrivals := len(p.past), 0
	for first > 0 && arrivals+len(p.past[first-1].arrivals) <= mostArrivals {
		first--
		arrivals += len(p.past[first].arrivals)
	}
	for _, c := range p.past[:first] {
		p.lost = max(p.lost, c.ended)
	}
	p.past = slices.Delete(p.past, 0, first)
	p.past = slices.DeleteFunc(p.past, func(c *openCampaign) bool { return c.ended <= now-companyTime })
}

// computeRho computes ρ of the due campaigns of a pool. All known campaigns share
// the reference machine, with true lengths, and expected ones for unfinished jobs.
func (s *State) computeRho(pool int) {
	p := &s.promise
	known := slices.Clone(p.past)
	for _, c := range s.campaigns {
		if !c.reported {
			known = append(known, c)
		}
	}
	slices.SortFunc(known[len(p.past):], func(a, b *openCampaign) int { // the map has no order
		return cmp.Or(cmp.Compare(a.pool, b.pool), cmp.Compare(a.user, b.user), cmp.Compare(a.lead, b.lead))
	})
	open := s.openWork(pool)
	numbers := make(map[*openCampaign]int)
	var work []report.Job // an arrival as one job on one processor
	for n, c := range known {
		if c.pool != pool {
			continue
		}
		numbers[c] = n
		for _, a := range slices.Concat(c.arrivals, open[c]) {
			work = append(work, report.Job{User: c.user, Campaign: n, Submit: a.at, Start: a.at, End: a.at + max(1, ostrich.Time(a.work)), Procs: 1})
		}
	}
	at := &s.pools[pool]
	ends, err := sim.VirtualCompletions(work, ostrich.Options{Procs: at.size, Machine: ostrich.Sequential}, at.schedule.Shares())
	if err != nil {
		return // a pool without processors: nothing can be said
	}
	for _, c := range p.due {
		n, ok := numbers[c]
		if !ok || c.first < p.lost || n >= len(ends) || math.IsNaN(ends[n]) {
			continue
		}
		shared := report.SharedFlow(float64(c.first), ends[n], float64(c.least))
		p.rhos = append(p.rhos, rhoOf{c.ended, c.name, report.Rho(float64(c.ended-c.first), shared, startup)})
	}
}

// openWork returns the work of the jobs of a pool that run, or wait for their
// turn.
func (s *State) openWork(pool int) map[*openCampaign][]arrival {
	open := make(map[*openCampaign][]arrival)
	for _, j := range s.jobs {
		if j.campaign == nil || j.pool != pool || (j.start == 0 && !j.startable) {
			continue
		}
		length, ok := s.pools[pool].schedule.Expected(j.id)
		if !ok {
			length = j.expect
		}
		if j.start != 0 {
			length = max(length, ostrich.Duration(s.now-j.start))
		}
		work := ostrich.Work(length) * ostrich.Work(j.size) * ostrich.Work(j.tasks)
		open[j.campaign] = append(open[j.campaign], arrival{j.submit, work})
	}
	for c, list := range open {
		slices.SortFunc(list, func(a, b arrival) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.work, b.work)) })
		merged := openCampaign{}
		for _, a := range list {
			merged.arrive(a.at, a.work)
		}
		open[c] = merged.arrivals
	}
	return open
}

// summary returns what the report shows of it.
func (p *promise) summary() Promise {
	all := Promise{Campaigns: len(p.rhos), Rhos: report.Rhos{Le1: 1}, Users: []PromiseUser{}}
	if len(p.rhos) == 0 {
		return all
	}
	values, users := make([]float64, len(p.rhos)), make(map[string]*PromiseUser)
	for i, r := range p.rhos {
		values[i] = r.rho
		u := users[r.user]
		if u == nil {
			account, user := configuration.Owner(r.user)
			u = &PromiseUser{User: user, Account: account}
			users[r.user] = u
		}
		u.Campaigns++
		u.Mean += r.rho
		u.Max = max(u.Max, r.rho)
		if r.rho <= 1 {
			u.Le1++
		}
	}
	all.Rhos = report.SummariseRho(values)
	for _, u := range users {
		n := float64(u.Campaigns)
		if u.Mean, u.Le1 = u.Mean/n, u.Le1/n; u.Mean > 1 {
			all.Users = append(all.Users, *u)
		}
	}
	slices.SortFunc(all.Users, func(a, b PromiseUser) int {
		return cmp.Or(cmp.Compare(b.Mean, a.Mean), cmp.Compare(a.Account, b.Account), cmp.Compare(a.User, b.User))
	})
	all.Users = all.Users[:min(len(all.Users), mostPromised)]
	return all
}

package comparison

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"slurm-ostrich/cmd/internal/format"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/report"
	"slurm-ostrich/ostrich/report/confidence"
	"slurm-ostrich/ostrich/sim"
)

// studied is the input as the measures need it.
type studied struct {
	in       *Input
	users    []ostrich.UserID // ascending
	labels   []string
	shares   []float64
	owner    []int32 // of a job: index into users
	campaign []int32 // of a campaign: index into users
	owning   []int32 // users with campaigns
	place    []int   // of a campaign number: index into the campaigns; -1 without a job
	runs     []studiedRun
	untold   []bool // by run: the record cannot tell what it changes, so nothing of it is resampled
}

// studiedRun is a run as the measures need it. All slices by user are parallel to
// users.
type studiedRun struct {
	campaigns   []report.Campaign
	stretch     []float64     // of each campaign
	rho         []float64     // of each campaign
	users       []report.User // without campaigns: zero
	clusters                  // by user
	maxRho      []float64     // of a user's campaigns
	rhos        *report.Pool
	fair        *report.Fairness // of the users in owning
	busy        []float64        // part of the processors, in each part of the window
	first, last ostrich.Time

	late []ostrich.Duration // of the campaigns, by what users accept to wait
}

// clusters are a run, or a part of one, added up by what a sample has as a whole: a
// user, or a week of a period.
type clusters struct {
	sums             []report.Sums
	waits, stretches *report.Pool
}

// cluster adds up run r in n clusters. job and campaign say in which each is: -1 in
// none.
func (s *studied) cluster(r, n int, job, campaign []int32) clusters {
	run, jobs := &s.runs[r], s.in.Runs[r].Jobs
	c := clusters{sums: make([]report.Sums, n)}
	waits, waitIn := make([]float64, 0, len(job)), make([]int32, 0, len(job))
	stretches, stretchIn := make([]float64, 0, len(campaign)), make([]int32, 0, len(campaign))
	for i, k := range job {
		if k >= 0 {
			c.sums[k].AddJob(&jobs[i], jobs[i].Late(s.in.Accept))
			waits, waitIn = append(waits, float64(jobs[i].Start-jobs[i].Submit)), append(waitIn, k)
		}
	}
	for i, k := range campaign {
		if k >= 0 {
			c.sums[k].AddCampaign(&run.campaigns[i], s.in.Procs, run.late[i])
			c.sums[k].AddRho(run.rho[i])
			stretches, stretchIn = append(stretches, run.stretch[i]), append(stretchIn, k)
		}
	}
	c.waits, c.stretches = report.NewPool(waits, waitIn, n), report.NewPool(stretches, stretchIn, n)
	return c
}

// sample adds up a sample of the clusters; nil is each once. What is measured of nothing
// is none. The users, and what is of the machine, are for the caller to add.
func (c *clusters) sample(times []int32, none float64) *report.Sample {
	nothing := report.Percentiles{P50: none, P95: none, P99: none, Max: none}
	x := &report.Sample{OfNothing: none, Wait: nothing, Stretch: nothing, Rho: nothing, Jain: none, Gini: none, Envy: none}
	for k := range c.sums {
		if w := report.Often(times, k); w > 0 {
			x.Add(&c.sums[k], float64(w))
		}
	}
	if x.Jobs > 0 {
		x.Wait = c.waits.Percentiles(times)
	}
	if x.Campaigns > 0 {
		x.Stretch = c.stretches.Percentiles(times)
	}
	return x
}

func study(in *Input) (*studied, error) {
	s := &studied{in: in}
	jobs := in.Runs[0].Jobs
	index := make(map[ostrich.UserID]int32)
	for i := range jobs {
		index[jobs[i].User] = 0
	}
	for u := range index {
		s.users = append(s.users, u)
	}
	slices.Sort(s.users)
	for i, u := range s.users {
		index[u] = int32(i)
		share := 1.0
		if in.Share != nil {
			share = in.Share(u)
		}
		if !(share > 0) || math.IsInf(share, 0) {
			return nil, fmt.Errorf("%s has a share of %v", in.userName(u), share)
		}
		s.shares = append(s.shares, share)
	}
	s.labels = in.labels(s.users)
	s.owner = make([]int32, len(jobs))
	for i := range jobs {
		s.owner[i] = index[jobs[i].User]
	}
	s.runs = make([]studiedRun, len(in.Runs))
	for r := range in.Runs {
		s.runs[r].campaigns = report.Campaigns(in.Runs[r].Jobs)
		report.SetFloor(s.runs[r].campaigns, in.Floor)
	}
	for _, c := range s.runs[0].campaigns {
		s.campaign = append(s.campaign, index[c.User])
	}
	owned := make([]bool, len(s.users))
	for _, u := range s.campaign {
		owned[u] = true
	}
	for u, has := range owned {
		if has {
			s.owning = append(s.owning, int32(u))
		}
	}
	if err := s.oneOwner(); err != nil {
		return nil, err
	}
	s.place = campaignPlaces(jobs)
	if err := s.measureRho(); err != nil {
		return nil, err
	}
	for r := range s.runs {
		s.measure(r)
	}
	demand := make([]float64, 0, len(s.owning))
	for _, u := range s.owning {
		demand = append(demand, float64(s.runs[in.Baseline].users[u].Work)/s.shares[u])
	}
	for r := range s.runs {
		stretch := make([]float64, len(s.owning))
		for i, u := range s.owning {
			stretch[i] = s.runs[r].users[u].Stretch
		}
		s.runs[r].fair = report.NewFairness(stretch, demand)
	}
	return s, nil
}

// leastRounds is how many resamples an interval of this level needs: with fewer, none lies
// outside of it on each side.
const leastRounds = 2 / (1 - confidence.Level)

// fewRounds says that there are too few resamples.
func (s *studied) fewRounds() []string {
	if s.in.Resamples >= leastRounds {
		return nil
	}
	return []string{fmt.Sprintf("%s: too few for 95 %% intervals, which need at least %.0f. Those shown are too narrow, and nothing said of them is sure.",
		format.Plural(s.in.Resamples, "resample"), leastRounds)}
}

// campaignPlaces returns the index of each campaign number in the list of
// campaigns, which leaves out numbers without a job: theirs is -1.
func campaignPlaces(jobs []report.Job) []int {
	var places []int
	for i := range jobs {
		if n := jobs[i].Campaign; n >= 0 {
			for len(places) <= n {
				places = append(places, -1)
			}
			places[n] = 0
		}
	}
	next := 0
	for n, place := range places {
		if place == 0 {
			places[n] = next
			next++
		}
	}
	return places
}

// oneOwner checks that no two users share a campaign.
func (s *studied) oneOwner() error {
	owner := make(map[int]ostrich.UserID)
	jobs := s.in.Runs[0].Jobs
	for i := range jobs {
		j := &jobs[i]
		if j.Campaign < 0 {
			continue
		}
		if u, ok := owner[j.Campaign]; ok && u != j.User {
			return fmt.Errorf("campaign %d has jobs of %s and of %s", j.Campaign, s.in.userName(u), s.in.userName(j.User))
		}
		owner[j.Campaign] = j.User
	}
	return nil
}

// measure computes run r.
func (s *studied) measure(r int) {
	jobs, run, n := s.in.Runs[r].Jobs, &s.runs[r], len(s.users)
	run.late = report.Late(jobs, run.campaigns, s.in.Procs, s.in.Accept)
	run.maxRho, run.users = make([]float64, n), make([]report.User, n)
	run.stretch = make([]float64, len(run.campaigns))
	for i, u := range s.campaign {
		run.stretch[i] = run.campaigns[i].Stretch(s.in.Procs)
		run.maxRho[u] = max(run.maxRho[u], run.rho[i])
	}
	run.clusters, run.rhos = s.cluster(r, n, s.owner, s.campaign), report.NewPool(run.rho, s.campaign, n)
	for _, u := range report.Users(run.campaigns, s.in.Procs) {
		i, _ := slices.BinarySearch(s.users, u.User)
		run.users[i] = u
	}
	run.first, run.last = report.Span(jobs)
	run.busy = report.Utilisations(jobs, cmp.Or(s.in.Runs[r].Procs, s.in.Procs), s.in.From, s.in.To, s.part())
}

// timeParts is the number of parts of the window.
const timeParts = 30

// part returns the length of a part of the window.
func (s *studied) part() ostrich.Duration {
	return ostrich.Duration(max(1, (s.in.To-s.in.From+timeParts-1)/timeParts))
}

// labels returns the names of users. Equal names get the account, or else the
// number.
func (in *Input) labels(users []ostrich.UserID) []string {
	labels := format.Texts(users, in.userName)
	apart := func(tell func(i, n int) string) {
		count, seen := make(map[string]int), make(map[string]int)
		for _, l := range labels {
			count[l]++
		}
		for i, l := range labels {
			if seen[l]++; count[l] > 1 {
				labels[i] = l + tell(i, seen[l])
			}
		}
	}
	apart(func(i, _ int) string {
		if account := in.AccountName(users[i]); account != "" {
			return " (" + account + ")"
		}
		return ""
	})
	apart(func(_, n int) string { return fmt.Sprintf(" #%d", n) })
	return labels
}

// figures returns the measures of run r.
func (s *studied) figures(r int) Figures {
	run, x := &s.runs[r], s.sample(r, nil)
	percent := make([]float64, 101)
	for i := range percent {
		percent[i] = float64(i) / 100
	}
	envy, pairs := run.fair.Envy(nil)
	return Figures{
		Run: s.in.Runs[r].Name, Recorded: s.in.Runs[r].Recorded, Seconds: s.in.Runs[r].Seconds,
		Jobs: len(s.in.Runs[r].Jobs), Users: len(s.users), Campaigns: len(run.campaigns),
		Stretch:         report.SummariseStretches(run.stretches.Values()),
		UserMeanStretch: report.UserMean.Of(x), UserMaxStretch: report.UserMax.Of(x), UnboundedStretch: report.Unbounded.Of(x),
		Rho: report.SummariseRho(run.rhos.Values()), StretchQuantiles: run.stretches.Quantiles(nil, percent...),
		Wait:            report.Wait{Mean: report.WaitMean.Of(x), P50: x.Wait.P50, P95: x.Wait.P95, P99: x.Wait.P99},
		WaitQuantiles:   run.waits.Quantiles(nil, percent...),
		BoundedSlowdown: report.Slowdown.Of(x), AreaResponse: report.AreaResponse.Of(x), PriorityResponse: report.PriorityResponse.Of(x),
		Utilisation: x.Busy, Makespan: ostrich.Duration(x.Makespan),
		Satisfaction: report.Satisfy(s.in.Runs[r].Jobs, s.in.Procs, s.in.Accept),
		Jain:         x.Jain, Gini: x.Gini, Envy: int(envy), EnvyPairs: int(pairs), values: values(x),
	}
}

// measureRho compares the campaigns of each run with an equally shared machine,
// by report.Rho with the floor as the allowance.
func (s *studied) measureRho() error {
	var shared []float64
	for r := range s.runs {
		run, jobs := &s.runs[r], s.in.Runs[r].Jobs
		if r == 0 || !sameLoad(jobs, s.in.Runs[r-1].Jobs) { // the same load gives the same result
			var err error
			if shared, err = sim.SharedFlows(jobs, s.in.Procs, s.in.Shares); err != nil {
				return fmt.Errorf("the equally shared machine: %w", err)
			}
		}
		run.rho = make([]float64, len(run.campaigns))
		for number, i := range s.place {
			if i >= 0 {
				c := &run.campaigns[i]
				run.rho[i] = report.Rho(float64(c.End-c.Submit), shared[number], float64(s.in.Floor))
			}
		}
	}
	return nil
}

// sameLoad reports whether the same jobs are submitted at the same times and run as
// long in both runs.
func sameLoad(a, b []report.Job) bool {
	for i := range a {
		if a[i].Submit != b[i].Submit || a[i].Ran() != b[i].Ran() {
			return false
		}
	}
	return true
}

package comparison

import (
	"cmp"
	"context"
	"slices"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/report/confidence"
)

// mostBlocks is the most blocks for the campaigns of a user.
const mostBlocks = 64

// userTable compares what each user got, those with the most core-hours first.
func (s *studied) userTable(ctx context.Context) ([]User, error) {
	units, campaigns := s.units(), make([][]block, len(s.runs))
	for _, r := range s.resampled() {
		campaigns[r] = s.ofCampaigns(r)
	}
	list := make([]User, len(s.users))
	for u := range s.users {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		base := &s.runs[s.in.Baseline]
		one := User{
			Name: s.labels[u], Account: s.in.AccountName(s.users[u]), Share: s.shares[u],
			Jobs: int(base.sums[u].Jobs), Campaigns: base.users[u].Campaigns,
		}
		for r := range s.runs {
			run := &s.runs[r]
			got, sum := run.users[u], &run.sums[u]
			campaigns := float64(max(1, got.Campaigns))
			one.Runs = append(one.Runs, UserRun{
				Run: s.in.Runs[r].Name, MeanStretch: got.MeanStretch, MaxStretch: got.MaxStretch, Stretch: got.Stretch,
				MeanWait: sum.Wait / sum.Jobs,
				RhoLe1:   sum.Kept / campaigns, MeanRho: sum.Rho / campaigns, MaxRho: run.maxRho[u],
			})
		}
		changes, err := s.userChanges(u, units[u], campaigns)
		if err != nil {
			return nil, err
		}
		one.Changes = changes
		list[u] = one
	}
	jobs := s.in.Runs[s.in.Baseline].Jobs
	for i := range jobs {
		list[s.owner[i]].CoreHours += float64(jobs[i].Ran()) * float64(jobs[i].Procs) / 3600
	}
	slices.SortStableFunc(list, func(a, b User) int { return cmp.Compare(b.CoreHours, a.CoreHours) }) // ties by id
	return list, nil
}

// unit is what a user's blocks consist of: a campaign, or a job in no campaign.
type unit struct {
	submit ostrich.Time
	lone   bool  // a job
	number int32 // of the campaign or of the job
}

// units returns the units of each user, in the order of submission: of those at once, campaigns first.
func (s *studied) units() [][]unit {
	units := make([][]unit, len(s.users))
	for i, u := range s.campaign {
		units[u] = append(units[u], unit{s.runs[0].campaigns[i].Submit, false, int32(i)})
	}
	for i := range s.in.Runs[0].Jobs {
		if j := &s.in.Runs[0].Jobs[i]; j.Campaign < 0 {
			units[s.owner[i]] = append(units[s.owner[i]], unit{j.Submit, true, int32(i)})
		}
	}
	for _, list := range units {
		slices.SortStableFunc(list, func(a, b unit) int { return cmp.Compare(a.submit, b.submit) })
	}
	return units
}

// block is what neighbouring units of a user have together: campaigns with the sums of their stretches under the
// baseline and under another run, and jobs with how much longer they waited under that one, in seconds.
type block struct{ campaigns, base, stretch, jobs, longer float64 }

func (b *block) add(o block) {
	b.campaigns, b.base, b.stretch = b.campaigns+o.campaigns, b.base+o.base, b.stretch+o.stretch
	b.jobs, b.longer = b.jobs+o.jobs, b.longer+o.longer
}

// ofCampaigns returns what each campaign has under the baseline and run r.
func (s *studied) ofCampaigns(r int) []block {
	list := make([]block, len(s.campaign))
	for i := range list {
		list[i] = block{campaigns: 1, base: s.runs[s.in.Baseline].stretch[i], stretch: s.runs[r].stretch[i]}
	}
	for i := range s.in.Runs[r].Jobs {
		if n := s.in.Runs[r].Jobs[i].Campaign; n >= 0 {
			list[s.place[n]].add(s.ofJob(r, int32(i)))
		}
	}
	return list
}

// ofJob returns what a job has under the baseline and run r, beside its campaign.
func (s *studied) ofJob(r int, job int32) block {
	base, j := &s.in.Runs[s.in.Baseline].Jobs[job], &s.in.Runs[r].Jobs[job]
	return block{jobs: 1, longer: float64((j.Start - j.Submit) - (base.Start - base.Submit))}
}

// blocks joins units into at most mostBlocks blocks of neighbours, each with about the same number of units.
func blocks(units []unit, of func(unit) block) []block {
	n := min(len(units), mostBlocks)
	list := make([]block, n)
	for b := range list {
		for _, u := range units[b*len(units)/n : (b+1)*len(units)/n] {
			list[b].add(of(u))
		}
	}
	return list
}

// userChanges compares each run with the baseline for one user. campaigns are those of ofCampaigns, by run.
func (s *studied) userChanges(u int, units []unit, campaigns [][]block) ([]UserChange, error) {
	stretches, waits, list := make([][]float64, len(s.runs)), make([][]float64, len(s.runs)), make([][]block, len(s.runs))
	resampled := s.resampled()
	for _, r := range resampled {
		list[r] = blocks(units, func(x unit) block {
			if x.lone {
				return s.ofJob(r, x.number)
			}
			return campaigns[r][x.number]
		})
	}
	if len(units) >= confidence.Fewest {
		err := confidence.Bootstrap(s.random(2+uint64(s.users[u])), min(len(units), mostBlocks), s.in.Resamples, func(times []int32) error {
			for _, r := range resampled {
				var sum block
				for b, n := range times {
					x, w := &list[r][b], float64(n)
					sum.add(block{w * x.campaigns, w * x.base, w * x.stretch, w * x.jobs, w * x.longer})
				}
				if sum.campaigns > 0 {
					stretches[r] = append(stretches[r], (sum.stretch-sum.base)/sum.campaigns)
				}
				waits[r] = append(waits[r], sum.longer/sum.jobs)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	changes := []UserChange{}
	base := &s.runs[s.in.Baseline]
	for r := range s.runs {
		if r == s.in.Baseline {
			continue
		}
		run := &s.runs[r]
		stretch := run.users[u].MeanStretch - base.users[u].MeanStretch
		wait := (run.sums[u].Wait - base.sums[u].Wait) / run.sums[u].Jobs
		change := UserChange{s.in.Runs[r].Name, Change{Difference: stretch, Reading: CannotTell}, Change{Difference: wait, Reading: CannotTell}}
		if !s.untold[r] {
			change.Stretch = read(stretch, stretches[r], run.users[u].Campaigns >= confidence.Fewest, s.good(r, -1))
			change.Wait = read(wait, waits[r], len(units) >= confidence.Fewest, s.good(r, -1))
		}
		changes = append(changes, change)
	}
	return changes, nil
}

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

// blockSums are the sums over a block of campaigns of a user: of their number, that of their jobs, and for each run of
// stretches and of waits.
type blockSums []float64

const (
	campaignSum = iota
	jobSum
	firstSum // of the first run; two a run
)

func stretchSum(run int) int { return firstSum + 2*run }
func waitSum(run int) int    { return firstSum + 2*run + 1 }

// userTable compares what each user got, those with the most core-hours first.
func (s *studied) userTable(ctx context.Context) ([]User, error) {
	units := s.units()
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
		changes, err := s.userChanges(u, units[u])
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
	lone   int // 1 for a job, which comes after campaigns
	number int // of the campaign or of the job
	sums   blockSums
}

// units returns the units of each user, in the order of submission.
func (s *studied) units() [][]unit {
	all, width := make([]unit, len(s.runs[0].campaigns)), firstSum+2*len(s.runs)
	sums := make(blockSums, len(all)*width)
	for i := range all {
		all[i] = unit{s.runs[0].campaigns[i].Submit, 0, i, sums[i*width : (i+1)*width]}
		all[i].sums[campaignSum] = 1
		for r := range s.runs {
			all[i].sums[stretchSum(r)] = s.runs[r].stretch[i]
		}
	}
	units := make([][]unit, len(s.users))
	for i := range s.in.Runs[0].Jobs {
		first := &s.in.Runs[0].Jobs[i]
		var to blockSums
		if first.Campaign >= 0 {
			to = all[s.place[first.Campaign]].sums
		} else {
			to = make(blockSums, width)
			units[s.owner[i]] = append(units[s.owner[i]], unit{first.Submit, 1, i, to})
		}
		to[jobSum]++
		for r := range s.runs {
			j := &s.in.Runs[r].Jobs[i]
			to[waitSum(r)] += float64(j.Start - j.Submit)
		}
	}
	for i, u := range s.campaign {
		units[u] = append(units[u], all[i])
	}
	for _, list := range units {
		slices.SortFunc(list, func(a, b unit) int {
			return cmp.Or(cmp.Compare(a.submit, b.submit), cmp.Compare(a.lone, b.lone), cmp.Compare(a.number, b.number))
		})
	}
	return units
}

// blocks joins units into at most mostBlocks blocks of neighbours, each with
// about the same number of units.
func blocks(units []unit) []blockSums {
	n := min(len(units), mostBlocks)
	list := make([]blockSums, n)
	for b := range list {
		list[b] = make(blockSums, len(units[0].sums))
		for _, u := range units[b*len(units)/n : (b+1)*len(units)/n] {
			list[b].add(u.sums, 1)
		}
	}
	return list
}

func (b blockSums) add(o blockSums, times float64) {
	for i, sum := range o {
		b[i] += times * sum
	}
}

// userChanges compares each run with the baseline for one user.
func (s *studied) userChanges(u int, units []unit) ([]UserChange, error) {
	list := blocks(units)
	stretches, waits := make([][]float64, len(s.runs)), make([][]float64, len(s.runs))
	sums := make(blockSums, firstSum+2*len(s.runs))
	campaigns := s.runs[0].users[u].Campaigns
	if len(units) >= confidence.Fewest {
		err := confidence.Bootstrap(s.random(2+uint64(s.users[u])), len(list), s.in.Resamples, func(times []float64) error {
			clear(sums)
			for b, w := range times {
				if w != 0 {
					sums.add(list[b], w)
				}
			}
			base := s.in.Baseline
			for r := range s.runs {
				if r == base {
					continue
				}
				if sums[campaignSum] > 0 {
					stretches[r] = append(stretches[r], (sums[stretchSum(r)]-sums[stretchSum(base)])/sums[campaignSum])
				}
				waits[r] = append(waits[r], (sums[waitSum(r)]-sums[waitSum(base)])/sums[jobSum])
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
		changes = append(changes, UserChange{
			Run:     s.in.Runs[r].Name,
			Stretch: read(stretch, stretches[r], campaigns >= confidence.Fewest, s.good(r, -1)),
			Wait:    read(wait, waits[r], len(units) >= confidence.Fewest, s.good(r, -1)),
		})
	}
	return changes, nil
}

package orderbench

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/campaign"
	"slurm-ostrich/ostrich/sim"
)

// Log is a workload log, its jobs sorted by submission.
type Log struct {
	Name  string
	Procs int
	Jobs  []sim.Job
}

// cut cuts a log into parts of consecutive jobs. It divides the log evenly; each
// part is the first most jobs of its share. So the parts sample a larger log from
// its beginning to its end. A log with fewer jobs than parts has fewer parts.
func cut(jobs []sim.Job, parts, most int) [][]sim.Job {
	parts = min(parts, len(jobs))
	list := make([][]sim.Job, parts)
	for i := range list {
		from, to := i*len(jobs)/parts, (i+1)*len(jobs)/parts
		list[i] = jobs[from : from+min(to-from, most)]
	}
	return list
}

// farthest is the largest offset by which a shake moves a user's submissions.
const farthest = ostrich.Duration(2 * 3600)

// shake moves the submissions and the recorded starts of each user by an offset
// of 0 s to farthest, drawn from the seed, the shake and the user. The order of a
// user's own jobs stays, and so do the user's campaigns. Shake 0 moves nothing.
func shake(jobs []sim.Job, seed uint64, number int) []sim.Job {
	if number == 0 {
		return jobs
	}
	moved := slices.Clone(jobs)
	offsets := make(map[ostrich.UserID]ostrich.Time)
	for i := range moved {
		j := &moved[i]
		offset, ok := offsets[j.User]
		if !ok {
			random := rand.New(rand.NewPCG(seed, uint64(number)<<32|uint64(j.User)))
			offset = ostrich.Time(random.Int64N(int64(farthest) + 1))
			offsets[j.User] = offset
		}
		j.Submit += offset
		j.Start += offset
	}
	slices.SortStableFunc(moved, func(a, b sim.Job) int { return cmp.Compare(a.Submit, b.Submit) })
	return moved
}

// measuredBy is the rule that finds the campaigns of the jobs, on the recorded times.
var measuredBy = campaign.Rule{By: campaign.Max}

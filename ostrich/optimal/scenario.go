package optimal

import (
	"cmp"
	"fmt"
	"slices"

	"slurm-ostrich/ostrich"
)

// Logged is a job of a log, for scenarios.
type Logged struct {
	ID     ostrich.JobID
	Procs  int
	Submit ostrich.Time
	Start  ostrich.Time
	End    ostrich.Time
	Length ostrich.Duration // for which it is expected to run from its start
	Wait   ostrich.Duration // that its user accepts
	// Campaign numbers the campaigns of the log; below 0, the job is one of its own.
	Campaign int
}

// Scenario returns what stood in the queue and ran on a machine of m processors at
// an instant of a log (equations 25 to 27): the jobs that had been submitted and
// had not started, and those that had started and had not ended. Equation 26 is
// misprinted; read submitted ≤ t < start. It also returns which jobs of the log
// stood in the queue.
//
// The queue has the order of the submissions, those of one moment in the order of
// the log. A job that has outlived its expected length is expected to run for
// another second. The work of a campaign is that of its jobs submitted by then.
func Scenario(m int, log []Logged, at ostrich.Time) (Instance, []int, error) {
	in := Instance{Procs: m}
	var queue []int
	busy := 0
	for i := range log {
		switch j := &log[i]; {
		case j.Submit > at || j.End <= at:
		case j.Start > at:
			queue = append(queue, i)
		case j.Procs > m-busy:
			return Instance{}, nil, fmt.Errorf("at %d s: job %d runs on %d processors, and %d of %d are free: %w", at, j.ID, j.Procs, m-busy, m, ErrInstance)
		default:
			busy += j.Procs
			in.Running = append(in.Running, Running{Procs: j.Procs, Left: j.left(at)})
		}
	}
	slices.SortStableFunc(queue, func(a, b int) int { return cmp.Compare(log[a].Submit, log[b].Submit) })
	numbers := in.campaigns(log, queue, at)
	for _, i := range queue {
		j := &log[i]
		in.Jobs = append(in.Jobs, Job{
			ID: j.ID, Procs: j.Procs, Length: j.Length,
			Due: j.Wait - ostrich.Duration(at-j.Submit), Campaign: numbers[i],
		})
	}
	if err := in.Check(); err != nil {
		return Instance{}, nil, fmt.Errorf("at %d s: %w", at, err)
	}
	return in, queue, nil
}

// left is for how long a running job is expected to go on.
func (j *Logged) left(at ostrich.Time) ostrich.Duration {
	return max(1, j.Length-ostrich.Duration(at-j.Start))
}

// campaigns adds the campaigns of the jobs in the queue, and returns the index of
// each of these jobs'.
func (in *Instance) campaigns(log []Logged, queue []int, at ostrich.Time) map[int]int {
	of, index := make(map[int]int, len(queue)), make(map[int]int)
	for _, i := range queue {
		c := log[i].Campaign
		n, known := index[c]
		if !known || c < 0 {
			n = len(in.Campaigns)
			index[c] = n
			in.Campaigns = append(in.Campaigns, Campaign{})
		}
		of[i] = n
	}
	work := make([]float64, len(in.Campaigns))
	for i := range log {
		j := &log[i]
		n, known := of[i]
		if !known && j.Campaign >= 0 {
			n, known = index[j.Campaign]
		}
		if !known || j.Submit > at {
			continue
		}
		c := &in.Campaigns[n]
		c.Age = max(c.Age, ostrich.Duration(at-j.Submit))
		work[n] += float64(j.Procs) * float64(j.Length)
		c.Least = max(c.Least, float64(j.Length), work[n]/float64(in.Procs))
		if j.Start <= at && j.End > at {
			c.Until = max(c.Until, j.left(at))
		}
	}
	return of
}

package report

import (
	"cmp"
	"slices"

	"slurm-ostrich/ostrich"
)

// Utilisations returns the utilisation of m processors over time: for each step
// between from and before, the part of the processors that jobs used in it, 0 to
// 1. The last step may be shorter. It is nil if the step is below 1 s, or if
// there are no processors or no time.
func Utilisations(jobs []Job, m int, from, before ostrich.Time, step ostrich.Duration) []float64 {
	if step < 1 || m < 1 || before <= from {
		return nil
	}
	width := ostrich.Time(step)
	steps := int((before - from + width - 1) / width)
	// change[i] is the change in used processors from step i on; part[i] is added
	// to step i alone.
	change, part := make([]float64, steps+1), make([]float64, steps)
	edge := func(at ostrich.Time, procs float64) {
		at -= from
		i := at / width
		if int(i) >= steps {
			return
		}
		part[i] += procs * float64((i+1)*width-at)
		change[i+1] += procs * float64(width)
	}
	for i := range jobs {
		j := &jobs[i]
		start, end := max(j.Start, from), min(j.End, before)
		if start < end {
			edge(start, j.Busy())
			edge(end, -j.Busy())
		}
	}
	busy := 0.0
	for i := range part {
		busy += change[i]
		length := min(width, before-from-ostrich.Time(i)*width)
		part[i] = (busy + part[i]) / (float64(m) * float64(length))
	}
	return part
}

// Idle is the area in which m processors were idle, in processor-seconds.
type Idle struct {
	Total   ostrich.Work `json:"total"`   // from the first submission to the last end
	Waiting ostrich.Work `json:"waiting"` // the part of it while a job was waiting
}

// IdleArea measures the time that processors were idle.
func IdleArea(jobs []Job, m int) Idle {
	type edge struct {
		at             ostrich.Time
		procs, waiting int
	}
	edges := make([]edge, 0, 3*len(jobs))
	for i := range jobs {
		j := &jobs[i]
		edges = append(edges, edge{at: j.Submit, waiting: 1}, edge{at: j.Start, procs: j.Procs, waiting: -1}, edge{at: j.End, procs: -j.Procs})
	}
	slices.SortFunc(edges, func(a, b edge) int { return cmp.Compare(a.at, b.at) }) // equal times add up, in any order
	var idle Idle
	busy, waiting := 0, 0
	for i, e := range edges {
		if i > 0 {
			area := ostrich.Work(e.at-edges[i-1].at) * ostrich.Work(m-busy)
			idle.Total += area
			if waiting > 0 {
				idle.Waiting += area
			}
		}
		busy += e.procs
		waiting += e.waiting
	}
	return idle
}

// change is a number of processors that jobs begin to use, or stop using.
type change struct {
	at    ostrich.Time
	procs int
}

// changes returns the changes of jobs in the order of [endsAndStarts].
func changes(jobs []Job) []change {
	n := len(jobs)
	all := make([]change, 0, 2*n)
	for _, e := range endsAndStarts(jobs) {
		i := int(e)
		switch j := &jobs[i%n]; {
		case j.Start >= j.End:
		case i < n:
			all = append(all, change{j.End, -j.Procs})
		default:
			all = append(all, change{j.Start, j.Procs})
		}
	}
	return all
}

// endsAndStarts lists what happens to jobs in the order of time: the end of the i-th of n jobs, from 0, is i, and its
// start n+i. In a second in which a job ends and another starts, the end comes first.
func endsAndStarts(jobs []Job) []int32 {
	n := len(jobs)
	times := make([]float64, 2*n)
	for i := range jobs {
		times[i], times[n+i] = float64(jobs[i].End), float64(jobs[i].Start)
	}
	return Ascending(times)
}

// Peak returns the most processors that jobs used at once, and when they first
// did; 0 without jobs. In a second in which a job ends and another starts, it does
// not count both.
func Peak(jobs []Job) (procs int, at ostrich.Time) {
	busy := 0
	for _, c := range changes(jobs) {
		if busy += c.procs; busy > procs {
			procs, at = busy, c.at
		}
	}
	return procs, at
}

// Above returns for which part of the time from the first start to the last end jobs used
// more than so many processors at once; 0 without jobs.
func Above(jobs []Job, procs int) float64 {
	all := changes(jobs)
	if len(all) == 0 {
		return 0
	}
	busy, last, above := 0, all[0].at, ostrich.Time(0)
	for _, c := range all {
		if busy > procs {
			above += c.at - last
		}
		busy, last = busy+c.procs, c.at
	}
	return float64(above) / float64(last-all[0].at)
}

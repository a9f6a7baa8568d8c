package grid

import (
	"fmt"
	"math"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/report"
)

// Ran is what became of a task.
type Ran struct {
	ID     ostrich.JobID
	Bag    int          // of Result.Bags
	Start  ostrich.Time // of its first copy, if Copies is above 0
	End    ostrich.Time // of the copy that ended first, if Cluster is not below 0
	Copies int          // how many were started, with the first; 0 for a task that never started

	// Cluster is where it ended, from 0; below 0 if it has not.
	Cluster int
}

// Finished reports whether the task has ended.
func (r *Ran) Finished() bool { return r.Cluster >= 0 }

// Result is what became of a workload.
type Result struct {
	Experiment Experiment
	Bags       []Bag // as they were submitted, with the Load of the experiment
	Tasks      []Ran // bag by bag, in their order
	End        ostrich.Time

	// Used are the processor-seconds of all copies, those cancelled and those that run
	// at the end of the experiment too.
	Used ostrich.Work

	// Served is the reference run time that processors did between the end of the
	// warm-up and the last submission, of each task by the copy that ended first, or by
	// the first one if none has.
	Served float64
}

// Jobs lists the tasks that have ended as package report knows them, with the
// number of the bag as campaign.
func (r *Result) Jobs() []report.Job {
	var jobs []report.Job
	for i := range r.Tasks {
		if t := &r.Tasks[i]; t.Finished() {
			b := &r.Bags[t.Bag]
			jobs = append(jobs, report.Job{
				ID: t.ID, User: b.User, Campaign: t.Bag, Submit: b.Submit, Start: t.Start, End: t.End, Procs: 1,
			})
		}
	}
	return jobs
}

// Done are the times of a bag all of whose tasks have ended.
type Done struct {
	Bag int // of Result.Bags

	// MS is the makespan in seconds, from the submission to the end of the last task.
	MS float64
	// NSL is the normalized schedule length: MS by the sum of the reference run
	// times.
	NSL float64
	// Stretch is MS by the least time in which the platform could run the bag, by
	// the sum of the run times and by the longest of them (paper section 3 of OStrich,
	// with processors of several speeds):
	//
	//	max(Σ run/Σ speed, run_max/speed_max)
	Stretch float64
}

// Done lists the bags that have ended, in the order of their submission.
func (r *Result) Done() []Done {
	capacity, fastest := r.Experiment.Platform.Capacity(), r.Experiment.Platform.fastest()
	var list []Done
	first := 0
	for i := range r.Bags {
		b := &r.Bags[i]
		end, finished := b.Submit, 0
		for k := range b.Tasks {
			if t := &r.Tasks[first+k]; t.Finished() {
				finished++
				end = max(end, t.End)
			}
		}
		first += len(b.Tasks)
		if finished < len(b.Tasks) {
			continue
		}
		sum, _ := b.work()
		ms := float64(end - b.Submit)
		list = append(list, Done{
			Bag: i, MS: ms, NSL: ms / float64(sum), Stretch: ms / b.bound(capacity, fastest),
		})
	}
	return list
}

// Classes are the least sizes of the nine classes of bags (section 3.4). A bag of
// one task is in none.
var Classes = [9]int{2, 5, 10, 20, 50, 100, 200, 500, 1000}

// ClassNames are the names of the classes.
var ClassNames = func() (names [len(Classes)]string) {
	for i := range Classes {
		if names[i] = fmt.Sprintf("%d and over", Classes[i]); i+1 < len(Classes) {
			names[i] = fmt.Sprintf("%d-%d", Classes[i], Classes[i+1]-1)
		}
	}
	return names
}()

// ClassOf returns the class of bags of a size; −1 for none.
func ClassOf(size int) int {
	class := -1
	for class+1 < len(Classes) && size >= Classes[class+1] {
		class++
	}
	return class
}

// Measure are the measures of some bags (section 4.1). Means are over the bags that
// have ended, 0 without one.
type Measure struct {
	Bags, Tasks         int // submitted
	DoneBags, DoneTasks int // that have ended
	MS, NSL, Stretch    float64
	WorstStretch        float64
}

// Finished returns the share of the tasks that have ended, from 0 to 1.
func (m *Measure) Finished() float64 { return float64(m.DoneTasks) / max(1, float64(m.Tasks)) }

// Measures are the measures of an experiment, of the bags that come after its warm-up.
type Measures struct {
	Measure                       // of all bags, those of one task too
	Classes [len(Classes)]Measure // by Classes

	// Goodput is the processor-seconds of the copies that ended first, of all bags; what Used has
	// beyond it was spent on copies that were cancelled or had not ended.
	Goodput ostrich.Work
	Used    ostrich.Work

	// Utilisation is Used by what all processors had between the first submission
	// and the end.
	Utilisation float64

	// Realised is the realised load: Result.Served by what the platform can do between
	// the end of the warm-up and the last submission. It stays below the load of the
	// bags by what is served after the last submission.
	Realised float64
}

// Measures returns the measures.
func (r *Result) Measures() Measures {
	x := &r.Experiment
	m := Measures{Used: r.Used}
	from := ostrich.Time(math.MinInt64) // the end of the warm-up
	if len(r.Bags) > 0 {
		from = r.Bags[0].Submit + ostrich.Time(x.Warmup)
	}
	of := func(b *Bag) []*Measure { // the measures in which a bag counts
		if b.Submit < from {
			return nil
		}
		if class := ClassOf(len(b.Tasks)); class >= 0 {
			return []*Measure{&m.Measure, &m.Classes[class]}
		}
		return []*Measure{&m.Measure}
	}
	first := 0
	for i := range r.Bags {
		b := &r.Bags[i]
		done := 0
		for k := range b.Tasks {
			if t := &r.Tasks[first+k]; t.Finished() {
				done++
				m.Goodput += ostrich.Work(RunTime(b.Tasks[k].Run, x.Platform.Clusters[t.Cluster].Speed))
			}
		}
		first += len(b.Tasks)
		for _, c := range of(b) {
			c.Bags++
			c.Tasks += len(b.Tasks)
			c.DoneTasks += done
		}
	}
	for _, d := range r.Done() {
		for _, c := range of(&r.Bags[d.Bag]) {
			c.DoneBags++
			c.MS += d.MS
			c.NSL += d.NSL
			c.Stretch += d.Stretch
			c.WorstStretch = max(c.WorstStretch, d.Stretch)
		}
	}
	m.mean()
	for i := range m.Classes {
		m.Classes[i].mean()
	}
	if len(r.Bags) > 0 && r.End > r.Bags[0].Submit {
		m.Utilisation = float64(m.Used) / (float64(x.Platform.Procs()) * float64(r.End-r.Bags[0].Submit))
	}
	if n := len(r.Bags); n > 0 && r.Bags[n-1].Submit > from {
		m.Realised = r.Served / (x.Platform.Capacity() * float64(r.Bags[n-1].Submit-from))
	}
	return m
}

// mean turns sums into means.
func (m *Measure) mean() {
	n := max(1, float64(m.DoneBags))
	m.MS, m.NSL, m.Stretch = m.MS/n, m.NSL/n, m.Stretch/n
}

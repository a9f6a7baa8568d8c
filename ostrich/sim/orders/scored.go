package orders

import (
	"cmp"
	"math"
	"slices"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/sim"
)

// A Score ranks a waiting job by the time it has waited for, its requested time r in
// seconds and its processors n; the job with the greatest goes first, equals as they came.
type Score func(wait, r float64, n int) float64

// WFP3 favours jobs that have waited long for their length, and wide ones (Tang, Lan,
// Desai, Buettner, "Fault-aware, utility-based job scheduling on Blue Gene/P systems",
// 2009):
//
//	(wait/r)³·n
func WFP3(wait, r float64, n int) float64 {
	x := wait / r
	return x * x * x * float64(n)
}

// UNICEP favours jobs that have waited long for their length, and narrow ones (the same;
// Carastan-Santos and de Camargo, SC 2017, call it UNICEF):
//
//	wait/(log2(n)·r)
//
// Jobs of one processor, for which that has no value, go before all others, by wait/r.
func UNICEP(wait, r float64, n int) float64 {
	if n == 1 {
		return math.MaxFloat32 * (1 + wait/r)
	}
	return wait / (math.Log2(float64(n)) * r)
}

// F1 is the order that Carastan-Santos and de Camargo ("Obtaining dynamic scheduling
// policies with simulation and machine learning", SC 2017) found for the bounded slowdown;
// the least goes first:
//
//	log10(r)·n + 870·log10(s)
//
// where s is the second of the submission, from 1 at the start of the log, and r is 0.1 at
// least, as in the authors' code: nothing is known of a job without a limit that never ran.
var F1 = sim.Order{Name: "f1", Compare: func(a, b *sim.Job) int {
	of := func(j *sim.Job) float64 {
		return math.Log10(max(float64(j.Estimate), 0.1))*float64(j.Procs) + 870*math.Log10(float64(max(j.Submit, 1)))
	}
	return cmp.Compare(of(a), of(b))
}}

// Scored is the policy that ranks the waiting jobs by a score, anew at each moment at which
// something happens.
func Scored(score Score) sim.Policy {
	return func(int) (sim.Ranker, error) { return &scored{score: score}, nil }
}

type scored struct {
	score Score
	now   ostrich.Time
	jobs  []scoredJob // that wait
	list  []ostrich.JobID
}

type scoredJob struct {
	id     ostrich.JobID
	submit ostrich.Time
	length float64
	procs  int
	score  float64
}

// Step takes an event.
func (s *scored) Step(e ostrich.Event) error {
	s.now = e.At
	switch e.Kind {
	case ostrich.Submit, ostrich.Requeue:
		s.jobs = append(s.jobs, scoredJob{id: e.Job.ID, submit: e.Job.Submit, length: max(1, float64(e.Job.Estimate)), procs: e.Job.Procs})
	case ostrich.Start, ostrich.End:
		if e.Kind == ostrich.End && e.Job.Start != 0 {
			break // only one that was cancelled still waits
		}
		s.jobs = slices.DeleteFunc(s.jobs, func(j scoredJob) bool { return j.id == e.Job.ID })
	default:
	}
	return nil
}

// Jobs lists the waiting jobs by their scores.
func (s *scored) Jobs() []ostrich.JobID {
	for i := range s.jobs {
		j := &s.jobs[i]
		j.score = s.score(float64(s.now-j.submit), j.length, j.procs)
	}
	slices.SortFunc(s.jobs, func(a, b scoredJob) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.submit, b.submit), cmp.Compare(a.id, b.id))
	})
	s.list = s.list[:0]
	for i := range s.jobs {
		s.list = append(s.list, s.jobs[i].id)
	}
	return s.list
}

// Wake asks for nothing: scores matter when something happens.
func (*scored) Wake(bool) ostrich.Time { return 0 }

// AdvanceTo lets time pass up to t.
func (s *scored) AdvanceTo(t ostrich.Time) error {
	s.now = t
	return nil
}

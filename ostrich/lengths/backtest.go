package lengths

import (
	"cmp"
	"math"
	"slices"

	"slurm-ostrich/ostrich/scalar"
)

// Variant is a predictor to test, with the classes that it uses.
type Variant struct {
	Predictor Predictor
	Classes   []uint64 // replace Request.Class, by index of the job; nil keeps it
	Groups    []uint8  // of the jobs, for Accuracy.Groups; nil: none
}

// Accuracy measures how well a predictor would have predicted the lengths of jobs.
// p^ is the predicted length, and p the true one, both at least a second.
type Accuracy struct {
	Jobs      int
	LogError  float64 // mean |ln(p^/p)|; e^LogError is the typical factor by which p^ is off
	WorkError float64 // Σ|p^-p|·q / Σ p·q, for jobs of q processors
	Within2   float64 // part of the jobs with p/2 ≤ p^ ≤ 2p

	// ShortAUC is the probability that of two jobs, one that ends within
	// ShortJob and one that does not, the first has the shorter prediction;
	// equal ones count half. 0.5 is a guess. NaN without both kinds.
	ShortAUC float64

	Groups []Group // by their numbers in Variant.Groups, up to the highest
}

// Group is the accuracy of some of the jobs.
type Group struct {
	Jobs     int
	LogError float64 // see Accuracy; 0 without jobs
}

// ShortJob is the limit of a short job, see Accuracy.
const ShortJob Duration = 60

// Run is a job that has run and ended.
type Run struct {
	Request
	ID      scalar.JobID
	User    scalar.UserID
	Submit  scalar.Time
	Departs scalar.Departure
	Outcome Outcome
	Ran     Duration // without the time in which it was suspended
}

// Backtest predicts the lengths of jobs that have run. It predicts each at its
// submission, from the jobs that had ended by then, in the order of
// their departures. The jobs must be sorted by Submit. The result has an entry for
// each variant; without jobs its fields are zero or NaN.
func Backtest(jobs []Run, variants []Variant) []Accuracy {
	b := newBacktest(jobs)
	list := make([]Accuracy, len(variants))
	for i, v := range variants {
		list[i] = b.run(v)
	}
	return list
}

// backtest is what all variants have in common.
type backtest struct {
	jobs  []Run
	users []int32 // of the jobs, from 0
	count int     // users
	ends  []int32 // jobs in the order in which they are learned from
	guess []uint64
}

func newBacktest(jobs []Run) *backtest {
	b := &backtest{jobs: jobs, users: make([]int32, len(jobs)), ends: make([]int32, len(jobs)), guess: make([]uint64, len(jobs))}
	places := make(map[scalar.UserID]int32)
	for i := range jobs {
		place, ok := places[jobs[i].User]
		if !ok {
			place = int32(len(places))
			places[jobs[i].User] = place
		}
		b.users[i], b.ends[i] = place, int32(i)
	}
	b.count = len(places)
	slices.SortFunc(b.ends, func(x, y int32) int {
		i, j := &jobs[x], &jobs[y]
		return cmp.Or(cmp.Compare(i.Departs, j.Departs), cmp.Compare(i.ID, j.ID), cmp.Compare(x, y))
	})
	return b
}

func (b *backtest) run(v Variant) Accuracy {
	pasts, open := make([]Past, b.count), make([]int, b.count) // unfinished jobs
	var all Used
	a := Accuracy{Jobs: len(b.jobs)}
	var sum, off, work float64
	var within int
	next := 0
	job := func(i int32) Run {
		j := b.jobs[i]
		if v.Classes != nil {
			j.Class = v.Classes[i]
		}
		return j
	}
	for i := range b.jobs {
		j := job(int32(i))
		for next < len(b.ends) {
			k := b.ends[next]
			if b.jobs[k].Departs.After(j.Submit) {
				break
			}
			ended := job(k)
			open[b.users[k]]--
			pasts[b.users[k]].Learn(v.Predictor, &all, &ended.Request, ended.Outcome, ended.Ran)
			next++
		}
		u := b.users[i]
		open[u]++
		ran := max(1, j.Ran)
		expect, _ := pasts[u].Predict(v.Predictor, &all, &j.Request, open[u])
		wrong := math.Abs(math.Log(float64(expect) / float64(ran)))
		sum += wrong
		if v.Groups != nil {
			a.add(v.Groups[i], wrong)
		}
		off += math.Abs(float64(expect-ran)) * float64(j.Procs)
		work += float64(ran) * float64(j.Procs)
		if expect <= 2*ran && ran <= 2*expect {
			within++
		}
		b.guess[i] = uint64(expect) << 1
		if ran < ShortJob {
			b.guess[i]++
		}
	}
	n := float64(len(b.jobs))
	if n > 0 {
		a.LogError, a.WorkError, a.Within2 = sum/n, off/work, float64(within)/n
	}
	for i := range a.Groups {
		if g := &a.Groups[i]; g.Jobs > 0 {
			g.LogError /= float64(g.Jobs)
		}
	}
	a.ShortAUC = shortAUC(b.guess)
	return a
}

// add adds a job to its group.
func (a *Accuracy) add(group uint8, wrong float64) {
	for len(a.Groups) <= int(group) {
		a.Groups = append(a.Groups, Group{})
	}
	a.Groups[group].Jobs++
	a.Groups[group].LogError += wrong
}

// shortAUC computes Accuracy.ShortAUC. Each guess is a prediction, shifted left by one,
// with 1 added for a short job. It sorts them.
func shortAUC(guess []uint64) float64 {
	slices.Sort(guess)
	var short, long, won float64 // of those with a shorter prediction
	for i := 0; i < len(guess); {
		var s, l float64
		for p := guess[i] >> 1; i < len(guess) && guess[i]>>1 == p; i++ {
			if guess[i]&1 == 1 {
				s++
			} else {
				l++
			}
		}
		won += l * (short + s/2)
		short, long = short+s, long+l
	}
	return won / (short * long) // 0/0 is NaN
}

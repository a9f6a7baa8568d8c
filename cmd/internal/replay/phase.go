package replay

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"slurm-ostrich/cmd/internal/format"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting"
	"slurm-ostrich/ostrich/multifactor"
	"slurm-ostrich/ostrich/plural"
)

// phaseJobs is how many jobs, the first that were submitted, tell the phase.
const phaseJobs = 500

// findPhase finds when slurmctld calculated priorities, of which nothing is known but the period:
// shares change their order then, and only then. The recorded priorities tell: those that jobs had
// when they were submitted, for which a calculation of each possible phase is tried with the jobs
// that ran. It changes nothing if no phase gives at least half of them, or all give as many. A note
// says how many the model has.
func (s *Study) findPhase() error {
	if s.Controller == nil || !s.Controller.Multifactor() || s.Happened || s.Priority.Weights.Fairshare == 0 {
		return nil
	}
	t := phaseTest{Study: s}
	if t.gather(); t.told < fewestTold {
		return nil
	}
	period := ostrich.Time(cmp.Or(s.Priority.Period, multifactor.DefaultPeriod))
	step := max(1, period/60)
	best, most, least := ostrich.Time(0), -1, math.MaxInt
	try := func(phase ostrich.Time) error {
		phase = (phase + period) % period
		right, err := t.right(phase)
		if right > most {
			best, most = phase, right
		}
		least = min(least, right)
		return err
	}
	for phase := ostrich.Time(0); phase < period; phase += step {
		if err := try(phase); err != nil {
			return err
		}
	}
	for near, d := best, 1-step; d < step; d++ {
		if err := try(near + d); err != nil {
			return err
		}
	}
	switch {
	case 2*most < t.told:
		s.Notes = append(s.Notes, plural.Sprintf("The model of priority/multifactor has only %d of %d recorded priorit{y|ies} of jobs at their submission: weights, shares or usage are not those that Slurm had then, "+
			"or something else changed priorities (nice values, site factors, an administrator).", most, t.told))
	case most == least:
		s.Notes = append(s.Notes, plural.Sprintf("The model of priority/multifactor has %d of %d recorded priorit{y|ies} of jobs at their submission, whenever slurmctld calculated.", most, t.told))
	default:
		s.Priority.Phase -= best
		s.Notes = append(s.Notes, plural.Sprintf("The model of priority/multifactor has %d of %d recorded priorit{y|ies} of jobs at their submission, with slurmctld's calculations at the moments that fit best.", most, t.told))
	}
	return nil
}

// usedBefore sets what the associations of a model have used when the window begins, by the jobs that
// ended before it. With LoseEnds its Phase decides how much of each was counted.
func (s *Study) usedBefore(h *accounting.History, jobs []*accounting.Job, c *multifactor.Config) {
	used := make([]float64, len(h.Associations))
	reset := c.Reset.Last(h.From, cmp.Or(s.Location, time.UTC)) // which forgot what was used until then
	for _, j := range jobs {
		counted := j.End
		if c.LoseEnds {
			counted = c.Before(j.End)
		}
		ran := min(j.Ran(), ostrich.Duration(max(0, counted-max(j.Start, reset))))
		left := 1.0
		if hl := c.HalfLife; hl > 0 {
			left = math.Exp2(-float64(h.From-j.End) / float64(hl))
		}
		used[j.Association] += left * float64(ran) * s.billing(j) * c.QOS[j.QOS].UsageFactor
	}
	c.Associations = slices.Clone(c.Associations)
	for i, seconds := range used {
		c.Associations[i].Usage = seconds
	}
}

// normals are the flags that scontrol calls NO_NORMAL_ALL if any of them is set. That of 26.05 names each.
var normals = []normal{
	{"NO_NORMAL_ASSOC", multifactor.NoNormalAssoc, func(w *multifactor.Weights) bool { return w.Assoc > 0 }},
	{"NO_NORMAL_PART", multifactor.NoNormalPart, func(w *multifactor.Weights) bool { return w.Partition > 0 }},
	{"NO_NORMAL_QOS", multifactor.NoNormalQOS, func(w *multifactor.Weights) bool { return w.QOS > 0 }},
	{"NO_NORMAL_TRES", multifactor.NoNormalTRES, func(w *multifactor.Weights) bool {
		return slices.ContainsFunc(w.TRES, func(one float64) bool { return one > 0 })
	}},
}

type normal struct {
	name   string
	flag   multifactor.Flags
	counts func(*multifactor.Weights) bool
}

// findNormal finds which of these flags are set where scontrol does not tell: those with which the
// model has most of the recorded priorities. A flag of a factor without a weight changes nothing, and is not tried.
func (s *Study) findNormal() error {
	k := s.Controller
	if k == nil || !k.Multifactor() || k.Version == "" || !k.Flag("NO_NORMAL_ALL") || s.Happened {
		return nil
	}
	if major, _, ok := k.Release(); ok && major >= 26 {
		return nil
	}
	tried := slices.DeleteFunc(slices.Clone(normals), func(n normal) bool { return !n.counts(&s.Priority.Weights) })
	if len(tried) == 0 {
		return nil
	}
	const said = "scontrol calls PriorityFlags NO_NORMAL_ALL if any of NO_NORMAL_ASSOC, NO_NORMAL_PART, NO_NORMAL_QOS and NO_NORMAL_TRES is set: %s. Only a slurm.conf tells for certain."
	t := phaseTest{Study: s}
	if t.gather(); t.told < fewestTold {
		s.Notes = append(s.Notes, fmt.Sprintf(said, plural.Sprintf("all are taken to be set, as %d recorded priorit{y is|ies are} too few to find out", t.told)))
		return nil
	}
	all, best, most, least, ofAll := s.Priority.Flags, s.Priority.Flags, -1, math.MaxInt, 0
	for set := 1<<len(tried) - 1; set > 0 || set == 0 && len(tried) < len(normals); set-- { // one at least is set, maybe one that is not tried
		s.Priority.Flags = all
		for i, n := range tried {
			if set&(1<<i) == 0 {
				s.Priority.Flags &^= n.flag
			}
		}
		right, err := t.right(0)
		if err != nil {
			return err
		}
		if right > most {
			most, best = right, s.Priority.Flags
		}
		if s.Priority.Flags == all {
			ofAll = right
		}
		least = min(least, right)
	}
	few := 2*most < t.told && (4*most < t.told || most < 2*ofAll) // usage may be another one, and a quarter still tells
	if s.Priority.Flags = best; most == least || few {
		s.Priority.Flags = all
		s.Notes = append(s.Notes, fmt.Sprintf(said, "all are taken to be set, as the recorded priorities do not tell"))
		return nil
	}
	var names []string
	for _, n := range tried {
		if best&n.flag != 0 {
			names = append(names, n.name)
		}
	}
	what := "none whose factor has a weight"
	if len(names) > 0 {
		what = format.List(names)
	}
	s.Notes = append(s.Notes, fmt.Sprintf(said, what+" fits the recorded priorities best, and is taken"))
	return nil
}

// fewestTold is how many recorded priorities it takes.
const fewestTold = 20

type phaseEventKind uint8

// Slurm books an end before the calculation at its moment.
const (
	ended phaseEventKind = iota
	began
	submitted
	withdrawn
)

type phaseEvent struct {
	at   ostrich.Time
	kind phaseEventKind
	job  int
}

type phaseTest struct {
	*Study
	jobs   []*Job
	events []phaseEvent
	told   int // recorded priorities
}

// gather finds what happened to the first jobs, in the order of time, and to those that were preempted until the last of them came.
func (t *phaseTest) gather() {
	var last ostrich.Time
	for i := range min(len(t.Jobs), phaseJobs) {
		t.jobs, last = append(t.jobs, &t.Jobs[i]), max(last, t.Jobs[i].Submit)
	}
	for i := range t.vain {
		if t.vain[i].Submit <= last {
			t.jobs = append(t.jobs, &t.vain[i])
		}
	}
	for i, j := range t.jobs {
		if j.priority > 0 {
			t.told++
		}
		came := j.came // it waits from then on, though it may be eligible later
		if j.campaign < 0 && j.Start == j.Submit {
			came = j.Submit // it is put where it ran before the window
		}
		t.events = append(t.events, phaseEvent{came, submitted, i})
		if j.cancelled { // while it waited, slurmctld read its user's usage
			t.events = append(t.events, phaseEvent{j.Start, withdrawn, i})
			continue
		}
		t.events = append(t.events, phaseEvent{j.Start, began, i})
		if !j.open {
			t.events = append(t.events, phaseEvent{j.ended(), ended, i})
		}
	}
	slices.SortFunc(t.events, func(a, b phaseEvent) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.kind, b.kind), cmp.Compare(a.job, b.job))
	})
}

// right counts the recorded priorities that a model has whose calculations come so long before
// Phase and a whole number of periods later.
func (t *phaseTest) right(phase ostrich.Time) (n int, err error) {
	err = t.each(phase, func(j *Job, priority uint32) {
		if d := int64(priority) - int64(j.priority); j.priority > 0 && d >= -1 && d <= 1 {
			n++
		}
	})
	return n, err
}

// each calls with the priority of each job at its submission, by such a model.
func (t *phaseTest) each(phase ostrich.Time, visit func(j *Job, priority uint32)) error {
	c := t.Priority
	if c.Phase -= phase; c.LoseEnds && t.used != nil {
		t.used(&c)
	}
	m, err := multifactor.New(c, c.Before(t.events[0].at))
	if err != nil {
		return fmt.Errorf("recorded priorities: %w", err)
	}
	begun := make([]bool, len(t.jobs))
	for _, e := range t.events {
		j, id := t.jobs[e.job], ostrich.JobID(e.job+1)
		switch {
		case e.kind == submitted:
			m.AdvanceTo(e.at)
			if !begun[e.job] {
				err = m.Wait(id, j.request(), e.at)
			}
			f := m.Factors(j.request(), e.at)
			visit(j, m.Priority(&f))
		case e.kind == withdrawn:
			err = m.Withdraw(id, j.request(), e.at)
		case e.kind == began:
			begun[e.job] = true // maybe in the second in which it came
			err = errors.Join(m.Wait(id, j.request(), e.at), m.Start(id, j.request(), e.at))
		case begun[e.job]:
			err = m.End(id, e.at)
		}
		if err != nil {
			return fmt.Errorf("recorded priorities: %w", err)
		}
	}
	return nil
}

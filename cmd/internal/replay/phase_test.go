package replay

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting"
	"slurm-ostrich/ostrich/multifactor"
	"slurm-ostrich/ostrich/sim"
	"slurm-ostrich/priority"
)

// TestFindPhase: with priorities that slurmctld calculated at other moments than the model would,
// the model gives at least as many of them afterwards as with any phase that is tried: a second of five.
func TestFindPhase(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := recordedPriorities(t, rapid.IntRange(0, 299).Draw(t, "phase"))
		before, most := (&phaseTest{Study: s}).all(t)
		if err := s.findPhase(); err != nil {
			t.Fatal(err)
		}
		after, _ := (&phaseTest{Study: s}).all(t)
		if told := 2*most >= len(s.Jobs) && most > before; after < before || told && after < most {
			t.Errorf("%d of %d priorities were right, %d are, and %d can be", before, len(s.Jobs), after, most)
		}
		if after > before && (len(s.Notes) != 1 || !strings.Contains(s.Notes[0], fmt.Sprintf("has %d of %d recorded priorities", after, len(s.Jobs)))) {
			t.Errorf("%d of %d priorities, notes %q", after, len(s.Jobs), s.Notes)
		}
	})
}

// TestPhaseOfUsage: what a job before the window used is counted up to the calculation that the found phase says.
func TestPhaseOfUsage(t *testing.T) {
	h := history()
	h.Jobs = h.Jobs[:1] // from 500 to 900
	for i := range 40 {
		at := ostrich.Time(1000 + 97*i)
		h.Jobs = append(h.Jobs, accounting.Job{
			ID: ostrich.JobID(20 + i), Association: int32(i % 2), Procs: 1 + int32(i%7), Submit: at, Eligible: at, Start: at + 10, End: at + 10 + ostrich.Time(50+i*37%500), Limit: 900,
		})
	}
	setup := Setup{Options: window30, Controller: &priority.Controller{
		PriorityType: "priority/multifactor", PriorityFlags: []string{"NO_FAIR_TREE"}, Weights: priority.Weights{Fairshare: 1_000_000},
		DecayHalfLife: 3600, CalcPeriod: 300, AccountingEnforce: []string{"associations"},
	}}
	recorded := phaseTest{Study: mustNew(t, h, setup)}
	recorded.gather()
	want := (880 - 500) * 4 * math.Exp2(-100./3600) // as a slurmctld has it that calculates at 880
	recorded.Priority.Associations[0].Usage = want
	if err := recorded.each(120, func(j *Job, priority uint32) { h.Jobs[j.Slurm-19].Priority = priority }); err != nil {
		t.Fatal(err)
	}
	found := mustNew(t, h, setup)
	c := found.Priority
	if c.Phase != 880 {
		t.Fatalf("phase %d, want 880; %q", c.Phase, found.Notes)
	}
	if math.Abs(c.Associations[0].Usage-want) > 1e-6 {
		t.Errorf("used before the window: %v, want %v", c.Associations[0].Usage, want)
	}
	has := phaseTest{Study: found}
	has.gather()
	if right, err := has.right(0); right != has.told || err != nil {
		t.Errorf("the model has %d of %d recorded priorities, %v", right, has.told, err)
	}
}

// TestFirstVain: of the runs in vain, those count that came before the last of the first jobs.
func TestFirstVain(t *testing.T) {
	s := &Study{vain: make([]Job, 2)}
	for i := range phaseJobs + 1 {
		j := Job{Job: sim.Job{Submit: ostrich.Time(i)}}
		s.Jobs = append(s.Jobs, j)
	}
	s.vain[0].Submit, s.vain[1].Submit = phaseJobs-1, phaseJobs
	test := phaseTest{Study: s}
	if test.gather(); len(test.jobs) != phaseJobs+1 || test.jobs[phaseJobs] != &s.vain[0] {
		t.Errorf("%d jobs, want the first %d and one in vain", len(test.jobs), phaseJobs)
	}
}

// TestNoPhase: what nothing tells is left as it is. Where the model has few of the priorities, a note says so.
func TestNoPhase(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := recordedPriorities(t, 100)
		notes := 0
		switch rapid.IntRange(0, 2).Draw(t, "case") {
		case 0: // not recorded
			for i := range s.Jobs {
				s.Jobs[i].priority = 0
			}
		case 1: // a site factor, of which the record says nothing
			notes = 1
			for i := range s.Jobs {
				s.Jobs[i].priority += uint32(1000 + i)
			}
		case 2:
			s.Controller.PriorityType = "priority/basic"
		}
		was := s.Priority.Phase
		if err := s.findPhase(); err != nil || s.Priority.Phase != was || len(s.Notes) != notes || notes > 0 && !strings.Contains(s.Notes[0], "has only ") {
			t.Errorf("%v, phase %d was %d, notes %q", err, s.Priority.Phase, was, s.Notes)
		}
	})
}

// TestPhaseOfWaits: under classic fair share, what waits when slurmctld calculates decides when usage is read. A job waits from its submission
// on, also while it is not eligible; one that starts at once does not. The priority of a job of several partitions is that in the first.
func TestPhaseOfWaits(t *testing.T) {
	h := history()
	h.Needs = []accounting.Needs{{}, {Layout: accounting.Layout{Known: true, Partitions: "main,main2"}}, {Layout: accounting.Layout{Known: true, Partitions: "main2,main"}}}
	h.Partitions = []string{"main", "main2"}
	job := func(id ostrich.JobID, user int32, submit, eligible, start, end ostrich.Time) accounting.Job {
		return accounting.Job{ID: id, Association: user, Procs: 1, Submit: submit, Eligible: eligible, Start: start, End: end, Limit: 900, Priority: 1}
	}
	h.Jobs = []accounting.Job{
		job(1, 0, 1010, 1010, 1010, 1900), // at once
		job(2, 0, 1020, 1400, 1400, 1450), // after another
		job(3, 0, 1030, 1030, 1040, 2900),
		job(4, 1, 1050, 1050, 1060, 1350), // its end counts for the next
		job(5, 1, 1360, 1360, 1370, 1500),
		job(6, 0, 1380, 1380, 1390, 1500),
	}
	h.Jobs[4].Needs, h.Jobs[5].Needs = 1, 2
	s := mustNew(t, h, Setup{Options: window30, Controller: &priority.Controller{
		PriorityType: "priority/multifactor", PriorityFlags: []string{"NO_FAIR_TREE"}, Weights: priority.Weights{Fairshare: 1_000_000}, DecayHalfLife: 3600, CalcPeriod: 300, AccountingEnforce: []string{"limits"},
	}})
	phase := phaseTest{Study: s}
	if phase.gather(); phase.told != 4 {
		t.Errorf("%d priorities are told, want those of 1, 3, 4 and 5", phase.told)
	}
	got := make(map[ostrich.JobID]uint32)
	if err := phase.each(0, func(j *Job, priority uint32) { got[j.Slurm] = priority }); err != nil {
		t.Fatal(err)
	}
	m, err := multifactor.New(s.Priority, s.Priority.Before(1010))
	if err != nil {
		t.Fatal(err)
	}
	r := func(slurm ostrich.JobID) *multifactor.Request {
		return s.Jobs[slices.IndexFunc(s.Jobs, func(j Job) bool { return j.Slurm == slurm })].request()
	}
	err = errors.Join(m.Wait(1, r(1), 1010), m.Start(1, r(1), 1010), m.Wait(2, r(2), 1020), m.Wait(3, r(3), 1030), m.Start(3, r(3), 1040), m.Wait(4, r(4), 1050), m.Start(4, r(4), 1060), m.End(4, 1350))
	for _, id := range []ostrich.JobID{5, 6} {
		at := r(id).Submit
		err = errors.Join(err, m.Wait(id, r(id), at))
		m.AdvanceTo(at)
		if f := m.Factors(r(id), at); got[id] != m.Priority(&f) || f.Fairshare == 1 {
			t.Errorf("job %d: priority %d, want %d (%+v)", id, got[id], m.Priority(&f), f)
		}
		err = errors.Join(err, m.Start(id, r(id), at+10))
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestPhaseOfCancelled: a job that was cancelled waits until then like others: where it is a user's first one, what jobs behind it use is not
// counted in the calculations of that time.
func TestPhaseOfCancelled(t *testing.T) {
	h := history()
	h.Partitions = []string{"main", "main2"}
	job := func(id ostrich.JobID, submit, start, end ostrich.Time) accounting.Job {
		return accounting.Job{ID: id, Procs: 1, Submit: submit, Eligible: submit, Start: start, End: end, Limit: 5000, Priority: 1}
	}
	h.Jobs = []accounting.Job{job(1, 1010, 1011, 3000), job(2, 1020, 0, 1500), job(3, 1030, 1031, 3000), job(4, 1450, 1451, 3000), job(5, 1750, 1751, 3000)}
	h.Jobs[1].State = accounting.Cancelled
	h.Jobs = append(h.Jobs, job(6, 1040, 1041, 3000)) // of another user
	h.Jobs[5].Association = 1
	s := mustNew(t, h, Setup{Options: window30, Controller: &priority.Controller{
		PriorityType: "priority/multifactor", PriorityFlags: []string{"NO_FAIR_TREE"}, Weights: priority.Weights{Fairshare: 1_000_000}, DecayHalfLife: 3600, CalcPeriod: 300, AccountingEnforce: []string{"limits"},
	}})
	phase := phaseTest{Study: s}
	phase.gather()
	got := make(map[ostrich.JobID]uint32)
	if err := phase.each(0, func(j *Job, priority uint32) { got[j.Slurm] = priority }); err != nil {
		t.Fatal(err)
	}
	m, err := multifactor.New(s.Priority, s.Priority.Before(1010))
	if err != nil {
		t.Fatal(err)
	}
	r := func(slurm ostrich.JobID) *multifactor.Request {
		return s.Jobs[slices.IndexFunc(s.Jobs, func(j Job) bool { return j.Slurm == slurm })].request()
	}
	for _, id := range []ostrich.JobID{1, 2, 3, 6, 4, 5} {
		if id == 5 {
			err = errors.Join(err, m.Withdraw(2, r(2), 1500))
		}
		at := r(id).Submit
		err = errors.Join(err, m.Wait(id, r(id), at))
		if f := m.Factors(r(id), at); got[id] != m.Priority(&f) {
			t.Errorf("job %d: priority %d, want %d", id, got[id], m.Priority(&f))
		}
		if id != 2 {
			err = errors.Join(err, m.Start(id, r(id), at+1))
		}
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestFindNormal: scontrol's NO_NORMAL_ALL stands for any of four flags. Those that the recorded priorities have are found;
// 26.05, and a slurm.conf, which names no release, means what it says.
func TestFindNormal(t *testing.T) {
	const all = multifactor.NoNormalAssoc | multifactor.NoNormalPart | multifactor.NoNormalQOS | multifactor.NoNormalTRES
	rapid.Check(t, func(t *rapid.T) {
		set := rapid.SampledFrom(normals).Draw(t, "set")
		s := recordedPriorities(t, 0)
		s.Priority.Weights = multifactor.Weights{Fairshare: 1000, Assoc: 100, Partition: 2000, QOS: 3000, TRES: []float64{500}}
		s.Priority.TRES, s.Priority.Associations[0].Priority = []string{"cpu"}, 7
		s.Priority.Partitions = []multifactor.Partition{{JobFactor: 5, TRES: []float64{16}}}
		s.Priority.QOS[0].Priority = 9
		for i := range s.Jobs {
			s.Jobs[i].wants.request.TRES = []float64{1}
		}
		s.Jobs[0].wants.request.Association = 0
		record := func(flags multifactor.Flags) {
			s.Priority.Flags = flags
			p := phaseTest{Study: s}
			p.gather()
			if err := p.each(0, func(j *Job, priority uint32) { j.priority = priority }); err != nil {
				t.Fatal(err)
			}
		}
		record(set.flag)
		s.Priority.Flags = all // as scontrol says it
		s.Controller.PriorityFlags = []string{"NO_NORMAL_ALL"}
		if err := s.findNormal(); err != nil || s.Priority.Flags != all || len(s.Notes) > 0 {
			t.Errorf("of a slurm.conf: %v, flags %b, notes %q", err, s.Priority.Flags, s.Notes)
		}
		s.Controller.Version = "26.05.5"
		if err := s.findNormal(); err != nil || s.Priority.Flags != all || len(s.Notes) > 0 {
			t.Errorf("of 26.05: %v, flags %b, notes %q", err, s.Priority.Flags, s.Notes)
		}
		s.Controller.Version = "24.11.5"
		if err := s.findNormal(); err != nil || s.Priority.Flags != set.flag || len(s.Notes) != 1 || !strings.Contains(s.Notes[0], set.name+" fits") {
			t.Errorf("%v, flags %b, want %b; notes %q", err, s.Priority.Flags, set.flag, s.Notes)
		}
		for i := range s.Jobs { // something else changed most of them: the others still tell
			if i%5 > 1 {
				s.Jobs[i].priority += 7777
			}
		}
		s.Priority.Flags, s.Notes = all, s.Notes[:1]
		if err := s.findNormal(); err != nil || s.Priority.Flags != set.flag {
			t.Errorf("of two fifths: %v, flags %b, want %b; notes %q", err, s.Priority.Flags, set.flag, s.Notes)
		}
		s.Notes = s.Notes[:1]
		record(all)
		if err := s.findNormal(); err != nil || s.Priority.Flags != all || !strings.Contains(s.Notes[1], "NO_NORMAL_QOS and NO_NORMAL_TRES fits") {
			t.Errorf("%v, flags %b, want all; notes %q", err, s.Priority.Flags, s.Notes)
		}
		// Only flags of factors with a weight are tried and named.
		s.Priority.Weights.Assoc, s.Priority.Weights.TRES = 0, nil
		for flags, name := range map[multifactor.Flags]string{multifactor.NoNormalQOS: "is set: NO_NORMAL_QOS fits", multifactor.NoNormalTRES: "is set: none whose factor has a weight fits"} {
			record(flags)
			s.Priority.Flags, s.Notes = all, nil
			const counted = multifactor.NoNormalPart | multifactor.NoNormalQOS
			if err := s.findNormal(); err != nil || s.Priority.Flags&counted != flags&counted || len(s.Notes) != 1 || !strings.Contains(s.Notes[0], name) {
				t.Errorf("%v, flags %b, want %b of those with a weight; notes %q", err, s.Priority.Flags, flags, s.Notes)
			}
		}
		// Where all QOS have the same priority, nothing tells.
		s.Priority.Weights, s.Priority.QOS[0].Priority = multifactor.Weights{Fairshare: 1000, QOS: 3000}, 0
		record(multifactor.NoNormalTRES)
		s.Priority.Flags, s.Notes = all, nil
		if err := s.findNormal(); err != nil || s.Priority.Flags != all || len(s.Notes) != 1 || !strings.Contains(s.Notes[0], "as the recorded priorities do not tell") {
			t.Errorf("of one QOS: %v, flags %b, notes %q", err, s.Priority.Flags, s.Notes)
		}
		s.Priority.Weights = multifactor.Weights{Fairshare: 1000}
		s.Priority.Flags, s.Notes = all, nil
		if err := s.findNormal(); err != nil || len(s.Notes) > 0 {
			t.Errorf("without weights: %v, notes %q", err, s.Notes)
		}
		s.Priority.Weights.QOS = 3000
		for i := range s.Jobs[fewestTold-1:] {
			s.Jobs[fewestTold-1+i].priority = 0
		}
		if err := s.findNormal(); err != nil || s.Priority.Flags != all || len(s.Notes) != 1 || !strings.Contains(s.Notes[0], "all are taken to be set, as 19 recorded priorities are too few") {
			t.Errorf("%v, flags %b, want all; notes %q", err, s.Priority.Flags, s.Notes)
		}
	})
}

// all counts the priorities that the model has with the present Phase, and the most with one a
// multiple of five seconds away.
func (p *phaseTest) all(t *rapid.T) (present, most int) {
	p.gather()
	for phase := ostrich.Time(0); phase < 300; phase += 5 {
		n, err := p.right(phase)
		if err != nil {
			t.Fatal(err)
		}
		if most = max(most, n); phase == 0 {
			present = n
		}
	}
	return present, most
}

// recordedPriorities is a study of jobs with the priorities that they had at their submission when
// calculations came phase seconds before Study.Priority.Phase.
func recordedPriorities(t *rapid.T, phase int) *Study {
	const jobs = 40
	s := &Study{
		Setup: Setup{Controller: &priority.Controller{PriorityType: "priority/multifactor"}},
		Priority: multifactor.Config{
			Procs: 16, Nodes: 4, Phase: 100000, HalfLife: 600, Period: 300,
			Weights:      multifactor.Weights{Fairshare: 100000, Age: 1000},
			MaxAge:       86400,
			Associations: []multifactor.Association{{User: "a", Account: "root", Shares: 1}, {User: "b", Account: "root", Shares: 2}, {User: "c", Account: "root", Shares: 3}},
			Partitions:   []multifactor.Partition{{}}, QOS: []multifactor.QOS{{UsageFactor: 1}},
		},
	}
	at := ostrich.Time(100000)
	for i := range jobs {
		at += ostrich.Time(rapid.IntRange(0, 200).Draw(t, "gap"))
		j := Job{Job: sim.Job{ID: ostrich.JobID(i + 1), Submit: at, Run: ostrich.Duration(rapid.IntRange(1, 900).Draw(t, "run")), Procs: 1}}
		j.Start = at + ostrich.Time(rapid.IntRange(0, 100).Draw(t, "wait"))
		j.came, j.wants = at, &wants{request: multifactor.Request{Association: rapid.IntRange(0, 2).Draw(t, "user"), Procs: 1, Nodes: 1, Billing: float64(rapid.IntRange(1, 16).Draw(t, "billing"))}}
		s.Jobs = append(s.Jobs, j)
	}
	p := phaseTest{Study: s}
	p.gather()
	err := p.each(ostrich.Time(phase), func(j *Job, priority uint32) { j.priority = priority })
	if err != nil {
		t.Fatal(err)
	}
	return s
}

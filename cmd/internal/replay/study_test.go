package replay

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"slurm-ostrich/cmd/internal/configuration"
	"slurm-ostrich/cmd/internal/simulation"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting"
	"slurm-ostrich/ostrich/campaign"
	"slurm-ostrich/ostrich/multifactor"
	"slurm-ostrich/ostrich/report"
	"slurm-ostrich/ostrich/sim"
	"slurm-ostrich/ostrich/sim/swf"
	"slurm-ostrich/ostrich/trace"
	"slurm-ostrich/priority"
	"slurm-ostrich/priority/slurm"
)

// window30 is ostrichd's own rule.
var window30 = ostrich.Options{Rule: campaign.Rule{By: campaign.Window, Threshold: 1800}, Machine: ostrich.Parallel, Inside: ostrich.LJF}

// history is a small cluster of two partitions. Times are from 1000 on.
func history() *accounting.History {
	return &accounting.History{
		From: 1000, To: 5000, Procs: 8, Nodes: 4,
		Associations: []accounting.Association{{ID: 1, User: "alice", Account: "physics"}, {ID: 2, User: "bob", Account: "physics"}},
		Partitions:   []string{"main", "long"}, QOS: []string{"normal"},
		Jobs: []accounting.Job{
			{ID: 10, Procs: 4, Submit: 400, Start: 500, End: 900},                                // before the window
			{ID: 11, Procs: 4, Nodes: 2, Submit: 990, Start: 1000, End: 1100, Limit: 200},        // reaches into it
			{ID: 12, Association: 1, Procs: 8, Submit: 1010, Start: 1100, End: 1200, Limit: 100}, // and this one is alone in it
			{ID: 13, Association: 1, Procs: 2, Submit: 1020, Eligible: 1050, Start: 1060, End: 1060, Limit: 100},
			{ID: 14, Procs: 2, Submit: 1030, State: accounting.Pending},
			{ID: 15, Procs: 2, Submit: 1030, Start: 1040, State: accounting.Running},
			{ID: 16, Procs: 2, Submit: 1030, Start: 1020, End: 1100},
			{ID: 17, Partition: 1, Procs: 16, Submit: 1035, Start: 1040, End: 1090, Limit: 100},
		},
	}
}

func mustNew(t testing.TB, h *accounting.History, setup Setup) *Study {
	t.Helper()
	setup.Run.Backfill = sim.Slurm
	s, err := New(h, setup)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestInstant: a job that ended in the second in which it started has used nothing, though it runs for a second in the replay.
func TestInstant(t *testing.T) {
	for _, j := range mustNew(t, history(), Setup{Options: window30}).Jobs {
		if instant := j.Slurm == 13; j.request().Free != instant {
			t.Errorf("job %d is free: %t, want %t", j.Slurm, j.request().Free, instant)
		}
	}
}

// TestTasksInOrder: the last task of an array, which keeps the array's id, comes behind the others, and other jobs of the same second
// where the array's id puts them.
func TestTasksInOrder(t *testing.T) {
	h := history()
	h.Jobs = nil
	for _, j := range []struct{ id, array ostrich.JobID }{{20, 20}, {19, 0}, {22, 20}, {21, 0}, {23, 20}} {
		h.Jobs = append(h.Jobs, accounting.Job{ID: j.id, Array: j.array, Procs: 1, Submit: 1010, Start: 1100, End: 1200, Limit: 100})
	}
	h.Jobs[1].Eligible = 1050 // which comes last, and has its place in the queue all the same
	var got []ostrich.JobID
	var queued []int32
	for _, j := range mustNew(t, h, Setup{Options: window30}).Jobs {
		got, queued = append(got, j.Slurm), append(queued, j.Queued)
	}
	if want := []ostrich.JobID{22, 23, 20, 21, 19}; !slices.Equal(got, want) {
		t.Errorf("jobs %v, want %v", got, want)
	}
	if want := []int32{2, 3, 4, 5, 1}; !slices.Equal(queued, want) {
		t.Errorf("they have the places %v in the queue, want %v", queued, want)
	}
}

func TestNew(t *testing.T) {
	s := mustNew(t, history(), Setup{Options: window30})
	want := []sim.Job{
		{ID: 1, User: 1, Submit: 990, Run: 100, Estimate: 200, Procs: 4, Queued: 1, Tier: 1, Start: 1000},
		{ID: 2, User: 2, Submit: 1010, Run: 100, Estimate: 100, Procs: 8, Queued: 2, Tier: 1, Start: 1100},
		{ID: 3, User: 1, Submit: 1030, Run: 43200, Estimate: 86400, Procs: 2, Queued: 4, Tier: 1, Start: 1040}, // had not ended
		{ID: 4, User: 1, Submit: 1035, Run: 50, Estimate: 100, Procs: 8, Queued: 5, Tier: 1, Start: 1040},
		{ID: 5, User: 2, Submit: 1050, Run: 1, Estimate: 100, Procs: 2, Queued: 3, Tier: 1, Start: 1060},
	}
	var got []sim.Job
	var ids []ostrich.JobID
	for _, j := range s.Jobs {
		got, ids = append(got, j.Job), append(ids, j.Slurm)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("jobs -want +got:\n%s", diff)
	}
	if diff := cmp.Diff([]ostrich.JobID{11, 12, 15, 17, 13}, ids); diff != "" {
		t.Errorf("ids -want +got:\n%s", diff)
	}
	notes := strings.Join(s.Notes, "\n")
	for _, words := range []string{
		"Jobs that had not ended are taken to run for 50 %", "No configuration of priority/multifactor", "No association tree",
	} {
		if !strings.Contains(notes, words) {
			t.Errorf("no note %q in:\n%s", words, notes)
		}
	}
	left := make(map[string]int)
	for _, l := range s.left.rows() {
		left[l.What] = l.Jobs
	}
	wantLeft := map[string]int{"never_started": 1, "unfinished": 1, "impossible": 1, "eligible_late": 1, "too_wide": 1, "instant": 1}
	if diff := cmp.Diff(wantLeft, left); diff != "" {
		t.Errorf("left out -want +got:\n%s", diff)
	}
	// 4 processors for 400 s, 100 s before the window, half-life 7 days.
	if got, want := s.Priority.Associations[0].Usage, 1600*math.Exp2(-100.0/(7*86400)); math.Abs(got-want) > 1e-9 {
		t.Errorf("usage before the window: %v, want %v", got, want)
	}
	billed := history()
	billed.Jobs[0].Billing = 2
	site := &accounting.Site{QOS: []accounting.QOS{{Name: "normal", UsageFactor: 3}}}
	if got, want := mustNew(t, billed, Setup{Options: window30, Site: site}).Priority.Associations[0].Usage, 3*800*math.Exp2(-100.0/(7*86400)); math.Abs(got-want) > 1e-9 {
		t.Errorf("usage before the window, billed: %v, want %v", got, want)
	}
	recorded := s.Recorded()
	if len(recorded) != 4 || recorded[2].ID != 17 {
		t.Errorf("recorded: %+v, want four without the one that had not ended", recorded)
	}
	if got := (report.Job{ID: 12, User: 2, Campaign: 1, Submit: 1010, Start: 1100, End: 1200, Procs: 8, Estimate: 100}); recorded[1] != got {
		t.Errorf("recorded: %+v, want %+v", recorded[1], got)
	}
}

// TestNewWaiting: a job that waits at the end of the data starts no sooner.
func TestNewWaiting(t *testing.T) {
	h := history()
	h.Jobs[4].Eligible = 1030
	s := mustNew(t, h, Setup{Options: window30})
	i := slices.IndexFunc(s.Jobs, func(j Job) bool { return j.Slurm == 14 })
	if i < 0 || s.Jobs[i].Start < h.To {
		t.Errorf("job 14 waits until %d: %+v", h.To, s.Jobs)
	}
}

// TestNewArray: a task's recorded priority is that of its start, and no sign of one at its submission.
func TestNewArray(t *testing.T) {
	h := history()
	for i := range h.Jobs {
		h.Jobs[i].Array, h.Jobs[i].Priority = 9, 100
	}
	h.Jobs[2].Array = 0
	for _, j := range mustNew(t, h, Setup{Options: window30}).Jobs {
		if got, want := j.priority > 0, j.Slurm == 12; got != want || (j.Array == 9) == want {
			t.Errorf("job %d: priority %d, array %d", j.Slurm, j.priority, j.Array)
		}
	}
}

// TestWeightTRES: what jobs ask for and partitions have of the resources of PriorityWeightTRES.
func TestWeightTRES(t *testing.T) {
	h := history()
	h.Needs = []accounting.Needs{{}, {TRES: "gres/gpu=2,gres/gpu:a100=2,license/l=1"}}
	h.Jobs[1].Needs, h.Jobs[1].Memory = 1, 1000
	controller := priority.Controller{PriorityType: "priority/multifactor", Weights: priority.Weights{TRES: []priority.TRESWeight{
		{Name: "CPU", Weight: 1}, {Name: "Mem", Weight: 2}, {Name: "GRES/gpu:a100", Weight: 3}, {Name: "license/l", Weight: 4}, {Name: "gres/none", Weight: 5},
	}}}
	s := mustNew(t, h, Setup{Options: window30, Controller: &controller, Partitions: []priority.Partition{{
		Name: "main", TotalCPUs: 8, Nodes: []string{"n1", "n2"}, NodeCPUs: []int{4, 4},
		NodeTRES: []string{"cpu=4,mem=2000M,gres/gpu=4,gres/gpu:a100=3", "cpu=4,mem=3G"},
	}, {Name: "long"}}})
	if diff := cmp.Diff([]float64{8, 5072, 3, 0}, s.Priority.Partitions[0].TRES); diff != "" {
		t.Errorf("partition -want +got:\n%s", diff)
	}
	if diff := cmp.Diff([]float64{4, 1000, 2, 0}, s.Jobs[0].wants.request.TRES); diff != "" || s.Jobs[0].Slurm != 11 {
		t.Errorf("job -want +got:\n%s", diff)
	}
	notes := strings.Join(s.Notes, "\n")
	for _, words := range []string{"PriorityWeightTRES license/l=4: not known of the jobs", "PriorityWeightTRES gres/none=5: nothing tells how much of it the partitions have"} {
		if strings.Count(notes, words) != 1 || strings.Count(notes, "PriorityWeightTRES") != 2 {
			t.Errorf("no note %q in:\n%s", words, notes)
		}
	}
}

// TestWarmUp: what was used before the window is right when the window begins, even if a
// replay has to begin long before that, with the submission of a job that waited.
func TestWarmUp(t *testing.T) {
	const week = 7 * 86400 // the half-life
	h := history()
	for i := range h.Jobs {
		j := &h.Jobs[i]
		j.Submit += 4 * week
		for _, at := range []*ostrich.Time{&j.Eligible, &j.Start, &j.End} {
			if *at != 0 {
				*at += 4 * week
			}
		}
	}
	h.From, h.To = h.From+4*week, h.To+4*week
	usage := func(what string) float64 {
		s := mustNew(t, h, Setup{Options: window30})
		m, err := s.model(h, h.From)
		if err != nil {
			t.Fatal(err)
		}
		m.AdvanceTo(h.From)
		first := s.asOf(s.Jobs[0].Submit)
		if left := first.Associations[0].Usage * math.Exp2(-float64(h.From-s.Jobs[0].Submit)/week); math.Abs(left/s.Priority.Associations[0].Usage-1) > 1e-9 {
			t.Errorf("%s: %v are left of what a replay begins with, want %v", what, left, s.Priority.Associations[0].Usage)
		}
		return m.Share(0).RawUsage
	}
	want := usage("without")
	h.Jobs = append(h.Jobs, accounting.Job{ID: 9, Association: 1, Procs: 1, Submit: 1000, Start: h.From + 50, End: h.From + 60})
	if got := usage("with"); math.Abs(got/want-1) > 0.001 {
		t.Errorf("usage when the window begins is %v with a job that waited for four weeks, and %v without", got, want)
	}
}

// TestLogWindow: the window of a log begins with its first submission, so that what is cut
// off before does not count as idle time.
func TestLogWindow(t *testing.T) {
	log := &trace.Log{Records: []trace.Record{
		{Number: 2, Submit: 5000, Wait: 10, Run: 100, Allocated: 1, User: 1}, {Number: 1, Submit: 4000, Wait: 0, Run: 100, Allocated: 1, User: 1},
	}}
	h, err := FromLog(log, 4)
	if err != nil || h.From != 4001 || h.To != 5002 {
		t.Errorf("%v: from %d to %d, want 4001 to 5002", err, h.From, h.To)
	}
}

// TestLimits: without limits in AccountingStorageEnforce, slurmctld does not count the last
// part of a job, and enforces none.
func TestLimits(t *testing.T) {
	for word, lose := range map[string]bool{"": true, "associations": true, "qos": true, "limits": false, "Safe": false, "all": false} {
		k := &priority.Controller{PriorityType: "priority/multifactor", AccountingEnforce: []string{word}}
		s, err := New(history(), Setup{Options: window30, Controller: k})
		if err != nil || s.Priority.LoseEnds != lose {
			t.Errorf("AccountingStorageEnforce=%s: ends lost %t, %v", word, s.Priority.LoseEnds, err)
		}
	}
}

// TestLost: a job that is said to run beyond its time limit was lost. It stands in nobody's
// way from then on, and the processors that it had are not busy.
func TestLost(t *testing.T) {
	h := history()
	h.Jobs = append(h.Jobs, accounting.Job{ID: 18, Procs: 8, Submit: 700, Start: 700, State: accounting.Running, Limit: 300})
	s := mustNew(t, h, Setup{Options: window30})
	if j := s.Jobs[0]; s.Jobs[0].Slurm != 18 || j.Start != 700 || j.Run != 300 {
		t.Errorf("job %d runs from %d for %d s", s.Jobs[0].Slurm, j.Start, j.Run)
	}
	h.Jobs = append(h.Jobs, accounting.Job{ID: 19, Procs: 8, Submit: 10, Start: 10, State: accounting.Running, Limit: 300})
	if s = mustNew(t, h, Setup{Options: window30}); s.Jobs[0].Slurm != 18 || s.left.jobs[lostEnd] != 1 {
		t.Errorf("first job %d, notes %q", s.Jobs[0].Slurm, s.Notes)
	}
	ran := s.ran(h)
	ran = ran[:len(ran)-1]
	if last := ran[len(ran)-1]; last.ID != 18 || last.End != 1000 {
		t.Errorf("job %d ends at %d, want 1000", last.ID, last.End)
	}
	if before := ran[4]; before.ID != 15 || before.End != h.To {
		t.Errorf("job %d, which runs without a limit, ends at %d, want %d", before.ID, before.End, h.To)
	}
}

func TestNewErrors(t *testing.T) {
	empty := history()
	empty.Jobs = empty.Jobs[:1]
	if _, err := New(empty, Setup{Options: window30}); !errors.Is(err, ErrNoJobs) || !strings.Contains(err.Error(), "1 ended before it") {
		t.Errorf("a window without jobs: %v", err)
	}
	small := history()
	small.Procs = 0
	if _, err := New(small, Setup{Options: window30}); err == nil || !strings.Contains(err.Error(), "--procs") {
		t.Errorf("a machine of unknown size: %v", err)
	}
	if _, err := New(history(), Setup{Options: window30, Controller: &priority.Controller{PriorityType: "priority/basic"}}); err == nil || !strings.Contains(err.Error(), "priority/basic") {
		t.Errorf("priority/basic: %v", err)
	}
}

// TestPools: partitions that share nodes are one machine.
func TestPools(t *testing.T) {
	parts := []priority.Partition{
		{Name: "main", TotalCPUs: 8, Nodes: []string{"n1", "n2"}, PriorityTier: 1, MaxTime: priority.Unlimited},
		{Name: "long", TotalCPUs: 8, Nodes: []string{"n3", "n4"}, PriorityTier: 2, MaxTime: 300},
	}
	s := mustNew(t, history(), Setup{Options: window30, Partitions: parts})
	if diff := cmp.Diff([]Pool{{Partitions: []string{"main"}, Procs: 8}, {Partitions: []string{"long"}, Procs: 8}}, s.Pools); diff != "" {
		t.Errorf("apart -want +got:\n%s", diff)
	}
	parts[1].Nodes = []string{"n2", "n3"}
	s = mustNew(t, history(), Setup{Options: window30, Partitions: parts})
	if diff := cmp.Diff([]Pool{{Partitions: []string{"main", "long"}, Procs: 12}}, s.Pools); diff != "" {
		t.Errorf("together -want +got:\n%s", diff)
	}
	for _, fat := range [][]priority.Partition{
		{{Name: "main", TotalCPUs: 8 + 128, Nodes: []string{"n1", "n2", "fat"}}, {Name: "long", TotalCPUs: 128, Nodes: []string{"fat"}}},
		{{Name: "main", TotalCPUs: 8, Nodes: []string{"n1", "n2", "n3", "n4"}}, {Name: "long", TotalCPUs: 2 + 128, Nodes: []string{"n2", "fat"}}},
	} {
		if of := mustNew(t, history(), Setup{Options: window30, Partitions: fat}); of.Procs != 136 {
			t.Errorf("small nodes of 8 processors and one of 128 are %d in %v", of.Procs, fat)
		}
	}
	campaigns, err := s.campaigns(0, s.Options.Rule)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range campaigns {
		for _, task := range c.Jobs {
			if want := map[ostrich.JobID]int32{11: 1, 12: 1, 13: 1, 15: 1, 17: 2}[s.Jobs[task.ID-1].Slurm]; task.Tier != want {
				t.Errorf("job %d is of tier %d, want %d", s.Jobs[task.ID-1].Slurm, task.Tier, want)
			}
		}
	}
}

// drawStudy draws a history of three users in two accounts.
func drawStudy(t *rapid.T) *Study {
	h := &accounting.History{
		From: 100, To: 10000, Procs: rapid.IntRange(1, 8).Draw(t, "m"),
		Associations: []accounting.Association{{User: "a", Account: "x"}, {User: "b", Account: "x"}, {User: "c", Account: "y"}},
		Partitions:   []string{"p"}, QOS: []string{"q"},
	}
	for i := range rapid.IntRange(1, 20).Draw(t, "jobs") {
		submit := ostrich.Time(100 + rapid.IntRange(0, 60).Draw(t, "submit"))
		start := submit + ostrich.Time(rapid.IntRange(0, 20).Draw(t, "wait"))
		h.Jobs = append(h.Jobs, accounting.Job{
			ID: ostrich.JobID(i + 1), Association: int32(rapid.IntRange(0, 2).Draw(t, "user")), Submit: submit, Start: start,
			End: start + ostrich.Time(rapid.IntRange(1, 30).Draw(t, "run")), Procs: int32(rapid.IntRange(1, h.Procs).Draw(t, "procs")),
			Limit: ostrich.Duration(rapid.IntRange(1, 40).Draw(t, "limit")),
		})
	}
	s, err := New(h, Setup{Options: window30, Tree: rapid.Bool().Draw(t, "tree")})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestReplay: whatever the policy, the jobs are those of the history, in its
// order, and run as long as they did.
func TestReplay(t *testing.T) {
	names := simulation.Names(simulation.Policies(simulation.Site))
	rapid.Check(t, func(t *rapid.T) {
		s := drawStudy(t)
		recorded := s.Recorded()
		for _, name := range names {
			s.Run.Backfill = rapid.SampledFrom([]sim.Backfill{sim.None, sim.EASY, sim.Conservative, sim.Slurm}).Draw(t, "backfill")
			ended := 0
			jobs, _, err := s.Replay(sitePolicy(t, name), func(n int) { ended = n })
			if err != nil {
				t.Fatal(err)
			}
			if len(jobs) != len(recorded) || ended != len(jobs) {
				t.Fatalf("%s: %d jobs and %d ended, of %d", name, len(jobs), ended, len(recorded))
			}
			for i := range jobs {
				got, want := jobs[i], recorded[i]
				if got.Start < got.Submit {
					t.Errorf("%s: job %d starts at %d and comes at %d", name, got.ID, got.Start, got.Submit)
				}
				got.End -= got.Start
				want.End -= want.Start
				got.Start, want.Start = 0, 0
				if got != want {
					t.Errorf("%s: %+v, recorded %+v", name, got, want)
				}
			}
		}
	})
}

// TestFairshare: who has used more waits, and half a year later does not.
func TestFairshare(t *testing.T) {
	h := &accounting.History{
		From: 1000, To: 9000, Procs: 4, Partitions: []string{"p"}, QOS: []string{"q"},
		Associations: []accounting.Association{{User: "a", Account: "x"}, {User: "b", Account: "y"}},
		Jobs: []accounting.Job{
			{ID: 1, Association: 0, Procs: 4, Submit: 0, Start: 1, End: 999},
			{ID: 2, Association: 1, Procs: 4, Submit: 1000, Start: 1000, End: 1600, Limit: 600},
			{ID: 3, Association: 0, Procs: 4, Submit: 1001, Start: 1600, End: 1700, Limit: 100},
			{ID: 4, Association: 1, Procs: 4, Submit: 1002, Start: 1700, End: 1800, Limit: 100},
		},
	}
	// starts returns when the jobs of a and of b start that wait for the first one of b.
	starts := func() (a, b ostrich.Time) {
		jobs, _, err := mustNew(t, h, Setup{Options: window30}).Replay(sitePolicy(t, "fairshare"), func(int) {})
		if err != nil {
			t.Fatal(err)
		}
		return jobs[1].Start, jobs[2].Start
	}
	if a, b := starts(); b >= a {
		t.Errorf("b, who has used less, starts at %d, and a at %d", b, a)
	}
	const later = 182 * 86400
	h.From, h.To = h.From+later, h.To+later
	for i := range h.Jobs[1:] {
		j := &h.Jobs[i+1]
		j.Submit, j.Start, j.End = j.Submit+later, j.Start+later, j.End+later
	}
	if a, b := starts(); a >= b {
		t.Errorf("half a year later a, whose usage has decayed, starts at %d, and b at %d", a, b)
	}
}

// TestMeasure: every policy is measured in the campaigns that Setup.Measure
// finds in the recorded times, whatever rule OStrich has.
func TestMeasure(t *testing.T) {
	h := history()
	h.Jobs = []accounting.Job{ // alice: the second job comes 10 min after the first, which has ended
		{ID: 1, Procs: 4, Submit: 1000, Start: 1000, End: 1100, Limit: 200},
		{ID: 2, Procs: 4, Submit: 1600, Start: 1600, End: 1900, Limit: 400},
		{ID: 3, Procs: 4, Submit: 1700, Start: 1700, End: 1800, Limit: 400},
	}
	for _, tt := range []struct {
		rule string
		want []int
	}{{"max", []int{0, 1, 1}}, {"window", []int{0, 0, 0}}, {"window=1m", []int{0, 1, 2}}, {"arrival=2m", []int{0, 1, 1}}} {
		rule, err := configuration.ParseRule(tt.rule)
		if err != nil {
			t.Fatal(err)
		}
		s := mustNew(t, h, Setup{Options: window30, Measure: rule})
		runs := map[string][]report.Job{"recorded": s.Recorded()}
		for _, p := range []string{"fairshare", "ostrich", "ostrich:rule=arrival:threshold=1s", "fcfs-campaigns"} {
			if runs[p], _, err = s.Replay(sitePolicy(t, p), func(int) {}); err != nil {
				t.Fatal(err)
			}
		}
		for name, jobs := range runs {
			var got []int
			for i := range jobs {
				got = append(got, jobs[i].Campaign)
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("%s, %s: campaigns %v, want %v", tt.rule, name, got, tt.want)
			}
		}
	}
	for _, bad := range []string{"", "min", "max=1m", "window=0s", "window=soon"} {
		if r, err := configuration.ParseRule(bad); err == nil {
			t.Errorf("%q is %v", bad, r)
		}
	}
}

func TestChange(t *testing.T) {
	h := history()
	s := mustNew(t, h, Setup{Options: window30})
	for _, tt := range []struct {
		what   string
		heeded []string
		check  func(c *Study) bool
	}{
		{"share:alice=2", []string{"fairshare", "ostrich"}, func(c *Study) bool {
			return c.Share()(1) == 2 && c.Share()(2) == 1 && c.Priority.Associations[0].Shares == 2
		}},
		{"share:physics=3", []string{"fairshare", "ostrich"}, func(c *Study) bool { return c.Priority.Accounts[0].Shares == 3 }},
		{"nodes:+2", nil, func(c *Study) bool { return c.Pools[0].Procs == 12 && c.Procs == 8 }},
		{"procs:+1", nil, func(c *Study) bool { return c.Pools[0].Procs == 9 && c.Priority.Procs == 9 }},
	} {
		t.Run(tt.what, func(t *testing.T) {
			c, heeded, err := s.Change(tt.what)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(heeded, tt.heeded) || !tt.check(c) {
				t.Errorf("heeded by %v, want %v: %+v", heeded, tt.heeded, c.Pools)
			}
			for _, p := range []string{"fairshare", "ostrich"} {
				jobs, _, err := c.Replay(sitePolicy(t, p), func(int) {})
				if err != nil || len(jobs) != 4 {
					t.Errorf("%s: %d jobs, %v", p, len(jobs), err)
				}
			}
		})
	}
	more, _, err := s.Change("nodes:+2")
	if err == nil {
		more, _, err = more.Change("procs:+1")
	}
	if err != nil || more.Pools[0].Procs != 13 || more.Priority.Procs != 13 || more.Priority.Nodes != 6 {
		t.Errorf("both: %v, %v of %d nodes", err, more.Pools, more.Priority.Nodes)
	}
	if diff := cmp.Diff(mustNew(t, history(), Setup{Options: window30}).Recorded(), s.Recorded()); diff != "" || s.Pools[0].Procs != 8 || s.Shares != nil || len(s.Jobs) != 5 {
		t.Errorf("the changes have changed the study:\n%s", diff)
	}
}

func TestChangeErrors(t *testing.T) {
	s := mustNew(t, history(), Setup{Options: window30})
	for what, words := range map[string]string{
		"faster":                     "KIND:VALUE",
		"speed:2":                    "unknown; there are",
		"share:alice":                "share:NAME=N",
		"share:nobody=2":             `no user or account "nobody"`,
		"share:alice=-1":             "at least 0",
		"rule:max":                   "is a setting of the policy: --policy ostrich:rule=max",
		"rule:window=10m":            "--policy ostrich:rule=window:threshold=10m",
		"order:spt":                  "--policy ostrich:inside=spt",
		"gate:off":                   "--policy ostrich:gate=off",
		"classes:off":                "--policy ostrich:classes=off",
		"halflife:1d":                "--policy fairshare:halflife=1d",
		"nodes:2":                    "must be nodes:+N",
		"nodes:+4611686018427387905": "must be nodes:+N", // which times 8 is 8
		"nodes:-4":                   "the machine has 4 nodes",
		"procs:-8":                   "the machine has 8 processors",
		"procs:-1":                   "needs 8 processors",
		"add:load.yaml":              "unknown; there are",
	} {
		_, _, err := s.Change(what)
		if err == nil || !strings.Contains(err.Error(), words) || !strings.Contains(err.Error(), what) {
			t.Errorf("%s: %v, want %q", what, err, words)
		}
	}
	s.Nodes = 0
	if _, _, err := s.Change("nodes:+1"); err == nil || !strings.Contains(err.Error(), "--nodes") {
		t.Errorf("nodes of an unknown size: %v", err)
	}
}

func TestFromLog(t *testing.T) {
	log := &trace.Log{Records: []trace.Record{
		{Number: 1, Submit: 0, Wait: 5, Run: 10, Allocated: 2, Requested: 2, Limit: 20, Status: 1, User: 7, Group: 3, App: 4, Preceding: -1, Think: -1},
		{Number: 3, Submit: 0, Wait: 5, Run: 10, Allocated: 2, Requested: 2, Limit: 20, Status: 0, User: 7, Group: 3, App: 4, Preceding: -1, Think: -1},
		{Number: 2, Submit: 3, Wait: 0, Run: 0, Allocated: 2, Requested: 2, Limit: 20, User: 7, Group: 3, Preceding: -1, Think: -1},
	}}
	h, err := FromLog(log, 4)
	if err != nil {
		t.Fatal(err)
	}
	want := []accounting.Job{{ID: 1, State: accounting.Completed, Procs: 2, Asked: 2, Submit: 1, Start: 6, End: 16, Limit: 20, Class: 4, NameClass: 4, KindClass: 4}}
	want = append(want, want[0])
	want[1].ID, want[1].State = 3, accounting.Failed
	if diff := cmp.Diff(want, h.Jobs); diff != "" || h.Associations[0] != (accounting.Association{User: "user7", Account: "group3"}) || len(h.Notes) != 1 {
		t.Errorf("%+v -want +got:\n%s", h, diff)
	}
	if _, err := FromLog(&trace.Log{}, 4); !errors.Is(err, swf.ErrNoJobs) {
		t.Errorf("an empty log: %v", err)
	}
}

// TestCheck tells the model what ran and compares it with itself and with
// somebody else.
func TestCheck(t *testing.T) {
	h := history()
	h.Jobs = append(h.Jobs, accounting.Job{ID: 20, Association: 1, Procs: 1, Submit: 2000, Eligible: 2000, State: accounting.Pending})
	h.Jobs = append(h.Jobs, accounting.Job{ID: 21, Association: 1, Procs: 8, Submit: 1100, Start: 1100, State: accounting.Running, Limit: 100}) // lost
	h.Jobs[4].Eligible = 1030
	s := mustNew(t, h, Setup{Options: window30})
	s.Priority.Weights = multifactor.Weights{Fairshare: 1000, Age: 10}
	m, err := s.model(h, 3000)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := m.Fairshare(0), m.Fairshare(1); a >= b {
		t.Fatalf("alice, who runs a job all the time, has %v, and bob %v", a, b)
	}
	shares := []slurm.Share{
		{Account: "physics"},
		{Account: "physics", User: "alice", FairShare: m.Fairshare(0) + 0.25},
		{Account: "physics", User: "bob", FairShare: m.Fairshare(1)},
		{Account: "chemistry", User: "bob", FairShare: 9},
	}
	queue := []priority.Queued{{Job: 14, SiteKnown: true, Priority: 400}, {Job: 20, SiteKnown: true, Priority: 700}, {Job: 99, SiteKnown: true, Priority: 1}}
	c, err := s.Check(h, 3000, shares, queue)
	if err != nil {
		t.Fatal(err)
	}
	if c.Users != 2 || math.Abs(c.MaxDelta-0.25) > 1e-12 || c.Jobs != 2 || c.Tau == nil || *c.Tau != 1 {
		t.Errorf("%+v", c)
	}
}

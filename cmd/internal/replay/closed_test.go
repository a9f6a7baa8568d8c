package replay

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"slurm-ostrich/cmd/internal/simulation"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting"
	"slurm-ostrich/ostrich/campaign"
	"slurm-ostrich/ostrich/lengths"
	"slurm-ostrich/ostrich/report"
	"slurm-ostrich/ostrich/trace"
)

// chosen are settings as the options of compare give them.
func chosen(t *testing.T, o simulation.Options) simulation.Run {
	t.Helper()
	if o.Replay == "" {
		o.Replay = "open"
	}
	o.Backfill = "none"
	r, err := o.Loop()
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// sitePolicy is a policy with settings, as compare names it.
func sitePolicy(t rapid.TB, text string) *simulation.Variant {
	t.Helper()
	v, err := simulation.ParseVariant(text, simulation.Site)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// replayed replays a history under a policy.
func replayed(t *testing.T, h *accounting.History, setup Setup, policy string) []report.Job {
	t.Helper()
	s, err := New(h, setup)
	if err != nil {
		t.Fatal(err)
	}
	jobs, _, err := s.Replay(sitePolicy(t, policy), func(int) {})
	if err != nil {
		t.Fatal(err)
	}
	return jobs
}

// TestClosed: in a closed loop a user comes back the recorded think time after the
// last campaign has ended, whatever OStrich takes for a campaign; in an open one as
// recorded.
func TestClosed(t *testing.T) {
	h := &accounting.History{
		From: 900, To: 9000, Procs: 1, Partitions: []string{"p"}, QOS: []string{"q"},
		Associations: []accounting.Association{{User: "alice"}, {User: "bob"}},
		Jobs: []accounting.Job{
			{ID: 1, Association: 1, Procs: 1, Submit: 999, Start: 2000, End: 2500, Limit: 500}, // in alice's way when replayed
			{ID: 2, Procs: 1, Submit: 1000, Start: 1000, End: 1100, Limit: 100},
			{ID: 3, Procs: 1, Submit: 1150, Start: 1150, End: 1250, Limit: 100},
		},
	}
	setup := Setup{Options: window30} // one campaign; the rule max, which measures, finds two
	for _, policy := range []string{"fairshare", "ostrich", "fcfs", "fcfs-campaigns"} {
		setup.Run = chosen(t, simulation.Options{Replay: "open"})
		if jobs := replayed(t, h, setup, policy); jobs[1].End != 1599 || jobs[2].Submit != 1150 {
			t.Errorf("%s, open: %+v", policy, jobs)
		}
		setup.Run = chosen(t, simulation.Options{Replay: "closed"})
		if jobs := replayed(t, h, setup, policy); jobs[1].End != 1599 || jobs[2].Submit != 1649 || jobs[2].Campaign == jobs[1].Campaign {
			t.Errorf("%s, closed: %+v", policy, jobs)
		}
	}
}

// TestClosedRule: in a closed loop OStrich finds the campaigns itself, by its own
// rule, in what is submitted.
func TestClosedRule(t *testing.T) {
	m := trace.HiPC(20)
	m.Jobs = 400
	log, err := m.Generate(1)
	if err != nil {
		t.Fatal(err)
	}
	h, err := FromLog(log, 10)
	if err != nil {
		t.Fatal(err)
	}
	starts := func(rule campaign.Rule) (list []ostrich.Time) {
		setup := Setup{Options: ostrich.Options{Rule: rule}, Run: chosen(t, simulation.Options{Replay: "closed"})}
		for _, j := range replayed(t, h, setup, "ostrich") {
			list = append(list, j.Start)
		}
		return list
	}
	long := starts(campaign.Rule{By: campaign.Window, Threshold: 100_000})
	if slices.Equal(long, starts(campaign.Rule{By: campaign.Arrival, Threshold: 1})) {
		t.Error("OStrich's rule makes no difference")
	}
}

// TestChosen: what a policy sets goes before the settings of ostrichd, and what it leaves
// open does not.
func TestChosen(t *testing.T) {
	settings := ostrich.Options{Gate: ostrich.Strict, Inside: ostrich.LJF, Predictor: lengths.BySmoothing}
	for policy, want := range map[string]ostrich.Options{
		"ostrich":                              settings,
		"ostrich:gate=off":                     {Gate: ostrich.Off, Inside: ostrich.LJF, Predictor: lengths.BySmoothing},
		"ostrich:inside=lpt":                   {Gate: ostrich.Strict, Inside: ostrich.LPT, Predictor: lengths.BySmoothing},
		"ostrich:predictor=limit":              {Gate: ostrich.Strict, Inside: ostrich.LJF},
		"ostrich:rule=window":                  {Gate: ostrich.Strict, Inside: ostrich.LJF, Predictor: lengths.BySmoothing, Rule: campaign.Rule{By: campaign.Window, Threshold: 1800}},
		"a=ostrich:rule=arrival:threshold=10m": {Gate: ostrich.Strict, Inside: ostrich.LJF, Predictor: lengths.BySmoothing, Rule: campaign.Rule{By: campaign.Arrival, Threshold: 600}},
	} {
		s, _, err := mustNew(t, history(), Setup{Options: settings}).under(sitePolicy(t, policy))
		if err != nil || s.Options != want {
			t.Errorf("%s: %+v, %v, want %+v", policy, s.Options, err, want)
		}
	}
	study := mustNew(t, history(), Setup{Options: settings})
	s, _, err := study.under(sitePolicy(t, "fairshare:halflife=14d"))
	if err != nil || s.Priority.HalfLife != 14*86400 || study.Priority.HalfLife == s.Priority.HalfLife {
		t.Errorf("half-life %d s of %d s, %v", s.Priority.HalfLife, study.Priority.HalfLife, err)
	}
}

// TestChosenInside: inside orders the jobs of a campaign under OStrich and under
// fcfs-campaigns, which has an order of its own without it.
func TestChosenInside(t *testing.T) {
	h := &accounting.History{
		From: 900, To: 9000, Procs: 1, Partitions: []string{"p"}, QOS: []string{"q"}, Associations: []accounting.Association{{User: "alice"}},
		Jobs: []accounting.Job{
			{ID: 1, Procs: 1, Submit: 1000, Start: 1000, End: 1100, Limit: 100},
			{ID: 2, Procs: 1, Submit: 1000, Start: 1100, End: 1150, Limit: 50},
			{ID: 3, Procs: 1, Submit: 1000, Start: 1150, End: 1350, Limit: 200},
		},
	}
	for _, tt := range []struct {
		policy string
		first  int
	}{
		{"ostrich", 2},
		{"ostrich:inside=spt", 1},
		{"ostrich:inside=submission", 0},
		{"fcfs-campaigns", 0},
		{"fcfs-campaigns:inside=spt", 1},
		{"fcfs-campaigns:inside=lpt", 2},
	} {
		setup := Setup{Options: ostrich.Options{Inside: ostrich.LPT, Rule: campaign.Rule{By: campaign.Max}}, Run: chosen(t, simulation.Options{})}
		jobs := replayed(t, h, setup, tt.policy)
		if jobs[tt.first].Start != 1000 {
			t.Errorf("%s: %+v", tt.policy, jobs)
		}
	}
}

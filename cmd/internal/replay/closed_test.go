package replay

import (
	"slices"
	"testing"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting"
	"slurm-ostrich/ostrich/report"
	"slurm-ostrich/ostrich/trace"
)

// chosen are settings as the options of compare give them.
func chosen(t *testing.T, o Options) Run {
	t.Helper()
	if o.Replay == "" {
		o.Replay = "open"
	}
	o.Backfill = "none"
	r, err := o.order()
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// replayed replays a history under a policy.
func replayed(t *testing.T, h *accounting.History, setup Setup, policy string) []report.Job {
	t.Helper()
	s, err := New(h, setup)
	if err != nil {
		t.Fatal(err)
	}
	jobs, _, err := s.Replay(Find(policy, Site), func(int) {})
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
		setup.Run = chosen(t, Options{Replay: "open"})
		if jobs := replayed(t, h, setup, policy); jobs[1].End != 1599 || jobs[2].Submit != 1150 {
			t.Errorf("%s, open: %+v", policy, jobs)
		}
		setup.Run = chosen(t, Options{Replay: "closed"})
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
	starts := func(rule ostrich.Rule) (list []ostrich.Time) {
		setup := Setup{Options: ostrich.Options{Rule: rule}, Run: chosen(t, Options{Replay: "closed"})}
		for _, j := range replayed(t, h, setup, "ostrich") {
			list = append(list, j.Start)
		}
		return list
	}
	long := starts(ostrich.Rule{By: ostrich.Window, Threshold: 100_000})
	if slices.Equal(long, starts(ostrich.Rule{By: ostrich.Arrival, Threshold: 1})) {
		t.Error("OStrich's rule makes no difference")
	}
}

// TestChosen: what the options choose goes before the settings of ostrichd, and
// what they leave open does not.
func TestChosen(t *testing.T) {
	settings := ostrich.Options{Gate: ostrich.Strict, Inside: ostrich.LJF, Predictor: ostrich.BySmoothing}
	for _, tt := range []struct {
		name   string
		chosen Options
		want   ostrich.Options
	}{
		{"nothing", Options{}, settings},
		{"gate", Options{Gate: "off"}, ostrich.Options{Gate: ostrich.Off, Inside: ostrich.LJF, Predictor: ostrich.BySmoothing}},
		{"inside", Options{Inside: "lpt"}, ostrich.Options{Gate: ostrich.Strict, Inside: ostrich.LPT, Predictor: ostrich.BySmoothing}},
		{"predictor", Options{Predictor: "limit"}, ostrich.Options{Gate: ostrich.Strict, Inside: ostrich.LJF}},
	} {
		s := mustNew(t, history(), Setup{Options: settings, Run: chosen(t, tt.chosen)})
		if s.Options != tt.want {
			t.Errorf("%s: %+v, want %+v", tt.name, s.Options, tt.want)
		}
	}
}

// TestChosenInside: --inside orders the jobs of a campaign under OStrich and under
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
		policy, inside string
		first          int
	}{
		{"ostrich", "", 2},
		{"ostrich", "spt", 1},
		{"ostrich", "submission", 0},
		{"fcfs-campaigns", "", 0},
		{"fcfs-campaigns", "spt", 1},
		{"fcfs-campaigns", "lpt", 2},
	} {
		setup := Setup{Options: ostrich.Options{Inside: ostrich.LPT, Rule: ostrich.Rule{By: ostrich.Max}}, Run: chosen(t, Options{Inside: tt.inside})}
		jobs := replayed(t, h, setup, tt.policy)
		if jobs[tt.first].Start != 1000 {
			t.Errorf("%s, inside %q: %+v", tt.policy, tt.inside, jobs)
		}
	}
}

// TestHeeded: an option that none of the policies heeds is refused.
func TestHeeded(t *testing.T) {
	for _, tt := range []struct {
		option, policies, refused string
		with                      Need
	}{
		{"inside", "fairshare,fcfs", "--inside means nothing to --policy fairshare,fcfs", Site},
		{"inside", "fairshare,fcfs-campaigns", "", Site},
		{"gate", "fairshare,fcfs-campaigns", "--gate means nothing to --policy fairshare,fcfs-campaigns", Site},
		{"gate", "fairshare,ostrich", "", Site},
		{"predictor", "ljf", "--predictor means nothing to --policy ljf", Site},
		{"predictor", "ostrich", "", Site},
		{"inside", "multifactor", "--inside means nothing to --policy multifactor", Log},
		{"inside", "fairshare", "", Log},
	} {
		o := &Options{Policy: tt.policies}
		o.Given = func(name string) bool { return name == tt.option }
		_, err := o.Policies(tt.with)
		if err == nil && tt.refused != "" || err != nil && err.Error() != tt.refused {
			t.Errorf("--%s, %s: %v, want %q", tt.option, tt.policies, err, tt.refused)
		}
	}
}

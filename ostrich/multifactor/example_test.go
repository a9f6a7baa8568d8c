package multifactor_test

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/multifactor"
)

const week = 7 * 24 * 60 * 60

func must(t interface {
	Helper()
	Fatal(args ...any)
}, c multifactor.Config, at ostrich.Time,
) *multifactor.Multifactor {
	t.Helper()
	if c.Procs == 0 {
		c.Procs, c.Nodes = 100, 10
	}
	m, err := multifactor.New(c, at)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func near(a, b, within float64) bool { return a == b || math.Abs(a-b) <= within }

// figure3 is the tree of "The Slurm Fair-Share Formula", figure 3, of Slurm's
// classic_fair_share page, with its usage. There the users have 0.7 of all
// usage; with others, an account without shares has the rest.
func figure3(t *testing.T, flags multifactor.Flags, others bool) *multifactor.Multifactor {
	t.Helper()
	c := multifactor.Config{
		Flags:   flags,
		Weights: multifactor.Weights{Fairshare: 1000},
		Accounts: []multifactor.Account{
			{Name: "A", Shares: 40},
			{Name: "B", Parent: "A", Shares: 30},
			{Name: "C", Parent: "A", Shares: 10},
			{Name: "D", Parent: multifactor.Root, Shares: 60},
			{Name: "E", Parent: "D", Shares: 25},
			{Name: "F", Parent: "D", Shares: 35},
		},
		Associations: []multifactor.Association{
			{User: "1", Account: "B", Shares: 1},
			{User: "2", Account: "C", Shares: 1},
			{User: "3", Account: "C", Shares: 1},
			{User: "4", Account: "E", Shares: 1},
			{User: "5", Account: "F", Shares: 1},
		},
	}
	usage := []float64{0.2, 0.25, 0, 0.25, 0}
	if others {
		c.Accounts = append(c.Accounts, multifactor.Account{Name: "others"})
		c.Associations = append(c.Associations, multifactor.Association{User: "other", Account: "others", Shares: 1})
		usage = append(usage, 0.3)
	}
	m := must(t, c, 0)
	for i, used := range usage {
		if err := m.SetUsage(i, used*1e6); err != nil {
			t.Fatal(err)
		}
	}
	return m
}

// TestClassicExample has the numbers of Slurm's page.
func TestClassicExample(t *testing.T) {
	m := figure3(t, multifactor.NoFairTree, true)
	for i, want := range []struct{ norm, effective, factor float64 }{
		{0.3, 0.3875, 0.408479},
		{0.05, 0.275, 0.022097},
		{0.05, 0.15, 0.125},
		{0.25, 0.25, 0.5},
		{0.35, 0.1458, 0.749154},
	} {
		got := m.Share(i)
		if !near(got.NormShares, want.norm, 1e-12) || !near(got.EffectvUsage, want.effective, 5e-5) || !near(got.FairShare, want.factor, 1e-4) {
			t.Errorf("user %d: %+v, want %+v", i+1, got, want)
		}
		r := multifactor.Request{Association: i, Partition: -1, QOS: -1}
		f := m.Factors(&r, 0)
		if got, want := m.Priority(&f), uint32(1000*got.FairShare); got != want {
			t.Errorf("user %d: priority %d, want %d", i+1, got, want)
		}
	}
	for i, want := range []float64{0.45, 0.3875, 0.3, 0.25, 0.25, 0.1458} {
		if got := m.AccountShare(i).EffectvUsage; !near(got, want, 5e-5) {
			t.Errorf("account %c: effective usage %v, want %v", 'A'+i, got, want)
		}
	}
}

// TestFairTreeExample ranks the same users by hand: D has used 0.25/0.7 for 0.6
// of the shares, A 0.45/0.7 for 0.4. Below D account F, with nothing, is in front
// of E; below A account B has 0.2/0.45 for 0.75 and C 0.25/0.45 for 0.25; in
// C user 3, who has used nothing.
func TestFairTreeExample(t *testing.T) {
	m := figure3(t, 0, false)
	for i, want := range []float64{3. / 5, 1. / 5, 2. / 5, 4. / 5, 5. / 5} {
		if got := m.Fairshare(i); got != want {
			t.Errorf("user %d: fair share %v, want %v", i+1, got, want)
		}
	}
	for i, want := range []float64{0.4 / (0.45 / 0.7), 0.75 / (0.2 / 0.45), 0.25 / (0.25 / 0.45), 0.6 / (0.25 / 0.7), 25. / 60, math.Inf(1)} {
		if got := m.AccountShare(i).LevelFS; !near(got, want, 1e-9) {
			t.Errorf("account %c: LevelFS %v, want %v", 'A'+i, got, want)
		}
	}
	if got := m.AccountShare(-1).RawUsage; !near(got, 0.7e6, 1e-6) {
		t.Errorf("root has used %v, want %v", got, 0.7e6)
	}
}

// TestFairTreeTies: users without any usage are all first; a user as good as an
// account has the rank of the account's first; and of two accounts that are
// equal the second one's first user has the rank of the first one's last, since
// Slurm does not merge them as its page says.
func TestFairTreeTies(t *testing.T) {
	c := multifactor.Config{
		Accounts: []multifactor.Account{{Name: "A", Shares: 1}, {Name: "B", Shares: 1}},
		Associations: []multifactor.Association{
			{User: "a1", Account: "A", Shares: 1},
			{User: "a2", Account: "A", Shares: 1},
			{User: "b1", Account: "B", Shares: 1},
			{User: "b2", Account: "B", Shares: 1},
			{User: "r", Account: "", Shares: 1},
		},
	}
	m := must(t, c, 0) // the usage of each case replaces that of the one before
	for _, tt := range []struct {
		name  string
		usage []float64
		want  []float64
	}{
		{"nobody", []float64{0, 0, 0, 0, 0}, []float64{1, 1, 1, 1, 1}},
		{"all alike", []float64{5, 5, 5, 5, 10}, []float64{1, 1, 1, 1, 1}},
		{"equal accounts", []float64{3, 7, 4, 6, 10}, []float64{1, 3. / 5, 3. / 5, 1. / 5, 1}},
		{"user in front", []float64{3, 7, 4, 7, 9}, []float64{4. / 5, 3. / 5, 2. / 5, 1. / 5, 1}},
		{"user behind", []float64{3, 7, 4, 6, 11}, []float64{1, 4. / 5, 4. / 5, 2. / 5, 1. / 5}},
		{"nobody again", []float64{0, 0, 0, 0, 0}, []float64{1, 1, 1, 1, 1}},
	} {
		ranked(t, tt.name, m, tt.usage, tt.want)
	}
}

// TestNoShares: a user without shares is last, though without usage too.
func TestNoShares(t *testing.T) {
	c := multifactor.Config{Associations: []multifactor.Association{{User: "a"}, {User: "b", Shares: 1}}}
	m := must(t, c, 0)
	ranked(t, "fair tree", m, []float64{0, 5}, []float64{1. / 2, 1})
	if got := m.Share(0).LevelFS; got != 0 {
		t.Errorf("LevelFS %v, want 0", got)
	}
	c.Flags = multifactor.NoFairTree
	ranked(t, "classic", must(t, c, 0), []float64{0, 5}, []float64{0, 0.5})
	c.Dampening = 4
	ranked(t, "dampened", must(t, c, 0), []float64{0, 5}, []float64{0, math.Exp2(-0.25)})
}

// TestSetUsage: what is set replaces all, also what a job has used that ended since the
// latest calculation.
func TestSetUsage(t *testing.T) {
	m := must(t, multifactor.Config{Associations: []multifactor.Association{{User: "a", Shares: 1}, {User: "b", Shares: 1}}}, 0)
	err := errors.Join(
		m.SetUsage(0, 100), m.Start(1, &multifactor.Request{Partition: -1, QOS: -1, Procs: 3}, 10), m.End(1, 20),
		m.SetUsage(1, 7),
	)
	if got := m.Share(0).RawUsage; err != nil || got != 130 {
		t.Errorf("usage %v, %v, want 130", got, err)
	}
	if err := m.SetUsage(0, 50); err != nil {
		t.Fatal(err)
	}
	if got, root := m.Share(0).RawUsage, m.AccountShare(-1).RawUsage; got != 50 || root != 57 {
		t.Errorf("usage %v and of root %v, want 50 and 57", got, root)
	}
}

// TestLoseEnds: without limits, what a job used since the latest calculation is lost when it
// ends. The first job here meets no calculation, the second one.
func TestLoseEnds(t *testing.T) {
	for lose, want := range map[bool]float64{false: 3*20 + 2*250, true: 2 * 200} {
		m := must(t, multifactor.Config{LoseEnds: lose, Associations: []multifactor.Association{{User: "a", Shares: 1}}}, 0)
		err := errors.Join(
			m.Start(1, &multifactor.Request{Partition: -1, QOS: -1, Procs: 3}, 10), m.End(1, 30),
			m.Start(2, &multifactor.Request{Partition: -1, QOS: -1, Procs: 2}, 100), m.End(2, 350),
		)
		if got, root := m.Share(0).RawUsage, m.AccountShare(-1).RawUsage; err != nil || got != want || root != want {
			t.Errorf("ends lost %t: usage %v and of root %v, %v, want %v", lose, got, root, err, want)
		}
	}
}

// TestFairTreeEmptyAccount: an account that is as good as one without users in
// front of it has the rank of the user ranked last, here r, who is far in front.
func TestFairTreeEmptyAccount(t *testing.T) {
	ranked(t, "unused", must(t, multifactor.Config{
		Accounts: []multifactor.Account{{Name: "A", Shares: 1}, {Name: "A1", Parent: "A", Shares: 1}, {Name: "A2", Parent: "A", Shares: 1}},
		Associations: []multifactor.Association{
			{User: "r", Account: "", Shares: 1}, {User: "a", Account: "A", Shares: 1}, {User: "a2", Account: "A2", Shares: 1},
		},
	}, 0), []float64{0, 5, 0}, []float64{1, 1. / 3, 1})
}

func ranked(t *testing.T, name string, m *multifactor.Multifactor, usage, factors []float64) {
	t.Helper()
	for i, used := range usage {
		if err := m.SetUsage(i, used); err != nil {
			t.Fatal(err)
		}
	}
	for i, want := range factors {
		if got := m.Fairshare(i); got != want {
			t.Errorf("%s: user %d: %v, want %v", name, i, got, want)
		}
	}
}

// TestUseParent: what is below an account with fairshare=parent counts as if it
// were the account's parent's, and a user with it is the first of the account.
func TestUseParent(t *testing.T) {
	c := multifactor.Config{
		Accounts: []multifactor.Account{
			{Name: "A", Shares: 3},
			{Name: "A1", Parent: "A", Shares: multifactor.UseParent},
			{Name: "B", Shares: 1},
		},
		Associations: []multifactor.Association{
			{User: "a", Account: "A1", Shares: 2},
			{User: "b", Account: "A", Shares: 6},
			{User: "c", Account: "B", Shares: multifactor.UseParent},
			{User: "d", Account: "B", Shares: 1},
		},
	}
	set := func(m *multifactor.Multifactor) {
		for i, used := range []float64{100, 500, 250, 150} {
			if err := m.SetUsage(i, used); err != nil {
				t.Fatal(err)
			}
		}
	}
	tree := must(t, c, 0)
	set(tree)
	for i, want := range []struct{ norm, level, factor float64 }{
		{0.25, 0.25 / (100. / 600), 1}, {0.75, 0.75 / (500. / 600), 3. / 4}, {0.25, math.Inf(1), 2. / 4}, {1, 1 / (150. / 400), 1. / 4},
	} {
		if got := tree.Share(i); got.NormShares != want.norm || !near(got.LevelFS, want.level, 1e-9) || got.FairShare != want.factor {
			t.Errorf("fair tree, user %d: %+v, want %+v", i, got, want)
		}
	}
	c.Flags = multifactor.NoFairTree
	classic := must(t, c, 0)
	set(classic)
	for i, want := range []struct{ norm, effective float64 }{
		{0.75 * 0.25, 0.1 + (0.6-0.1)*0.25}, {0.75 * 0.75, 0.5 + (0.6-0.5)*0.75}, {0.25, 0.4}, {0.25, 0.15 + (0.4-0.15)*1},
	} {
		got := classic.Share(i)
		if !near(got.NormShares, want.norm, 1e-12) || !near(got.EffectvUsage, want.effective, 1e-12) ||
			!near(got.FairShare, math.Exp2(-want.effective/want.norm), 1e-12) {
			t.Errorf("classic, user %d: %+v, want %+v", i, got, want)
		}
	}
}

// TestDepthOblivious: by the formula of the source, R = R_parent·r^k with k below
// 1 where account and user lean to different sides.
func TestDepthOblivious(t *testing.T) {
	m := figure3(t, multifactor.DepthOblivious, false)
	a := 0.45 / 0.7 // of account A, 0.4 of the shares
	b := (0.2 / 0.7 / 0.3) / ((0.45 / 0.7) / 0.4)
	k := 1 / (1 + math.Pow(5*math.Log(a/0.4), 2)) // A has used too much, B little
	want := a / 0.4 * math.Pow(b, k) * 0.3
	if got := m.AccountShare(1).EffectvUsage; !near(got, want, 1e-12) {
		t.Errorf("account B: %v, want %v", got, want)
	}
	c := (0.25 / 0.7 / 0.1) / ((0.45 / 0.7) / 0.4) // too much as well
	if got, want := m.AccountShare(2).EffectvUsage, a/0.4*c*0.1; !near(got, want, 1e-12) {
		t.Errorf("account C: %v, want %v", got, want)
	}
	if got := m.Share(2).EffectvUsage; got != 0 {
		t.Errorf("user 3: %v, want 0", got)
	}
}

// TestDecay follows a job of 10 processors through periods of 100 s.
func TestDecay(t *testing.T) {
	m := must(t, multifactor.Config{
		HalfLife: 1000, Period: 100,
		Associations: []multifactor.Association{{User: "a", Shares: 1}, {User: "b", Shares: 1}},
	}, 1000)
	second := 1 - 0.693/1000
	usage := func(want float64) {
		t.Helper()
		if got := m.Share(0).RawUsage; !near(got, want, 1e-9*want) {
			t.Errorf("at %d: usage %v, want %v", m.Latest(), got, want)
		}
		if got := m.AccountShare(-1).RawUsage; !near(got, want, 1e-9*want) {
			t.Errorf("at %d: usage of root %v, want %v", m.Latest(), got, want)
		}
	}
	r := multifactor.Request{Partition: -1, QOS: -1, Procs: 10}
	if err := m.Start(7, &r, 1040); err != nil {
		t.Fatal(err)
	}
	m.AdvanceTo(1099)
	usage(0)
	m.AdvanceTo(1100)
	want := 600 * math.Pow(second, 60)
	usage(want)
	m.AdvanceTo(1450)
	for range 3 {
		want = (want + 1000) * math.Pow(second, 100)
	}
	usage(want)
	if err := m.End(7, 1480); err != nil {
		t.Fatal(err)
	}
	want += 800 * math.Pow(second, 80) // at once
	usage(want)
	m.AdvanceTo(1500) // as if of a period ago
	want *= math.Pow(second, 100)
	usage(want)
	m.AdvanceTo(1000 + 100*1000)
	usage(want * math.Pow(second, 100*1000-500))
}

func TestReset(t *testing.T) {
	const sunday = 1700352000 // 2023-11-19 00:00 UTC
	for _, tt := range []struct {
		name  string
		reset multifactor.Reset
		after ostrich.Time // from sunday on
	}{
		{"daily", multifactor.ResetDaily, 24 * 3600},
		{"weekly", multifactor.ResetWeekly, week},
		{"monthly", multifactor.ResetMonthly, 12 * 24 * 3600},
		{"quarterly", multifactor.ResetQuarterly, (12 + 31) * 24 * 3600},
		{"yearly", multifactor.ResetYearly, (12 + 31) * 24 * 3600},
	} {
		for _, phase := range []ostrich.Time{0, 300} { // of the calculations, after midnight
			m := must(t, multifactor.Config{
				Reset: tt.reset, Period: 600, Associations: []multifactor.Association{{User: "a", Shares: 1}},
			}, sunday+phase)
			if err := m.SetUsage(0, 1000); err != nil {
				t.Fatal(err)
			}
			first := sunday + tt.after + phase // the calculation that resets
			m.AdvanceTo(first - 1)
			if got := m.Share(0).RawUsage; got != 1000 {
				t.Errorf("%s, %d: usage %v before the reset", tt.name, phase, got)
			}
			r := multifactor.Request{Partition: -1, QOS: -1, Procs: 2}
			if err := m.Start(1, &r, first-1); err != nil {
				t.Fatal(err)
			}
			m.AdvanceTo(first)
			if got := m.Share(0).RawUsage; got != 2 {
				t.Errorf("%s, %d: usage %v after the reset, want 2", tt.name, phase, got)
			}
		}
	}
}

func TestErrors(t *testing.T) {
	good := func() multifactor.Config {
		return multifactor.Config{
			Procs: 4, Nodes: 2, TRES: []string{"cpu"},
			Accounts:     []multifactor.Account{{Name: "A", Shares: 1}, {Name: "B", Parent: "A", Shares: 1}},
			Associations: []multifactor.Association{{User: "a", Account: "A", Shares: 1}},
			Partitions:   []multifactor.Partition{{Name: "p"}}, QOS: []multifactor.QOS{{Name: "q"}},
		}
	}
	for _, tt := range []struct {
		want  string
		spoil func(c *multifactor.Config)
	}{
		{"a period of -1 s", func(c *multifactor.Config) { c.Period = -1 }},
		{"a largest age of -1 s", func(c *multifactor.Config) { c.MaxAge = -1 }},
		{"a half-life of -1 s", func(c *multifactor.Config) { c.HalfLife = -1 }},
		{"a dampening of -1", func(c *multifactor.Config) { c.Dampening = -1 }},
		{"0 processors on 2 nodes", func(c *multifactor.Config) { c.Procs = 0 }},
		{"4 processors on 0 nodes", func(c *multifactor.Config) { c.Nodes = 0 }},
		{"a weight of -1", func(c *multifactor.Config) { c.Weights.Age = -1 }},
		{"a weight of NaN", func(c *multifactor.Config) { c.Weights.Age = math.NaN() }},
		{"weights: 2 TRES of 1", func(c *multifactor.Config) { c.Weights.TRES = []float64{1, 1} }},
		{"partition p: -1 of TRES \"cpu\"", func(c *multifactor.Config) { c.Partitions[0].TRES = []float64{-1} }},
		{"partition p: +Inf of TRES \"cpu\"", func(c *multifactor.Config) { c.Partitions[0].TRES = []float64{math.Inf(1)} }},
		{"reset period number 6", func(c *multifactor.Config) { c.Reset = multifactor.ResetYearly + 1 }},
		{"a usage factor of NaN", func(c *multifactor.Config) { c.QOS[0].UsageFactor = math.NaN() }},
		{"QOS \"q\": a priority of -1", func(c *multifactor.Config) { c.QOS[0].Priority = -1 }},
		{"partition \"p\": a factor of -1", func(c *multifactor.Config) { c.Partitions[0].JobFactor = -1 }},
		{"a limit of -1 s", func(c *multifactor.Config) { c.Partitions[0].MaxTime = -1 }},
		{"user \"a\": -2 shares", func(c *multifactor.Config) { c.Associations[0].Shares = -2 }},
		{"2147483648 shares", func(c *multifactor.Config) { c.Associations[0].Shares = math.MaxInt32 + 1 }},
		{"priority -1", func(c *multifactor.Config) { c.Associations[0].Priority = -1 }},
		{"user \"a\": no account \"C\"", func(c *multifactor.Config) { c.Associations[0].Account = "C" }},
		{"account \"B\": no account \"C\"", func(c *multifactor.Config) { c.Accounts[1].Parent = "C" }},
		{"account \"A\" is there already", func(c *multifactor.Config) { c.Accounts[1].Name = "A" }},
		{"is its own parent", func(c *multifactor.Config) { c.Accounts[0].Parent = "B" }},
	} {
		c := good()
		tt.spoil(&c)
		if _, err := multifactor.New(c, 0); !errors.Is(err, multifactor.ErrConfig) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%v, want %q in it", err, tt.want)
		}
	}
	m := must(t, good(), 0)
	for want, r := range map[string]multifactor.Request{
		"association number 1 of 1": {Association: 1}, "partition number 1 of 1": {Partition: 1}, "QOS number 1 of 1": {QOS: 1},
		"request: 2 TRES of 1": {TRES: []float64{1, 1}}, "-1 processors": {Procs: -1}, "on -1 nodes": {Nodes: -1}, "for -1 s": {Limit: -1},
		"billed NaN": {Billing: math.NaN()}, "billed +Inf": {Billing: math.Inf(1)}, "billed -1": {Billing: -1},
	} {
		if err := m.Start(1, &r, 10); !errors.Is(err, multifactor.ErrConfig) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q in it", err, want)
		}
	}
	for _, step := range []struct {
		name string
		err  error
		bad  bool
	}{
		{"start", m.Start(1, &multifactor.Request{Procs: 1}, 10), false},
		{"start again", m.Start(1, &multifactor.Request{Procs: 1}, 11), true},
		{"start in the past", m.Start(2, &multifactor.Request{Procs: 1}, 9), true},
		{"end in the past", m.End(1, 9), true},
		{"end of another", m.End(2, 11), true},
		{"end", m.End(1, 11), false},
		{"end again", m.End(1, 11), true},
		{"start anew", m.Start(1, &multifactor.Request{Procs: 1}, 11), false},
		{"usage", m.SetUsage(0, 5), false},
		{"usage of nobody", m.SetUsage(1, 5), true},
		{"usage below 0", m.SetUsage(0, -5), true},
		{"endless usage", m.SetUsage(0, math.Inf(1)), true},
	} {
		if (step.err != nil) != step.bad || step.bad && !errors.Is(step.err, multifactor.ErrConfig) {
			t.Errorf("%s: %v", step.name, step.err)
		}
	}
}

// TestLast: the latest reset is the beginning of the day, the week (on Sunday), the month, the quarter or the year.
func TestLast(t *testing.T) {
	zone := time.FixedZone("", 3600)
	at := time.Date(2026, time.November, 25, 0, 30, 0, 0, zone) // a Wednesday, and not yet in UTC
	for reset, want := range map[multifactor.Reset]time.Time{
		multifactor.ResetDaily: time.Date(2026, time.November, 25, 0, 0, 0, 0, zone), multifactor.ResetWeekly: time.Date(2026, time.November, 22, 0, 0, 0, 0, zone),
		multifactor.ResetMonthly: time.Date(2026, time.November, 1, 0, 0, 0, 0, zone), multifactor.ResetQuarterly: time.Date(2026, time.October, 1, 0, 0, 0, 0, zone),
		multifactor.ResetYearly: time.Date(2026, time.January, 1, 0, 0, 0, 0, zone), multifactor.ResetNever: time.Unix(0, 0),
	} {
		if got := reset.Last(ostrich.Time(at.Unix()), zone); int64(got) != want.Unix() {
			t.Errorf("reset %d: %s, want %s", reset, time.Unix(int64(got), 0).In(zone), want)
		}
	}
}

// TestLastResetWithoutMidnight: on the Sunday on which clocks are put forward at midnight the week begins where that day does.
func TestLastResetWithoutMidnight(t *testing.T) {
	zone, err := time.LoadLocation("America/Sao_Paulo")
	if err != nil {
		t.Skip(err)
	}
	at := time.Date(2016, 10, 16, 19, 0, 0, 0, zone)
	want := time.Date(2016, 10, 16, 1, 0, 0, 0, zone) // after 23:59:59
	if got := multifactor.ResetWeekly.Last(ostrich.Time(at.Unix()), zone); int64(got) != want.Unix() {
		t.Errorf("%v, want %v", time.Unix(int64(got), 0).In(zone), want)
	}
}

// TestResetWithoutMidnight: usage is forgotten on such a day once, and again on those behind it.
func TestResetWithoutMidnight(t *testing.T) {
	zone, err := time.LoadLocation("America/Santiago")
	if err != nil {
		t.Skip(err)
	}
	for _, reset := range []multifactor.Reset{multifactor.ResetDaily, multifactor.ResetWeekly} {
		begin := ostrich.Time(time.Date(2024, 9, 5, 12, 0, 0, 0, zone).Unix()) // a Thursday; the next Sunday has no midnight
		m := must(t, multifactor.Config{Reset: reset, Location: zone, Associations: []multifactor.Association{{User: "a", Shares: 1, Usage: 1}}}, begin)
		m.AdvanceTo(begin + 2*24*3600)
		if used := m.Share(0).RawUsage; (used == 0) != (reset == multifactor.ResetDaily) {
			t.Errorf("reset %d: %v are used on Saturday", reset, used)
		}
		m.AdvanceTo(begin + 20*24*3600)
		if used := m.Share(0).RawUsage; used != 0 {
			t.Errorf("reset %d: %v are used in the end", reset, used)
		}
	}
}

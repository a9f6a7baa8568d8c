package policy_test

import (
	"errors"
	"math/big"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/policy"
)

// campaign makes a campaign of a user with tasks of the given lengths.
func campaign(user ostrich.UserID, lengths ...ostrich.Duration) policy.Campaign {
	return policy.Campaign{User: user, Tasks: tasks(lengths...)}
}

// equal makes a campaign of n tasks of one length.
func equal(user ostrich.UserID, n int, length ostrich.Duration) policy.Campaign {
	return campaign(user, slices.Repeat([]ostrich.Duration{length}, n)...)
}

// drawCampaigns draws campaigns of up to the given number of users, without
// think time.
func drawCampaigns(t *rapid.T, users, most, size int) []policy.Campaign {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) policy.Campaign {
		return policy.Campaign{
			User: ostrich.UserID(rapid.IntRange(1, users).Draw(t, "user")), Tasks: drawTasks(t, size),
		}
	}), 1, most).Draw(t, "campaigns")
}

// row is what tests look at of a placed campaign.
type row struct {
	User               ostrich.UserID
	Number             int
	Submit, Start, End ostrich.Time
	Deadline           ostrich.Time
}

func rows(s policy.Schedule, campaigns []policy.Campaign) []row {
	list := make([]row, len(s))
	for i, p := range s {
		list[i] = row{
			User: campaigns[p.Campaign].User, Number: p.Number,
			Submit: p.Submit, Start: p.Start, End: p.End, Deadline: p.Deadline,
		}
	}
	return list
}

// users returns how many there are.
func users(campaigns []policy.Campaign) int {
	seen := make(map[ostrich.UserID]bool)
	for _, c := range campaigns {
		seen[c.User] = true
	}
	return len(seen)
}

// flows sums the flow times by user, in the order of their ids.
func flows(s policy.Schedule, campaigns []policy.Campaign) []ostrich.Duration {
	var list []ostrich.Duration
	for _, u := range s.Users(campaigns, 1) {
		list = append(list, u.Flow)
	}
	return list
}

// lengths are the lengths Δ(ς) by user, in the order of their ids.
func lengths(m policy.Machine, campaigns []policy.Campaign) [][]ostrich.Time {
	of := make(map[ostrich.UserID][]ostrich.Time)
	var ids []ostrich.UserID
	for i := range campaigns {
		u := campaigns[i].User
		if of[u] == nil {
			ids = append(ids, u)
		}
		of[u] = append(of[u], ostrich.Time(m.Length(&campaigns[i])))
	}
	slices.Sort(ids)
	list := make([][]ostrich.Time, len(ids))
	for i, u := range ids {
		list[i] = of[u]
	}
	return list
}

func sum(list []ostrich.Time) ostrich.Time {
	total := ostrich.Time(0)
	for _, x := range list {
		total += x
	}
	return total
}

// orders visits every schedule in blocks: all ways to put the campaigns of the
// users side by side, with the completion times by user.
func orders(lengths [][]ostrich.Time, visit func(ends [][]ostrich.Time)) {
	ends := make([][]ostrich.Time, len(lengths))
	var place func(now ostrich.Time)
	place = func(now ostrich.Time) {
		done := true
		for u := range lengths {
			if i := len(ends[u]); i < len(lengths[u]) {
				done = false
				ends[u] = append(ends[u], now+lengths[u][i])
				place(now + lengths[u][i])
				ends[u] = ends[u][:i]
			}
		}
		if done {
			visit(ends)
		}
	}
	place(0)
}

// flaw returns what is wrong with a schedule: tasks in the wrong place, two at
// once on a processor, or a campaign that does not follow the one before it.
func flaw(m int, campaigns []policy.Campaign, s policy.Schedule) string {
	if len(s) != len(campaigns) {
		return "not every campaign is placed"
	}
	type before struct {
		number int
		end    ostrich.Time
	}
	last := make(map[ostrich.UserID]before)
	free := make([][]policy.Slot, m)
	for _, p := range s {
		c := campaigns[p.Campaign]
		at := make([]ostrich.Time, m)
		for q := range at {
			at[q] = p.Start
		}
		if why := sound(c.Tasks, at, p.Slots); why != "" {
			return why
		}
		if p.Start < p.Submit || p.End != lastEnd(p.Slots) || p.Number != last[c.User].number+1 {
			return "the times or the number of a campaign"
		}
		if p.Number > 1 && p.Submit != last[c.User].end+ostrich.Time(c.Think) {
			return "a campaign is not submitted when the one before has ended"
		}
		last[c.User] = before{p.Number, p.End}
		for _, slot := range p.Slots {
			for _, other := range free[slot.Proc] {
				if other.Start < slot.End && slot.Start < other.End {
					return "two campaigns at once on a processor"
				}
			}
			free[slot.Proc] = append(free[slot.Proc], slot)
		}
	}
	return ""
}

// TestMultiCmax is the example of thesis 2.3: two users with m/2 tasks each get
// 2p where p would do for both.
func TestMultiCmax(t *testing.T) {
	campaigns := []policy.Campaign{equal(2, 2, 5), equal(1, 2, 5), campaign(3, 4)}
	s, err := policy.Machine{Procs: 4}.MultiCmax(campaigns)
	if err != nil {
		t.Fatal(err)
	}
	want := []row{
		{User: 3, Number: 1, Start: 0, End: 4},
		{User: 1, Number: 1, Start: 4, End: 9},
		{User: 2, Number: 1, Start: 9, End: 14},
	}
	if diff := cmp.Diff(want, rows(s, campaigns)); diff != "" {
		t.Error("-want +got\n", diff)
	}
	if _, err := (policy.Machine{Procs: 4}).MultiCmax(append(campaigns, campaign(3, 1))); !errors.Is(err, policy.ErrInstance) {
		t.Error("two campaigns of a user:", err)
	}
}

// TestMultiCamp schedules the campaigns of thesis 4.2 offline: user 1 has 8 s in
// all and goes first.
func TestMultiCamp(t *testing.T) {
	campaigns := []policy.Campaign{campaign(2, 3, 1), campaign(2, 3), campaign(1, 5), campaign(2, 10), campaign(1, 3)}
	s, err := policy.Machine{Procs: 2}.MultiCamp(campaigns)
	if err != nil {
		t.Fatal(err)
	}
	want := []row{
		{User: 1, Number: 1, Submit: 0, Start: 0, End: 5},
		{User: 1, Number: 2, Submit: 5, Start: 5, End: 8},
		{User: 2, Number: 1, Submit: 0, Start: 8, End: 11},
		{User: 2, Number: 2, Submit: 11, Start: 11, End: 14},
		{User: 2, Number: 3, Submit: 14, Start: 14, End: 24},
	}
	if diff := cmp.Diff(want, rows(s, campaigns)); diff != "" {
		t.Error("-want +got\n", diff)
	}
	if diff := cmp.Diff([]ostrich.Duration{8, 24}, flows(s, campaigns)); diff != "" {
		t.Error("flow times: -want +got\n", diff)
	}
}

// TestProposition31 is the reduction: one user with one campaign on two
// processors is P2||C_max, which is to divide numbers evenly.
func TestProposition31(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := drawTasks(t, 8)
		total := 0
		reach := big.NewInt(1) // a bit for each sum of some of the lengths
		for _, task := range list {
			total += int(task.Run)
			reach.Or(reach, new(big.Int).Lsh(reach, uint(task.Run)))
		}
		want := (total + 1) / 2
		for reach.Bit(want) == 0 {
			want++
		}
		m := policy.Machine{Procs: 2, Rho: exact}
		s, err := m.MultiCamp([]policy.Campaign{{User: 1, Tasks: list}})
		if err != nil {
			t.Fatal(err)
		}
		if got := s[0].End; got != ostrich.Time(want) {
			t.Fatalf("%v ends at %d and divides into %d", list, got, want)
		}
	})
}

// TestProposition32 and 33: what σ campaigns of one user cost against all their
// tasks at once is a factor of σ at most, and what ρ costs inside them is ρ.
func TestProposition32(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		campaigns := drawCampaigns(t, 1, 4, 2)
		procs := rapid.IntRange(1, 3).Draw(t, "m")
		var all []policy.Task
		for _, c := range campaigns {
			all = append(all, c.Tasks...)
		}
		best := lastEnd(exact(all, make([]ostrich.Time, procs)))
		end := endOf(t, policy.Machine{Procs: procs, Rho: exact}, campaigns)
		if end < best || end > ostrich.Time(len(campaigns))*best {
			t.Fatalf("%v on %d processors: %d s in campaigns, %d s without", campaigns, procs, end, best)
		}
	})
	// The bound is tight: m tasks of length 1, each a campaign of its own.
	single := []policy.Campaign{campaign(1, 1), campaign(1, 1), campaign(1, 1)}
	if end := endOf(t, policy.Machine{Procs: 3}, single); end != 3 {
		t.Errorf("three campaigns of 1 s end at %d", end)
	}
}

func TestProposition33(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		campaigns := drawCampaigns(t, 1, 4, 6)
		procs := rapid.IntRange(1, 3).Draw(t, "m")
		best := float64(endOf(t, policy.Machine{Procs: procs, Rho: exact}, campaigns))
		for _, a := range approximations(procs) {
			if got := float64(endOf(t, policy.Machine{Procs: procs, Rho: a.rho}, campaigns)); got > a.factor*best+1e-9 {
				t.Fatalf("%v on %d processors: %v, more than %.3f times %v", campaigns, procs, got, a.factor, best)
			}
		}
	})
}

// approximation is an algorithm with its factor ρ on m processors that are all
// free at once.
type approximation struct {
	rho    policy.Makespan
	factor float64
}

func approximations(m int) []approximation {
	return []approximation{
		{exact, 1},
		{policy.List, 2 - 1/float64(m)},
		{policy.LPT, 4.0/3 - 1/(3*float64(m))},
		{policy.MLPT, 4.0/3 - 1/(3*float64(m))},
	}
}

// endOf is when the campaigns of one user have ended.
func endOf(t interface{ Fatal(...any) }, m policy.Machine, campaigns []policy.Campaign) ostrich.Time {
	s, err := m.MultiCamp(campaigns)
	if err != nil {
		t.Fatal(err)
	}
	if why := flaw(m.Procs, campaigns, s); why != "" {
		t.Fatal(why)
	}
	return s[len(s)-1].End
}

// TestProposition34: k users with n campaigns of m tasks of length 1. No order
// is better than (1, 2, …, k) in every component, and MULTICAMP attains it.
func TestProposition34(t *testing.T) {
	const procs, k, n = 2, 3, 3
	var campaigns []policy.Campaign
	for u := range k {
		for range n {
			campaigns = append(campaigns, equal(ostrich.UserID(u+1), procs, 1))
		}
	}
	m := policy.Machine{Procs: procs}
	visited := 0
	orders(lengths(m, campaigns), func(ends [][]ostrich.Time) {
		visited++
		var sorted []ostrich.Time
		for _, user := range ends {
			sorted = append(sorted, user[n-1])
		}
		slices.Sort(sorted)
		for u, end := range sorted {
			if end < ostrich.Time((u+1)*n) {
				t.Fatalf("completions %v are better than (1, 2, 3) times %d", sorted, n)
			}
		}
	})
	if visited != 1680 { // 9!/(3!)³
		t.Errorf("%d orders", visited)
	}
	for _, tt := range []struct {
		name string
		run  func([]policy.Campaign) (policy.Schedule, error)
		want []ostrich.Duration
	}{
		{"MULTICAMP", m.MultiCamp, []ostrich.Duration{n, 2 * n, 3 * n}},
		// One campaign of each user in turn: the text has the users end at kn,
		// kn−1 and so on until "kn−k". The k-th of these numbers is kn−k+1.
		{"in turn", m.FCFS, []ostrich.Duration{k*n - 2, k*n - 1, k * n}},
	} {
		s, err := tt.run(campaigns)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tt.want, flows(s, campaigns)); diff != "" {
			t.Errorf("%s: -want +got\n%s", tt.name, diff)
		}
	}
}

// TestProposition35: the u-th user in the order of MULTICAMP has at most u·ρ
// times the flow time of a machine alone.
func TestProposition35(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		campaigns := drawCampaigns(t, 4, 6, 5)
		procs := rapid.IntRange(1, 3).Draw(t, "m")
		alone := lengths(policy.Machine{Procs: procs, Rho: exact}, campaigns)
		for _, a := range approximations(procs) {
			m := policy.Machine{Procs: procs, Rho: a.rho}
			s, err := m.MultiCamp(campaigns)
			if err != nil {
				t.Fatal(err)
			}
			if why := flaw(procs, campaigns, s); why != "" {
				t.Fatal(why)
			}
			rank := make(map[ostrich.UserID]int)
			for _, p := range s {
				if u := campaigns[p.Campaign].User; rank[u] == 0 {
					rank[u] = len(rank) + 1
				}
			}
			for i, u := range s.Users(campaigns, procs) {
				if got, bound := float64(u.Flow), float64(rank[u.User])*a.factor*float64(sum(alone[i])); got > bound+1e-9 {
					t.Fatalf("user %d, number %d in the order: flow time %v, more than %v", u.User, rank[u.User], got, bound)
				}
			}
		}
	})
}

func TestRefusals(t *testing.T) {
	good := []policy.Campaign{campaign(1, 1)}
	for _, tt := range []struct {
		name      string
		machine   policy.Machine
		campaigns []policy.Campaign
		want      string
	}{
		{"no processor", policy.Machine{}, good, "policy: a machine of 0 processors: cannot be scheduled"},
		{"placement", policy.Machine{Procs: 1, Place: 9}, good, "policy: placement 9: cannot be scheduled"},
		{"no task", policy.Machine{Procs: 1}, []policy.Campaign{{User: 7}}, "policy: campaign 0 of user 7: no task: cannot be scheduled"},
		{"length", policy.Machine{Procs: 1}, append(good, campaign(2, 3, 0)), "policy: job 2 of user 2 runs for 0 s: cannot be scheduled"},
		{
			"submission",
			policy.Machine{Procs: 1},
			[]policy.Campaign{{Submit: -1, Tasks: tasks(1)}},
			"policy: campaign 0 of user 0: submitted at -1: cannot be scheduled",
		},
		{
			"think time",
			policy.Machine{Procs: 1},
			[]policy.Campaign{{Think: -1, Tasks: tasks(1)}},
			"policy: campaign 0 of user 0: a think time of -1 s: cannot be scheduled",
		},
		{
			"overflow",
			policy.Machine{Procs: 1},
			[]policy.Campaign{campaign(3, 1<<62), campaign(4, 1<<62)},
			"policy: campaign 1 of user 4: the times overflow: cannot be scheduled",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, offline := tt.machine.MultiCamp(tt.campaigns)
			_, fcfs := tt.machine.FCFS(tt.campaigns)
			_, fair := tt.machine.FairCamp(tt.campaigns, 0)
			for _, err := range []error{offline, fcfs, fair} {
				if err == nil || err.Error() != tt.want || !errors.Is(err, policy.ErrInstance) {
					t.Errorf("got %v\nwant %s", err, tt.want)
				}
			}
		})
	}
	if s, err := (policy.Machine{Procs: 1}).FairCamp(nil, 0); err != nil || len(s) != 0 || s.MaxStretch(nil, 1) != 0 {
		t.Errorf("no campaign: %v, %v", s, err)
	}
}

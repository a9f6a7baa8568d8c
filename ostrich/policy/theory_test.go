package policy_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/policy"
)

// Where the tests beside the algorithms try a statement of thesis chapter 3 on
// its own instance, or with the algorithms of the house, these take random ones.
// docs/theory.md lists all.

// TestTheorem21Tight (thesis 2.2): a list of m·(m−1) jobs of length 1 and a last one
// of length m ends at 2m−1, where m would do.
func TestTheorem21Tight(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := rapid.IntRange(1, 8).Draw(t, "m")
		list := tasks(append(slices.Repeat([]ostrich.Duration{1}, m*(m-1)), ostrich.Duration(m))...)
		free := make([]ostrich.Time, m)
		if end := lastEnd(policy.List(list, free)); end != ostrich.Time(2*m-1) {
			t.Fatalf("the list ends at %d", end)
		}
		if end := lastEnd(policy.LPT(list, free)); end != ostrich.Time(m) {
			t.Fatalf("LPT ends at %d", end)
		}
	})
}

// TestTheorem22Tight (thesis 2.2): two jobs of each length from 2m−1 down to m and
// a third one of m end at 4m−1 under LPT, where 3m would do. So 4/3 holds, but
// 4/3 − 1/(3m) is what LPT has.
func TestTheorem22Tight(t *testing.T) {
	for m := 1; m <= 3; m++ {
		list := tasks(ostrich.Duration(m))
		for p := 2*m - 1; p >= m; p-- {
			list = append(list, tasks(ostrich.Duration(p), ostrich.Duration(p))...)
		}
		free := make([]ostrich.Time, m)
		best, end := lastEnd(exact(list, free)), lastEnd(policy.LPT(list, free))
		if best != ostrich.Time(3*m) || end != ostrich.Time(4*m-1) {
			t.Errorf("%d processors: LPT ends at %d, the optimum at %d", m, end, best)
		}
	}
}

// TestLemma31 (thesis 3.4): one user's campaigns follow each other at once, so
// that C_i = Δ_1 + … + Δ_i.
func TestLemma31(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		campaigns := drawCampaigns(t, 1, 6, 6)
		m := policy.Machine{Procs: rapid.IntRange(1, 3).Draw(t, "m")}
		s, err := m.MultiCamp(campaigns)
		if err != nil {
			t.Fatal(err)
		}
		total := ostrich.Time(0)
		for i := range s {
			if total += ostrich.Time(s[i].Flow()); s[i].End != total {
				t.Fatalf("campaign %d ends at %d, the flow times sum up to %d", i, s[i].End, total)
			}
		}
	})
}

// TestProposition32Tight: m jobs of one length, each a campaign of its own,
// take σ = m times as long as they would all at once.
func TestProposition32Tight(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := rapid.IntRange(1, 8).Draw(t, "m")
		p := ostrich.Duration(rapid.IntRange(1, 20).Draw(t, "p"))
		machine := policy.Machine{Procs: m, Rho: exact}
		together := endOf(t, machine, []policy.Campaign{equal(1, m, p)})
		apart := endOf(t, machine, slices.Repeat([]policy.Campaign{equal(1, 1, p)}, m))
		if together != ostrich.Time(p) || apart != ostrich.Time(m)*together {
			t.Fatalf("%d campaigns end at %d, all at once at %d", m, apart, together)
		}
	})
}

// TestProposition33Any (thesis 3.4): a factor ρ of any algorithm for P||C_max is
// one for campaigns. Tasks are put on processors at random; of what comes of it
// the ρ is the worst of the campaigns.
func TestProposition33Any(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		campaigns := drawCampaigns(t, 1, 4, 6)
		m := rapid.IntRange(1, 3).Draw(t, "m")
		anyhow := func(list []policy.Task, free []ostrich.Time) []policy.Slot {
			at, slots := slices.Clone(free), make([]policy.Slot, len(list))
			for i, task := range list {
				q := rapid.IntRange(0, m-1).Draw(t, "processor")
				slots[i] = policy.Slot{Proc: q, Start: at[q], End: at[q] + ostrich.Time(task.Run)}
				at[q] = slots[i].End
			}
			return slots
		}
		best, err := policy.Machine{Procs: m, Rho: exact}.MultiCamp(campaigns)
		if err != nil {
			t.Fatal(err)
		}
		s, err := policy.Machine{Procs: m, Rho: anyhow}.MultiCamp(campaigns)
		if err != nil {
			t.Fatal(err)
		}
		if why := flaw(m, campaigns, s); why != "" {
			t.Fatal(why)
		}
		rho := 0.0
		for i := range s {
			rho = max(rho, float64(s[i].Flow())/float64(best[i].Flow()))
		}
		if got, bound := float64(s[len(s)-1].End), rho*float64(best[len(best)-1].End); got > bound+1e-9 {
			t.Fatalf("ends at %v, ρ·C* = %v", got, bound)
		}
	})
}

// TestProposition34Any (thesis 3.5): where k users have n campaigns of m jobs of
// length 1, no schedule is better than (1, 2, …, k) times n in any component,
// be it in blocks or not; MULTICAMP attains them all. The instance of the text
// for any k, n and m, with jobs picked at random among those that may start.
func TestProposition34Any(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m, k, n := rapid.IntRange(1, 4).Draw(t, "m"), rapid.IntRange(1, 5).Draw(t, "k"), rapid.IntRange(1, 4).Draw(t, "n")
		var campaigns []policy.Campaign
		for u := range k {
			for range n {
				campaigns = append(campaigns, equal(ostrich.UserID(u+1), m, 1))
			}
		}
		var least []ostrich.Duration
		for u := range k {
			least = append(least, ostrich.Duration((u+1)*n))
		}
		s, err := policy.Machine{Procs: m}.MultiCamp(campaigns)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(least, flows(s, campaigns)); diff != "" {
			t.Fatalf("MULTICAMP: -want +got\n%s", diff)
		}

		left := make([]int, k) // jobs of each user
		for u := range left {
			left[u] = n * m
		}
		var ends []ostrich.Duration
		for now := ostrich.Duration(1); len(ends) < k; now++ {
			ready := make([]int, 0, k*m) // an entry for each job of the campaigns at hand
			for u := range left {
				if left[u] > 0 {
					ready = append(ready, slices.Repeat([]int{u}, (left[u]-1)%m+1)...)
				}
			}
			for _, u := range rapid.Permutation(ready).Draw(t, "order")[:min(m, len(ready))] {
				if left[u]--; left[u] == 0 {
					ends = append(ends, now)
				}
			}
		}
		for u := range ends {
			if ends[u] < least[u] {
				t.Fatalf("users end at %v, before %v", ends, least)
			}
		}
	})
}

// TestProposition36 (thesis 3.6.2): FCFS is no better than an α-approximation,
// for a user's ΣΔ and for the max-stretch, with α the ratio of the longest to
// the shortest workload. Users 1 and 2 submit σ campaigns each of m jobs, of
// lengths p and 1, in turn and user 1 first. The optimal max-stretch is at most
// that of MULTICAMP.
func TestProposition36(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m, sigma := rapid.IntRange(1, 5).Draw(t, "m"), rapid.IntRange(1, 6).Draw(t, "sigma")
		p := rapid.IntRange(1, 100).Draw(t, "p")
		var campaigns []policy.Campaign
		for range sigma {
			campaigns = append(campaigns, equal(1, m, ostrich.Duration(p)), equal(2, m, 1))
		}
		machine := policy.Machine{Procs: m}
		fcfs, err := machine.FCFS(campaigns)
		if err != nil {
			t.Fatal(err)
		}
		better, err := machine.MultiCamp(campaigns)
		if err != nil {
			t.Fatal(err)
		}
		alpha := float64(p)
		if got := float64(flows(fcfs, campaigns)[1]) / float64(sigma); got < alpha {
			t.Fatalf("ΣΔ of user 2 is %v times the least, α = %v", got, alpha)
		}
		if got := fcfs.MaxStretch(campaigns, m) / better.MaxStretch(campaigns, m); got < alpha-1e-9 {
			t.Fatalf("the max-stretch is %v times that of MULTICAMP, α = %v", got, alpha)
		}
	})
}

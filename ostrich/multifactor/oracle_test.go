package multifactor_test

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/multifactor"
)

// job is a job of the oracle.
type job struct {
	association int
	rate        float64
	start       ostrich.Time
	over        bool // its end is booked
}

// ledger books job by job, period by period, as the plugin does.
type ledger struct {
	half, period ostrich.Time
	last         ostrich.Time
	raw          []float64 // of associations
	jobs         []*job
}

func (l *ledger) factor(length float64) float64 {
	if l.half == 0 {
		return 1
	}
	return math.Pow(1-0.693/float64(l.half), length)
}

func (l *ledger) book(j *job, until ostrich.Time) {
	if length := float64(until - max(j.start, l.last)); length > 0 {
		l.raw[j.association] += length * l.factor(length) * j.rate
	}
}

func (l *ledger) end(j *job, at ostrich.Time) {
	l.book(j, at)
	j.over = true
}

// calculate does the calculations due up to a moment.
func (l *ledger) calculate(until ostrich.Time, reset func(at ostrich.Time) bool) {
	for l.last+l.period <= until {
		now := l.last + l.period
		for i := range l.raw {
			if reset(now) {
				l.raw[i] = 0
			}
			l.raw[i] *= l.factor(float64(l.period))
		}
		for _, j := range l.jobs {
			if !j.over {
				l.book(j, now)
			}
		}
		l.last = now
	}
}

// tree draws accounts, associations and their shares.
func tree(t *rapid.T) multifactor.Config {
	c := multifactor.Config{Procs: 100, Nodes: 10}
	parent := func(i int) string {
		if up := rapid.IntRange(0, i).Draw(t, "parent"); up > 0 {
			return fmt.Sprint("a", up)
		}
		return ""
	}
	for i := range rapid.IntRange(0, 6).Draw(t, "accounts") {
		c.Accounts = append(c.Accounts, multifactor.Account{
			Name: fmt.Sprint("a", i+1), Parent: parent(i), Shares: rapid.IntRange(1, 5).Draw(t, "shares"),
		})
	}
	for i := range rapid.IntRange(1, 8).Draw(t, "users") {
		c.Associations = append(c.Associations, multifactor.Association{
			User: fmt.Sprint("u", i), Account: parent(len(c.Accounts)), Shares: rapid.IntRange(1, 5).Draw(t, "shares"),
		})
	}
	return c
}

// TestLedger: however events and looks fall, usage is what the ledger has.
func TestLedger(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := tree(t)
		c.HalfLife = ostrich.Duration(rapid.SampledFrom([]int{0, 50, 1000, week}).Draw(t, "half-life"))
		c.Period = ostrich.Duration(rapid.IntRange(1, 400).Draw(t, "period"))
		daily := rapid.Bool().Draw(t, "daily reset")
		const start = 86_400*20_000 + 80_000
		reset := func(ostrich.Time) bool { return false }
		if daily {
			c.Reset = multifactor.ResetDaily
			reset = func(at ostrich.Time) bool { return at/86_400 != (at-ostrich.Time(c.Period))/86_400 }
		}
		c.QOS = []multifactor.QOS{{UsageFactor: 0.3}, {UsageFactor: -1}}
		m := must(t, c, start)
		l := &ledger{half: ostrich.Time(c.HalfLife), period: ostrich.Time(c.Period), last: start, raw: make([]float64, len(c.Associations))}
		now := ostrich.Time(start)
		for range rapid.IntRange(1, 40).Draw(t, "events") {
			now += ostrich.Time(rapid.OneOf(rapid.IntRange(0, 500), rapid.IntRange(0, 50_000)).Draw(t, "gap"))
			i := slices.IndexFunc(l.jobs, func(j *job) bool { return !j.over && rapid.Bool().Draw(t, "ends") })
			switch rapid.IntRange(0, 2).Draw(t, "event") {
			case 0:
				l.calculate(now-1, reset)
				j := &job{association: rapid.IntRange(0, len(c.Associations)-1).Draw(t, "association"), start: now}
				r := multifactor.Request{
					Association: j.association, Partition: -1, QOS: rapid.IntRange(-1, 1).Draw(t, "QOS"),
					Procs: rapid.IntRange(0, 9).Draw(t, "procs"),
				}
				j.rate = float64(r.Procs)
				if r.QOS == 0 {
					j.rate *= 0.3
				}
				l.jobs = append(l.jobs, j)
				if err := m.Start(ostrich.JobID(len(l.jobs)), &r, now); err != nil {
					t.Fatal(err)
				}
			case 1:
				if i < 0 {
					continue
				}
				l.calculate(now-1, reset)
				l.end(l.jobs[i], now)
				if err := m.End(ostrich.JobID(i+1), now); err != nil {
					t.Fatal(err)
				}
			default:
				l.calculate(now, reset)
				m.AdvanceTo(now)
			}
			if rapid.Bool().Draw(t, "look") {
				root := 0.0
				for i, want := range l.raw {
					root += want
					if got := m.Share(i).RawUsage; !near(got, want, 1e-9*want+1e-9) {
						t.Fatalf("at %d association %d has used %v, want %v", now, i, got, want)
					}
				}
				if got := m.AccountShare(-1).RawUsage; !near(got, root, 1e-9*root+1e-9) {
					t.Fatalf("at %d root has used %v, want %v", now, got, root)
				}
			}
		}
	})
}

// TestLooks: how often one looks changes nothing, to the bit.
func TestLooks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := tree(t)
		c.HalfLife, c.Period = 5000, 60
		c.Flags = rapid.SampledFrom([]multifactor.Flags{0, multifactor.NoFairTree, multifactor.DepthOblivious}).Draw(t, "flags")
		often, once := must(t, c, 0), must(t, c, 0)
		now := ostrich.Time(0)
		for id := ostrich.JobID(1); id <= 20; id++ {
			now += ostrich.Time(rapid.IntRange(1, 300).Draw(t, "gap")) // an end in the second of a calculation comes before it or after
			r := multifactor.Request{Association: rapid.IntRange(0, len(c.Associations)-1).Draw(t, "association"), Partition: -1, QOS: -1, Procs: 3}
			for _, m := range []*multifactor.Multifactor{often, once} {
				if err := m.Start(id, &r, now); err != nil {
					t.Fatal(err)
				}
				if id > 5 {
					if err := m.End(id-5, now); err != nil {
						t.Fatal(err)
					}
				}
			}
			for range rapid.IntRange(0, 3).Draw(t, "looks") {
				often.AdvanceTo(often.Due())
				now = often.Latest()
				often.Fairshare(0)
			}
		}
		often.AdvanceTo(now)
		once.AdvanceTo(now)
		for i := range c.Associations {
			if a, b := often.Share(i), once.Share(i); a != b {
				t.Fatalf("association %d: %+v, want %+v", i, a, b)
			}
		}
	})
}

var primes = []float64{2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43}

// TestFairTreeRanks: a user's rank is the number of users who are not in front, by the
// first account or user in which their ways from root differ. (Accounts without
// users are a case of their own, see TestFairTreeTies.)
func TestFairTreeRanks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := tree(t)
		for _, a := range c.Accounts {
			c.Associations = append(c.Associations, multifactor.Association{User: "of " + a.Name, Account: a.Name, Shares: 1})
		}
		m := must(t, c, 0)
		for i := range c.Associations {
			// 0, or such that no sums of different ones are in a ratio of whole numbers.
			used := float64(rapid.IntRange(0, 3).Draw(t, "used")) * math.Log(primes[i])
			if err := m.SetUsage(i, used); err != nil {
				t.Fatal(err)
			}
		}
		number := make(map[string]int)
		for i, a := range c.Accounts {
			number[a.Name] = i
		}
		way := func(user int) []float64 {
			levels := []float64{m.Share(user).LevelFS}
			for name := c.Associations[user].Account; name != ""; name = c.Accounts[number[name]].Parent {
				levels = append(levels, m.AccountShare(number[name]).LevelFS)
			}
			slices.Reverse(levels)
			return levels
		}
		inFront := func(a, b []float64) bool { // as far as both go
			for i := range min(len(a), len(b)) {
				if a[i] != b[i] {
					return a[i] > b[i]
				}
			}
			return false
		}
		for user := range c.Associations {
			rank := len(c.Associations)
			for other := range c.Associations {
				if inFront(way(other), way(user)) {
					rank--
				}
			}
			if got, want := m.Fairshare(user), float64(rank)/float64(len(c.Associations)); got != want {
				t.Fatalf("user %d: %v, want %v", user, got, want)
			}
		}
	})
}

// TestFairTreeWalk: whoever is asked for, the rank is that of Slurm's walk through the whole tree.
func TestFairTreeWalk(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := tree(t)
		parent := rapid.SampledFrom([]int{0, 1, 1, 1, multifactor.UseParent})
		for i := range c.Accounts {
			c.Accounts[i].Shares = parent.Draw(t, "shares")
		}
		for i := range c.Associations {
			c.Associations[i].Shares, c.Associations[i].Usage = parent.Draw(t, "shares"), float64(rapid.IntRange(0, 2).Draw(t, "used"))
		}
		type child struct {
			level float64
			node  int // accounts behind the users
			user  bool
		}
		below, lines := make(map[string][]child), must(t, c, 0)
		above := func(name string) string { // passes over those that compete with their own siblings
			for i := 0; i < len(c.Accounts); i++ {
				if c.Accounts[i].Name == name && c.Accounts[i].Shares == multifactor.UseParent {
					name, i = c.Accounts[i].Parent, -1
				}
			}
			return name
		}
		for i, a := range c.Associations {
			below[above(a.Account)] = append(below[above(a.Account)], child{lines.Share(i).LevelFS, i, true})
		}
		for i, a := range c.Accounts {
			below[above(a.Parent)] = append(below[above(a.Parent)], child{lines.AccountShare(i).LevelFS, i, false})
		}
		n := len(c.Associations)
		want, rank, untied := make([]float64, n), n, n
		var walk func(account string, tied bool)
		walk = func(account string, tied bool) {
			list := below[account]
			slices.SortStableFunc(list, func(a, b child) int { return cmp.Compare(b.level, a.level) })
			for i, x := range list {
				as := i > 0 && x.level == list[i-1].level || i == 0 && tied
				switch {
				case !x.user:
					walk(c.Accounts[x.node].Name, as)
					continue
				case !as:
					rank = untied
				}
				want[x.node] = float64(rank) / float64(n)
				untied--
			}
		}
		walk("", false)
		m := must(t, c, 0)
		for _, user := range rapid.SliceOf(rapid.IntRange(0, n-1)).Draw(t, "asked for") {
			if got := m.Fairshare(user); got != want[user] {
				t.Fatalf("user %d: %v, want %v", user, got, want[user])
			}
		}
	})
}

// BenchmarkYear is a year of a cluster with 500 associations in 50 accounts, a
// job every 5 minutes, and a look at each calculation or none.
func BenchmarkYear(b *testing.B) {
	for name, looks := range map[string]bool{"looks": true, "blind": false} {
		for kind, flags := range map[string]multifactor.Flags{"tree": 0, "classic": multifactor.NoFairTree} {
			b.Run(kind+"/"+name, func(b *testing.B) {
				c := multifactor.Config{HalfLife: week, Flags: flags}
				for i := range 50 {
					c.Accounts = append(c.Accounts, multifactor.Account{Name: fmt.Sprint("a", i), Shares: 1 + i%7})
				}
				for i := range 500 {
					c.Associations = append(c.Associations, multifactor.Association{Account: fmt.Sprint("a", i%50), Shares: 1 + i%3})
				}
				for b.Loop() {
					m := must(b, c, 0)
					id := ostrich.JobID(0)
					for now := ostrich.Time(0); now < 365*24*3600; now += 300 {
						id++
						r := multifactor.Request{Association: int(id*id) % 500, Partition: -1, QOS: -1, Procs: int(id)%64 + 1}
						if err := m.Start(id, &r, now+7); err != nil {
							b.Fatal(err)
						}
						if id > 100 {
							if err := m.End(id-100, now+9); err != nil {
								b.Fatal(err)
							}
						}
						if looks {
							m.Fairshare(0)
						}
					}
				}
			})
		}
	}
}

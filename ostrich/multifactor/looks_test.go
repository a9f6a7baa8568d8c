package multifactor_test

import (
	"errors"
	"math"
	"testing"

	"pgregory.net/rapid"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/multifactor"
)

// TestLookByHand has two users with a job each that runs from 0 on. User 0 has waited
// with another job since before user 1's was submitted: that one does not count for
// user 0, and all does for user 1.
func TestLookByHand(t *testing.T) {
	m := must(t, multifactor.Config{
		Flags: multifactor.NoFairTree, Period: 100, Associations: []multifactor.Association{{Shares: 1}, {Shares: 1}, {Shares: 1}},
	}, 0)
	request := func(association int, submit ostrich.Time) *multifactor.Request {
		return &multifactor.Request{Association: association, Partition: -1, QOS: -1, Procs: 1 + 2*association, Submit: submit}
	}
	gone := request(1, 1)
	if err := errors.Join(
		m.Wait(1, request(0, 0), 0), m.Wait(2, request(0, 0), 0), m.Wait(3, request(1, 0), 0),
		m.Start(1, request(0, 0), 0), m.Start(3, request(1, 0), 0),
		m.Wait(4, request(1, 1), 1), m.Wait(5, gone, 1), m.Withdraw(5, gone, 2), m.Withdraw(5, gone, 2),
	); err != nil {
		t.Fatal(err)
	}
	m.AdvanceTo(100)
	for i, want := range []float64{1, 3. / 4, 0} {
		if got := m.Share(i).NormUsage; got != want {
			t.Errorf("user %d: %v, want %v", i, got, want)
		}
	}
	// Nobody waits: the end of the calculation counts.
	if err := errors.Join(m.Withdraw(2, request(0, 0), 110), m.Withdraw(4, request(1, 1), 110)); err != nil {
		t.Fatal(err)
	}
	m.AdvanceTo(200)
	for i, want := range []float64{1. / 4, 3. / 4, 0} {
		if got := m.Share(i).NormUsage; got != want {
			t.Errorf("user %d: %v, want %v", i, got, want)
		}
	}
	for name, err := range map[string]error{
		"past":           m.Wait(9, request(0, 0), 3),
		"no association": m.Wait(9, request(3, 0), 300),
		"withdraw":       m.Withdraw(9, request(0, 0), 3),
		"withdraw of no": m.Withdraw(9, request(3, 0), 300),
	} {
		if !errors.Is(err, multifactor.ErrConfig) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestLooksOracle goes through all jobs at each calculation, as slurmctld does.
func TestLooksOracle(t *testing.T) {
	type known struct {
		request        multifactor.Request
		waiting, works bool
		start          ostrich.Time
	}
	rapid.Check(t, func(t *rapid.T) {
		const period, users = 60, 3
		running := rapid.Bool().Draw(t, "CALCULATE_RUNNING")
		flags := multifactor.NoFairTree
		if running {
			flags |= multifactor.CalculateRunning
		}
		m := must(t, multifactor.Config{
			Flags: flags, Period: period, HalfLife: 500,
			Associations: []multifactor.Association{{Shares: 1}, {Shares: 1}, {Shares: 1}},
		}, 0)
		decay := func(length ostrich.Time) float64 { return math.Pow(1-0.693/500, float64(length)) }
		var (
			jobs   []*known // job n is jobs[n-1], in the order of their submission
			raw    [users]float64
			norm   [users]float64
			looked [users]bool
			read   [users]bool // for a job
			last   ostrich.Time
		)
		root := func() float64 { return raw[0] + raw[1] + raw[2] }
		look := func(user int) {
			if looked[user] {
				return
			}
			looked[user], norm[user] = true, 0
			if root() > 0 {
				norm[user] = raw[user] / root()
			}
		}
		add := func(j *known, until ostrich.Time) {
			length := until - max(j.start, last)
			raw[j.request.Association] += float64(length) * decay(length) * float64(j.request.Procs)
		}
		calculate := func(until ostrich.Time) {
			for ; last+period <= until; last += period {
				looked, read = [users]bool{}, [users]bool{}
				for user := range raw {
					raw[user] *= decay(period)
				}
				for _, j := range jobs {
					switch {
					case j.works:
						if add(j, last+period); running {
							look(j.request.Association)
							read[j.request.Association] = true
						}
					case j.waiting:
						look(j.request.Association)
						read[j.request.Association] = true
					}
				}
				for user := range raw {
					look(user)
				}
			}
		}
		now := ostrich.Time(0)
		for range rapid.IntRange(1, 30).Draw(t, "events") {
			now += ostrich.Time(rapid.IntRange(0, 100).Draw(t, "gap"))
			calculate(now - 1)
			n := rapid.IntRange(0, len(jobs)).Draw(t, "job")
			id := ostrich.JobID(n)
			switch {
			case n == 0:
				j := &known{waiting: true, request: multifactor.Request{
					Association: rapid.IntRange(0, users-1).Draw(t, "user"), Partition: -1, QOS: -1,
					Procs: rapid.IntRange(1, 5).Draw(t, "procs"), Submit: now,
				}}
				jobs = append(jobs, j)
				if user := j.request.Association; !read[user] {
					looked[user] = false
					look(user)
					read[user] = true
				}
				if err := m.Wait(ostrich.JobID(len(jobs)), &j.request, now); err != nil {
					t.Fatal(err)
				}
			case jobs[n-1].waiting:
				j := jobs[n-1]
				j.waiting, j.works, j.start = false, true, now
				if err := m.Start(id, &j.request, now); err != nil {
					t.Fatal(err)
				}
			case jobs[n-1].works:
				jobs[n-1].works = false
				add(jobs[n-1], now)
				if err := m.End(id, now); err != nil {
					t.Fatal(err)
				}
			default:
				calculate(now)
				m.AdvanceTo(now)
			}
			for user, want := range norm {
				if got := m.Share(user).NormUsage; !near(got, want, 1e-9) {
					t.Fatalf("at %d user %d: %v, want %v", now, user, got, want)
				}
			}
		}
	})
}

// TestAccountsLag: a calculation takes the usage of accounts before it adds what the
// period brought.
func TestAccountsLag(t *testing.T) {
	m := must(t, multifactor.Config{
		Flags: multifactor.NoFairTree, Period: 100,
		Accounts:     []multifactor.Account{{Name: "a", Shares: 1}, {Name: "b", Shares: 1}},
		Associations: []multifactor.Association{{Account: "a", Shares: 1}, {Account: "b", Shares: 1}},
	}, 0)
	if err := m.Start(1, &multifactor.Request{Partition: -1, QOS: -1, Procs: 1}, 0); err != nil {
		t.Fatal(err)
	}
	for _, want := range []float64{0, 1} {
		m.AdvanceTo(m.Due())
		if got := m.AccountShare(0).EffectvUsage; got != want {
			t.Errorf("at %d account a: %v, want %v", m.Latest(), got, want)
		}
		if got := m.Share(0).NormUsage; got != 1 {
			t.Errorf("at %d its user: %v, want 1", m.Latest(), got)
		}
	}
}

// TestObliviousLooks has two users of an account with 6 of 10 shares, and one of another. While the second was never read,
// it counts as NO_VAL, and the first has a factor of 1. So was it with a real slurmctld 24.11: users of one account, who
// had used between 1 and 70 percent of all, had factors of 0.99 until the last of the account submitted a job. After that, the second
// counts as read last: only CALCULATE_RUNNING reads a user who has no waiting job.
func TestObliviousLooks(t *testing.T) {
	for _, tt := range []struct {
		name                   string
		flags                  multifactor.Flags
		first, second, late    float64 // usage_norm of the first user at 200, 300 and 500
		secondLate, effectiveA float64 // that of the second as read by then; the account's at 500
	}{
		{"waiting", 0, 2000. / 8000, 3000. / 12000, 5000. / 23600, 0, 7600. / 19600},
		{"running", multifactor.CalculateRunning, 2000. / 5000, 3000. / 9000, 5000. / 20600, 3600. / 19600, 7600. / 19600},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := must(t, multifactor.Config{
				Flags: multifactor.DepthOblivious | tt.flags, Period: 100,
				Accounts:     []multifactor.Account{{Name: "a", Shares: 6}, {Name: "b", Shares: 4}},
				Associations: []multifactor.Association{{Account: "a", Shares: 1}, {Account: "a", Shares: 1}, {Account: "b", Shares: 1}},
			}, 0)
			request := func(association, procs int, submit ostrich.Time) *multifactor.Request {
				return &multifactor.Request{Association: association, Partition: -1, QOS: -1, Procs: procs, Submit: submit}
			}
			first, other, late, next := request(0, 10, 0), request(2, 30, 0), request(0, 1, 150), request(1, 40, 210)
			does := func(errs ...error) {
				t.Helper()
				if err := errors.Join(errs...); err != nil {
					t.Fatal(err)
				}
			}
			has := func(want float64) {
				t.Helper()
				if got := m.Fairshare(0); !near(got, want, 1e-9) {
					t.Errorf("at %d: a factor of %v, want %v", m.Latest(), got, want)
				}
			}
			of := func(account, own, siblings float64) float64 { // both users have 0.3
				parent, local := account/0.6, own/0.3/(siblings/0.6)
				k := 1.0
				if math.Log(parent)*math.Log(local) < 0 {
					k = 1 / (1 + math.Pow(5*math.Log(parent), 2))
				}
				return math.Exp2(-parent * math.Pow(local, k))
			}
			does(m.Wait(1, first, 0), m.Start(1, first, 0), m.Wait(2, other, 0), m.Start(2, other, 0), m.Wait(3, late, 150))
			m.AdvanceTo(200)
			has(of(0.25, tt.first, tt.first+math.MaxUint32-1))
			has(1)
			does(m.Wait(4, next, 210))
			m.AdvanceTo(300)
			has(of(0.25, tt.second, tt.second))
			does(m.Start(4, next, 310))
			m.AdvanceTo(400)
			m.AdvanceTo(500)
			has(of(tt.effectiveA, tt.late, tt.late+tt.secondLate))
		})
	}
}

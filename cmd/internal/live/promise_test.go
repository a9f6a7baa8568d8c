package live

import (
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/report"
	"slurm-ostrich/priority"
)

// inTurn has users 1 and 2 submit 800 and 400 processor-seconds at once to 4
// processors. User 1 has them for 200 s, then user 2 for 100 s. On the equally
// shared machine user 2 has 400 after 200 s, and user 1 the rest after 300 s.
func inTurn(s *site, edit ...func(*ostrich.Job, *priority.Queued)) *Report {
	s.t.Helper()
	s.submit(1, 1, 4, 200)
	s.submit(2, 2, 4, 100, edit...)
	s.start(1)
	s.cycle()
	s.Now += 190
	s.end(1)
	s.start(2)
	s.cycle()
	s.Now += 90
	s.end(2)
	s.cycle()
	return s.after(300) // so that the latest campaign has been looked at
}

// TestPromise computes ρ by hand.
func TestPromise(t *testing.T) {
	near := cmpopts.EquateApprox(0, 1e-12)
	s := newSite(t, 4)
	r := s.cycle()
	equal(t, "nothing", Promise{Rhos: report.Rhos{Le1: 1}, Users: []PromiseUser{}}, r.Campaigns.Promise)
	r = inTurn(s)
	first, second := 200.0/(300+10), 300.0/(200+10)
	want := Promise{
		Campaigns: 2, Rhos: report.Rhos{Le1: 0.5, Mean: (first + second) / 2, P50: first, P95: second, Max: second},
		Users: []PromiseUser{{User: "u2", Campaigns: 1, Mean: second, Max: second}},
	}
	equal(t, "in turn", want, r.Campaigns.Promise, near)
	equal(t, "a day later", Promise{Rhos: report.Rhos{Le1: 1}, Users: []PromiseUser{}}, s.after(day+300).Campaigns.Promise)
}

// TestPromiseShares: with three shares user 1 has 800 processor-seconds after 267 s,
// and user 2 the rest after 300 s.
func TestPromiseShares(t *testing.T) {
	s := newSite(t, 4)
	s.Events = append(s.Events, ostrich.Event{At: s.Now, Kind: ostrich.Reshare, Shares: &ostrich.Shares{
		Users: []ostrich.UserShare{{User: 1, Weight: 3}, {User: 2, Weight: 1}},
	}})
	s.cycle()
	p := inTurn(s).Campaigns.Promise
	equal(t, "kept and mean", [2]float64{1, (200.0/(267+10) + 300.0/(300+10)) / 2}, [2]float64{p.Le1, p.Mean}, cmpopts.EquateApprox(0, 1e-12))
}

// TestPromiseOpen: what has not ended shares the machine too, by its expected length.
func TestPromiseOpen(t *testing.T) {
	s := newSite(t, 4)
	s.cycle()
	s.submit(1, 1, 2, 4000)
	s.submit(2, 2, 2, 400)
	s.start(1, 2)
	s.cycle()
	s.submit(3, 2, 2, 400) // the same campaign, and it waits
	s.cycle()
	s.Now += 380
	s.end(2)
	s.start(3)
	s.cycle()
	s.Now += 390
	s.end(3)
	p := s.cycle().Campaigns.Promise
	// On the equally shared machine it has 2 of 4 processors, for twice 800
	// processor-seconds: 800 s. Without the job that runs it were 410.
	equal(t, "promise", [2]float64{1, 800.0 / (800 + 10)}, [2]float64{float64(p.Campaigns), p.Mean}, cmpopts.EquateApprox(0, 1e-12))
}

// TestPromiseLeftOut: campaigns of which the past is not known, and those that
// waited for something else, say nothing of the order.
func TestPromiseLeftOut(t *testing.T) {
	s := newSite(t, 4)
	s.submit(1, 1, 4, 100)
	s.start(1)
	s.cycle() // the comparison begins
	s.end(1)
	equal(t, "submitted before", 0, s.cycle().Campaigns.Promise.Campaigns)

	s = newSite(t, 4)
	s.cycle()
	s.state.promise.lost = s.Now + 1
	equal(t, "its company is forgotten", 0, inTurn(s).Campaigns.Promise.Campaigns)

	for _, reason := range []string{"AssocGrpCpuLimit", "Dependency", "JobArrayTaskLimit"} {
		s = newSite(t, 4)
		s.cycle()
		p := inTurn(s, func(_ *ostrich.Job, q *priority.Queued) { q.Reason = reason }).Campaigns.Promise
		equal(t, reason, 1, p.Campaigns)
	}
}

// TestPromiseForgets: it keeps a bounded memory.
func TestPromiseForgets(t *testing.T) {
	var p promise
	for i := range 30 {
		p.past = append(p.past, &openCampaign{ended: ostrich.Time(i) * day, arrivals: make([]arrival, mostArrivals/5)})
	}
	for i := range mostRhos + 5 {
		p.rhos = append(p.rhos, rhoOf{ended: 29*day - ostrich.Time(mostRhos-i)/10})
	}
	last := p.rhos[len(p.rhos)-1]
	p.trim(29 * day)
	equal(t, "by arrivals", 5, len(p.past))
	equal(t, "what ended before is not known", ostrich.Time(24*day), p.lost)
	equal(t, "values", mostRhos, len(p.rhos))
	equal(t, "the latest stays", last.ended, p.rhos[len(p.rhos)-1].ended)
	p.trim(34 * day)
	equal(t, "age is no loss", ostrich.Time(24*day), p.lost)
	equal(t, "by age", [2]int{2, 0}, [2]int{len(p.past), len(p.rhos)})
}

// TestPromiseForgetsWithoutRho: where the jobs of all campaigns wait for a limit, no ρ is computed, and ended campaigns are
// forgotten all the same.
func TestPromiseForgetsWithoutRho(t *testing.T) {
	s := newSite(t, 4)
	s.cycle()
	for id := range 5 {
		s.submit(2*id+1, 1, 4, 100)
		s.submit(2*id+2, 2, 4, 100, func(_ *ostrich.Job, q *priority.Queued) { q.Reason = "AssocGrpCpuLimit" })
		s.cycle()
		s.end(2*id + 1) // cancelled
		s.cycle()
		s.start(2*id + 2)
		s.cycle()
		s.end(2*id + 2)
		s.cycle()
		s.Now += companyTime
	}
	equal(t, "campaigns that ended, ρ, kept", [3]int{5, 0, 1}, [3]int{int(s.state.report.Campaigns.Finished), len(s.state.promise.rhos), len(s.state.promise.past)})
}

// TestArrivals: a campaign that does not end keeps a bounded number of arrivals, in the
// order of time as soon as they are thinned, and all its work.
func TestArrivals(t *testing.T) {
	var apart, arrays openCampaign
	const n = 100_000
	for i := range ostrich.Time(n) {
		apart.arrive(i^1, 2)
		arrays.arrive(i%2, 3)
	}
	sum := func(c *openCampaign) (work ostrich.Work) {
		for _, a := range c.arrivals {
			work += a.work
		}
		return work
	}
	if len(apart.arrivals) > mostInOne || sum(&apart) != 2*n || apart.arrivals[0].at != 0 {
		t.Errorf("%d arrivals from %d on with %v, want at most %d from 0 on with %d", len(apart.arrivals), apart.arrivals[0].at, sum(&apart), mostInOne, 2*n)
	}
	if len(arrays.arrivals) > mostInOne || sum(&arrays) != 3*n || arrays.arrivals[0].work < arrays.arrivals[1].work/2 {
		t.Errorf("two arrays: %d arrivals with %v", len(arrays.arrivals), sum(&arrays))
	}
	arrays.thin()
	equal(t, "two arrays", []arrival{{0, 3 * n / 2}, {1, 3 * n / 2}}, arrays.arrivals, cmpopts.EquateComparable(arrival{}))
}

// BenchmarkPromise is one computation of ρ, once in five minutes, with as many
// arrivals of ended campaigns as are kept, of 200 users.
func BenchmarkPromise(b *testing.B) {
	schedule, err := ostrich.New(ostrich.Options{Procs: 1000})
	if err != nil {
		b.Fatal(err)
	}
	s := New()
	s.pools = []pool{{schedule: schedule, size: 1000}}
	for i := range mostArrivals / 4 {
		at := ostrich.Time(1_000_000 + 30*i)
		c := &openCampaign{key: key{user: ostrich.UserID(i%200 + 1), lead: ostrich.JobID(i + 1)}, first: at, ended: at + 4000, least: at + 600}
		for k := range 4 {
			c.arrive(at+ostrich.Time(k), 6500)
		}
		s.promise.past = append(s.promise.past, c)
	}
	s.promise.due = s.promise.past[len(s.promise.past)-10:]
	for b.Loop() {
		s.promise.rhos = nil
		s.computeRho(0)
	}
	if len(s.promise.rhos) != 10 {
		b.Errorf("%d campaigns", len(s.promise.rhos))
	}
}

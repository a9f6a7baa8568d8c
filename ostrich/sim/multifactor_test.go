package sim_test

import (
	"cmp"
	"errors"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/multifactor"
	"slurm-ostrich/ostrich/report"
	"slurm-ostrich/ostrich/sim"
	"slurm-ostrich/ostrich/sim/orders"
)

// TestMultifactorByHand has single jobs on a machine of one processor, that of job
// 1 until 1000.
func TestMultifactorByHand(t *testing.T) {
	const never = -1
	for _, tt := range []struct {
		name   string
		config multifactor.Config
		jobs   []multifactor.Request
		submit []ostrich.Time // from job 1 on, in order
		run    ostrich.Duration
		want   []ostrich.JobID // the order of starts
	}{
		{
			"submission, then number",
			multifactor.Config{},
			[]multifactor.Request{{}, {}, {}, {}},
			[]ostrich.Time{0, 5, 5, 8},
			10,
			[]ostrich.JobID{1, 2, 3, 4},
		},
		{
			"tier before priority before submission",
			multifactor.Config{Weights: multifactor.Weights{QOS: 100}, Partitions: []multifactor.Partition{{Tier: 1}, {Tier: 2}}, QOS: []multifactor.QOS{{}, {Priority: 5}}},
			[]multifactor.Request{{}, {Partition: 0, QOS: 0}, {Partition: 0, QOS: 1}, {Partition: 1, QOS: 0}},
			[]ostrich.Time{0, 5, 6, 7},
			10,
			[]ostrich.JobID{1, 4, 3, 2},
		},
		{
			// User 0 runs first. At the calculation of 600 its factor falls to 1/2.
			"fair share",
			multifactor.Config{Weights: multifactor.Weights{Fairshare: 100}, Associations: []multifactor.Association{{Shares: 1}, {Shares: 1}}},
			[]multifactor.Request{{Association: 0}, {Association: 0}, {Association: 0}, {Association: 1}},
			[]ostrich.Time{0, 5, 6, 700},
			10,
			[]ostrich.JobID{1, 4, 2, 3},
		},
		{
			// Without usage in a calculation both are 1: job 1 has started after
			// that of time 0, and job 4 comes last.
			"fair share of the latest calculation",
			multifactor.Config{Weights: multifactor.Weights{Fairshare: 100}, Period: 5000, Associations: []multifactor.Association{{Shares: 1}, {Shares: 1}}},
			[]multifactor.Request{{Association: 0}, {Association: 0}, {Association: 0}, {Association: 1}},
			[]ostrich.Time{0, 5, 6, 700},
			10,
			[]ostrich.JobID{1, 2, 3, 4},
		},
		{
			// At 900 job 2 has an age of 0.8, so 80 + 0; job 3 has the nice value
			// −50 and 0.2. Between calculations ages stand still.
			"age",
			multifactor.Config{Weights: multifactor.Weights{Age: 100}, MaxAge: 1000},
			[]multifactor.Request{{}, {}, {Nice: -50}, {Nice: -79}},
			[]ostrich.Time{0, 100, 700, 950},
			10,
			[]ostrich.JobID{1, 2, 4, 3},
		},
	} {
		var campaigns []sim.Campaign
		for i, at := range tt.submit {
			run := tt.run
			if i == 0 {
				run = 1000
			}
			campaigns = append(campaigns, sim.NewCampaign(0, at, 0, tasks(ostrich.JobID(i+1), run)...))
		}
		for i := range tt.jobs {
			r := &tt.jobs[i]
			if len(tt.config.Associations) == 0 {
				r.Association = never
			}
			if len(tt.config.Partitions) == 0 {
				r.Partition, r.QOS = never, never
			}
		}
		tt.config.Nodes = 1
		jobs := mustRun(t, sim.Machine{
			Procs: 1, Open: true,
			Policy: orders.Multifactor(tt.config, func(n ostrich.JobID) multifactor.Request { return tt.jobs[n-1] }),
		}, campaigns)
		slices.SortStableFunc(jobs, func(a, b report.Job) int { return cmp.Compare(a.Start, b.Start) })
		var got []ostrich.JobID
		for _, j := range jobs {
			got = append(got, j.ID)
		}
		if diff := gocmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s: -want +got\n%s", tt.name, diff)
		}
	}
}

// plainMultifactor is the policy without anything clever: every calculation gives
// all waiting jobs new priorities, and every list is sorted anew.
type plainMultifactor struct {
	config  multifactor.Config
	request func(n ostrich.JobID) multifactor.Request
	plugin  *multifactor.Multifactor
	now     ostrich.Time
	jobs    map[ostrich.JobID]*plainCandidate
}

type plainCandidate struct {
	request  multifactor.Request
	priority uint32
	waiting  bool
}

func (p *plainMultifactor) calculate(until ostrich.Time) {
	for p.plugin.Due() <= until {
		p.plugin.AdvanceTo(p.plugin.Due())
		for _, j := range p.jobs {
			if !j.waiting {
				continue
			}
			f := p.plugin.Factors(&j.request, p.plugin.Latest())
			priority := p.plugin.Priority(&f)
			if p.config.Flags&multifactor.IncrOnly == 0 || priority > j.priority {
				j.priority = priority
			}
		}
	}
}

func (p *plainMultifactor) Step(e ostrich.Event) (err error) {
	if p.plugin == nil {
		if p.plugin, err = multifactor.New(p.config, e.At); err != nil {
			return err
		}
	}
	p.calculate(e.At - 1)
	p.now = e.At
	switch e.Kind {
	case ostrich.Submit:
		r := p.request(e.Job.ID)
		r.Submit, r.Procs, r.Limit = e.At, e.Job.Procs, e.Job.Estimate
		p.jobs[e.Job.ID] = &plainCandidate{request: r}
		return p.plugin.Wait(e.Job.ID, &r, e.At)
	case ostrich.Start:
		p.jobs[e.Job.ID].waiting = false
		return p.plugin.Start(e.Job.ID, &p.jobs[e.Job.ID].request, e.At)
	case ostrich.End:
		return p.plugin.End(e.Job.ID, e.At)
	default:
	}
	return nil
}

func (p *plainMultifactor) Ready(id ostrich.JobID) {
	j := p.jobs[id]
	j.request.Eligible, j.waiting = p.now, true
	f := p.plugin.Factors(&j.request, p.now)
	j.priority = p.plugin.Priority(&f)
}

func (p *plainMultifactor) Jobs() (list []ostrich.JobID) {
	for id, j := range p.jobs {
		if j.waiting {
			list = append(list, id)
		}
	}
	tier := func(j *plainCandidate) int { return p.config.Partitions[j.request.Partition].Tier }
	slices.SortFunc(list, func(a, b ostrich.JobID) int {
		x, y := p.jobs[a], p.jobs[b]
		return cmp.Or(cmp.Compare(tier(y), tier(x)), cmp.Compare(y.priority, x.priority), cmp.Compare(x.request.Submit, y.request.Submit), cmp.Compare(a, b))
	})
	return list
}

func (p *plainMultifactor) Wake(waiting bool) ostrich.Time {
	if p.plugin == nil || !waiting {
		return 0
	}
	return p.plugin.Due()
}

func (p *plainMultifactor) AdvanceTo(t ostrich.Time) error {
	p.calculate(t)
	return nil
}

// TestMultifactorOracle: what is left out makes no difference.
func TestMultifactorOracle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := rapid.IntRange(1, 8).Draw(t, "m")
		campaigns := mustCampaigns(t, drawLog(t, m, false))
		weight := func(name string) float64 {
			return rapid.SampledFrom([]float64{0, 3, 100, 5000}).Draw(t, name)
		}
		c := multifactor.Config{
			Weights: multifactor.Weights{
				Age: weight("age"), Fairshare: weight("fair share"), JobSize: weight("size"), Partition: weight("partition"), QOS: weight("QOS"),
			},
			Flags:  rapid.SampledFrom([]multifactor.Flags{0, multifactor.NoFairTree, multifactor.IncrOnly, multifactor.AccrueAlways, multifactor.SmallRelativeToTime}).Draw(t, "flags"),
			MaxAge: 50, HalfLife: 100, Period: ostrich.Duration(rapid.IntRange(1, 20).Draw(t, "period")), Procs: m, Nodes: m,
			Partitions: []multifactor.Partition{{JobFactor: 1, Tier: 1}, {JobFactor: 2, Tier: rapid.IntRange(0, 2).Draw(t, "tier")}},
			QOS:        []multifactor.QOS{{Priority: 1, UsageFactor: 1}, {Priority: 2, UsageFactor: 2}},
			Accounts:   []multifactor.Account{{Name: "a", Shares: 2}},
			Associations: []multifactor.Association{
				{Shares: 1}, {Account: "a", Shares: 1}, {Account: "a", Shares: 3},
			},
		}
		seed := rapid.IntRange(0, 1000).Draw(t, "seed")
		request := func(n ostrich.JobID) multifactor.Request {
			k := (int(n) + seed) * 2654435761 >> 8
			return multifactor.Request{Association: k%4 - 1, Partition: k / 4 % 2, QOS: k / 8 % 2, Nice: int64(k / 16 % 3 * 40), Found: k / 64 % 3 * m}
		}
		l := sim.Machine{
			Procs: m, Open: rapid.Bool().Draw(t, "open"), Offsets: rapid.Bool().Draw(t, "offsets"), Dependencies: rapid.Bool().Draw(t, "dependencies"),
			Backfill: rapid.SampledFrom([]sim.Backfill{sim.None, sim.EASY}).Draw(t, "backfill"),
		}
		l.Policy = orders.Multifactor(c, request)
		got := mustRun(t, l, campaigns)
		l.Policy = func(int) (sim.Ranker, error) {
			return &plainMultifactor{config: c, request: request, jobs: make(map[ostrich.JobID]*plainCandidate)}, nil
		}
		if diff := gocmp.Diff(mustRun(t, l, campaigns), got); diff != "" {
			t.Fatal("-want +got\n", diff)
		}
	})
}

func TestMultifactorErrors(t *testing.T) {
	one := []sim.Campaign{sim.NewCampaign(0, 0, 0, tasks(1, 5)...)}
	of := func(association int) func(ostrich.JobID) multifactor.Request {
		return func(ostrich.JobID) multifactor.Request {
			return multifactor.Request{Association: association, Partition: -1, QOS: -1}
		}
	}
	for name, policy := range map[string]sim.Policy{
		"no nodes":       orders.Multifactor(multifactor.Config{}, of(-1)),
		"no association": orders.Multifactor(multifactor.Config{Nodes: 1}, of(0)),
	} {
		if _, err := (sim.Machine{Procs: 1, Policy: policy}).Run(one); !errors.Is(err, multifactor.ErrConfig) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// BenchmarkMultifactor replays 10^6 jobs of a year, of 500 users, on a machine that
// is almost busy, so that some thousand wait at times.
func BenchmarkMultifactor(b *testing.B) {
	const jobs, m, users = 1_000_000, 1700, 500
	c := multifactor.Config{
		Weights: multifactor.Weights{Age: 1000, Fairshare: 10_000, JobSize: 500, QOS: 1000}, HalfLife: 14 * 24 * 3600, Nodes: 100,
		QOS: []multifactor.QOS{{UsageFactor: 1}, {Priority: 10, UsageFactor: 1}},
	}
	for i := range 50 {
		c.Accounts = append(c.Accounts, multifactor.Account{Name: string(rune('A' + i)), Shares: 1 + i%7})
	}
	for i := range users {
		c.Associations = append(c.Associations, multifactor.Association{Account: c.Accounts[i%50].Name, Shares: 1})
	}
	random := uint64(1)
	draw := func(n int) int {
		random = random*6364136223846793005 + 1442695040888963407
		return int(random >> 33 % uint64(n))
	}
	campaigns := make([]sim.Campaign, jobs)
	requests := make([]multifactor.Request, jobs)
	at := ostrich.Time(0)
	user := 0
	for i := range campaigns {
		if draw(20) == 0 {
			user = draw(users)
			at += ostrich.Time(draw(2 * 31 * 20))
		}
		run := ostrich.Duration(1 + draw(1+draw(1+draw(24*3600))))
		campaigns[i] = sim.NewCampaign(ostrich.UserID(user), at, 0, sim.Job{ID: ostrich.JobID(i + 1), Procs: 1 + draw(1+draw(16)), Run: run, Estimate: run * 2})
		requests[i] = multifactor.Request{Association: user, Partition: -1, QOS: draw(2)}
	}
	for name, flags := range map[string]multifactor.Flags{"tree": 0, "classic": multifactor.NoFairTree} {
		b.Run(name, func(b *testing.B) {
			c.Flags = flags
			for b.Loop() {
				l := sim.Machine{
					Procs: m, Open: true, Backfill: sim.EASY,
					Policy: orders.Multifactor(c, func(n ostrich.JobID) multifactor.Request { return requests[n-1] }),
				}
				done := mustRun(b, l, campaigns)
				wait := 0.0
				for i := range done {
					wait += float64(done[i].Start - done[i].Submit)
				}
				b.ReportMetric(wait/float64(done[jobs-1].Submit), "waiting")
			}
		})
	}
}

// TestMultifactorReady: with AccrueAlways a job that had to wait for another one has
// its age when it can start, without a calculation.
func TestMultifactorReady(t *testing.T) {
	policy := orders.Multifactor(multifactor.Config{
		Nodes: 1, Weights: multifactor.Weights{Age: 100}, MaxAge: 1000, Period: 10_000, Flags: multifactor.AccrueAlways,
	}, func(n ostrich.JobID) multifactor.Request {
		return multifactor.Request{Association: -1, Partition: -1, QOS: -1, Nice: 10 - 10*int64(n)}
	})
	r, err := policy(1)
	if err != nil {
		t.Fatal(err)
	}
	ranker := r.(interface {
		sim.JobRanker
		sim.Readier
	})
	for _, step := range []struct {
		at    ostrich.Time
		kind  ostrich.Kind
		job   ostrich.JobID
		ready ostrich.JobID
	}{
		{1, ostrich.Submit, 3, 3}, {1, ostrich.Start, 3, 0}, {1, ostrich.Submit, 1, 0}, {501, ostrich.Submit, 2, 2}, {601, ostrich.End, 3, 1},
	} {
		if err := ranker.Step(ostrich.Event{At: step.at, Kind: step.kind, Job: ostrich.Job{ID: step.job, Procs: 1, Estimate: 1}}); err != nil {
			t.Fatal(err)
		}
		if step.ready != 0 {
			ranker.Ready(step.ready)
		}
		ranker.Jobs()
	}
	if diff := gocmp.Diff([]ostrich.JobID{1, 2}, ranker.Jobs()); diff != "" {
		t.Error("-want +got\n", diff)
	}
}

// TestMultifactorLate: of jobs with equal priorities the one that was submitted first goes first, though it was eligible later (job_scheduler.c,
// sort_job_queue2), and with AccrueAlways it has aged since then; of those that were submitted together the one with the lower place.
func TestMultifactorLate(t *testing.T) {
	fifo := multifactor.Config{Nodes: 1, Period: 300}
	for _, tt := range []struct {
		config           multifactor.Config
		submit, eligible ostrich.Time // of the second job
	}{
		{fifo, 20, 200},
		{multifactor.Config{Nodes: 1, Period: 300, Weights: multifactor.Weights{Age: 100}, MaxAge: 1000, Flags: multifactor.AccrueAlways}, 20, 200},
		{fifo, 100, 100},
	} {
		submits, eligible := []ostrich.Time{0, 100, tt.submit}, []ostrich.Time{0, 100, tt.eligible}
		policy := orders.Multifactor(tt.config, func(n ostrich.JobID) multifactor.Request {
			return multifactor.Request{Association: -1, Partition: -1, QOS: -1, Submit: submits[n], Eligible: eligible[n], Place: -int32(n)}
		})
		r, err := policy(1)
		if err != nil {
			t.Fatal(err)
		}
		ranker := r.(interface {
			sim.JobRanker
			sim.Readier
		})
		for _, id := range []ostrich.JobID{1, 2} {
			if err := ranker.Step(ostrich.Event{At: eligible[id], Kind: ostrich.Submit, Job: ostrich.Job{ID: id, Procs: 1, Estimate: 1}}); err != nil {
				t.Fatal(err)
			}
			ranker.Ready(id)
		}
		if diff := gocmp.Diff([]ostrich.JobID{2, 1}, ranker.Jobs()); diff != "" {
			t.Error("-want +got\n", diff)
		}
	}
}

// TestMultifactorFound: a job that asks for one processor and gets a whole node goes in front from the calculation on that follows its submission.
func TestMultifactorFound(t *testing.T) {
	policy := orders.Multifactor(multifactor.Config{Nodes: 1, Procs: 8, Weights: multifactor.Weights{JobSize: 1000}, Period: 300}, func(n ostrich.JobID) multifactor.Request {
		return multifactor.Request{Association: -1, Partition: -1, QOS: -1, Found: []int{0, 0, 8}[n]}
	})
	r, err := policy(8)
	if err != nil {
		t.Fatal(err)
	}
	ranker := r.(interface {
		sim.JobRanker
		sim.Readier
		sim.Prioritizer
	})
	for i, procs := range []int{2, 1} {
		id := ostrich.JobID(i + 1)
		if err := ranker.Step(ostrich.Event{At: 100, Kind: ostrich.Submit, Job: ostrich.Job{ID: id, Procs: procs, Estimate: 1}}); err != nil {
			t.Fatal(err)
		}
		ranker.Ready(id)
	}
	for _, tt := range []struct {
		at   ostrich.Time
		want []uint32
		list []ostrich.JobID
	}{{399, []uint32{625, 562}, []ostrich.JobID{1, 2}}, {400, []uint32{625, 1000}, []ostrich.JobID{2, 1}}} {
		if err := r.(interface{ AdvanceTo(ostrich.Time) error }).AdvanceTo(tt.at); err != nil {
			t.Fatal(err)
		}
		if diff := gocmp.Diff(tt.list, ranker.Jobs()); diff != "" {
			t.Errorf("at %d: -want +got\n%s", tt.at, diff)
		}
		if got := []uint32{ranker.Priority(1), ranker.Priority(2)}; !slices.Equal(got, tt.want) {
			t.Errorf("at %d: priorities %d, want %d", tt.at, got, tt.want)
		}
	}
}

// TestMultifactorHighest: with IncrOnly the priority of a job is the highest that it has had, which decides its place.
func TestMultifactorHighest(t *testing.T) {
	for flags, want := range map[multifactor.Flags]uint32{0: 50, multifactor.IncrOnly: 100} {
		policy := orders.Multifactor(multifactor.Config{
			Nodes: 1, Weights: multifactor.Weights{Fairshare: 100}, Period: 300, Flags: flags, Associations: []multifactor.Association{{Shares: 1}, {Shares: 1}},
		}, func(ostrich.JobID) multifactor.Request { return multifactor.Request{Partition: -1, QOS: -1} })
		r, err := policy(1)
		if err != nil {
			t.Fatal(err)
		}
		ranker := r.(interface {
			sim.Readier
			sim.Prioritizer
		})
		for _, e := range []ostrich.Event{
			{At: 1, Kind: ostrich.Submit, Job: ostrich.Job{ID: 1, Procs: 1, Estimate: 1000}},
			{At: 1, Kind: ostrich.Start, Job: ostrich.Job{ID: 1}},
			{At: 2, Kind: ostrich.Submit, Job: ostrich.Job{ID: 2, Procs: 1, Estimate: 1000}},
			{At: 900, Kind: ostrich.End, Job: ostrich.Job{ID: 1}},
		} {
			if err := r.Step(e); err != nil {
				t.Fatal(err)
			}
			if e.Kind == ostrich.Submit {
				ranker.Ready(e.Job.ID)
			}
		}
		if got := ranker.Priority(2); got != want {
			t.Errorf("flags %d: priority %d, want %d", flags, got, want)
		}
	}
}

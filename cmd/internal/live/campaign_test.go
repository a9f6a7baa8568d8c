package live

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"slurm-ostrich/cmd/internal/configuration"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/campaign"
	"slurm-ostrich/ostrich/lengths"
	"slurm-ostrich/priority"
)

// brokenBy is the reasons of the campaign that has ended last. Its bound must
// be broken.
func brokenBy(t *testing.T, r *Report, campaign ostrich.JobID) []string {
	t.Helper()
	i := slices.IndexFunc(r.Campaigns.Last, func(f *Finished) bool { return f.Campaign == campaign })
	if i < 0 || !r.Campaigns.Last[i].Broken {
		t.Errorf("campaign %d has not broken its bound: %+v", campaign, r.Campaigns.Last)
		return nil
	}
	f := r.Campaigns.Last[i]
	for _, b := range r.Campaigns.BrokenBy {
		holds, first := slices.Contains(f.Reasons, b.Reason), f.Reasons[0] == b.Reason
		if (b.Any > 0) != holds || (b.First > 0) != first {
			t.Errorf("%s: counted %d, as the first %d; the reasons are %v", b.Reason, b.Any, b.First, f.Reasons)
		}
	}
	return f.Reasons
}

// A campaign that runs alone keeps its bound, and its stretch is 1.
func TestKept(t *testing.T) {
	s := newSite(t, 4)
	s.cycle()
	s.submit(1, 1, 1, 100)
	s.submit(2, 1, 1, 100)
	s.start(1, 2)
	s.cycle()
	s.Now += 80
	s.end(1)
	s.cycle()
	s.end(2)
	r := s.cycle()
	c := r.Campaigns
	equal(t, "counts", []uint64{1, 1, 0, 0, 0}, []uint64{c.Finished, c.Kept, c.Broken, c.Unbounded, c.Cancelled})
	f := *c.Last[0]
	bound := *f.Bound
	f.Bound = nil
	equal(t, "campaign", Finished{
		User: "u1", Campaign: 1, Submitted: 10_010, Ended: 10_110, Flow: 100, Stretch: 1, Reasons: []string{},
	}, f)
	// C~ + grace + (A + m·p)/m + p, where C~ is t + W/m: the virtual machine has as many processors
	equal(t, "bound", 10_010+200.0/4+86_400+(200+4*100.0)/4+100, bound)
	equal(t, "stretch", [2]float64{1, 1}, [2]float64{float64(c.Stretch.Buckets[0].Count), c.Stretch.Sum})
	equal(t, "flow", 100.0, c.Flow.Sum)
}

// With rule window a job can join a campaign that has ended for half an hour.
func TestEndOfTheWindow(t *testing.T) {
	s := newSite(t, 4, func(c *configuration.Config) {
		c.Campaign.Rule = campaign.Rule{By: campaign.Window, Threshold: 30 * 60}
	})
	s.cycle()
	s.submit(1, 1, 1, 100)
	s.start(1)
	s.cycle()
	s.end(1)
	s.cycle()
	equal(t, "ended, but open", uint64(0), s.after(1000).Campaigns.Finished)
	s.submit(2, 1, 1, 100)
	s.start(2)
	s.cycle()
	s.end(2)
	s.cycle()
	equal(t, "the window is open", uint64(0), s.after(700).Campaigns.Finished)
	r := s.after(100)
	equal(t, "finished", uint64(1), r.Campaigns.Finished)
	equal(t, "flow", ostrich.Duration(1030), r.Campaigns.Last[0].Flow)
	equal(t, "stretch", 103.0, r.Campaigns.Last[0].Stretch)
	equal(t, "once", uint64(1), s.after(5000).Campaigns.Finished)
}

// A campaign under way when the daemon begins counts what had ended before, one
// that has ended then is not told of, and one whose jobs were all cancelled is
// counted apart.
func TestUnderWay(t *testing.T) {
	s := newSite(t, 7)
	s.submit(1, 1, 1, 500)
	s.submit(2, 1, 1, 5000)
	s.submit(3, 2, 5, 400)
	s.start(1, 2, 3)
	s.Now += 300
	s.end(1, 3)
	s.cycle()
	s.submit(4, 3, 1, 100)
	s.cycle()
	s.end(2, 4)
	r := s.cycle()
	equal(t, "finished and cancelled", [2]uint64{1, 1}, [2]uint64{r.Campaigns.Finished, r.Campaigns.Cancelled})
	equal(t, "stretch", 1.0, r.Campaigns.Last[0].Stretch) // 320 s, of which the longest job took 320
}

// Nobody is promised anything on a machine without processors.
func TestUnbounded(t *testing.T) {
	s := newSite(t, 0)
	s.cycle()
	s.submit(1, 1, 4, 100)
	s.start(1)
	s.cycle()
	s.end(1)
	r := s.cycle()
	equal(t, "unbounded", [3]uint64{1, 1, 0}, [3]uint64{r.Campaigns.Finished, r.Campaigns.Unbounded, r.Campaigns.Broken})
	if r.Campaigns.Last[0].Bound != nil {
		t.Errorf("bound %v", *r.Campaigns.Last[0].Bound)
	}
}

// Each reason alone: of a campaign of one job that should have come first, or
// that ran too long itself.
func TestReasons(t *testing.T) {
	const long = 200_000
	alone := func(_ *ostrich.Job, q *priority.Queued) { q.Pinned, q.SiteKnown = true, false }
	// Another job of the campaign cannot start. (Of one in which none can, nothing
	// is promised.)
	besides := func(edit func(*priority.Queued)) func(s *site) {
		return func(s *site) {
			s.submit(5, 2, 1, 600, func(_ *ostrich.Job, q *priority.Queued) { edit(q) })
			s.cycle()
			s.end(5)
		}
	}
	for _, test := range []struct {
		name    string
		enforce bool
		// submit has campaign 2 of user 2 wait, wait is what happens meanwhile,
		// and at the end it starts and ends.
		submit func(s *site)
		wait   func(s *site)
		want   []string
	}{
		{name: "nothing", want: []string{"not_known"}},
		{name: "another outlives its limit", wait: func(s *site) {
			s.Now += 3900
			s.end(1)
			s.cycle()
		}, want: []string{"overrun"}},
		{name: "another outlives its limit for long", wait: func(s *site) {
			for range 20 {
				s.after(5000)
			}
		}, want: []string{"overrun"}},
		{name: "jobs of it start with one behind it", wait: func(s *site) {
			s.submit(4, 2, 1, 600)
			s.submit(3, 3, 1, 5000)
			s.cycle()
			s.end(1)
			s.start(2, 4, 3)
			s.cycle()
			s.requeue(2)
			s.cycle()
		}, want: []string{"requeued"}},
		{name: "one job of it starts with one behind it", wait: func(s *site) {
			s.submit(4, 2, 1, 600)
			s.submit(3, 3, 1, 5000)
			s.cycle()
			s.end(1)
			s.start(4, 3)
			s.cycle()
		}, want: []string{"not_written"}},
		{name: "outage", wait: func(s *site) {
			s.capacity("", 3)
			s.cycle()
		}, want: []string{"outage"}},
		{name: "more processors", wait: func(s *site) {
			s.capacity("", 5)
			s.cycle()
		}, want: []string{"not_known"}},
		{name: "a higher tier", wait: func(s *site) {
			s.submit(3, 3, 2, 5000, func(j *ostrich.Job, _ *priority.Queued) { j.Partition = "high" })
			s.cycle()
			s.end(1)
			s.start(3)
			s.cycle()
		}, want: []string{"higher_tier"}},
		{name: "a reservation", wait: func(s *site) {
			s.submit(3, 3, 2, 5000, func(_ *ostrich.Job, q *priority.Queued) { q.Reservation = "maint" })
			s.cycle()
			s.end(1)
			s.start(3)
			s.cycle()
		}, want: []string{"higher_tier"}},
		{name: "a pinned job", wait: func(s *site) {
			s.submit(3, 3, 2, 5000, alone)
			s.cycle()
			s.end(1)
			s.start(3)
			s.cycle()
		}, want: []string{"unmanaged"}},
		{name: "it is pinned itself", submit: func(s *site) { s.submit(2, 2, 3, 600, alone) }, want: []string{"unmanaged"}},
		{name: "a job behind it", wait: func(s *site) {
			s.submit(3, 3, 2, 5000)
			s.cycle()
			s.end(1)
			s.start(3)
			s.cycle()
		}, want: []string{"not_written"}},
		{name: "a job behind it, though written", enforce: true, wait: func(s *site) {
			s.submit(3, 3, 2, 5000)
			s.cycle()
			s.end(1)
			s.start(3)
			s.cycle()
		}, want: []string{"passed"}},
		{name: "a job too new to be ordered", wait: func(s *site) {
			s.end(1)
			s.submit(3, 3, 2, 5000)
			s.start(3)
			s.cycle()
		}, want: []string{"not_written"}},
		{name: "a job before it", wait: func(s *site) {
			s.submit(3, 3, 2, 100)
			s.cycle()
			s.end(1)
			s.start(3)
			s.cycle()
		}, want: []string{"not_known"}},
		{name: "a job of its own, behind it", wait: func(s *site) {
			s.submit(3, 2, 1, 100)
			s.cycle()
			s.start(3)
			s.cycle()
		}, want: []string{"not_known"}},
		{name: "held", wait: besides(func(q *priority.Queued) { q.Priority, q.Reason = 0, "JobHeldUser" }), want: []string{"ineligible"}},
		{name: "begin time", wait: besides(func(q *priority.Queued) { q.Listed, q.SiteKnown, q.Reason = false, false, "BeginTime" }), want: []string{"ineligible"}},
		{name: "requeued", wait: func(s *site) {
			s.start(2)
			s.cycle()
			s.requeue(2)
			s.cycle()
		}, want: []string{"requeued"}},
		{name: "throttled", wait: besides(func(q *priority.Queued) { q.Reason = "JobArrayTaskLimit" }), want: []string{"throttled"}},
		{name: "limited", wait: besides(func(q *priority.Queued) { q.Reason = "AssocGrpCpuLimit" }), want: []string{"limited"}},
		{name: "several", wait: func(s *site) {
			s.submit(3, 3, 2, 5000)
			s.Find(2).Reason = "AssocGrpCpuLimit"
			s.cycle()
			s.end(1)
			s.start(3)
			s.capacity("", 3)
			s.cycle()
		}, want: []string{"outage", "limited"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newSite(t, 4, func(c *configuration.Config) {
				c.Schedule.Predictor = lengths.ByLimit // no job runs longer than expected
				if test.enforce {
					c.Mode = configuration.Enforce
				}
			})
			s.submit(1, 1, 2, 3600)
			s.start(1)
			s.cycle()
			if test.submit != nil {
				test.submit(s)
			} else {
				s.submit(2, 2, 3, 600)
			}
			s.cycle()
			if test.wait != nil {
				test.wait(s)
			}
			for _, id := range sorted(s.Records) { // within their limits, as longer ones would move the bound
				if s.Records[id].Job.Start != 0 {
					s.end(int(id))
				}
			}
			s.cycle()
			s.after(long)
			s.start(2)
			s.cycle()
			s.Now += 500
			s.end(2)
			equal(t, "reasons", test.want, brokenBy(t, s.cycle(), 2))
		})
	}
}

// A bound stands still once a campaign is overdue, however often it is looked at:
// if others start instead, it is broken.
func TestBoundWhileOverdue(t *testing.T) {
	s := newSite(t, 4)
	s.cycle()
	s.submit(1, 1, 1, 100)
	s.cycle()
	// C~ + grace + (A + m·p)/m + p, and α·m is 0 as no job is wider than a processor
	want := 10_010 + 100.0/4 + 86_400 + (100+4*100.0)/4 + 100
	for i := range 40 {
		s.submit(i+2, 2, 1, 100)
		s.start(i + 2)
		s.after(10)
		s.end(i + 2)
		s.after(5000)
	}
	s.start(1)
	s.cycle()
	s.end(1)
	r := s.cycle()
	i := slices.IndexFunc(r.Campaigns.Last, func(f *Finished) bool { return f.Campaign == 1 })
	f := r.Campaigns.Last[i]
	// Users who come move C~ and with it the bound, by no more than their work.
	if !f.Broken || *f.Bound < want || *f.Bound > want+1000 {
		t.Errorf("bound %.0f of %+v, want one not far behind %.0f, broken", *f.Bound, f, want)
	}
	equal(t, "reasons", []string{"not_written"}, f.Reasons)
}

// A job that runs longer than the predictor expected breaks the bound by itself.
func TestOverrunOfItsOwn(t *testing.T) {
	s := newSite(t, 4)
	s.cycle()
	s.submit(1, 1, 1, 100)
	s.start(1)
	s.cycle()
	s.Now += 5
	s.end(1)
	s.submit(2, 1, 1, 100)
	s.start(2)
	s.cycle()
	s.Now += 200_000
	s.end(2)
	s.cycle()
	equal(t, "finished", 2, int(s.state.Report().Campaigns.Finished))
	equal(t, "reasons", []string{"overrun"}, brokenBy(t, s.state.Report(), 2))
}

// Only so many campaigns are listed, the latest first.
func TestLast(t *testing.T) {
	s := newSite(t, 4)
	s.cycle()
	for i := range mostLast + 5 {
		s.submit(i+1, i+1, 1, 100)
		s.start(i + 1)
		s.cycle()
		s.end(i + 1)
	}
	r := s.cycle()
	equal(t, "finished", uint64(mostLast+5), r.Campaigns.Finished)
	equal(t, "listed", mostLast, len(r.Campaigns.Last))
	equal(t, "first", ostrich.JobID(mostLast+5), r.Campaigns.Last[0].Campaign)
}

// With rule arrival a job can join for as long after the latest one.
func TestEndAfterArrivals(t *testing.T) {
	s := newSite(t, 4, func(c *configuration.Config) {
		c.Campaign.Rule = campaign.Rule{By: campaign.Arrival, Threshold: 100}
	})
	s.cycle()
	for id := range 2 {
		s.submit(id+1, 1, 1, 100)
		s.start(id + 1)
		s.cycle()
		s.end(id + 1)
		s.after(80)
	}
	equal(t, "a third one could join", uint64(0), s.after(9).Campaigns.Finished) // 99 s after the second
	equal(t, "no more", uint64(1), s.after(1).Campaigns.Finished)
}

// Jobs so short that no cycle sees them are part of the work.
func TestWorkOfShortJobs(t *testing.T) {
	s := newSite(t, 8)
	s.submit(100, 2, 1, 36_000)
	s.start(100)
	s.submit(1, 1, 1, 100)
	s.cycle()
	for i := range 10 {
		s.submit(i+2, 1, 6, 60)
		s.start(i + 2)
		s.Now += 5
		s.end(i + 2)
		s.after(5)
	}
	s.start(1)
	s.cycle()
	s.end(1)
	r := s.cycle()
	equal(t, "finished", uint64(1), r.Campaigns.Finished)
	// 10 jobs of 6 processors for 5 s, and one of one for 10 s
	equal(t, "stretch", 120.0/((10*6*5+10)/8.0), r.Campaigns.Last[0].Stretch)
}

// A job that changes hands leaves its campaign, of which nothing is left.
func TestChangedHands(t *testing.T) {
	s := newSite(t, 4)
	s.submit(1, 1, 1, 100)
	s.cycle()
	s.Records[1].Job.User = 2
	s.tell(ostrich.Change, 1)
	s.cycle()
	equal(t, "campaigns", 1, len(s.state.campaigns))
	s.start(1)
	s.cycle()
	s.end(1)
	r := s.cycle()
	equal(t, "finished", uint64(1), r.Campaigns.Finished)
	equal(t, "user", "u2", r.Campaigns.Last[0].User)
}

// An outage is to blame where a campaign waits.
func TestOutageElsewhere(t *testing.T) {
	s := newSite(t, 0, twoPools)
	gpu := func(j *ostrich.Job, _ *priority.Queued) { j.Partition = "gpu" }
	s.capacity("cpu", 4)
	s.capacity("gpu", 4)
	s.submit(1, 1, 1, 100)
	s.submit(2, 1, 1, 100, gpu)
	s.submit(3, 2, 1, 100, gpu)
	s.start(3)
	s.cycle()
	s.capacity("gpu", 3)
	s.cycle()
	got := make(map[string]blame)
	for k, c := range s.state.campaigns {
		got[fmt.Sprint(k.pool, " of ", c.name)] = c.blame
	}
	equal(t, "blame", map[string]blame{"0 of u1": 0, "1 of u1": 1 << Outage, "1 of u2": 0}, got)
}

// Ends are told in whole seconds, and the bound is kept up to the next one.
func TestBoundWithinTheSecond(t *testing.T) {
	for ended, kept := range map[ostrich.Time]uint64{100: 1, 101: 1, 102: 0} {
		r := newReport()
		r.finished(&openCampaign{first: 1, ended: ended, bound: 100.5, size: 1, work: 10, longest: 10}, new(pool))
		equal(t, "kept", kept, r.Campaigns.Kept)
		equal(t, "broken", 1-kept, r.Campaigns.Broken)
	}
}

// The fronts against a list of all jobs.
func TestFront(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := []*openCampaign{nil, {}, {tier: 1}, {tier: 2}}
		var f front
		last := make([]int, len(all))
		for range rapid.IntRange(1, 12).Draw(t, "jobs") {
			i, rank := rapid.IntRange(0, 3).Draw(t, "campaign"), rapid.IntRange(1, 50).Draw(t, "rank")
			f.add(rank, all[i])
			last[i] = max(last[i], rank)
		}
		for i, c := range all[1:] {
			want := 0
			for k, rank := range last {
				if k != i+1 {
					want = max(want, rank)
				}
			}
			if got := f.behind(c); got != want {
				t.Errorf("behind campaign %d: %d, want %d", i+1, got, want)
			}
		}
	})
}

package ostrich

import (
	"math"
	"testing"

	"slurm-ostrich/ostrich/campaign"
)

// TestFigure51 is the worked example of thesis section 5.2, Figure 5.1, with
// m = 6. The loads follow from the text: C~ = 16 and 6 with k = 2 make
// W = 48 and 18; C~ = 7 at t = 2 with k = 3 makes W = 10; C~ = 11 from s~ = 7
// makes W = 8; C~ = 13 from s~ = 8 makes W = 10.
//
// The text says that s~ of the second campaign of user 3 is "C~ = 8", but
// gives C~ of the first one as 7 before and after; 7 is what the equations give.
func TestFigure51(t *testing.T) {
	s := mustNew(t, Options{Procs: 6, Rule: campaign.Rule{By: campaign.Arrival, Threshold: 1}})
	expect := func(at Time, want string) {
		t.Helper()
		mustAdvance(t, s, at)
		if got := times(s, 0); got != want {
			t.Errorf("t = %d:\n%swant\n%s%s", at, got, want, s.Describe())
		}
	}
	submitCampaign(t, s, 0, 1, 100, 8, 8, 8, 8, 8, 8)
	submitCampaign(t, s, 0, 2, 200, 3, 3, 3, 3, 3, 3)
	expect(0, "1.1 0..16\n2.1 0..6\n")
	submitCampaign(t, s, 2, 3, 300, 5, 5)
	expect(2, "1.1 0..23\n2.1 0..8\n3.1 2..7\n")
	submitCampaign(t, s, 5, 3, 310, 4, 4)
	expect(5, "1.1 0..23\n2.1 0..8\n3.1 2..7\n3.2 7..11\n")

	order := s.Order()
	if last := order[len(order)-1]; last.User != 3 || last.Campaign != 2 || !last.Gated {
		t.Errorf("the gate does not hold the second campaign of user 3 back: %+v", order)
	}
	expect(7, "1.1 0..23\n2.1 0..8\n3.1 2..7\n3.2 7..11\n")
	submitCampaign(t, s, 8, 2, 210, 5, 5)
	expect(8, "1.1 0..23\n2.1 0..8\n2.2 8..13\n3.1 2..7\n3.2 7..11\n")

	// User 3 becomes inactive at 11, user 2 at 12 1/3. By t = 14 user 1 was
	// served 6 + 9·2 + 4 + 10 = 38.
	submitCampaign(t, s, 14, 2, 220, 3, 3)
	submitCampaign(t, s, 14, 3, 320, 3, 3)
	expect(14, "1.1 0..19\n2.1 0..8\n2.2 8..12.333\n2.3 14..17\n3.1 2..7\n3.2 7..11\n3.3 14..17\n")
}

// TestFigure51RealSchedule runs the same example on six machines, with
// lengths that let each sentence of thesis 5.2 be true: the text gives loads
// and moments, the lengths are in the lost figure.
func TestFigure51RealSchedule(t *testing.T) {
	r := newMachine(t, Options{Procs: 6, Rule: campaign.Rule{By: campaign.Arrival, Threshold: 1}, Gate: Strict})
	submit := func(u UserID, first JobID, lengths ...Duration) {
		t.Helper()
		for i, p := range lengths {
			r.submit(Job{ID: first + JobID(i), User: u, Procs: 1, Estimate: p})
		}
	}
	r.until(40, func(now Time) {
		switch int64(now) {
		case 0:
			submit(1, 100, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3)
			submit(2, 200, 3, 3, 2, 2, 2, 2, 1, 1, 1, 1)
		case 2:
			submit(3, 300, 2, 2, 2, 2, 1, 1)
		case 5:
			submit(3, 310, 2, 2, 2, 2)
		case 8:
			submit(2, 210, 2, 2, 2, 2, 2)
		case 14:
			submit(2, 220, 2, 2, 2)
			submit(3, 320, 2, 2, 2)
		}
	})
	if len(r.ended) != len(r.jobs) {
		t.Fatalf("%d of %d jobs ended", len(r.ended), len(r.jobs))
	}
	// span is when the first job of a campaign starts and the last one ends.
	span := func(u UserID, first JobID) (start, end Time) {
		start = math.MaxInt64
		for _, j := range r.ended {
			if j.User == u && j.ID >= first && j.ID < first+10 {
				start, end = min(start, j.Start), max(end, j.End)
			}
		}
		return start, end
	}
	for _, j := range r.starts {
		switch {
		case j.Start < 2 && j.User != 2:
			t.Errorf("before t = 2 only user 2 runs, not %+v", j)
		case j.Start == 2 && j.User != 3:
			t.Errorf("at t = 2 user 3 has the priority, not %+v", j)
		case j.Start >= 5 && j.Start < 7 && j.User != 1:
			t.Errorf("from t = 5 to s~ = 7 only jobs of user 1 start, not %+v", j)
		}
	}
	if start, end := span(3, 300); start != 2 || end > 5 {
		t.Errorf("first campaign of user 3 runs in %d..%d, want 2..5", start, end)
	}
	if _, end := span(2, 200); end != 5 {
		t.Errorf("first campaign of user 2 ends at %d, want 5", end)
	}
	if start, _ := span(3, 310); start != 7 {
		t.Errorf("second campaign of user 3 starts at %d, want its virtual start 7", start)
	}
	start2, end2 := span(2, 220)
	start3, end3 := span(3, 320)
	if max(end2, end3) > 18 {
		t.Errorf("third campaigns run in %d..%d and %d..%d, want them done by 18", start2, end2, start3, end3)
	}
	for _, j := range r.starts {
		if j.User == 1 && j.Start >= 14 && j.Start < max(start2, start3) {
			t.Errorf("job %d of user 1 starts at %d, before the third campaigns", j.ID, j.Start)
		}
	}
}

// TestFigure63 tells the story of thesis 6.3, Figure 6.3: 5 processors and 3
// users. The sizes are lost with the figure; these fit the text. By the names
// of the shades, user 1 is dark, 2 medium and 3 light gray.
//
//	t = 0   medium 2x5 2x5 (W = 20), dark 3x6 3x4 (W = 30)
//	t = 7   light 3x2 (W = 6)
func TestFigure63(t *testing.T) {
	r := newMachine(t, Options{
		Procs: 5, Machine: Parallel, Inside: LJF, Rule: campaign.Rule{By: campaign.Arrival, Threshold: 1},
	})
	owed := func() (work [4]Work) {
		for _, u := range r.s.Users() {
			work[u.User] = u.Owed
		}
		return work
	}
	var at7, at11 [4]Work
	var first UserID
	r.until(30, func(now Time) {
		switch int64(now) {
		case 0:
			r.submit(Job{ID: 1, User: 1, Procs: 3, Estimate: 6})
			r.submit(Job{ID: 2, User: 1, Procs: 3, Estimate: 4})
			r.submit(Job{ID: 3, User: 2, Procs: 2, Estimate: 5})
			r.submit(Job{ID: 4, User: 2, Procs: 2, Estimate: 5})
			if got, want := times(r.s, epoch), "1.1 0..12\n2.1 0..8\n"; got != want {
				t.Errorf("t = 0, on all machines: %s, want %s", got, want)
			}
		case 5:
			// 4 processors were used: 10 for each of the two.
			if got, want := owed(), [4]Work{1: 20, 2: 10}; got != want {
				t.Errorf("t = 5: still to be served %v, want %v", got, want)
			}
		case 7:
			at7 = owed()
			r.submit(Job{ID: 5, User: 3, Procs: 3, Estimate: 2})
			first = r.s.Order()[0].User
		case 11:
			at11 = owed()
		}
	})
	if want := [4]Work{1: 17, 2: 7}; at7 != want {
		t.Errorf("t = 7, after 2 s on 3 processors for two: %v, want %v", at7, want)
	}
	if first != 3 {
		t.Errorf("t = 7: user %d has the highest priority, want 3, light gray", first)
	}
	if want := [4]Work{1: 13, 2: 3, 3: 2}; at11 != want {
		t.Errorf("t = 11, after 4 s on 3 processors for three: %v, want %v", at11, want)
	}
	starts := make(map[JobID]Time)
	for _, j := range r.starts {
		starts[j.ID] = j.Start
	}
	for id, want := range map[JobID]Time{3: 0, 4: 0, 1: 5, 5: 11, 2: 13} {
		if starts[id] != want {
			t.Errorf("job %d starts at %d, want %d", id, starts[id], want)
		}
	}
}

// TestStretch is the definition of the paper, section 3:
// D = (C - t) / max(W/m, p_max).
func TestStretch(t *testing.T) {
	for _, tt := range []struct {
		name  string
		c     Campaign
		procs int
		want  float64
	}{
		{"bound by its work", Campaign{First: 10, Ended: 40, Work: 60, Longest: 5}, 6, 3},
		{"bound by its longest job", Campaign{First: 10, Ended: 40, Work: 60, Longest: 15}, 6, 2},
		{"not ended", Campaign{First: 10, Work: 60, Longest: 5}, 6, 9},
		{"no processors", Campaign{First: 10, Ended: 40, Work: 60, Longest: 15}, 0, 2},
		{"no work", Campaign{First: 10, Ended: 40}, 6, 0},
	} {
		if got := tt.c.Stretch(tt.procs, 100); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}

	// Estimates say 50 s; the jobs ran for 20 and 30 s.
	s := mustNew(t, Options{Procs: 1})
	submitCampaign(t, s, 0, 1, 1, 50, 50)
	mustStep(t, s, Event{At: 0, Kind: Start, Job: Job{ID: 1, User: 1, Group: 1, Procs: 1, Estimate: 50}})
	mustStep(t, s, Event{At: 20, Kind: End, Job: Job{ID: 1, User: 1, Start: 1, End: 21}})
	mustStep(t, s, Event{At: 20, Kind: Start, Job: Job{ID: 2, User: 1, Group: 1, Procs: 1, Estimate: 50, Start: 20}})
	submitCampaign(t, s, 21, 2, 3, 1000)
	mustStep(t, s, Event{At: 50, Kind: End, Job: Job{ID: 2, User: 1, Start: 20, End: 50}})
	submitCampaign(t, s, 50, 1, 4, 7)
	for _, c := range s.Campaigns() {
		if c.User != 1 || c.Number != 1 {
			continue
		}
		if c.Work != 50 || c.Longest != 30 || c.Ended != 50 {
			t.Errorf("W %v, p_max %v, C %v, want the true 50, 30, 50", c.Work, c.Longest, c.Ended)
		}
	}
}

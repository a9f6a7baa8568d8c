package ostrich

import (
	"fmt"
	"testing"
)

// step feeds an event and fails the test if it is refused.
func mustStep(t *testing.T, s *Schedule, e Event) {
	t.Helper()
	if err := s.Step(e); err != nil {
		t.Fatal(err)
	}
}

// submitCampaign submits a campaign of sequential jobs with the given lengths.
func submitCampaign(t *testing.T, s *Schedule, at Time, u UserID, first JobID, lengths ...Duration) {
	t.Helper()
	for i, p := range lengths {
		mustStep(t, s, Event{At: at, Kind: Submit, Job: Job{
			ID: first + JobID(i), User: u, Group: first, Procs: 1, Estimate: p, Submit: at,
		}})
	}
}

func times(s *Schedule) string {
	var out string
	for _, c := range s.Campaigns() {
		out += fmt.Sprintf("%d.%d %s..%s\n", c.User, c.Number, number(c.VirtualStart), number(c.VirtualEnd))
	}
	return out
}

// TestFigure51 is the worked example of thesis section 5.2, Figure 5.1, with
// m = 6. The loads follow from the text: C~ = 16 and 6 with k = 2 make
// W = 48 and 18; C~ = 7 at t = 2 with k = 3 makes W = 10; C~ = 11 from s~ = 7
// makes W = 8; C~ = 13 from s~ = 8 makes W = 10.
//
// The text says that s~ of the second campaign of user 3 is "C~ = 8", but
// gives C~ of the first one as 7 before and after; 7 is what the equations give.
func TestFigure51(t *testing.T) {
	s, err := New(Options{Procs: 6, Rule: Rule{By: Arrival, Threshold: 1}})
	if err != nil {
		t.Fatal(err)
	}
	expect := func(at Time, want string) {
		t.Helper()
		if err := s.AdvanceTo(at); err != nil {
			t.Fatal(err)
		}
		if got := times(s); got != want {
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
}

package ostrich

import "testing"

// Done counts jobs that ran and have ended, not those that were cancelled while
// they waited; Open is the work of the others.
func TestProgressInReality(t *testing.T) {
	s, err := New(Options{Procs: 10})
	if err != nil {
		t.Fatal(err)
	}
	array := Job{ID: 1, User: 1, Group: 1, Tasks: 3, Procs: 2, Estimate: 100}
	single := Job{ID: 2, User: 1, Procs: 1, Estimate: 50}
	gone := Job{ID: 3, User: 1, Procs: 5, Estimate: 1000}
	running, ended := array, array
	running.Start, ended.Start, ended.End = 10, 10, 40
	cancelled := gone
	cancelled.End = 20
	for _, e := range []Event{
		{At: 0, Kind: Submit, Job: array},
		{At: 0, Kind: Submit, Job: single},
		{At: 0, Kind: Submit, Job: gone},
		{At: 10, Kind: Start, Job: running},
		{At: 20, Kind: End, Job: cancelled},
	} {
		if err := s.Step(e); err != nil {
			t.Fatal(err)
		}
	}
	if c := s.Campaigns()[0]; c.Done != 0 || c.Open != 650 || c.Work != 650 {
		t.Errorf("while all are open: %d done, %v open of %v", c.Done, c.Open, c.Work)
	}
	if err := s.Step(Event{At: 40, Kind: End, Job: ended}); err != nil {
		t.Fatal(err)
	}
	if c := s.Campaigns()[0]; c.Done != 3 || c.Open != 50 || c.Work != 230 {
		t.Errorf("after the end of the array: %d done, %v open of %v", c.Done, c.Open, c.Work)
	}
}

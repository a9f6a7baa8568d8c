package view

import "context"

// Query is a question about a described cycle. A command asks it about a cycle of its own
// or, through the socket, about the latest one of ostrichd.
type Query[Answer any] struct {
	Name string
	// Rows returns about how many rows the answer has, without making it.
	Rows func(s *Cycle, v *Viewer, by *Selection) int
	Of   func(ctx context.Context, s *Cycle, v *Viewer, by *Selection) (Answer, error)
}

// The queries.
var (
	AskPlan = Query[Plan]{
		"plan",
		func(s *Cycle, v *Viewer, by *Selection) (n int) {
			for i := range s.Plan.Entries {
				if (by.Limit == 0 || n < by.Limit) && s.sees(v, by, i) {
					n++
				}
			}
			return n
		},
		func(_ context.Context, s *Cycle, v *Viewer, by *Selection) (Plan, error) { return s.Chosen(v, by), nil },
	}
	AskCampaigns = Query[Campaigns]{
		"campaigns",
		func(s *Cycle, v *Viewer, by *Selection) (n int) {
			seen := s.seen(v, by)
			for i := range s.Campaigns {
				if c := &s.Campaigns[i]; seen(c) {
					n += 1 + (len(c.Pending)+len(c.Running)+len(c.CannotStart))/idsInRow
				}
			}
			return n
		},
		func(_ context.Context, s *Cycle, v *Viewer, by *Selection) (Campaigns, error) {
			return s.Unfinished(v, by), nil
		},
	}
	AskShares = Query[Shares]{
		"shares",
		func(s *Cycle, _ *Viewer, _ *Selection) (n int) {
			for i := range s.Pools {
				n += len(s.Pools[i].Users)
			}
			return n
		},
		func(_ context.Context, s *Cycle, v *Viewer, by *Selection) (Shares, error) {
			return s.Shares(v, by), nil
		},
	}
)

// idsInRow is how many ids of jobs take as much room as the other fields of a campaign.
const idsInRow = 64

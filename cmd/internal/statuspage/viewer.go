package statuspage

import (
	"cmp"
	"slices"

	"slurm-ostrich/cmd/internal/live"
	"slurm-ostrich/cmd/internal/view"
	"slurm-ostrich/ostrich"
)

// For returns the snapshot as a viewer may see it. Counts of the whole cluster, its
// health and its trends are for everybody.
func (s *Snapshot) For(v *view.Viewer) *Snapshot {
	if v.Jobs && v.Shares && v.Ended {
		return s
	}
	seen := *s
	seen.viewer, seen.Nights = v, live.Seen(s.Nights, v)
	if v.Jobs && v.Shares { // only what is asked of accounting is hidden
		return &seen
	}
	seen.Shares = only(s.Shares, func(one **view.User) bool { return v.Share((*one).User, (*one).Account) })
	seen.Campaigns = only(s.Campaigns, func(one **view.Campaign) bool { return v.Job((*one).User, (*one).Account) })
	for i, c := range seen.Campaigns {
		some := s.cycle.Seen(v, c)
		seen.Campaigns[i] = &some
	}
	seen.Finished = only(s.Finished, func(one **live.Finished) bool { return v.Job((*one).User, (*one).Account) })
	seen.Promise.Users = only(s.Promise.Users, func(one *live.PromiseUser) bool { return v.Job(one.User, one.Account) })
	seen.Running = only(s.Running, func(one *Running) bool { return v.Share(one.User, one.Account) })
	seen.Lanes = []Lane{}
	for _, lane := range s.Lanes {
		if !v.Job(lane.User, lane.Account) {
			// A coordinator sees the campaigns in some accounts of a user.
			lane.Blocks = only(lane.Blocks, func(one *Block) bool { return v.Job(one.User, one.Account) })
			lane.More, lane.Work = 0, 0
			if len(lane.Blocks) == 0 {
				continue
			}
		}
		if !v.Share(lane.User, lane.Account) {
			lane.Blocks = slices.Clone(lane.Blocks)
			for i := range lane.Blocks {
				lane.Blocks[i].Share = nil
			}
		}
		seen.Lanes = append(seen.Lanes, lane)
	}
	if !v.Jobs {
		waiting := make(map[ostrich.JobID]bool) // whose owner is known and may be seen
		if s.cycle != nil {
			for _, e := range s.cycle.Plan.Entries {
				waiting[e.Job] = v.Job(e.User, e.Account)
			}
		}
		seen.Writes = only(s.Writes, func(one *Write) bool { return waiting[one.Job] })
	}
	return &seen
}

func only[Row any](rows []Row, chosen func(*Row) bool) []Row {
	return slices.DeleteFunc(slices.Clone(rows), func(one Row) bool { return !chosen(&one) })
}

// sees returns who looks.
func (s *Snapshot) sees() *view.Viewer { return cmp.Or(s.viewer, view.Everything()) }

// hidden says what the snapshot's viewer does not see; "" if nothing is left out.
func (s *Snapshot) hidden() string {
	const counts = " Counts of the whole cluster include all jobs."
	switch {
	case s.viewer == nil || s.cycle == nil || s.viewer.Jobs && s.viewer.Shares:
		return ""
	case len(s.viewer.Names) > 0:
		return "You see what Slurm shows to " + s.viewer.Names[0] + " (PrivateData)." + counts
	default:
		return "You see what Slurm shows to everybody (PrivateData)." + counts
	}
}

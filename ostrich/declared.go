package ostrich

import "maps"

// DeclaredGap is how long jobs may still join a declared campaign after its last job
// has ended, in seconds: seven days. While a job is unfinished they always may.
const DeclaredGap Duration = 7 * 86400

// declared holds the campaigns that a user has declared, by name. They live
// beside those that the Rule finds: neither changes the other.
type declared struct {
	campaigns map[string]*campaign
	sweep     int // how many there may be before those of the past are forgotten
}

// past reports whether a declared campaign ended too long ago to be joined.
func (c *campaign) past(now Time) bool {
	return c.open == 0 && Duration(now-c.ended) > DeclaredGap
}

// declaredCampaign finds or opens the campaign that a job declares. Those of the past
// are forgotten now and then, so the cost of a campaign does not grow with their number.
func (s *Schedule) declaredCampaign(u *user, j *job) *campaign {
	d := &u.declared
	if c := d.campaigns[j.Campaign]; c != nil && !c.past(s.now) {
		return c
	}
	if len(d.campaigns) >= d.sweep {
		maps.DeleteFunc(d.campaigns, func(_ string, old *campaign) bool { return old.past(s.now) })
		d.sweep = max(16, 2*len(d.campaigns))
	}
	if d.campaigns == nil {
		d.campaigns = make(map[string]*campaign)
	}
	c := s.openCampaign(u, j)
	c.name = j.Campaign
	d.campaigns[j.Campaign] = c
	return c
}

// declared copies a user's declared campaigns.
func (d *duplicate) declared(from declared, u *user) declared {
	to := declared{campaigns: maps.Clone(from.campaigns), sweep: from.sweep}
	for name, c := range to.campaigns {
		to.campaigns[name] = d.campaign(c, u)
	}
	return to
}

// declaration identifies a declared campaign in a Splitter.
type declaration struct {
	user UserID
	name string
}

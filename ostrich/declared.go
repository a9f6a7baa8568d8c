package ostrich

// DeclaredGap is how long jobs may still join a declared campaign after its last job
// has ended, in seconds: seven days. While a job is unfinished they always may.
const DeclaredGap Duration = 7 * 86400

// declared holds the campaigns that a user has declared, by name. They live
// beside those that the Rule finds: neither changes the other.
type declared struct {
	campaigns map[string]*campaign
	sweep     int // how many there may be before those of the past are forgotten
}

// get returns the campaign of that name that a job may join now, or nil.
func (d *declared) get(name string, now Time) *campaign {
	if c := d.campaigns[name]; c != nil && !c.past(now) {
		return c
	}
	return nil
}

// put adds a campaign. Those of the past are forgotten now and then, so the
// cost of a campaign does not grow with their number.
func (d *declared) put(name string, c *campaign, now Time) {
	if len(d.campaigns) >= d.sweep {
		for name, old := range d.campaigns {
			if old.past(now) {
				delete(d.campaigns, name)
			}
		}
		d.sweep = max(16, 2*len(d.campaigns))
	}
	if d.campaigns == nil {
		d.campaigns = make(map[string]*campaign)
	}
	d.campaigns[name] = c
}

// past reports whether a declared campaign ended too long ago to be joined.
func (c *campaign) past(now Time) bool {
	return c.open == 0 && Duration(now-c.ended) > DeclaredGap
}

// declaredCampaign finds or opens the campaign that a job declares.
func (s *Schedule) declaredCampaign(u *user, j *job) *campaign {
	c := u.declared.get(j.Campaign, s.now)
	if c == nil {
		c = s.openCampaign(u, j)
		c.name = j.Campaign
		u.declared.put(j.Campaign, c, s.now)
	}
	return c
}

// clone copies a user's declared campaigns.
func (d *duplicate) declared(from declared, u *user) declared {
	to := declared{sweep: from.sweep}
	if from.campaigns != nil {
		to.campaigns = make(map[string]*campaign, len(from.campaigns))
	}
	for name, c := range from.campaigns {
		to.campaigns[name] = d.campaign(c, u)
	}
	return to
}

// declaration is what a Splitter keeps a declared campaign by.
type declaration struct {
	user UserID
	name string
}

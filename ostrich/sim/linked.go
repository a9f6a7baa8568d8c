package sim

import (
	"fmt"

	"slurm-ostrich/ostrich"
)

// Link is what came before a job.
type Link struct {
	Preceding ostrich.JobID    // a job that had to end before this one was submitted; 0 for none
	Think     ostrich.Duration // from its end to the submission; -1 if not known
}

// Linked takes the campaigns of a log that says itself what they are, as
// trace.Model writes them: the jobs of a user with one preceding job are a
// campaign, which comes when all jobs of the user's campaign before have ended
// and the think time has passed. Jobs without a preceding job are the first
// campaign of their user. Links are by job (see swf.Links). The log must be sorted by Submit.
//
// Submission times only count for an open loop, and for the distance between the
// jobs of a campaign (see Machine.Offsets). The log does not say which of these depend on others.
//
// A log whose campaigns are no chain for each user is refused with ErrWorkload.
// One that has been cut may begin inside the chain: what precedes a user's first
// campaign there does not matter.
func Linked(log []Job, links map[ostrich.JobID]Link) ([]Campaign, error) {
	type last struct {
		campaign  int
		preceding ostrich.JobID
	}
	latest := make(map[ostrich.UserID]last)
	of := make(map[ostrich.JobID]int, len(log)) // campaign by job
	var list []Campaign
	for i := range log {
		l, link := &log[i], links[log[i].ID]
		at, known := latest[l.User]
		opens := !known || link.Preceding != at.preceding
		before, named := of[link.Preceding]
		_, twice := of[l.ID]
		why := ""
		switch {
		case i > 0 && l.Submit < log[i-1].Submit:
			why = "submitted before the one in front of it"
		case twice:
			why = "there are two of them"
		case known && opens && (!named || before != at.campaign):
			why = fmt.Sprintf("its preceding job %d is not in the campaign before of user %d", link.Preceding, l.User)
		case known && opens && link.Think < 0:
			why = fmt.Sprintf("no think time after its preceding job %d", link.Preceding)
		}
		if why != "" {
			return nil, fmt.Errorf("sim: job %d: %s: %w", l.ID, why, ErrWorkload)
		}
		if opens {
			c := Campaign{User: l.User, Submit: l.Submit}
			if known {
				c.Think = link.Think
			}
			at = last{campaign: len(list), preceding: link.Preceding}
			latest[l.User] = at
			list = append(list, c)
		}
		of[l.ID] = at.campaign
		c := &list[at.campaign]
		c.Jobs = append(c.Jobs, l)
	}
	return list, nil
}

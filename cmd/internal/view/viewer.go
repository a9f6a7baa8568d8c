package view

import "slices"

// Viewer is somebody who looks at a described cycle. They see their own jobs,
// campaigns and shares, and those of others as far as Slurm shows them. The zero
// value sees nothing.
type Viewer struct {
	Names    []string // of the user; of more than one where Slurm and accounting differ
	Accounts []string // that the user coordinates; the viewer sees the jobs there too
	Jobs     bool     // sees the jobs and campaigns of others
	Shares   bool     // sees the shares of others
	Ended    bool     // if Jobs is set: sees ended jobs of others too
}

// Everything returns a viewer who sees everything.
func Everything() *Viewer { return &Viewer{Jobs: true, Shares: true, Ended: true} }

// NewViewer returns a viewer from whom slurmctld hides what private, its PrivateData,
// names. slurmdbd decides who sees ended jobs of others, so Ended is not set.
func NewViewer(private []string) *Viewer {
	hides := func(what string) bool { return slices.Contains(private, what) }
	// A user's shares tell what of their jobs runs and waits as well.
	return &Viewer{Jobs: !hides("jobs"), Shares: !hides("jobs") && !hides("usage") && !hides("users")}
}

// Job reports whether the viewer sees the jobs and campaigns of a user in an account.
func (v *Viewer) Job(user, account string) bool { return v.Jobs || v.own(user, account) }

// explained reports whether the viewer sees the job of an explanation.
func (v *Viewer) explained(e *Explanation) bool {
	return v.own(e.User, e.Account) || v.Jobs && (v.Ended || e.Ended == nil)
}

// Share reports whether the viewer sees the shares of a user. The account is empty
// where they are those of all accounts of the user.
func (v *Viewer) Share(user, account string) bool { return v.Shares || v.own(user, account) }

// NamesOf returns the names that a user has in the queue and in accounting.
func (s *Cycle) NamesOf(uid uint32) (names []string) {
	add := func(owner uint32, name string) {
		if owner == uid && name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for i := range s.Plan.Entries {
		add(s.Plan.Entries[i].UID, s.Plan.Entries[i].User)
	}
	for i := range s.live {
		add(s.live[i].UID, s.live[i].UserName)
	}
	return names
}

func (v *Viewer) own(user, account string) bool {
	return user != "" && slices.Contains(v.Names, user) || account != "" && slices.Contains(v.Accounts, account)
}

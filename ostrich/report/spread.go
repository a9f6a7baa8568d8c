package report

import (
	"cmp"
	"slices"

	"slurm-ostrich/ostrich"
)

// Spread summarises values.
type Spread struct {
	Sum  float64 `json:"sum"`
	Mean float64 `json:"mean"`
	Max  float64 `json:"max"`
}

func spread[T any](list []T, value func(*T) float64) Spread {
	var s Spread
	for i := range list {
		v := value(&list[i])
		s.Sum += v
		s.Max = max(s.Max, v)
	}
	if len(list) > 0 {
		s.Mean = s.Sum / float64(len(list))
	}
	return s
}

// Spreads are a measure of jobs, of campaigns and of users.
type Spreads struct {
	Jobs      Spread `json:"jobs"`
	Campaigns Spread `json:"campaigns"`
	Users     Spread `json:"users"`
}

// Flows measures flow times in seconds: C−t of jobs and campaigns, and for a user
// the sum over the campaigns.
func Flows(jobs []Job, campaigns []Campaign, users []User) Spreads {
	return Spreads{
		Jobs:      spread(jobs, func(j *Job) float64 { return float64(j.End - j.Submit) }),
		Campaigns: spread(campaigns, func(c *Campaign) float64 { return float64(c.End - c.Submit) }),
		Users:     spread(users, func(u *User) float64 { return u.Flow }),
	}
}

// StretchSpreads measures stretch on m processors: (C−t)/p of a job,
// Campaign.Stretch of a campaign, User.Stretch of a user.
func StretchSpreads(jobs []Job, campaigns []Campaign, users []User, m int) Spreads {
	return Spreads{
		Jobs:      spread(jobs, (*Job).Stretch),
		Campaigns: spread(campaigns, func(c *Campaign) float64 { return c.Stretch(m) }),
		Users:     spread(users, func(u *User) float64 { return u.Stretch }),
	}
}

// User is what a user got from a run.
type User struct {
	User      ostrich.UserID `json:"user"`
	Jobs      int            `json:"jobs"` // in campaigns
	Campaigns int            `json:"campaigns"`
	Work      ostrich.Work   `json:"work"` // processor-seconds
	Flow      float64        `json:"flow"` // ΣΔ over the campaigns, in seconds

	// Stretch is ΣΔ/Σl, the stretch of a user in HiPC section VI.A, with l =
	// max(W/m, p_max). Mean and Max are over the stretches of the campaigns.
	Stretch     float64 `json:"stretch"`
	MeanStretch float64 `json:"mean_stretch"`
	MaxStretch  float64 `json:"max_stretch"`
}

// Users sums campaigns on m processors up by user, in the order of their ids.
func Users(campaigns []Campaign, m int) []User {
	index := make(map[ostrich.UserID]int)
	var users []User
	var bounds []float64
	for i := range campaigns {
		c := &campaigns[i]
		n, ok := index[c.User]
		if !ok {
			n = len(users)
			index[c.User] = n
			users, bounds = append(users, User{User: c.User}), append(bounds, 0)
		}
		u := &users[n]
		u.Jobs += c.Jobs
		u.Campaigns++
		u.Work += c.Work
		u.Flow += float64(c.End - c.Submit)
		u.MeanStretch += c.Stretch(m)
		u.MaxStretch = max(u.MaxStretch, c.Stretch(m))
		bounds[n] += c.bound(m)
	}
	for n := range users {
		u := &users[n]
		u.MeanStretch /= float64(u.Campaigns)
		u.Stretch = u.Flow / bounds[n]
	}
	slices.SortFunc(users, func(a, b User) int { return cmp.Compare(a.User, b.User) })
	return users
}

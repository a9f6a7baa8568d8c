package view

import (
	"slices"
	"strings"

	"slurm-ostrich/cmd/internal/configuration"
	"slurm-ostrich/ostrich"
)

// Shares is what each user is entitled to, and what they hold.
type Shares struct {
	Cluster  string       `json:"cluster"`
	Time     ostrich.Time `json:"time"`
	Resource string       `json:"resource"` // by which work is counted: a TRES of Slurm's
	Shares   []User       `json:"shares"`
}

// HasUser reports whether a row is of the user.
func (a Shares) HasUser(name string) bool {
	return slices.ContainsFunc(a.Shares, func(r User) bool { return r.User == name })
}

// User is what a user is entitled to in a pool, and what they hold there. With
// shares from the association tree each of a user's accounts has its own.
type User struct {
	Pool     string  `json:"pool"`
	Class    string  `json:"class"`   // "": there are no classes
	Account  string  `json:"account"` // with shares from the association tree; else empty
	User     string  `json:"user"`
	Active   bool    `json:"active"`
	Share    float64 `json:"share"`
	Entitled float64 `json:"processors"`
	Held     float64 `json:"held"`
	Queued   float64 `json:"queued_core_hours"`
	Owed     float64 `json:"owed_core_hours"`

	ID        ostrich.UserID `json:"-"` // of what competes for the machine
	HeldShare float64        `json:"-"` // Held as part of the pool, 0 to 1
	Asked     float64        `json:"-"` // what pending jobs that can start ask for
	Among     int            `json:"-"` // active users of the pool
	Campaigns []*Campaign    `json:"-"` // in the order of Cycle.Campaigns
}

func (s *Cycle) user(p *Pool, u *ostrich.User, name func(ostrich.UserID) string) User {
	account, user := configuration.Owner(name(u.User))
	v := User{
		Pool: p.Name, Class: p.Class, Account: account, User: user, Active: u.Active, Share: u.Fraction, Entitled: s.unit.Units(u.Entitled),
		Held: s.unit.Units(float64(u.Held)), Queued: s.hours(u.Pending), Owed: s.hours(u.Owed),
		ID: u.User, Asked: s.unit.Units(float64(u.Asked)), Among: p.Active,
	}
	if p.size > 0 {
		v.HeldShare = float64(u.Held) / float64(p.size)
	}
	return v
}

// Shares lists the chosen users whose shares v may see, by pool and id. Accounts and
// partitions choose users by their unfinished jobs.
func (s *Cycle) Shares(v *Viewer, by *Selection) Shares {
	list := []User{}
	accounts, partitions := s.where()
	for i := range s.Pools {
		for _, u := range s.Pools[i].Users {
			in := strings.Join(append([]string{u.Account}, accounts[u.ID]...), ",")
			if by.chosen(u.User, in, strings.Join(partitions[u.ID], ",")) && v.Share(u.User, u.Account) {
				list = append(list, u)
			}
		}
	}
	return Shares{s.Cluster, s.Time, s.Resource, list}
}

// where returns the accounts and partitions of the unfinished jobs, by what
// competes for the machine; each once, as the jobs have them.
func (s *Cycle) where() (accounts, partitions map[ostrich.UserID][]string) {
	accounts, partitions = make(map[ostrich.UserID][]string), make(map[ostrich.UserID][]string)
	note := func(in map[ostrich.UserID][]string, id ostrich.UserID, name string) {
		if !slices.Contains(in[id], name) {
			in[id] = append(in[id], name)
		}
	}
	for i := range s.live {
		r := s.live[i]
		note(accounts, r.Job.User, r.Account)
		note(partitions, r.Job.User, r.Partition)
	}
	return accounts, partitions
}

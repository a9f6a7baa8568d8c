package view

import (
	"slices"

	"slurm-ostrich/cmd/internal/format"
	"slurm-ostrich/ostrich"
)

// Shares is what each user is entitled to, and what they hold.
type Shares struct {
	Cluster string       `json:"cluster"`
	Time    ostrich.Time `json:"time"`
	Shares  []Share      `json:"shares"`
}

// Share is what a user is entitled to in a pool, and what they hold there. With
// shares from the association tree each of a user's accounts has its own.
type Share struct {
	Pool     string  `json:"pool"`
	Account  string  `json:"account"` // with shares from the association tree; else empty
	User     string  `json:"user"`
	Active   bool    `json:"active"`
	Share    float64 `json:"share"`
	Entitled float64 `json:"processors"`
	Held     int     `json:"held"`
	Queued   float64 `json:"queued_core_hours"`
	Owed     float64 `json:"owed_core_hours"`

	Of ostrich.UserID `json:"-"` // what competes for the machine
}

// Shares lists the users that have been seen, by pool and id.
func (s *State) Shares() Shares {
	list := []Share{}
	for _, pool := range s.Pools {
		for _, u := range pool.Users {
			account, user := s.Owner(u.User)
			list = append(list, Share{
				Pool: pool.Name, Account: account, User: user, Active: u.Active, Share: u.Fraction, Entitled: u.Entitled,
				Held: u.Held, Queued: format.CoreHours(u.Pending), Owed: format.CoreHours(u.Owed), Of: u.User,
			})
		}
	}
	return Shares{s.Cluster, s.Time, list}
}

// Where tells the accounts and partitions of the jobs that have not ended, by
// what competes for the machine; each once, as the jobs have them.
func (s *State) Where() (accounts, partitions map[ostrich.UserID][]string) {
	accounts, partitions = make(map[ostrich.UserID][]string), make(map[ostrich.UserID][]string)
	note := func(in map[ostrich.UserID][]string, id ostrich.UserID, name string) {
		if !slices.Contains(in[id], name) {
			in[id] = append(in[id], name)
		}
	}
	for i := range s.live {
		r := &s.live[i]
		note(accounts, r.Job.User, r.Account)
		note(partitions, r.Job.User, r.Partition)
	}
	return accounts, partitions
}

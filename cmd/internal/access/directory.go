package access

import (
	"context"
	"slices"
	"sync"
	"time"

	"slurm-ostrich/priority/slurm"
)

const (
	// longestAge is how old an answer of Slurm may be. With an older one, a request asks
	// again and waits for the answer.
	longestAge = time.Minute
	// lastsFor is how long an answer counts if Slurm gives no newer one.
	lastsFor = 10 * time.Minute
	// pause is from one failed question to the next.
	pause = 10 * time.Second
	// Patience is how long a request waits for Slurm's answer.
	Patience = 3 * time.Second
)

// Directory remembers who Slurm's users are. It asks when a request needs to know, beside
// the cycles and one question at a time. Without a valid answer everybody is an ordinary
// user.
type Directory struct {
	ask    func(context.Context) (slurm.Users, error)
	failed func(error) // called for the first failure in a row
	now    func() time.Time

	mu      sync.Mutex
	users   map[uint32]slurm.User
	ended   bool          // slurmdbd shows everybody the ended jobs of others
	success time.Time     // of the latest answer
	tried   time.Time     // when the latest question ended
	failing bool          // it failed
	asking  chan struct{} // closed when the present question ends; nil: there is none
}

// NewDirectory returns a directory that calls ask for Slurm's users, and failed for the
// first failure in a row.
func NewDirectory(ask func(context.Context) (slurm.Users, error), failed func(error), now func() time.Time) *Directory {
	return &Directory{ask: ask, failed: failed, now: now}
}

// of returns the Slurm user of a uid, and whether slurmdbd shows everybody the ended jobs
// of others. The zero value has no rights.
func (d *Directory) of(ctx context.Context, uid uint32) (u slurm.User, ended bool) {
	users, ended := d.known(ctx)
	return users[uid], ended
}

// named is of for the user of a name. The zero value is one whom Slurm does not know.
func (d *Directory) named(ctx context.Context, name string) (u slurm.User, ended bool) {
	users, ended := d.known(ctx)
	for _, u := range users {
		if u.Name == name {
			return u, ended
		}
	}
	return slurm.User{}, ended
}

// known returns the latest valid answer, and waits for a new one if that is old. It is not
// to be changed. A nil directory knows nobody.
func (d *Directory) known(ctx context.Context) (users map[uint32]slurm.User, ended bool) {
	if d == nil {
		return nil, false
	}
	ctx, cancel := context.WithTimeout(ctx, Patience)
	defer cancel()
	if asking := d.renew(); asking != nil {
		select {
		case <-asking:
		case <-ctx.Done():
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.now().Sub(d.success) >= lastsFor {
		return nil, false
	}
	return d.users, d.ended
}

// renew begins to ask Slurm if what is known is old. It returns what is closed once Slurm
// has answered, nil if there is nothing to wait for.
func (d *Directory) renew() <-chan struct{} {
	d.mu.Lock()
	defer d.mu.Unlock()
	now := d.now()
	switch {
	case now.Sub(d.success) < longestAge:
		return nil
	case d.asking == nil && (!d.failing || now.Sub(d.tried) >= pause):
		d.asking = make(chan struct{})
		go d.refresh(d.asking)
	}
	return d.asking
}

// refresh asks Slurm. Its commands have limits of their own.
func (d *Directory) refresh(done chan<- struct{}) {
	users, err := d.ask(context.Background())
	d.mu.Lock()
	d.tried, d.asking = d.now(), nil
	first := err != nil && !d.failing
	if d.failing = err != nil; err == nil {
		d.success, d.users = d.tried, make(map[uint32]slurm.User, len(users.List))
		d.ended = !slices.Contains(users.Private, "jobs")
		for _, u := range users.List {
			d.users[u.UID] = u
		}
	}
	d.mu.Unlock()
	if first {
		d.failed(err)
	}
	close(done)
}

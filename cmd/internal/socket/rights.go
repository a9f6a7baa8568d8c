package socket

import (
	"context"
	"slices"
	"sync"
	"time"

	"slurm-ostrich/priority/slurm"
)

const (
	// rightsAge is from when on Slurm is asked again for its users, when somebody
	// wants to know, and waits for the answer.
	rightsAge = time.Minute
	// rightsLast is how long an answer counts if Slurm gives no newer one.
	rightsLast = 10 * time.Minute
	// rightsPause is from one failed question to the next.
	rightsPause = 10 * time.Second
	// rightsPatience is how long a request waits for an answer.
	rightsPatience = 3 * time.Second
)

// rights remembers who Slurm's users are. It asks beside the cycles and when a
// request wants to know, at most once at a time. Without a valid answer everybody
// is an ordinary user.
type rights struct {
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

// of returns the Slurm user of a uid, and whether slurmdbd shows everybody the ended jobs
// of others. The zero value has no rights.
func (r *rights) of(ctx context.Context, uid uint32) (u slurm.User, ended bool) {
	ctx, cancel := context.WithTimeout(ctx, rightsPatience)
	defer cancel()
	if asking := r.renew(); asking != nil {
		select {
		case <-asking:
		case <-ctx.Done():
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.now().Sub(r.success) >= rightsLast {
		return slurm.User{}, false
	}
	return r.users[uid], r.ended
}

// renew begins to ask Slurm if what is known is old. It returns what is closed once Slurm
// has answered, nil if there is nothing to wait for.
func (r *rights) renew() <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.now()
	switch {
	case now.Sub(r.success) < rightsAge:
		return nil
	case r.asking == nil && (!r.failing || now.Sub(r.tried) >= rightsPause):
		r.asking = make(chan struct{})
		go r.refresh(r.asking)
	}
	return r.asking
}

// refresh asks Slurm. Its commands have limits of their own.
func (r *rights) refresh(done chan<- struct{}) {
	users, err := r.ask(context.Background())
	r.mu.Lock()
	r.tried, r.asking = r.now(), nil
	first := err != nil && !r.failing
	if r.failing = err != nil; err == nil {
		r.success, r.users = r.tried, make(map[uint32]slurm.User, len(users.List))
		r.ended = !slices.Contains(users.Private, "jobs")
		for _, u := range users.List {
			r.users[u.UID] = u
		}
	}
	r.mu.Unlock()
	if first {
		r.failed(err)
	}
	close(done)
}

// Directory knows Slurm's users, as far as somebody wants to know.
type Directory struct{ rights *rights }

// NewDirectory returns a directory that asks Slurm for its users when somebody wants
// to know, and tells failed of the first failure in a row.
func NewDirectory(ask func(context.Context) (slurm.Users, error), failed func(error), now func() time.Time) *Directory {
	return &Directory{&rights{ask: ask, failed: failed, now: now}}
}

// Named returns the user of a name. The zero value is one whom Slurm does not know.
func (d *Directory) Named(ctx context.Context, name string) slurm.User {
	r := d.rights
	r.of(ctx, 0) // waits if nothing is known yet
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.now().Sub(r.success) < rightsLast {
		for _, u := range r.users {
			if u.Name == name {
				return u
			}
		}
	}
	return slurm.User{}
}

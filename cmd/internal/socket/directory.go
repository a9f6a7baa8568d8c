package socket

import (
	"context"
	"time"

	"slurm-ostrich/priority/slurm"
)

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

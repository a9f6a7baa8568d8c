package statuspage

import (
	"fmt"

	"slurm-ostrich/cmd/internal/format"
)

// promiseView is how many campaigns took no longer than with a private share, and
// the users furthest from it.
type promiseView struct {
	Words string
	Rows  []Promised
}

// promise returns nil while no campaign has a known ρ.
func (b *builder) promise() *promiseView {
	p := &b.s.Promise
	if p.Campaigns == 0 {
		return nil
	}
	words := fmt.Sprintf("%s %% of %s that ended within 24 hours took no longer than with a private share of the machine (ρ ≤ 1); mean ρ %s, 95th percentile %s.",
		percent(p.Le1), format.Counted(p.Campaigns, "campaign"), format.Rounded(p.Mean), format.Rounded(p.P95))
	return &promiseView{words, rowsOf(b.query.User, p.Users, func(u *Promised) string { return u.User })}
}

package statuspage

import (
	"fmt"

	"slurm-ostrich/cmd/internal/format"
	"slurm-ostrich/cmd/internal/live"
)

// promiseView is how many campaigns took no longer than with a private share, and
// the users furthest from it.
type promiseView struct {
	Words string
	Rows  []live.PromiseUser
}

// promise returns nil while no campaign has a known ρ.
func (b *builder) promise() *promiseView {
	p := &b.s.Promise
	if p.Campaigns == 0 {
		return nil
	}
	words := fmt.Sprintf("%s %% of %s that ended within 24 hours took no longer than with a private share of the machine (ρ ≤ 1); mean ρ %s, 95th percentile %s.",
		percent(p.Le1), format.Counted(p.Campaigns, "campaign"), format.Rounded(p.Mean), format.Rounded(p.P95))
	return &promiseView{words, of(b.query.User, p.Users, func(u *live.PromiseUser) string { return u.User })}
}

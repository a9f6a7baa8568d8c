package statuspage

import (
	"fmt"

	"slurm-ostrich/cmd/internal/format"
)

// promiseView is how many campaigns took no longer than with a private share, and
// the users furthest from it.
type promiseView struct {
	Words string
	Rows  []promiseRow
}

type promiseRow struct {
	person
	ID, Account, Campaigns, Kept, Mean, Max string
}

// promise returns nil while no campaign has a known ρ.
func (b *builder) promise() *promiseView {
	p := &b.s.Promise
	if p.Campaigns == 0 {
		return nil
	}
	v := &promiseView{Words: fmt.Sprintf("%s %% of %s that ended within 24 hours took no longer than with a private share of the machine (ρ ≤ 1); mean ρ %s, 95th percentile %s.",
		percent(p.Le1), format.Counted(p.Campaigns, "campaign"), format.Rounded(p.Mean), format.Rounded(p.P95))}
	for _, u := range p.Users {
		if b.query.User != "" && u.User != b.query.User {
			continue
		}
		v.Rows = append(v.Rows, promiseRow{
			person: b.person(u.User), ID: b.id("promise", u.Account, u.User), Account: u.Account, Campaigns: format.Count(u.Campaigns),
			Kept: percent(u.Le1) + " %", Mean: format.Rounded(u.Mean), Max: format.Rounded(u.Max),
		})
	}
	return v
}

package main

import (
	"strings"
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"

	"slurm-ostrich/cmd/internal/view"
	"slurm-ostrich/ostrich"
)

// owner identifies a series of figures. The account is empty with flat shares;
// Prometheus then shows no such label.
type owner struct{ pool, account, user string }

// standing is what a user has in a pool, and is entitled to.
type standing struct {
	entitled, held   float64 // of the pool, 0 to 1
	pending, running float64 // of what work is counted in
	campaigns        int
	lag              float64 // seconds
	stretch          float64
}

// users keeps the figures of each user in the latest cycle. Users without a
// campaign and a job are not in it.
type users struct {
	latest atomic.Pointer[map[owner]standing] // nil: switched off
}

// observe records a described cycle at a time. The time may be that of a later cycle
// of the same generation. A nil cycle switches the figures off.
func (u *users) observe(c *view.Cycle, now ostrich.Time) {
	if c == nil {
		u.latest.Store(nil)
		return
	}
	all := make(map[owner]standing)
	for i := range c.Pools {
		p, here := &c.Pools[i], make(map[owner]standing)
		for k := range p.Users {
			v := &p.Users[k]
			if !v.Active && v.Held == 0 && v.Asked == 0 && len(v.Campaigns) == 0 {
				continue
			}
			s := standing{pending: v.Asked, running: v.Held, held: v.HeldShare, campaigns: len(v.Campaigns)}
			if v.Active {
				s.entitled = v.Share
			}
			for _, one := range v.Campaigns {
				stretch, lag := one.StretchAt(p, now)
				s.stretch, s.lag = max(s.stretch, stretch), max(s.lag, lag)
			}
			key := owner{p.Name, strings.ToValidUTF8(v.Account, "?"), strings.ToValidUTF8(v.User, "?")}
			here[key] = here[key].and(&s)
		}
		for key, s := range here {
			before := all[key]
			both := before.and(&s)
			both.entitled = max(before.entitled, s.entitled) // each class has all of the pool
			all[key] = both
		}
	}
	u.latest.Store(&all)
}

// and merges two lines of the schedule that have one name: a user may have an
// association for each partition.
func (s standing) and(o *standing) standing {
	return standing{
		s.entitled + o.entitled, s.held + o.held, s.pending + o.pending, s.running + o.running,
		s.campaigns + o.campaigns, max(s.lag, o.lag), max(s.stretch, o.stretch),
	}
}

func userDesc(name, help string) *prometheus.Desc {
	return prometheus.NewDesc("ostrich_user_"+name, help, []string{"pool", "account", "user"}, nil)
}

var userGauges = []struct {
	desc *prometheus.Desc
	of   func(*standing) float64
}{
	{userDesc("entitled_ratio", "Part of the pool that the virtual schedule gives the user now."), func(s *standing) float64 { return s.entitled }},
	{userDesc("held_ratio", "Part of the pool that the user's running jobs hold."), func(s *standing) float64 { return s.held }},
	{userDesc("pending_processors", "What the user's pending jobs ask for, all tasks of arrays counted, in what ostrich_resource_info names."), func(s *standing) float64 { return s.pending }},
	{userDesc("running_processors", "What the user's running jobs hold, in what ostrich_resource_info names."), func(s *standing) float64 { return s.running }},
	{userDesc("campaigns", "Unfinished campaigns of the user."), func(s *standing) float64 { return float64(s.campaigns) }},
	{userDesc("virtual_lag_seconds", "For how long the virtual schedule has completed a campaign of the user that really goes on, the longest."), func(s *standing) float64 { return s.lag }},
	{userDesc("stretch_ratio", "Stretch up to now of the user's unfinished campaigns, the largest."), func(s *standing) float64 { return s.stretch }},
}

// Describe implements prometheus.Collector.
func (*users) Describe(to chan<- *prometheus.Desc) {
	for _, g := range userGauges {
		to <- g.desc
	}
}

// Collect implements prometheus.Collector.
func (u *users) Collect(to chan<- prometheus.Metric) {
	all := u.latest.Load()
	if all == nil {
		return
	}
	for who, s := range *all {
		for _, g := range userGauges {
			to <- prometheus.MustNewConstMetric(g.desc, prometheus.GaugeValue, g.of(&s), who.pool, who.account, who.user)
		}
	}
}

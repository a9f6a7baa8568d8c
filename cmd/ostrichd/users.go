package main

import (
	"maps"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"

	"slurm-ostrich/cmd/internal/sidecar"
	"slurm-ostrich/ostrich"
)

// owner identifies a series of figures. The account is empty with flat shares;
// Prometheus then shows no such label.
type owner struct{ pool, account, user string }

// standing is what a user has in a pool, and is entitled to.
type standing struct {
	entitled, held   float64 // of the pool, 0 to 1
	pending, running int     // processors
	campaigns        int
	lag              float64 // seconds
	stretch          float64
}

// users keeps the figures of each user in the latest cycle. Users without a
// campaign and a job are not in it.
type users struct {
	latest atomic.Pointer[map[owner]standing] // nil: switched off
}

// observe records a cycle, and what is known of each of its pools.
func (u *users) observe(c *sidecar.Cycle, pools []known, name func(ostrich.UserID) string) {
	all := make(map[owner]standing)
	for i, k := range pools {
		of := make(map[ostrich.UserID]*standing)
		procs := k.schedule.Procs()
		for _, v := range k.users {
			if !v.Active && v.Held == 0 && v.Asked == 0 {
				continue
			}
			s := &standing{pending: v.Asked, running: v.Held}
			if v.Active {
				s.entitled = v.Fraction
			}
			if procs > 0 {
				s.held = float64(v.Held) / float64(procs)
			}
			of[v.User] = s
		}
		for n := range k.campaigns {
			v := &k.campaigns[n]
			s := of[v.User]
			if s == nil { // a campaign with no work left that is not complete virtually
				s = new(standing)
				of[v.User] = s
			}
			s.campaigns++
			if v.Ended != 0 {
				continue
			}
			s.stretch = max(s.stretch, v.Stretch(procs, c.Time))
			if v.Completed {
				s.lag = max(s.lag, float64(c.Time)-v.VirtualEnd)
			}
		}
		for _, id := range slices.Sorted(maps.Keys(of)) { // sorted, because sums of floats depend on the order
			account, user := sidecar.Owner(name(id))
			key := owner{c.Pools[i].Pool.Name, strings.ToValidUTF8(account, "?"), strings.ToValidUTF8(user, "?")}
			all[key] = all[key].and(of[id])
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

// userGauges are the gauges of a user.
var userGauges = []struct {
	desc *prometheus.Desc
	of   func(*standing) float64
}{
	{userDesc("entitled_ratio", "Part of the pool that the virtual schedule gives the user now."), func(s *standing) float64 { return s.entitled }},
	{userDesc("held_ratio", "Part of the pool on which the user's jobs run."), func(s *standing) float64 { return s.held }},
	{userDesc("pending_processors", "Processors for which the user's pending jobs ask, all tasks of arrays counted."), func(s *standing) float64 { return float64(s.pending) }},
	{userDesc("running_processors", "Processors on which the user's jobs run."), func(s *standing) float64 { return float64(s.running) }},
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

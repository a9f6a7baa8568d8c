package main

import (
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"

	"slurm-ostrich/cmd/internal/live"
	"slurm-ostrich/cmd/internal/sidecar"
)

// compared keeps the comparison with what Slurm does, and gives the latest one to
// Prometheus, which asks at any time.
type compared struct {
	state  *live.State
	nights live.Nights
	latest atomic.Pointer[live.Report] // nil before the first cycle
	none   *live.Report                // an empty one, for before that
}

func newCompared() *compared {
	s := live.New()
	return &compared{state: s, none: s.Report()}
}

// observe adds a cycle to the comparison. The error says which comparison of last night
// cannot be read; the rest is valid.
func (m *compared) observe(c *sidecar.Cycle, from live.Source) (err error) {
	m.state.Observe(c, from)
	r := m.state.Report()
	r.Nights, err = m.nights.Read(live.Folder(from.Config().Journal))
	m.latest.Store(r)
	return err
}

var (
	overlapDesc = prometheus.NewDesc("ostrich_order_overlap_ratio",
		"Part of the first jobs in OStrich's order that are among as many first ones of Slurm's, before writing: of 10, of 50, or as deep as slurm looks.", []string{"depth"}, nil)
	nightDesc = prometheus.NewDesc("ostrich_compare_made_timestamp_seconds",
		"When ostrich compare --nightly last replayed the day or the week before.", []string{"period"}, nil)
	nightStretchDesc = prometheus.NewDesc("ostrich_compare_user_stretch_ratio",
		"Mean stretch per user in the latest nightly comparison, by run: recorded (what happened), fairshare, ostrich.", []string{"period", "run"}, nil)
	nightChangeDesc = prometheus.NewDesc("ostrich_compare_user_stretch_change_ratio",
		"Difference of that from the baseline's, which is the first policy, fairshare unless the unit names another: the value, and the low and high end of its 95 % interval, which exist with enough users.", []string{"period", "run", "bound"}, nil)
	stretchDesc = prometheus.NewDesc("ostrich_campaign_stretch_ratio",
		"Stretch of finished campaigns: flow time over the shortest possible time on an empty machine.", nil, nil)
	flowDesc = prometheus.NewDesc("ostrich_campaign_flow_seconds",
		"Flow time of finished campaigns.", nil, nil)
	finishedDesc = prometheus.NewDesc("ostrich_finished_campaigns_total",
		"Finished campaigns, by their bound: kept, broken, or none.", []string{"bound"}, nil)
	waitDesc = prometheus.NewDesc("ostrich_job_wait_seconds",
		"How long jobs had waited when they first started, from the submission on.", nil, nil)
	keptDesc = prometheus.NewDesc("ostrich_promise_kept_ratio",
		"Part of the campaigns that ended within the last 24 hours with rho <= 1: their users would not have been better off with a private share. 1 without campaigns.", nil, nil)
	rhoDesc = prometheus.NewDesc("ostrich_promise_rho_mean_ratio",
		"Mean rho of the campaigns that ended within the last 24 hours: flow time over that on an equally shared machine. 0 without campaigns.", nil, nil)
	promisedDesc = prometheus.NewDesc("ostrich_promise_campaigns",
		"Campaigns that ended within the last 24 hours and whose rho is known.", nil, nil)
	brokenDesc = prometheus.NewDesc("ostrich_broken_bounds_total",
		"Bounds that were broken, by the first reason that holds.", []string{"reason"}, nil)
)

// Describe implements prometheus.Collector.
func (m *compared) Describe(to chan<- *prometheus.Desc) { prometheus.DescribeByCollect(m, to) }

// Collect implements prometheus.Collector.
func (m *compared) Collect(to chan<- prometheus.Metric) {
	r := m.latest.Load()
	if r == nil {
		r = m.none // counters begin at 0
	}
	one := func(d *prometheus.Desc, kind prometheus.ValueType, value float64, labels ...string) {
		to <- prometheus.MustNewConstMetric(d, kind, value, labels...)
	}
	total := func(d *prometheus.Desc, value uint64, labels ...string) {
		one(d, prometheus.CounterValue, float64(value), labels...)
	}
	for _, o := range r.Order.Overlap {
		one(overlapDesc, prometheus.GaugeValue, o.Now, o.Depth)
	}
	for _, n := range r.Nights {
		one(nightDesc, prometheus.GaugeValue, float64(n.Made), n.Period)
		for i, c := range live.Nameless(n.Changes) {
			if i == 0 {
				one(nightStretchDesc, prometheus.GaugeValue, c.Baseline, n.Period, n.Baseline)
			}
			one(nightStretchDesc, prometheus.GaugeValue, c.Value, n.Period, c.Run)
			one(nightChangeDesc, prometheus.GaugeValue, c.Difference, n.Period, c.Run, "value")
			if c.Interval != nil {
				one(nightChangeDesc, prometheus.GaugeValue, c.Interval.Low, n.Period, c.Run, "low")
				one(nightChangeDesc, prometheus.GaugeValue, c.Interval.High, n.Period, c.Run, "high")
			}
		}
	}
	to <- histogram(waitDesc, &r.Waits)
	to <- histogram(stretchDesc, &r.Campaigns.Stretch)
	to <- histogram(flowDesc, &r.Campaigns.Flow)
	total(finishedDesc, r.Campaigns.Kept, "kept")
	total(finishedDesc, r.Campaigns.Broken, "broken")
	total(finishedDesc, r.Campaigns.Unbounded, "none")
	one(keptDesc, prometheus.GaugeValue, r.Campaigns.Promise.Le1)
	one(rhoDesc, prometheus.GaugeValue, r.Campaigns.Promise.Mean)
	one(promisedDesc, prometheus.GaugeValue, float64(r.Campaigns.Promise.Campaigns))
	for _, b := range r.Campaigns.BrokenBy {
		total(brokenDesc, b.First, b.Reason)
	}
}

// histogram converts a histogram of the comparison to Prometheus.
func histogram(d *prometheus.Desc, h *live.Histogram) prometheus.Metric {
	buckets := make(map[float64]uint64, len(h.Buckets))
	for _, b := range h.Buckets {
		buckets[b.Limit] = b.Count
	}
	return prometheus.MustNewConstHistogram(d, h.Count, h.Sum, buckets)
}

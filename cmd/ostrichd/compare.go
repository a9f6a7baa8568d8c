package main

import (
	"encoding/json"
	"net/http"
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"

	"slurm-ostrich/cmd/internal/api"
	"slurm-ostrich/cmd/internal/livecompare"
	"slurm-ostrich/cmd/internal/sidecar"
	"slurm-ostrich/cmd/internal/statuspage"
	"slurm-ostrich/cmd/internal/view"
)

// compared keeps the comparison with what Slurm does, and gives the latest one to
// the server and to Prometheus, which ask at any time.
type compared struct {
	shadow *livecompare.Shadow
	latest atomic.Pointer[livecompare.Report] // nil before the first cycle
	none   *livecompare.Report                // an empty one, for before that
}

func newCompared() *compared {
	s := livecompare.New()
	return &compared{shadow: s, none: s.Report()}
}

// observe adds a cycle to the comparison.
func (m *compared) observe(c *sidecar.Cycle, from livecompare.Source) {
	m.shadow.Observe(c, from)
	m.latest.Store(m.shadow.Report())
}

// answer answers with the latest comparison, as a viewer may see it.
func (m *compared) answer(w http.ResponseWriter, v *view.Viewer) {
	r := m.latest.Load()
	if r == nil {
		api.Fail(w, http.StatusServiceUnavailable, statuspage.ErrNoCycle.Error())
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	_ = json.NewEncoder(w).Encode(r.Seen(v.Job)) // the client disconnected
}

var (
	overlapDesc = prometheus.NewDesc("ostrich_order_overlap_ratio",
		"Part of the first jobs in OStrich's order that are among as many first ones of Slurm's, before writing: of 10, of 50, or as deep as slurm looks.", []string{"depth"}, nil)
	startsDesc = prometheus.NewDesc("ostrich_starts_total",
		"Jobs that started when OStrich would have started them (same) or earlier, that it would have started while they waited (later), and that are not compared.", []string{"when"}, nil)
	openDesc = prometheus.NewDesc("ostrich_unmatched_starts",
		"Started jobs that OStrich would still leave waiting (earlier), and pending records that it would have started by now (later).", []string{"when"}, nil)
	differenceDesc = prometheus.NewDesc("ostrich_start_difference_seconds",
		"By how much jobs started earlier or later than OStrich would have started them.", []string{"when"}, nil)
	stretchDesc = prometheus.NewDesc("ostrich_campaign_stretch_ratio",
		"Stretch of finished campaigns: flow time over the shortest possible time on an empty machine.", nil, nil)
	flowDesc = prometheus.NewDesc("ostrich_campaign_flow_seconds",
		"Flow time of finished campaigns.", nil, nil)
	finishedDesc = prometheus.NewDesc("ostrich_finished_campaigns_total",
		"Finished campaigns, by their bound: kept, broken, or none.", []string{"bound"}, nil)
	waitDesc = prometheus.NewDesc("ostrich_job_wait_seconds",
		"How long jobs had waited when they first started, from the submission on: really, and on the shadow machine, which starts them in OStrich's order.", []string{"machine"}, nil)
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
	total(startsDesc, r.Starts.Same, "same")
	total(startsDesc, r.Starts.Earlier, "earlier")
	total(startsDesc, r.Starts.Later, "later")
	total(startsDesc, r.Starts.NotCompared, "not_compared")
	one(openDesc, prometheus.GaugeValue, float64(r.Starts.RunEarlier), "earlier")
	one(openDesc, prometheus.GaugeValue, float64(r.Starts.WaitLater), "later")
	to <- histogram(differenceDesc, &r.Starts.EarlierSeconds, "earlier")
	to <- histogram(differenceDesc, &r.Starts.LaterSeconds, "later")
	to <- histogram(waitDesc, &r.Waits.Real, "real")
	to <- histogram(waitDesc, &r.Waits.Shadow, "shadow")
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
func histogram(d *prometheus.Desc, h *livecompare.Histogram, labels ...string) prometheus.Metric {
	buckets := make(map[float64]uint64, len(h.Buckets))
	for _, b := range h.Buckets {
		buckets[b.Limit] = b.Count
	}
	return prometheus.MustNewConstHistogram(d, h.Count, h.Sum, buckets, labels...)
}

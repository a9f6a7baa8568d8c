package main

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"slurm-ostrich/cmd/internal/sidecar"
	"slurm-ostrich/priority"
)

// metrics are what Prometheus can ask for, in a registry of their own.
type metrics struct {
	registry *prometheus.Registry

	cycles      *prometheus.CounterVec
	duration    prometheus.Histogram
	lastSuccess prometheus.Gauge
	lag         prometheus.Gauge
	enforcing   prometheus.Gauge

	pending, active, planned prometheus.Gauge
	tau                      prometheus.Gauge
	writes                   *prometheus.CounterVec
	rows, skipped            prometheus.Counter
	campaigns, processors    *prometheus.GaugeVec
	compared                 *compared
}

func newMetrics(version string) *metrics {
	m := &metrics{
		registry: prometheus.NewRegistry(),
		compared: newCompared(),
		cycles: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "ostrich_cycles_total", Help: "Cycles, by result: ok or failed.",
		}, []string{"result"}),
		duration: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "ostrich_cycle_duration_seconds", Help: "How long a cycle took: read, step, order, plan, apply.",
			Buckets: prometheus.ExponentialBuckets(0.005, 2.5, 10),
		}),
		lastSuccess: gauge("ostrich_last_success_timestamp_seconds", "When the latest cycle without an error ended."),
		lag:         gauge("ostrich_source_lag_seconds", "How far the virtual schedule is behind the database's clock, because accounting lags."),
		enforcing:   gauge("ostrich_enforcing", "1 if priorities are written, 0 in observe mode."),
		pending:     gauge("ostrich_pending_jobs", "Pending records of the queue; an array's waiting tasks are one."),
		active:      gauge("ostrich_active_users", "Users with a campaign that is unfinished in the virtual schedule."),
		planned:     gauge("ostrich_planned_writes", "Priorities that the latest plan would change."),
		tau:         gauge("ostrich_order_kendall_tau", "Rank correlation of OStrich's order with Slurm's, before writing: 1 the same, -1 the reverse."),
		writes: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "ostrich_writes_total", Help: "Priorities sent to Slurm, by result: applied, refused, unchanged (accepted, without effect), gone (the job left the queue), unknown (could not be read back) or unsent.",
		}, []string{"result"}),
		rows: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "ostrich_accounting_rows_total", Help: "Rows of slurmdbd's tables that were read.",
		}),
		skipped: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "ostrich_skipped_rows_total", Help: "Rows that make no sense and were left out.",
		}),
		campaigns: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "ostrich_campaigns", Help: "Unfinished campaigns of a pool.",
		}, []string{"pool"}),
		processors: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "ostrich_processors", Help: "Processors of a pool, by state: all or busy.",
		}, []string{"pool", "state"}),
	}
	build := prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "ostrich_build_info", Help: "Always 1.", ConstLabels: prometheus.Labels{"version": version},
	})
	build.Set(1)
	for _, result := range []string{"ok", "failed"} {
		m.cycles.WithLabelValues(result)
	}
	for _, result := range results {
		m.writes.WithLabelValues(result)
	}
	m.registry.MustRegister(m.cycles, m.duration, m.lastSuccess, m.lag, m.enforcing, m.pending, m.active, m.planned,
		m.tau, m.writes, m.rows, m.skipped, m.campaigns, m.processors, m.compared, build,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

func gauge(name, help string) prometheus.Gauge {
	return prometheus.NewGauge(prometheus.GaugeOpts{Name: name, Help: help})
}

// observe takes the figures of a cycle.
func (m *metrics) observe(c *sidecar.Cycle, end time.Time) {
	m.cycles.WithLabelValues("ok").Inc()
	m.duration.Observe(c.Took.Seconds())
	m.lastSuccess.Set(float64(end.Unix()))
	m.lag.Set(float64(c.Lag))
	m.rows.Add(float64(c.Rows))
	m.skipped.Add(float64(len(c.Skipped)))
	summary := c.Plan.Summary
	m.pending.Set(float64(summary.Pending))
	m.planned.Set(float64(summary.Writes))
	m.tau.Set(summary.KendallTau)
	active := 0
	m.campaigns.Reset() // a reload may have taken pools away
	m.processors.Reset()
	for _, p := range c.Pools {
		active += p.Schedule.Active()
		m.campaigns.WithLabelValues(p.Pool.Name).Set(float64(len(p.Schedule.Campaigns())))
		m.processors.WithLabelValues(p.Pool.Name, "all").Set(float64(p.Schedule.Procs()))
		m.processors.WithLabelValues(p.Pool.Name, "busy").Set(float64(p.Schedule.Busy()))
	}
	m.active.Set(float64(active))
}

// results are the labels of what became of a write.
var results = map[priority.Status]string{
	priority.Applied: "applied", priority.Refused: "refused", priority.NotApplied: "unchanged",
	priority.Gone: "gone", priority.Unknown: "unknown", priority.Unsent: "unsent",
}

// wrote counts writes.
func (m *metrics) wrote(outcomes []priority.Outcome) {
	for _, o := range outcomes {
		m.writes.WithLabelValues(results[o.Status]).Inc()
	}
}

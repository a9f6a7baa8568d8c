package main

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"slurm-ostrich/cmd/internal/access"
	"slurm-ostrich/cmd/internal/configuration"
	"slurm-ostrich/cmd/internal/sidecar"
	"slurm-ostrich/cmd/internal/view"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/priority"
)

// metrics are the metrics for Prometheus, in a registry of their own.
type metrics struct {
	registry *prometheus.Registry

	cycles      *prometheus.CounterVec
	begun       *prometheus.CounterVec
	trigger     *prometheus.CounterVec
	slowdown    prometheus.Gauge
	duration    prometheus.Histogram
	lastSuccess prometheus.Gauge
	lag         prometheus.Gauge
	enforcing   prometheus.Gauge
	standingBy  prometheus.Gauge
	givenUp     prometheus.Gauge
	contested   prometheus.Gauge
	reasons     *prometheus.GaugeVec
	orphans     prometheus.Gauge
	unwritten   prometheus.Counter
	trial       trialMetrics
	settings    struct{ hash, reloaded, reloadedAt prometheus.Gauge }

	pending, managed, active, planned prometheus.Gauge
	pastDue                           prometheus.Gauge
	undone                            prometheus.Gauge
	repeated                          prometheus.Counter
	tau                               prometheus.Gauge
	writes, credentials               *prometheus.CounterVec
	rows, skipped, rejected           prometheus.Counter
	campaigns, processors, missing    *prometheus.GaugeVec
	resource                          *prometheus.GaugeVec
	compared                          *compared
	foreseen                          foreseen
	users                             users

	described described

	// Of the latest generation of cycles.
	generation uint64
	short      []float64   // by pool and class: what its users are entitled to and do not hold
	cycle      *view.Cycle // described
}

func newMetrics(version string) *metrics {
	registry := prometheus.NewRegistry()
	made := promauto.With(registry)
	gauge := func(name, help string) prometheus.Gauge {
		return made.NewGauge(prometheus.GaugeOpts{Name: name, Help: help})
	}
	gauges := func(name string, labels []string, help string) *prometheus.GaugeVec {
		return made.NewGaugeVec(prometheus.GaugeOpts{Name: name, Help: help}, labels)
	}
	counter := func(name, help string) prometheus.Counter {
		return made.NewCounter(prometheus.CounterOpts{Name: name, Help: help})
	}
	counters := func(name, label string, values []string, help string) *prometheus.CounterVec { // which all begin at 0
		all := made.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, []string{label})
		for _, value := range values {
			all.WithLabelValues(value)
		}
		return all
	}
	m := &metrics{
		registry: registry,
		compared: newCompared(),
		cycles:   counters("ostrich_cycles_total", "result", []string{"ok", "failed"}, "Cycles, by result: ok or failed."),
		begun:    counters("ostrich_cycles_begun_total", "by", causes, "Cycles, by what they began for: start (of the daemon, or a reload), interval, change (jobs were submitted, started or ended), accounting (it knows of them by now), rest (writes were left over), probe (the controller answers again) or switch (of a trial)."),
		trigger:  counters("ostrich_trigger_requests_total", "answer", []string{"quiet", "moved", "failed"}, "Looks at the controller's counters between cycles, by answer: quiet, moved or failed."),
		slowdown: gauge("ostrich_slowdown_ratio", "By how much cycles and writes come slower because the controller is loaded: 1, 2, 4 or 8."),
		duration: made.NewHistogram(prometheus.HistogramOpts{
			Name: "ostrich_cycle_duration_seconds", Help: "How long a cycle took: read, step, order, plan, apply.",
			Buckets: prometheus.ExponentialBuckets(0.005, 2.5, 10),
		}),
		lastSuccess: gauge("ostrich_last_success_timestamp_seconds", "When the latest cycle without an error ended."),
		lag:         gauge("ostrich_source_lag_seconds", "How far the virtual schedule is behind the database's clock, because accounting lags."),
		enforcing:   gauge("ostrich_enforcing", "1 if priorities are written, 0 in observe mode and while another daemon writes."),
		standingBy:  gauge("ostrich_standing_by", "1 in mode enforce while another daemon holds the lock and writes; else 0."),
		givenUp:     gauge("ostrich_given_up_jobs", "Pending records that Slurm refused to change and that are left alone until the next try."),
		contested:   gauge("ostrich_contested_jobs", "Pending records that another writer changed and that are left alone for a while."),
		reasons:     gauges("ostrich_reason_jobs", []string{"code"}, "Pending records by why they have their place or are left alone, as docs/json.md lists the codes."),
		orphans:     gauge("ostrich_orphaned_jobs", "Pending records with a value that a daemon may have left and that the journal does not know, because it is gone; they are not ordered."),
		pending:     gauge("ostrich_pending_jobs", "Pending records of the queue; an array's waiting tasks are one."),
		active:      gauge("ostrich_active_users", "Users with a campaign that is unfinished in the virtual schedule."),
		managed:     gauge("ostrich_managed_jobs", "Pending records that OStrich orders; the others it leaves alone or does not know yet."),
		unwritten:   counter("ostrich_journal_errors_total", "Cycles that failed because the journal could not be opened or written."),
		pastDue:     gauge("ostrich_past_due_jobs", "Pending records that could start and have waited for longer than users accept for jobs of their length (setting satisfaction); an array's waiting tasks are one."),
		planned:     gauge("ostrich_planned_writes", "Priorities that the latest plan would change."),
		undone:      gauge("ostrich_undone_jobs", "Pending records that the latest cycle found at another priority than the one written: the backfill scheduler had restored an earlier one."),
		repeated:    counter("ostrich_repeated_writes_total", "Priorities that were written again because the backfill scheduler had undone the write."),
		tau:         gauge("ostrich_order_kendall_tau", "Rank correlation of OStrich's order with Slurm's, before writing: 1 the same, -1 the reverse."),
		writes:      counters("ostrich_writes_total", "result", slices.Collect(maps.Values(results)), "Priorities sent to Slurm, by result: applied, refused, unchanged (accepted, without effect), undone (restored by the backfill scheduler), gone (the job left the queue), unknown (could not be read back) or unsent."),
		credentials: counters("ostrich_credentials_total", "verdict", slices.Collect(maps.Values(access.Verdicts)), "Requests of the web with a credential of munge, by verdict: accepted, refused, limited (there were too many) or unverified (munge did not answer in time)."),
		rows:        counter("ostrich_accounting_rows_total", "Rows of slurmdbd's tables that were read."),
		skipped:     counter("ostrich_skipped_rows_total", "Invalid rows that were left out."),
		rejected:    counter("ostrich_odd_events_total", "Events that the virtual schedule rejected."),
		missing:     gauges("ostrich_missing_processors", []string{"pool"}, "What active users of a pool with pending jobs are entitled to and do not hold, in what ostrich_resource_info names."),
		resource:    gauges("ostrich_resource_info", []string{"resource"}, "Always 1; the resource of Slurm's (TRES) by which work is counted: cpu for processors."),
		campaigns:   gauges("ostrich_campaigns", []string{"pool"}, "Unfinished campaigns of a pool."),
		processors:  gauges("ostrich_processors", []string{"pool", "state"}, "Processors of a pool, or what ostrich_resource_info names, by state: all or busy."),
	}
	m.trial = newTrialMetrics(gauge)
	m.settings.hash = gauge("ostrich_config_hash", "A number made from the settings in effect, equal for equal settings.")
	m.settings.reloaded = gauge("ostrich_config_last_reload_successful", "1 if the settings in effect are those read last, 0 if that had failed.")
	m.settings.reloadedAt = gauge("ostrich_config_last_reload_success_timestamp_seconds", "When settings were last read with success, at the start or by SIGHUP.")
	made.NewGauge(prometheus.GaugeOpts{
		Name: "ostrich_build_info", Help: "Always 1.", ConstLabels: prometheus.Labels{"version": version},
	}).Set(1)
	m.slowdown.Set(1)
	registry.MustRegister(m.compared, &m.foreseen, &m.users, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// configured sets the metrics of settings that are in effect since at.
func (m *metrics) configured(c configuration.Config, at time.Time) {
	m.enforcing.Set(0)
	if c.Mode == configuration.Enforce { // a trial says so once a cycle has ended
		m.enforcing.Set(1)
	}
	m.trial.configured(&c)
	m.standingBy.Set(0)
	m.settings.hash.Set(hash(c))
	m.settings.reloaded.Set(1)
	m.settings.reloadedAt.Set(float64(at.Unix()))
}

// turn records whether a cycle could write, and what it left alone.
func (m *metrics) turn(c *sidecar.Cycle, enforce bool) {
	m.enforcing.Set(0)
	m.standingBy.Set(0)
	switch {
	case c.StandsBy != "":
		m.standingBy.Set(1)
	case enforce && c.Trial.Orders():
		m.enforcing.Set(1)
	}
	m.trial.observe(c)
	m.givenUp.Set(float64(c.Plan.Reasons[priority.WasRefused]))
	m.contested.Set(float64(c.Plan.Reasons[priority.OtherWriter]))
	m.reasons.Reset()
	for code, jobs := range c.Plan.Reasons {
		m.reasons.WithLabelValues(code.String()).Set(float64(jobs))
	}
}

// hash identifies a configuration by a whole number of 48 bits, which a float holds exactly.
func hash(c configuration.Config) float64 {
	var shown bytes.Buffer
	if err := c.Show(&shown); err != nil {
		return 0 // never happens: a buffer accepts everything
	}
	sum := sha256.Sum256(shown.Bytes())
	return float64(binary.BigEndian.Uint64(sum[:]) >> 16)
}

// failed counts a cycle that failed.
func (m *metrics) failed(err error) {
	m.cycles.WithLabelValues("failed").Inc()
	if _, ok := errors.AsType[sidecar.JournalError](err); ok {
		m.unwritten.Inc()
	}
}

// observe records the figures of a cycle.
func (m *metrics) observe(c *sidecar.Cycle, from view.Source, end time.Time) {
	m.cycles.WithLabelValues("ok").Inc()
	m.duration.Observe(c.Took.Seconds())
	m.lastSuccess.Set(float64(end.Unix()))
	m.lag.Set(float64(c.Lag))
	m.rows.Add(float64(c.Rows))
	m.skipped.Add(float64(len(c.Skipped)))
	m.rejected.Add(float64(len(c.Odd)))
	summary := c.Plan.Summary
	m.pending.Set(float64(summary.Pending))
	m.managed.Set(float64(summary.Managed))
	m.planned.Set(float64(summary.Writes))
	m.tau.Set(summary.KendallTau)
	m.undone.Set(float64(summary.Undone))
	m.recount(c, from)
	m.pastDue.Set(float64(m.cycle.PastDue(c.Time)))
	if from.Config().Metrics.PerUser {
		m.users.observe(m.cycle, c.Time)
	} else {
		m.users.observe(nil, c.Time)
	}
	active := activeUsers(c)
	missing := make(map[string]float64)
	// A reload may have removed pools. A request in between would get less, so no
	// slow work comes between.
	m.campaigns.Reset()
	m.processors.Reset()
	m.missing.Reset()
	m.resource.Reset()
	m.resource.WithLabelValues(cmp.Or(c.Counted.Name, "cpu")).Set(1)
	unit := c.Counted.Unit
	for i, p := range c.Pools {
		m.campaigns.WithLabelValues(p.Pool.Name).Add(float64(p.Schedule.Unfinished())) // of all its classes
		m.processors.WithLabelValues(p.Pool.Name, "all").Set(unit.Units(float64(p.Schedule.Size())))
		m.processors.WithLabelValues(p.Pool.Name, "busy").Add(unit.Units(float64(p.Schedule.Busy())))
		missing[p.Pool.Name] = max(missing[p.Pool.Name], m.short[i]) // each class has all processors of the pool
		m.missing.WithLabelValues(p.Pool.Name).Set(missing[p.Pool.Name])
	}
	m.active.Set(float64(active))
}

// activeUsers counts the users who are active in any pool and class, each once.
func activeUsers(c *sidecar.Cycle) int {
	if len(c.Pools) == 1 {
		return c.Pools[0].Schedule.Active()
	}
	is := make(map[ostrich.UserID]bool)
	for i := range c.Pools {
		for _, u := range c.Users(i) {
			if u.Active {
				is[u.User] = true
			}
		}
	}
	return len(is)
}

// recount updates what the metrics say of users and jobs. It does so once a generation,
// because that visits every pending job.
func (m *metrics) recount(c *sidecar.Cycle, from view.Source) {
	if m.cycle == nil || c.Generation != m.generation || len(m.short) != len(c.Pools) {
		m.generation, m.cycle = c.Generation, m.described.describe(c, from)
		m.short = make([]float64, len(c.Pools))
		for i := range c.Pools {
			for _, u := range c.Users(i) {
				if u.Active && u.Asked > 0 {
					m.short[i] += max(0, c.Counted.Unit.Units(u.Entitled-float64(u.Held)))
				}
			}
		}
	}
}

// results are the labels of the results of writes.
var results = map[priority.Status]string{
	priority.Applied: "applied", priority.Refused: "refused", priority.NotApplied: "unchanged",
	priority.Undone: "undone", priority.Gone: "gone", priority.Unknown: "unknown", priority.Unsent: "unsent",
}

func (m *metrics) wrote(outcomes []priority.Change) {
	for _, o := range outcomes {
		m.writes.WithLabelValues(results[o.Status]).Inc()
	}
	m.repeated.Add(float64(repeated(outcomes)))
}

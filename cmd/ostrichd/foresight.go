package main

import (
	"math"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"slurm-ostrich/cmd/internal/foresight"
	"slurm-ostrich/cmd/internal/sidecar"
	"slurm-ostrich/cmd/internal/view"
	"slurm-ostrich/ostrich"
)

// foreseeing is what the daemon keeps to say when jobs start and campaigns end.
type foreseeing struct {
	of      *foresight.Foresight // nil before the first sidecar that tells events
	file    string               // that was read; "" for none
	saved   time.Time            // or tried to
	unsaved bool                 // the latest try failed
	failing bool                 // the latest question did
	idle    bool                 // another daemon enforces, whose file it may be
}

// savePause is between two writes of what was learned.
const savePause = 10 * time.Minute

// foresee lets the foresight hear the events of a sidecar that has just been opened. What earlier daemons have learned
// is read first, once.
func (d *daemon) foresee(s cycler) {
	tells, can := s.(interface {
		Hear(hear func(ostrich.Event))
	})
	if !can {
		return
	}
	config, is := s.Config(), &d.foreseeing
	if is.of == nil {
		is.of, is.saved = foresight.New(), d.now()
		d.metrics.described.foresight = is.of
	}
	if path := foresight.Path(config.Journal); path != is.file {
		is.file = path
		if path != "" {
			if err := is.of.Load(path, config.Cluster); err != nil {
				d.log.Error().Err(err).Msg("what was learned of forecasts cannot be read; it is learned anew")
			}
		}
	}
	is.of.Begin(config.Cluster, config.Pools)
	tells.Hear(is.of.Step)
}

// learn lets the foresight look at a cycle, and keeps what it has learned now and then.
func (d *daemon) learn(c *sidecar.Cycle) {
	is := &d.foreseeing
	if is.of == nil {
		return
	}
	described := d.metrics.described.describe(c, d.sidecar)
	err := described.Look()
	if failing := err != nil; failing != is.failing {
		is.failing = failing
		if failing {
			d.log.Warn().Err(err).Msg("forecasts cannot be made")
		} else {
			d.log.Info().Msg("forecasts can be made again")
		}
	}
	d.metrics.foreseen.observe(is.of, described)
	if is.idle = c.StandsBy != ""; d.now().Sub(is.saved) >= savePause {
		d.keep()
	}
}

// keep writes what was learned beside the journal. Without a journal, before its folder is there, or while the daemon
// stands by, it is not kept.
func (d *daemon) keep() {
	is := &d.foreseeing
	is.saved = d.now()
	if is.of == nil || is.file == "" || is.idle {
		return
	}
	if _, err := os.Stat(filepath.Dir(is.file)); err != nil {
		return
	}
	err := is.of.Save(is.file)
	if unsaved := err != nil; unsaved != is.unsaved {
		is.unsaved = unsaved
		if unsaved {
			d.log.Warn().Err(err).Msg("what was learned of forecasts cannot be kept for the next start")
		} else {
			d.log.Info().Msg("what was learned of forecasts is kept again")
		}
	}
}

// foreseen gives Prometheus how good forecasts were, which asks at any time.
type foreseen struct {
	latest atomic.Pointer[[]poolRecord]
}

type poolRecord struct {
	pool, event string
	foresight.Record
}

// observe keeps the records of the pools of a cycle.
func (m *foreseen) observe(of *foresight.Foresight, c *view.Cycle) {
	var all []poolRecord
	seen := make(map[string]bool)
	for i := range c.Pools {
		if name := c.Pools[i].Name; !seen[name] {
			seen[name] = true
			all = append(all, poolRecord{name, "start", of.Record(name, foresight.Starts, c.Time)}, poolRecord{name, "end", of.Record(name, foresight.Ends, c.Time)})
		}
	}
	m.latest.Store(&all)
}

var (
	forecastsDesc = prometheus.NewDesc("ostrich_forecasts",
		"Starts of pending jobs and ends of their campaigns that were forecast and of which it became known within the last 30 days how good the forecast was.", []string{"pool", "event"}, nil)
	forecastHeldDesc = prometheus.NewDesc("ostrich_forecast_held_ratio",
		"Part of ostrich_forecasts that came between the moments of 10 and 90 %: 0.8 if the odds are right. NaN below 20 forecasts.", []string{"pool", "event"}, nil)
)

// Describe implements prometheus.Collector.
func (m *foreseen) Describe(to chan<- *prometheus.Desc) {
	to <- forecastsDesc
	to <- forecastHeldDesc
}

// Collect implements prometheus.Collector.
func (m *foreseen) Collect(to chan<- prometheus.Metric) {
	all := m.latest.Load()
	if all == nil {
		return
	}
	for _, one := range *all {
		to <- prometheus.MustNewConstMetric(forecastsDesc, prometheus.GaugeValue, float64(one.Of), one.pool, one.event)
		part, enough := one.Part()
		if !enough {
			part = math.NaN()
		}
		to <- prometheus.MustNewConstMetric(forecastHeldDesc, prometheus.GaugeValue, part, one.pool, one.event)
	}
}

package slurmdb_test

import (
	"errors"
	"flag"
	"fmt"
	"runtime"
	"testing"
	"time"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting"
	"slurm-ostrich/slurmdb"
	"slurm-ostrich/slurmdb/slurmdbtest"
)

// The sizes of the benchmarks. Those of the design are -ended=10000000 for
// BenchmarkPoll and -ended=1000000 for BenchmarkColdStart.
var (
	ended = flag.Int("ended", 100_000, "rows of ended jobs in the benchmarks")
	live  = flag.Int("live", 5000, "live jobs in the benchmarks")
)

// seeded returns a database with many rows, on a server with as much memory as a site
// gives it at least.
func seeded(b *testing.B) (*slurmdbtest.DB, int64) {
	b.Helper()
	server, err := slurmdbtest.Start(b.Context(), slurmdbtest.Options{Arguments: []string{"--innodb-buffer-pool-size=2G"}})
	if errors.Is(err, slurmdbtest.ErrMissing) {
		b.Skip(err)
	}
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(server.Stop)
	db := server.New(b, slurmdbtest.R2205)
	now := db.Clock()
	const every = 2
	began := time.Now()
	db.Seed(slurmdbtest.Seeding{Ended: *ended, Live: *live, Users: 300, First: now - int64(*ended)*every - 5000, Every: every})
	b.Logf("%d rows were written in %v", *ended+*live, time.Since(began).Round(time.Second))
	return db, now
}

// BenchmarkPoll polls while nothing happens, and while one job in a hundred
// starts. It fails if a statement of a poll reads more than twice the live jobs.
func BenchmarkPoll(b *testing.B) {
	db, now := seeded(b)
	c := config(db)
	c.History = 600
	r := open(b, c)
	poll(b, r)
	noScan(b, db, r.PollQueries(ostrich.Time(now-120)), int64(2**live))
	b.Run("quiet", func(b *testing.B) {
		for b.Loop() {
			if events := poll(b, r).Events; len(events) != 0 {
				b.Fatal(events)
			}
		}
	})
	b.Run("busy", func(b *testing.B) {
		limit := 60
		for b.Loop() {
			b.StopTimer()
			limit++
			db.Run("UPDATE c1_job_table SET timelimit = ? WHERE time_end = 0 AND id_job % 100 = 0", limit)
			b.StartTimer()
			if events := poll(b, r).Events; len(events) != *live/100 {
				b.Fatalf("%d events", len(events))
			}
		}
	})
}

// BenchmarkColdStart reads all rows as history.
func BenchmarkColdStart(b *testing.B) {
	db, now := seeded(b)
	c := config(db)
	c.History = ostrich.Duration(now)
	for b.Loop() {
		r := open(b, c)
		events := 0
		if _, err := r.PollEach(b.Context(), func(ostrich.Event) { events++ }); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(events), "events")
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		b.ReportMetric(float64(m.Sys-m.HeapReleased)/1e6, "MB-process")
		runtime.GC()
		runtime.ReadMemStats(&m)
		b.ReportMetric(float64(m.HeapAlloc)/1e6, "MB-kept")
		runtime.KeepAlive(r)
	}
}

// BenchmarkOutages tells of the outages of many months, as sacctmgr prints them anew each
// minute.
func BenchmarkOutages(b *testing.B) {
	l, err := slurmdb.NewLedger(slurmdb.Config{Cluster: "c1"})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		poll := l.Begin(t0)
		poll.Nodes(accounting.NodeEvent{From: t0 - 90_000_000, TRES: accounting.TRES{CPUs: 4000, Nodes: 1000}})
		for i := range ostrich.Time(20_000) {
			at := t0 - 20_000_000 + 1000*i
			poll.Nodes(accounting.NodeEvent{Node: fmt.Sprint("n", i%1000), From: at, To: at + 5500, State: 1, TRES: accounting.TRES{CPUs: 4}})
		}
		poll.Enter(func(ostrich.Event) {})
	}
}

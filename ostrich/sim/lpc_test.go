package sim_test

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/report"
	"slurm-ostrich/ostrich/sim"
	"slurm-ostrich/ostrich/trace"
)

var measure = flag.Bool("measure", false, "replay under all readings of thesis 5.5 and print a table")

// lpc is the log that thesis section 5.5 replays, on 140 processors, each job
// expected to run for as long as it did.
func lpc(tb testing.TB) []sim.Logged {
	tb.Helper()
	dir := os.Getenv("OSTRICH_TRACES")
	if dir == "" {
		tb.Skip("OSTRICH_TRACES is not set: no folder with logs of the Parallel Workloads Archive to replay")
	}
	log, err := trace.Open(filepath.Join(dir, "LPC-EGEE-2004-1.2-cln.swf.gz"), trace.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	var jobs []sim.Logged
	for i := range log.Records {
		r := &log.Records[i]
		if r.Runnable() {
			jobs = append(jobs, sim.Logged{
				Job: sim.Job{
					ID: ostrich.JobID(r.Number), User: ostrich.UserID(r.User), Submit: ostrich.Time(r.Submit),
					Run: ostrich.Duration(r.Run), Estimate: ostrich.Duration(r.Run), Procs: int(r.Procs()),
				},
				Start: ostrich.Time(r.Submit + r.Wait),
			})
		}
	}
	slices.SortStableFunc(jobs, func(a, b sim.Logged) int { return cmp.Compare(a.Submit, b.Submit) })
	return jobs
}

const lpcProcs = 140

// replayPieces replays each piece of a log by itself and takes all of them together.
func replayPieces(tb testing.TB, l sim.Loop, pieces [][]sim.Logged) (report.Stretch, int) {
	tb.Helper()
	var ran []report.Campaign
	for _, log := range pieces {
		campaigns, err := sim.Campaigns(log, ostrich.Rule{})
		if err != nil {
			tb.Fatal(err)
		}
		jobs, err := l.Run(campaigns)
		if err != nil {
			tb.Fatal(err)
		}
		ran = append(ran, report.Campaigns(jobs)...)
	}
	return report.Stretches(ran, lpcProcs), len(ran)
}

// TestReadings prints the table of docs/reproduction.md.
func TestReadings(t *testing.T) {
	if !*measure {
		t.Skip("takes some seconds and only prints: run with -measure")
	}
	log := lpc(t)
	strict := sim.OStrich(ostrich.Options{Gate: ostrich.Strict})
	var table strings.Builder
	table.WriteString("\n| policy | loop | offsets | dependencies | cut | pieces | campaigns | optimal | ≤ 1.15 | < 1.5 | < 2 | > 20 | mean | p99 |\n")
	for _, cut := range []ostrich.Duration{0, 3600, 6 * 3600, 86400} {
		pieces, name := [][]sim.Logged{log}, "no"
		if cut > 0 {
			pieces, name = sim.Pieces(log, cut), fmt.Sprintf("%d h", cut/3600)
		}
		for _, l := range []sim.Loop{
			{Policy: strict, Dependencies: true},
			{Policy: strict, Dependencies: true, Offsets: true},
			{Policy: strict},
			{Policy: strict, Offsets: true},
			{Policy: strict, Dependencies: true, Open: true},
			{Policy: strict, Offsets: true, Open: true},
			{Policy: sim.OStrich(ostrich.Options{Gate: ostrich.Off}), Dependencies: true},
			{Policy: sim.FCFSCampaigns, Dependencies: true},
			{Dependencies: true},
			{},
			{Offsets: true},
			{Offsets: true, Open: true},
		} {
			l.Procs = lpcProcs
			s, n := replayPieces(t, l, pieces)
			fmt.Fprintf(&table, "| %s | %s | %s | %s | %s | %d | %d | %.1f %% | %.1f %% | %.1f %% | %.1f %% | %.1f %% | %.2f | %.1f |\n",
				"p", choose(l.Open, "open", "closed"), choose(l.Offsets, "kept", "dropped"), choose(l.Dependencies, "yes", "no"), name,
				len(pieces), n, 100*s.Optimal, 100*s.Le115, 100*s.Lt15, 100*s.Lt2, 100*s.Gt20, s.Mean, s.P99)
		}
	}
	t.Log(table.String())
}

func choose(b bool, yes, no string) string {
	if b {
		return yes
	}
	return no
}

func BenchmarkLoop(b *testing.B) {
	campaigns, err := sim.Campaigns(lpc(b), ostrich.Rule{})
	if err != nil {
		b.Fatal(err)
	}
	n := 0
	for i := range campaigns {
		n += len(campaigns[i].Tasks)
	}
	strict := sim.OStrich(ostrich.Options{Gate: ostrich.Strict})
	for _, bb := range []struct {
		name string
		loop sim.Loop
	}{
		{"ostrich", sim.Loop{Policy: strict}},
		{"ostrich/dependencies", sim.Loop{Policy: strict, Dependencies: true}},
		{"fcfs-campaigns", sim.Loop{Policy: sim.FCFSCampaigns}},
		{"fcfs", sim.Loop{}},
	} {
		b.Run(bb.name, func(b *testing.B) {
			bb.loop.Procs = lpcProcs
			b.ReportAllocs()
			for b.Loop() {
				if _, err := bb.loop.Run(campaigns); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(n*b.N)/b.Elapsed().Seconds(), "jobs/s")
		})
	}
}

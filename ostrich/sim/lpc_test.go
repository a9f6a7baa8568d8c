package sim_test

import (
	"cmp"
	"flag"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/report"
	"slurm-ostrich/ostrich/sim"
	"slurm-ostrich/ostrich/trace"
	"slurm-ostrich/ostrich/trace/tracetest"
)

var measure = flag.Bool("measure", false, "replay under all readings of thesis 5.5 and print a table")

// lpc is the log that thesis section 5.5 replays, on 140 processors, each job
// expected to run for as long as it did.
func lpc(tb testing.TB) []sim.Job {
	tb.Helper()
	dir := tracetest.Folder(tb)
	log, err := trace.Open(filepath.Join(dir, "LPC-EGEE-2004-1.2-cln.swf.gz"), trace.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	var jobs []sim.Job
	for i := range log.Records {
		r := &log.Records[i]
		if r.Runnable() {
			jobs = append(jobs, sim.Job{
				ID: ostrich.JobID(r.Number), User: ostrich.UserID(r.User), Submit: ostrich.Time(r.Submit),
				Run: ostrich.Duration(r.Run), Estimate: ostrich.Duration(r.Run), Procs: int(r.Procs()),
				Start: ostrich.Time(r.Submit + r.Wait),
			})
		}
	}
	slices.SortStableFunc(jobs, func(a, b sim.Job) int { return cmp.Compare(a.Submit, b.Submit) })
	return jobs
}

const lpcProcs = 140

// A reading is one way to read what thesis section 5.5 did with the log.
type reading struct {
	policy string
	loop   sim.Machine
	cut    ostrich.Duration // downtimes of this length or more are cut out; 0: none
}

var readingPolicies = map[string]sim.Policy{
	"OStrich, strict gate": strict,
	"OStrich, no gate":     sim.OStrich(ostrich.Options{Gate: ostrich.Off}),
	"FCFS of campaigns":    sim.FCFSCampaigns,
	"FCFS of jobs":         nil,
}

// measure replays each piece of the log by itself and takes all of them together.
func (r reading) measure(tb testing.TB, log []sim.Job) (s report.Stretch, campaigns, pieces int) {
	tb.Helper()
	cut := [][]sim.Job{log}
	if r.cut > 0 {
		cut = sim.Pieces(log, r.cut)
	}
	r.loop.Procs, r.loop.Policy = lpcProcs, readingPolicies[r.policy]
	var ran []report.Campaign
	for _, piece := range cut {
		ran = append(ran, report.Campaigns(mustRun(tb, r.loop, mustCampaigns(tb, piece)))...)
	}
	return report.Stretches(ran, lpcProcs), len(ran), len(cut)
}

// nearest is the reading that comes nearest to thesis Figure 5.6.
var nearest = reading{policy: "OStrich, strict gate", loop: sim.Machine{Offsets: true, Dependencies: true}}

// TestFigure56 pins what the nearest reading gives: thesis 5.5 has 68.6 % of
// the campaigns at the optimum, 80 % within 1.15 and 89.7 % below 1.5.
func TestFigure56(t *testing.T) {
	s, _, _ := nearest.measure(t, lpc(t))
	for _, tt := range []struct {
		name              string
		got, thesis, near float64
	}{
		{"optimal", s.Optimal, 0.686, 0.050},
		{"within 1.15", s.Le115, 0.800, 0.020},
		{"below 1.5", s.Lt15, 0.897, 0.010},
	} {
		if math.Abs(tt.got-tt.thesis) > tt.near {
			t.Errorf("%s: %.4f, the thesis has %.3f and it was within %.3f", tt.name, tt.got, tt.thesis, tt.near)
		}
	}
}

// TestReadings prints the readings of Fig. 5.6, some of which are in docs/reproduction.md.
func TestReadings(t *testing.T) {
	if !*measure {
		t.Skip("only prints: run with -measure, some 20 s")
	}
	log := lpc(t)
	var readings []reading
	add := func(r reading, change func(*reading)) {
		change(&r)
		readings = append(readings, r)
	}
	for _, offsets := range []bool{true, false} {
		for _, dependencies := range []bool{true, false} {
			for _, open := range []bool{false, true} {
				add(nearest, func(r *reading) { r.loop = sim.Machine{Offsets: offsets, Dependencies: dependencies, Open: open} })
			}
		}
	}
	for _, hours := range []ostrich.Duration{24, 6, 1} {
		add(nearest, func(r *reading) { r.cut = hours * 3600 })
	}
	for _, inside := range []ostrich.Inside{ostrich.SPT, ostrich.Submission} {
		add(nearest, func(r *reading) { r.loop.Inside = inside })
	}
	for _, policy := range []string{"OStrich, no gate", "FCFS of campaigns", "FCFS of jobs"} {
		add(nearest, func(r *reading) { r.policy = policy })
	}
	var table strings.Builder
	table.WriteString("\n| policy | inside | loop | offsets | dependencies | cut | pieces | campaigns | optimal | ≤ 1.15 | < 1.5 | < 2 | > 20 |\n")
	table.WriteString("|---|---|---|---|---|---|---|---|---|---|---|---|---|\n")
	for _, r := range readings {
		s, campaigns, pieces := r.measure(t, log)
		cut := "no"
		if r.cut > 0 {
			cut = fmt.Sprintf("%d h", r.cut/3600)
		}
		fmt.Fprintf(&table, "| %s | %v | %s | %s | %s | %s | %d | %d | %.1f %% | %.1f %% | %.1f %% | %.1f %% | %.1f %% |\n",
			r.policy, r.loop.Inside, choose(r.loop.Open, "open", "closed"), choose(r.loop.Offsets, "kept", "dropped"),
			choose(r.loop.Dependencies, "yes", "no"), cut, pieces, campaigns,
			100*s.Optimal, 100*s.Le115, 100*s.Lt15, 100*s.Lt2, 100*s.Gt20)
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
	campaigns := mustCampaigns(b, lpc(b))
	n := 0
	for i := range campaigns {
		n += len(campaigns[i].Jobs)
	}
	for _, bb := range []struct {
		name string
		loop sim.Machine
	}{
		{"ostrich", sim.Machine{Policy: strict}},
		{"ostrich/dependencies", sim.Machine{Policy: strict, Dependencies: true}},
		{"fcfs-campaigns", sim.Machine{Policy: sim.FCFSCampaigns}},
		{"fcfs", sim.Machine{}},
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

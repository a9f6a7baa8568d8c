package sim_test

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/sim"
	"slurm-ostrich/ostrich/trace"
	"slurm-ostrich/ostrich/trace/tracetest"
)

// normalised is a log of the archive as other simulators were given it: rows
// with a run time and processors; processors as allocated, or else requested,
// at most m; estimate no shorter than the run; stable by submit, the first at
// 1; ids in that order.
func normalised(tb testing.TB, file string, m int) []sim.Job {
	tb.Helper()
	dir := tracetest.Folder(tb)
	log, err := trace.Open(filepath.Join(dir, file), trace.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	var jobs []sim.Job
	for i := range log.Records {
		r := &log.Records[i]
		if !r.Runnable() {
			continue
		}
		jobs = append(jobs, sim.Job{
			User: ostrich.UserID(max(r.User, 0)), Submit: ostrich.Time(r.Submit), Run: ostrich.Duration(r.Run),
			Estimate: ostrich.Duration(max(r.Limit, r.Run)), Procs: int(min(r.Procs(), int64(m))),
		})
	}
	slices.SortStableFunc(jobs, func(a, b sim.Job) int { return int(a.Submit - b.Submit) })
	first := jobs[0].Submit
	for i := range jobs {
		jobs[i].ID = ostrich.JobID(i + 1)
		jobs[i].Submit += 1 - first
	}
	return jobs
}

// golden reads the start of every job, as independent simulators have it.
func golden(tb testing.TB, name string) []ostrich.Time {
	tb.Helper()
	path := filepath.Join(os.Getenv("OSTRICH_TRACES"), "..", "reference", "golden", name+".csv.gz")
	f, err := os.Open(path)
	if os.IsNotExist(err) {
		tb.Skipf("no reference schedule %s beside OSTRICH_TRACES", name)
	}
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close() //nolint:errcheck // it was only read
	z, err := gzip.NewReader(f)
	if err != nil {
		tb.Fatal(err)
	}
	lines := bufio.NewScanner(z)
	lines.Scan() // header
	var starts []ostrich.Time
	for lines.Scan() {
		var id, submit, start, run, procs int64
		if _, err := fmt.Sscanf(lines.Text(), "%d,%d,%d,%d,%d", &id, &submit, &start, &run, &procs); err != nil {
			tb.Fatalf("%s: %q: %v", path, lines.Text(), err)
		}
		starts = append(starts, ostrich.Time(start))
	}
	if err := lines.Err(); err != nil {
		tb.Fatal(err)
	}
	return starts
}

// TestAgreement compares the start of every job with what independent
// simulators found, and the averages with their table.
func TestAgreement(t *testing.T) {
	for _, tt := range []struct {
		golden, file string
		procs        int
		backfill     sim.Backfill
		events       sim.EventOrder
		wait, bsld   float64
	}{
		{"kth_fcfs", "KTH-SP2-1996-2.1-cln.swf.gz", 100, sim.None, sim.Batched, 390091.9867, 7514.4215},
		{"kth_easy", "KTH-SP2-1996-2.1-cln.swf.gz", 100, sim.EASY, sim.Batched, 6858.3640, 90.8568},
		{"kth_easy_per_event", "KTH-SP2-1996-2.1-cln.swf.gz", 100, sim.EASY, sim.PerEvent, 6858.1107, 90.8256},
		{"sdscsp2_fcfs", "SDSC-SP2-1998-4.2-cln.swf.gz", 128, sim.None, sim.Batched, 1551989.4341, 13993.2603},
		{"sdscsp2_easy", "SDSC-SP2-1998-4.2-cln.swf.gz", 128, sim.EASY, sim.Batched, 21183.6712, 92.6288},
		{"ctc_fcfs", "CTC-SP2-1996-3.1-cln.swf.gz", 338, sim.None, sim.Batched, 767875.6331, 4260.9582},
		{"ctc_easy", "CTC-SP2-1996-3.1-cln.swf.gz", 338, sim.EASY, sim.Batched, 14990.1956, 51.5512},
		{"", "SDSC-SP2-1998-4.2-cln.swf.gz", 128, sim.EASY, sim.PerEvent, 21226.3345, 93.0467},
	} {
		name := tt.golden
		if name == "" {
			name = "averages of " + tt.file
		}
		t.Run(name, func(t *testing.T) {
			jobs := normalised(t, tt.file, tt.procs)
			got, err := sim.Machine{Procs: tt.procs, Order: sim.FCFS, Backfill: tt.backfill, EventOrder: tt.events}.Replay(jobs)
			if err != nil {
				t.Fatal(err)
			}
			if tt.golden != "" {
				want := golden(t, tt.golden)
				if len(want) != len(got) {
					t.Fatalf("%d jobs instead of %d", len(got), len(want))
				}
				differ := 0
				for i := range want {
					if got[i] != want[i] {
						if differ++; differ <= 3 {
							t.Errorf("job %d starts at %d instead of %d", i+1, got[i], want[i])
						}
					}
				}
				if differ > 0 {
					t.Errorf("%d of %d jobs start at another time", differ, len(want))
				}
			}
			var wait, bsld float64
			for i := range jobs {
				w, run := float64(got[i]-jobs[i].Submit), float64(jobs[i].Run)
				wait += w
				bsld += max(1, (w+run)/max(10, run))
			}
			n := float64(len(jobs))
			if math.Abs(wait/n-tt.wait) > 5e-5 || math.Abs(bsld/n-tt.bsld) > 5e-5 {
				t.Errorf("mean wait %.4f, bounded slowdown %.4f; want %.4f, %.4f", wait/n, bsld/n, tt.wait, tt.bsld)
			}
		})
	}
}

func BenchmarkReplay(b *testing.B) {
	for _, bb := range []struct {
		name, file string
		procs      int
		backfill   sim.Backfill
	}{
		{"KTH/easy", "KTH-SP2-1996-2.1-cln.swf.gz", 100, sim.EASY},
		{"SDSC/fcfs", "SDSC-SP2-1998-4.2-cln.swf.gz", 128, sim.None},
		{"HPC2N/easy", "HPC2N-2002-2.2-cln.swf.gz", 240, sim.EASY},
		{"Curie/easy", "CEA-Curie-2011-2.1-cln.swf.gz", 93312, sim.EASY},
		{"KTH/conservative", "KTH-SP2-1996-2.1-cln.swf.gz", 100, sim.Conservative},
		{"SDSC/conservative", "SDSC-SP2-1998-4.2-cln.swf.gz", 128, sim.Conservative},
		{"HPC2N/conservative", "HPC2N-2002-2.2-cln.swf.gz", 240, sim.Conservative},
	} {
		b.Run(bb.name, func(b *testing.B) {
			jobs := normalised(b, bb.file, bb.procs)
			for b.Loop() {
				if _, err := (sim.Machine{Procs: bb.procs, Order: sim.FCFS, Backfill: bb.backfill}).Replay(jobs); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(len(jobs)*b.N)/b.Elapsed().Seconds(), "jobs/s")
		})
	}
}

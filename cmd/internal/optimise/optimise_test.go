package optimise_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/urfave/cli/v2"

	"slurm-ostrich/cmd/internal/console"
	"slurm-ostrich/cmd/internal/optimise"
)

// queue has at 1000 s one job that runs for another 500 s on two of four processors,
// and three that wait: the first one, for all processors, makes the others late. Under
// --satisfaction 1,20 each accepts a wait of 1200 s.
const queue = `; MaxProcs: 4
1   0    0 1500 2 -1 -1 2 1500 -1 1 1 1 1 1 1 -1 -1
2 100 1400 2000 4 -1 -1 4 3000 -1 1 2 1 1 1 1 -1 -1
3 300 3300  100 3 -1 -1 3  200 -1 1 3 1 1 1 1 -1 -1
4 600 3000  100 3 -1 -1 3  100 -1 1 3 1 1 1 1 -1 -1
`

// run runs the command's options on a log.
func run(ctx context.Context, t *testing.T, log string, now func() time.Time, arguments ...string) (out *optimise.Outcome, err error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "queue.swf")
	if err = os.WriteFile(file, []byte(log), 0o600); err != nil {
		t.Fatal(err)
	}
	o := &optimise.Options{}
	app := &cli.App{Name: "optimise", Flags: o.Flags(), Action: func(c *cli.Context) error {
		o.Given = c.IsSet
		out, err = o.Run(ctx, now)
		return nil
	}}
	if wrong := app.Run(append([]string{"optimise", "--swf", file, "--satisfaction", "1,20"}, arguments...)); wrong != nil {
		t.Fatal(wrong)
	}
	return out, err
}

// still is a clock on which no limit passes.
func still() time.Time { return time.Unix(0, 0) }

// TestRun: job 2 may start until 300 and none can before 500, so it is late in
// every schedule; 3 is due at 500, 4 at 800. EASY serves 2 first, until 3500.
func TestRun(t *testing.T) {
	for _, tt := range []struct {
		test      string
		arguments []string
		want      optimise.Outcome
	}{
		{"the late one is dropped", nil, optimise.Outcome{
			Objective: "sum-u", Dropped: 1, Optimal: true,
			Jobs: []optimise.Job{{3, 3, 200, 500, 500, 500}, {4, 3, 100, 800, 700, 700}},
		}},
		{"it stays", []string{"--late", "keep"}, optimise.Outcome{
			Objective: "sum-u", EASY: 3, Value: 1, Bound: 1, Optimal: true,
			Jobs: []optimise.Job{{3, 3, 200, 500, 3500, 500}, {4, 3, 100, 800, 3700, 700}, {2, 4, 3000, 300, 500, 800}},
		}},
		{"tardiness", []string{"--objective", "sum-t"}, optimise.Outcome{
			Objective: "sum-t", EASY: 200 + 3000 + 2900, Value: 500, Bound: 500, Optimal: true,
			Jobs: []optimise.Job{{3, 3, 200, 500, 3500, 500}, {4, 3, 100, 800, 3700, 700}, {2, 4, 3000, 300, 500, 800}},
		}},
		{"true lengths", []string{"--objective", "sum-t", "--estimate", "exact"}, optimise.Outcome{
			Objective: "sum-t", EASY: 200 + 2000 + 1800, Value: 400, Bound: 400, Optimal: true,
			Jobs: []optimise.Job{{3, 3, 100, 500, 2500, 500}, {4, 3, 100, 800, 2600, 600}, {2, 4, 2000, 300, 500, 700}},
		}},
	} {
		t.Run(tt.test, func(t *testing.T) {
			got, err := run(t.Context(), t, queue, still, append([]string{"--at", "1000"}, tt.arguments...)...)
			if err != nil {
				t.Fatal(err)
			}
			if m, failed := got.Model(); failed != nil || len(m.Starts) != len(tt.want.Jobs) {
				t.Errorf("the model is not of %d jobs: %+v, %v", len(tt.want.Jobs), m, failed)
			}
			want := tt.want
			want.Log, want.At, want.Procs, want.Running, want.Waiting, want.Solver = "queue", 1000, 4, 1, 3, "own"
			want.Nodes, got.Model = got.Nodes, nil
			if diff := cmp.Diff(&want, got); diff != "" {
				t.Errorf("outcome (-want +got):\n%s", diff)
			}
		})
	}
}

// TestLimit has a clock that goes on by an hour when somebody looks at it.
func TestLimit(t *testing.T) {
	for _, tt := range []struct {
		limit   string
		optimal bool
	}{{"1m", false}, {"10000h", true}} {
		now := still()
		clock := func() time.Time { now = now.Add(time.Hour); return now }
		out, err := run(t.Context(), t, queue, clock, "--at", "1000", "--objective", "sum-t", "--limit", tt.limit)
		if err != nil || out.Optimal != tt.optimal || (out.Nodes == 64) == tt.optimal || out.EASY != 6100 || out.Value > out.EASY || out.Failure != "" {
			t.Errorf("--limit %s: %+v, %v", tt.limit, out, err)
		}
	}
}

// TestNodes says which budget gives EASY's schedule.
func TestNodes(t *testing.T) {
	out, err := run(t.Context(), t, queue, still, "--at", "1000", "--objective", "sum-t", "--nodes", "1")
	if err != nil || out.Nodes != 1 || out.Value != 6100 || out.Optimal || out.Bound > 500 {
		t.Errorf("%+v, %v", out, err)
	}
}

// TestMissing tells of a program that is not installed once, and has EASY's schedule.
func TestMissing(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	out, err := run(t.Context(), t, queue, still, "--at", "1000", "--objective", "sum-t", "--solver", "cbc")
	if err != nil {
		t.Fatal(err)
	}
	want := "cbc: it is not installed; EASY's schedule stands"
	if diff := cmp.Diff([]string{want}, out.Notes); diff != "" || out.Failure != want {
		t.Errorf("failure %q, notes (-want +got):\n%s", out.Failure, diff)
	}
	jobs := []optimise.Job{{2, 4, 3000, 300, 500, 500}, {3, 3, 200, 500, 3500, 3500}, {4, 3, 100, 800, 3700, 3700}}
	if diff := cmp.Diff(jobs, out.Jobs); diff != "" || out.Value != 6100 || out.Optimal {
		t.Errorf("%+v, jobs (-want +got):\n%s", out, diff)
	}
}

func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	looks := 0
	clock := func() time.Time { // the second look is in the search
		if looks++; looks == 2 {
			cancel()
		}
		return still()
	}
	out, err := run(ctx, t, queue, clock, "--at", "1000", "--objective", "sum-t")
	if !errors.Is(err, console.ErrInterrupted) || out != nil || looks != 2 {
		t.Errorf("%+v, %v, after %d looks at the clock", out, err, looks)
	}
}

// TestRefused wants an error that names the option or the log.
func TestRefused(t *testing.T) {
	line := func(n int, text string) string {
		lines := strings.SplitAfter(queue, "\n")
		lines[n] = text + "\n"
		return strings.Join(lines, "")
	}
	for _, tt := range []struct {
		test, log string
		arguments string
		want      string
	}{
		{"no instant", queue, "", "--at must be given"},
		{"objective", queue, "--at 1000 --objective u", `--objective "u": must be sum-u, sum-t, cmax, sum-stretch or max-stretch`},
		{"solver", queue, "--at 1000 --solver scip", `--solver "scip": must be own or cbc`},
		{"the first of two", queue, "--at 1000 --late x --objective u", `--objective "u": must be sum-u, sum-t, cmax, sum-stretch or max-stretch`},
		{"nodes of a program", queue, "--at 1000 --solver cbc --nodes 9", "--nodes means nothing to --solver cbc"},
		{"a model that nobody gets", queue, "--at 1000 --model paper", "--model goes with --solver cbc, --write-lp or --write-mps"},
		{"campaigns that do not count", queue, "--at 1000 --objective cmax --rule window", "--rule means nothing to --objective cmax, which knows no campaigns"},
		{"negative nodes", queue, "--at 1000 --nodes -1", "--nodes -1: at least 1"},
		{"no limit", queue, "--at 1000 --limit 0s", "--limit 0s: must be above 0"},
		{"nobody waits", queue, "--at 100000", "queue.swf: nobody waited at 100000 s"},
		{"all runs", queue, "--at 3700 --procs 9", "queue.swf: nobody waited at 3700 s"},
		{"a full machine", line(3, "3 300 0 1000 3 -1 -1 3 1000 -1 1 3 1 1 1 1 -1 -1"), "--at 1000", "queue.swf: at 1000 s: job 3 runs on 3 processors, and 2 of 4 are free: cannot be scheduled"},
	} {
		t.Run(tt.test, func(t *testing.T) {
			out, err := run(t.Context(), t, tt.log, still, strings.Fields(tt.arguments)...)
			if err == nil || out != nil {
				t.Fatalf("%+v, %v", out, err)
			}
			// The log lies in a folder of the test's own.
			if got := err.Error(); got != tt.want && !strings.HasSuffix(got, "/"+tt.want) {
				t.Errorf("error %s, want %s", got, tt.want)
			}
		})
	}
}

// TestTables are two: the queue as a whole, and its jobs with what they are late by.
func TestTables(t *testing.T) {
	out := optimise.Outcome{
		Log: "kth", At: 9, Procs: 4, Running: 1, Waiting: 3, Dropped: 1, Objective: "sum-stretch", Solver: "own",
		EASY: 8, Value: 4, Bound: 3.00049, Gap: 0.2498, Nodes: 77,
		Jobs: []optimise.Job{{5, 2, 60, -10, 7, 30}, {6, 1, 60, 31, 0, 30}},
	}
	tables := out.Tables()
	if len(tables) != 2 {
		t.Fatalf("%d tables", len(tables))
	}
	for i, want := range []string{
		"kth|9|4|1|3|1|sum-stretch|own|8|4|3|0.2498|no|77\n",
		"5|2|60|-10|7|30|40\n6|1|60|31|0|30|0\n",
	} {
		var b strings.Builder
		if err := tables[i].Write(&b, false, true, 0); err != nil || b.String() != want {
			t.Errorf("table %d: %v %q, want %q", i, err, &b, want)
		}
		line, _, _ := strings.Cut(want, "\n")
		if len(tables[i].Header) != strings.Count(line, "|")+1 {
			t.Errorf("table %d has the columns %v", i, tables[i].Header)
		}
	}
}

// TestLongQueue: the own solver needs no linear programme, which has rows and columns for any two of the jobs.
func TestLongQueue(t *testing.T) {
	var log strings.Builder
	log.WriteString("; MaxProcs: 4\n1 0 0 1500 4 -1 -1 4 1500 -1 1 1 1 1 1 1 -1 -1\n")
	for i := range 1000 {
		fmt.Fprintf(&log, "%d 100 2000 60 1 -1 -1 1 60 -1 1 2 1 1 1 1 -1 -1\n", i+2)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	out, err := run(t.Context(), t, log.String(), still, "--at", "1000", "--late", "keep", "--nodes", "1")
	runtime.ReadMemStats(&after)
	if err != nil || out.Waiting != 1000 {
		t.Fatalf("%+v, %v", out, err)
	}
	if mib := (after.TotalAlloc - before.TotalAlloc) >> 20; mib > 60 {
		t.Errorf("%d MiB for a queue of 1000 jobs", mib)
	}
}

package main

import (
	"errors"
	"fmt"
	"math"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"slurm-ostrich/ostrich"
)

// The logarithms of 1/2, 1 and 2 have mean 0 and deviation ln 2; Student's t of
// two degrees of freedom is 4.303.
func TestMeasured(t *testing.T) {
	t.Parallel()
	half := math.Exp(4.3026527 * math.Ln2 / math.Sqrt(3))
	for _, tt := range []struct {
		name  string
		seeds [][2]float64
		want  Measure
		worse bool
	}{
		{"none", nil, Measure{}, false},
		{"one", [][2]float64{{2, 3}}, Measure{First: 2, Second: 3, Ratio: 1.5}, true},
		{"one, better", [][2]float64{{3, 2}}, Measure{First: 3, Second: 2, Ratio: 2. / 3}, false},
		{"spread", [][2]float64{{4, 2}, {4, 8}, {1, 1}}, Measure{First: math.Cbrt(16), Second: math.Cbrt(16), Ratio: 1, Low: 1 / half, High: half}, false},
		{"all alike", [][2]float64{{1, 2}, {2, 4}}, Measure{First: math.Sqrt2, Second: 2 * math.Sqrt2, Ratio: 2, Low: 2, High: 2}, true},
		{"nothing served", [][2]float64{{0, 1}}, Measure{First: least, Second: 1, Ratio: 100}, true},
	} {
		got := measured(tt.seeds)
		if diff := cmp.Diff(tt.want, got, cmpopts.EquateApprox(1e-6, 0)); diff != "" {
			t.Errorf("%s (-want +got)\n%s", tt.name, diff)
		}
		if got.worse() != tt.worse {
			t.Errorf("%s: worse %v, want %v", tt.name, got.worse(), tt.worse)
		}
	}
}

// The percentile lies between the values that it parts.
func TestPercentile(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		values []float64
		p      int
		want   float64
	}{
		{nil, 95, 0},
		{[]float64{3}, 95, 3},
		{[]float64{4, 2}, 50, 3},
		{[]float64{4, 2}, 100, 4},
		{[]float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 21}, 95, 15.5},
	} {
		if got := percentile(tt.values, tt.p); math.Abs(got-tt.want) > 1e-9 {
			t.Errorf("%d %% of %v: %v, want %v", tt.p, tt.values, got, tt.want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Float64Range(1, 9), 1, 60).Draw(t, "values")
		p := rapid.IntRange(1, 100).Draw(t, "p")
		got := percentile(values, p)
		below, most := 0, 0
		for _, v := range values {
			if v < got {
				below++
			}
			if v <= got {
				most++
			}
		}
		if n := (len(values) - 1) * p; 100*most < n || 100*(below-1) > n {
			t.Fatalf("%d %% of %v: %v", p, values, got)
		}
	})
}

// compared is a comparison of which a campaign of each of two users takes some
// seconds; the first user has a deadline of 10 s, the second comes in the
// background as well.
func compared(scenario string, seed uint64, stock, second [2]int64) Comparison {
	c := Comparison{Scenario: scenario, Seed: seed, Processors: 4}
	for side, flows := range [2][2]int64{stock, second} {
		r := Result{Run: []string{"stock", "ostrich"}[side], Scenario: scenario, Seed: seed, Processors: 4}
		for i, flow := range flows {
			r.Campaigns = append(r.Campaigns, Campaign{
				User: []string{"a", "b"}[i], Seq: 1, Jobs: 1, Submit: 100, End: ostrich.Time(100 + flow), Flow: ostrich.Duration(flow), Stretch: float64(flow) / 5,
				Deadline: []ostrich.Duration{10, 0}[i],
			})
		}
		r.Background = []Background{{User: "f", Jobs: 9, Ended: 3, Work: 2 * int64(r.seconds())}}
		c.Runs[side] = r
	}
	return c
}

// written writes comparisons into a folder, as the runs of a matrix lie there.
func written(t *testing.T, dir string, list ...Comparison) (paths []string) {
	t.Helper()
	for _, c := range list {
		path := filepath.Join(dir, fmt.Sprintf("%s.%d.json", c.Scenario, c.Seed))
		if err := writeJSON(path, c); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	return paths
}

const allTable = `| scenario | seeds | mean stretch: stock | ostrich | ratio | p95: ratio | max: ratio | who pays |
|---|---|---|---|---|---|---|---|
| [many](#many) | 2 | 3.00 | 1.70 | 0.57 [0.57, 0.57] | 0.41 [0.41, 0.41] | 0.40 [0.40, 0.40] | a 1.40 |
| one | 1 | 1.50 | 1.50 | 1.00 | 1.00 | 1.00 | nobody |
`

const manyTable = `| user | campaigns | mean stretch: stock | ostrich | ratio | max stretch: stock | ostrich | mean flow: stock | ostrich | deadlines met: stock | ostrich |
|---|---|---|---|---|---|---|---|---|---|---|
| a | 2 | 1.00 | 1.40 | **1.40** [1.40, 1.40] | 1.00 | 1.40 | 5.0 s | 7.0 s | 2/2 | 2/2 |
| b | 2 | 5.00 | 2.00 | 0.40 [0.40, 0.40] | 5.00 | 2.00 | 25.0 s | 10.0 s | - | - |
| all | 4 | 3.00 | 1.70 | 0.57 [0.57, 0.57] | 5.00 | 2.00 | 15.0 s | 8.5 s | 2/2 | 2/2 |

Seeds: 2. From the first submission to the last end: 25 s and 10 s. Meanwhile 2.0 and 2.0 of 4 processors worked for f, whom nobody waits for.
`

// The tables of a page are replaced, and nothing else; doing so again changes
// nothing.
func TestTable(t *testing.T) { // not in parallel: cli writes to its own flags
	dir := t.TempDir()
	files := written(t, dir, compared("one", 1, [2]int64{5, 10}, [2]int64{5, 10}),
		compared("many", 2, [2]int64{5, 25}, [2]int64{7, 10}), compared("many", 1, [2]int64{5, 25}, [2]int64{7, 10}))
	const text = "# Page\n\n<!-- table: all scenarios -->\nold\n<!-- end of table -->\nwords\n\n<!-- table: many -->\n\nold\n\n" +
		"<!-- end of table -->\n\n<!-- table: other -->\nstays\n<!-- end of table -->\nend\n"
	page := filepath.Join(dir, "page.md")
	if err := os.WriteFile(page, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	want := "# Page\n\n<!-- table: all scenarios -->\n\n" + allTable + "\n<!-- end of table -->\nwords\n\n<!-- table: many -->\n\n" +
		manyTable + "\n<!-- end of table -->\n\n<!-- table: other -->\nstays\n<!-- end of table -->\nend\n"
	for range 2 {
		var out strings.Builder
		if err := newApp(&out, os.Stderr).RunContext(t.Context(), append([]string{"load", "table", "--write", page}, files...)); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(strings.Replace(allTable, "[many](#many)", "many", 1), out.String()); diff != "" {
			t.Errorf("printed (-want +got)\n%s", diff)
		}
		got, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, string(got)); diff != "" {
			t.Errorf("page (-want +got)\n%s", diff)
		}
	}
}

func TestTableErrors(t *testing.T) { // not in parallel: cli writes to its own flags
	dir := t.TempDir()
	flows := [2]int64{5, 10}
	good := written(t, dir, compared("s", 1, flows, flows))[0]
	other := compared("s", 2, flows, flows)
	other.Processors = 8
	larger := written(t, dir, other)[0]
	none := written(t, dir, Comparison{Scenario: "none"})[0]
	page := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	const mark = "<!-- table: all scenarios -->\n"
	for _, tt := range []struct {
		want string
		args []string
	}{
		{"needs files", nil},
		{"no such file", []string{filepath.Join(dir, "away.json")}},
		{"invalid character", []string{page("text.json", "words")}},
		{"not the comparison", []string{none}},
		{"s: seed 1 twice", []string{good, good}},
		{"s: seed 1 is of [stock ostrich] on 4 processors, seed 2 of [stock ostrich] on 8", []string{good, larger}},
		{"no line <!-- table: all scenarios -->", []string{"--write", page("plain.md", "words"), good}},
		{"all scenarios has no line <!-- end", []string{"--write", page("open.md", mark), good}},
		{"all scenarios has no line <!-- end", []string{"--write", page("nested.md", mark+"<!-- table: s -->\n<!-- end of table -->\n"), good}},
		{"two tables of all scenarios", []string{"--write", page("two.md", mark+"\n<!-- end of table -->\n"+mark), good}},
	} {
		err := newApp(&strings.Builder{}, &strings.Builder{}).RunContext(t.Context(), append([]string{"load", "table"}, tt.args...))
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("table %v: error %v, want one with %q", tt.args, err, tt.want)
		}
	}
}

// TestMatrix: the matrix does what is missing, tries what failed when it is run
// again, and fills the page when all is there. A program in place of the
// demonstration fails for one seed, once, and the disk is full for one result, once.
func TestMatrix(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("-short: builds a program")
	}
	dir := t.TempDir()
	out := filepath.Join(dir, "out")
	sample := written(t, dir, compared("quick", 0, [2]int64{5, 25}, [2]int64{7, 10}))[0]
	demo := filepath.Join(dir, "demo")
	script := fmt.Sprintf(`#!/bin/sh
		echo "$@" >>%[1]s/calls
		while [ $# -gt 1 ]; do
			case $1 in --scenario) s=$(basename "$2" .yaml) ;; --seed) seed=$2 ;; --json) json=$2 ;; esac
			shift
		done
		if [ "$s.$seed" = equal.2 ] && [ ! -e %[1]s/failed ]; then touch %[1]s/failed; echo broken; exit 1; fi
		sed "s/\"quick\"/\"$s\"/; s/\"seed\": 0/\"seed\": $seed/" %[2]s >"$json"
	`, dir, sample)
	if err := os.WriteFile(demo, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	full := fmt.Sprintf(`#!/bin/sh
		case "$*" in */quick.1.json.*) [ -e %[1]s/full ] || { touch %[1]s/full; for to; do :; done; echo '{' >"$to"; exit 1; } ;; esac
		PATH=${PATH#*:}
		exec cp "$@"
	`, dir)
	bin := filepath.Join(dir, "bin")
	if err := errors.Join(os.Mkdir(bin, 0o755), os.WriteFile(filepath.Join(bin, "cp"), []byte(full), 0o755)); err != nil {
		t.Fatal(err)
	}
	page := filepath.Join(dir, "page.md")
	if err := os.WriteFile(page, []byte("<!-- table: all scenarios -->\n<!-- end of table -->\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	matrix := func(args ...string) (stdout, stderr string, code int) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "../debian/matrix", append([]string{"--out", out, "--write", page}, args...)...)
		cmd.Env = append(os.Environ(), "DEMO="+demo, "OSTRICHD="+demo, "PATH="+bin+":"+os.Getenv("PATH"))
		var o, e strings.Builder
		cmd.Stdout, cmd.Stderr = &o, &e
		_ = cmd.Run() // the code tells
		return o.String(), e.String(), cmd.ProcessState.ExitCode()
	}
	calls := func() int {
		text, err := os.ReadFile(filepath.Join(dir, "calls"))
		if err != nil {
			t.Fatal(err)
		}
		return strings.Count(string(text), "\n")
	}
	all := []string{"--seeds", "2", "--scenarios", "quick,equal"}

	// A choice of which there is no run does not bind.
	if err := errors.Join(os.Mkdir(out, 0o755), os.WriteFile(filepath.Join(out, "options"), []byte("--nodes 80\n"), 0o600)); err != nil {
		t.Fatal(err)
	}
	_, stderr, code := matrix(all...)
	if code != 1 || calls() != 4 || !strings.Contains(stderr, "2 runs failed") || !strings.Contains(stderr, "equal, seed 2: failed") || !strings.Contains(stderr, "    broken") {
		t.Errorf("exit code %d after %d runs, want 1 after 4:\n%s", code, calls(), stderr)
	}
	stdout, stderr, code := matrix(all...)
	if code != 0 || calls() != 6 || !strings.Contains(stderr, "run 4 of 4: equal, seed 2") {
		t.Errorf("exit code %d after %d runs, want 0 after 6:\n%s", code, calls(), stderr)
	}
	const row = " | 2 | 3.00 | 1.70 | 0.57 [0.57, 0.57] | 0.41 [0.41, 0.41] | 0.40 [0.40, 0.40] | a 1.40 |\n"
	want := strings.SplitAfterN(allTable, "\n", 3)[0] + "|---|---|---|---|---|---|---|---|\n| equal" + row + "| quick" + row
	if diff := cmp.Diff(want, stdout); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), "\n\n"+want+"\n") {
		t.Errorf("the page is:\n%s", text)
	}
	var again string
	if again, stderr, code = matrix(append(all, "--table")...); code != 0 || again != stdout || calls() != 6 {
		t.Errorf("--table: exit code %d after %d runs:\n%s%s", code, calls(), again, stderr)
	}
	// A second matrix may be at work on the others.
	if _, stderr, code = matrix("--seeds", "3", "--scenarios", "quick", "--table"); code != 1 || !strings.Contains(stderr, "not written, as 1 of the runs") {
		t.Errorf("a page without all runs: exit code %d: %s", code, stderr)
	}
	for option, want := range map[string]string{"--nodes many": "from 1 to 500", "--seeds 0": "from 1 to 999", "--port 65500": "from 1024 to 65417"} {
		if _, stderr, code = matrix(append(all, strings.Fields(option)...)...); code != 1 || !strings.Contains(stderr, option+": must be a number "+want) {
			t.Errorf("%s: exit code %d: %s", option, code, stderr)
		}
	}
	for _, other := range [][]string{{"--nodes", "4"}, {"--ostrichd", "--schedule-class=name"}} {
		if _, stderr, code = matrix(append(other, "--seeds", "3", "--scenarios", "quick")...); code != 1 || calls() != 6 || !strings.Contains(stderr, "are with --nodes 8; give another --out") {
			t.Errorf("%v: exit code %d after %d runs: %s", other, code, calls(), stderr)
		}
	}
	if _, stderr, code = matrix("--table", "--out", out+"-none"); code != 1 || !strings.Contains(stderr, "no runs to make a table of") {
		t.Errorf("no runs: exit code %d: %s", code, stderr)
	}
	if _, err = os.Stat(out + "-none"); err == nil {
		t.Error("a table of no runs made their folder")
	}

	if err = os.WriteFile(filepath.Join(out, "testbed", "scenarios", "equal.yaml"), []byte("name: equal\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, stderr, code = matrix(all...); code != 1 || !strings.Contains(stderr, "not the scenario equal of today") {
		t.Errorf("another scenario under the same name: exit code %d: %s", code, stderr)
	}
}

// TestDemoEarly: what would end a demonstration after minutes is told first. The scenario is
// none, so that no testbed is brought up.
func TestDemoEarly(t *testing.T) {
	for option, want := range map[string]string{
		"--json " + filepath.Join(t.TempDir(), "none", "x.json"): "none/x.json: there is no such folder",
		"--seed x": "demo: --seed x: must be a whole number",
	} {
		cmd := exec.CommandContext(t.Context(), "../debian/demo", append(strings.Fields(option), "none")...)
		if text, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(text), want) {
			t.Errorf("%s: %v: %s", option, err, text)
		}
	}
}

// TestUpNumbers: to bash 08 is no number, and 010 is eight.
func TestUpNumbers(t *testing.T) {
	refused := func(most, up string, options ...string) {
		for _, number := range []string{"08", "0x8", "501"} {
			cmd := exec.CommandContext(t.Context(), up, append(options, "--nodes", number)...)
			want := "up: --nodes " + number + ": must be a number from 1 to " + most + "\n"
			if text, err := cmd.CombinedOutput(); err == nil || string(text) != want {
				t.Errorf("%s: %v: %q, want %q", up, err, text, want)
			}
		}
	}
	refused("250", "../compose/up")
	if os.Geteuid() != 0 {
		t.Skip("up needs root")
	}
	dir := filepath.Join(t.TempDir(), "none")
	defer os.Remove("/run/ostrich-testbed/" + strings.ReplaceAll(dir, "/", "_") + ".lock") //nolint:errcheck // it may be gone
	refused("500", "../debian/up", "--dir", dir)
}

// TestFreePorts: up refuses a port of another program, and not those of its own daemons when it
// repairs what is down beside them.
func TestFreePorts(t *testing.T) {
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close() //nolint:errcheck // it is only listened on
	port := strconv.Itoa(l.Addr().(*net.TCPAddr).Port)
	for runs, want := range map[string]string{"": "another program listens on " + port, "slurmd.n1": ""} {
		cmd := exec.CommandContext(t.Context(), "bash", "-euo", "pipefail", "-c", `
			. "$here/lib/all.sh"
			mkdir -p "$dir/run"
			started $$
			[ -z "$runs" ] || echo "$$ $ticks" >"$dir/run/$runs.pid"
			nodes=1
			set_ports
			free_ports`)
		cmd.Env = append(os.Environ(), "here=../debian", "dir="+t.TempDir(), "port="+port, "runs="+runs)
		if text, err := cmd.CombinedOutput(); (err != nil) != (want != "") || !strings.Contains(string(text), want) {
			t.Errorf("with %q running: %v, %q", runs, err, text)
		}
	}
}

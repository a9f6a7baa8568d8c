package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// printed is what go test prints for two of the parts.
var printed = map[string]string{
	"cycle": `goos: linux
pkg: slurm-ostrich/cmd/internal/sidecar
BenchmarkCycle/unchanged-2         	    8731	    136500 ns/op
BenchmarkCycle/campaign-2          	       7	 155200000 ns/op
PASS
ok  	slurm-ostrich/cmd/internal/sidecar	9.931s
`,
	"cold": `BenchmarkColdStart 	       3	8400000000 ns/op	       184.2 MB-most	         9.049 cpu-s/op
`,
	"slurm": `=== RUN   TestScale
=== ATTR  TestScale real-time yes
=== ATTR  TestScale cycle-seconds 0.75
=== ATTR  TestScale rss-megabytes 81.5
=== ATTR  TestScale requests-hour 3700
=== ATTR  TestScale main-cycle-without 12000
=== ATTR  TestScale main-cycle-with 12500
=== ATTR  TestScale backfill-cycle-without 200000
=== ATTR  TestScale backfill-cycle-with 200000
=== ATTR  TestScale cpu-without 3.5
=== ATTR  TestScale cpu-with 4
--- PASS: TestScale (1800.00s)
`,
}

func TestRead(t *testing.T) {
	list, err := chosen([]string{"slurm", "cycle"})
	if err != nil {
		t.Fatal(err)
	}
	var got []value
	for i := range list {
		values, err := list[i].read(printed[list[i].name])
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, values...)
	}
	want := []value{
		{Part: "cycle", Figure: "quiet", Value: 0.1365, Unit: "ms"},
		{Part: "cycle", Figure: "campaign", Value: 155.2, Unit: "ms"},
		{Part: "slurm", Figure: "cycle", Value: 0.75, Unit: "s"},
		{Part: "slurm", Figure: "memory", Value: 81.5, Unit: "MB"},
		{Part: "slurm", Figure: "requests", Value: 3700, Unit: "an hour"},
		{Part: "slurm", Figure: "main scheduler, mean without", Value: 12, Unit: "ms"},
		{Part: "slurm", Figure: "main scheduler, mean with", Value: 12.5, Unit: "ms"},
		{Part: "slurm", Figure: "backfill, mean without", Value: 200, Unit: "ms"},
		{Part: "slurm", Figure: "backfill, mean with", Value: 200, Unit: "ms"},
		{Part: "slurm", Figure: "slurmctld without", Value: 3.5, Unit: "% of a processor"},
		{Part: "slurm", Figure: "slurmctld with", Value: 4, Unit: "% of a processor"},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	// A test that was skipped, or a benchmark that has another name, is no figure.
	for text, want := range map[string]string{
		"--- SKIP: TestScale\nPASS\n":                       "slurm: cycle: go test printed no cycle-seconds",
		"BenchmarkCycle/unchanged-2 10 x ns/op\n":           `slurm: BenchmarkCycle/unchanged: "x" is no number`,
		"=== ATTR  TestScale cycle-seconds soon\nPASS ok\n": "slurm: cycle: go test printed no cycle-seconds",
	} {
		if _, err := list[1].read(text); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

func TestCommand(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "outside.json")
	if err := os.WriteFile(outside, []byte(`{"cold": {"memory": 180}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		args   []string
		code   int
		stdout string
		stderr string
	}{
		{[]string{"cold", "cycle"}, 0, `PART   FIGURE     MEASURED  UNIT  MOST  RATIO
cycle  quiet      0.1365    ms    5     0.03
cycle  campaign   155.2     ms    300   0.52
cold   time       8.4       s     10    0.84
cold   processor  9.049     s     -     -
cold   memory     184.2     MB    210   0.88
`, ""},
		{[]string{"--envelope", outside, "cold"}, 1, `PART  FIGURE     MEASURED  UNIT  MOST  RATIO
cold  time       8.4       s     -     -
cold  processor  9.049     s     -     -
cold  memory     184.2     MB    180   1.02
`, "scale: outside the envelope\n"},
		{[]string{"--json", "cycle"}, 0, `[
  {
    "part": "cycle",
    "figure": "quiet",
    "value": 0.1365,
    "unit": "ms",
    "most": 5,
    "ratio": 0.0273
  },
  {
    "part": "cycle",
    "figure": "campaign",
    "value": 155.2,
    "unit": "ms",
    "most": 300,
    "ratio": 0.5173333333333333
  }
]
`, ""},
		{nil, 2, "", "scale: name one or more of the parts: cycle, cold, poll, slurm\n"},
		{[]string{"cycle", "warm"}, 2, "", "scale: \"warm\": there is no such part, or it is named twice; the parts are cycle, cold, poll, slurm\n"},
		{[]string{"cycle", "cycle"}, 2, "", "scale: \"cycle\": there is no such part, or it is named twice; the parts are cycle, cold, poll, slurm\n"},
		{[]string{"--envelope", outside + "x", "cycle"}, 2, "", "scale: envelope: open " + outside + "x: no such file or directory\n"},
		{[]string{"poll"}, 2, "", "scale: poll: go test: exit status 1\n"},
	} {
		var stdout, stderr bytes.Buffer
		fake := func(_ context.Context, p *part, _ io.Writer) (string, error) {
			if text, ok := printed[p.name]; ok {
				return text, nil
			}
			return "", errors.New(p.name + ": go test: exit status 1")
		}
		code := run(append([]string{"scale"}, test.args...), &stdout, &stderr, fake)
		if code != test.code || stdout.String() != test.stdout || stderr.String() != test.stderr {
			t.Errorf("%q: exit code %d\n%s%s", test.args, code, stdout.String(), stderr.String())
		}
	}
}

// The envelope of the tree has the aims, and names only what is measured.
func TestEnvelope(t *testing.T) {
	e, err := readEnvelope("envelope.json", builtin)
	if err != nil {
		t.Fatal(err)
	}
	for aim, most := range map[[2]string]float64{{"cycle", "quiet"}: 5, {"cold", "time"}: 10, {"cold", "memory"}: 400} {
		if got := e[aim[0]][aim[1]]; got == 0 || got > most {
			t.Errorf("%v: at most %v, the aim is %v", aim, got, most)
		}
	}
	for text, want := range map[string]string{
		`{"cycle": {"quite": 5}}`:                "envelope x: cycle: quite: no part measures it",
		`{"cold": {"time": 0}}`:                  "envelope x: cold: time: must be above 0",
		`{"cold": {"time": "10 s"}}`:             "envelope x: json: ",
		`{"b": {"x": 1}, "a": {"z": 1, "y": 1}}`: "envelope x: a: y: no part measures it",
	} {
		if _, err := readEnvelope("x", []byte(text)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// The commands are told as they can be typed.
func TestWords(t *testing.T) {
	list, err := chosen([]string{"cycle"})
	if err != nil {
		t.Fatal(err)
	}
	if got := list[0].command(); got != "go test -count=1 '-run=^$' '-bench=^BenchmarkCycle$' slurm-ostrich/cmd/internal/sidecar" {
		t.Error(got)
	}
}

// What is interrupted ends with all that go test has started, which holds its output open.
func TestInterrupted(t *testing.T) {
	folder := t.TempDir()
	started := filepath.Join(folder, "started")
	script := "#!/bin/sh\nsleep 60 &\necho >" + started + "\nwait\n"
	if err := os.WriteFile(filepath.Join(folder, "go"), []byte(script), 0o700); err != nil { //nolint:gosec // it is a program
		t.Fatal(err)
	}
	t.Setenv("PATH", folder+":"+os.Getenv("PATH"))
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, err := measure(ctx, &part{name: "p"}, io.Discard)
		ended <- err
	}()
	for _, err := os.Stat(started); err != nil; _, err = os.Stat(started) {
		time.Sleep(5 * time.Millisecond)
	}
	cancel()
	select {
	case err := <-ended:
		if err == nil || !strings.HasPrefix(err.Error(), "p: go test: ") {
			t.Error(err)
		}
	case <-time.After(grace / 2):
		t.Error("it still runs")
	}
}

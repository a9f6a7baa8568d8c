package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// must runs ostrich in this process, and fails where it does.
func must(t *testing.T, args ...string) (stdout string) {
	t.Helper()
	var out, errs bytes.Buffer
	if code := run(t.Context(), append([]string{"ostrich"}, args...), &out, &errs); code != 0 {
		t.Fatalf("%q: exit code %d\n%s", args, code, &errs)
	}
	return out.String()
}

func writeFile(t *testing.T, path, text string) string {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestSweepIsSimulate: each point has the summary that simulate writes with
// its options, of a log as of a generated trace.
func TestSweepIsSimulate(t *testing.T) {
	dir := t.TempDir()
	logs := make(map[string]string)
	for _, seed := range []string{"1", "2", "5"} {
		logs[seed] = filepath.Join(dir, "hipc-"+seed+".swf.gz")
		must(t, "generate", "hipc", "--users", "5", "--jobs", "300", "--seed", seed, "--out", logs[seed])
	}
	logs["null"] = logs["5"]
	file := writeFile(t, dir+"/grid.yaml", `
traces: [{generate: hipc, users: 5, jobs: 300}, hipc-5.swf.gz]
seeds: [1-2]
policies: [ostrich, ostrich:gate=off:inside=spt:predictor=last, fairshare:period=1m, fairshare:inside=spt:period=1h, faircamp:rho=mlpt, sjf]
backfill: [none, easy, conservative]
replay: [open, closed]
parameters:
  offsets: [keep, drop]
  dependencies: [false, true]
  load: [1, 1.5]
  rule: [max, window, fields]
  threshold: 1m
  starttime: 100
`)
	type fields map[string]any
	var points []fields
	if err := json.Unmarshal([]byte(must(t, "sweep", file, "--json")), &points); err != nil {
		t.Fatal(err)
	}
	if len(points) < 500 {
		t.Errorf("%d points", len(points))
	}
	listed := strings.Split(strings.TrimSpace(must(t, "sweep", file, "--list", "--parsable2", "--noheader")), "\n")
	if len(listed) != len(points) {
		t.Fatalf("%d points, and %d are listed", len(points), len(listed))
	}
	for i := 0; i < len(points); i += 37 { // a prime: all values come up
		p := points[i]
		seed := strings.ReplaceAll(fmt.Sprint(p["seed"]), "<nil>", "null")
		options := strings.Fields(listed[i][strings.LastIndex(listed[i], "|")+1:])
		var want fields
		said := must(t, slices.Concat([]string{"simulate", "--swf", logs[seed], "--summary", "--json"}, options)...)
		if err := json.Unmarshal([]byte(said), &want); err != nil {
			t.Fatal(err)
		}
		for _, own := range []string{"point", "seed", "parameters", "log"} {
			delete(p, own)
		}
		for _, timed := range []string{"log", "seconds", "jobs_per_second"} {
			delete(want, timed)
		}
		if diff := cmp.Diff(want, p); diff != "" {
			t.Errorf("point %d, seed %s, %q: -simulate +sweep:\n%s", i, seed, options, diff)
		}
	}
}

// TestSweepInterrupted: after a signal whole results are left and nothing else,
// and the same command goes on from there to the table of a sweep that was not
// interrupted.
func TestSweepInterrupted(t *testing.T) {
	dir := t.TempDir()
	file := writeFile(t, dir+"/grid.yaml", `
traces: {generate: hipc, users: 20, jobs: 2000}
policies: [fcfs, fairshare, ostrich]
seeds: [1-100]
`)
	want := must(t, "sweep", file, "--json")
	out := filepath.Join(dir, "out")
	results := func() []os.DirEntry {
		all, err := os.ReadDir(filepath.Join(out, "results"))
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		return all
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go cancelOnce(ctx, cancel, func() bool {
		found, _ := filepath.Glob(filepath.Join(out, "results", "*.json"))
		return len(found) > 2
	})
	var stdout, stderr bytes.Buffer
	code := run(ctx, []string{"ostrich", "sweep", "--workers", "3", "--out", out, file}, &stdout, &stderr)
	said := "ostrich: sweep: interrupted; finished points are kept in " + out + "; the same command again goes on\n"
	if code != int(interrupted) || stderr.String() != said || stdout.Len() > 0 {
		t.Fatalf("code %d, %q, %q", code, &stderr, &stdout)
	}
	kept := results()
	if len(kept) < 3 || len(kept) > 299 {
		t.Errorf("%d results", len(kept))
	}
	for _, k := range kept {
		raw, err := os.ReadFile(filepath.Join(out, "results", k.Name()))
		if err != nil || strings.HasPrefix(k.Name(), ".") || !json.Valid(raw) {
			t.Errorf("%s: %v\n%s", k.Name(), err, raw)
		}
	}
	if files, err := os.ReadDir(out); err != nil || len(files) != 1 {
		t.Errorf("beside the results: %v, %v", files, err)
	}
	// What still computed at the end has ended by now, and must not be kept.
	until(t, "the points are computed", func() bool { return !strings.Contains(stacks(), "sweep.(*run).compute.func") })
	if n := len(results()); n != len(kept) {
		t.Errorf("%d results were kept after the end", n-len(kept))
	}
	if got := must(t, "sweep", file, "--json", "--out", out); got != want {
		t.Error("another table after an interruption")
	}
}

// cancelOnce cancels once something is so.
func cancelOnce(ctx context.Context, cancel func(), is func() bool) {
	for ctx.Err() == nil && !is() {
		time.Sleep(time.Millisecond)
	}
	cancel()
}

// until waits for something to be so.
func until(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(5 * time.Minute); !is(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("not within five minutes: %s", what)
		}
	}
}

// stacks are those of all goroutines.
func stacks() string {
	buffer := make([]byte, 1<<20)
	return string(buffer[:runtime.Stack(buffer, true)])
}

package main

import (
	"fmt"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// docs/metrics.md has a row for each metric, with its type and its labels, and
// for no other.
func TestMetricsAreDocumented(t *testing.T) {
	page, err := os.ReadFile(metricsPage)
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	row := regexp.MustCompile("(?m)^\\| `(ostrich_\\w+)` \\| (\\w+) \\| ([^|]*)\\| ([^|]+) \\| (.+) \\|$")
	for _, r := range row.FindAllStringSubmatch(string(page), -1) {
		var labels []string
		for _, l := range regexp.MustCompile("`(\\w+)`").FindAllStringSubmatch(r[3], -1) {
			labels = append(labels, l[1])
		}
		slices.Sort(labels)
		want = append(want, fmt.Sprint(r[1], " ", r[2], " ", labels))
	}
	slices.Sort(want)
	e := emulate(t)
	e.cycles(20)
	families, err := e.daemon.metrics.registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range families {
		if !strings.HasPrefix(f.GetName(), "ostrich_") {
			continue
		}
		var labels []string
		for _, l := range f.GetMetric()[0].GetLabel() {
			labels = append(labels, l.GetName())
		}
		slices.Sort(labels)
		got = append(got, fmt.Sprint(f.GetName(), " ", strings.ToLower(f.GetType().String()), " ", labels))
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("docs/metrics.md and the registry (-page +registry):\n%s", d)
	}
	// What a label may be is on the page too, but for pools, users and the like.
	open := []string{"pool", "account", "user", "version", "reason", "resource", "le"}
	label := regexp.MustCompile(`(\w+)="([^"]*)"`)
	for line := range strings.Lines(get(t, e.daemon, "/metrics", http.StatusOK)) {
		if !strings.HasPrefix(line, "ostrich_") {
			continue
		}
		for _, l := range label.FindAllStringSubmatch(line, -1) {
			if !slices.Contains(open, l[1]) && !strings.Contains(string(page), "`"+l[2]+"`") {
				t.Errorf("docs/metrics.md does not tell of %s %q: %s", l[1], l[2], line)
			}
		}
	}
}

// Counters and histograms exist before the first cycle, and are 0.
func TestCountersBeginAtZero(t *testing.T) {
	m := newMetrics("v1")
	before := samples(t, m)
	e := emulate(t)
	e.cycles(100)
	counter := regexp.MustCompile(`^ostrich_\w+_(total|bucket|sum|count)(\{|$)`)
	for name := range samples(t, e.daemon.metrics) {
		if counter.MatchString(name) && before[name] != "0" {
			t.Errorf("%s is %q before the first cycle", name, before[name])
		}
	}
	series := 0
	for name := range before {
		if strings.HasPrefix(name, "ostrich_") {
			series++
		}
	}
	if series > 250 {
		t.Errorf("%d series without users", series)
	}
	t.Logf("%d series", series)
}

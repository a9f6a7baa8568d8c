package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"

	"slurm-ostrich/cmd/internal/livecompare"
	"slurm-ostrich/cmd/internal/sidecar"
)

// listening is the command "listening FILE ARGUMENTS" of the scripts: ostrichd
// on a port that is free, with its address in the file. The word ADDRESS among
// the arguments stands for that too.
func listening() {
	address, _, err := reserve() // for as long as this process lives
	if err == nil {
		err = errors.Join(os.WriteFile(os.Args[1]+".new", []byte(address), 0o600), os.Rename(os.Args[1]+".new", os.Args[1]))
		os.Args = append([]string{"ostrichd", "--listen", address}, os.Args[2:]...)
		for i := range os.Args {
			os.Args[i] = strings.ReplaceAll(os.Args[i], "ADDRESS", address)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	main()
}

// fetch is the command "fetch FILE PATH PATTERN" of the scripts: it asks the
// daemon whose address is in the file until it answers with what is wanted.
func fetch() {
	address, err := os.ReadFile(os.Args[1])
	wanted := regexp.MustCompile(os.Args[3])
	var said string
	for range 6000 {
		if err != nil || wanted.MatchString(said) {
			break
		}
		time.Sleep(50 * time.Millisecond)
		said = ask("http://" + string(address) + os.Args[2])
	}
	if err != nil || !wanted.MatchString(said) {
		fmt.Fprintln(os.Stderr, "not within five minutes:", said, err)
		os.Exit(1)
	}
	_, _ = io.WriteString(os.Stdout, said) // The script will see.
}

// ask is what a server says, or the error.
func ask(url string) string {
	request, err := http.NewRequestWithContext(context.Background(), http.MethodGet, url, nil)
	if err != nil {
		return err.Error()
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return err.Error()
	}
	raw, err := io.ReadAll(answer.Body)
	return string(raw) + strings.TrimPrefix(fmt.Sprint(errors.Join(err, answer.Body.Close())), "<nil>")
}

func TestCompared(t *testing.T) {
	d := &daemon{metrics: newMetrics("v1"), now: time.Now}
	compared := func(want int) string { return get(t, d, "/api/v1/compare.json", want) }
	if said := compared(http.StatusServiceUnavailable); said != `{"error":"no cycle has succeeded yet"}`+"\n" {
		t.Errorf("before the first cycle: %q", said)
	}
	c := seen(t)
	c.Time, c.Anew, c.Generation = 100, true, 1
	d.metrics.compared.observe(c, &world{daemon: d})
	r := d.metrics.compared.latest.Load()
	r.Starts.Same, r.Starts.Earlier, r.Starts.Later, r.Starts.NotCompared = 1, 2, 3, 4
	r.Starts.RunEarlier, r.Starts.WaitLater = 5, 6
	r.Starts.LaterSeconds = livecompare.Histogram{Buckets: []livecompare.Bucket{{Limit: 60, Count: 1}}, Count: 2, Sum: 90}
	r.Campaigns.Kept, r.Campaigns.Broken, r.Campaigns.Unbounded = 7, 8, 9
	r.Campaigns.Stretch = livecompare.Histogram{Buckets: []livecompare.Bucket{{Limit: 2, Count: 3}}, Count: 4, Sum: 10}
	r.Campaigns.BrokenBy[livecompare.NotWritten].First = 8
	r.Campaigns.Promise.Campaigns, r.Campaigns.Promise.Le1, r.Campaigns.Promise.Mean = 50, 0.75, 1.5
	problems, err := testutil.GatherAndLint(d.metrics.registry)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Errorf("%s: %s", p.Metric, p.Text)
	}
	got := samples(t, d.metrics)
	for name, want := range map[string]string{
		`ostrich_order_overlap_ratio{depth="10"}`:                         "1",
		`ostrich_order_overlap_ratio{depth="slurm"}`:                      "1",
		`ostrich_starts_total{when="same"}`:                               "1",
		`ostrich_starts_total{when="earlier"}`:                            "2",
		`ostrich_starts_total{when="later"}`:                              "3",
		`ostrich_starts_total{when="not_compared"}`:                       "4",
		`ostrich_unmatched_starts{when="earlier"}`:                        "5",
		`ostrich_unmatched_starts{when="later"}`:                          "6",
		`ostrich_start_difference_seconds_bucket{when="later",le="60"}`:   "1",
		`ostrich_start_difference_seconds_sum{when="later"}`:              "90",
		`ostrich_start_difference_seconds_count{when="earlier"}`:          "0",
		`ostrich_campaign_stretch_ratio_bucket{le="2"}`:                   "3",
		`ostrich_campaign_stretch_ratio_count`:                            "4",
		`ostrich_campaign_flow_seconds_count`:                             "0",
		`ostrich_finished_campaigns_total{bound="kept"}`:                  "7",
		`ostrich_finished_campaigns_total{bound="broken"}`:                "8",
		`ostrich_finished_campaigns_total{bound="none"}`:                  "9",
		`ostrich_promise_kept_ratio`:                                      "0.75",
		`ostrich_promise_rho_mean_ratio`:                                  "1.5",
		`ostrich_promise_campaigns`:                                       "50",
		`ostrich_broken_bounds_total{reason="not_written"}`:               "8",
		`ostrich_broken_bounds_total{reason="not_known"}`:                 "0",
		`ostrich_start_difference_seconds_bucket{when="later",le="+Inf"}`: "2",
	} {
		if got[name] != want {
			t.Errorf("%s is %q, want %q", name, got[name], want)
		}
	}
	var back livecompare.Report
	if err := json.Unmarshal([]byte(compared(http.StatusOK)), &back); err != nil || back.Campaigns.Broken != 8 || back.Time != 100 {
		t.Errorf("as JSON: %v, %+v", err, back)
	}
}

// The comparison is documented: each field of the JSON and each reason has a
// place on the page of comparisons.
func TestComparisonIsDocumented(t *testing.T) {
	page, err := os.ReadFile("../../docs/compare.md")
	if err != nil {
		t.Fatal(err)
	}
	d := &daemon{metrics: newMetrics("v1"), now: time.Now}
	c := seen(t)
	c.Anew, c.Generation = true, 1
	d.metrics.compared.observe(c, &world{daemon: d})
	raw := get(t, d, "/api/v1/compare.json", http.StatusOK)
	names := regexp.MustCompile(`"([a-z_]+)":`).FindAllStringSubmatch(raw, -1)
	for _, field := range []string{"pool", "user", "campaign", "submitted", "ended", "flow_seconds", "stretch", "bound", "broken", "reasons"} {
		names = append(names, []string{"", field})
	}
	for _, r := range livecompare.Reasons() {
		names = append(names, []string{"", r.String()})
	}
	for _, n := range names {
		if !strings.Contains(string(page), "`"+n[1]) {
			t.Errorf("docs/compare.md does not tell of `%s`", n[1])
		}
	}
}

// A cycle whose writing failed is compared too, and one that found nothing is not.
func TestComparedAfterErrors(t *testing.T) {
	for _, test := range []struct {
		cycle *sidecar.Cycle
		want  uint64
	}{{nil, 0}, {&sidecar.Cycle{}, 1}} {
		w := newWorld()
		w.daemon.sidecar = w
		w.daemon.report(outcome{test.cycle, errors.New("scontrol was killed")}, 0)
		var cycles uint64
		if r := w.daemon.metrics.compared.latest.Load(); r != nil {
			cycles = r.Cycles
		}
		if cycles != test.want {
			t.Errorf("%d cycles compared, want %d", cycles, test.want)
		}
	}
}

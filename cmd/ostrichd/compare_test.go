package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/rs/zerolog"

	"slurm-ostrich/cmd/internal/access"
	"slurm-ostrich/cmd/internal/configuration"
	"slurm-ostrich/cmd/internal/live"
	"slurm-ostrich/cmd/internal/sidecar"
	"slurm-ostrich/cmd/internal/view"
	"slurm-ostrich/ostrich/report"
	"slurm-ostrich/priority/slurm"
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
	compared := func(want int) string { return get(t, d, "/v1/compare", want) }
	if said := compared(http.StatusServiceUnavailable); said != `{"error":"ostrichd has not completed a cycle since its start; try again soon, or look into its log"}`+"\n" {
		t.Errorf("before the first cycle: %q", said)
	}
	c := seen(t)
	c.Time, c.Anew, c.Generation = 100, true, 1
	if err := d.metrics.compared.observe(c, &world{daemon: d}); err != nil {
		t.Fatal(err)
	}
	r := d.metrics.compared.latest.Load()
	r.Waits = live.Histogram{Buckets: []live.Bucket{{Limit: 60, Count: 1}}, Count: 2, Sum: 90}
	r.Nights = []live.Night{{Period: "day", Made: 1_700_000_000, Baseline: "fairshare", Changes: []live.Change{
		{Run: "recorded", Baseline: 4, Value: 5, Difference: 1}, {Run: "ostrich", Baseline: 4, Value: 2.5, Difference: -1.5, Interval: &report.Interval{Low: -2, High: -1}},
	}}}
	r.Campaigns.Kept, r.Campaigns.Broken, r.Campaigns.Unbounded = 7, 8, 9
	r.Campaigns.Stretch = live.Histogram{Buckets: []live.Bucket{{Limit: 2, Count: 3}}, Count: 4, Sum: 10}
	r.Campaigns.BrokenBy[live.NotWritten].First = 8
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
		`ostrich_order_overlap_ratio{depth="10"}`:                                              "1",
		`ostrich_order_overlap_ratio{depth="slurm"}`:                                           "1",
		`ostrich_job_wait_seconds_bucket{le="60"}`:                                             "1",
		`ostrich_job_wait_seconds_bucket{le="+Inf"}`:                                           "2",
		`ostrich_job_wait_seconds_sum`:                                                         "90",
		`ostrich_compare_made_timestamp_seconds{period="day"}`:                                 "1.7e+09",
		`ostrich_compare_user_stretch_ratio{period="day",run="fairshare"}`:                     "4",
		`ostrich_compare_user_stretch_ratio{period="day",run="recorded"}`:                      "5",
		`ostrich_compare_user_stretch_ratio{period="day",run="ostrich"}`:                       "2.5",
		`ostrich_compare_user_stretch_change_ratio{bound="value",period="day",run="recorded"}`: "1",
		`ostrich_compare_user_stretch_change_ratio{bound="low",period="day",run="recorded"}`:   "",
		`ostrich_compare_user_stretch_change_ratio{bound="value",period="day",run="ostrich"}`:  "-1.5",
		`ostrich_compare_user_stretch_change_ratio{bound="low",period="day",run="ostrich"}`:    "-2",
		`ostrich_compare_user_stretch_change_ratio{bound="high",period="day",run="ostrich"}`:   "-1",
		`ostrich_campaign_stretch_ratio_bucket{le="2"}`:                                        "3",
		`ostrich_campaign_stretch_ratio_count`:                                                 "4",
		`ostrich_campaign_flow_seconds_count`:                                                  "0",
		`ostrich_finished_campaigns_total{bound="kept"}`:                                       "7",
		`ostrich_finished_campaigns_total{bound="broken"}`:                                     "8",
		`ostrich_finished_campaigns_total{bound="none"}`:                                       "9",
		`ostrich_promise_kept_ratio`:                                                           "0.75",
		`ostrich_promise_rho_mean_ratio`:                                                       "1.5",
		`ostrich_promise_campaigns`:                                                            "50",
		`ostrich_broken_bounds_total{reason="not_written"}`:                                    "8",
		`ostrich_broken_bounds_total{reason="not_known"}`:                                      "0",
	} {
		if got[name] != want {
			t.Errorf("%s is %q, want %q", name, got[name], want)
		}
	}
	d.page.shown = make(chan struct{})
	d.page.show(&view.Cycle{}, r, d.now())
	var back live.Report
	if err := json.Unmarshal([]byte(compared(http.StatusOK)), &back); err != nil || back.Campaigns.Broken != 8 || back.Time != 100 {
		t.Errorf("as JSON: %v, %+v", err, back)
	}
}

// Each reason for a broken bound has a place on the page of comparisons.
func TestReasonsAreDocumented(t *testing.T) {
	page, err := os.ReadFile("../../docs/compare-reference.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range live.Reasons() {
		if !strings.Contains(string(page), "`"+r.String()+"`") {
			t.Errorf("docs/compare-reference.md does not tell of `%s`", r)
		}
	}
}

// night makes a configuration's folder of nightly comparisons, with what "ostrich compare
// --json" writes, of the fields that are read.
func night(t *testing.T, c *configuration.Config) {
	t.Helper()
	folder := t.TempDir()
	c.Journal = filepath.Join(folder, "journal.jsonl")
	err := os.Mkdir(filepath.Join(folder, "compare"), 0o700)
	for _, p := range live.Periods {
		path := filepath.Join(folder, "compare", p.Name)
		err = errors.Join(err, os.WriteFile(path+".html", []byte("<title>"+p.Name+"</title>"), 0o600), os.WriteFile(path+".json", []byte(`{
			"from": 1700000000, "to": 1700086400, "unix": true, "baseline": "fairshare", "verdict": ["Users gain, alice most."], "differences": [
			{"run": "recorded", "measure": "user_mean_stretch", "baseline": 4, "value": 5, "difference": 1, "interval": null},
			{"run": "ostrich", "measure": "user_mean_stretch", "baseline": 4, "value": 2.5, "difference": -1.5, "interval": {"low": -2, "high": -1}}]}`), 0o600))
	}
	if err != nil {
		t.Fatal(err)
	}
}

// What was compared by night is on the page, in words and as a file, for those who may see
// all users, and a file that cannot be read is logged once.
func TestNightly(t *testing.T) {
	w := newWorld()
	w.daemon.sidecar = w
	night(t, &w.daemon.config)
	directory := func(private ...string) *access.Directory { // what slurmdbd hides
		return access.NewDirectory(func(context.Context) (slurm.Users, error) { return slurm.Users{Private: private}, nil }, func(error) {}, time.Now)
	}
	w.daemon.users = directory()
	observe := func(private ...string) {
		t.Helper()
		c := seen(t)
		c.Controller.PrivateData = private
		w.daemon.report(outcome{cycle: c}, zerolog.DebugLevel)
		w.daemon.show(c)
	}
	observe()
	answer := func(path string, want int) *httptest.ResponseRecorder {
		t.Helper()
		recorder := httptest.NewRecorder()
		w.daemon.pages().ServeHTTP(recorder, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://127.0.0.1"+path, nil))
		if recorder.Code != want {
			t.Fatalf("%s: %d %s", path, recorder.Code, recorder.Body)
		}
		return recorder
	}
	if page := answer("/", http.StatusOK).Body.String(); !strings.Contains(page, "Users gain, alice most.") || !strings.Contains(page, `href="compare/week.html"`) {
		t.Error("the page does not have the verdict, or no link")
	}
	file := answer("/compare/day.html", http.StatusOK)
	if file.Body.String() != "<title>day</title>" {
		t.Errorf("the file: %s", file.Body)
	}
	for header, want := range map[string]string{
		"Content-Type": "text/html; charset=utf-8", "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff",
		"Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox",
	} {
		if got := file.Header().Get(header); got != want {
			t.Errorf("%s is %q", header, got)
		}
	}
	for _, nothing := range []string{"/compare/", "/compare/month.html", "/compare/day.json", "/compare/..%2fjournal.jsonl"} {
		answer(nothing, http.StatusNotFound)
	}
	w.daemon.users = directory("jobs")
	answer("/compare/day.html", http.StatusNotFound)
	if page := answer("/", http.StatusOK).Body.String(); strings.Contains(page, "alice most") {
		t.Error("slurmdbd hides the ended jobs of others, and the page tells of them")
	}
	w.daemon.users = directory()
	observe("jobs")
	answer("/compare/day.html", http.StatusNotFound)
	if page := answer("/", http.StatusOK).Body.String(); strings.Contains(page, "alice most") || strings.Contains(page, "compare/week.html") || !strings.Contains(page, "-2.00 to -1.00") {
		t.Error("the page of a viewer from whom jobs are hidden has users, or no figures")
	}
	folder := live.Folder(w.daemon.config.Journal)
	if err := errors.Join(os.Remove(filepath.Join(folder, "day.html")), os.WriteFile(filepath.Join(folder, "week.json"), []byte("{"), 0o600)); err != nil {
		t.Fatal(err)
	}
	answer("/compare/day.html", http.StatusNotFound)
	observe()
	observe()
	if n := strings.Count(w.output.String(), "a comparison of last night is not shown"); n != 1 {
		t.Errorf("a broken file is logged %d times: %s", n, w.output.String())
	}
	answer("/compare/week.html", http.StatusNotFound)
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

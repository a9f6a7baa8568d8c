package main

import (
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"
	"go.yaml.in/yaml/v3"

	"slurm-ostrich/cmd/internal/api"
	"slurm-ostrich/cmd/internal/configuration"
	"slurm-ostrich/cmd/internal/sidecar"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/priority"
)

// samples are the lines of /metrics, by name and labels.
func samples(t *testing.T, m *metrics) map[string]string {
	t.Helper()
	d := daemon{metrics: m, now: time.Now}
	all := make(map[string]string)
	for line := range strings.Lines(get(t, &d, "/metrics", http.StatusOK)) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), " "); ok && name != "#" {
			all[name] = value
		}
	}
	return all
}

func get(t *testing.T, d *daemon, path string, want int) string {
	t.Helper()
	w := httptest.NewRecorder()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)
	r.Host = "localhost"
	d.handler().ServeHTTP(w, r)
	if w.Code != want {
		t.Errorf("%s: %d %s, want %d", path, w.Code, w.Body, want)
	}
	return w.Body.String()
}

// counter is the value of a counter with one label, as "name{label="value"}".
func counter(t *testing.T, m *metrics, name string) float64 {
	t.Helper()
	value, err := strconv.ParseFloat(samples(t, m)[name], 64)
	if err != nil {
		t.Errorf("%s: %v", name, err)
	}
	return value
}

// seen is what a cycle on a small cluster found.
func seen(t *testing.T) *sidecar.Cycle {
	t.Helper()
	pools, err := ostrich.NewPools(ostrich.Options{}, 60, ostrich.Classes{}, ostrich.Pool{Name: "cpu"})
	if err != nil {
		t.Fatal(err)
	}
	pools.Add(
		ostrich.Event{At: 1, Kind: ostrich.Capacity, Pool: "cpu", Procs: 8},
		ostrich.Event{At: 2, Kind: ostrich.Submit, Job: ostrich.Job{ID: 1, User: 7, Procs: 3, Estimate: 600, Submit: 2}},
		ostrich.Event{At: 3, Kind: ostrich.Start, Job: ostrich.Job{ID: 1, User: 7, Procs: 3, Estimate: 600, Submit: 2, Start: 3}},
	)
	c := &sidecar.Cycle{Took: time.Second, Rows: 5, Lag: 4, Outcomes: []priority.Change{{Status: priority.Applied}, {Status: priority.Unsent}}}
	c.Pools, _ = pools.At(100)
	c.Plan.Summary = priority.Summary{Pending: 9, Managed: 8, Writes: 2, KendallTau: 0.5}
	return c
}

// TestPastDue: the median user accepts a wait of 2470 s for a job of 1000 s. Time passes
// within a generation, too.
func TestPastDue(t *testing.T) {
	m := newMetrics("v1")
	c, from := crowd(t)
	for _, one := range []struct {
		id   ostrich.JobID
		wait priority.Wait
	}{{12, priority.Able}, {22, priority.Kept}, {99, priority.Able}} { // nobody knows how long 99 runs
		q := priority.Queued{Job: one.id, Submit: 2}
		c.Plan.Entries = append(c.Plan.Entries, &priority.Entry{Queued: &q, Wait: one.wait})
	}
	for _, tt := range []struct {
		now  ostrich.Time
		want string
	}{{2472, "0"}, {2473, "1"}} {
		c.Time = tt.now
		m.observe(c, from, time.Unix(1, 0))
		if got := samples(t, m)["ostrich_past_due_jobs"]; got != tt.want {
			t.Errorf("at %d: %s, want %s", tt.now, got, tt.want)
		}
	}
}

func TestMetrics(t *testing.T) {
	m := newMetrics("v1")
	c := seen(t)
	m.wrote(c.Outcomes)
	m.observe(c, &world{daemon: &daemon{}}, time.Unix(1234, 0))
	problems, err := testutil.GatherAndLint(m.registry)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Errorf("%s: %s", p.Metric, p.Text)
	}
	got := samples(t, m)
	for name, want := range map[string]string{
		`ostrich_cycles_total{result="ok"}`:                   "1",
		`ostrich_cycles_total{result="failed"}`:               "0",
		`ostrich_cycle_duration_seconds_sum`:                  "1",
		`ostrich_last_success_timestamp_seconds`:              "1234",
		`ostrich_source_lag_seconds`:                          "4",
		`ostrich_pending_jobs`:                                "9",
		`ostrich_planned_writes`:                              "2",
		`ostrich_order_kendall_tau`:                           "0.5",
		`ostrich_active_users`:                                "1",
		`ostrich_accounting_rows_total`:                       "5",
		`ostrich_skipped_rows_total`:                          "0",
		`ostrich_campaigns{pool="cpu"}`:                       "1",
		`ostrich_processors{pool="cpu",state="all"}`:          "8",
		`ostrich_processors{pool="cpu",state="busy"}`:         "3",
		`ostrich_writes_total{result="applied"}`:              "1",
		`ostrich_writes_total{result="unsent"}`:               "1",
		`ostrich_writes_total{result="unchanged"}`:            "0",
		`ostrich_build_info{version="v1"}`:                    "1",
		`ostrich_enforcing`:                                   "0",
		`ostrich_cycle_duration_seconds_bucket{le="+Inf"}`:    "1",
		`promhttp_metric_handler_requests_total{code="nope"}`: "",
	} {
		if got[name] != want {
			t.Errorf("%s is %q, want %q", name, got[name], want)
		}
	}
	// A pool that a reload takes away is gone.
	c.Pools[0].Pool.Name = "gpu"
	m.observe(c, &world{daemon: &daemon{}}, time.Unix(1235, 0))
	if value, ok := samples(t, m)[`ostrich_campaigns{pool="cpu"}`]; ok {
		t.Errorf("a pool that is gone still has %s campaigns", value)
	}
}

// TestAlerts compares the alerts with what the daemon counts.
func TestAlerts(t *testing.T) {
	raw, err := os.ReadFile("../../contrib/prometheus/alerts.yml")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Groups []struct {
			Rules []struct{ Alert, Expr string }
		}
	}
	if err := yaml.Unmarshal(raw, &file); err != nil {
		t.Fatal(err)
	}
	m, w := newMetrics("v1"), &world{daemon: &daemon{}}
	night(t, &w.daemon.config)
	if err := m.compared.observe(seen(t), w); err != nil {
		t.Fatal(err)
	}
	m.observe(seen(t), w, time.Unix(1, 0))
	have := make(map[string]bool) // names
	labels := make(map[string]bool)
	for name := range samples(t, m) {
		bare, label, _ := strings.Cut(name, "{")
		have[bare] = true
		for l := range strings.SplitSeq(strings.TrimSuffix(label, "}"), ",") {
			labels[bare+" "+l] = true
		}
	}
	metric := regexp.MustCompile(`(ostrich_\w+)(?:\{(\w+)=~?"([^"]*)"\})?`)
	checked := 0
	for _, g := range file.Groups {
		for _, r := range g.Rules {
			for _, found := range metric.FindAllStringSubmatch(r.Expr, -1) {
				checked++
				if !have[found[1]] {
					t.Errorf("%s: there is no metric %s", r.Alert, found[1])
				}
				if found[2] == "" {
					continue
				}
				for value := range strings.SplitSeq(found[3], "|") {
					if !labels[found[1]+" "+found[2]+`="`+value+`"`] {
						t.Errorf("%s: %s never has %s %q", r.Alert, found[1], found[2], value)
					}
				}
			}
		}
	}
	if strings.Contains(string(raw), "ostrich_order_kendall_tau") {
		t.Error("an alert on the rank correlation, which a queue whose tail shares one value never brings to 1")
	}
	if checked < 10 {
		t.Errorf("only %d metrics found in the alerts", checked)
	}
}

func TestResults(t *testing.T) {
	valid, of := regexp.MustCompile(`^[a-z]+$`), make(map[string]priority.Status)
	for _, s := range []priority.Status{
		priority.Applied, priority.Refused, priority.NotApplied, priority.Undone, priority.Gone, priority.Unknown, priority.Unsent,
	} {
		if other, taken := of[results[s]]; taken || !valid.MatchString(results[s]) {
			t.Errorf("label %q of %s, and of %s", results[s], s, other)
		}
		of[results[s]] = s
	}
}

func TestReadiness(t *testing.T) {
	now := time.Unix(1000, 0)
	d := daemon{metrics: newMetrics("v1"), now: func() time.Time { return now }}
	d.status.expect(time.Minute)
	check := func(want int, body string) {
		t.Helper()
		if got := get(t, &d, "/readyz", want); !strings.Contains(got, body) {
			t.Errorf("/readyz says %q, want %q", got, body)
		}
	}
	check(http.StatusServiceUnavailable, "no cycle has succeeded yet")
	d.status.succeed(now)
	check(http.StatusOK, "ok")
	now = now.Add(61 * time.Second)
	check(http.StatusServiceUnavailable, "1m1s ago")
	get(t, &d, "/healthz", http.StatusOK)
	get(t, &d, "/", http.StatusNotFound)
}

func TestListen(t *testing.T) {
	busy := httptest.NewServer(http.NotFoundHandler())
	defer busy.Close()
	d := daemon{config: configuration.Default(), metrics: newMetrics("v1"), now: time.Now}
	d.config.Listen = strings.TrimPrefix(busy.URL, "http://")
	if err := d.run(t.Context()); err == nil || !strings.Contains(err.Error(), "listen: ") {
		t.Errorf("a port that is taken: %v", err)
	}
	d.config.Listen = "127.0.0.1:0"
	server, err := d.serve(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Close(); err != nil {
		t.Error(err)
	}
}

// The number of the settings is the same for the same ones, and does not tell
// of the password.
func TestConfigHash(t *testing.T) {
	a, b := configuration.Default(), configuration.Default()
	if hash(a) != hash(b) || hash(a) == 0 || hash(a) != math.Trunc(hash(a)) {
		t.Errorf("hashes %v and %v", hash(a), hash(b))
	}
	b.Database.Password = "s3cret"
	if hash(a) != hash(b) {
		t.Error("the password is in it")
	}
	b.Interval++
	if hash(a) == hash(b) {
		t.Error("another interval makes no difference")
	}
}

func TestFailedCycles(t *testing.T) {
	m := newMetrics("v1")
	m.failed(errors.New("the database is away"))
	m.failed(errors.Join(errors.New("killed"), fmt.Errorf("cycle: %w", sidecar.JournalError{Err: errors.New("disk full")})))
	for name, want := range map[string]float64{`ostrich_cycles_total{result="failed"}`: 2, "ostrich_journal_errors_total": 1} {
		if got := counter(t, m, name); got != want {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
}

// The processors that users lack are counted again only once the schedule has
// changed, and those of pools that are gone are gone.
func TestMissingProcessors(t *testing.T) {
	m := newMetrics("v1")
	c, from := crowd(t)
	m.observe(c, from, time.Unix(1, 0))
	was := m.short[0]
	m.short[0] = -1
	m.observe(c, from, time.Unix(2, 0))
	if m.short[0] != -1 {
		t.Error("counted again without need")
	}
	c.Generation++
	m.observe(c, from, time.Unix(2, 0))
	if m.short[0] != was {
		t.Error("not counted again in another generation")
	}
	m.short[0] = -1
	other, _ := crowd(t)
	m.observe(other, from, time.Unix(3, 0))
	if got := counter(t, m, `ostrich_missing_processors{pool="cpu"}`); got != was {
		t.Errorf("%v missing, want %v", got, was)
	}
}

// TestCredentialsAreCounted: a request with what is no credential is refused, and counted.
func TestCredentialsAreCounted(t *testing.T) {
	d := emulate(t).daemon
	w := httptest.NewRecorder()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/v1/plan", nil)
	r.Host = "localhost"
	r.Header.Set(api.ProofHeader, "nonsense")
	d.pages().ServeHTTP(w, r)
	if got := counter(t, d.metrics, `ostrich_credentials_total{verdict="refused"}`); w.Code != http.StatusUnauthorized || got != 1 {
		t.Errorf("status %d, counted %v", w.Code, got)
	}
}

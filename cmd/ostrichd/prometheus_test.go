package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// longestWait is how long a real Prometheus may take for anything. It is there
// for machines that do much else.
const longestWait = 5 * time.Minute

// command finds a command of Debian's package prometheus.
func command(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("no %s here: apt-get install prometheus", name)
	}
	return path
}

// promtool runs it, and fails with what it says.
func promtool(t *testing.T, stdin string, arguments ...string) {
	t.Helper()
	tool := exec.CommandContext(t.Context(), command(t, "promtool"), arguments...)
	tool.Stdin = strings.NewReader(stdin)
	if said, err := tool.CombinedOutput(); err != nil {
		t.Errorf("promtool %s: %v\n%s", strings.Join(arguments, " "), err, said)
	}
}

func TestPromtool(t *testing.T) {
	t.Run("rules", func(t *testing.T) { promtool(t, "", "check", "rules", alertsFile) })
	t.Run("config", func(t *testing.T) { promtool(t, "", "check", "config", "../../contrib/prometheus/prometheus.yml") })
	t.Run("alerts", func(t *testing.T) { promtool(t, "", "test", "rules", alertsTestFile) })
	t.Run("metrics", func(t *testing.T) {
		e := emulate(t)
		e.cycles(50)
		promtool(t, get(t, e.daemon, "/metrics", http.StatusOK), "check", "metrics")
	})
}

// scraper is a real Prometheus.
type scraper struct {
	t   *testing.T
	url string
}

// start starts a Prometheus with the example's configuration, which scrapes
// the address every other second.
func start(t *testing.T, address string) *scraper {
	t.Helper()
	path := command(t, "prometheus")
	dir := t.TempDir()
	raw, err := os.ReadFile("../../contrib/prometheus/prometheus.yml")
	if err != nil {
		t.Fatal(err)
	}
	rules, err := filepath.Abs(alertsFile)
	if err != nil {
		t.Fatal(err)
	}
	config := string(raw)
	for _, change := range [][2]string{{`"127.0.0.1:9343"`, strconv.Quote(address)}, {": 15s", ": 2s"}, {"- alerts.yml", "- " + rules}} {
		if !strings.Contains(config, change[0]) {
			t.Fatalf("prometheus.yml has no %s", change[0])
		}
		config = strings.ReplaceAll(config, change[0], change[1])
	}
	file := filepath.Join(dir, "prometheus.yml")
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	listen := free(t)
	p := &scraper{t, "http://" + listen}
	var said bytes.Buffer
	server := exec.CommandContext(t.Context(), path, "--config.file="+file, "--storage.tsdb.path="+filepath.Join(dir, "data"),
		"--web.listen-address="+listen, "--log.level=warn")
	server.Stdout, server.Stderr = &said, &said
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		_ = server.Wait() // It is killed at the end of the test.
		close(ended)
	}()
	t.Cleanup(func() { <-ended })
	if !p.ready(ended) {
		t.Fatalf("prometheus ended: %s", &said)
	}
	return p
}

// ready waits until it answers, and is false if it has ended.
func (p *scraper) ready(ended <-chan struct{}) bool {
	p.t.Helper()
	for deadline := time.Now().Add(longestWait); time.Now().Before(deadline); {
		select {
		case <-ended:
			return false
		case <-time.After(100 * time.Millisecond):
		}
		if err := p.ask("/-/ready", nil); err == nil {
			return true
		}
	}
	p.t.Fatal("prometheus does not become ready")
	return false
}

// ask gets a path of the HTTP API.
func (p *scraper) ask(path string, into any) error {
	request, err := http.NewRequestWithContext(p.t.Context(), http.MethodGet, p.url+path, nil)
	if err != nil {
		return err
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	raw, err := io.ReadAll(answer.Body)
	if err = errors.Join(err, answer.Body.Close()); err != nil {
		return err
	}
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", answer.Status, raw)
	}
	if into == nil {
		return nil
	}
	return json.Unmarshal(raw, into)
}

// query is the values of an expression, by series.
func (p *scraper) query(expression string) ([]float64, error) {
	var answer struct {
		Data struct {
			ResultType string
			Result     []struct{ Value [2]any }
		}
	}
	if err := p.ask("/api/v1/query?query="+url.QueryEscape(expression), &answer); err != nil {
		return nil, err
	}
	if answer.Data.ResultType != "vector" {
		return nil, fmt.Errorf("a %s", answer.Data.ResultType)
	}
	var values []float64
	for _, r := range answer.Data.Result {
		text, _ := r.Value[1].(string)
		value, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return nil, err
		}
		values = append(values, value)
	}
	return values, nil
}

// await asks until the expression has what is wanted, and is false if it never
// has. One that Prometheus does not understand ends the test.
func (p *scraper) await(what, expression string, wanted func([]float64) bool) bool {
	p.t.Helper()
	for deadline := time.Now().Add(longestWait); ; time.Sleep(200 * time.Millisecond) {
		values, err := p.query(expression)
		if err != nil {
			p.t.Fatalf("%s: %s: %v", what, expression, err)
		}
		if wanted(values) {
			return true
		}
		if time.Now().After(deadline) {
			return false
		}
	}
}

// finite reports whether there is a series with a number.
func finite(values []float64) bool {
	return slices.ContainsFunc(values, func(v float64) bool { return v-v == 0 })
}

// variables are what stands for Grafana's in a test.
var variables = strings.NewReplacer("$instance", ".*", "$user", ".*", "$__rate_interval", "1m")

// mayBeEmpty are the expressions that may have no series, and why.
var mayBeEmpty = map[string]string{
	"annotation Settings":       "the settings have not been read again",
	"annotation Trial: OStrich": "there is no trial",
	"annotation Trial: stock":   "there is no trial",
}

// A real Prometheus scrapes a daemon beside an emulated cluster, with the
// configuration, the alerts and the dashboard that are in contrib.
func TestPrometheus(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a real Prometheus, and -short is set")
	}
	t.Attr("real-time", "yes") // see contrib/internal/minutes
	command(t, "prometheus")
	e := emulate(t)
	server := httptest.NewServer(e.handler())
	defer server.Close()
	p := start(t, strings.TrimPrefix(server.URL, "http://"))
	scraped := func(cycles int) {
		t.Helper()
		expression := fmt.Sprintf(`sum(ostrich_cycles_total{result="ok"}) == %d`, cycles)
		if !p.await("scrape", expression, finite) {
			t.Fatalf("prometheus has not scraped: %s", ask(p.url+"/api/v1/targets"))
		}
	}
	scraped(0) // counters begin at 0, so their first increase is seen
	e.cycles(60)
	scraped(60)
	e.cycles(440)
	scraped(500)

	dashboard := readDashboard(t)
	for _, q := range dashboard.queries() {
		t.Run(q.where, func(t *testing.T) {
			here := &scraper{t, p.url}
			expression := variables.Replace(q.expr)
			if why, ok := mayBeEmpty[q.where]; ok {
				t.Logf("may have no series: %s", why)
				here.await(q.where, expression, func([]float64) bool { return true })
				return
			}
			if !here.await(q.where, expression, finite) {
				t.Errorf("%s: no series with a number", expression)
			}
		})
	}
	for _, v := range dashboard.Templating.List {
		t.Run("variable "+v.Name, func(t *testing.T) {
			if v.Type == "datasource" {
				return
			}
			part := regexp.MustCompile(`^label_values\((.*), (\w+)\)$`).FindStringSubmatch(v.Definition)
			if part == nil {
				t.Fatalf("%s", v.Definition)
			}
			var answer struct{ Data []string }
			path := "/api/v1/label/" + part[2] + "/values?match[]=" + url.QueryEscape(variables.Replace(part[1]))
			if err := p.ask(path, &answer); err != nil || len(answer.Data) == 0 {
				t.Errorf("%s: %v, %v", v.Definition, answer.Data, err)
			}
		})
	}
	t.Run("alerts", func(t *testing.T) { alerts(t, &scraper{t, p.url}) })
}

// alerts asks for each alert, and for each series that it is about: an alert
// that does not fire has none of its own. alerts_test.yml shows that each can.
func alerts(t *testing.T, p *scraper) {
	t.Helper()
	selector := regexp.MustCompile(`\b(?:ostrich_\w+|up)(?:\{[^}]*\})?`)
	for _, a := range readAlerts(t) {
		p.await(a.Alert, a.Expr, func([]float64) bool { return true })
		about := selector.FindAllString(a.Expr, -1)
		if len(about) == 0 {
			t.Errorf("%s: about no series", a.Alert)
		}
		for _, s := range about {
			if !p.await(a.Alert, s, func(values []float64) bool { return len(values) > 0 }) {
				t.Errorf("%s: there is no series %s", a.Alert, s)
			}
		}
	}
	type rule struct{ Name, Health, LastError, State string }
	var answer struct {
		Data struct{ Groups []struct{ Rules []rule } }
	}
	for deadline := time.Now().Add(longestWait); ; time.Sleep(200 * time.Millisecond) {
		if err := p.ask("/api/v1/rules", &answer); err != nil {
			t.Fatal(err)
		}
		var rules []rule
		for _, g := range answer.Data.Groups {
			rules = append(rules, g.Rules...)
		}
		waits := len(rules) == 0 || slices.ContainsFunc(rules, func(r rule) bool { return r.Health == "unknown" })
		if waits && time.Now().Before(deadline) {
			continue
		}
		for _, r := range rules {
			if r.Health != "ok" || r.State == "firing" {
				t.Errorf("%s: health %s, %s %s", r.Name, r.Health, r.State, r.LastError)
			}
		}
		if len(rules) != len(readAlerts(t)) {
			t.Errorf("prometheus has %d rules, want %d", len(rules), len(readAlerts(t)))
		}
		return
	}
}

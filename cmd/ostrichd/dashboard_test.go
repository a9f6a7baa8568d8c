package main

import (
	"encoding/json"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

const (
	dashboardFile  = "../../contrib/grafana/ostrich.json"
	alertsFile     = "../../contrib/prometheus/alerts.yml"
	alertsTestFile = "../../contrib/prometheus/alerts_test.yml"
	metricsPage    = "../../docs/metrics.md"
)

// source is a data source as a dashboard names it.
type source struct{ Type, UID string }

// board is what is looked at of a Grafana dashboard.
type board struct {
	UID, Title    string
	SchemaVersion int
	Panels        []boardPanel
	Templating    struct {
		List []struct {
			Name, Type, Definition string
			Datasource             *source
		}
	}
	Annotations struct {
		List []struct {
			Name, Expr string
			Datasource source
		}
	}
}

type boardPanel struct {
	ID                       int
	Type, Title, Description string
	Collapsed                bool
	Panels                   []boardPanel // of a collapsed row
	Datasource               source
	GridPos                  struct{ X, Y, W, H int }
	FieldConfig              struct {
		Defaults struct {
			Unit       string
			Thresholds struct {
				Steps []struct {
					Color string
					Value *float64
				}
			}
		}
	}
	Targets []struct {
		RefID, Expr string
		Datasource  source
	}
}

func readDashboard(t *testing.T) *board {
	t.Helper()
	raw, err := os.ReadFile(dashboardFile)
	if err != nil {
		t.Fatal(err)
	}
	b := new(board)
	if err := json.Unmarshal(raw, b); err != nil {
		t.Fatal(err)
	}
	return b
}

// all is the panels with those of the collapsed rows.
func (b *board) all() []boardPanel {
	var list []boardPanel
	for _, p := range b.Panels {
		list = append(append(list, p), p.Panels...)
	}
	return list
}

// query is an expression and where it stands.
type query struct{ where, expr string }

func (b *board) queries() []query {
	var list []query
	for _, p := range b.all() {
		for _, target := range p.Targets {
			list = append(list, query{p.Title + " " + target.RefID, target.Expr})
		}
	}
	for _, a := range b.Annotations.List {
		list = append(list, query{"annotation " + a.Name, a.Expr})
	}
	return list
}

// alert is a rule.
type alert struct {
	Alert, Expr string
	Labels      map[string]string
	Annotations map[string]string
}

func readAlerts(t *testing.T) []alert {
	t.Helper()
	raw, err := os.ReadFile(alertsFile)
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Groups []struct{ Rules []alert } }
	if err := yaml.Unmarshal(raw, &file); err != nil {
		t.Fatal(err)
	}
	var list []alert
	for _, g := range file.Groups {
		list = append(list, g.Rules...)
	}
	return list
}

// exposed is the names of all samples of a daemon that has seen everything, with
// the suffixes of histograms and, apart, the families.
func exposed(t *testing.T) (names, families map[string]bool) {
	t.Helper()
	e := emulate(t)
	e.cycles(20)
	names, families = make(map[string]bool), make(map[string]bool)
	for line := range strings.Lines(get(t, e.daemon, "/metrics", http.StatusOK)) {
		if rest, ok := strings.CutPrefix(line, "# TYPE "); ok {
			name, _, _ := strings.Cut(rest, " ")
			families[name] = true
		} else if !strings.HasPrefix(line, "#") {
			names[line[:strings.IndexAny(line, "{ ")]] = true
		}
	}
	return names, families
}

var metricName = regexp.MustCompile(`\b(?:ostrich|process|go)_\w+`)

func TestDashboard(t *testing.T) {
	b := readDashboard(t)
	if b.UID != "ostrich" || b.Title == "" || b.SchemaVersion == 0 {
		t.Errorf("uid %q, title %q, schema %d", b.UID, b.Title, b.SchemaVersion)
	}
	names, _ := exposed(t)
	ours := source{"prometheus", "${datasource}"}
	ids, titles, shown := make(map[int]string), make(map[string]bool), make(map[string]bool)
	for _, p := range b.all() {
		if other, ok := ids[p.ID]; ok || p.ID == 0 {
			t.Errorf("%s: id %d, as %q", p.Title, p.ID, other)
		}
		ids[p.ID] = p.Title
		if p.Title == "" || titles[p.Title] {
			t.Errorf("panel %d: title %q is empty or another's", p.ID, p.Title)
		}
		titles[p.Title] = true
		if p.GridPos.W == 0 || p.GridPos.H == 0 || p.GridPos.X+p.GridPos.W > 24 {
			t.Errorf("%s: is at %+v", p.Title, p.GridPos)
		}
		if p.Type == "row" {
			continue
		}
		if p.Description == "" || p.FieldConfig.Defaults.Unit == "" || len(p.FieldConfig.Defaults.Thresholds.Steps) == 0 ||
			p.Datasource != ours || len(p.Targets) == 0 {
			t.Errorf("%s: lacks a description, a unit, thresholds, the data source or a query", p.Title)
		}
		for _, target := range p.Targets {
			if target.Datasource != ours {
				t.Errorf("%s: data source %v", p.Title, target.Datasource)
			}
			if !strings.Contains(target.Expr, "$instance") && !strings.Contains(target.Expr, `job="ostrichd"`) {
				t.Errorf("%s: %s is not of the chosen instance", p.Title, target.Expr)
			}
		}
	}
	for _, q := range b.queries() {
		for _, name := range metricName.FindAllString(q.expr, -1) {
			shown[strings.TrimSuffix(name, "_bucket")] = true
			if !names[name] {
				t.Errorf("%s: there is no metric %s", q.where, name)
			}
		}
	}
	if missing := notShown(names, shown); len(missing) > 0 {
		t.Errorf("no panel shows %v", missing)
	}
	t.Run("overlap", func(t *testing.T) { overlap(t, b) })
	rows := make(map[string]bool)
	for _, p := range b.Panels {
		if p.Type == "row" {
			rows[p.Title] = p.Collapsed
		}
	}
	if collapsed, ok := rows["Per user (with metrics.per_user)"]; !ok || !collapsed || len(rows) != 6 {
		t.Errorf("rows, and whether they are collapsed: %v", rows)
	}
}

// notShown is the metrics that no panel is about, but for those that say
// nothing over time.
func notShown(names, shown map[string]bool) []string {
	var missing []string
	for name := range names {
		base := regexp.MustCompile(`_(bucket|sum|count)$`).ReplaceAllString(name, "")
		if strings.HasPrefix(name, "ostrich_") && !shown[base] && !shown[name] && base != "ostrich_config_hash" {
			missing = append(missing, base)
		}
	}
	slices.Sort(missing)
	return slices.Compact(missing)
}

// overlap finds panels that lie upon one another.
func overlap(t *testing.T, b *board) {
	t.Helper()
	taken := make(map[[2]int]string)
	for _, p := range b.all() {
		for x := p.GridPos.X; x < p.GridPos.X+p.GridPos.W; x++ {
			for y := p.GridPos.Y; y < p.GridPos.Y+p.GridPos.H; y++ {
				if other := taken[[2]int{x, y}]; other != "" {
					t.Fatalf("%s lies upon %s", p.Title, other)
				}
				taken[[2]int{x, y}] = p.Title
			}
		}
	}
}

// Each alert has a severity, words, a test in which it fires, and a place on the
// page of metrics that says what to do.
func TestEachAlert(t *testing.T) {
	page, err := os.ReadFile(metricsPage)
	if err != nil {
		t.Fatal(err)
	}
	tests, err := os.ReadFile(alertsTestFile)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range readAlerts(t) {
		if s := a.Labels["severity"]; s != "warning" && s != "info" {
			t.Errorf("%s: severity %q", a.Alert, s)
		}
		if a.Annotations["summary"] == "" || a.Annotations["description"] == "" {
			t.Errorf("%s: no summary or no description", a.Alert)
		}
		if want := "docs/metrics.md#" + strings.ToLower(a.Alert); a.Annotations["runbook"] != want {
			t.Errorf("%s: runbook %q, want %q", a.Alert, a.Annotations["runbook"], want)
		}
		if !strings.Contains(string(page), "\n### "+a.Alert+"\n") {
			t.Errorf("docs/metrics.md has no heading %s", a.Alert)
		}
		if !strings.Contains(string(tests), `alertname="`+a.Alert+`"`) {
			t.Errorf("alerts_test.yml: %s never fires", a.Alert)
		}
	}
}

// Grafana's provisioning names the data source and the folder that the compose
// testbed has.
func TestProvisioning(t *testing.T) {
	read := func(file string, into any) {
		t.Helper()
		raw, err := os.ReadFile("../../contrib/grafana/provisioning/" + file)
		if err == nil {
			err = yaml.Unmarshal(raw, into)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	var sources struct {
		APIVersion  int `yaml:"apiVersion"`
		Datasources []struct {
			Type, URL, Access string
			IsDefault         bool `yaml:"isDefault"`
		}
	}
	read("datasources/prometheus.yaml", &sources)
	if s := sources.Datasources; sources.APIVersion != 1 || len(s) != 1 || s[0].Type != "prometheus" ||
		s[0].URL != "http://prometheus:9090" || s[0].Access != "proxy" || !s[0].IsDefault {
		t.Errorf("%+v", sources)
	}
	var boards struct {
		APIVersion int `yaml:"apiVersion"`
		Providers  []struct {
			Name, Type string
			Options    struct{ Path string }
		}
	}
	read("dashboards/ostrich.yaml", &boards)
	if p := boards.Providers; boards.APIVersion != 1 || len(p) != 1 || p[0].Type != "file" || p[0].Options.Path != "/var/lib/grafana/dashboards" {
		t.Errorf("%+v", boards)
	}
}

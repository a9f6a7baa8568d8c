package statuspage

import (
	"fmt"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"slurm-ostrich/cmd/internal/live"
)

// answersByName are the types of the answers.
var answersByName = map[string]any{
	"status": HealthAnswer{}, "schedule": ScheduleAnswer{}, "shares": SharesAnswer{}, "campaigns": CampaignsAnswer{}, "plan": PlanAnswer{},
	"explain": ExplainAnswer{}, "forecast": ForecastAnswer{}, "trends": TrendsAnswer{}, "writes": WritesAnswer{}, "checks": ChecksAnswer{}, "compare": live.Report{},
}

// fields are the paths of all fields of a type as JSON has them: lanes[].user.
func fields(t reflect.Type, path string) []string {
	switch t.Kind() {
	case reflect.Pointer:
		return fields(t.Elem(), path)
	case reflect.Slice:
		return append([]string{path}, fields(t.Elem(), path+"[]")...)
	case reflect.Struct:
	default:
		if strings.HasSuffix(path, "[]") {
			return nil
		}
		return []string{path}
	}
	var list []string
	if path != "" && !strings.HasSuffix(path, "[]") {
		list = append(list, path)
	}
	var over []string // of fields with names that embedded ones have too
	for f := range t.Fields() {
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" {
			over = append(over, strings.TrimPrefix(path+"."+name, "."))
		}
	}
	for f := range t.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case name == "-" || (!f.IsExported() && !f.Anonymous):
		case f.Anonymous && name == "":
			below := fields(f.Type, path)
			list = append(list, slices.DeleteFunc(below, func(one string) bool {
				return one == path || slices.ContainsFunc(over, func(o string) bool {
					return one == o || strings.HasPrefix(one, o+".") || strings.HasPrefix(one, o+"[]")
				})
			})...)
		case path == "":
			list = append(list, fields(f.Type, name)...)
		default:
			list = append(list, fields(f.Type, path+"."+name)...)
		}
	}
	return list
}

var (
	section = regexp.MustCompile("(?m)^## `/v1/([a-z]+)`")
	field   = regexp.MustCompile("(?m)^\\| `([a-z_0-9\\[\\].]+)` \\|")
	row     = regexp.MustCompile("(?m)^\\| \\[`/v1/([a-z]+)`\\]\\(#v1[a-z]+\\) \\| (.*) \\| (yes|no) \\| (.*) \\|$")
	same    = regexp.MustCompile("(?m)^\\| `([a-z_0-9\\[\\].]+)` \\| as `") // what another field's rows tell
	word    = regexp.MustCompile("`([a-z]+)`")
)

// docs/api.md tells of each question with its arguments, of each field of each answer, and of
// no other.
func TestDocument(t *testing.T) {
	raw, err := os.ReadFile("../../../docs/api.md")
	if err != nil {
		t.Fatal(err)
	}
	var want, got []string
	for _, q := range Questions() {
		want = append(want, fmt.Sprint(q.Name, q.Takes, q.Early))
	}
	for _, r := range row.FindAllSubmatch(raw, -1) {
		takes := []string{}
		for _, found := range word.FindAllSubmatch(r[2], -1) {
			takes = append(takes, string(found[1]))
		}
		got = append(got, fmt.Sprint(string(r[1]), takes, string(r[3]) == "yes"))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("questions (-here +docs/api.md):\n%s", diff)
	}
	told, others := make(map[string][]string), make(map[string][]string)
	heads := section.FindAllSubmatchIndex(raw, -1)
	for i, head := range heads {
		end := len(raw)
		if i+1 < len(heads) {
			end = heads[i+1][0]
		}
		var list []string
		for _, found := range field.FindAllSubmatch(raw[head[1]:end], -1) {
			list = append(list, string(found[1]))
		}
		told[string(raw[head[2]:head[3]])] = list
		for _, found := range same.FindAllSubmatch(raw[head[1]:end], -1) {
			others[string(raw[head[2]:head[3]])] = append(others[string(raw[head[2]:head[3]])], string(found[1])+".", string(found[1])+"[].")
		}
	}
	if len(heads) != len(want) {
		t.Errorf("docs/api.md describes %d answers to %d questions", len(heads), len(want))
	}
	for _, q := range Questions() {
		here := slices.DeleteFunc(fields(reflect.TypeOf(answersByName[q.Name]), ""), func(field string) bool {
			return slices.ContainsFunc(others[q.Name], func(above string) bool { return strings.HasPrefix(field, above) })
		})
		if d := cmp.Diff(here, told[q.Name]); d != "" {
			t.Errorf("%s (-answer +docs/api.md):\n%s", q.Name, d)
		}
	}
}

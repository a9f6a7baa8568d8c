package statuspage

import (
	"maps"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// answersByName are the types of what the API answers.
var answersByName = map[string]any{
	"status": HealthAnswer{}, "schedule": ScheduleAnswer{}, "shares": SharesAnswer{}, "campaigns": CampaignsAnswer{},
	"queue": QueueAnswer{}, "explain": ExplainAnswer{}, "trends": TrendsAnswer{}, "writes": WritesAnswer{}, "checks": ChecksAnswer{},
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
	for f := range t.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case name == "-" || (!f.IsExported() && !f.Anonymous):
		case f.Anonymous && name == "":
			below := fields(f.Type, path)
			list = append(list, slices.DeleteFunc(below, func(one string) bool { return one == path })...)
		case path == "":
			list = append(list, fields(f.Type, name)...)
		default:
			list = append(list, fields(f.Type, path+"."+name)...)
		}
	}
	return list
}

var (
	section = regexp.MustCompile("(?m)^## `([a-z]+)\\.json`")
	field   = regexp.MustCompile("(?m)^\\| `([a-z_0-9\\[\\].]+)` \\|")
)

// docs/api.md tells of each field of each answer, and of no other answer or field.
func TestDocument(t *testing.T) {
	raw, err := os.ReadFile("../../../docs/api.md")
	if err != nil {
		t.Fatal(err)
	}
	told := make(map[string][]string)
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
	}
	if diff := cmp.Diff(slices.Sorted(maps.Keys(files)), slices.Sorted(maps.Keys(told))); diff != "" {
		t.Errorf("answers (-here +docs/api.md):\n%s", diff)
	}
	for name := range files {
		want := fields(reflect.TypeOf(answersByName[name]), "")
		if d := cmp.Diff(want, told[name]); d != "" {
			t.Errorf("%s.json (-answers +docs/api.md):\n%s", name, d)
		}
	}
}

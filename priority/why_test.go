package priority

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestWhy: each code has a sentence that names what it is about, and says it as one.
func TestWhy(t *testing.T) {
	code := regexp.MustCompile(`^[a-z_]+$`)
	for i := range codes[1:] {
		c := Code(i + 1)
		sentence, text := codes[c].sentence, Why{Code: c, About: "THIS"}.String()
		var read Code
		if err := read.UnmarshalText([]byte(c.String())); err != nil || read != c || !code.MatchString(c.String()) || text == "" || strings.Contains(text, "%") || strings.Contains(sentence, "%") != strings.Contains(text, "THIS") {
			t.Errorf("%s: %q", c, text)
		}
	}
	if got := (Why{Code: WasRefused, About: "100 % busy", ByQueue: true}).String(); got != "refused by Slurm: 100 % busy; not yet in accounting" {
		t.Error(got)
	}
	if got := (Why{}).String(); got != "" {
		t.Errorf("no reason: %q", got)
	}
	if c := BeginsLater; c.UnmarshalText([]byte("of_a_later_release")) != nil || c != 0 {
		t.Errorf("an unknown code is %v", c)
	}
	for wait := range WaitNames {
		if w := whyWaits(Wait(wait), "x"); w.Code.String() == "" {
			t.Errorf("%v has no code", Wait(wait))
		}
	}
	if w := whyWaits(Limited, "QOSMaxJobsPerUserLimit"); w.Code != AtLimit || w.String() != "waits for a limit (QOSMaxJobsPerUserLimit)" {
		t.Errorf("%+v", w)
	}
}

// TestReasonsAreDocumented: docs/json.md lists each code with its sentence and what it means.
func TestReasonsAreDocumented(t *testing.T) {
	text, err := os.ReadFile("../docs/json.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range codes[1:] {
		row := "\n| `" + c.name + "` | " + strings.ReplaceAll(c.sentence, "%", "…") + " | "
		if _, after, found := strings.Cut(string(text), row); !found || strings.HasPrefix(after, "|") {
			t.Errorf("docs/json.md lacks %s", row)
		}
	}
}

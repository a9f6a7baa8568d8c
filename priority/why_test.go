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
	for c, sentence := range sentences {
		text := Why{Code: c, About: "THIS"}.String()
		if !code.MatchString(string(c)) || text == "" || strings.Contains(text, "%") || strings.Contains(sentence, "%") != strings.Contains(text, "THIS") {
			t.Errorf("%s: %q", c, text)
		}
	}
	if got := (Why{Code: WasRefused, About: "100 % busy", Note: "next try at 9"}).String(); got != "refused by Slurm: 100 % busy; next try at 9" {
		t.Error(got)
	}
	if got := (Why{}).String(); got != "" {
		t.Errorf("no reason: %q", got)
	}
	for wait := range WaitNames {
		if w := whyWaits(Wait(wait), "x"); sentences[w.Code] == "" {
			t.Errorf("%v has no code", Wait(wait))
		}
	}
	if w := whyWaits(Limited, "QOSMaxJobsPerUserLimit"); w.Code != AtLimit || w.String() != "waits for a limit (QOSMaxJobsPerUserLimit)" {
		t.Errorf("%+v", w)
	}
}

// TestReasonsAreDocumented: docs/json.md lists each code with its sentence.
func TestReasonsAreDocumented(t *testing.T) {
	text, err := os.ReadFile("../docs/json.md")
	if err != nil {
		t.Fatal(err)
	}
	for c, sentence := range sentences {
		if row := "\n| `" + string(c) + "` | " + strings.ReplaceAll(sentence, "%", "…") + " |\n"; !strings.Contains(string(text), row) {
			t.Errorf("docs/json.md lacks %s", row)
		}
	}
}

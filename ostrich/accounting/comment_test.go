package accounting_test

import (
	"slices"
	"strings"
	"testing"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting"
)

func TestReadComment(t *testing.T) {
	for _, tt := range []struct {
		comment  string
		hint     ostrich.Duration
		campaign string
	}{
		{"", 0, ""},
		{"expect=5", 300, ""},
		{"expect=5:30", 330, ""},
		{"expect=1:05:30", 3930, ""},
		{"expect=2-1", 2*86400 + 3600, ""},
		{"expect=2-1:30", 2*86400 + 5400, ""},
		{"expect=0-0:0:7", 7, ""},
		{"expect=90s", 90, ""},
		{"expect=5m", 300, ""},
		{"expect=2h", 7200, ""},
		{"expect=1h30m", 5400, ""},
		{"expect=2d12h", 216000, ""},
		{"my own words, expect=5m ,more", 300, ""},
		{"campaign:paper-7", 0, "paper-7"},
		{"campaign:a:b,expect=1", 60, "a:b"},
		{"expect=1,expect=2,campaign:a,campaign:b", 60, "a"},
		{"expect=x,expect=2", 120, ""}, // the first that is one
		{"campaign:,campaign:b", 0, "b"},
		{"campaign:a b", 0, ""},
		{"campaign:" + strings.Repeat("x", 64), 0, strings.Repeat("x", 64)},
		{"campaign:" + strings.Repeat("x", 65), 0, ""},
		{"campaign:Müller", 0, ""},
		{"campaign:\x00", 0, ""},
		{"Expect=5", 0, ""},
		{"EXPECT=5,Campaign:a", 0, ""},
		{"expect=0", 0, ""},
		{"expect=-5", 0, ""},
		{"expect=5.5", 0, ""},
		{"expect=1e3", 0, ""},
		{"expect=m", 0, ""},
		{"expect=5m2h", 0, ""},
		{"expect=5m5m", 0, ""},
		{"expect=5mm", 0, ""},
		{"expect=1:2:3:4", 0, ""},
		{"expect=1-", 0, ""},
		{"expect=1-2-3", 0, ""},
		{"expect=:5", 0, ""},
		{"expect=UNLIMITED", 0, ""},
		{"expect=3650d", 3650 * 86400, ""},
		{"expect=3650d1s", 0, ""},
		{"expect=999999999999999999", 0, ""},
		{"expect=99999999999999999999", 0, ""},
		{strings.Repeat(" ", accounting.MaxComment-8) + "expect=5", 300, ""},
		{strings.Repeat(" ", accounting.MaxComment) + "expect=5", 0, ""},
		{strings.Repeat(" ", accounting.MaxComment-8) + "expect=50", 0, ""},
		{strings.Repeat(" ", accounting.MaxComment-8) + "expect=5,0", 300, ""},
		{"expect=5," + strings.Repeat(" ", accounting.MaxComment-16) + "campaign:fair", 300, ""},
	} {
		want := accounting.Said{Hint: tt.hint, Campaign: tt.campaign}
		if got := accounting.ReadComment([]byte(tt.comment)); got != want {
			t.Errorf("%.80q: %+v, want %+v", tt.comment, got, want)
		}
	}
}

func TestCampaignOf(t *testing.T) {
	for name, want := range map[string]string{
		"": "", "fold3": "", "paper:fold3": "paper", "paper:a:b": "paper", ":x": "", "a b:c": "", "a,b:c": "",
	} {
		if got := accounting.CampaignOfName([]byte(name)); got != want {
			t.Errorf("name %q: %q, want %q", name, got, want)
		}
	}
	for key, want := range map[string]string{"": "", "paper": "paper", "*": "", "*paper": "", "a b": ""} {
		if got := accounting.CampaignOfWCKey([]byte(key)); got != want {
			t.Errorf("wckey %q: %q, want %q", key, got, want)
		}
	}
}

// FuzzReadComment has users say anything: what is understood is in range, and
// saying it again after whatever else was said changes nothing.
func FuzzReadComment(f *testing.F) {
	f.Add([]byte("expect=5m,campaign:paper"))
	f.Fuzz(func(t *testing.T, comment []byte) {
		s := accounting.ReadComment(comment)
		if s.Hint < 0 || s.Hint > 10*365*86400 {
			t.Errorf("hint %d", s.Hint)
		}
		if s.Campaign != accounting.CampaignName([]byte(s.Campaign)) || len(s.Campaign) > accounting.MaxCampaign {
			t.Errorf("campaign %q", s.Campaign)
		}
		if len(comment) < accounting.MaxComment {
			if again := accounting.ReadComment(append(slices.Clip(comment), ',')); again != s {
				t.Errorf("%+v, with a comma behind %+v", s, again)
			}
		}
	})
}

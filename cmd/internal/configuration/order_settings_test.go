package configuration

import (
	"reflect"
	"strings"
	"testing"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/campaign"
	"slurm-ostrich/ostrich/lengths"
)

// Every field of the options but the processors and the size is a setting, and what a
// setting shows can be set.
var paperLike = ostrich.Options{Rule: campaign.Rule{By: campaign.Window, Threshold: 1800}, Gate: ostrich.Off}

func TestOrderSettings(t *testing.T) {
	settings := OrderSettings(new(ostrich.Options))
	fields := reflect.TypeFor[ostrich.Options]().NumField() - 2 + reflect.TypeFor[campaign.Rule]().NumField() - 1
	if len(settings) != fields {
		t.Errorf("%d settings of %d fields", len(settings), fields)
	}
	c := Default()
	defaults, err := c.ScheduleOptions()
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range []ostrich.Options{
		defaults,
		{
			Rule: campaign.Rule{By: campaign.Arrival, Threshold: 90}, Late: ostrich.Append, Machine: ostrich.Parallel, Gate: ostrich.Off,
			Inside: ostrich.SPT, Predictor: lengths.Alike, Grace: 24 * 3600, Memory: 7 * 24 * 3600, Settle: true,
		},
	} {
		var again ostrich.Options
		set := OrderSettings(&again)
		for i, s := range OrderSettings(&o) {
			if err := set[i].Value.Set(s.Value.String()); err != nil {
				t.Errorf("%s: %v", s.Key, err)
			}
		}
		if again != o {
			t.Errorf("%+v, want %+v", again, o)
		}
	}
}

func TestOrderSettingsErrors(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"gate", "strict", `"strict" is none of demote, off`},
		{"rule", "groups", "is none of max, last, arrival, window"},
		{"grace", "1", "or off"},
		{"memory", "-1h", "or off"},
		{"threshold", "1500ms", "not in whole seconds"},
		{"settle", "true", `"true" is none of on, off`},
	} {
		o, known := paperLike, false
		for _, s := range OrderSettings(&o) {
			if s.Key != tt.name {
				continue
			}
			known = true
			if err := s.Value.Set(tt.text); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%s=%s: %v, want %s", tt.name, tt.text, err, tt.want)
			}
			if o != paperLike {
				t.Errorf("%s=%s changed the options", tt.name, tt.text)
			}
		}
		if !known {
			t.Errorf("no setting %s", tt.name)
		}
	}
}

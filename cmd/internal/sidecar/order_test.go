package sidecar

import (
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"slurm-ostrich/ostrich"
)

// Every field of the options but the processors is a setting, and what a
// setting shows can be set.
func TestOrderSettings(t *testing.T) {
	settings := OrderSettings()
	fields := reflect.TypeFor[ostrich.Options]().NumField() - 1 + reflect.TypeFor[ostrich.Rule]().NumField() - 1
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
			Rule: ostrich.Rule{By: ostrich.Arrival, Threshold: 90}, Late: ostrich.Append, Machine: ostrich.Parallel, Gate: ostrich.Off,
			Inside: ostrich.SPT, Predictor: ostrich.Alike, Grace: 24 * 3600, Memory: 7 * 24 * 3600, Settle: true,
		},
	} {
		var again ostrich.Options
		for _, s := range settings {
			if err := s.Set(&again, s.Text(&o)); err != nil {
				t.Errorf("%s: %v", s.Name, err)
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
		{"grace", "1", "neither off nor a length of time"},
		{"memory", "-1h", "neither off nor a length of time"},
		{"threshold", "1500ms", "neither off nor a length of time"},
		{"settle", "true", `"true" is neither on nor off`},
	} {
		for _, s := range OrderSettings() {
			if s.Name != tt.name {
				continue
			}
			o := paperLike
			if err := s.Set(&o, tt.text); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%s=%s: %v, want %s", tt.name, tt.text, err, tt.want)
			}
			if o != paperLike {
				t.Errorf("%s=%s changed the options", tt.name, tt.text)
			}
		}
	}
}

var paperLike = ostrich.Options{Rule: ostrich.Rule{By: ostrich.Window, Threshold: 1800}, Gate: ostrich.Off}

// A plan is made anew when slurm.conf has changed, although nothing else has.
func TestPlanAfterReconfigure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newSite()
		for i := range 3 {
			w.submit(i+1, i+1, 9000, "main")
		}
		s := w.start(t)
		first := run(t, s, false).Plan.Entries[0].To
		w.ctl.Weights.Age *= 1000
		equal(t, "value while the configuration is taken to be as it was", first, run(t, s, false).Plan.Entries[0].To)
		time.Sleep(configAge)
		equal(t, "a greater value for greater weights", true, run(t, s, false).Plan.Entries[0].To > first)
	})
}

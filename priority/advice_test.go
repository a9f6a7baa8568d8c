package priority

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAdvice(t *testing.T) {
	type words struct{ Found, Fix string } // the beginnings
	tests := []struct {
		name   string
		option func(*Options)
		want   []words
	}{
		{"nothing", func(*Options) {}, nil},
		{"slow", func(o *Options) { o.Controller.RateLimited, o.Controller.BackfillContinue = true, false }, []words{
			{"SlurmctldParameters=rl_enable holds", "add rl_refill_rate=500,rl_refill_period=1 to"},
			{"SchedulerParameters lacks bf_continue:", "add bf_continue"},
		}},
		{"fast enough", func(o *Options) { o.Controller.RateLimited, o.Controller.RefillRate = true, 500 }, nil},
		{"nice", func(o *Options) { o.Channel = Nice }, []words{{"channel nice:", "set priority.channel: sitefactor"}}},
		{"nice beside a plugin", func(o *Options) { o.Channel, o.Controller.SiteFactorPlugin = Nice, "site_factor/own" }, []words{
			{"channel nice:", "nothing; channel sitefactor cannot work here"},
		}},
		{"priority", func(o *Options) { o.Channel = Priority }, []words{{"channel priority:", "set priority.channel: sitefactor"}}},
		{"priority under basic", func(o *Options) {
			o.Channel, o.Controller = Priority, basic()
			o.Controller.BackfillContinue = true
		}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			o := Options{Channel: SiteFactor, Mode: Strict, Controller: multifactor()}
			o.Controller.BackfillContinue = true
			tt.option(&o)
			var got []words
			for i, h := range Advice(o) {
				w := words(h)
				if i < len(tt.want) && strings.HasPrefix(h.Found, tt.want[i].Found) && strings.HasPrefix(h.Fix, tt.want[i].Fix) {
					w = tt.want[i]
				}
				got = append(got, w)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("advice (-want +got):\n%s", diff)
			}
		})
	}
}

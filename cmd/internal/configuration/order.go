package configuration

import (
	"fmt"
	"strings"
	"time"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/campaign"
	"slurm-ostrich/ostrich/lengths"
)

// OrderSettings lists the choices of a virtual schedule that make an order, all but the
// processors. Their keys are those of ostrich bench.
func OrderSettings(o *ostrich.Options) []Setting {
	word := func(key string, v Choice) Setting {
		return Setting{Key: key, Usage: strings.Join(v.of, ", "), Value: v}
	}
	length := func(key string, at *ostrich.Duration) Setting {
		return Setting{Key: key, Usage: "a time such as 30m or 7d, or off", Value: wholeSeconds{at}}
	}
	return []Setting{
		word("rule", byName(&o.Rule.By, campaign.ByNames)),
		length("threshold", &o.Rule.Threshold),
		word("late", byName(&o.Late, ostrich.LateNames)),
		word("machine", byName(&o.Machine, ostrich.MachineNames)),
		word("gate", byName(&o.Gate, ostrich.GateNames, ostrich.Strict)), // the sidecar holds no job back
		word("inside", byName(&o.Inside, ostrich.InsideNames)),
		word("predictor", byName(&o.Predictor, lengths.PredictorNames)),
		length("grace", &o.Grace),
		length("memory", &o.Memory),
		word("settle", onOff(&o.Settle)),
	}
}

func onOff(at *bool) Choice {
	return Choice{
		of: []string{"on", off},
		show: func() string {
			if *at {
				return "on"
			}
			return off
		},
		set: func(place int) { *at = place == 0 },
	}
}

// wholeSeconds is a length of time in seconds, or off, which is 0.
type wholeSeconds struct{ at *ostrich.Duration }

func (v wholeSeconds) String() string {
	d := time.Duration(*v.at) * time.Second
	return offSpan{span{at: &d}}.String()
}

func (v wholeSeconds) Set(s string) error {
	var d time.Duration
	if err := (offSpan{span{at: &d}}).Set(s); err != nil || d%time.Second != 0 {
		return fmt.Errorf("%q is neither off nor a length of time such as 90s, 10m, 12h or 14d", s)
	}
	*v.at = Seconds(d)
	return nil
}

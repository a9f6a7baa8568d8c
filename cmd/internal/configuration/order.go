package configuration

import (
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
		return Setting{Key: key, Usage: "a time such as 30m or 7d, or off", Value: wholeSeconds{at, func(d *time.Duration) Value { return offSpan{span{at: d}} }}}
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

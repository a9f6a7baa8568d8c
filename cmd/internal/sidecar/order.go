package sidecar

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"slurm-ostrich/ostrich"
)

// An OrderSetting is a choice of the virtual schedule, as text. Text and Set are
// inverse; after an error of Set the options are as before.
type OrderSetting struct {
	Name  string
	Usage string // what it may be
	Text  func(o *ostrich.Options) string
	Set   func(o *ostrich.Options, text string) error
}

// OrderSettings lists all choices that make an order, but for the processors.
func OrderSettings() []OrderSetting {
	return []OrderSetting{
		word("rule", ostrich.ByNames, func(o *ostrich.Options) *ostrich.By { return &o.Rule.By }),
		length("threshold", func(o *ostrich.Options) *ostrich.Duration { return &o.Rule.Threshold }),
		word("late", ostrich.LateNames, func(o *ostrich.Options) *ostrich.Late { return &o.Late }),
		word("machine", ostrich.MachineNames, func(o *ostrich.Options) *ostrich.Machine { return &o.Machine }),
		word("gate", ostrich.GateNames, func(o *ostrich.Options) *ostrich.Gate { return &o.Gate }, ostrich.Strict),
		word("inside", ostrich.InsideNames, func(o *ostrich.Options) *ostrich.Inside { return &o.Inside }),
		word("predictor", ostrich.PredictorNames, func(o *ostrich.Options) *ostrich.Predictor { return &o.Predictor }),
		length("grace", func(o *ostrich.Options) *ostrich.Duration { return &o.Grace }),
		length("memory", func(o *ostrich.Options) *ostrich.Duration { return &o.Memory }),
		onOff("settle", func(o *ostrich.Options) *bool { return &o.Settle }),
	}
}

// word is a setting that is one of several names, but for those that the
// sidecar does not do.
func word[T ~uint8](name string, names []string, at func(*ostrich.Options) *T, but ...T) OrderSetting {
	var known []string
	for i, n := range names {
		if !slices.Contains(but, T(i)) {
			known = append(known, n)
		}
	}
	return OrderSetting{
		Name: name, Usage: strings.Join(known, ", "),
		Text: func(o *ostrich.Options) string { return names[*at(o)] },
		Set: func(o *ostrich.Options, text string) error {
			if !slices.Contains(known, text) {
				return fmt.Errorf("%q is none of %s", text, strings.Join(known, ", "))
			}
			*at(o) = T(slices.Index(names, text))
			return nil
		},
	}
}

// off is a length of 0, or no.
const off = "off"

// length is a setting that is a length of time; off is 0.
func length(name string, at func(*ostrich.Options) *ostrich.Duration) OrderSetting {
	return OrderSetting{
		Name: name, Usage: "a time such as 30m or 7d, or off",
		Text: func(o *ostrich.Options) string {
			if d := *at(o); d != 0 {
				return FormatSpan(time.Duration(d) * time.Second)
			}
			return off
		},
		Set: func(o *ostrich.Options, text string) error {
			if text == off {
				*at(o) = 0
				return nil
			}
			d, err := parseSpan(text)
			if err != nil || d%time.Second != 0 {
				return fmt.Errorf("%q is neither off nor a length of time such as 90s, 10m, 12h or 14d", text)
			}
			*at(o) = seconds(d)
			return nil
		},
	}
}

// onOff is a setting that is on or off.
func onOff(name string, at func(*ostrich.Options) *bool) OrderSetting {
	return OrderSetting{
		Name: name, Usage: "on, off",
		Text: func(o *ostrich.Options) string {
			if *at(o) {
				return "on"
			}
			return off
		},
		Set: func(o *ostrich.Options, text string) error {
			if text != "on" && text != off {
				return fmt.Errorf("%q is neither on nor off", text)
			}
			*at(o) = text == "on"
			return nil
		},
	}
}

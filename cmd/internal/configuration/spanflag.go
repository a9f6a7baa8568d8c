package configuration

import (
	"cmp"
	"flag"
	"time"

	"github.com/urfave/cli/v2"
)

// SpanFlag is an option for a length of time, read and written as settings are.
type SpanFlag struct {
	cli.GenericFlag
	at    *time.Duration
	value time.Duration // the default
}

// NewSpanFlag returns an option that fills at. Its help has the words for the default, or else
// the value.
func NewSpanFlag(at *time.Duration, value time.Duration, name, usage, words string) *SpanFlag {
	return &SpanFlag{cli.GenericFlag{Name: name, Usage: usage, DefaultText: cmp.Or(words, FormatSpan(value)), Value: span{at: at}}, at, value}
}

// Apply adds the option to a set, with its default.
func (f *SpanFlag) Apply(set *flag.FlagSet) error {
	*f.at = f.value
	return f.GenericFlag.Apply(set)
}

// Get returns the value as it is written.
func (v span) Get() any { return v.String() }

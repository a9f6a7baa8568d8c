package manual

import (
	"slices"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"
)

func TestChoices(t *testing.T) {
	for usage, want := range map[string]string{
		"the loop: `LOOP` is open (as logged, one by one) or closed (after it)": "open closed",
		"`RULE` is max, last, arrival or window":                                "max last arrival window",
		"`KIND` is alone":                                                       "alone",
		"`FILE` is where it is put":                                             "",
		"`FILE` to write; - is stdout":                                          "",
		"":                                                                      "",
	} {
		if got := strings.Join(choices(usage), " "); got != want {
			t.Errorf("%q: %q, want %q", usage, got, want)
		}
	}
}

// Completion of a program that has no commands, as the daemon.
func TestCompleteOptions(t *testing.T) {
	a := &cli.App{Flags: []cli.Flag{
		&cli.StringFlag{Name: "kind", Aliases: []string{"k"}, Usage: "`KIND` is big or small"},
		&cli.StringFlag{Name: "priority-channel", Category: "settings"},
		&cli.BoolFlag{Name: "once"},
		&cli.StringFlag{Name: "sort", Aliases: []string{"S"}},
		&cli.StringFlag{Name: "account"},
	}}
	more := func(before []string, option string) []Word {
		switch option {
		case "sort":
			return []Word{{Text: "begun"}}
		case "account": // what somebody writes behind sbatch --account
			return Plain([]string{"$(touch${IFS}x)", "`x`", "a;b", "a b", "a|b", "~a", "a*", "{a,b}", `a\b`, "a'b", "ok", "17_[1-3]", "a%b@c+d"})
		}
		return []Word{{Text: strings.Join(before, "+") + ":" + option}}
	}
	for _, tt := range []struct{ words, want string }{
		{"--k", "--kind"},
		{"--o", "--once"},
		{"-k ?", "big small"},
		{"-k s", "small"},
		{"--kind big,?", "big,big big,small"},
		{"--kind=s", "--kind=small"},
		{"--sort b", "begun"},
		{"--account ?", "ok 17_[1-3] a%b@c+d"},
		{"-S -b", "-begun"},
		{"-S -b,+?", "-b,+begun"},
		{"--sort=-b", "--sort=-begun"},
		{"--kind -b", ""},
		{"--once 38,?", "38,--once:"},
		{"--once 38,17_[1-3,?", ""},
		{"--once 17_[1-3,7],-", "17_[1-3,7],--once:"},
		{"--kind = s", "small"},
		{"--kind =", "big small"},
		{"--once ?", "--once:"},
		{"--priority-channel n", "nice"},
		{"--kind big ?", "--kind+big:"},
	} {
		var b strings.Builder
		words := strings.Fields(tt.words)
		last := len(words) - 1
		words[last] = strings.TrimSuffix(words[last], "?")
		if err := Complete(a, &b, words, more); err != nil {
			t.Fatal(err)
		}
		var got []string
		for line := range strings.Lines(b.String()) {
			word, _, _ := strings.Cut(line, "\t")
			got = append(got, word)
		}
		if !slices.Equal(got, strings.Fields(tt.want)) {
			t.Errorf("%s: %q, want %s", tt.words, got, tt.want)
		}
	}
}

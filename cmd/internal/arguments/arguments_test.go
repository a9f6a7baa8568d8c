package arguments

import (
	"errors"
	"flag"
	"slices"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"
	"pgregory.net/rapid"
)

func options() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "user", Aliases: []string{"u"}},
		&cli.StringFlag{Name: "partition", Aliases: []string{"p"}},
		&cli.StringFlag{Name: "sort", Aliases: []string{"S"}},
		&cli.StringFlag{Name: "priority-channel"},
		&cli.IntFlag{Name: "procs", Aliases: []string{"j"}},
		&cli.Int64Flag{Name: "nodes"},
		&cli.Uint64Flag{Name: "seed"},
		&cli.BoolFlag{Name: "noheader", Aliases: []string{"n"}},
		&cli.BoolFlag{Name: "parsable2", Aliases: []string{"P"}},
	}
}

func TestSeparate(t *testing.T) {
	for _, tt := range []struct{ args, want string }{
		{"", ""},
		{"-ubob", "-u=bob"},
		{"-u bob", "-u bob"},
		{"-u=bob", "-u=bob"},
		{"--user=bob -p=a=b", "--user=bob -p=a=b"},
		{"-user bob", "-user bob"}, // the flag package takes one dash too
		{"-user=bob", "-user=bob"},
		{"-pdebug 17", "-p=debug 17"},
		{"-nP", "-n -P"},
		{"-nPubob", "-n -P -u=bob"},
		{"-nPu bob 17", "-n -P -u bob 17"},
		{"-nu=bob", "-n -u=bob"},
		{"-n=true", "-n=true"},
		{"17 -ubob --noheader -S -user 18", "-u=bob --noheader -S -user 17 18"},
		{"-S-user", "-S=-user"},
		{"-nz", "-nz"},
		{"-xubob", "-xubob"},
		{"- -n", "-n -"},
		{"17 -- -ubob", "-- 17 -ubob"},
		{"-h -n", "-h -n"},
		{"-nh", "-n -h"},
		{"-u", "-u"},
		{"--procs 010 --procs=008 -j 07 -j09 -nj010", "--procs 10 --procs=8 -j 7 -j=9 -n -j=10"},
		{"--nodes -010 --seed=000 --seed +01", "--nodes -10 --seed=0 --seed +1"},
		{"--procs 0x10 --procs=01x --procs=", "--procs 0x10 --procs=01x --procs="},
		{"-u 010 --user=007 010", "-u 010 --user=007 010"},
	} {
		if got := strings.Join(Separate(options(), strings.Fields(tt.args)), " "); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.args, got, tt.want)
		}
	}
}

// Any value of an option arrives, attached or not, and everything else keeps its order.
func TestSeparateKeepsValues(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringMatching(`[a-z0-9_,.-]{1,8}`)
		var args, users, rest []string
		for range rapid.IntRange(0, 6).Draw(t, "n") {
			w := word.Draw(t, "word")
			switch rapid.IntRange(0, 3).Draw(t, "kind") {
			case 0:
				args, users = append(args, "-u"+w), append(users, w)
			case 1:
				args, users = append(args, "-nu", w), append(users, w)
			case 2:
				args, users = append(args, "--user="+w), append(users, w)
			default:
				w = "j" + w
				args, rest = append(args, w), append(rest, w)
			}
		}
		var got []string
		set := flag.NewFlagSet("", flag.ContinueOnError)
		set.Func("u", "", func(v string) error { got = append(got, v); return nil })
		set.Func("user", "", func(v string) error { got = append(got, v); return nil })
		set.Bool("n", false, "")
		if err := set.Parse(Separate(options(), args)); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got, users) || !slices.Equal(set.Args(), rest) {
			t.Errorf("%q: users %q, want %q; others %q, want %q", args, got, users, set.Args(), rest)
		}
	})
}

func TestUsageError(t *testing.T) {
	c := &cli.Context{Command: &cli.Command{Flags: options()}}
	for _, tt := range []struct{ option, want string }{
		{"usr", `unknown option --usr; see "x --help"; did you mean "--user"?`},
		{"part", `unknown option --part; see "x --help"; did you mean "--partition"?`},
		{"channel", `unknown option --channel; see "x --help"; did you mean "--priority-channel"?`},
		{"priority.chanel", `unknown option --priority.chanel; see "x --help"; did you mean "--priority-channel"?`},
		{"z", `unknown option -z; see "x --help"`},
		{"wide", `unknown option --wide; see "x --help"`},
	} {
		err := errors.New("flag provided but not defined: -" + tt.option)
		if got := UsageError("x", "")(c, err, true).Error(); got != tt.want {
			t.Errorf("%s\nwant %s", got, tt.want)
		}
	}
	c.Command.Flags = append(c.Command.Flags, &cli.IntFlag{Name: "limit"}, &cli.Uint64Flag{Name: "seed"},
		&cli.Float64Flag{Name: "load"}, &cli.BoolFlag{Name: "me"})
	for _, tt := range []struct{ from, want string }{
		{"flag needs an argument: -u", "flag needs an argument: -u"},
		{"flag needs an argument: -user", "flag needs an argument: --user"},
		{`invalid value "x" for flag -limit: parse error`, `--limit "x": not a whole number`},
		{`invalid value "9e9" for flag -limit: value out of range`, `invalid value "9e9" for flag --limit: value out of range`},
		{`invalid value "x" for flag -i: "x" is none`, `-i: "x" is none`},
		{`invalid value "x: \"" for flag -seed: parse error`, `--seed "x: \"": not a whole number of 0 or more`},
		{`invalid value "x" for flag -load: parse error`, `--load "x": not a number`},
		{`invalid boolean value "x" for -me: parse error`, `--me "x": not true or false`},
		{`invalid value "x" for flag -user: parse error`, `invalid value "x" for flag --user: parse error`},
		{"bad flag syntax: ---x", "bad flag syntax: ---x"},
	} {
		if got, want := UsageError("x", ", and more")(c, errors.New(tt.from), true).Error(), tt.want+`; see "x --help", and more`; got != want {
			t.Errorf("%s\nwant %s", got, want)
		}
	}
}

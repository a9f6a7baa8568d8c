package main

import (
	"flag"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"slurm-ostrich/cmd/internal/console"
	"slurm-ostrich/cmd/internal/replay/sweep"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/trace"
)

// notSwept are the options of simulate that a sweep sets itself, or that say
// what is written and not what is simulated.
var notSwept = []string{
	"swf", "summary", "jobs-csv", "campaigns-csv", "utilisation-csv", "step", "workers", "json", "parsable2", "noheader",
}

// contextOf is the context of a command as if it had been called with these
// options and arguments.
func contextOf(c *cli.Context, command string, flags []cli.Flag, options []sweep.Option, args ...string) (*cli.Context, error) {
	set := flag.NewFlagSet(command, flag.ContinueOnError)
	for _, f := range flags {
		if err := f.Apply(set); err != nil {
			return nil, err
		}
	}
	if err := set.Parse(args); err != nil {
		return nil, err
	}
	for _, o := range options {
		if err := set.Set(o.Name, o.Value); err != nil {
			return nil, fmt.Errorf("--%s %q: %w", o.Name, o.Value, err)
		}
	}
	made := cli.NewContext(c.App, set, nil)
	made.Context = c.Context
	return made, nil
}

// simulateContext is that of simulate with these options.
func simulateContext(c *cli.Context, options []sweep.Option) (*cli.Context, error) {
	return contextOf(c, "simulate", simulateFlags(), options)
}

// has refuses an option that a command does not have, but for some.
func has(flags []cli.Flag, name, command string, but ...string) error {
	var names []string
	for _, f := range flags {
		if n := f.Names()[0]; !slices.Contains(but, n) {
			names = append(names, n)
		}
	}
	if slices.Contains(names, name) {
		return nil
	}
	return fmt.Errorf("%s: no option of %s that can vary; those are %s", name, command, strings.Join(names, ", "))
}

// sweepMeaning tells what the options of a sweep mean: what they mean to simulate.
type sweepMeaning struct{ c *cli.Context }

// Canonical checks the values that can be checked without a log.
func (m sweepMeaning) Canonical(o sweep.Option) (string, error) {
	if err := has(simulateFlags(), o.Name, "simulate", notSwept...); err != nil {
		return "", err
	}
	c, err := simulateContext(m.c, []sweep.Option{o})
	if err != nil {
		return "", err
	}
	text := fmt.Sprint(c.Value(o.Name))
	switch o.Name {
	case "policy":
		p, bad := policyNamed(o.Value)
		if bad != nil {
			return "", bad
		}
		return p.name, nil
	case "rule":
		if _, err = console.Named[ostrich.By](ruleNames, o.Value); err != nil {
			err = fmt.Errorf("--rule %w", err)
		}
	case "procs":
		_, err = processors(c, &trace.Log{})
	case "load":
		_, err = loadFactor(c)
	case "user":
		_, err = logUsers(c)
	case "starttime", "endtime":
		// The log that this time is one of is yet to be read.
		_, err = logTime(c, o.Name, &trace.Log{Header: []string{"UnixStartTime: 1"}})
	case "estimate":
		_, err = estimateKind(c)
	default:
		_, err = replaySettings(c)
	}
	return text, err
}

// Judge finds what does not go together as simulate does. Whether the fields
// of a log tell its campaigns is seen when it is read.
func (m sweepMeaning) Judge(generated bool, options []sweep.Option) ([]sweep.Idle, error) {
	value := func(name string) string {
		i := slices.IndexFunc(options, func(o sweep.Option) bool { return o.Name == name })
		if i < 0 {
			return ""
		}
		return options[i].Value
	}
	p, err := policyNamed(value("policy"))
	if err != nil {
		return nil, err
	}
	var idle []sweep.Idle
	kept := slices.DeleteFunc(slices.Clone(options), func(o sweep.Option) bool {
		why := meansNothing(o.Name, p, value("rule"))
		if why != "" {
			idle = append(idle, sweep.Idle{Option: o.Name, Why: why})
		}
		return why != ""
	})
	c, err := simulateContext(m.c, kept)
	if err != nil {
		return nil, err
	}
	r, err := replaySettings(c)
	if err != nil {
		return nil, err
	}
	if _, err = estimateKind(c); err != nil {
		return nil, err
	}
	if r.rule, err = campaignRule(c, ruleNames, &trace.Log{}); err != nil {
		return nil, err
	}
	if generated && value("rule") == "" {
		r.rule.fields = true // which generated logs have
	}
	r.policy = p
	return idle, r.check()
}

// meansNothing tells why an option means nothing to a policy and a rule, or "".
func meansNothing(option string, p *replayPolicy, rule string) string {
	for _, h := range heeded {
		if h.option == option && !h.by(p) {
			return fmt.Sprintf("--%s means nothing to --policy %s", option, p.name)
		}
	}
	switch {
	case option != "threshold" || rule == "arrival" || rule == "window":
		return ""
	case rule == "":
		return "--threshold goes with --rule arrival or window"
	}
	return "--threshold goes with --rule arrival or window, not " + rule
}

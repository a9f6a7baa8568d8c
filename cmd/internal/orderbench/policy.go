package orderbench

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"slurm-ostrich/cmd/internal/replay"
	"slurm-ostrich/cmd/internal/sidecar"
	"slurm-ostrich/ostrich"
)

// Policy is an order to measure.
type Policy struct {
	Label string // its name in results
	kind  *replay.Policy

	options ostrich.Options // if the kind is an OStrich
	exact   bool            // knows how long jobs run
}

// estimate is the setting for the lengths that a policy knows. Backfilling always
// uses the limits.
const estimate = "estimate"

// estimates are its values.
var estimates = []string{"limit", "exact"}

// Usage lists the policies and their settings.
func Usage() string {
	var b strings.Builder
	b.WriteString(replay.Help(replay.Parts, 10))
	b.WriteString("\nSettings of ostrich and paper:\n")
	for _, s := range sidecar.OrderSettings(new(ostrich.Options)) {
		fmt.Fprintf(&b, "  %-10s  %s\n", s.Key, s.Usage)
	}
	fmt.Fprintf(&b, "  %-10s  %s: what lengths the policy goes by; of spt too\n", estimate, strings.Join(estimates, ", "))
	return b.String()
}

// ErrPolicy marks text that is not a policy.
var ErrPolicy = errors.New("not understood")

// ParsePolicies parses a comma-separated list of policies, each as
//
//	[LABEL=]NAME[:SETTING=VALUE]...
//
// No two may have the same label.
func ParsePolicies(text string) ([]Policy, error) {
	var list []Policy
	for one := range strings.SplitSeq(text, ",") {
		p, err := parsePolicy(strings.TrimSpace(one))
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(list, func(q Policy) bool { return q.Label == p.Label }) {
			return nil, fmt.Errorf("policy %q: %w: it is named twice", p.Label, ErrPolicy)
		}
		list = append(list, p)
	}
	return list, nil
}

func parsePolicy(text string) (Policy, error) {
	fail := func(format string, args ...any) (Policy, error) {
		return Policy{}, fmt.Errorf("policy %q: %w: %s", text, ErrPolicy, fmt.Sprintf(format, args...))
	}
	p, spec := Policy{Label: text}, text
	if label, rest, named := strings.Cut(text, "="); named && !strings.Contains(label, ":") {
		p.Label, spec = strings.TrimSpace(label), strings.TrimSpace(rest)
	}
	if p.Label == "" && spec != "" {
		return fail("the label before = is empty")
	}
	words := strings.Split(spec, ":")
	if p.kind = replay.Find(words[0], replay.Parts); p.kind == nil {
		return fail("%q is no policy; they are %s", words[0], strings.Join(replay.Names(replay.Policies(replay.Parts)), ", "))
	}
	if p.kind.Settings != nil {
		var err error
		if p.options, err = p.kind.Settings(); err != nil {
			return fail("%v", err)
		}
	}
	seen := make(map[string]bool)
	for _, word := range words[1:] {
		name, value, ok := strings.Cut(word, "=")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		if !ok || seen[name] {
			return fail("%q: a setting is NAME=VALUE, and each stands there once", word)
		}
		seen[name] = true
		if why := p.set(name, value); why != "" {
			return fail("%s", why)
		}
	}
	if p.kind.Settings != nil {
		if err := p.options.Validate(); err != nil {
			return fail("%v", err)
		}
	}
	return p, nil
}

// set changes a setting, or says why it cannot.
func (p *Policy) set(name, value string) (why string) {
	var names []string
	if p.kind.Settings != nil {
		for _, s := range sidecar.OrderSettings(&p.options) {
			if s.Key == name {
				if err := s.Value.Set(value); err != nil {
					return name + ": " + err.Error()
				}
				return ""
			}
			names = append(names, s.Key)
		}
	}
	if p.kind.Estimates() {
		if name == estimate {
			if !slices.Contains(estimates, value) {
				return fmt.Sprintf("%s: %q is none of %s", estimate, value, strings.Join(estimates, ", "))
			}
			p.exact = value == "exact"
			return ""
		}
		names = append(names, estimate)
	}
	if len(names) == 0 {
		return p.kind.Name + " has no settings"
	}
	return fmt.Sprintf("%s has no setting %q; they are %s", p.kind.Name, name, strings.Join(names, ", "))
}

// Settings returns the policy with all its settings, whatever its label. Policies
// with the same settings are the same order.
func (p *Policy) Settings() string {
	if p.kind.Settings == nil && !p.kind.Estimates() {
		return p.kind.Name
	}
	name, words := p.kind.Name, []string(nil)
	if p.kind.Settings != nil {
		name = "ostrich"
		for _, s := range sidecar.OrderSettings(&p.options) {
			if s.Key == "threshold" && p.options.Rule.By != ostrich.Window && p.options.Rule.By != ostrich.Arrival {
				continue // without effect
			}
			words = append(words, s.Key+"="+s.Value.String())
		}
	}
	if p.exact {
		words = append(words, estimate+"=exact")
	} else {
		words = append(words, estimate+"=limit")
	}
	return name + ":" + strings.Join(words, ":")
}

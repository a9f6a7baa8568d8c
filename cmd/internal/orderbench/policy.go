package orderbench

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"slurm-ostrich/cmd/internal/sidecar"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/multifactor"
	"slurm-ostrich/ostrich/sim"
)

// Policy is an order to be measured.
type Policy struct {
	Label string // as results name it
	kind  *kind

	options ostrich.Options // where the kind is an OStrich
	exact   bool            // it knows how long jobs run
}

// kind is what a policy can be. One of order and rank is set.
type kind struct {
	name, usage string

	options   func() (ostrich.Options, error) // nil if it is no OStrich
	estimates bool                            // it goes by how long jobs are expected to run
	order     func(exact bool) sim.Order
	rank      func(p *Policy, w *work) sim.Policy
}

// kinds are in the order of the help.
var kinds = []kind{
	{
		name: "fairshare", usage: "priority/multifactor with fair share alone: Fair Tree, half-life 7 days, one flat account",
		rank: func(_ *Policy, w *work) sim.Policy { return w.fairshare() },
	},
	{
		name: "ostrich", usage: "the virtual schedule with the defaults of ostrichd", estimates: true,
		options: func() (ostrich.Options, error) {
			c := sidecar.Default()
			return c.ScheduleOptions()
		},
		rank: func(p *Policy, _ *work) sim.Policy { return sim.Sidecar(p.options) },
	},
	{
		name: "paper", usage: "the virtual schedule in the order of the papers, campaigns by a window of 30 minutes", estimates: true,
		options: func() (ostrich.Options, error) { return paper, nil },
		rank:    func(p *Policy, _ *work) sim.Policy { return sim.Sidecar(p.options) },
	},
	{name: "fcfs", usage: "first come, first served, job by job", order: func(bool) sim.Order { return sim.FCFS }},
	{name: "spt", usage: "shortest job first, by time limit", estimates: true, order: func(exact bool) sim.Order {
		if !exact {
			return sim.SPT
		}
		return sim.Order{Name: sim.SPT.Name, Compare: func(a, b *sim.Job) int { return cmp.Compare(a.Run, b.Run) }}
	}},
}

// paper is the order of the papers for parallel jobs: what is completed
// virtually goes first, by when it was, and nothing is forgotten or given back.
var paper = ostrich.Options{
	Machine: ostrich.Parallel, Rule: ostrich.Rule{By: ostrich.Window, Threshold: 30 * 60}, Late: ostrich.Reopen,
	Gate: ostrich.Demote, Inside: ostrich.LJF, Predictor: ostrich.ByLimit,
}

// estimate is the setting that tells a policy how long jobs run. Backfilling
// goes by the limits all the same.
const estimate = "estimate"

// estimates are its values.
var estimates = []string{"limit", "exact"}

// Usage lists the policies and their settings.
func Usage() string {
	var b strings.Builder
	for _, k := range kinds {
		fmt.Fprintf(&b, "  %-10s  %s\n", k.name, k.usage)
	}
	b.WriteString("\nSettings of ostrich and paper:\n")
	for _, s := range sidecar.OrderSettings() {
		fmt.Fprintf(&b, "  %-10s  %s\n", s.Name, s.Usage)
	}
	fmt.Fprintf(&b, "  %-10s  %s: what lengths the policy goes by; of spt too\n", estimate, strings.Join(estimates, ", "))
	return b.String()
}

// ErrPolicy marks a policy that cannot be understood.
var ErrPolicy = errors.New("not understood")

// ParsePolicies reads policies that commas separate, each as
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
	var names []string
	for i := range kinds {
		names = append(names, kinds[i].name)
		if kinds[i].name == words[0] {
			p.kind = &kinds[i]
		}
	}
	if p.kind == nil {
		return fail("%q is no policy; they are %s", words[0], strings.Join(names, ", "))
	}
	if p.kind.options != nil {
		var err error
		if p.options, err = p.kind.options(); err != nil {
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
	if p.kind.options != nil {
		if err := p.options.Validate(); err != nil {
			return fail("%v", err)
		}
	}
	return p, nil
}

// set changes a setting, or tells why it cannot.
func (p *Policy) set(name, value string) (why string) {
	var names []string
	if p.kind.options != nil {
		for _, s := range sidecar.OrderSettings() {
			if s.Name == name {
				if err := s.Set(&p.options, value); err != nil {
					return name + ": " + err.Error()
				}
				return ""
			}
			names = append(names, s.Name)
		}
	}
	if p.kind.estimates {
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
		return p.kind.name + " has no settings"
	}
	return fmt.Sprintf("%s has no setting %q; they are %s", p.kind.name, name, strings.Join(names, ", "))
}

// Settings is the policy with all its settings, whatever its label: two policies
// of the same settings are the same order.
func (p *Policy) Settings() string {
	if p.kind.options == nil && !p.kind.estimates {
		return p.kind.name
	}
	name, words := p.kind.name, []string(nil)
	if p.kind.options != nil {
		name = "ostrich"
		for _, s := range sidecar.OrderSettings() {
			if s.Name == "threshold" && p.options.Rule.By != ostrich.Window && p.options.Rule.By != ostrich.Arrival {
				continue // it means nothing
			}
			words = append(words, s.Name+"="+s.Text(&p.options))
		}
	}
	if p.exact {
		words = append(words, estimate+"=exact")
	} else {
		words = append(words, estimate+"=limit")
	}
	return name + ":" + strings.Join(words, ":")
}

// fairshare is what Slurm does where a site sets PriorityWeightFairshare and
// nothing else.
func (w *work) fairshare() sim.Policy {
	c := multifactor.Config{
		Weights: multifactor.Weights{Fairshare: 1_000_000}, HalfLife: 7 * 24 * 3600,
		Accounts: []multifactor.Account{{Name: "all", Shares: 1}}, Nodes: 1,
	}
	place := make(map[ostrich.UserID]int)
	of := make([]int32, 0, w.jobs) // association of each job
	for i := range w.campaigns {
		campaign := &w.campaigns[i]
		a, ok := place[campaign.User]
		if !ok {
			a = len(c.Associations)
			place[campaign.User] = a
			c.Associations = append(c.Associations, multifactor.Association{User: fmt.Sprint(campaign.User), Account: "all", Shares: 1})
		}
		for range campaign.Tasks {
			of = append(of, int32(a))
		}
	}
	return sim.Multifactor(c, func(n ostrich.JobID) multifactor.Request {
		return multifactor.Request{Association: int(of[n-1]), Partition: -1, QOS: -1}
	})
}

package replay

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/multifactor"
	"slurm-ostrich/ostrich/sim"
)

// WhatIfUsage describes the changes that Change knows, a line each.
const WhatIfUsage = `share:NAME=N       NAME, a user or an account, has N shares
rule:RULE          campaigns by max, last, arrival=TIME or window=TIME
order:ORDER        what goes first in a campaign: lpt, spt, submission or ljf
gate:GATE          demote or off
classes:CLASSES    auto, qos, partition, "qos+partition" or off
halflife:TIME      PriorityDecayHalfLife of the site's fair share
nodes:+N           N nodes more, or fewer with -
procs:+N           N processors more, or fewer with -
add:FILE           the load of a YAML file besides`

// Change returns a study like this one with one thing changed, and the policies
// that see the change; nil is all. read returns the content of a file.
func (s *Study) Change(what string, read func(name string) ([]byte, error)) (changed *Study, heeded []string, err error) {
	kind, value, ok := strings.Cut(what, ":")
	if !ok || value == "" {
		return nil, nil, fmt.Errorf("what if %q: must be KIND:VALUE, one of\n%s", what, WhatIfUsage)
	}
	c := *s
	heeded = []string{"ostrich"}
	switch kind {
	case "share":
		heeded, err = []string{"fairshare", "ostrich"}, c.share(value)
	case "rule":
		c.Options.Rule, err = ParseRule(value, c.Options.Rule.Threshold)
	case "order":
		c.Options.Inside, err = oneOf[ostrich.Inside](ostrich.InsideNames, value)
	case "gate":
		if c.Options.Gate, err = oneOf[ostrich.Gate](ostrich.GateNames, value); err == nil && c.Options.Gate == ostrich.Strict {
			err = errors.New("ostrichd cannot hold jobs back; demote or off")
		}
	case "classes":
		heeded, err = []string{"ostrich", "horizon"}, c.reclass(strings.ReplaceAll(value, "+", ","))
	case "halflife":
		heeded = []string{"fairshare"}
		c.Priority.HalfLife, err = span(value)
	case "nodes", "procs":
		heeded, err = nil, c.grow(kind, value)
	case "add":
		heeded = nil
		var raw []byte
		if raw, err = read(value); err == nil {
			err = c.add(value, raw)
		}
	default:
		err = fmt.Errorf("unknown; there are\n%s", WhatIfUsage)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("what if %s: %w", what, err)
	}
	return &c, heeded, nil
}

func oneOf[T ~uint8](names []string, name string) (T, error) {
	t, err := ostrich.Named[T](names, name)
	if err != nil {
		return 0, fmt.Errorf("%q: must be one of %s", name, strings.Join(names, ", "))
	}
	return t, nil
}

// span parses a duration of at least a second; 7d is a week.
func span(text string) (ostrich.Duration, error) {
	var d time.Duration
	var err error
	if days, ok := strings.CutSuffix(text, "d"); ok {
		var n float64
		n, err = strconv.ParseFloat(days, 64)
		d = time.Duration(n * float64(24*time.Hour))
	} else {
		d, err = time.ParseDuration(text)
	}
	switch {
	case err != nil:
		return 0, fmt.Errorf("%q is no time, such as 90s, 10m, 2h or 7d", text)
	case d < time.Second:
		return 0, fmt.Errorf("%s: at least 1 s", text)
	}
	return ostrich.Duration(d / time.Second), nil
}

// share changes the shares of a user, in all accounts, or of an account.
func (s *Study) share(value string) error {
	name, number, ok := strings.Cut(value, "=")
	n, err := strconv.Atoi(number)
	if !ok || err != nil || n < 0 || n > math.MaxInt32 {
		return errors.New("must be share:NAME=N with a number of at least 0")
	}
	s.Priority.Accounts, s.Priority.Associations = slices.Clone(s.Priority.Accounts), slices.Clone(s.Priority.Associations)
	found := false
	for i := range s.Priority.Associations {
		if a := &s.Priority.Associations[i]; a.User == name {
			a.Shares, found = n, true
		}
	}
	for i := range s.Priority.Accounts {
		if a := &s.Priority.Accounts[i]; a.Name == name {
			a.Shares, found = n, true
		}
	}
	if !found {
		return fmt.Errorf("no user or account %q has jobs here", name)
	}
	if s.Tree {
		s.Shares = s.divide()
		return nil
	}
	// Evenly, but for this user, or the users of this account.
	d := &ostrich.Shares{}
	if s.Shares != nil {
		d.Users = slices.Clone(s.Shares.Users)
	}
	for i, u := range s.Users {
		if u.Name == name || u.Account == name {
			d.Users = append(slices.DeleteFunc(d.Users, func(x ostrich.UserShare) bool { return x.User == ostrich.UserID(i+1) }),
				ostrich.UserShare{User: ostrich.UserID(i + 1), Weight: float64(n)})
		}
	}
	s.Shares = d
	return nil
}

// ParseRule reads max, last, arrival=TIME or window=TIME. threshold is the time of
// a rule without one; 0 is half an hour.
func ParseRule(value string, threshold ostrich.Duration) (ostrich.Rule, error) {
	name, text, timed := strings.Cut(value, "=")
	by, err := oneOf[ostrich.By](ostrich.ByNames, name)
	if err != nil {
		return ostrich.Rule{}, err
	}
	r := ostrich.Rule{By: by, Threshold: threshold}
	takes := by == ostrich.Window || by == ostrich.Arrival
	switch {
	case timed && !takes:
		return r, fmt.Errorf("%s takes no time", name)
	case timed:
		if r.Threshold, err = span(text); err != nil {
			return r, err
		}
	case takes && r.Threshold < 1:
		r.Threshold = 30 * 60
	case !takes:
		r.Threshold = 0
	}
	return r, r.Validate()
}

// grow changes the size of the machine, of every pool in proportion.
func (s *Study) grow(kind, value string) error {
	n, err := strconv.Atoi(value)
	if err != nil || n == 0 || max(n, -n) > math.MaxInt32 || value[0] != '+' && value[0] != '-' {
		return fmt.Errorf("must be %s:+N or %[1]s:-N", kind)
	}
	had := s.Priority.Procs // after an earlier change; Procs is the machine by which all is measured
	if kind == "nodes" {
		if s.Nodes < 1 {
			return errors.New("how many nodes the machine has is not known: give --nodes, or change procs instead")
		}
		if s.Priority.Nodes+n < 1 {
			return fmt.Errorf("the machine has %d nodes", s.Priority.Nodes)
		}
		s.Priority.Nodes += n
		n = n * s.Procs / s.Nodes
	}
	if had+n < 1 || had+n >= math.MaxInt32 {
		return fmt.Errorf("the machine has %d processors", had)
	}
	s.Pools = resize(s.Pools, had, had+n)
	for i := range s.Jobs {
		if j := &s.Jobs[i]; j.Procs > s.Pools[j.pool].Procs {
			return fmt.Errorf("job %d needs %d processors", j.Slurm, j.Procs)
		}
	}
	s.Priority.Procs = had + n
	return nil
}

// added are campaigns of a load that is added.
type added struct {
	where         string // in the file
	user, account string
	at, every     ostrich.Duration // since the first arrival; between two
	times, jobs   int
	procs         int
	run, limit    ostrich.Duration
}

// readLoad reads a load from YAML:
//
//	campaigns:
//	  - user: zoe        # who submits; a user of the log or a new one
//	    account: physics # a new user's; none if it is left out
//	    at: 2h           # after the first arrival of the log; 0s if it is left out
//	    jobs: 200        # how many at once; 1 if it is left out
//	    procs: 4         # processors of each; 1 if it is left out
//	    run: 30m         # how long each runs
//	    limit: 1h        # their time limit; run if it is left out
//	    times: 5         # how often all that comes; 1 if it is left out
//	    every: 24h       # and after which time again
func readLoad(name string, raw []byte) ([]added, error) {
	var file struct {
		Campaigns []yaml.Node `yaml:"campaigns"`
	}
	d := yaml.NewDecoder(bytes.NewReader(raw))
	d.KnownFields(true)
	switch err := d.Decode(&file); {
	case errors.Is(err, io.EOF) || err == nil && len(file.Campaigns) == 0:
		return nil, fmt.Errorf("%s: no campaigns", name)
	case err != nil:
		return nil, fmt.Errorf("%s: %s", name, strings.TrimPrefix(strings.ReplaceAll(err.Error(), "\n", ";"), "yaml: "))
	}
	list := make([]added, len(file.Campaigns))
	for i := range file.Campaigns {
		n := &file.Campaigns[i]
		var err error
		if list[i], err = readAdded(n); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, n.Line, err)
		}
		list[i].where = fmt.Sprintf("%s:%d", name, n.Line)
	}
	return list, nil
}

func readAdded(n *yaml.Node) (added, error) {
	a := added{times: 1, jobs: 1, procs: 1}
	if n.Kind != yaml.MappingNode {
		return a, errors.New("a campaign is a list of \"key: value\"")
	}
	words := map[string]*string{"user": &a.user, "account": &a.account}
	counts := map[string]*int{"times": &a.times, "jobs": &a.jobs, "procs": &a.procs}
	lengths := map[string]*ostrich.Duration{"at": &a.at, "every": &a.every, "run": &a.run, "limit": &a.limit}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i].Value, n.Content[i+1]
		var err error
		if word := words[key]; word != nil {
			*word = value.Value
		} else if count := counts[key]; count != nil {
			if err = value.Decode(count); err == nil && *count < 1 {
				err = fmt.Errorf("%d is below 1", *count)
			}
		} else if length := lengths[key]; length != nil {
			*length, err = readLength(value.Value)
		} else {
			err = errors.New("there is no such key")
		}
		if err != nil {
			return a, fmt.Errorf("%s: %w", key, err)
		}
	}
	switch {
	case a.user == "":
		return a, errors.New("user: is missing")
	case a.run < 1:
		return a, errors.New("run: is missing, or 0")
	case a.times > 1 && a.every < 1:
		return a, errors.New("every: is missing, with times above 1")
	case a.times*a.jobs > 1<<22:
		return a, fmt.Errorf("%d jobs are too many", a.times*a.jobs)
	}
	a.limit = cmp.Or(a.limit, a.run)
	return a, nil
}

// readLength reads a time, which may be 0.
func readLength(text string) (ostrich.Duration, error) {
	if text == "0" || text == "0s" {
		return 0, nil
	}
	d, err := span(text)
	if err == nil && d > longest {
		err = fmt.Errorf("%s is longer than %d s", text, longest)
	}
	return d, err
}

// addedFrom is the first id of jobs that were added. Slurm's own are below.
const addedFrom = ostrich.JobID(1 << 31)

// add adds a load to the first pool.
func (s *Study) add(name string, raw []byte) error {
	list, err := readLoad(name, raw)
	if err != nil {
		return err
	}
	s.Jobs, s.Users = slices.Clone(s.Jobs), slices.Clone(s.Users)
	s.Priority.Accounts, s.Priority.Associations = slices.Clone(s.Priority.Accounts), slices.Clone(s.Priority.Associations)
	first, id := s.Jobs[0].Submit, addedFrom
	for i := range list {
		a := &list[i]
		if a.procs > s.Pools[0].Procs {
			return fmt.Errorf("%s: procs: %d: the machine has %d", a.where, a.procs, s.Pools[0].Procs)
		}
		user, association := s.newcomer(a.user, a.account)
		for again := range a.times {
			at := first + ostrich.Time(a.at) + ostrich.Time(again)*ostrich.Time(a.every)
			for range a.jobs {
				s.Jobs = append(s.Jobs, Job{
					Logged: sim.Logged{
						Job:   sim.Job{ID: ostrich.JobID(len(s.Jobs) + 1), User: user, Submit: at, Run: a.run, Estimate: max(a.limit, a.run), Procs: a.procs},
						Start: at,
					},
					Slurm: id, request: multifactor.Request{Association: association, Procs: a.procs, Limit: a.limit, Eligible: at}, campaign: -1,
				})
				id++
			}
		}
	}
	s.sort()
	return nil
}

// newcomer returns the user and the association of a name, known or new.
func (s *Study) newcomer(name, account string) (ostrich.UserID, int) {
	k := slices.IndexFunc(s.Users, func(u User) bool { return u.Name == name && (account == "" || u.Account == account) })
	if k < 0 {
		k = len(s.Users)
		s.Users = append(s.Users, User{Name: name, Account: account})
	}
	account = s.Users[k].Account
	i := slices.IndexFunc(s.Priority.Associations, func(a multifactor.Association) bool { return a.User == name && a.Account == account })
	if i < 0 {
		i = len(s.Priority.Associations)
		if account != "" && !slices.ContainsFunc(s.Priority.Accounts, func(a multifactor.Account) bool { return a.Name == account }) {
			s.Priority.Accounts = append(s.Priority.Accounts, multifactor.Account{Name: account, Shares: 1})
		}
		s.Priority.Associations = append(s.Priority.Associations, multifactor.Association{User: name, Account: account, Shares: 1})
	}
	return ostrich.UserID(k + 1), i
}

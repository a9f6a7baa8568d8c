package replay

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/multifactor"
	"slurm-ostrich/ostrich/sim"
)

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
		where := fmt.Sprintf("%s:%d", name, n.Line)
		a, err := readAdded(n)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", where, err)
		}
		a.where = where
		list[i] = *a
	}
	return list, nil
}

func readAdded(n *yaml.Node) (*added, error) {
	if n.Kind != yaml.MappingNode {
		return nil, errors.New("a campaign is a list of \"key: value\"")
	}
	a := &added{times: 1, jobs: 1, procs: 1}
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
			return nil, fmt.Errorf("%s: %w", key, err)
		}
	}
	switch {
	case a.user == "":
		return nil, errors.New("user: is missing")
	case a.run < 1:
		return nil, errors.New("run: is missing, or 0")
	case a.times > 1 && a.every < 1:
		return nil, errors.New("every: is missing, with times above 1")
	case a.times*a.jobs > 1<<22:
		return nil, fmt.Errorf("%d jobs are too many", a.times*a.jobs)
	}
	if a.limit == 0 {
		a.limit = a.run
	}
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

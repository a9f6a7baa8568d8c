package view

import (
	"maps"
	"slices"
	"strings"

	"slurm-ostrich/ostrich"
)

// Selection chooses rows as the options of squeue do. An empty list chooses all.
type Selection struct {
	Users, Accounts, Partitions []string

	Jobs  []string // as squeue names them; Cycle.Shares ignores it
	Limit int      // of the jobs of a plan; 0: none
	New   New      // of AskForecast: a job that is not submitted yet

	names map[ostrich.JobID][]JobName // of Jobs, once they are read, by their numbers
}

// New describes a job that is not submitted yet, as a request has it: each list but that of odds has one
// item, or none where it is not said.
type New struct {
	CPUs  []string // processors; none: 1
	Nodes []string // at least
	Mem   []string // memory of each node, as sbatch takes it: 4000, 4G
	GRES  []string // generic resources of each node, as sbatch takes them: gpu:2, gpu:a100:1
	Time  []string // the limit, as sbatch takes it; none: that of the partition
	Odds  []string // further odds in per cent
}

// Lists returns the lists by the names of the arguments of a request that fill them.
func (n *New) Lists() map[string]*[]string {
	return map[string]*[]string{"cpus": &n.CPUs, "nodes": &n.Nodes, "mem": &n.Mem, "gres": &n.GRES, "time": &n.Time, "odds": &n.Odds}
}

// named reports whether one of Jobs has one of these numbers and fits. It is true if no
// job is chosen by name. Text that is no name of a job chooses nothing.
func (s *Selection) named(fits func(JobName) bool, numbers ...ostrich.JobID) bool {
	if len(s.Jobs) == 0 {
		return true
	}
	if s.names == nil {
		s.names = make(map[ostrich.JobID][]JobName)
		for _, text := range s.Jobs {
			if n, err := ParseJob(text); err == nil {
				s.names[n.id] = append(s.names[n.id], n)
			}
		}
	}
	return slices.ContainsFunc(numbers, func(id ostrich.JobID) bool { return slices.ContainsFunc(s.names[id], fits) })
}

// Split splits a list at its commas, but not at those in the name of a job such as
// 17_[1-3,7]. Empty items are left out.
func Split(text string) (list []string) {
	from, inside := 0, false
	add := func(item string) {
		if item = strings.TrimSpace(item); item != "" {
			list = append(list, item)
		}
	}
	for i := range len(text) {
		switch {
		case text[i] == '[':
			inside = true
		case text[i] == ']':
			inside = false
		case text[i] == ',' && !inside:
			add(text[from:i])
			from = i + 1
		}
	}
	add(text[from:])
	return list
}

// chosen reports whether a row is chosen. A job can be in several
// partitions, with commas between them; a user can have jobs in several accounts.
func (s *Selection) chosen(user, accounts, partitions string) bool {
	return among(s.Users, user) && among(s.Accounts, accounts) && among(s.Partitions, partitions)
}

// Chooses reports whether something of a user is chosen that belongs to no partition, and to
// no account if that is empty.
func (s *Selection) Chooses(user, account string) bool {
	return among(s.Users, user) && (account == "" || among(s.Accounts, account))
}

// Lists returns the lists by the names of the arguments of a request that fill them.
func (s *Selection) Lists() map[string]*[]string {
	lists := s.New.Lists()
	maps.Copy(lists, map[string]*[]string{"user": &s.Users, "account": &s.Accounts, "partition": &s.Partitions, "job": &s.Jobs})
	return lists
}

// among reports whether one of some values, with commas between them, is wanted.
func among(wanted []string, values string) bool {
	return len(wanted) == 0 || slices.ContainsFunc(strings.Split(values, ","), func(v string) bool { return slices.Contains(wanted, v) })
}

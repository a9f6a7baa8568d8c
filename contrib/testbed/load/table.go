package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/report"
)

// Summary summarises the campaigns of one user, or of all.
type Summary struct {
	User string `json:"user"` // "" for all
	report.Brief
	Deadlines int `json:"deadlines"` // campaigns with a deadline
	Met       int `json:"met"`       // those of them that ended in time
}

func summarise(list []Campaign) (users []Summary, all Summary) {
	for _, c := range list {
		if len(users) == 0 || users[len(users)-1].User != c.User {
			users = append(users, Summary{User: c.User})
		}
		users[len(users)-1].add(c)
		all.add(c)
	}
	return users, all
}

func (s *Summary) add(c Campaign) {
	s.Add(c.Jobs, c.Flow, c.Stretch)
	if c.Deadline > 0 {
		s.Deadlines++
		if c.Flow <= c.Deadline {
			s.Met++
		}
	}
}

// Comparison is two runs of one load.
type Comparison struct {
	Scenario   string       `json:"scenario"`
	Seed       uint64       `json:"seed"`
	Processors int          `json:"processors"`
	Runs       [2]Result    `json:"runs"`
	Users      [2][]Summary `json:"users"`
	All        [2]Summary   `json:"all"`
}

// Compare compares two runs, which must be of the same load.
func Compare(a, b Result) (Comparison, error) {
	if a.Scenario != b.Scenario || a.Seed != b.Seed || a.Processors != b.Processors {
		return Comparison{}, fmt.Errorf("runs %s and %s: not the same load (%s, seed %d, %d processors and %s, seed %d, %d processors)",
			a.Run, b.Run, a.Scenario, a.Seed, a.Processors, b.Scenario, b.Seed, b.Processors)
	}
	c := Comparison{Scenario: a.Scenario, Seed: a.Seed, Processors: a.Processors, Runs: [2]Result{a, b}}
	for i, r := range c.Runs {
		c.Users[i], c.All[i] = summarise(r.Campaigns)
	}
	return c, nil
}

// names returns the users of both runs, sorted.
func (c *Comparison) names() []string {
	var names []string
	for _, side := range c.Users {
		for _, s := range side {
			names = append(names, s.User)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func find(list []Summary, name string) Summary {
	for _, s := range list {
		if s.User == name {
			return s
		}
	}
	return Summary{User: name}
}

// met formats how many of a user's deadlines were met, "-" without any.
func (s *Summary) met() string { return part(s.Met, s.Deadlines) }

// part formats a part of some, "-" of none.
func part(n, of int) string {
	if of == 0 {
		return "-"
	}
	return fmt.Sprintf("%d/%d", n, of)
}

// WriteText prints the comparison as a table, one line for each user. It has
// columns for deadlines if anybody has one.
func (c *Comparison) WriteText(w io.Writer) error {
	a, b := c.Runs[0].Run, c.Runs[1].Run
	deadlines := c.All[0].Deadlines+c.All[1].Deadlines > 0
	met := func(first, second string) string {
		if !deadlines {
			return ""
		}
		return fmt.Sprintf("%8s %8s", first, second)
	}
	head := [2]string{"", met(a, b)}
	if deadlines {
		head[0] = fmt.Sprintf("%17s", "deadlines met")
	}
	var rows []report.BriefRow
	line := func(name string, x, y Summary) {
		rows = append(rows, report.BriefRow{Name: name, Runs: [2]report.Brief{x.Brief, y.Brief}, More: met(x.met(), y.met())})
	}
	for _, name := range c.names() {
		line(name, find(c.Users[0], name), find(c.Users[1], name))
	}
	line("all", c.All[0], c.All[1])
	var text strings.Builder
	text.WriteString(report.BriefTable([2]string{a, b}, head, rows))
	for _, r := range c.Runs {
		text.WriteString(r.footer())
	}
	_, err := io.WriteString(w, text.String())
	return err
}

// seconds returns how long the run took, from the first submission to the last
// end.
func (r *Result) seconds() ostrich.Duration {
	if len(r.Campaigns) == 0 {
		return 0
	}
	first, last := r.Campaigns[0].Submit, r.Campaigns[0].End
	for _, c := range r.Campaigns {
		first, last = min(first, c.Submit), max(last, c.End)
	}
	return ostrich.Duration(last - first)
}

// footer returns what the table of a run leaves out: how long it took, and what
// the campaigns in the background were served.
func (r *Result) footer() string {
	if len(r.Campaigns) == 0 {
		return ""
	}
	var text strings.Builder
	fmt.Fprintf(&text, "%s: %d s from the first submission to the last end", r.Run, r.seconds())
	for _, b := range r.Background {
		fmt.Fprintf(&text, "; until then %d of %d jobs of %s, who is not waited for", b.Ended, b.Jobs, b.User)
	}
	text.WriteString("\n")
	return text.String()
}

// WriteText prints one run as a table, one line for each user.
func (r *Result) WriteText(w io.Writer) error {
	var text strings.Builder
	fmt.Fprintf(&text, "%-12s %9s %6s %12s %11s %14s %10s\n", "user", "campaigns", "jobs", "mean stretch", "max stretch", "mean flow (s)", "deadlines")
	users, all := summarise(r.Campaigns)
	all.User = "all"
	for _, s := range append(users, all) {
		fmt.Fprintf(&text, "%-12s %9d %6d %12.2f %11.2f %14.1f %10s\n", s.User, s.Campaigns, s.Jobs, s.Mean, s.Max, s.MeanFlow, s.met())
	}
	text.WriteString(r.footer())
	_, err := io.WriteString(w, text.String())
	return err
}

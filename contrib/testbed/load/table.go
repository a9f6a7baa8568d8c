package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// Summary summarises the campaigns of one user, or of all.
type Summary struct {
	User      string  `json:"user"` // "" for all
	Campaigns int     `json:"campaigns"`
	Jobs      int     `json:"jobs"`
	Mean      float64 `json:"mean_stretch"`
	Max       float64 `json:"max_stretch"`
	MeanFlow  float64 `json:"mean_flow"` // seconds
	Deadlines int     `json:"deadlines"` // campaigns with a deadline
	Met       int     `json:"met"`       // those of them that ended in time
}

// summarise returns a summary for each user and one for all campaigns.
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

// add adds one campaign.
func (s *Summary) add(c Campaign) {
	s.Campaigns++
	n := float64(s.Campaigns)
	s.Jobs += c.Jobs
	s.Mean += (c.Stretch - s.Mean) / n
	s.MeanFlow += (float64(c.Flow) - s.MeanFlow) / n
	s.Max = max(s.Max, c.Stretch)
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
	var text strings.Builder
	row := func(name, line, met string) {
		fmt.Fprintf(&text, "%-12s %s", name, line)
		if deadlines {
			fmt.Fprintf(&text, "   %17s", met)
		}
		text.WriteString("\n")
	}
	row("", fmt.Sprintf("%19s   %17s   %17s   %19s", "campaigns", "mean stretch", "max stretch", "mean flow (s)"), "deadlines met")
	row("user", fmt.Sprintf("%9s %9s   %8s %8s   %8s %8s   %9s %9s", a, b, a, b, a, b, a, b), fmt.Sprintf("%8s %8s", a, b))
	line := func(name string, x, y Summary) {
		row(name, fmt.Sprintf("%9d %9d   %8.2f %8.2f   %8.2f %8.2f   %9.1f %9.1f",
			x.Campaigns, y.Campaigns, x.Mean, y.Mean, x.Max, y.Max, x.MeanFlow, y.MeanFlow), fmt.Sprintf("%8s %8s", x.met(), y.met()))
	}
	for _, name := range c.names() {
		line(name, find(c.Users[0], name), find(c.Users[1], name))
	}
	line("all", c.All[0], c.All[1])
	for _, r := range c.Runs {
		text.WriteString(r.footer())
	}
	_, err := io.WriteString(w, text.String())
	return err
}

// seconds returns how long the run took, from the first submission to the last
// end.
func (r *Result) seconds() int64 {
	if len(r.Campaigns) == 0 {
		return 0
	}
	first, last := r.Campaigns[0].Submit, r.Campaigns[0].End
	for _, c := range r.Campaigns {
		first, last = min(first, c.Submit), max(last, c.End)
	}
	return last - first
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

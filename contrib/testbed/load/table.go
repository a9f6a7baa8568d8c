package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
)

// Summary is how the campaigns of one user, or of all, fared.
type Summary struct {
	User      string  `json:"user"` // "" for all
	Campaigns int     `json:"campaigns"`
	Jobs      int     `json:"jobs"`
	Mean      float64 `json:"mean_stretch"`
	Max       float64 `json:"max_stretch"`
	MeanFlow  float64 `json:"mean_flow"` // seconds
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

// add takes in one more campaign.
func (s *Summary) add(c Campaign) {
	s.Campaigns++
	n := float64(s.Campaigns)
	s.Jobs += c.Jobs
	s.Mean += (c.Stretch - s.Mean) / n
	s.MeanFlow += (float64(c.Flow) - s.MeanFlow) / n
	s.Max = math.Max(s.Max, c.Stretch)
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

// Compare puts two runs beside each other. They must be of the same load.
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

// names returns the users of both runs in order.
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

// WriteText prints the comparison as a table, a line for each user.
func (c *Comparison) WriteText(w io.Writer) error {
	a, b := c.Runs[0].Run, c.Runs[1].Run
	var text strings.Builder
	fmt.Fprintf(&text, "%-12s %19s   %17s   %17s   %19s\n", "", "campaigns", "mean stretch", "max stretch", "mean flow (s)")
	fmt.Fprintf(&text, "%-12s %9s %9s   %8s %8s   %8s %8s   %9s %9s\n", "user", a, b, a, b, a, b, a, b)
	line := func(name string, x, y Summary) {
		fmt.Fprintf(&text, "%-12s %9d %9d   %8.2f %8.2f   %8.2f %8.2f   %9.1f %9.1f\n", name,
			x.Campaigns, y.Campaigns, x.Mean, y.Mean, x.Max, y.Max, x.MeanFlow, y.MeanFlow)
	}
	for _, name := range c.names() {
		line(name, find(c.Users[0], name), find(c.Users[1], name))
	}
	line("all", c.All[0], c.All[1])
	_, err := io.WriteString(w, text.String())
	return err
}

// WriteText prints one run as a table, a line for each user.
func (r *Result) WriteText(w io.Writer) error {
	var text strings.Builder
	fmt.Fprintf(&text, "%-12s %9s %6s %12s %11s %14s\n", "user", "campaigns", "jobs", "mean stretch", "max stretch", "mean flow (s)")
	users, all := summarise(r.Campaigns)
	all.User = "all"
	for _, s := range append(users, all) {
		fmt.Fprintf(&text, "%-12s %9d %6d %12.2f %11.2f %14.1f\n", s.User, s.Campaigns, s.Jobs, s.Mean, s.Max, s.MeanFlow)
	}
	_, err := io.WriteString(w, text.String())
	return err
}

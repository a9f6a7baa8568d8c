package comparison

import "slurm-ostrich/cmd/internal/format"

// LeftOut is something that the record has of some jobs and the replay has not.
type LeftOut struct {
	What   string  `json:"what"`   // a key, such as "preempted"
	Name   string  `json:"name"`   // in words
	Replay string  `json:"replay"` // what the replay does with these jobs
	Jobs   int     `json:"jobs"`
	Part   float64 `json:"part"` // of the jobs of the record
	Hours  float64 `json:"core_hours"`
	Work   float64 `json:"work"` // part of the core-hours of the record
}

// leftTable counts what the replay leaves out.
func (c *Comparison) leftTable() format.Table {
	t := format.Table{
		Title: "What the record has and the replay leaves out", Names: 1,
		Header: []string{"jobs that", "jobs", "of all jobs", "core-hours", "of all core-hours", "in the replay"},
	}
	for i := range c.LeftOut {
		l := &c.LeftOut[i]
		t.Add(l.Name, l.Jobs, percentCell(l.Part), hoursCell(l.Hours), percentCell(l.Work), l.Replay)
	}
	return t
}

// Assumed is something that is not known of some jobs.
type Assumed struct {
	What  string `json:"what"`  // a key, such as "one_node"
	Name  string `json:"name"`  // in words
	Taken string `json:"taken"` // what is taken in its place
	Jobs  int    `json:"jobs"`
}

func (c *Comparison) assumedTable() format.Table {
	t := format.Table{Title: "What is not known and assumed", Names: 1, Header: []string{"jobs that", "jobs", "are taken to"}}
	for i := range c.Assumed {
		a := &c.Assumed[i]
		t.Add(a.Name, a.Jobs, a.Taken)
	}
	return t
}

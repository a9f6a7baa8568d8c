package comparison

import (
	"cmp"
	"slices"
	"strings"

	"slurm-ostrich/cmd/internal/format"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/report"
)

// Grouping divides the jobs by something, such as their accounts.
type Grouping struct {
	By       string // a key: account, qos, partition, size, resource
	Name     string // in words
	Accounts bool   // the names are those of accounts
	Groups   []Group

	// Of says in which group each job is, -1 for none, in one or several layers: groups of
	// one layer have no job in common.
	Of [][]int32
}

// Group is a part of the jobs.
type Group struct {
	Name  string
	Level int      // below the root, from 0; groups that are in no tree have 0
	Paid  *float64 // part of the machine by its shares; nil if it has none
}

// GroupTable is what each group of a grouping got.
type GroupTable struct {
	By     string     `json:"by"`
	Name   string     `json:"name"`
	Groups []GroupRow `json:"groups"`
}

// GroupRow is what a group got in each run.
type GroupRow struct {
	Group string     `json:"group"`
	Level int        `json:"level"`
	Paid  *float64   `json:"paid"` // part of the machine by its shares; null if it has none
	Jobs  int        `json:"jobs"`
	Hours float64    `json:"core_hours"`
	Runs  []GroupRun `json:"runs"`
}

// GroupRun is what a group got in a run.
type GroupRun struct {
	Run      string             `json:"run"`
	Got      float64            `json:"got"`      // part of the processor time that jobs used in the window
	Measures map[string]float64 `json:"measures"` // by the keys of report.Groups
}

// groups measures all groupings.
func (s *studied) groups() []GroupTable {
	tables := []GroupTable{}
	for i := range s.in.Groupings {
		g := &s.in.Groupings[i]
		t := GroupTable{By: g.By, Name: g.Name}
		for _, group := range g.Groups {
			t.Groups = append(t.Groups, GroupRow{Group: group.Name, Level: group.Level, Paid: group.Paid})
		}
		for _, of := range g.Of {
			s.layer(&t, of)
		}
		t.Groups = slices.DeleteFunc(t.Groups, func(r GroupRow) bool { return r.Jobs == 0 })
		tables = append(tables, t)
	}
	return tables
}

func (s *studied) layer(t *GroupTable, of []int32) {
	n := len(t.Groups)
	for r := range s.runs {
		jobs := s.in.Runs[r].Jobs
		got, waits, busy, all := make([]report.Sample, n), make([][]float64, n), make([]float64, n), 0.0
		for i, k := range of {
			j := &jobs[i]
			used := inWindow(j, s.in.From, s.in.To)
			all += used
			if k < 0 {
				continue
			}
			busy[k] += used
			got[k].AddJob(j, j.Late(s.in.Accept))
			waits[k] = append(waits[k], float64(j.Start-j.Submit))
			if r == s.in.Baseline {
				t.Groups[k].Jobs++
				t.Groups[k].Hours += float64(j.Ran()) * float64(j.Procs) / 3600
			}
		}
		for k := range got {
			if len(waits[k]) == 0 {
				continue
			}
			got[k].Wait = report.PercentilesOf(waits[k])
			run := GroupRun{Run: s.in.Runs[r].Name, Measures: make(map[string]float64, len(report.Groups))}
			if all > 0 {
				run.Got = busy[k] / all
			}
			for _, m := range report.Groups {
				run.Measures[m.Key] = m.Of(&got[k])
			}
			t.Groups[k].Runs = append(t.Groups[k].Runs, run)
		}
	}
}

// inWindow returns the processor-seconds of a job between two moments.
func inWindow(j *report.Job, from, to ostrich.Time) float64 {
	return j.Busy() * float64(max(0, min(j.End, to)-max(j.Start, from)))
}

// groupTable shows a grouping. Of a run of which the record cannot tell, nothing is shown.
func (c *Comparison) groupTable(i int, long bool) format.Table {
	g := &c.Groups[i]
	t := format.Table{Title: "By " + g.Name, Names: 1, Header: []string{g.Name, "jobs", "core-hours", "paid for"}}
	shown := report.Groups
	if !long {
		shown = []*report.Measure{&report.WaitMean}
	}
	for _, f := range c.Runs {
		if !c.tells(f.Run) {
			continue
		}
		t.Header = append(t.Header, f.Run+": got")
		for _, m := range shown {
			t.Header = append(t.Header, f.Run+": "+m.Name)
		}
	}
	rows := slices.Clone(g.Groups)
	if !long && len(rows) > mostRows {
		slices.SortStableFunc(rows, func(a, b GroupRow) int { return cmp.Compare(b.Hours, a.Hours) })
		rows = slices.DeleteFunc(slices.Clone(g.Groups), func(r GroupRow) bool { return r.Hours < rows[mostRows-1].Hours })
		t.Title += ": those with the most core-hours, all with --long"
	}
	for _, row := range rows {
		cells := []any{format.Shown(strings.Repeat("  ", row.Level)+row.Group, row.Group), row.Jobs, hoursCell(row.Hours), format.Maybe(row.Paid, percentCell)}
		for _, run := range row.Runs {
			if !c.tells(run.Run) {
				continue
			}
			cells = append(cells, percentCell(run.Got))
			for _, m := range shown {
				cells = append(cells, valueCell(m.Unit, run.Measures[m.Key]))
			}
		}
		t.Add(cells...)
	}
	return t
}

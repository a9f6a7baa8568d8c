package comparison

import (
	"cmp"
	"fmt"
	"html/template"
	"math"
	"slices"
	"strconv"

	"slurm-ostrich/cmd/internal/svg"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/report"
)

// The Gantt chart shows the users with the most work in its window, and no more
// campaigns of each than are readable.
const (
	ganttUsers     = 10
	ganttCampaigns = 60
)

// gantt is the Gantt chart of a window. Each user has one lane for each run and
// one for the virtual schedule, with campaigns as bars.
type gantt struct {
	from, to ostrich.Time
	lanes    []string // the runs, then the virtual schedule if there is one
	users    []ganttUser
	left     int // users left out
}

// ganttUser is a user's part of the chart.
type ganttUser struct {
	name string
	bars [][]bar // by lane
	left int     // campaigns left out
}

// bar is a campaign on a lane. It waits from submission to its first start.
type bar struct {
	number                int // among the user's campaigns of the chart, from 1
	submit, start, finish float64
}

// gantt returns the chart of the input's window; nil if that has no length.
func (s *studied) gantt() *gantt {
	from, to := s.in.Window.From, s.in.Window.To
	if to <= from {
		return nil
	}
	g := &gantt{from: from, to: to}
	for r := range s.in.Runs {
		g.lanes = append(g.lanes, s.in.Runs[r].Name)
	}
	if len(s.in.Virtual) > 0 {
		g.lanes = append(g.lanes, "virtual schedule")
	}
	starts := s.firstStarts()
	virtual := make(map[int]Block) // by index of the campaign
	for _, b := range s.in.Virtual {
		if b.Campaign >= 0 && b.Campaign < len(s.place) && s.place[b.Campaign] >= 0 {
			virtual[s.place[b.Campaign]] = b
		}
	}
	seen := func(begin, end float64) bool { return begin < float64(to) && end > float64(from) }
	chosen, work := make([][]int, len(s.users)), make([]float64, len(s.users))
	for i := range s.campaign {
		shown := false
		for r := range s.runs {
			c := &s.runs[r].campaigns[i]
			shown = shown || seen(float64(c.Submit), float64(c.End))
		}
		if b, ok := virtual[i]; ok {
			shown = shown || seen(b.Start, b.End)
		}
		if shown {
			u := s.campaign[i]
			chosen[u] = append(chosen[u], i)
			work[u] += float64(s.runs[s.in.Baseline].campaigns[i].Work)
		}
	}
	order := slices.DeleteFunc(slices.Clone(s.owning), func(u int32) bool { return len(chosen[u]) == 0 })
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(work[b], work[a]) })
	for at, u := range order {
		if at == ganttUsers {
			g.left = len(order) - at
			break
		}
		g.users = append(g.users, s.ganttUser(int(u), chosen[u], starts, virtual, len(g.lanes)))
	}
	return g
}

// ganttUser returns the bars of a user's campaigns.
func (s *studied) ganttUser(u int, campaigns []int, starts [][]ostrich.Time, virtual map[int]Block, lanes int) ganttUser {
	one := ganttUser{name: s.labels[u], bars: make([][]bar, lanes)}
	base := s.runs[s.in.Baseline].campaigns
	if n := len(campaigns); n > ganttCampaigns { // keep those with the most work
		slices.SortStableFunc(campaigns, func(a, b int) int { return cmp.Compare(base[b].Work, base[a].Work) })
		campaigns, one.left = campaigns[:ganttCampaigns], n-ganttCampaigns
	}
	slices.SortFunc(campaigns, func(a, b int) int { return cmp.Or(cmp.Compare(base[a].Submit, base[b].Submit), cmp.Compare(a, b)) })
	for n, i := range campaigns {
		for r := range s.runs {
			c := &s.runs[r].campaigns[i]
			one.bars[r] = append(one.bars[r], bar{n + 1, float64(c.Submit), float64(starts[r][i]), float64(c.End)})
		}
		if b, ok := virtual[i]; ok {
			one.bars[lanes-1] = append(one.bars[lanes-1], bar{n + 1, b.Start, b.Start, b.End})
		}
	}
	return one
}

// firstStarts returns when campaigns first have a running job, by run.
func (s *studied) firstStarts() [][]ostrich.Time {
	list := make([][]ostrich.Time, len(s.runs))
	for r := range s.runs {
		list[r] = make([]ostrich.Time, len(s.campaign))
		for i := range list[r] {
			list[r][i] = math.MaxInt64
		}
		jobs := s.in.Runs[r].Jobs
		for i := range jobs {
			if n := jobs[i].Campaign; n >= 0 {
				list[r][s.place[n]] = min(list[r][s.place[n]], jobs[i].Start)
			}
		}
	}
	return list
}

// ganttChart draws the chart; "" if there is none.
func (c *Comparison) ganttChart() template.HTML {
	g := c.charts.gantt
	if g == nil || len(g.users) == 0 {
		return ""
	}
	chart := svg.Gantt{
		Text:  "Gantt chart of the campaigns of users, in each run and in the virtual schedule",
		Width: PageWidth, Lane: 15, X: c.times(g.from, g.to),
	}
	for _, u := range g.users {
		p := svg.Panel{Name: u.name, Lanes: g.lanes}
		for l, bars := range u.bars {
			class := svg.Run(l) + " sheer" // campaigns may overlap
			if l >= len(c.Runs) {
				class = "ink sheer"
			}
			for _, b := range bars {
				p.Boxes = append(p.Boxes, svg.Box{
					From: b.start, To: b.finish, Wait: b.start - b.submit, Top: float64(l) + 0.13, Height: 0.74, Class: class,
					Label: strconv.Itoa(b.number), What: fmt.Sprintf("campaign %d", b.number),
				})
			}
		}
		chart.Panels = append(chart.Panels, p)
	}
	return chart.Draw().Inline()
}

// BusiestDay is the day, from the first submission on, in which most
// processor-seconds were waited for. It ends with the last job.
func BusiestDay(jobs []report.Job) (from, to ostrich.Time) {
	const day = ostrich.Time(24 * 3600)
	begin, end := report.Span(jobs)
	waited := make(map[ostrich.Time]float64) // by day, as most days of a log with a wild time have nothing
	for i := range jobs {
		j := &jobs[i]
		for d := (j.Submit - begin) / day; d <= (j.Start-begin)/day; d++ {
			until, since := min(j.Start, begin+(d+1)*day), max(j.Submit, begin+d*day)
			waited[d] += float64(until-since) * float64(j.Procs)
		}
	}
	most := ostrich.Time(0)
	for d, area := range waited {
		if area > waited[most] || area == waited[most] && d < most {
			most = d
		}
	}
	return begin + most*day, min(begin+(most+1)*day, end)
}

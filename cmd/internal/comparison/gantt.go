package comparison

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"slurm-ostrich/cmd/internal/format"
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

// gantt returns the Gantt chart of the input's window, with a panel for each user, and
// what it leaves out, in words. A panel has a lane for each run and one for the virtual
// schedule, with campaigns as boxes. The chart is empty if the window has no length.
func (s *studied) gantt() (chart svg.Gantt, left string) {
	from, to := s.in.Window.From, s.in.Window.To
	if to <= from {
		return chart, ""
	}
	chart = svg.Gantt{
		Text:  "Gantt chart of the campaigns of users, in each run and in the virtual schedule",
		Width: PageWidth, Lane: 15, X: times(from, to, s.in.Location),
	}
	lanes := format.Texts(s.in.Runs, func(r Run) string { return r.Name })
	if len(s.in.Virtual) > 0 {
		lanes = append(lanes, "virtual schedule")
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
	for i, u := range s.campaign {
		b, ok := virtual[i]
		shown := ok && seen(b.Start, b.End)
		for r := range s.runs {
			c := &s.runs[r].campaigns[i]
			shown = shown || seen(float64(c.Submit), float64(c.End))
		}
		if shown {
			chosen[u] = append(chosen[u], i)
			work[u] += float64(s.runs[s.in.Baseline].campaigns[i].Work)
		}
	}
	users := slices.DeleteFunc(slices.Clone(s.owning), func(u int32) bool { return len(chosen[u]) == 0 })
	slices.SortStableFunc(users, func(a, b int32) int { return cmp.Compare(work[b], work[a]) })
	var more []string
	if n := len(users) - ganttUsers; n > 0 {
		users = users[:ganttUsers]
		more = append(more, format.Plural(n, "user")+" with less work in this window")
	}
	campaigns := 0
	for _, u := range users {
		campaigns += max(0, len(chosen[u])-ganttCampaigns)
		chart.Panels = append(chart.Panels, svg.Panel{Name: s.labels[u], Lanes: lanes, Boxes: s.boxes(chosen[u], starts, virtual)})
	}
	if campaigns > 0 {
		more = append(more, format.Plural(campaigns, "campaign")+" with less work of users with many")
	}
	if len(more) > 0 {
		left = "Left out: " + format.List(more) + "."
	}
	return chart, left
}

// boxes returns a user's campaigns, by lane: numbered by submission, and no more than are
// readable, those with the most work. A campaign waits from submission to its first start.
func (s *studied) boxes(campaigns []int, starts [][]ostrich.Time, virtual map[int]Block) []svg.Box {
	base := s.runs[s.in.Baseline].campaigns
	slices.SortStableFunc(campaigns, func(a, b int) int { return cmp.Compare(base[b].Work, base[a].Work) })
	campaigns = campaigns[:min(len(campaigns), ganttCampaigns)]
	slices.SortFunc(campaigns, func(a, b int) int { return cmp.Or(cmp.Compare(base[a].Submit, base[b].Submit), cmp.Compare(a, b)) })
	var list []svg.Box
	for lane := range len(s.runs) + 1 {
		for n, i := range campaigns {
			box := svg.Box{Top: float64(lane) + 0.13, Height: 0.74, Label: strconv.Itoa(n + 1), What: fmt.Sprintf("campaign %d", n+1)}
			if lane < len(s.runs) {
				c, start := &s.runs[lane].campaigns[i], float64(starts[lane][i])
				box.From, box.To, box.Wait, box.Class = start, float64(c.End), start-float64(c.Submit), svg.Run(lane)+" sheer" // they may overlap
			} else if b, ok := virtual[i]; ok {
				box.From, box.To, box.Class = b.Start, b.End, "ink sheer"
			} else {
				continue
			}
			list = append(list, box)
		}
	}
	return list
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

// BusiestDay returns the day, from the first submission on, in which most
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

package figures

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"slurm-ostrich/cmd/internal/format"
	"slurm-ostrich/cmd/internal/svg"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/report"
	"slurm-ostrich/ostrich/sim"
	"slurm-ostrich/ostrich/trace"
)

// ppamReading is a way to read PPAM section 6.
type ppamReading struct {
	users int
	short int              // in each group of short+long users, those with short jobs
	long  int              // and those with long ones
	think ostrich.Duration // between campaigns
	first uint64           // seed of the first instance
}

// nearestPPAM is the reading whose numbers are nearest to the paper's, see
// docs/reproduction.md.
var nearestPPAM = ppamReading{users: 20, short: 2, long: 1, think: 3600}

const ppamProcs = 64

// The compared algorithms.
var (
	ppamFCFS    = sim.Machine{Procs: ppamProcs, Policy: sim.FCFSCampaigns}
	ppamOStrich = sim.Machine{Procs: ppamProcs, Policy: strict}
)

var strict = sim.OStrich(ostrich.Options{Gate: ostrich.Strict})

// stretched are the stretches of the campaigns of one instance, and the largest
// stretch of each user, by profile: 0 is short and 1 is long.
type stretched struct{ campaigns, users [2][]float64 }

func (r ppamReading) isLong(u ostrich.UserID) int {
	if (int(u)-1)%(r.short+r.long) < r.short {
		return 0
	}
	return 1
}

func (r ppamReading) draw(seed uint64) ([]sim.Campaign, error) {
	model := trace.PPAM(r.users)
	model.Profiles = slices.Concat(slices.Repeat(model.Profiles[:1], r.short), slices.Repeat(model.Profiles[1:2], r.long))
	log, err := model.Generate(seed)
	if err != nil {
		return nil, fmt.Errorf("figures: %w", err)
	}
	seen := make(map[int64]bool)
	var list []sim.Campaign
	for _, records := range drawn(log) {
		c := sim.Campaign{User: ostrich.UserID(records[0].User), Jobs: make([]*sim.Job, len(records))}
		if seen[records[0].User] {
			c.Think = r.think
		}
		seen[records[0].User] = true
		for i := range records {
			p := ostrich.Duration(records[i].Run)
			c.Jobs[i] = &sim.Job{User: c.User, ID: ostrich.JobID(records[i].Number), Procs: 1, Run: p, Estimate: p}
		}
		list = append(list, c)
	}
	return list, nil
}

// instance replays an instance in a closed loop.
func (r ppamReading) instance(loop sim.Machine, seed uint64) (stretched, error) {
	var s stretched
	campaigns, err := r.draw(seed)
	if err != nil {
		return s, err
	}
	jobs, err := loop.Run(campaigns)
	if err != nil {
		return s, fmt.Errorf("figures: %w", err)
	}
	worst := make([]float64, r.users+1) // by user, from 1
	ran := report.Campaigns(jobs)
	for i := range ran {
		d, profile := ran[i].Stretch(ppamProcs), r.isLong(ran[i].User)
		s.campaigns[profile] = append(s.campaigns[profile], d)
		worst[ran[i].User] = max(worst[ran[i].User], d)
	}
	for u, d := range worst {
		if d > 0 {
			profile := r.isLong(ostrich.UserID(u))
			s.users[profile] = append(s.users[profile], d)
		}
	}
	return s, nil
}

// measure replays n instances in each loop, and joins the results of each
// loop.
func (r ppamReading) measure(ctx context.Context, in Input, loops []sim.Machine, n int) ([]stretched, error) {
	all, err := instances(ctx, in, len(loops)*n, func(i int) (stretched, error) {
		return r.instance(loops[i/n], r.first+uint64(i%n))
	})
	if err != nil {
		return nil, err
	}
	sums := make([]stretched, len(loops))
	for i, s := range all {
		sum := &sums[i/n]
		for profile := range s.campaigns {
			sum.campaigns[profile] = append(sum.campaigns[profile], s.campaigns[profile]...)
			sum.users[profile] = append(sum.users[profile], s.users[profile]...)
		}
	}
	return sums, nil
}

// count returns how many campaigns have a stretch from low to below high, and how
// many there are.
func (s *stretched) count(low, high float64) (within, all int) {
	campaigns := slices.Concat(s.campaigns[:]...)
	for _, v := range campaigns {
		if v >= low && v < high {
			within++
		}
	}
	return within, len(campaigns)
}

func (s *stretched) above20() (part float64, above int) {
	below, all := s.count(0, 20+1e-9)
	return float64(all-below) / float64(all), all - below
}

// intervals are those of Fig. 2a; the paper's text gives the bounds 2 and 20.
var intervals = []struct {
	name      string
	low, high float64
}{
	{"below 2", 0, 2},
	{"2–5", 2, 5},
	{"5–10", 5, 10},
	{"10–20", 10, 20 + 1e-9},
	{"above 20", 20 + 1e-9, 1e300},
}

// drawProfiles draws PPAM Fig. 2, thesis Fig. 5.12 and 5.13.
func drawProfiles(ctx context.Context, in Input) (*Result, error) {
	n, r := in.either(10, 40), nearestPPAM
	measured, err := r.measure(ctx, in, []sim.Machine{ppamFCFS, ppamOStrich}, n)
	if err != nil {
		return nil, err
	}
	fcfs, fairly := &measured[0], &measured[1]
	partF, manyF := fcfs.above20()
	partO, manyO := fairly.above20()
	lowF, _ := fcfs.count(0, 2)
	lowO, all := fairly.count(0, 2)
	mean := func(s *stretched, profile int) string {
		return plusMinus(s.users[profile], withDecimals(1))
	}
	const why = "the number of users, their profiles and think times are not in the paper"
	return of(
		fmt.Sprintf("%d instances of 10^4 jobs on m = 64 processors, replayed in a closed loop. Short users have jobs of 1 s to 1 h, long users of 1 h "+
			"to 10 h; a job opens a new campaign with probability 0.02, and each user is equally likely to own it.\n\n"+
			"The paper does not tell how many users there are, how many of them are short, and their think times. Taken here: %d users, two short ones "+
			"to each long one, think times of 1 h, FCFS of campaigns, OStrich with a strict gate and LPT inside. The stretch is that of campaigns, "+
			"against max(W/m, p_max), and that of a user is the largest of the user's campaigns. docs/reproduction.md says which others were tried.\n\n"+
			"Thesis figures 5.12 and 5.13 are the two parts of this one.", n, r.users),
		[]Number{
			{What: "campaigns", Paper: "117 are 1.3 %, so 9000; more than 2600 are 42.3 %, so 6150", Ours: strconv.Itoa(all), Why: "10^4 jobs with probability 0.02 make some 200 an instance, and 8000 in 40; the two numbers of the paper contradict each other"},
			{What: "campaigns above 20, FCFS", Paper: "42.3 % (more than 2600)", Ours: fmt.Sprintf("%s (%d)", format.Percent(partF), manyF), Why: why},
			{What: "campaigns above 20, OStrich", Paper: "1.3 % (117)", Ours: fmt.Sprintf("%s (%d)", format.Percent(partO), manyO), Why: why},
			{What: "campaigns below 2, OStrich/FCFS", Paper: "more than twice", Ours: decimals(float64(lowO)/float64(lowF), 2)},
			{What: "mean max-stretch of short users, FCFS", Paper: "above 50", Ours: mean(fcfs, 0), Why: why},
			{What: "mean max-stretch of short users, OStrich", Paper: "12.8", Ours: mean(fairly, 0), Why: why},
			{What: "mean max-stretch of long users, FCFS", Paper: "6.3", Ours: mean(fcfs, 1), Why: why},
			{What: "mean max-stretch of long users, OStrich", Paper: "6.8", Ours: mean(fairly, 1), Why: why},
		}, intervalChart(measured), profileChart(measured)), nil
}

// pair returns the bars of FCFS and OStrich, side by side.
func pair(bars [2][]svg.Bar, base float64) []svg.Series {
	return []svg.Series{{Name: "FCFS", Class: "bar " + old, Bars: bars[0], Base: base}, {Name: "OStrich", Class: "bar " + fair, Bars: bars[1], Base: base}}
}

func intervalChart(measured []stretched) plot {
	table := Table{Name: "ppam-2a", Header: []string{"stretch", "fcfs", "ostrich"}}
	x := svg.Axis{Title: "stretch", Min: -0.6, Max: float64(len(intervals)) - 0.4}
	var bars [2][]svg.Bar
	top := 0.0
	for i, interval := range intervals {
		row := []any{interval.name}
		for a := range measured {
			within, all := measured[a].count(interval.low, interval.high)
			from, part := float64(i)-0.36+0.38*float64(a), 100*float64(within)/float64(all)
			bars[a] = append(bars[a], svg.Bar{From: from, To: from + 0.34, Height: part})
			top = max(top, part)
			row = append(row, within)
		}
		table.add(row...)
		x.Ticks = append(x.Ticks, svg.Tick{At: float64(i), Label: interval.name})
	}
	c := svg.Chart{
		Name: "ppam-2a", Title: "Stretch of all campaigns", X: x, Y: svg.UpTo("campaigns (%)", 1.2*top), // with room for the legend
		Text:   "Parts of the campaigns by stretch: OStrich has most at low stretch and few above 20, FCFS has many above 20.",
		Series: pair(bars, 0),
	}
	return plot{c.Draw(), table}
}

func profileChart(measured []stretched) plot {
	table := Table{Name: "ppam-2b", Header: []string{"users", "policy", "users_counted", "max_stretch_mean", "half_interval"}}
	var bars [2][]svg.Bar
	for a := range measured {
		for profile, name := range []string{"short", "long"} {
			users := measured[a].users[profile]
			mean, half := confident(users)
			from := float64(profile) - 0.3 + 0.31*float64(a)
			bars[a] = append(bars[a], svg.Bar{From: from, To: from + 0.28, Height: mean})
			table.add(name, []string{"FCFS", "OStrich"}[a], len(users), decimals(mean, 4), decimals(half, 4))
		}
	}
	c := svg.Chart{
		Name: "ppam-2b", Title: "Largest stretch of a user's campaigns, mean over users", Right: true,
		Text:   "Mean of the largest stretch by profile: short users suffer under FCFS and far less under OStrich, long users are alike.",
		X:      svg.Axis{Min: -0.6, Max: 1.6, Ticks: []svg.Tick{{At: 0, Label: "users with short jobs"}, {At: 1, Label: "users with long jobs"}}},
		Y:      svg.Log("max-stretch", 1, 100),
		Series: pair(bars, 1),
	}
	return plot{c.Draw(), table}
}

package simulation

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/urfave/cli/v2"

	"slurm-ostrich/cmd/internal/configuration"
	"slurm-ostrich/cmd/internal/console"
	"slurm-ostrich/cmd/internal/format"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/bot"
	"slurm-ostrich/ostrich/campaign"
	"slurm-ostrich/ostrich/sim/swf"
	"slurm-ostrich/ostrich/trace"
)

// FitOptions say to which logs the model of bags-of-tasks is fitted, in the words
// of a command line.
type FitOptions struct {
	Logs cli.StringSlice
	LogOptions
}

// Flags returns the options, which fill o.
func (o *FitOptions) Flags() []cli.Flag {
	return []cli.Flag{
		&cli.StringSliceFlag{Name: "fit", Usage: "of bot: fit the model to `LOG`, once for each log, and draw nothing", Destination: &o.Logs},
		&cli.StringFlag{Name: "rule", Usage: "of --fit: the jobs of a user that are a bag: `RULE` is " + console.List(RuleNames), DefaultText: "arrival, or fields where the log names preceding jobs and no waits", Destination: &o.Rule},
		configuration.NewSpanFlag(&o.Threshold, 2*time.Minute, "threshold", "of --fit: `TIME` of the rules arrival and window", ""),
	}
}

// Has reports whether an option goes with --fit.
func (o *FitOptions) Has(name string) bool {
	return slices.ContainsFunc(slices.Concat(o.Flags(), console.Formats("")), func(f cli.Flag) bool { return slices.Contains(f.Names(), name) })
}

// Fitting is the model of bags-of-tasks, fitted to logs.
type Fitting struct {
	Logs    []FittedLog   `json:"logs"`
	Average *FittedSystem `json:"average"` // null for one log
}

// FittedLog is one log.
type FittedLog struct {
	Log  string  `json:"log"`
	Rule string  `json:"rule"`
	Jobs int     `json:"jobs"`
	Bags int     `json:"bags"` // of two or more tasks
	Size float64 `json:"mean_size"`
	FittedSystem
}

// FittedSystem is the model of one log, or of the average system. That has the best
// distributions only, and D is the mean.
type FittedSystem struct {
	Alpha           float64          `json:"zipf_alpha"`
	Users           int              `json:"users"`
	Characteristics []FittedFamilies `json:"characteristics"`
}

// FittedFamilies are the candidates of a characteristic.
type FittedFamilies struct {
	Name   string         `json:"name"`
	Values int            `json:"values"` // that were fitted to
	Fits   []FittedFamily `json:"fits"`
}

// FittedFamily is a candidate.
type FittedFamily struct {
	Family     string    `json:"distribution"`
	Parameters []float64 `json:"parameters"`
	D          float64   `json:"d"`
	Best       bool      `json:"best"`

	text string // as in the paper
}

// Fit fits the model.
func (o *FitOptions) Fit(ctx context.Context) (*Fitting, error) {
	var all Fitting
	var fitted []*bot.Fitted
	for _, path := range o.Logs.Value() {
		log, f, err := o.one(ctx, path)
		if err != nil {
			return nil, err
		}
		all.Logs, fitted = append(all.Logs, *log), append(fitted, f)
	}
	mean := bot.Mean(fitted)
	average := &FittedSystem{Alpha: mean.Users.Alpha, Users: mean.Users.Users}
	for i, name := range bot.Characteristics {
		of := FittedFamilies{Name: name, Fits: []FittedFamily{familyOf(mean.Fits[i], true)}}
		for k, f := range fitted {
			best := bot.Best(f.Fits[i], mean.Fits[i].Family)
			c := FittedFamilies{Name: name, Values: f.Counts[i]}
			for _, one := range f.Fits[i] {
				c.Fits = append(c.Fits, familyOf(one, one == best))
			}
			all.Logs[k].Characteristics = append(all.Logs[k].Characteristics, c)
			of.Values += c.Values
		}
		average.Characteristics = append(average.Characteristics, of)
	}
	if len(fitted) > 1 {
		all.Average = average
	}
	return &all, nil
}

func familyOf(f bot.Fit, best bool) FittedFamily {
	return FittedFamily{Family: f.Family.String(), Parameters: f.Parameters(), D: f.D, Best: best, text: f.String()}
}

func (o *FitOptions) one(ctx context.Context, path string) (*FittedLog, *bot.Fitted, error) {
	// The width of the machine does not matter.
	options := o.LogOptions
	options.Procs, options.Load = 1, 1
	options.Given = func(name string) bool {
		return name == "procs" || name == "threshold" && o.Rule != "" && o.WasGiven(name)
	}
	log, err := options.Read(ctx, path)
	if err != nil {
		return nil, nil, err
	}
	w, err := options.Take(path, log, RuleNames, swf.Exact)
	if err != nil {
		return nil, nil, err
	}
	switch {
	case o.Rule != "":
	case w.Rule.Fields && o.WasGiven("threshold"):
		return nil, nil, fmt.Errorf("%s: --threshold goes with --rule arrival or window; the fields of this log name its bags", path)
	case !w.Rule.Fields:
		w.Rule.Rule = campaign.Rule{By: campaign.Arrival, Threshold: ostrich.Duration(o.Threshold / time.Second)}
	}
	campaigns, err := w.Rule.campaigns(w.Jobs)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	seen := bot.Observe(campaigns, midnight(log))
	f, err := seen.Fit()
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	rule := w.Rule.name()
	if w.Rule.Threshold > 0 {
		rule += " " + o.Threshold.String()
	}
	return &FittedLog{
		Log: w.Name, Rule: rule, Jobs: len(w.Jobs), Bags: seen.Bags, Size: seen.Mean,
		FittedSystem: FittedSystem{Alpha: f.Users.Alpha, Users: f.Users.Users},
	}, f, nil
}

// midnight returns how many seconds after midnight a log begins, in the time zone
// of its header if that names one, or else in UTC.
func midnight(log *trace.Log) int64 {
	zone := time.UTC
	if name, ok := log.Value("TimeZoneString"); ok {
		if z, err := time.LoadLocation(name); err == nil {
			zone = z
		}
	}
	start := time.Unix(log.Number("UnixStartTime"), 0).In(zone)
	return int64(start.Hour()*3600 + start.Minute()*60 + start.Second())
}

// Table returns a row for each distribution.
func (f *Fitting) Table() format.Table {
	t := format.Table{Header: []string{"LOG", "CHARACTERISTIC", "DISTRIBUTION", "PARAMETERS", "D", "VALUES", "BEST"}}
	rows := func(log string, jobs any, s *FittedSystem) {
		t.Add(log, "users", "zipf", bot.Zipf{Alpha: s.Alpha, Users: s.Users}, "", jobs, "*")
		for _, c := range s.Characteristics {
			for _, one := range c.Fits {
				best := ""
				if one.Best {
					best = "*"
				}
				t.Add(log, c.Name, one.Family, one.text, fmt.Sprintf("%.3f", one.D), c.Values, best)
			}
		}
	}
	for _, l := range f.Logs {
		if t.Title != "" {
			t.Title += "\n"
		}
		t.Title += fmt.Sprintf("%s: %d bags of two or more tasks, %.1f in the mean, by rule %s", l.Log, l.Bags, l.Size, l.Rule)
		rows(l.Log, l.Jobs, &l.FittedSystem)
	}
	if f.Average != nil {
		rows("average", "", f.Average)
	}
	return t
}

package simulation

import (
	"cmp"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"slurm-ostrich/cmd/internal/atomicfile"
	"slurm-ostrich/cmd/internal/configuration"
	"slurm-ostrich/cmd/internal/console"
	"slurm-ostrich/ostrich/bot"
	"slurm-ostrich/ostrich/trace"
)

// Generator draws workloads.
type Generator interface {
	Generate(seed uint64) (*trace.Log, error)
}

// models are the workloads of the papers, and one with programs. means are the
// options that not all of them have.
var models = []struct {
	name  string
	of    func(o *ModelOptions) (Generator, error)
	means []string
}{
	{"hipc", paper(trace.HiPC), []string{"new", "owners", "exponent", "lengths", "think"}},
	{"ppam", paper(trace.PPAM), []string{"new", "owners", "exponent", "lengths", "think"}},
	{"programs", (*ModelOptions).programs, []string{"load"}},
	{"bot", (*ModelOptions).bags, []string{"load", "system", "bags", "exponent", "streams", "days", "arrivals", "median-size", "base", "mean-run", "max-run"}},
}

// ModelNames returns the names of the models.
func ModelNames() []string {
	var names []string
	for _, m := range models {
		names = append(names, m.name)
	}
	return names
}

// ModelOptions change a model of a workload, in the words of a command line.
type ModelOptions struct {
	Users, Jobs   int
	Procs         int64
	New, Exponent float64
	Owners        string
	Lengths       cli.StringSlice
	Load          float64
	Think         time.Duration
	System        string
	Bags          int
	Streams       int
	Days          float64
	Arrivals      string
	MedianSize    float64
	Base          string
	MeanRun       time.Duration
	MaxRun        time.Duration

	Given func(option string) bool // reports whether an option was given
	settings
}

func (o *ModelOptions) given(option string) bool { return o.Given != nil && o.Given(option) }

// Flags returns the options, which fill o.
func (o *ModelOptions) Flags() []cli.Flag {
	return []cli.Flag{
		&cli.IntFlag{Name: "users", Usage: "`NUMBER` of users; of bot: the system's", Value: 20, Destination: &o.Users},
		&cli.IntFlag{Name: "jobs", Usage: "`NUMBER` of jobs", Value: 10_000, Destination: &o.Jobs},
		&cli.Int64Flag{Name: "procs", Usage: "`PROCESSORS` of the machine, for the header", DefaultText: "the model's, or those of --load", Destination: &o.Procs},
		&cli.Float64Flag{Name: "new", Usage: "`PROBABILITY` that a job opens a campaign", DefaultText: "the model's", Destination: &o.New},
		&cli.StringFlag{Name: "owners", Usage: "how the owner of a campaign is drawn: `DISTRIBUTION` is " + console.List(trace.OwnerNames), DefaultText: "the model's", Destination: &o.Owners},
		&cli.Float64Flag{Name: "exponent", Usage: "`EXPONENT` of zipf", DefaultText: "the model's", Destination: &o.Exponent},
		&cli.StringSliceFlag{Name: "lengths", Usage: "`SHORTEST-LONGEST` job in seconds of a kind of users, once for each kind, given to the users in turn", DefaultText: "the model's", Destination: &o.Lengths},
		&cli.Float64Flag{Name: "load", Usage: "of programs and bot: `PART` of the machine that the jobs use, which makes its size", Value: 0.85, Destination: &o.Load},
		configuration.NewSpanFlag(&o.Think, 0, "think", "think `TIME` between a user's campaigns, whole seconds", "the model's: 0s"),
		&cli.StringFlag{Name: "system", Usage: "of bot: the system whose parameters are taken: `SYSTEM` is " + console.List(bot.SystemNames()), Value: "avg", Destination: &o.System},
		&cli.IntFlag{Name: "bags", Usage: "of bot: `NUMBER` of bags, all of them whole, in place of --jobs", DefaultText: "as many as --jobs takes", Destination: &o.Bags},
		&cli.IntFlag{Name: "streams", Usage: "of bot: `NUMBER` of streams of bags, each with users of its own, one for each cluster of a platform (field 16)", DefaultText: "one, and no clusters", Destination: &o.Streams},
		&cli.Float64Flag{Name: "days", Usage: "of bot: `NUMBER` of days in which all bags come, by the system's daily cycle", DefaultText: "as many as the system's take", Destination: &o.Days},
		&cli.StringFlag{Name: "arrivals", Usage: "of bot: `PATTERN` is " + console.List(bot.ArrivalNames), Value: bot.ArrivalNames[bot.Daily], Destination: &o.Arrivals},
		&cli.Float64Flag{Name: "median-size", Usage: "of bot: median `NUMBER` of tasks of a bag, to which sizes are scaled", DefaultText: "the system's", Destination: &o.MedianSize},
		&cli.StringFlag{Name: "base", Usage: "of bot: `BASE` of the logarithms of run times and of their variance, " + console.List(bot.BaseNames), Value: bot.BaseNames[bot.Two], Destination: &o.Base},
		configuration.NewSpanFlag(&o.MeanRun, 0, "mean-run", "of bot: mean run `TIME` of all tasks, to which they are scaled", "what is drawn"),
		configuration.NewSpanFlag(&o.MaxRun, 0, "max-run", "of bot: longest run `TIME`, to which longer ones are cut; --mean-run is the mean of what is left", "none is cut"),
	}
}

// DefaultModel returns options with their defaults.
func DefaultModel() *ModelOptions {
	o := &ModelOptions{}
	o.begin("generate", o.Flags())
	o.Given = o.has
	return o
}

// Model returns the model of a name, changed by the options.
func (o *ModelOptions) Model(name string) (Generator, error) {
	i, err := console.Named[uint8](ModelNames(), name)
	if err != nil {
		return nil, err
	}
	if err := cmp.Or(counted("users", o.Users), counted("jobs", o.Jobs)); err != nil {
		return nil, err
	}
	for _, other := range models {
		for _, option := range other.means {
			if o.given(option) && !slices.Contains(models[i].means, option) {
				return nil, fmt.Errorf("--%s means nothing to %s", option, models[i].name)
			}
		}
	}
	return models[i].of(o)
}

// mostDrawn is how many users, jobs, bags and streams a drawn log may have: some 15 GB of jobs.
const mostDrawn = 100_000_000

// counted returns an error for a number of them that is none.
func counted(option string, n int) error {
	switch {
	case n < 1:
		return fmt.Errorf("--%s %d: at least 1", option, n)
	case n > mostDrawn:
		return fmt.Errorf("--%s %d: at most %d", option, n, mostDrawn)
	}
	return nil
}

// sized returns an error for invalid options on the size of a machine, of a model that has
// --load.
func (o *ModelOptions) sized() error {
	switch {
	case o.given("procs") && o.given("load"):
		return errors.New("--load makes the size of the machine, which --procs names")
	case o.given("procs") && o.Procs < 1:
		return fmt.Errorf("--procs %d: at least 1", o.Procs)
	case !(o.Load > 0):
		return fmt.Errorf("--load %v: must be above 0", o.Load)
	}
	return nil
}

func (o *ModelOptions) programs() (Generator, error) {
	return trace.Programs{Jobs: o.Jobs, Users: o.Users, Procs: o.Procs, Load: o.Load}, o.sized()
}

func (o *ModelOptions) bags() (Generator, error) {
	i := slices.Index(bot.SystemNames(), o.System)
	switch {
	case o.System == "min":
		return nil, fmt.Errorf("--system min: Table 3 of the paper has no such row; its rows are %s", console.List(bot.SystemNames()))
	case i < 0:
		return nil, fmt.Errorf("--system %q: must be %s", o.System, console.List(bot.SystemNames()))
	case o.given("bags") && o.given("jobs"):
		return nil, errors.New("--jobs and --bags: name one of them")
	case o.given("bags") && counted("bags", o.Bags) != nil:
		return nil, counted("bags", o.Bags)
	case o.given("streams") && counted("streams", o.Streams) != nil:
		return nil, counted("streams", o.Streams)
	case o.Streams > mostDrawn/o.Users:
		return nil, fmt.Errorf("--streams %d: at most %d users in all", o.Streams, mostDrawn)
	}
	arrivals, err := console.Named[bot.Arrivals](bot.ArrivalNames, o.Arrivals)
	if err != nil {
		return nil, fmt.Errorf("--arrivals %w", err)
	}
	base, err := console.Named[bot.Base](bot.BaseNames, o.Base)
	if err != nil {
		return nil, fmt.Errorf("--base %w", err)
	}
	m := bot.Model{
		System: bot.Systems[i], Bags: o.Bags, Tasks: o.Jobs, Procs: o.Procs, Load: o.Load,
		Streams: o.Streams, Days: o.Days, Arrivals: arrivals, MedianSize: o.MedianSize, Base: base,
		MeanRun: o.MeanRun.Seconds(), MaxRun: o.MaxRun.Seconds(),
	}
	switch {
	case o.given("median-size") && o.MedianSize == 0, o.given("mean-run") && o.MeanRun == 0, o.given("max-run") && o.MaxRun == 0, o.given("days") && o.Days == 0:
		return nil, errors.New("--median-size, --mean-run, --max-run and --days: must be above 0")
	}
	if o.given("users") {
		m.Users.Users = o.Users
	}
	if o.given("exponent") {
		m.Users.Alpha = o.Exponent
	}
	return m, o.sized()
}

// paper returns a function that makes a model of the papers, changed by the options.
func paper(model func(users int) trace.Model) func(*ModelOptions) (Generator, error) {
	return func(o *ModelOptions) (_ Generator, err error) {
		m := model(o.Users)
		m.Jobs = o.Jobs
		if o.given("procs") {
			m.Procs = o.Procs
		}
		if o.given("new") {
			m.New = o.New
		}
		if o.given("owners") {
			if m.Owners, err = console.Named[trace.Owners](trace.OwnerNames, o.Owners); err != nil {
				return m, fmt.Errorf("--owners %w", err)
			}
		}
		if o.given("exponent") {
			m.Exponent = o.Exponent
		}
		if o.given("lengths") {
			m.Profiles = nil
			for _, text := range o.Lengths.Value() {
				var p trace.Profile
				if n, err := fmt.Sscanf(text+"\n", "%d-%d\n", &p.Shortest, &p.Longest); n != 2 || err != nil {
					return m, fmt.Errorf("--lengths %q: not SHORTEST-LONGEST in seconds", text)
				}
				m.Profiles = append(m.Profiles, p)
			}
		}
		if o.given("think") {
			if o.Think%time.Second != 0 {
				return m, fmt.Errorf("--think %v: not in whole seconds", o.Think)
			}
			m.Think = int64(o.Think / time.Second)
		}
		return m, nil
	}
}

// Generate writes a drawn workload into a file, compressed if its name ends in
// .gz, or to stdout if path is "".
func Generate(ctx context.Context, g Generator, seed uint64, path string, stdout io.Writer) error {
	var log *trace.Log
	err := console.Await(ctx, func() (err error) {
		log, err = g.Generate(seed)
		return err
	})
	if err != nil {
		return err
	}
	return WriteWhole(ctx, path, stdout, log.Write)
}

// WriteWhole writes a file whole or not at all, compressed if its name ends in .gz; or to stdout,
// without a path.
func WriteWhole(ctx context.Context, path string, stdout io.Writer, write func(io.Writer) error) error {
	to := func(w io.Writer) error {
		w = untilDone{ctx, w}
		if !strings.HasSuffix(path, ".gz") {
			return write(w)
		}
		z := gzip.NewWriter(w)
		return errors.Join(write(z), z.Close())
	}
	var err error
	if path == "" {
		err = to(stdout)
	} else {
		err = atomicfile.Write(path, to)
	}
	if errors.Is(err, context.Canceled) {
		return console.ErrInterrupted
	}
	return err
}

// untilDone writes until the context is done.
type untilDone struct {
	context.Context
	w io.Writer
}

func (u untilDone) Write(p []byte) (int, error) {
	if err := u.Err(); err != nil {
		return 0, err
	}
	return u.w.Write(p)
}

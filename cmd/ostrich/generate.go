package main

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"slurm-ostrich/cmd/internal/atomicfile"
	"slurm-ostrich/cmd/internal/console"
	"slurm-ostrich/ostrich/trace"
)

// generator draws workloads.
type generator interface {
	Generate(seed uint64) (*trace.Log, error)
}

// models are the workloads of the papers, for a number of users, and one with
// programs, where of is nil.
var models = []struct {
	name string
	of   func(users int) trace.Model
}{
	{"hipc", trace.HiPC},
	{"ppam", trace.PPAM},
	{"programs", nil},
}

func generateCommand() *cli.Command {
	return plainCommand(cli.Command{
		Name:      "generate",
		Usage:     "write a workload of campaigns, as the papers draw them or with programs, in the Standard Workload Format",
		ArgsUsage: "hipc|ppam|programs",
		Description: "  hipc      HiPC 2012, section VII: 10 processors, jobs of 1 to 100 s, few users own most campaigns\n" +
			"  ppam      PPAM 2013, section 6: 64 processors, users with jobs of up to an hour and users with jobs of up to ten\n" +
			"  programs  users with some programs each (field 14), of lengths of their own, coarse limits, and failures\n\n" +
			"Fields 17 and 18 say to which campaign a job belongs: its preceding job is the last one of the user's campaign\n" +
			"before, all of which has to end, and the think time follows. Submit times are those of a user alone on an\n" +
			"unlimited machine. The same options give the same log. Replay it with \"ostrich simulate --replay closed\".\n\n" +
			"Exit code: 0 written, 1 an error, 130 interrupted. The file is written whole or not at all.",
	}, []cli.Flag{
		&cli.IntFlag{Name: "users", Usage: "`NUMBER` of users", Value: 20},
		&cli.Uint64Flag{Name: "seed", Usage: "`NUMBER` that the draw begins with", Value: 1},
		&cli.IntFlag{Name: "jobs", Usage: "`NUMBER` of jobs", Value: 10_000},
		&cli.Int64Flag{Name: "procs", Usage: "`PROCESSORS` of the machine, for the header", DefaultText: "the model's, or those of --load"},
		&cli.Float64Flag{Name: "new", Usage: "`PROBABILITY` that a job opens a campaign", DefaultText: "the model's"},
		&cli.StringFlag{Name: "owners", Usage: "how the owner of a campaign is drawn: `DISTRIBUTION` is " + console.List(trace.OwnerNames), DefaultText: "the model's"},
		&cli.Float64Flag{Name: "exponent", Usage: "`EXPONENT` of zipf", DefaultText: "the model's"},
		&cli.StringSliceFlag{Name: "lengths", Usage: "`SHORTEST-LONGEST` job in seconds of a kind of users, once for each kind, given to the users in turn", DefaultText: "the model's"},
		&cli.Float64Flag{Name: "load", Usage: "of programs: `PART` of the machine that the jobs use, which makes its size", Value: 0.85},
		&cli.DurationFlag{Name: "think", Usage: "think `TIME` between a user's campaigns, whole seconds", DefaultText: "the model's: 0s"},
		&cli.StringFlag{Name: "out", Aliases: []string{"o"}, Usage: "`FILE` to write, compressed if it ends in .gz", DefaultText: "standard output"},
	}, generate)
}

func generate(c *cli.Context) error {
	if c.NArg() != 1 {
		return errors.New("generate: name a model: hipc, ppam or programs")
	}
	m, err := model(c, c.Int("jobs"))
	if err != nil {
		return fmt.Errorf("generate: %w", err)
	}
	if err = console.Writable(c, "out"); err != nil {
		return fmt.Errorf("generate: %w", err)
	}
	var log *trace.Log
	err = console.Await(c.Context, func() (err error) {
		log, err = m.Generate(c.Uint64("seed"))
		return err
	})
	if err != nil {
		return err
	}
	path := c.String("out")
	write := func(w io.Writer) error {
		w = untilDone{c.Context, w}
		if !strings.HasSuffix(path, ".gz") {
			return log.Write(w)
		}
		z := gzip.NewWriter(w)
		return errors.Join(log.Write(z), z.Close())
	}
	if path == "" {
		err = write(c.App.Writer)
	} else {
		err = atomicfile.Write(path, write)
	}
	if errors.Is(err, context.Canceled) {
		return console.Interrupted
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

// model is the model of so many jobs that the command names, changed by its
// options.
func model(c *cli.Context, jobs int) (generator, error) {
	names := make([]string, len(models))
	for i := range models {
		names[i] = models[i].name
	}
	i, err := console.Named[uint8](names, c.Args().First())
	if err != nil {
		return nil, err
	}
	other := []string{"load"}
	if models[i].of == nil {
		other = []string{"new", "owners", "exponent", "lengths", "think"}
	}
	for _, option := range other {
		if c.IsSet(option) {
			return nil, fmt.Errorf("--%s means nothing to %s", option, models[i].name)
		}
	}
	if models[i].of != nil {
		return paperModel(c, models[i].of(c.Int("users")), jobs)
	}
	m := trace.Programs{Jobs: jobs, Users: c.Int("users"), Procs: c.Int64("procs"), Load: c.Float64("load")}
	switch {
	case c.IsSet("procs") && c.IsSet("load"):
		return nil, errors.New("--load makes the size of the machine, which --procs names")
	case c.IsSet("procs") && m.Procs < 1:
		return nil, fmt.Errorf("--procs %d: at least 1", m.Procs)
	case !(m.Load > 0):
		return nil, fmt.Errorf("--load %v: must be above 0", m.Load)
	}
	return m, nil
}

// paperModel is a model of the papers, changed by the options.
func paperModel(c *cli.Context, m trace.Model, jobs int) (_ generator, err error) {
	m.Jobs = jobs
	if c.IsSet("procs") {
		m.Procs = c.Int64("procs")
	}
	if c.IsSet("new") {
		m.New = c.Float64("new")
	}
	if c.IsSet("owners") {
		if m.Owners, err = console.Named[trace.Owners](trace.OwnerNames, c.String("owners")); err != nil {
			return m, fmt.Errorf("--owners %w", err)
		}
	}
	if c.IsSet("exponent") {
		m.Exponent = c.Float64("exponent")
	}
	if c.IsSet("lengths") {
		m.Profiles = nil
		for _, text := range c.StringSlice("lengths") {
			var p trace.Profile
			if n, err := fmt.Sscanf(text+"\n", "%d-%d\n", &p.Shortest, &p.Longest); n != 2 || err != nil {
				return m, fmt.Errorf("--lengths %q: not SHORTEST-LONGEST in seconds", text)
			}
			m.Profiles = append(m.Profiles, p)
		}
	}
	if c.IsSet("think") {
		if c.Duration("think")%time.Second != 0 {
			return m, fmt.Errorf("--think %v: not in whole seconds", c.Duration("think"))
		}
		m.Think = int64(c.Duration("think") / time.Second)
	}
	return m, nil
}

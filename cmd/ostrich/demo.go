package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"slurm-ostrich/cmd/internal/atomicfile"
	"slurm-ostrich/cmd/internal/console"
	"slurm-ostrich/cmd/internal/format"
	"slurm-ostrich/cmd/internal/memslurm"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/report"
)

func demoCommand() *cli.Command {
	return plainCommand(cli.Command{
		Name:      "demo",
		Usage:     "run one load under stock fairshare and then with OStrich, on an emulated Slurm",
		UsageText: "ostrich demo [command options] [ADDRESS]",
		ArgsUsage: "[ADDRESS]",
		Description: "Nothing has to be installed, and nothing of a real Slurm is touched. slurmctld, the accounting tables and the\n" +
			"clock are emulated. The cycle is that of ostrichd --apply with its default settings, the same code: it reads\n" +
			"what accounting tells, steps the virtual schedule, orders the queue, plans and writes priorities. Slurm's\n" +
			"commands, SQL and the journal take no part.\n\n" +
			"Users submit campaigns, wait until all jobs have ended, think, and submit the next. The same seed gives the same\n" +
			"campaigns in both runs, and the same output. Prints the mean and the maximum stretch of every user's campaigns\n" +
			"(flow time over max(W/m, longest job)), and writes a page with both schedules.\n\n" +
			"With --serve the page is live: both runs go on side by side, slowly enough to watch, and then the page stays until\n" +
			"Ctrl-C. ADDRESS is where it is served, 127.0.0.1:9344 unless given.\n\n" +
			"Exit code: 0 when both runs were done, 130 when it was interrupted before that, 1 for anything else. The\n" +
			"page is written whole, once both runs are done, or not at all.",
	}, []cli.Flag{
		&cli.IntFlag{Name: "users", Usage: "`NUMBER` of users, 2 to 8", Value: 6},
		&cli.IntFlag{Name: "hours", Usage: "users submit for about this `NUMBER` of hours, 1 to 96", Value: 24},
		&cli.Uint64Flag{Name: "seed", Usage: "`NUMBER` from which the load is drawn", Value: 1},
		&cli.StringFlag{Name: "fairshare", Usage: "of the emulated Slurm: `RULE` is tree (Slurm's default, Fair Tree) or classic (NO_FAIR_TREE)", Value: memslurm.RuleNames[memslurm.FairTree]},
		&cli.StringFlag{Name: "out", Usage: "write the page to `FILE`; with \"\" to none", Value: "ostrich-demo.html"},
		&cli.BoolFlag{Name: "serve", Usage: "serve the page while it happens, at ADDRESS"},
		&cli.DurationFlag{Name: "pace", Usage: "emulated `TIME` that goes by in a second, with --serve", Value: 30 * time.Minute},
		&cli.BoolFlag{Name: "json", Usage: "write one JSON object, as docs/simulation.md describes"},
	}, runDemo)
}

// Bounds of the options; the load grows with both.
const (
	demoLeastUsers = 2
	demoMostHours  = 96
)

func runDemo(c *cli.Context) error {
	d, err := demoOptions(c)
	if err != nil {
		return err
	}
	pace := time.Duration(0)
	ctx, stop := c.Context, func() error { return nil }
	if c.Bool("serve") {
		pace, d.live = c.Duration("pace"), true
		if ctx, stop, err = serveDemo(ctx, d, c.Args().First(), c.App.ErrWriter); err != nil {
			return err
		}
	}
	at, done := console.Progress(c.App.ErrWriter, fmt.Sprintf("%s of %s, twice", format.Plural(d.Total, "job"), format.Plural(len(d.Users), "user")))
	err = d.run(ctx, pace, at)
	done()
	if err == nil {
		err = d.write(c)
	}
	if err == nil && c.Bool("serve") {
		<-ctx.Done()
	}
	err = errors.Join(err, stop())
	if errors.Is(err, context.Canceled) && c.Err() != nil {
		return console.ErrInterrupted
	}
	return err
}

// demoOptions checks the options and draws the load.
func demoOptions(c *cli.Context) (*demo, error) {
	users, hours := c.Int("users"), c.Int("hours")
	rule := slices.Index(memslurm.RuleNames, c.String("fairshare"))
	switch {
	case users < demoLeastUsers || users > len(demoNames):
		return nil, fmt.Errorf("demo: --users %d: must be from %d to %d", users, demoLeastUsers, len(demoNames))
	case hours < 1 || hours > demoMostHours:
		return nil, fmt.Errorf("demo: --hours %d: must be from 1 to %d", hours, demoMostHours)
	case rule < 0:
		return nil, fmt.Errorf("demo: --fairshare %q: must be %s", c.String("fairshare"), console.List(memslurm.RuleNames))
	case c.Duration("pace") < time.Second:
		return nil, fmt.Errorf("demo: --pace %s: must be at least 1s", c.Duration("pace"))
	case c.IsSet("pace") && !c.Bool("serve"):
		return nil, errors.New("demo: --pace goes with --serve")
	case c.NArg() > 0 && !c.Bool("serve"):
		return nil, fmt.Errorf("demo: unexpected argument %q; an address belongs to --serve", c.Args().First())
	case c.NArg() > 1:
		return nil, fmt.Errorf("demo: unexpected argument %q; see \"ostrich demo --help\"", c.Args().Get(1))
	}
	if err := console.Writable(c, "out"); err != nil {
		return nil, fmt.Errorf("demo: %w", err)
	}
	return newDemo(users, hours, c.Uint64("seed"), memslurm.Rule(rule)), nil
}

// write puts out the page and the table, or the object.
func (d *demo) write(c *cli.Context) error {
	runs := d.snapshot()
	if out := c.String("out"); out != "" {
		err := atomicfile.Write(out, func(w io.Writer) error { return d.page(w, runs) })
		if err != nil {
			return fmt.Errorf("demo: --out: %w", err)
		}
		console.Say(c.App.ErrWriter, "both schedules are drawn in %s", out)
	}
	both := [2]measured{d.measure(&runs[0]), d.measure(&runs[1])}
	if c.Bool("json") {
		return console.JSON(c, d.object(runs, both))
	}
	_, err := io.WriteString(c.App.Writer, d.text(runs, both))
	return err
}

// about is what was run, line by line, for the table and the page.
func (d *demo) about(runs [2]demoRun) []string {
	rule := "Fair Tree"
	if d.Rule == memslurm.Classic {
		rule = "NO_FAIR_TREE"
	}
	wrote := fmt.Sprintf("wrote %s in %s", format.Plural(runs[1].Writes, "value"), format.Plural(runs[1].Cycles, "cycle"))
	return []string{
		fmt.Sprintf("An emulated Slurm of %d nodes with %d processors each, and the same %d campaigns with %d jobs in all in both runs (seed %d).",
			demoNodes, demoCPUs, len(d.Load), d.Total, d.Seed),
		fmt.Sprintf("stock: priority/multifactor, Age %d, FairShare %d (%s); two users share an account, and what it has used.", demoWeightAge, demoWeightFairshare, rule),
		fmt.Sprintf("ostrich: the same, and every %d s the cycle of ostrichd --apply, which %s.", demoCycle, wrote),
		"Emulated: slurmctld, the accounting tables, the clock. The daemon's own code: the cycle, campaigns, virtual schedule, order, plan.",
	}
}

// text is the table for people.
func (d *demo) text(runs [2]demoRun, both [2]measured) string {
	var b strings.Builder
	for _, line := range d.about(runs) {
		fmt.Fprintln(&b, line)
	}
	fmt.Fprintf(&b, "Stretch is flow time over max(W/m, longest job).\n%s\n\n", demoCaveat)
	x, y := both[0].Run, both[1].Run
	fmt.Fprintf(&b, "%-12s %19s   %17s   %17s   %19s\n", "", "campaigns", "mean stretch", "max stretch", "mean flow (s)")
	fmt.Fprintf(&b, "%-12s %9s %9s   %8s %8s   %8s %8s   %9s %9s\n", "user", x, y, x, y, x, y, x, y)
	line := func(name, about string, p, q report.User) {
		row := fmt.Sprintf("%-12s %9d %9d   %8.2f %8.2f   %8.2f %8.2f   %9.1f %9.1f   %s", name,
			p.Campaigns, q.Campaigns, p.MeanStretch, q.MeanStretch, p.MaxStretch, q.MaxStretch, meanFlow(p), meanFlow(q), about)
		fmt.Fprintln(&b, strings.TrimRight(row, " "))
	}
	for i, u := range d.Users {
		line(u.Name, u.Account+": "+u.About, both[0].Users[i], both[1].Users[i])
	}
	line("all", "", both[0].All, both[1].All)
	fmt.Fprintf(&b, "\n%-22s %9s %9s\n", "", x, y)
	fmt.Fprintf(&b, "%-22s %9.3f %9.3f\n", "utilisation", both[0].Utilisation, both[1].Utilisation)
	fmt.Fprintf(&b, "%-22s %9.3f %9.3f\n", d.early(), both[0].Early, both[1].Early)
	fmt.Fprintf(&b, "%-22s %9.1f %9.1f\n", "makespan (h)", hours(both[0].Makespan), hours(both[1].Makespan))
	return b.String()
}

// early names the utilisation of the first hours. Over the whole run it counts
// the end too, when only those are left who have waited most.
func (d *demo) early() string { return fmt.Sprintf("in the first %d h", d.Hours) }

// demoCaveat is what one load does not show.
const demoCaveat = "One load shows one load: --seed draws another, --fairshare classic\n" +
	"narrows the difference, and with --users 8 one user's tests wait behind the same user's long runs."

func meanFlow(u report.User) float64 {
	if u.Campaigns == 0 {
		return 0
	}
	return u.Flow / float64(u.Campaigns)
}

func hours(d ostrich.Duration) float64 { return float64(d) / 3600 }

// demoUserJSON is how the campaigns of one user, or of all, fared.
type demoUserJSON struct {
	User      string  `json:"user"` // "" for all
	Account   string  `json:"account"`
	About     string  `json:"about"`
	Campaigns int     `json:"campaigns"`
	Jobs      int     `json:"jobs"`
	Mean      float64 `json:"mean_stretch"`
	Max       float64 `json:"max_stretch"`
	MeanFlow  float64 `json:"mean_flow"` // seconds
}

// demoCampaignJSON is a campaign that has ended.
type demoCampaignJSON struct {
	User    string           `json:"user"`
	Jobs    int              `json:"jobs"`
	Submit  ostrich.Time     `json:"submit"`
	End     ostrich.Time     `json:"end"`
	Work    ostrich.Work     `json:"work"`
	Longest ostrich.Duration `json:"longest"`
	Stretch float64          `json:"stretch"`
}

// demoRunJSON is one of the runs.
type demoRunJSON struct {
	Run         string             `json:"run"`
	Cycles      int                `json:"cycles"`
	Writes      int                `json:"writes"`
	Utilisation float64            `json:"utilisation"`
	Early       float64            `json:"utilisation_early"` // in the first hours
	Makespan    ostrich.Duration   `json:"makespan"`          // seconds
	Users       []demoUserJSON     `json:"users"`
	All         demoUserJSON       `json:"all"`
	Campaigns   []demoCampaignJSON `json:"campaigns"`
}

// demoJSON is what --json writes.
type demoJSON struct {
	Emulated   bool           `json:"emulated"` // always true
	Seed       uint64         `json:"seed"`
	Hours      int            `json:"hours"`
	Fairshare  string         `json:"fairshare"`
	Processors int            `json:"processors"`
	Jobs       int            `json:"jobs"`
	Runs       [2]demoRunJSON `json:"runs"`
}

func (d *demo) object(runs [2]demoRun, both [2]measured) demoJSON {
	o := demoJSON{
		Emulated: true, Seed: d.Seed, Hours: d.Hours, Fairshare: memslurm.RuleNames[d.Rule], Processors: demoProcs, Jobs: d.Total,
	}
	user := func(name, account, about string, u report.User) demoUserJSON {
		return demoUserJSON{name, account, about, u.Campaigns, u.Jobs, u.MeanStretch, u.MaxStretch, meanFlow(u)}
	}
	names := make(map[ostrich.UserID]string)
	for i, m := range both {
		r := demoRunJSON{
			Run: m.Run, Cycles: runs[i].Cycles, Writes: runs[i].Writes, Utilisation: m.Utilisation, Early: m.Early, Makespan: m.Makespan,
			All: user("", "", "", m.All),
		}
		for k, u := range d.Users {
			names[u.UID] = u.Name
			r.Users = append(r.Users, user(u.Name, u.Account, u.About, m.Users[k]))
		}
		for k := range m.Campaigns {
			one := &m.Campaigns[k]
			r.Campaigns = append(r.Campaigns, demoCampaignJSON{
				names[one.User], one.Jobs, one.Submit, one.End, one.Work, one.Longest, one.Stretch(demoProcs),
			})
		}
		o.Runs[i] = r
	}
	return o
}

package main

import (
	"errors"
	"fmt"
	"slices"

	"github.com/urfave/cli/v2"

	"slurm-ostrich/cmd/internal/arguments"
	"slurm-ostrich/cmd/internal/console"
	"slurm-ostrich/cmd/internal/format"
	"slurm-ostrich/cmd/internal/replay"
	"slurm-ostrich/cmd/internal/sidecar"
	"slurm-ostrich/cmd/internal/view"
	"slurm-ostrich/ostrich/campaign"
	"slurm-ostrich/ostrich/sim/swf"
)

func campaignsCommand() *cli.Command {
	o := &replay.LogOptions{}
	live := listing(cli.Command{
		Name:  "campaigns",
		Usage: "list the unfinished campaigns, those that complete first in the virtual schedule in front",
		Description: "CAMPAIGN is the job that opened it. JOBS is pending+running, where an array counts each task. WORK is in\n" +
			"core-hours, or in hours of schedule.resource, by what is known now. VSTART and VEND are when the virtual\n" +
			"schedule starts and completes it; they move while users come and go. DONE is how much of it is served there. LATE is \"late\" once all of it is,\n" +
			"and \"overdue\" once it goes first for that. STRETCH is the time since submission over the shortest possible time\n" +
			"on an empty machine. BOUND is the latest end that theory guarantees if the queue follows the order strictly;\n" +
			"never in the papers' order (thesis Lemma 5.2, 6.3) where one job may fill the machine. CLASS is there where the\n" +
			"site has several (priority.classes): each has a virtual schedule of its own. FOUND is there where campaigns are\n" +
			"declared or of workflow tools, and says how each was found.\n\n" +
			"With --swf or --sacct it lists the campaigns of a workload log, or of dumps of sacct, instead, and how long they\n" +
			"took there; times are in seconds since the start. Then neither the configuration nor Slurm is read.",
	}, "only campaigns of these `JOBS`, comma-separated, as squeue shows them", campaignsLogFlags(o), func(c *cli.Context, by *view.Selection) error {
		if err := onlyWithLog(c); err != nil {
			return err
		}
		return answered(view.AskCampaigns, writeCampaigns)(c, by)
	})
	ofCluster := live.Action
	live.Action = func(c *cli.Context) error {
		if (c.IsSet("swf") || c.IsSet("sacct")) && c.NArg() == 0 {
			return logCampaigns(c, o)
		}
		return ofCluster(c)
	}
	return live
}

var campaignColumns = []string{"CAMPAIGN", "USER", "ACCOUNT", "JOBS", "SUBMITTED", "WORK", "VSTART", "VEND", "DONE", "LATE", "STRETCH", "BOUND"}

func writeCampaigns(c *cli.Context, all view.Campaigns) error {
	if c.Bool("json") {
		return console.JSON(c, all)
	}
	t := format.Table{Header: campaignColumns, Pairs: map[int][2]string{3: {"PENDING", "RUNNING"}}}
	classed := withClasses(&t, 12, all.Campaigns, func(j *view.Campaign) string { return j.Class })
	found := withFound(&t, all.Campaigns)
	for _, j := range all.Campaigns {
		t.Add(found(&j, classed(j.Class, j.Campaign, j.User, j.Account, pendingAndRunning(j.Jobs.Pending, j.Jobs.Running), format.Moment(float64(j.Submitted)),
			fmt.Sprintf("%.2f", j.Work), format.When(j.VirtualStart), format.When(j.VirtualEnd), format.PercentCell(j.Progress, 0),
			j.Late(), fmt.Sprintf("%.2f", j.Stretch), format.When(j.Bound)))...)
	}
	return console.Tables(c, t)
}

// withFound adds a column that says how campaigns were found, if one of them was declared or is
// of a workflow tool. The function that it returns adds the cell to a row.
func withFound(t *format.Table, all []view.Campaign) func(j *view.Campaign, row []any) []any {
	told := func(j view.Campaign) bool { return j.Found != nil && (j.Found.Tool != "" || j.Name != "") }
	if !slices.ContainsFunc(all, told) {
		return func(_ *view.Campaign, row []any) []any { return row }
	}
	t.Header = append(slices.Clone(t.Header), "FOUND")
	return func(j *view.Campaign, row []any) []any { return append(row, j.Found.String()) }
}

func pendingAndRunning(pending, running int) format.Cell {
	return format.Pair(float64(pending), float64(running), fmt.Sprintf("%d+%d", pending, running))
}

// campaignsLogFlags returns the options of campaigns for a log. Those that choose
// its jobs fill o.
func campaignsLogFlags(o *replay.LogOptions) []cli.Flag {
	return slices.Concat([]cli.Flag{
		&cli.StringFlag{Name: "swf", Usage: "take the campaigns of the log in `FILE` instead, in the Standard Workload Format; - is standard input"},
	}, o.DumpFlags(), []cli.Flag{
		&cli.BoolFlag{Name: "summary", Usage: "of a log, write how the stretch is distributed instead of the campaigns"},
	}, o.Flags(), o.RuleFlags(campaign.ByNames, "what a campaign of a log is", "max"))
}

// onlyWithLog refuses options that have no effect without a log.
func onlyWithLog(c *cli.Context) error {
	for _, f := range campaignsLogFlags(&replay.LogOptions{}) {
		if name := f.Names()[0]; c.IsSet(name) {
			return fmt.Errorf("campaigns: --%s goes with --swf or --sacct", name)
		}
	}
	return nil
}

// onlyWithoutLog refuses options that have no effect with a log. Settings of the
// daemon may stand in the environment all the time.
func onlyWithoutLog(c *cli.Context) error {
	for _, f := range slices.Concat(selection("jobs"), []cli.Flag{iterateFlag()}, sidecar.Flags(true)) {
		if name := f.Names()[0]; c.IsSet(name) && name != "user" && !arguments.FromEnvironment(f) {
			return fmt.Errorf("--%s does not go with --swf and --sacct", name)
		}
	}
	return nil
}

// logCampaigns writes the campaigns of a log, from the logged times.
func logCampaigns(c *cli.Context, o *replay.LogOptions) error {
	if err := errors.Join(onlyWithoutLog(c), console.CheckRows(c)); err != nil {
		return fmt.Errorf("campaigns: %w", err)
	}
	o.Given, o.User, o.Sacct = c.IsSet, c.String("user"), c.StringSlice("sacct")
	logs := []string{c.String("swf")}
	if !c.IsSet("swf") {
		logs = nil
	}
	logs, err := o.Logs("campaigns", logs)
	if err != nil {
		return fmt.Errorf("campaigns: %w", err)
	}
	w, err := o.Workload(c.Context, logs[0], campaign.ByNames, swf.Exact)
	if err != nil {
		return err
	}
	if w.Timed {
		w.Tell(c.App.ErrWriter)
	}
	all, err := w.Campaigns()
	short := c.Bool("summary")
	switch {
	case err != nil:
		return err
	case c.Bool("json") && short:
		return console.JSON(c, all.Summary)
	case c.Bool("json"):
		return console.JSON(c, all)
	case short:
		return console.Tables(c, all.SummaryTable())
	}
	return console.Tables(c, all.Table())
}

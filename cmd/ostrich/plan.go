package main

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/urfave/cli/v2"

	"slurm-ostrich/cmd/internal/console"
	"slurm-ostrich/cmd/internal/format"
	"slurm-ostrich/cmd/internal/view"
	"slurm-ostrich/ostrich/plural"
)

func planCommand() *cli.Command {
	return listing(cli.Command{
		Name:  "plan",
		Usage: "show the order of the live queue and what would be written; write nothing",
		Description: "RANK is a job's place in OStrich's order, SLURM the present one among all pending jobs. FROM is the\n" +
			"present value of what is written (SiteFactor, nice or priority), TO the new one; - where nothing would be\n" +
			"written. CAMPAIGN is the job that opened the campaign. CLASS, where the site has several (priority.classes),\n" +
			"goes before RANK: all of one that can start come before all of the next. START: the times between which a job,\n" +
			"of an array its first task, starts with odds of 80 %; - where nothing is told (docs/forecast.md). Exit code 0:\n" +
			"nothing would be written to these jobs; 2: something would; 1: error.",
	}, "only these `JOBS`, comma-separated, as squeue shows them", nil, answered(view.AskPlan, func(c *cli.Context, plan view.Plan) error {
		err := writePlan(c, plan)
		if err == nil && slices.ContainsFunc(plan.Jobs, func(j view.Job) bool { return j.Write }) {
			return exitCode(2)
		}
		return err
	}))
}

var planColumns = []string{"JOBID", "USER", "ACCOUNT", "PARTITION", "CAMPAIGN", "RANK", "SLURM", "PRIORITY", "FROM", "TO", "WHY", "START"}

// withClasses adds a column CLASS at a place of a table if any of its rows has a class: there
// are none where all jobs are of one. It returns the function that adds the cell to a row.
func withClasses[Row any](t *format.Table, place int, rows []Row, class func(*Row) string) func(class string, cells ...any) []any {
	if !slices.ContainsFunc(rows, func(r Row) bool { return class(&r) != "" }) {
		return func(_ string, cells ...any) []any { return cells }
	}
	t.Header = slices.Insert(slices.Clone(t.Header), place, "CLASS")
	return func(class string, cells ...any) []any { return slices.Insert(cells, place, any(class)) }
}

func writePlan(c *cli.Context, plan view.Plan) error {
	if c.Bool("json") {
		return console.JSON(c, plan)
	}
	t := format.Table{Header: planColumns}
	classed := withClasses(&t, 4, plan.Jobs, func(j *view.Job) string { return j.Class })
	for _, j := range plan.Jobs {
		campaign, rank, to := "", "", ""
		if j.Campaign != nil {
			campaign = fmt.Sprint(*j.Campaign)
		}
		if j.Rank != nil {
			rank = strconv.Itoa(*j.Rank)
		}
		if j.Write {
			to = strconv.FormatInt(j.To, 10)
		}
		t.Add(classed(j.Class, j.Job, j.User, j.Account, j.Partition, campaign, rank, j.SlurmRank, j.Priority, j.From, to, j.Why, j.Odds.Interval(plan.Time))...)
	}
	if err := console.Tables(c, t); err != nil {
		return err
	}
	noteNone(c, len(plan.Jobs), "pending job")
	if c.Bool("parsable2") || c.Bool("noheader") {
		return nil
	}
	summary := plan.Summary
	undone := ""
	if summary.Undone > 0 {
		undone = plural.Sprintf("; the backfill scheduler undid the writes of %d job{|s}", summary.Undone)
	}
	line := plural.Sprintf("%s, channel %s, mode %s: %d pending, %d ordered, %d up, %d down, rank correlation %.2f, %d write{|s}%s",
		plan.Cluster, plan.Channel, plan.Mode,
		summary.Pending, summary.Managed, summary.Up, summary.Down, summary.KendallTau, summary.Writes, undone)
	_, err := fmt.Fprintf(c.App.Writer, "\n%s\n", format.Fold(line, console.Width(c.App.Writer)))
	return err
}

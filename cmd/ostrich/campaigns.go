package main

import (
	"fmt"
	"slices"

	"github.com/urfave/cli/v2"

	"slurm-ostrich/cmd/internal/console"
	"slurm-ostrich/cmd/internal/format"
	"slurm-ostrich/cmd/internal/view"
)

// liveCampaigns builds the command that lists the campaigns of the cluster. besides says what
// else it does with the further flags.
func liveCampaigns(besides string, flags []cli.Flag, list func(*cli.Context, *view.Selection) error) *cli.Command {
	return listing(cli.Command{
		Name:  "campaigns",
		Usage: "list the unfinished campaigns, those that complete first in the virtual schedule in front",
		Description: "CAMPAIGN is the job that opened it. JOBS is pending+running, where an array counts each task. WORK is in\n" +
			"core-hours, or in hours of schedule.resource, by what is known now. VSTART and VEND are when the virtual\n" +
			"schedule starts and completes it; they move while users come and go. DONE is how much of it is served there. LATE is \"late\" once all of it is,\n" +
			"and \"overdue\" once it goes first for that. STRETCH is the time since submission over the shortest possible time\n" +
			"on an empty machine. BOUND is the latest end that theory guarantees if the queue follows the order strictly;\n" +
			"never in the papers' order (thesis Lemma 5.2, 6.3) where one job may fill the machine. CLASS is there where the\n" +
			"site has several (priority.classes): each has a virtual schedule of its own. FOUND is there where campaigns are\n" +
			"declared or of workflow tools, and says how each was found." + besides,
	}, "only campaigns of these `JOBS`, comma-separated, as squeue shows them", flags, list)
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
		jobs := format.Pair(float64(j.Jobs.Pending), float64(j.Jobs.Running), fmt.Sprintf("%d+%d", j.Jobs.Pending, j.Jobs.Running))
		t.Add(found(&j, classed(j.Class, j.Campaign, j.User, j.Account, jobs, format.Moment(float64(j.Submitted)),
			fmt.Sprintf("%.2f", j.Work), format.When(j.VirtualStart), format.When(j.VirtualEnd), format.PercentCell(j.Progress, 0),
			j.Late(), fmt.Sprintf("%.2f", j.Stretch), format.When(j.Bound)))...)
	}
	noteNone(c, len(all.Campaigns), "unfinished campaign")
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

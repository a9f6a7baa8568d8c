package main

import (
	"fmt"
	"slices"

	"github.com/urfave/cli/v2"

	"slurm-ostrich/cmd/internal/console"
	"slurm-ostrich/cmd/internal/format"
	"slurm-ostrich/cmd/internal/replay"
	"slurm-ostrich/cmd/internal/sidecar"
	"slurm-ostrich/cmd/internal/view"
)

func campaignsCommand() *cli.Command {
	o := &replay.LogOptions{}
	live := command(cli.Command{
		Name:  "campaigns",
		Usage: "list the unfinished campaigns, those that complete first in the virtual schedule in front",
		Description: "CAMPAIGN is the job that opened it. JOBS is pending+running, where an array counts each task. WORK is in\n" +
			"core-hours, by what is known now. VSTART and VEND are when the virtual schedule starts and completes it; they\n" +
			"move while users come and go. DONE is how much of it is served there. LATE is \"late\" once all of it is,\n" +
			"and \"overdue\" once it goes first for that. STRETCH is the time since submission over the shortest possible time\n" +
			"on an empty machine. BOUND is the latest end that theory guarantees if the queue follows the order strictly;\n" +
			"never in the papers' order (thesis Lemma 5.2, 6.3) where one job may fill the machine.\n\n" +
			"With --swf it lists the campaigns of a workload log instead, and how long they took there; times are in seconds\n" +
			"since the start of the log. Then neither the configuration nor Slurm is read.",
	}, slices.Concat(selection(), console.Formats(), campaignsLogFlags(o)), func(c *cli.Context, config sidecar.Config) error {
		if err := onlyWithLog(c); err != nil {
			return err
		}
		return look(c, config, func(s *sidecar.Sidecar, cycle *sidecar.Cycle) error {
			return writeCampaigns(c, view.Describe(s, cycle, nil))
		})
	})
	readConfiguration := live.Action
	live.Action = func(c *cli.Context) error {
		if c.IsSet("swf") && c.NArg() == 0 {
			return logCampaigns(c, o)
		}
		return readConfiguration(c)
	}
	return live
}

func writeCampaigns(c *cli.Context, cycle *view.Cycle) error {
	all := cycle.Unfinished(func(j *view.Campaign) bool {
		return chosen(c, "user", j.User) && chosen(c, "account", j.Account) && chosen(c, "partition", j.Partition)
	})
	if c.Bool("json") {
		return console.JSON(c, all)
	}
	t := format.Table{Header: []string{"CAMPAIGN", "USER", "ACCOUNT", "JOBS", "SUBMITTED", "WORK", "VSTART", "VEND", "DONE", "LATE", "STRETCH", "BOUND"}}
	for _, j := range all.Campaigns {
		t.Add(j.Campaign, j.User, j.Account, fmt.Sprintf("%d+%d", j.Jobs.Pending, j.Jobs.Running), format.Moment(float64(j.Submitted)),
			fmt.Sprintf("%.2f", j.Work), format.When(j.VirtualStart), format.When(j.VirtualEnd), format.PercentCell(j.Progress, 0),
			j.Late(), fmt.Sprintf("%.2f", j.Stretch), format.When(j.Bound))
	}
	return console.Tables(c, t)
}

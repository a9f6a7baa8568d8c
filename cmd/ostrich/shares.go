package main

import (
	"fmt"
	"slices"

	"github.com/urfave/cli/v2"

	"slurm-ostrich/cmd/internal/console"
	"slurm-ostrich/cmd/internal/format"
	"slurm-ostrich/cmd/internal/view"
)

func sharesCommand() *cli.Command {
	return listing(cli.Command{
		Name:  "shares",
		Usage: "show what each user is entitled to now, and what they hold now",
		Description: "ACTIVE users have a campaign that the virtual schedule has not completed. SHARE is the part of the machine\n" +
			"that it gives an active user now, and would give an idle one; PROCS the same in processors. HELD is the\n" +
			"processors on which the user's jobs run now. QUEUED and OWED are core-hours: of pending jobs, and of what the\n" +
			"virtual schedule has still to serve. With schedule.shares tree each of a user's accounts is a line, and where the\n" +
			"site has several classes of jobs (priority.classes), CLASS: a user competes in each of them anew. --account\n" +
			"and --partition choose users by their pending and running jobs.",
	}, "", nil, answered(view.AskShares, writeShares))
}

var shareColumns = []string{"POOL", "USER", "ACTIVE", "SHARE", "PROCS", "HELD", "QUEUED", "OWED"}

func writeShares(c *cli.Context, all view.Shares) error {
	if c.Bool("json") {
		return console.JSON(c, all)
	}
	byAccount := slices.ContainsFunc(all.Shares, func(j view.User) bool { return j.Account != "" })
	t := format.Table{Header: shareColumns}
	if byAccount {
		t.Header = slices.Insert(slices.Clone(t.Header), 1, "ACCOUNT")
	}
	classed := withClasses(&t, 1, all.Shares, func(j *view.User) string { return j.Class })
	for _, j := range all.Shares {
		active := "no"
		if j.Active {
			active = "yes"
		}
		cells := []any{
			j.Pool, j.User, active, fmt.Sprintf("%.3f", j.Share), fmt.Sprintf("%.1f", j.Entitled), j.Held,
			fmt.Sprintf("%.2f", j.Queued), fmt.Sprintf("%.2f", j.Owed),
		}
		if byAccount {
			cells = slices.Insert(cells, 1, any(j.Account))
		}
		t.Add(classed(j.Class, cells...)...)
	}
	return console.Tables(c, t)
}

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
			"that it gives an active user now, and would give an idle one; PROCS the same in processors. HELD is what\n" +
			"the user's jobs hold now, also in processors. QUEUED and OWED are core-hours: of pending jobs, and of what the\n" +
			"virtual schedule has still to serve. Where schedule.resource is another than cpu, BILLING, GPU, GIB or NODES is\n" +
			"there in place of PROCS, and the rest is in that and in hours of it. With schedule.shares tree each of a user's\n" +
			"accounts is a line, and where the site has several classes of jobs (priority.classes),\n" +
			"CLASS: a user competes in each of them anew. --account and --partition choose users by their pending and running jobs.",
	}, "", nil, answered(view.AskShares, writeShares))
}

var shareColumns = []string{"POOL", "USER", "ACTIVE", "SHARE", "PROCS", "HELD", "QUEUED", "OWED"}

func writeShares(c *cli.Context, all view.Shares) error {
	if c.Bool("json") {
		return console.JSON(c, all)
	}
	byAccount := slices.ContainsFunc(all.Shares, func(j view.User) bool { return j.Account != "" })
	unit := format.UnitOf(all.Resource)
	t := format.Table{Header: slices.Clone(shareColumns)}
	t.Header[slices.Index(shareColumns, "PROCS")] = unit.Head
	if byAccount {
		t.Header = slices.Insert(t.Header, 1, "ACCOUNT")
	}
	classed := withClasses(&t, 1, all.Shares, func(j *view.User) string { return j.Class })
	for _, j := range all.Shares {
		active := "no"
		if j.Active {
			active = "yes"
		}
		cells := []any{
			j.Pool, j.User, active, fmt.Sprintf("%.3f", j.Share), fmt.Sprintf("%.1f", j.Entitled), format.Trimmed(j.Held, 2),
			fmt.Sprintf("%.2f", j.Queued), fmt.Sprintf("%.2f", j.Owed),
		}
		if byAccount {
			cells = slices.Insert(cells, 1, any(j.Account))
		}
		t.Add(classed(j.Class, cells...)...)
	}
	noteNone(c, len(all.Shares), "user")
	return console.Tables(c, t)
}

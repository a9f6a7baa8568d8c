package main

import (
	"fmt"
	"slices"

	"github.com/urfave/cli/v2"

	"slurm-ostrich/cmd/internal/sidecar"
	"slurm-ostrich/ostrich"
)

func sharesCommand() *cli.Command {
	return command(cli.Command{
		Name:  "shares",
		Usage: "show what each user is entitled to now, and what they hold now",
		Description: "ACTIVE users have a campaign that the virtual schedule has not completed. SHARE is the part of the machine\n" +
			"that it gives an active user now, and would give an idle one; PROCS the same in processors. HELD is the\n" +
			"processors on which the user's jobs run now. QUEUED and OWED are core-hours: of pending jobs, and of what the\n" +
			"virtual schedule has still to serve. With schedule.shares tree each of a user's accounts is a line. --account\n" +
			"and --partition choose users by their pending and running jobs.",
	}, slices.Concat(selection(), formats()), func(c *cli.Context, config sidecar.Config) error {
		return look(c, config, func(s *sidecar.Sidecar, cycle *sidecar.Cycle) error { return writeShares(c, s, cycle) })
	})
}

// shareJSON is an element of what shares --json writes.
type shareJSON struct {
	Pool     string  `json:"pool"`
	Account  string  `json:"account"` // with shares from the association tree; else empty
	User     string  `json:"user"`
	Active   bool    `json:"active"`
	Share    float64 `json:"share"`
	Entitled float64 `json:"processors"`
	Held     int     `json:"held"`
	Queued   float64 `json:"queued_core_hours"`
	Owed     float64 `json:"owed_core_hours"`
}

func writeShares(c *cli.Context, s *sidecar.Sidecar, cycle *sidecar.Cycle) error {
	list := []shareJSON{}
	accounts, partitions := make(map[ostrich.UserID]string), make(map[ostrich.UserID]string)
	for _, r := range s.Live() {
		accounts[r.Job.User] += "," + r.Account
		partitions[r.Job.User] += "," + r.Partition
	}
	for _, pool := range cycle.Pools {
		for _, u := range pool.Schedule.Users() {
			account, user := owner(s.UserName(u.User))
			j := shareJSON{
				Pool: pool.Pool.Name, Account: account, User: user, Active: u.Active, Share: u.Fraction, Entitled: u.Entitled,
				Held: u.Held, Queued: coreHours(u.Pending), Owed: coreHours(u.Owed),
			}
			if chosen(c, "user", user) && chosen(c, "account", account+accounts[u.User]) && chosen(c, "partition", partitions[u.User]) {
				list = append(list, j)
			}
		}
	}
	if c.Bool("json") {
		return writeJSON(c, struct {
			Cluster string       `json:"cluster"`
			Time    ostrich.Time `json:"time"`
			Shares  []shareJSON  `json:"shares"`
		}{s.Config().Cluster, cycle.Time, list})
	}
	byAccount := slices.ContainsFunc(list, func(j shareJSON) bool { return j.Account != "" })
	t := table{header: []string{"POOL", "USER", "ACTIVE", "SHARE", "PROCS", "HELD", "QUEUED", "OWED"}}
	if byAccount {
		t.header = slices.Insert(t.header, 1, "ACCOUNT")
	}
	for _, j := range list {
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
		t.add(cells...)
	}
	return t.write(c)
}

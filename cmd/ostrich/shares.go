package main

import (
	"fmt"
	"slices"

	"github.com/urfave/cli/v2"

	"slurm-ostrich/cmd/internal/sidecar"
	"slurm-ostrich/ostrich"
)

func sharesCommand() *cli.Command {
	user := slices.DeleteFunc(selection(), func(f cli.Flag) bool {
		return f.Names()[0] == "account" || f.Names()[0] == "partition"
	})
	return command(cli.Command{
		Name:  "shares",
		Usage: "show what each user is entitled to now, and what they hold now",
		Description: "SHARE is the part of the machine that the virtual schedule gives an active user at present, in PROCS\n" +
			"processors; for an idle user, what it would give. HELD are processors on which jobs run now. QUEUED\n" +
			"and OWED are core-hours: of pending jobs, and still to be served by the virtual schedule.",
	}, slices.Concat(user, formats()), func(c *cli.Context, config sidecar.Config) error {
		s, cycle, err := look(c, config)
		if err != nil {
			return err
		}
		defer s.Close()
		odd(c, cycle)
		return writeShares(c, s, cycle)
	})
}

// shareJSON is an element of what shares --json writes.
type shareJSON struct {
	Pool     string  `json:"pool"`
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
	for _, pool := range cycle.Pools {
		for _, u := range pool.Schedule.Users() {
			j := shareJSON{
				Pool: pool.Pool.Name, User: s.UserName(u.User), Active: u.Active, Share: u.Fraction, Entitled: u.Entitled,
				Held: u.Held, Queued: coreHours(u.Pending), Owed: coreHours(u.Owed),
			}
			if chosen(c, "user", j.User) {
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
	t := table{header: []string{"POOL", "USER", "ACTIVE", "SHARE", "PROCS", "HELD", "QUEUED", "OWED"}}
	for _, j := range list {
		active := "no"
		if j.Active {
			active = "yes"
		}
		t.add(j.Pool, j.User, active, fmt.Sprintf("%.3f", j.Share), fmt.Sprintf("%.1f", j.Entitled), j.Held,
			fmt.Sprintf("%.2f", j.Queued), fmt.Sprintf("%.2f", j.Owed))
	}
	return t.write(c)
}

package main

import (
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"slurm-ostrich/cmd/internal/sidecar"
	"slurm-ostrich/cmd/internal/view"
)

// asking builds a sub-command that asks a question of the cluster.
func asking(c cli.Command, flags []cli.Flag, do func(*cli.Context) error) *cli.Command {
	return plainCommand(c, slices.Concat(flags, sidecar.Flags(true)), do)
}

// ask answers a question of a command, from a cycle of its own.
func ask[Answer any](c *cli.Context, q view.Question[Answer], by *view.Selection) (Answer, error) {
	var answer Answer
	config, err := load(c)
	if err == nil {
		err = look(c, config, func(s *sidecar.Sidecar, cycle *sidecar.Cycle) (err error) {
			answer, err = q.Of(view.Describe(s, cycle, nil), view.Everything(), by)
			return err
		})
	}
	return answer, err
}

// selected returns what the options of selection choose.
func selected(c *cli.Context) *view.Selection {
	return &view.Selection{Users: values(c, "user"), Accounts: values(c, "account"), Partitions: values(c, "partition")}
}

// values returns the values of an option, which have commas between them.
func values(c *cli.Context, option string) []string {
	if c.String(option) == "" {
		return nil
	}
	list := strings.Split(c.String(option), ",")
	for i := range list {
		list[i] = strings.TrimSpace(list[i])
	}
	return list
}

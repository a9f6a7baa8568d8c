//go:build !client

package main

import (
	"errors"
	"fmt"
	"os/user"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"slurm-ostrich/cmd/internal/check"
	"slurm-ostrich/cmd/internal/configuration"
	"slurm-ostrich/cmd/internal/console"
	"slurm-ostrich/cmd/internal/format"
)

func checkCommand() *cli.Command {
	return command(cli.Command{
		Name:  "check",
		Usage: "look whether everything that ostrichd needs is there, and say what to do where it is not",
		Description: "Each line begins with ok, warn or fail. Exit code 0: nothing failed, though there may be warnings;\n" +
			"1: something failed. What a user may do is checked for whoever runs this, so run it as the user of ostrichd.",
	}, slices.Concat([]cli.Flag{
		configuration.ClusterFlag(),
		&cli.StringFlag{Name: "as", Usage: "check the AdminLevel of this `USER` in Slurm", DefaultText: "whoever runs this, or the user of ostrichd if that is known and another one"},
	}, console.Formats("docs/json.md")), func(c *cli.Context, config configuration.Config) error {
		me, err := user.Current()
		if err != nil {
			return fmt.Errorf("check: who runs this: %w", err)
		}
		findings := check.Run(c.Context, config, c.String("as"), me.Username)
		if err := writeFindings(c, findings); err != nil {
			return err
		}
		if slices.ContainsFunc(findings, func(f check.Finding) bool { return f.Result == check.Fail }) {
			return exitCode(1)
		}
		return nil
	})
}

func writeFindings(c *cli.Context, findings []check.Finding) error {
	if c.Bool("json") {
		return console.JSON(c, struct {
			Checks []check.Finding `json:"checks"`
		}{findings})
	}
	if c.Bool("parsable2") {
		t := format.Table{Header: []string{"RESULT", "CHECK", "FOUND", "FIX"}}
		for _, f := range findings {
			t.Add(f.Result, f.Name, f.Found, f.Fix)
		}
		return console.Tables(c, t)
	}
	var errs []error
	for _, f := range findings {
		line := fmt.Sprintf("%-4s  %-18s %s", f.Result, f.Name, f.Found)
		if f.Fix != "" {
			line += "; " + f.Fix
		}
		_, err := fmt.Fprintln(c.App.Writer, strings.ReplaceAll(line, "\n", " "))
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

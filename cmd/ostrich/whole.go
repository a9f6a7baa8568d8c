//go:build !client

package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"slurm-ostrich/cmd/internal/check"
	"slurm-ostrich/cmd/internal/configuration"
	"slurm-ostrich/cmd/internal/figures"
	"slurm-ostrich/cmd/internal/manual"
	"slurm-ostrich/cmd/internal/simulation"
)

const (
	usage       = "see, explain and take back what the OStrich sidecar does to the queue of a Slurm cluster"
	description = "plan, campaigns, shares, explain and forecast ask ostrichd; check and reset read its configuration. Its settings are\n" +
		"options of all seven, as in \"ostrich plan --priority-channel nice\", and \"ostrichd --help\" lists them: the first\n" +
		"four look for themselves then. No command but reset changes anything in Slurm."
)

// commands lists all sub-commands. With the build tag client only those of users are there.
func commands() []*cli.Command {
	return []*cli.Command{
		checkCommand(), planCommand(), campaignsCommand(), sharesCommand(), explainCommand(), forecastCommand(), resetCommand(),
		simulateCommand(), platformCommand(), compareCommand(), sweepCommand(), benchCommand(), optimiseCommand(), generateCommand(), convertCommand(), figuresCommand(),
		demoCommand(), completionCommand(),
	}
}

// wholeWords returns the words that only the whole program completes; nil for none.
func wholeWords(command, option string) []manual.Word {
	switch {
	case option == "policy":
		return policyWords(command)
	case command == "generate" && option == "":
		return manual.Plain(simulation.ModelNames())
	case command == "figures" && option == "":
		var list []manual.Word
		for _, f := range figures.All() {
			list = append(list, manual.Word{Text: f.Name, Usage: f.Title})
		}
		return list
	}
	return nil
}

// policyWords returns the policies that a command knows.
func policyWords(command string) (list []manual.Word) {
	need := simulation.Log
	switch command {
	case "platform":
		need = simulation.Clusters
	case "compare":
		need = simulation.Site
	case "bench":
		need = simulation.Parts
	}
	for _, p := range simulation.Policies(need) {
		list = append(list, manual.Word{Text: p.Name, Usage: p.Usage})
	}
	return list
}

// usageError returns what reports an option that a command does not understand. An option
// that became a setting of a policy, or an option of another command, is told how to write
// it.
func usageError(command string) cli.OnUsageErrorFunc {
	report := configuration.UsageError("ostrich " + command)
	with, policies := map[string]simulation.Need{"simulate": simulation.Log, "platform": simulation.Clusters, "compare": simulation.Site}[command]
	if !policies {
		return report
	}
	return func(c *cli.Context, err error, sub bool) error {
		name, unknown := strings.CutPrefix(err.Error(), "flag provided but not defined: -")
		if gone := simulation.Gone(name, with); unknown && gone != "" {
			return fmt.Errorf("%s: --%s %s", command, name, gone)
		}
		return report(c, err, sub)
	}
}

// command builds a sub-command that reads the configuration first.
func command(c cli.Command, flags []cli.Flag, do func(*cli.Context, configuration.Config) error) *cli.Command {
	return plainCommand(c, slices.Concat(flags, configuration.Flags(true)), func(ctx *cli.Context) error {
		config, err := configuration.LoadCluster(ctx)
		switch {
		case errors.Is(err, fs.ErrPermission):
			return fmt.Errorf("%w; %s", err, check.RunAs(&config, c.Name))
		case err != nil:
			return err
		}
		return do(ctx, config)
	})
}

// shortLived collects garbage less often, unless GOGC is set: the command ends soon
// and keeps most of what it allocates. The function that it returns ends that.
func shortLived() (done func()) { return collectAt(400) }

// collectAt collects garbage when memory has grown by so many per cent, unless GOGC is set.
func collectAt(percent int) (done func()) {
	if os.Getenv("GOGC") != "" {
		return func() {}
	}
	former := debug.SetGCPercent(percent)
	return func() { debug.SetGCPercent(former) }
}

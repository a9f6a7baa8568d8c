//go:build client

package main

import (
	"github.com/urfave/cli/v2"

	"slurm-ostrich/cmd/internal/configuration"
	"slurm-ostrich/cmd/internal/manual"
	"slurm-ostrich/cmd/internal/remote"
	"slurm-ostrich/cmd/internal/view"
)

const (
	usage       = "see and explain what the OStrich sidecar does to the queue of a Slurm cluster"
	description = "All commands ask ostrichd. This is the client alone, for hosts where users are; the whole program can check,\n" +
		"compare, simulate and take back too. No command changes anything in Slurm."
)

// commands lists the sub-commands of users.
func commands() []*cli.Command {
	return []*cli.Command{planCommand(), campaignsCommand(), sharesCommand(), explainCommand(), forecastCommand(), completionCommand()}
}

func campaignsCommand() *cli.Command {
	return liveCampaigns("", nil, answered(view.AskCampaigns, writeCampaigns))
}

func wholeWords(string, string) []manual.Word { return nil }

func usageError(command string) cli.OnUsageErrorFunc {
	return configuration.UsageError("ostrich " + command)
}

// program describes the command for its pages.
func program(a *cli.App) manual.Program {
	return manual.Program{
		App: a, Section: 1,
		SeeAlso: []string{"squeue(1)", "sprio(1)", "munge(1)"},
		Exit: []manual.Note{
			{Text: "0", Meaning: "done; of plan: nothing would be written"},
			{Text: "1", Meaning: "an error"},
			{Text: "2", Meaning: "of plan: something would be written"},
			{Text: "130", Meaning: "interrupted by a signal"},
		},
		Environment: []manual.Note{
			{Text: "OSTRICH_URL", Meaning: "where ostrichd is asked, in place of the url of " + remote.DefaultFile},
			{Text: "OSTRICH_CLIENT_FILE", Meaning: "a file in place of " + remote.DefaultFile},
			{Text: "COLUMNS", Meaning: "width of tables for people; without it they fit the terminal, and have any width elsewhere"},
		},
		Files: []manual.Note{
			{Text: remote.DefaultFile, Meaning: "where the ostrichd of another host is asked: url, ca_file, munge"},
			{Text: configuration.DefaultSocket, Meaning: "where the ostrichd of this host is asked"},
		},
		Examples: []manual.Note{
			{Text: "ostrich explain --me", Meaning: "why one's own jobs stand where they stand"},
			{Text: "ostrich plan -ualice -pmain", Meaning: "where the jobs of alice in partition main stand"},
			{Text: "ostrich campaigns -nP", Meaning: "the unfinished campaigns, for a script"},
		},
	}
}

//go:build !client

package main

import (
	"github.com/urfave/cli/v2"

	"slurm-ostrich/cmd/internal/configuration"
	"slurm-ostrich/cmd/internal/manual"
	"slurm-ostrich/cmd/internal/remote"
)

// program describes the command for its pages.
func program(a *cli.App) manual.Program {
	return manual.Program{
		App: a, Section: 1,
		SeeAlso: []string{"ostrichd(8)", "ostrich.yaml(5)", "squeue(1)", "sprio(1)", "scontrol(1)"},
		Exit: []manual.Note{
			{Text: "0", Meaning: "done; of plan: nothing would be written; of check: nothing failed"},
			{Text: "1", Meaning: "an error; of check: something failed; of reset: Slurm did not change a job"},
			{Text: "2", Meaning: "of plan: something would be written"},
			{Text: "130", Meaning: "interrupted by a signal"},
		},
		Environment: []manual.Note{
			{Text: "OSTRICH_*", Meaning: "each setting, see ostrich.yaml(5); OSTRICH_CONFIG names the file, OSTRICH_DATABASE_PASSWORD is the password"},
			{Text: "OSTRICH_URL", Meaning: "where plan, campaigns, shares, explain and forecast ask the ostrichd of another host, in place of the url of " + remote.DefaultFile},
			{Text: "OSTRICH_CLIENT_FILE", Meaning: "a file in place of " + remote.DefaultFile},
			{Text: "COLUMNS", Meaning: "width of tables for people; without it they fit the terminal, and have any width elsewhere"},
			{Text: "SLURM_CONF", Meaning: "slurm.conf for Slurm's commands, unless slurm.conf is set"},
			{Text: "OSTRICH_TRACES", Meaning: "folder with workload logs, for figures"},
			{Text: "GOGC", Meaning: "how often simulations collect garbage, see the documentation of Go"},
		},
		Files: []manual.Note{
			{Text: configuration.DefaultFile, Meaning: "settings, see ostrich.yaml(5)"},
			{Text: configuration.Default().Journal, Meaning: "what ostrichd has written, which reset takes back"},
			{Text: configuration.DefaultSocket, Meaning: "where ostrichd is asked"},
			{Text: remote.DefaultFile, Meaning: "where the ostrichd of another host is asked: url, ca_file, munge"},
		},
		Examples: []manual.Note{
			{Text: "ostrich check", Meaning: "is everything there that ostrichd needs, and what is to be done where it is not?"},
			{Text: "ostrich plan -ualice -pmain", Meaning: "where the jobs of alice in partition main stand, and what would be written"},
			{Text: "ostrich explain 38", Meaning: "why job 38 stands where it stands"},
			{Text: "ostrich campaigns -nP", Meaning: "the unfinished campaigns, for a script"},
			{Text: "ostrich compare", Meaning: "the jobs of the last 30 days under the site's fairshare and under OStrich"},
			{Text: "ostrich simulate --swf log.swf.gz --policy ostrich,fcfs", Meaning: "a workload log under two policies"},
			{Text: "ostrich reset --dry-run", Meaning: "what would be given back to stock ordering"},
		},
	}
}

package main

import (
	"github.com/urfave/cli/v2"

	"slurm-ostrich/cmd/internal/configuration"
	"slurm-ostrich/cmd/internal/manual"
)

// program describes the command for its pages.
func program(a *cli.App) manual.Program {
	return manual.Program{
		App: a, Section: 8,
		SeeAlso: []string{"ostrich(1)", "ostrich.yaml(5)", "slurmctld(8)", "slurmdbd(8)", "scontrol(1)"},
		Exit: []manual.Note{
			{Text: "0", Meaning: "ended by SIGTERM or SIGINT; with --once: the cycle was done"},
			{Text: "1", Meaning: "an error that trying again does not cure, as in the settings; with --once: the cycle failed, or Slurm did not change a job"},
		},
		Environment: []manual.Note{
			{Text: "OSTRICH_*", Meaning: "each setting, as --help shows; OSTRICH_CONFIG names the file, OSTRICH_DATABASE_PASSWORD is the password"},
			{Text: "SLURM_CONF", Meaning: "slurm.conf for Slurm's commands, unless slurm.conf is set"},
			{Text: "GOGC", Meaning: "by how many per cent memory may grow before garbage is collected, 20; see the documentation of Go"},
			{Text: "NOTIFY_SOCKET, WATCHDOG_USEC", Meaning: "set by systemd, which is told when the daemon is ready and that it lives"},
		},
		Files: []manual.Note{
			{Text: configuration.DefaultFile, Meaning: "settings, see ostrich.yaml(5)"},
			{Text: configuration.Default().Journal, Meaning: "every write, with its reason"},
			{Text: configuration.DefaultSocket, Meaning: "where users ask"},
		},
		Examples: []manual.Note{
			{Text: "ostrichd --once", Meaning: "one cycle that writes nothing, to see whether it works"},
			{Text: "ostrichd --apply", Meaning: "order the queue"},
			{Text: "ostrichd --show-config", Meaning: "the settings in effect, without the password"},
			{Text: "systemctl reload ostrichd", Meaning: "read the settings again"},
		},
	}
}

// writeReference writes manual pages and markdown into the folder in args, for
// packages.
func writeReference(a *cli.App, args []string) error {
	return program(a).Write(args, func(version, date string) []manual.Page {
		return []manual.Page{manual.Settings(version, date)}
	})
}

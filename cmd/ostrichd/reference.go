package main

import (
	"github.com/urfave/cli/v2"

	"slurm-ostrich/cmd/internal/manual"
	"slurm-ostrich/cmd/internal/sidecar"
)

// program describes the command for its pages.
func program(a *cli.App) manual.Program {
	return manual.Program{
		App: a, Section: 8,
		Files: []manual.File{
			{Path: sidecar.DefaultFile, Meaning: "settings, see ostrich.yaml(5)"},
			{Path: sidecar.Default().Journal, Meaning: "every write, with its reason"},
			{Path: sidecar.DefaultSocket, Meaning: "where users ask"},
		},
		SeeAlso: []string{"ostrich(1)", "ostrich.yaml(5)", "slurmctld(8)", "slurmdbd(8)", "scontrol(1)"},
	}
}

// writeReference writes manual pages and markdown into the folder in args, for
// packages.
func writeReference(a *cli.App, args []string) error {
	return program(a).Write(args, func(version, date string) []manual.Page {
		return []manual.Page{manual.Settings(version, date)}
	})
}

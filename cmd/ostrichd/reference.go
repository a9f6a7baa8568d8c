package main

import (
	"github.com/urfave/cli/v2"

	"slurm-ostrich/cmd/internal/reference"
	"slurm-ostrich/cmd/internal/sidecar"
)

// manual is what the pages about the command are made from.
func manual(a *cli.App) reference.Manual {
	return reference.Manual{
		App: a, Section: 8,
		Files: []reference.File{
			{Path: sidecar.DefaultFile, Meaning: "settings, see ostrich.yaml(5)"},
			{Path: sidecar.Default().Journal, Meaning: "every write, with its reason"},
		},
		SeeAlso: []string{"ostrich(1)", "ostrich.yaml(5)", "slurmctld(8)", "slurmdbd(8)", "scontrol(1)"},
	}
}

// writeReference writes manual pages and markdown into the folder that args
// name, for packages.
func writeReference(a *cli.App, args []string) error {
	return manual(a).Write(args, func(version, date string) []reference.Page {
		return []reference.Page{reference.Settings(version, date)}
	})
}

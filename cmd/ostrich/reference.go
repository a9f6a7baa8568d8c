package main

import (
	"path"

	"github.com/urfave/cli/v2"

	"slurm-ostrich/cmd/internal/manual"
	"slurm-ostrich/cmd/internal/sidecar"
)

// program is what the pages about the command are made from.
func program(a *cli.App) manual.Program {
	return manual.Program{
		App: a, Section: 1,
		Files: []manual.File{
			{Path: sidecar.DefaultFile, Meaning: "settings, see ostrich.yaml(5)"},
			{Path: sidecar.Default().Journal, Meaning: "what ostrichd has written, which reset takes back"},
			{Path: sidecar.DefaultSocket, Meaning: "where ostrichd is asked"},
		},
		SeeAlso: []string{"ostrichd(8)", "ostrich.yaml(5)", "squeue(1)", "sprio(1)", "scontrol(1)"},
	}
}

// writeReference writes manual pages, markdown and completions into the folder
// that args name, for packages.
func writeReference(a *cli.App, args []string) error {
	return program(a).Write(args, func(_, _ string) []manual.Page {
		var pages []manual.Page
		for _, c := range manual.Completions {
			pages = append(pages, manual.Page{Path: path.Join("completions", c.Shell, c.File), Text: c.Text})
		}
		return pages
	})
}

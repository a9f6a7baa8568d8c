package main

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/urfave/cli/v2"

	"slurm-ostrich/cmd/internal/console"
	"slurm-ostrich/cmd/internal/figures"
	"slurm-ostrich/cmd/internal/manual"
	"slurm-ostrich/cmd/internal/replay"
)

func completionCommand() *cli.Command {
	return &cli.Command{
		Name:            "completion",
		Usage:           "print the script that completes this command in a shell",
		ArgsUsage:       "bash|zsh|fish",
		Description:     "For this session: source <(ostrich completion bash)",
		HideHelpCommand: true,
		OnUsageError:    console.UsageError("ostrich completion", ""),
		Action: func(c *cli.Context) error {
			if c.NArg() != 1 {
				return errors.New("completion: name a shell: bash, zsh or fish")
			}
			i := slices.IndexFunc(manual.Completions, func(s manual.Completion) bool { return s.Shell == c.Args().First() })
			if i < 0 {
				return fmt.Errorf("completion: %q is none of bash, zsh, fish", c.Args().First())
			}
			_, err := io.WriteString(c.App.Writer, manual.Completions[i].Text)
			return err
		},
	}
}

// argumentWords are the words that may follow others on the command line, but for
// options.
func argumentWords(before []string) (list []manual.Word) {
	switch {
	case before[0] == "completion" && len(before) == 1:
		for _, s := range manual.Completions {
			list = append(list, manual.Word{Text: s.Shell})
		}
	case before[0] == "generate":
		for _, name := range replay.ModelNames() {
			list = append(list, manual.Word{Text: name})
		}
	case before[0] == "figures":
		for _, f := range figures.All() {
			list = append(list, manual.Word{Text: f.Name, Usage: f.Title})
		}
	}
	return list
}

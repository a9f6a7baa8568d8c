package main

import (
	"context"
	"os"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"slurm-ostrich/cmd/internal/arguments"
	"slurm-ostrich/cmd/internal/manual"
	"slurm-ostrich/priority/slurm"
)

func completionCommand() *cli.Command {
	return &cli.Command{
		Name:            "completion",
		Usage:           "print the script that completes this command, or ostrichd, in a shell",
		ArgsUsage:       "bash|zsh|fish [ostrichd]",
		Description:     "For this session: source <(ostrich completion bash)",
		HideHelpCommand: true,
		OnUsageError:    arguments.UsageError("ostrich completion", ""),
		Action: func(c *cli.Context) error {
			name, args := c.App.Name, c.Args().Slice()
			if len(args) == 2 && args[1] == daemonName {
				name, args = args[1], args[:1]
			}
			return manual.WriteCompletion(c.App.Writer, c.Command.Name, name, args)
		},
	}
}

const daemonName = "ostrichd"

// moreWords returns a function that lists words that may follow others on the command
// line: values of an option that its help does not name, or arguments if option is empty.
func moreWords(ctx context.Context) func(before []string, option string) []manual.Word {
	return func(before []string, option string) []manual.Word {
		command := before[0]
		if words := wholeWords(command, option); words != nil {
			return words
		}
		switch {
		case option == "format" || option == "sort":
			return columnWords(command)
		case command == "completion" && option == "" && len(before) == 1:
			return manual.Plain([]string{"bash", "zsh", "fish"})
		case command == "completion" && option == "" && len(before) == 2:
			return manual.Plain([]string{daemonName})
		}
		return inQueue(ctx, command, option)
	}
}

// columnWords returns the columns of a command's table.
func columnWords(command string) []manual.Word {
	columns := map[string][]string{"plan": planColumns, "campaigns": campaignColumns, "shares": shareColumns}[command]
	return manual.Plain(strings.Fields(strings.ToLower(strings.Join(columns, " "))))
}

// inQueue returns the values that jobs in the queue have for an option, or the jobs for
// explain. It returns none if squeue does not answer.
func inQueue(ctx context.Context, command, option string) []manual.Word {
	fields := map[string]string{"user": "%u", "users": "%u", "account": "%a", "accounts": "%a", "partition": "%P", "partitions": "%P", "jobs": "%i"}
	field := fields[option[strings.LastIndexByte(option, '-')+1:]] // include-users is a setting
	if command == "explain" && option == "" {
		field = "%i"
	}
	if field == "" {
		return nil
	}
	// The user waits at the keyboard, and may not have the right to read the configuration.
	commands := slurm.Commands{Dir: os.Getenv("OSTRICH_SLURM_BIN"), Conf: os.Getenv("OSTRICH_SLURM_CONF"), Timeout: 2 * time.Second}
	found, err := commands.Values(ctx, field)
	if err != nil {
		return nil // a completion has no place for an error
	}
	return manual.Plain(found)
}

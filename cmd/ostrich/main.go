// Command ostrich shows what the sidecar sees and would do, explains it, and
// takes back what it did.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/urfave/cli/v2"

	"slurm-ostrich/cmd/internal/arguments"
	"slurm-ostrich/cmd/internal/console"
	"slurm-ostrich/cmd/internal/manual"
	"slurm-ostrich/cmd/internal/sidecar"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal kills
	code := run(ctx, os.Args, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run is the whole command except for the process around it.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	a := app(stdout, stderr)
	if len(args) > 1 && args[1] == manual.CompleteCommand {
		if err := manual.Complete(a, stdout, args[2:], moreWords(ctx)); err != nil {
			return 1
		}
		return 0
	}
	if len(args) > 1 && args[1] == manual.Command {
		if err := writeReference(a, args[2:]); err != nil {
			console.Say(stderr, "%v", err)
			return 1
		}
		return 0
	}
	unknown := ""
	a.CommandNotFound = func(_ *cli.Context, name string) { unknown = name } // of "help name"
	err := a.RunContext(ctx, arguments.OfCommand(a, args))
	if err == nil && unknown != "" {
		err = arguments.NoCommand(a, unknown)
	}
	var code exitCode
	switch {
	case err == nil:
		return 0
	case errors.Is(err, console.ErrInterrupted):
		left := console.Interruption("no file was written")
		errors.As(err, &left)
		console.Say(stderr, "%s: interrupted; %s", args[1], string(left))
		return int(interrupted)
	case errors.As(err, &code):
		return int(code)
	}
	console.Say(stderr, "%v", err)
	return 1
}

// exitCode is an error that ends the command with this code and without a message.
type exitCode int

func (c exitCode) Error() string { return fmt.Sprintf("exit code %d", int(c)) }

// interrupted is the code that shells have for a command that a signal has
// stopped.
const interrupted exitCode = 130

func app(stdout, stderr io.Writer) *cli.App {
	return &cli.App{
		Name:        "ostrich",
		Usage:       usage,
		UsageText:   "ostrich COMMAND [options]",
		Description: description,
		Version:     sidecar.Build(),
		// A file may have a comma in its name: an option is given again instead.
		DisableSliceFlagSeparator: true,
		Writer:                    stdout, ErrWriter: stderr,
		ExitErrHandler: func(*cli.Context, error) {}, // run decides
		OnUsageError:   arguments.UsageError("ostrich", ", and options of a command come after its name"),
		Action: func(c *cli.Context) error {
			if c.Args().Present() {
				return arguments.NoCommand(c.App, c.Args().First())
			}
			return cli.ShowAppHelp(c)
		},
		Commands: commands(),
	}
}

// plainCommand builds a sub-command that reads no configuration.
func plainCommand(c cli.Command, flags []cli.Flag, do func(*cli.Context) error) *cli.Command {
	c.Flags = flags
	c.HideHelpCommand = true
	c.OnUsageError = usageError(c.Name)
	c.Action = func(ctx *cli.Context) error {
		if c.ArgsUsage == "" && ctx.NArg() > 0 {
			return fmt.Errorf("%s: unexpected argument %q; see \"ostrich %[1]s --help\"", c.Name, ctx.Args().First())
		}
		if err := console.OneFormat(ctx); err != nil {
			return err
		}
		return do(ctx)
	}
	return &c
}

// writeReference writes manual pages, markdown and completions into the folder
// that args name, for packages.
func writeReference(a *cli.App, args []string) error {
	return program(a).Write(args, func(_, _ string) []manual.Page { return nil })
}

// Command ostrichd is the sidecar: it reads slurmdbd's accounting tables, keeps
// the OStrich virtual schedule, and writes its order to Slurm as priorities.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
	"time"

	"github.com/mattn/go-isatty"
	"github.com/rs/zerolog"
	"github.com/urfave/cli/v2"

	"slurm-ostrich/cmd/internal/arguments"
	"slurm-ostrich/cmd/internal/configuration"
	"slurm-ostrich/cmd/internal/manual"
	"slurm-ostrich/cmd/internal/sidecar"
	"slurm-ostrich/cmd/internal/webserver"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args, os.Stdout, os.Stderr)
	stop()
	if err != nil {
		fmt.Fprintf(os.Stderr, "ostrichd: %v\n", err)
		os.Exit(1)
	}
}

// collectAt is by how many per cent the memory may grow before garbage is collected,
// unless GOGC is set. The machine is slurmctld's, and memory matters more there than
// the processor time of a daemon that mostly waits: a cold start over a million rows
// takes a third less with it (docs/performance.md).
const collectAt = 20

// run is the whole command except for the process around it.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(collectAt)
	}
	a := app(stdout, stderr)
	if len(args) > 1 && args[1] == manual.Command {
		return writeReference(a, args[2:])
	}
	if len(args) > 1 && args[1] == manual.CompleteCommand {
		return manual.Complete(a, stdout, args[2:], func([]string, string) []manual.Word { return nil })
	}
	return a.RunContext(ctx, append(args[:1:1], arguments.Separate(a.Flags, args[1:])...))
}

func app(stdout, stderr io.Writer) *cli.App {
	return &cli.App{
		Name:  "ostrichd",
		Usage: "order the queue of a Slurm cluster by campaigns",
		UsageText: "ostrichd [--config FILE] [--apply] [--once]\n\n" +
			"Without --apply (or mode: enforce) it only observes.",
		Description: "SIGHUP reads the configuration again. SIGTERM ends the daemon; the priorities it has written\n" +
			"stay until \"ostrich reset\". Every setting is a flag, an environment variable and a key of the file;\n" +
			"a flag wins over the environment, that over the file, and that over the default.",
		Version: sidecar.Build(),
		Flags: append([]cli.Flag{
			&cli.BoolFlag{Name: "apply", Usage: "write priorities; the same as mode: enforce"},
			&cli.BoolFlag{Name: "once", Usage: "do one cycle and end, with exit code 1 if it failed or Slurm did not change a job"},
			&cli.BoolFlag{Name: "show-config", Usage: "print the settings in effect, without the password, and end"},
		}, configuration.Flags(false)...),
		Writer: stdout, ErrWriter: stderr,
		HideHelpCommand: true,
		ExitErrHandler:  func(*cli.Context, error) {}, // main decides
		OnUsageError:    configuration.UsageError("ostrichd"),
		Action: func(c *cli.Context) error {
			if c.NArg() > 0 {
				return fmt.Errorf("unexpected argument %q; see \"ostrichd --help\"", c.Args().First())
			}
			loader := configuration.NewLoader(c)
			load := func() (configuration.Config, error) { return settings(loader) }
			config, err := load()
			if err != nil {
				return err
			}
			if c.Bool("show-config") {
				return config.Show(stdout)
			}
			log, err := logger(stderr, config)
			if err != nil {
				return err
			}
			hangup := make(chan os.Signal, 1)
			signal.Notify(hangup, syscall.SIGHUP)
			defer signal.Stop(hangup)
			lead := &sidecar.Lead{Wait: !c.Bool("once")}
			d := &daemon{
				config: config, load: load, loader: loader, log: log, metrics: newMetrics(sidecar.Version()), notify: systemd(log),
				open: opener(lead, new(sidecar.Servers)), lead: lead, probe: probe, giveBack: giveBack,
				reload: hangup, now: time.Now,
			}
			if c.Bool("once") {
				return d.once(c.Context)
			}
			return d.run(c.Context)
		},
	}
}

// settings returns the configuration. It also checks web.config_file, though that file is
// read again for each request.
func settings(from *configuration.Loader) (configuration.Config, error) {
	config, err := from.Load()
	if err != nil {
		return config, err
	}
	if _, err = webserver.Read(config.WebFile()); err != nil {
		return config, fmt.Errorf("configuration: %w", err)
	}
	return config, nil
}

// opener returns a function that opens a sidecar. After an error that returns a nil cycler.
func opener(lead *sidecar.Lead, servers *sidecar.Servers) func(context.Context, configuration.Config) (cycler, error) {
	return func(ctx context.Context, c configuration.Config) (cycler, error) {
		leads := lead
		if !c.Writes() {
			leads = nil
		}
		s, err := sidecar.Open(ctx, c, leads, servers)
		if err != nil {
			return nil, err
		}
		return s, nil
	}
}

// logger writes JSON, or lines for people if w is a terminal.
func logger(w io.Writer, c configuration.Config) (zerolog.Logger, error) {
	level, err := zerolog.ParseLevel(c.Log.Level)
	if err != nil {
		return zerolog.Nop(), fmt.Errorf("configuration: log.level: %w", err)
	}
	file, isFile := w.(*os.File)
	if isFile && isatty.IsTerminal(file.Fd()) {
		w = zerolog.ConsoleWriter{Out: w, TimeFormat: time.TimeOnly}
	}
	return zerolog.New(w).Level(level).With().Timestamp().Logger(), nil
}

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"text/tabwriter"
	"time"

	"github.com/urfave/cli/v2"
)

func main() {
	os.Exit(run(os.Args, os.Stdout, os.Stderr, measure)) //nolint:forbidigo // this is func main
}

// errOutside says that a figure is outside the envelope.
var errOutside = errors.New("outside the envelope")

// run returns the exit code: 0 within the envelope, 1 outside, 2 for an error.
func run(args []string, stdout, stderr io.Writer, measure measurer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := newApp(stdout, stderr, measure).RunContext(ctx, args)
	if err == nil {
		return 0
	}
	_, _ = fmt.Fprintln(stderr, "scale:", err)
	if errors.Is(err, errOutside) {
		return 1
	}
	return 2
}

// measurer runs a part and returns what go test printed.
type measurer func(ctx context.Context, p *part, said io.Writer) (string, error)

func newApp(stdout, stderr io.Writer, measure measurer) *cli.App {
	return &cli.App{
		Name: "scale", Usage: "measure OStrich at the size of a large site, and compare with an envelope",
		UsageText: "go run ./contrib/scale [--json] [--envelope FILE] PART...\n\nParts: " + strings.Join(partNames(), ", "),
		Writer:    stdout, ErrWriter: stderr, HideHelpCommand: true, ExitErrHandler: func(*cli.Context, error) {},
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "json", Usage: "write the figures as JSON"},
			&cli.PathFlag{Name: "envelope", Usage: "`FILE` with the most that each figure may be", DefaultText: "contrib/scale/envelope.json"},
		},
		Action: func(c *cli.Context) error {
			list, err := chosen(c.Args().Slice())
			if err != nil {
				return err
			}
			file, raw := "contrib/scale/envelope.json", builtin
			if c.IsSet("envelope") {
				file = c.Path("envelope")
				if raw, err = os.ReadFile(file); err != nil {
					return fmt.Errorf("envelope: %w", err)
				}
			}
			bounds, err := readEnvelope(file, raw)
			if err != nil {
				return err
			}
			var values []value
			for i := range list {
				output, err := measure(c.Context, &list[i], stderr)
				if err != nil {
					return err
				}
				measured, err := list[i].read(output)
				if err != nil {
					return err
				}
				values = append(values, measured...)
			}
			within := bounds.judge(values)
			if err := write(stdout, values, c.Bool("json")); err != nil {
				return err
			}
			if !within {
				return errOutside
			}
			return nil
		},
	}
}

// grace is how long an interrupted go test may take to end.
const grace = 20 * time.Second

// measure runs a part, and says on w which command that is. Interrupted, it ends what go test has
// started, too.
func measure(ctx context.Context, p *part, w io.Writer) (string, error) {
	if _, err := fmt.Fprintln(w, p.command()); err != nil {
		return "", err
	}
	cmd := exec.CommandContext(ctx, "go", append([]string{"test", "-count=1"}, p.args...)...) //nolint:gosec // the parts are ours
	cmd.Env = append(os.Environ(), p.env...)
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
	cmd.WaitDelay = grace
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%s: go test: %w\n%s", p.name, err, output.String())
	}
	return output.String(), nil
}

func write(w io.Writer, values []value, asJSON bool) error {
	if asJSON {
		out := json.NewEncoder(w)
		out.SetIndent("", "  ")
		return out.Encode(values)
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(table, "PART\tFIGURE\tMEASURED\tUNIT\tMOST\tRATIO") // Flush returns errors
	for _, v := range values {
		most, ratio := "-", "-"
		if v.Most > 0 {
			most, ratio = fmt.Sprintf("%.4g", v.Most), fmt.Sprintf("%.2f", v.Ratio)
		}
		_, _ = fmt.Fprintf(table, "%s\t%s\t%.4g\t%s\t%s\t%s\n", v.Part, v.Figure, v.Value, v.Unit, most, ratio) // the same
	}
	return table.Flush()
}

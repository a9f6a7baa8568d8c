//go:build !client

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"slurm-ostrich/cmd/internal/configuration"
	"slurm-ostrich/cmd/internal/console"
	"slurm-ostrich/cmd/internal/format"
	"slurm-ostrich/cmd/internal/replay"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/plural"
	"slurm-ostrich/ostrich/trial"
)

// onTrial does what compare is asked of a trial, and reports whether it was asked anything.
func onTrial(c *cli.Context, o *replay.SiteOptions, config *configuration.Config) (bool, error) {
	asked := ""
	for _, name := range []string{"trial", "trial-draw", "trial-plan"} {
		switch {
		case !c.Bool(name):
		case asked != "":
			return true, fmt.Errorf("compare: --%s does not go with --%s", name, asked)
		default:
			asked = name
		}
	}
	if c.IsSet("trial-file") && asked != "trial" && asked != "trial-draw" {
		return true, errors.New("compare: --trial-file goes with --trial and --trial-draw")
	}
	if c.IsSet("html") && (asked == "trial-draw" || asked == "trial-plan") {
		return true, fmt.Errorf("compare: --html does not go with --%s", asked)
	}
	switch asked {
	case "trial":
		result, err := o.Trial(c.Context, config, c.App.ErrWriter)
		if err != nil {
			return true, err
		}
		tables := func() []format.Table { return result.TextTables(c.Bool("long") || c.Bool("parsable2")) }
		return true, writeResult(c, result, result.Verdict, tables, result.Sentences)
	case "trial-draw":
		return true, printDraw(c, o, config)
	case "trial-plan":
		result, err := o.TrialPlan(c.Context, config, c.App.ErrWriter)
		if err != nil {
			return true, err
		}
		return true, writeResult(c, unpaged{result}, result.Verdict, result.Tables, result.Sentences)
	}
	return false, nil
}

// unpaged is a result without a page, as --html is refused.
type unpaged struct{ any }

func (unpaged) WriteHTML(io.Writer) error { return nil }

// MarshalJSON writes the result alone.
func (u unpaged) MarshalJSON() ([]byte, error) { return json.Marshal(u.any) }

// draw is the draw of a trial, as --trial-draw --json shows it.
type draw struct {
	Design  trial.Design   `json:"design"`
	Drawn   ostrich.Time   `json:"drawn"` // when ostrichd began it; 0: not yet
	Periods []trial.Period `json:"periods"`
}

// printDraw prints the periods of a trial: all since it began, or those to come.
func printDraw(c *cli.Context, o *replay.SiteOptions, config *configuration.Config) error {
	from := ostrich.Time(time.Now().Unix())
	d, drawn, notes, err := o.Drawn(config, true, from)
	if err != nil {
		return err
	}
	for _, note := range notes {
		_, _ = fmt.Fprintln(c.App.ErrWriter, note) // nobody may read it
	}
	result := draw{Design: *d}
	if drawn != nil {
		from, result.Drawn = drawn.At, drawn.At
	}
	if p, on := d.At(from); on {
		result.Periods = d.Between(p.From, d.Until)
	}
	if len(result.Periods) == 0 {
		return fmt.Errorf("compare: --trial-draw: the trial was over at %s", local(d.Until))
	}
	if len(result.Periods) > 100_000 {
		return fmt.Errorf("compare: --trial-draw: %d periods: make trial.period longer or trial.until earlier", len(result.Periods))
	}
	if c.Bool("json") {
		return console.JSON(c, result)
	}
	t := format.Table{Header: []string{"FROM", "TO", "DAY", "ARM"}, Names: 1}
	of := [2]int{}
	for _, p := range result.Periods {
		t.Add(local(p.From), local(p.To), weekday(&p), p.Arm.String())
		of[p.Arm]++
	}
	if !c.Bool("noheader") && !c.Bool("parsable2") {
		if _, err = fmt.Fprint(c.App.Writer, plural.Sprintf("Drawn from seed %d: %d period{|s} of OStrich and %d of stock Slurm, of %s each; the first %s of each is washout.\n\n", d.Seed,
			of[trial.OStrich], of[trial.Stock], configuration.FormatSpan(time.Duration(d.Period)*time.Second), configuration.FormatSpan(time.Duration(d.Washout)*time.Second))); err != nil {
			return err
		}
	}
	return console.Tables(c, t)
}

// weekday returns the day that has most of a period, or of its first day: where clocks change, periods
// begin an hour before or after midnight.
func weekday(p *trial.Period) string {
	noon := p.From + min(p.To-p.From, 86400)/2
	return strings.ToLower(time.Unix(int64(noon), 0).Weekday().String()[:3])
}

// local writes a moment of this host's clock.
func local(t ostrich.Time) string { return time.Unix(int64(t), 0).Format("2006-01-02 15:04:05") }

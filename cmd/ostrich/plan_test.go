package main

import (
	"strings"
	"testing"

	"github.com/urfave/cli/v2"

	"slurm-ostrich/cmd/internal/view"
)

// TestPlanStart: the column START is there, and filled where earlier odds held.
func TestPlanStart(t *testing.T) {
	held := 0.8
	plan := view.Plan{Time: 1000, Jobs: []view.Job{
		{Job: "1", Odds: &view.Odds{P10: 10, P90: 900, Held: &held, Of: 100}}, {Job: "2", Odds: &view.Odds{P10: 10, P90: 900}},
	}}
	var out strings.Builder
	app := &cli.App{
		Writer: &out, Flags: []cli.Flag{&cli.BoolFlag{Name: "parsable2"}},
		Action: func(c *cli.Context) error { return writePlan(c, plan) },
	}
	if err := app.Run([]string{"ostrich", "--parsable2"}); err != nil {
		t.Fatal(err)
	}
	if lines := strings.Split(out.String(), "\n"); !strings.HasSuffix(lines[0], "|START") || !strings.HasSuffix(lines[1], "|now") || !strings.HasSuffix(lines[2], "|") {
		t.Error(out.String())
	}
}

package console

import (
	"errors"
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"slurm-ostrich/cmd/internal/format"
)

// Rows returns the options for columns and rows of a table: names of columns as sacct and
// squeue -O have them, the sort of squeue.
func Rows() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "format", Aliases: []string{"o", "O"}, Usage: "only these `COLUMNS`, comma-separated, in this order", DefaultText: "all"},
		&cli.StringFlag{Name: "sort", Aliases: []string{"S"}, Usage: "sort by these `COLUMNS`, comma-separated; - before one: descending", DefaultText: "none"},
		&cli.IntFlag{Name: "limit", Usage: "write at most `NUMBER` rows", DefaultText: "all"},
	}
}

// CheckRows refuses options of [Rows] that have no meaning.
func CheckRows(c *cli.Context) error {
	for _, option := range []string{"format", "sort", "limit"} {
		switch {
		case !c.IsSet(option):
		case c.Bool("json"):
			return fmt.Errorf("--%s does not go with --json, which always has all", option)
		case strings.Contains(c.String(option), "%"):
			return fmt.Errorf("--%s %s: name columns, as in jobid,user; the codes of squeue are not known here", option, c.String(option))
		case option == "limit" && c.Int(option) < 1:
			return errors.New("--limit: must be 1 or more")
		}
	}
	return nil
}

// arrange chooses and sorts rows as the options of [Rows] say, and returns how many it
// leaves out.
func arrange(c *cli.Context, t *format.Table) (left int, err error) {
	if c.IsSet("sort") {
		if err = t.Sort(strings.Split(c.String("sort"), ",")); err != nil {
			return 0, fmt.Errorf("--sort: %w", err)
		}
	}
	if most := c.Int("limit"); most > 0 && most < len(t.Rows) {
		left = len(t.Rows) - most
		t.Rows = t.Rows[:most]
	}
	if c.IsSet("format") {
		if err = t.Choose(strings.Split(c.String("format"), ",")); err != nil {
			return 0, fmt.Errorf("--format: %w", err)
		}
	}
	return left, nil
}

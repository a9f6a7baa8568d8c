package simulation

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"slurm-ostrich/cmd/internal/console"
	"slurm-ostrich/ostrich/accounting"
	"slurm-ostrich/ostrich/accounting/sacct"
	"slurm-ostrich/ostrich/trace"
)

// Dumps are dumps of sacct, or traces with named columns, and how they are read. Several are
// parts of one history.
type Dumps struct {
	Sacct     []string // files
	Columns   string   // of a dump without a header
	Delimiter string
	Timezone  string // "" is UTC
	Cluster   string // the only one whose jobs are read; "" for that of all
}

// ReadFlags returns the options that name dumps. They fill d, but for sacct.
func (d *Dumps) ReadFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringSliceFlag{Name: "sacct", Usage: "take the jobs of the dump in `FILE`, of sacct in Open XDMoD's columns, with a header, or in JSON; may be given again"},
		&cli.StringFlag{Name: "columns", Usage: "the columns of a dump without a header, `NAMES` as of sacct --format", DefaultText: "Open XDMoD's", Destination: &d.Columns},
		&cli.StringFlag{Name: "delimiter", Usage: "`TEXT` between the columns of a dump, a blank for columns of fixed widths, \\t for a tab", DefaultText: "what stands between the names in the header, or |", Destination: &d.Delimiter},
	}
}

// DumpFlags returns the options that name dumps where all else is as for a log. They fill d, but for
// sacct.
func (d *Dumps) DumpFlags() []cli.Flag {
	return append(d.ReadFlags(), &cli.StringFlag{Name: "timezone", Usage: "`ZONE` of times in dumps, as in Europe/Warsaw", DefaultText: "UTC", Destination: &d.Timezone})
}

// Zone returns the zone of times in dumps.
func (d *Dumps) Zone() (*time.Location, error) {
	if d.Timezone == "" {
		return time.UTC, nil
	}
	zone, err := time.LoadLocation(d.Timezone)
	if err != nil {
		return nil, fmt.Errorf("--timezone %s: %w", d.Timezone, err)
	}
	return zone, nil
}

// CheckDumps refuses options that do not go together.
func (d *Dumps) CheckDumps(given func(option string) bool) error {
	switch {
	case given("swf") && given("sacct"):
		return errors.New("--swf or --sacct, not both")
	case !given("sacct") && (given("columns") || given("delimiter")):
		return errors.New("--columns and --delimiter go with --sacct")
	case given("delimiter") && d.Delimiter == "":
		return errors.New("--delimiter: at least one character")
	}
	return nil
}

// DumpNames returns what messages call the dumps.
func (d *Dumps) DumpNames() string { return strings.Join(d.Sacct, ", ") }

// ReadHistory reads the dumps as the options say.
func (d *Dumps) ReadHistory(ctx context.Context, o sacct.Options) (*accounting.History, error) {
	if o.Made == nil {
		o.Made = new(sacct.Made)
	}
	o.Delimiter = strings.ReplaceAll(d.Delimiter, `\t`, "\t")
	if d.Columns != "" {
		o.Columns = strings.Split(d.Columns, ",")
	}
	var all []*accounting.History
	for _, path := range d.Sacct {
		var (
			h   *accounting.History
			bad error
		)
		o.Size = sizeOf(path)
		err := console.Await(ctx, func() error {
			return readFile("sacct", path, o.Lenient, func(in io.Reader, _ string) (err error) {
				h, err = sacct.Read(in, path, o)
				bad = err
				return err
			})
		})
		if bad != nil && d.Columns != "" && !errors.Is(err, console.ErrInterrupted) {
			err = bad // what the file seems to be is known better
		}
		if err != nil {
			return nil, err
		}
		all = append(all, h)
	}
	return accounting.Merge(all...)
}

// Logs returns the names of the logs that are read, for [LogOptions.Read]: the files of --swf, or the
// one that the dumps of --sacct make together.
func (o *LogOptions) Logs(command string, files []string) ([]string, error) {
	given := func(option string) bool {
		switch option {
		case "swf":
			return len(files) > 0
		case "sacct":
			return len(o.Sacct) > 0
		}
		return o.WasGiven(option)
	}
	err := o.CheckDumps(given)
	switch {
	case err != nil:
		return nil, err
	case given("timezone") && !given("sacct"):
		return nil, errors.New("--timezone goes with --sacct")
	case given("sacct"):
		return []string{o.DumpNames()}, nil
	case len(files) == 0:
		return nil, fmt.Errorf("--swf FILE or --sacct FILE: no log is named; see \"ostrich %s --help\"", command)
	}
	return files, nil
}

// From makes the options read dumps in place of a log.
func (o *LogOptions) From(d Dumps) { o.Dumps = d }

func (o *LogOptions) readDumps(ctx context.Context) (*trace.Log, error) {
	zone, err := o.Zone()
	if err != nil {
		return nil, err
	}
	h, err := o.ReadHistory(ctx, sacct.Options{Location: zone, Lenient: o.Lenient, Cluster: o.Cluster})
	if err != nil {
		return nil, err
	}
	return ToLog(h)
}

package configuration

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"reflect"
	"strings"

	"github.com/urfave/cli/v2"

	"slurm-ostrich/priority/slurm"
	"slurm-ostrich/slurmdb"
)

// DefaultFile is read if no other file is named and it exists.
const DefaultFile = "/etc/ostrich/ostrich.yaml"

// Load returns the configuration of a command: a flag wins over the
// environment, that over the file, and that over the default.
func Load(ctx *cli.Context) (Config, error) {
	c, _, err := load(ctx)
	return c, err
}

// load is Load. It also returns where the configuration is from.
func load(ctx *cli.Context) (c Config, from origin, err error) {
	c = Default()
	named := ctx.Path("config") != ""
	file := cmp.Or(ctx.Path("config"), DefaultFile)
	raw, piped, err := readFile(ctx, file)
	switch {
	case err == nil:
		lines, wrong := c.read(file, raw)
		if wrong != nil {
			return c, from, wrong
		}
		if !piped {
			c.file = file
		}
		from = origin{there: true, piped: piped, sets: len(lines), mode: lines[modeKey] > 0}
	case named || !errors.Is(err, os.ErrNotExist):
		return c, from, fmt.Errorf("configuration: %w", err)
	}
	from.file = file
	if err = wrongVariables(Settings(&c)); err != nil {
		return c, from, err
	}
	for _, s := range Settings(&c) {
		switch value, ok := os.LookupEnv(s.Env()); {
		case s.NoFlag && ok:
			err = s.Value.Set(value)
		case !s.NoFlag && ctx.IsSet(s.Flag()): // by flag or environment
			err = s.Value.Set(given(ctx, s))
			from.mode = from.mode || s.Key == modeKey
		default:
			continue
		}
		if err != nil {
			return c, from, fmt.Errorf("configuration: --%s or %s: %w", s.Flag(), s.Env(), err)
		}
	}
	if ctx.Bool("apply") { // of ostrichd
		// A flag wins over the environment, but not over another flag.
		if env, ok := os.LookupEnv("OSTRICH_MODE"); ctx.IsSet("mode") && c.Mode == Observe && (!ok || env != Observe) {
			return c, from, errors.New("configuration: --apply and --mode observe contradict each other")
		}
		if from.mode = true; c.Mode != Trial { // which writes too
			c.Mode = Enforce
		}
	}
	return c, from, c.Validate()
}

type origin struct {
	file  string // its path, also if it is not there
	there bool   // it was read
	piped bool   // it is no regular file, and cannot be read a second time
	sets  int    // how many settings it has
	mode  bool   // it, a flag or the environment says the mode
}

const modeKey = "mode"

// Loader loads the configuration of a daemon again and again.
type Loader struct {
	ctx            *cli.Context
	latest         origin
	inEffect       origin
	enforces, took bool // in effect
}

// NewLoader returns a loader for the arguments of a command.
func NewLoader(ctx *cli.Context) *Loader { return &Loader{ctx: ctx} }

// Load loads the configuration as the function Load does. Settings that are in effect are
// not replaced by silence, though that may be right at a start: a file that was emptied,
// is only half written or is gone does not say that nothing is to be written any more.
func (l *Loader) Load() (Config, error) {
	c, now, err := load(l.ctx)
	l.latest = now
	switch was := &l.inEffect; {
	case err != nil || !l.took:
	case was.sets > 0 && !now.there:
		err = fmt.Errorf("configuration: %s: it is gone; to do without it, start ostrichd anew", now.file)
	case was.sets > 0 && now.sets == 0:
		err = fmt.Errorf("configuration: %s: it sets nothing, though it did before; to do without its settings, start ostrichd anew", now.file)
	case l.enforces && c.Mode == Observe && !now.mode:
		err = fmt.Errorf("configuration: %s: mode: it is not set any more; write mode: observe to end the writing, or the mode that it was", now.file)
	}
	return c, err
}

// Took says that the configuration that was loaded last is in effect. It returns what is odd
// with the file that it is from, "" if nothing is.
func (l *Loader) Took(c *Config) string {
	again := l.took
	l.inEffect, l.enforces, l.took = l.latest, c.Writes(), true
	switch now := &l.latest; {
	case now.there && now.sets == 0:
		return now.file + " is there and sets nothing: what no flag and no variable sets has its default, and mode is " + c.Mode
	case again && now.piped:
		return now.file + " cannot be read a second time: the settings that came through it at the start stay in effect"
	}
	return ""
}

// SamePlace reports whether both configurations ask the same Slurm and the same accounting.
// The files that they name may have changed.
func (c *Config) SamePlace(o *Config) bool {
	return c.Cluster == o.Cluster && c.remote == o.remote && c.From == o.From && c.Slurm == o.Slurm && reflect.DeepEqual(c.Database, o.Database)
}

// Misconfigured reports whether an error is one of the settings for the commands or the
// database. Permanent errors are others: these may go away by themselves, as when a file
// system is mounted or an account is made later than the daemon starts.
func Misconfigured(err error) bool {
	return errors.Is(err, slurmdb.ErrDenied) || slurm.Missing(err)
}

// mostFile is how long a configuration may be. Whoever writes a longer one has named
// another file.
const mostFile = 1 << 20

// readFile reads the file of a configuration. What is no regular file, as a pipe, gives
// its text once, so that is kept for the next call.
func readFile(ctx *cli.Context, path string) (raw []byte, piped bool, err error) {
	if text, read := ctx.App.Metadata[path].(pipe); read {
		return text, true, nil
	}
	if ctx.App.Metadata == nil {
		ctx.App.Metadata = make(map[string]any)
	}
	again := ctx.App.Metadata[readBefore] != nil
	ctx.App.Metadata[readBefore] = true
	info, err := os.Stat(path)
	if err != nil {
		if e, ok := errors.AsType[*fs.PathError](err); ok {
			e.Op = "open" // that is what was wanted
		}
		return nil, false, err
	}
	if piped = !info.Mode().IsRegular() && !info.IsDir(); piped && again {
		return nil, true, &fs.PathError{Op: "read", Path: path, Err: errors.New("it is no regular file any more, and is not waited for")}
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, piped, err
	}
	raw, err = io.ReadAll(io.LimitReader(file, mostFile+1))
	if err = errors.Join(err, file.Close()); err != nil {
		return nil, piped, err
	}
	if len(raw) > mostFile {
		return nil, piped, fmt.Errorf("%s: longer than %d bytes", path, mostFile)
	}
	if piped {
		ctx.App.Metadata[path] = pipe(raw)
	}
	return raw, piped, nil
}

// pipe is what was read from a pipe, in the metadata of the command, by its path.
type pipe []byte

// readBefore is the key in the metadata of the command that says that a file was read.
const readBefore = "configuration read"

// ClusterFlag returns Slurm's -M, with one cluster at a time.
func ClusterFlag() cli.Flag {
	return &cli.StringFlag{Name: "clusters", Aliases: []string{"M"}, Usage: "the `CLUSTER` to look at, through slurmdbd", DefaultText: "the local one"}
}

// LoadCluster returns the configuration of a command, for the cluster that ClusterFlag
// names.
func LoadCluster(c *cli.Context) (Config, error) {
	config, err := Load(c)
	if name := c.String("clusters"); err == nil && name != "" {
		if name == "all" || strings.Contains(name, ",") {
			return config, fmt.Errorf("%s: --clusters %s: name one cluster; each has an order of its own", c.Command.Name, name)
		}
		config.SetCluster(name)
	}
	return config, err
}

// Readable returns the configuration, or the defaults where it cannot be read: not
// everybody may.
func Readable(c *cli.Context) *Config {
	config, err := Load(c)
	if err != nil {
		config = Default()
	}
	return &config
}

package sidecar

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v2"
	"go.yaml.in/yaml/v3"

	"slurm-ostrich/ostrich"
)

// A Setting is one thing that can be configured. Its key in the file,
// "database.address", makes the flag --database-address and the variable
// OSTRICH_DATABASE_ADDRESS.
type Setting struct {
	Key   string
	Usage string
	Value Value

	// NoFlag keeps a secret off the command line and out of the file: it can
	// only be given in the environment.
	NoFlag bool
}

// Value is a setting's place in a Config. String and Set are inverse.
type Value interface {
	String() string
	Set(text string) error
}

// Flag is the name of the setting's flag.
func (s Setting) Flag() string {
	return strings.NewReplacer(".", "-", "_", "-").Replace(s.Key)
}

// Env is the name of the setting's environment variable.
func (s Setting) Env() string {
	return "OSTRICH_" + strings.ToUpper(strings.NewReplacer(".", "_", "-", "_").Replace(s.Key))
}

// Settings lists all settings of a configuration, in the order of the documentation.
func Settings(c *Config) []Setting {
	names := func(list []string) string { return strings.Join(list, ", ") }
	return []Setting{
		{Key: "cluster", Value: text{&c.Cluster}, Usage: "Slurm's ClusterName; empty: ask scontrol"},
		{Key: "mode", Value: text{&c.Mode}, Usage: "observe (write nothing) or enforce (write priorities)"},
		{Key: "interval", Value: span{&c.Interval}, Usage: "time from one cycle to the next"},

		{Key: "database.address", Value: text{&c.Database.Address}, Usage: "host:port of slurmdbd's MySQL or MariaDB, or the path of its socket"},
		{Key: "database.user", Value: text{&c.Database.User}, Usage: "database account; SELECT is all it needs"},
		{Key: "database.password_file", Value: text{&c.Database.PasswordFile}, Usage: "file with the password of the account; $NAME is taken from the environment"},
		{Key: "database.password", Value: text{&c.Database.Password}, NoFlag: true, Usage: "password of the account"},
		{Key: "database.name", Value: text{&c.Database.Name}, Usage: "slurmdbd's StorageLoc"},
		{Key: "database.tls", Value: text{&c.Database.TLS}, Usage: "off, preferred, on or skip-verify"},
		{Key: "database.tls_ca", Value: text{&c.Database.TLSCA}, Usage: "PEM file with the authority that signed the server's certificate; empty: the system's"},
		{Key: "database.timeout", Value: span{&c.Database.Timeout}, Usage: "longest time for one query"},
		{Key: "database.history", Value: span{&c.Database.History}, Usage: "how far back a start reads finished jobs"},
		{Key: "database.overlap", Value: span{&c.Database.Overlap}, Usage: "how far back each poll reads finished jobs again, for rows that became visible late"},

		{Key: "slurm.bin", Value: text{&c.Slurm.Bin}, Usage: "folder of scontrol, squeue, sprio, sdiag, sacctmgr; empty: PATH"},
		{Key: "slurm.conf", Value: text{&c.Slurm.Conf}, Usage: "slurm.conf; empty: SLURM_CONF or Slurm's own default"},
		{Key: "slurm.timeout", Value: span{&c.Slurm.Timeout}, Usage: "longest time for one Slurm command"},

		{Key: "campaign.rule", Value: text{&c.Campaign.Rule}, Usage: "how campaigns are detected: " + names(ostrich.ByNames)},
		{Key: "campaign.threshold", Value: span{&c.Campaign.Threshold}, Usage: "gap (arrival) or length (window) that ends a campaign"},
		{Key: "campaign.late", Value: text{&c.Campaign.Late}, Usage: "what a job that joins late does to its campaign: " + names(ostrich.LateNames)},

		{Key: "schedule.machine", Value: text{&c.Schedule.Machine}, Usage: "processors of the virtual schedule: all (sequential) or those really busy (parallel)"},
		{Key: "schedule.gate", Value: text{&c.Schedule.Gate}, Usage: "jobs of campaigns that have not started virtually: demote or off"},
		{Key: "schedule.inside", Value: text{&c.Schedule.Inside}, Usage: "order inside a campaign: " + names(ostrich.InsideNames)},
		{Key: "schedule.shares", Value: text{&c.Schedule.Shares}, Usage: "flat (every user alike) or tree (Slurm's associations)"},
		{Key: "schedule.predictor", Value: text{&c.Schedule.Predictor}, Usage: "expected length of a job: " + names(ostrich.PredictorNames)},
		{Key: "schedule.default_limit", Value: span{&c.Schedule.DefaultLimit}, Usage: "expected length where neither job nor partition has a limit"},
		{Key: "schedule.horizon", Value: span{&c.Schedule.Horizon}, Usage: "how late accounting may tell of something without a trace in the order"},
		{Key: "pools", Value: pools{&c.Pools}, Usage: "partitions that share nodes, as name=partition,...;...; empty: the whole cluster is one pool"},

		{Key: "priority.channel", Value: text{&c.Priority.Channel}, Usage: "what is written: sitefactor, nice or priority"},
		{Key: "priority.mode", Value: text{&c.Priority.Mode}, Usage: "strict (outweigh all of multifactor) or weight (one factor among the others)"},
		{Key: "priority.weight", Value: number{&c.Priority.Weight}, Usage: "with mode weight: priority points of the head of the order"},
		{Key: "priority.depth", Value: number{&c.Priority.Depth}, Usage: "how many jobs get an exact rank; 0: as deep as Slurm looks"},

		{Key: "exclude.users", Value: list{&c.Exclude.Users}, Usage: "users whose jobs are never touched"},
		{Key: "exclude.accounts", Value: list{&c.Exclude.Accounts}, Usage: "accounts whose jobs are never touched"},
		{Key: "exclude.qos", Value: list{&c.Exclude.QOS}, Usage: "QOS whose jobs are never touched"},
		{Key: "exclude.partitions", Value: list{&c.Exclude.Partitions}, Usage: "partitions whose jobs are never touched"},

		{Key: "journal", Value: text{&c.Journal}, Usage: "file to which every write goes"},
		{Key: "listen", Value: text{&c.Listen}, Usage: "address of /metrics, /healthz and /readyz; empty: none"},
		{Key: "log.level", Value: text{&c.Log.Level}, Usage: "debug, info, warn or error"},
		{Key: "log.format", Value: text{&c.Log.Format}, Usage: "json, console, or auto: console on a terminal"},
	}
}

// Flags are the flags of all settings, and --config. With hidden, help texts
// show --config only.
func Flags(hidden bool) []cli.Flag {
	c := Default()
	flags := []cli.Flag{&cli.PathFlag{
		Name: "config", Aliases: []string{"c"}, EnvVars: []string{"OSTRICH_CONFIG"}, TakesFile: true,
		Usage: "`FILE` with settings; a missing " + DefaultFile + " is the same as an empty one", DefaultText: DefaultFile,
	}}
	for _, s := range Settings(&c) {
		if s.NoFlag {
			continue
		}
		def := s.Value.String()
		if def == "" {
			def = "empty"
		}
		flags = append(flags, &cli.StringFlag{
			Name: s.Flag(), EnvVars: []string{s.Env()}, Usage: s.Usage, DefaultText: def, Category: "settings", Hidden: hidden,
		})
	}
	return flags
}

// DefaultFile is read if no other file is named and it exists.
const DefaultFile = "/etc/ostrich/ostrich.yaml"

// Load returns the configuration of a command: a flag wins over the
// environment, that over the file, and that over the default.
func Load(ctx *cli.Context) (Config, error) {
	c := Default()
	file, named := ctx.Path("config"), ctx.IsSet("config")
	if file == "" {
		file = DefaultFile
	}
	raw, err := os.ReadFile(file)
	switch {
	case err == nil:
		if err := c.Read(file, raw); err != nil {
			return c, err
		}
	case named || !errors.Is(err, os.ErrNotExist):
		return c, fmt.Errorf("configuration: %w", err)
	}
	for _, s := range Settings(&c) {
		switch value, ok := os.LookupEnv(s.Env()); {
		case s.NoFlag && ok:
			err = s.Value.Set(value)
		case !s.NoFlag && ctx.IsSet(s.Flag()): // by flag or environment
			err = s.Value.Set(ctx.String(s.Flag()))
		default:
			continue
		}
		if err != nil {
			return c, fmt.Errorf("configuration: --%s or %s: %w", s.Flag(), s.Env(), err)
		}
	}
	return c, c.Validate()
}

// Read takes the settings of a YAML file. Errors name file and line; an
// unknown key is one.
func (c *Config) Read(file string, raw []byte) error {
	var root yaml.Node
	if err := yaml.Unmarshal(raw, &root); err != nil {
		return fmt.Errorf("configuration: %s: %w", file, err)
	}
	if root.Kind == 0 || len(root.Content) == 0 {
		return nil // empty
	}
	settings := make(map[string]Setting)
	for _, s := range Settings(c) {
		settings[s.Key] = s
	}
	r := fileReader{file: file, settings: settings, seen: make(map[string]int)}
	r.mapping(root.Content[0], "")
	return errors.Join(r.errs...)
}

type fileReader struct {
	file     string
	settings map[string]Setting
	seen     map[string]int // key to line
	errs     []error
}

func (r *fileReader) fail(n *yaml.Node, format string, args ...any) {
	r.errs = append(r.errs, fmt.Errorf("configuration: %s:%d: "+format, append([]any{r.file, n.Line}, args...)...))
}

func (r *fileReader) mapping(n *yaml.Node, above string) {
	if n.Kind == yaml.ScalarNode && n.Tag == "!!null" {
		return // a section with nothing in it
	}
	if n.Kind != yaml.MappingNode {
		r.fail(n, "%s: expected settings below it", cmp.Or(strings.TrimSuffix(above, "."), "file"))
		return
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		name, value := n.Content[i], n.Content[i+1]
		key := above + name.Value
		s, known := r.settings[key]
		if first, twice := r.seen[key]; twice {
			r.fail(name, "%s: set already in line %d", key, first)
			continue
		}
		r.seen[key] = name.Line
		switch {
		case known && s.NoFlag:
			r.fail(name, "%s: a secret; put it into a file of its own (database.password_file) or into %s", key, s.Env())
		case known:
			text, err := flatten(value)
			if err == nil {
				err = s.Value.Set(text)
			}
			if err != nil {
				r.fail(value, "%s: %v", key, err)
			}
		case r.section(key + "."):
			r.mapping(value, key+".")
		default:
			r.fail(name, "%s: unknown key", key)
		}
	}
}

func (r *fileReader) section(above string) bool {
	for key := range r.settings {
		if strings.HasPrefix(key, above) {
			return true
		}
	}
	return false
}

// flatten writes a YAML value as the text that a flag would have: a list with
// commas, a mapping of lists as name=a,b;name=c.
func flatten(n *yaml.Node) (string, error) {
	switch n.Kind {
	case yaml.ScalarNode:
		if n.Tag == "!!null" {
			return "", nil
		}
		return n.Value, nil
	case yaml.SequenceNode:
		var items []string
		for _, item := range n.Content {
			if item.Kind != yaml.ScalarNode {
				return "", errors.New("expected a list of words")
			}
			items = append(items, item.Value)
		}
		return strings.Join(items, ","), nil
	case yaml.MappingNode:
		var items []string
		for i := 0; i+1 < len(n.Content); i += 2 {
			value, err := flatten(n.Content[i+1])
			if err != nil {
				return "", err
			}
			items = append(items, n.Content[i].Value+"="+value)
		}
		return strings.Join(items, ";"), nil
	case yaml.DocumentNode, yaml.AliasNode:
	}
	return "", errors.New("expected a word, a list or a mapping")
}

// Show writes the effective configuration as a file that Read takes. The
// password is not in it.
func (c *Config) Show(w io.Writer) error {
	section := ""
	for _, s := range Settings(c) {
		if s.NoFlag {
			continue
		}
		above, key, nested := strings.Cut(s.Key, ".")
		indent := ""
		if nested {
			if above != section {
				if _, err := fmt.Fprintf(w, "%s:\n", above); err != nil {
					return err
				}
			}
			section, indent = above, "  "
		} else {
			section, key = "", s.Key
		}
		if _, err := fmt.Fprintf(w, "%s%s: %s\n", indent, key, strconv.Quote(s.Value.String())); err != nil {
			return err
		}
	}
	return nil
}

type text struct{ at *string }

func (v text) String() string     { return *v.at }
func (v text) Set(s string) error { *v.at = s; return nil }

type number struct{ at *int }

func (v number) String() string { return strconv.Itoa(*v.at) }
func (v number) Set(s string) error {
	n, err := strconv.Atoi(s)
	if err != nil {
		return fmt.Errorf("%q is not a whole number", s)
	}
	*v.at = n
	return nil
}

// span is a length of time as Go writes it, and with d for days.
type span struct{ at *time.Duration }

func (v span) String() string {
	d := *v.at
	switch {
	case d >= day && d%day == 0:
		return fmt.Sprintf("%dd", d/day)
	case d >= time.Hour && d%time.Hour == 0:
		return fmt.Sprintf("%dh", d/time.Hour)
	case d >= time.Minute && d%time.Minute == 0:
		return fmt.Sprintf("%dm", d/time.Minute)
	}
	return d.String()
}

func (v span) Set(s string) error {
	if days, ok := strings.CutSuffix(s, "d"); ok {
		n, err := strconv.Atoi(days)
		if err == nil && n >= 0 && n <= 36500 {
			*v.at = time.Duration(n) * day
			return nil
		}
	}
	d, err := time.ParseDuration(s)
	if err != nil || d < 0 {
		return fmt.Errorf("%q is not a length of time such as 90s, 10m, 12h or 14d", s)
	}
	*v.at = d
	return nil
}

type list struct{ at *[]string }

func (v list) String() string { return strings.Join(*v.at, ",") }
func (v list) Set(s string) error {
	*v.at = nil
	for item := range strings.SplitSeq(s, ",") {
		if item = strings.TrimSpace(item); item != "" {
			*v.at = append(*v.at, item)
		}
	}
	return nil
}

type pools struct{ at *[]ostrich.Pool }

func (v pools) String() string {
	var items []string
	for _, p := range *v.at {
		items = append(items, p.Name+"="+strings.Join(p.Partitions, ","))
	}
	return strings.Join(items, ";")
}

func (v pools) Set(s string) error {
	*v.at = nil
	for item := range strings.SplitSeq(s, ";") {
		if strings.TrimSpace(item) == "" {
			continue
		}
		name, partitions, ok := strings.Cut(item, "=")
		name = strings.TrimSpace(name)
		if !ok || name == "" {
			return fmt.Errorf("%q is not of the form name=partition,partition", item)
		}
		p := ostrich.Pool{Name: name}
		if err := (list{&p.Partitions}).Set(partitions); err != nil {
			return err
		}
		*v.at = append(*v.at, p)
	}
	slices.SortStableFunc(*v.at, func(a, b ostrich.Pool) int { return cmp.Compare(a.Name, b.Name) })
	return nil
}

var _ = []Value{text{}, number{}, span{}, list{}, pools{}}

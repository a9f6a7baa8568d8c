// Package configuration is what an administrator sets: the settings with their defaults, how a file, the
// environment and flags set them, and what they mean for the schedule, the plan, Slurm's commands and accounting.
package configuration

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting"
	"slurm-ostrich/ostrich/accounting/ledger"
	"slurm-ostrich/ostrich/accounting/tools"
	"slurm-ostrich/ostrich/campaign"
	"slurm-ostrich/ostrich/lengths"
	"slurm-ostrich/ostrich/satisfaction"
	"slurm-ostrich/priority"
	"slurm-ostrich/priority/slurm"
	"slurm-ostrich/slurmdb"
)

// Config is everything that can be configured. Default returns the defaults;
// docs/configuration.md lists each setting, and how its flag, environment variable
// and key in the file are named.
type Config struct {
	Cluster     string
	From        string        // where jobs are read: Tables or Sacct
	Mode        string        // "observe", "enforce" or "trial"
	Interval    time.Duration // longest pause between two cycles
	MinInterval time.Duration // from the beginning of one cycle to that of the next

	Database struct {
		Addresses    []string // each host:port or the path of a socket; tried in turn
		User         string
		Password     string
		PasswordFile string
		Name         string
		TLS          string
		TLSCA        string // "" is the system's
		History      time.Duration
	}
	Slurm struct {
		Bin     string
		Conf    string
		Timeout time.Duration
	}
	Campaign struct {
		Rule     campaign.Rule
		Declared ledger.DeclareBy
	}
	Schedule struct {
		Resource  string // by which work is counted: a TRES, or Auto
		Shares    ledger.ShareBy
		Predictor lengths.Predictor
		Class     ledger.ClassBy
		Hints     string
	}
	Tools        []tools.Row // the site's own
	Pools        []ostrich.Pool
	Satisfaction satisfaction.Acceptance
	Due          bool // whether people are shown until when users accept to wait: Satisfaction was set

	Priority struct {
		Channel priority.Channel
		Mode    priority.Mode
		Weight  int // in Mode weight
		Depth   int
		Margin  int // per cent; no setting
		Classes priority.ClassBy
	}
	Experiment struct {
		Period, Washout time.Duration
		Seed            int
		Until           ostrich.Time // 0: there is none
	}
	Takeover bool
	Include  priority.Selection
	Exclude  priority.Selection

	Journal string
	Socket  string
	Listen  string
	Status  struct {
		Listen string
		Hosts  []string

		UserHeader string
		Munge      string // MungeOn, MungeOff, or the socket of munged
	}
	Web     struct{ ConfigFile string }
	Metrics struct{ PerUser bool }
	Log     struct{ Level string }

	file   string           // where it was read, "" if there was none
	unit   *accounting.Unit // by which work is counted, once that is known; nil: processors
	remote string           // the cluster that Slurm's commands are sent to; "" is the local one
	own    string           // the cluster that the configuration named before; "" if it named none
	probe  string           // the mode of a configuration that is tried, see Probe; "" otherwise
}

// ErrConfig marks a configuration error; retrying cannot help.
var ErrConfig = errors.New("not usable")

// SetCluster chooses a cluster as Slurm's own option -M does: its controller
// is asked too, through slurmdbd.
func (c *Config) SetCluster(name string) { c.own, c.Cluster, c.remote = c.Cluster, name, name }

// Foreign returns the configured cluster if SetCluster chose another one, "" otherwise. The journal belongs
// to the configured one.
func (c *Config) Foreign() string {
	if c.own == c.Cluster {
		return ""
	}
	return c.own
}

// File returns the path of the file that was read, "" if there was none.
func (c *Config) File() string { return c.file }

// Tried returns the mode of a configuration that is tried, see Probe; "" otherwise.
func (c *Config) Tried() string { return c.probe }

// CountBy makes a Source read what jobs take of a unit of work; nil counts processors.
func (c *Config) CountBy(unit *accounting.Unit) { c.unit = unit }

// The modes of the daemon.
const (
	Observe = "observe" // compute and report, write nothing
	Enforce = "enforce" // write priorities
	Trial   = "trial"   // write priorities in periods drawn at random, and give them back in the others
)

// The sources of jobs.
const (
	Tables = "database" // slurmdbd's tables
	Sacct  = "sacct"    // Slurm's commands, see package sacctsource
)

// Default returns the configuration without any setting.
func Default() Config {
	var c Config
	c.From = Tables
	c.Mode = Observe
	c.Interval = 30 * time.Second
	c.MinInterval = defaultMinInterval
	c.Database.Addresses = []string{"localhost:3306"}
	c.Database.User = "ostrich"
	c.Database.Name = "slurm_acct_db"
	c.Database.TLS = "off"
	c.Database.History = 28 * Day
	c.Slurm.Timeout = 10 * time.Second
	c.Campaign.Rule.By = campaign.Max
	c.Campaign.Declared = ledger.NotDeclared
	c.Schedule.Resource = Auto
	c.Schedule.Shares = ledger.Flat
	c.Schedule.Predictor = lengths.Alike
	c.Schedule.Class = ledger.ByKind
	c.Schedule.Hints = hintsOff
	c.Satisfaction = satisfaction.Median
	c.Priority.Channel = priority.SiteFactor
	c.Priority.Mode = priority.Strict
	c.Priority.Margin = 20
	c.Experiment.Period = Day
	c.Experiment.Washout = 2 * time.Hour
	c.Experiment.Seed = 1
	c.Journal = "/var/lib/ostrich/journal.jsonl"
	c.Socket = DefaultSocket
	c.Status.Munge = MungeOn
	c.Listen = "127.0.0.1:9343"
	c.Log.Level = "info"
	return c
}

// Values of status.munge, beside the path of a socket.
const (
	MungeOn  = "on"
	MungeOff = "off"
)

// DefaultSocket is where users ask ostrichd.
const DefaultSocket = "/run/ostrich/ostrichd.sock"

const (
	// Day is a day.
	Day = 24 * time.Hour

	// longestSocket is the longest path of a socket that the kernel allows, in bytes.
	longestSocket = 107

	// defaultMinInterval may exceed a shorter interval, which then counts.
	defaultMinInterval = 2 * time.Second

	// AccountingDelay is how late accounting may tell of something without a trace in the order.
	AccountingDelay = 5 * time.Minute

	// halfLife is that of what users have had.
	halfLife = 7 * Day

	hintsOff = "off"
	// HintsComment is where users say how long a job will run: in its comment.
	HintsComment = "comment"
)

// ScheduleOptions returns the options of the virtual schedule. Those that are no settings
// were measured, and another value was no better (docs/adr/0040-options.md).
func (c *Config) ScheduleOptions() (ostrich.Options, error) {
	o := ostrich.Options{
		Rule: c.Campaign.Rule, Late: ostrich.Reopen, Machine: ostrich.Parallel, Gate: ostrich.Off, Inside: ostrich.SPT,
		Predictor: c.Schedule.Predictor, Grace: Seconds(Day), Memory: Seconds(halfLife), Settle: true,
	}
	return o, o.Validate()
}

// PlanOptions returns the options of a plan under a controller, without what the
// journal knows.
func (c *Config) PlanOptions(controller priority.Controller) priority.Options {
	return priority.Options{
		Channel: c.Priority.Channel, Mode: c.Priority.Mode, Weight: int64(c.Priority.Weight),
		Depth: c.Priority.Depth, Margin: c.Priority.Margin, Controller: controller, Include: c.Include, Exclude: c.Exclude,
		Outside: func(partitions string) bool { _, pooled := c.PoolOf(partitions); return !pooled },
		ClassBy: c.Priority.Classes,
	}
}

// Classes returns the classes of jobs of a cluster. In mode weight there are none, as Slurm
// adds to each job what its QOS and partition give it. Partitions of no pool make no class,
// and do not count for jobs that name others besides.
func (c *Config) Classes(controller priority.Controller, partitions []priority.Partition) ostrich.Classes {
	if c.Priority.Mode == priority.Weight {
		return ostrich.Classes{}
	}
	outside := func(name string) bool { _, pooled := c.PoolOf(name); return !pooled }
	pooled := slices.DeleteFunc(slices.Clone(partitions), func(p priority.Partition) bool { return outside(p.Name) })
	classes := c.Priority.Classes.Classes(controller, pooled)
	if of := classes.Of; of != nil && len(pooled) < len(partitions) {
		classes.Of = func(names, qos string) int {
			if strings.Contains(names, ",") { // of few jobs
				if list := slices.DeleteFunc(strings.Split(names, ","), outside); len(list) > 0 {
					names = strings.Join(list, ",")
				}
			}
			return of(names, qos)
		}
	}
	return classes
}

// PoolOf returns the name of the first pool that has one of a job's partitions.
func (c *Config) PoolOf(partitions string) (name string, pooled bool) {
	if len(c.Pools) == 0 {
		return "", true
	}
	i := slices.IndexFunc(c.Pools, func(p ostrich.Pool) bool {
		return slices.ContainsFunc(p.Partitions, func(name string) bool { return slices.Contains(strings.Split(partitions, ","), name) })
	})
	if i < 0 {
		i = slices.IndexFunc(c.Pools, func(p ostrich.Pool) bool { return len(p.Partitions) == 0 })
	}
	if i < 0 {
		return "", false
	}
	return c.Pools[i].Name, true
}

// Validate returns everything that is wrong with the configuration.
func (c *Config) Validate() error {
	var errs []error
	check := func(ok bool, format string, args ...any) {
		if !ok {
			errs = append(errs, fmt.Errorf("configuration: "+format, args...))
		}
	}
	same := *c
	for _, s := range Settings(&same) {
		err := s.Value.Set(s.Value.String())
		check(err == nil, "%s: %w", s.Key, err)
	}
	if len(errs) > 0 {
		return errors.Join(errs...)
	}
	o, err := c.ScheduleOptions()
	check(err == nil, "%w", err)
	check(c.MinInterval <= c.Interval || c.MinInterval == defaultMinInterval,
		"interval.min: %s is longer than interval, %s", FormatSpan(c.MinInterval), FormatSpan(c.Interval))
	check(len(c.Database.Addresses) > 0, "database.address: is empty")
	check(c.Database.User != "", "database.user: is empty")
	check(!c.Writes() || c.Journal != "", "journal: must be set to write priorities")
	err = c.checkTrial()
	check(err == nil, "%w", err)
	check(c.Socket == "" || filepath.IsAbs(c.Socket) && len(c.Socket) <= longestSocket,
		"socket: %q: must be an absolute path of at most %d bytes", c.Socket, longestSocket)
	for _, at := range []struct{ key, address string }{{"listen", c.Listen}, {"status.listen", c.Status.Listen}} {
		if at.address != "" {
			_, _, err = net.SplitHostPort(at.address)
			check(err == nil, "%s: %w", at.key, err)
		}
	}
	for _, name := range c.Status.Hosts {
		check(!strings.ContainsAny(name, ":/"), "status.hosts: %q: a name alone is wanted, without port or scheme", name)
	}
	check(!strings.ContainsFunc(c.Status.UserHeader, notInHeader), "status.user_header: %q: only letters, digits and - may be in a header's name", c.Status.UserHeader)
	check(c.Status.Munge == MungeOn || c.Status.Munge == MungeOff || filepath.IsAbs(c.Status.Munge),
		"status.munge: %q: must be on, off or the absolute path of munged's socket", c.Status.Munge)
	if len(errs) == 0 {
		_, err = ostrich.NewPools(o, 1, ostrich.Classes{}, c.Pools...)
		check(err == nil, "pools: %w", err)
	}
	return errors.Join(errs...)
}

// Commands returns the commands of the configured Slurm.
func (c *Config) Commands() slurm.Commands {
	return slurm.Commands{Dir: c.Slurm.Bin, Conf: c.Slurm.Conf, Cluster: c.remote, Timeout: c.Slurm.Timeout}
}

// AccountingCommands are Commands for questions to accounting, which may take as long as a query.
func (c *Config) AccountingCommands() slurm.Commands {
	commands := c.Commands()
	commands.Timeout = c.QueryTimeout()
	return commands
}

// MungeBy returns the munged of a setting status.munge that is not off.
func MungeBy(setting string) slurm.Munge {
	if setting == MungeOn {
		return slurm.Munge{}
	}
	return slurm.Munge{Socket: setting}
}

// ReadsComments reports whether comments of jobs count.
func (c *Config) ReadsComments() bool {
	return c.Schedule.Hints == HintsComment || c.Campaign.Declared == ledger.InComment
}

// Probe returns the configuration for trying whether it can work here: it writes
// nothing, but refuses what its mode refuses.
func (c *Config) Probe() Config {
	t := *c
	t.probe, t.Mode = c.Mode, Observe
	return t
}

// WebFile returns the path of the file for webserver.Read, "" if there is none. It
// expands environment variables, as in the path of the password file.
func (c *Config) WebFile() string { return os.ExpandEnv(c.Web.ConfigFile) }

// Source returns the configuration of the reader. Its cluster may still be empty.
// It fails if the password file cannot be read.
func (c *Config) Source() (slurmdb.Config, error) {
	password, history := c.Database.Password, c.Database.History
	if c.From == Sacct {
		history = min(history, halfLife) // as far back as the virtual schedule looks: slurmdbd holds all of its answer in memory
	} else if c.Database.PasswordFile != "" {
		// Expanded for systemd's $CREDENTIALS_DIRECTORY.
		raw, err := os.ReadFile(os.ExpandEnv(c.Database.PasswordFile))
		if err != nil {
			return slurmdb.Config{}, fmt.Errorf("database.password_file: %w", err)
		}
		password = strings.TrimRight(string(raw), "\r\n")
	}
	known, err := c.KnownTools()
	if err != nil {
		return slurmdb.Config{}, err
	}
	return slurmdb.Config{
		Addresses: c.Database.Addresses, User: c.Database.User, Password: password, Database: c.Database.Name,
		TLS: c.Database.TLS, TLSCA: c.Database.TLSCA, Cluster: c.Cluster, Timeout: c.QueryTimeout(),
		Config: ledger.Config{
			Unit: c.unit, Shares: c.Schedule.Shares, History: Seconds(history),
			Class: c.Schedule.Class, Hints: c.Schedule.Hints == HintsComment, Declared: c.Campaign.Declared,
			Tools: known,
		},
	}, nil
}

// QueryTimeout is the longest time for one query, and for one sacct.
func (c *Config) QueryTimeout() time.Duration { return max(30*time.Second, c.Slurm.Timeout) }

// Seconds returns a time in whole seconds.
func Seconds(d time.Duration) ostrich.Duration { return ostrich.Duration(d / time.Second) }

// notInHeader reports whether a character cannot be in the name of a header that all
// proxies pass on.
func notInHeader(c rune) bool {
	return c != '-' && (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z')
}

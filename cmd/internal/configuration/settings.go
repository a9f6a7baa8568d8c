package configuration

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"slurm-ostrich/ostrich/accounting"
	"slurm-ostrich/ostrich/accounting/ledger"
	"slurm-ostrich/ostrich/lengths"
	"slurm-ostrich/ostrich/satisfaction"
	"slurm-ostrich/priority"
)

// Setting is one thing that can be configured. A key in the file such as
// "database.address" makes the flag --database-address and the variable
// OSTRICH_DATABASE_ADDRESS.
type Setting struct {
	Key   string
	Usage string
	Value Value

	// NoFlag keeps a secret off the command line and out of the file: only the
	// environment can give it.
	NoFlag bool
}

// Value is a setting's place in a Config. String and Set are inverse; after an
// error of Set the setting is as before.
type Value interface {
	String() string
	Set(text string) error
}

var (
	flagName = strings.NewReplacer(".", "-", "_", "-")
	envName  = strings.NewReplacer(".", "_", "-", "_")
)

// Flag returns the name of the setting's flag.
func (s Setting) Flag() string { return flagName.Replace(s.Key) }

// prefix begins the names of all variables.
const prefix = "OSTRICH_"

// Env returns the name of the setting's environment variable.
func (s Setting) Env() string {
	return prefix + strings.ToUpper(envName.Replace(s.Key))
}

// Settings lists all settings of a configuration, in the order of the documentation.
func Settings(c *Config) []Setting {
	names := func(list []string) string { return strings.Join(list, ", ") }
	return []Setting{
		{Key: "cluster", Value: text{&c.Cluster}, Usage: "Slurm's ClusterName; empty: ask scontrol"},
		{Key: "source", Value: oneOf(&c.From, Tables, Sacct), Usage: "where jobs are read: database (slurmdbd's tables) or sacct (Slurm's commands, where nobody may read the database)"},
		{Key: "mode", Value: oneOf(&c.Mode, Observe, Enforce, Trial), Usage: "observe (write nothing), enforce (write priorities) or trial (write them in periods drawn at random, and give all back in the others)"},
		{Key: "interval", Value: span{&c.Interval, time.Second}, Usage: "longest pause between two cycles"},
		{Key: "interval.min", Value: span{&c.MinInterval, time.Second}, Usage: "shortest time between two cycles; sdiag, asked every second, triggers one when jobs were submitted, started or ended; if as long as interval, sdiag is not asked"},

		{Key: "database.address", Value: list{&c.Database.Addresses}, Usage: "host:port of slurmdbd's MySQL or MariaDB, or the path of its socket; comma-separated: the first that answers and is not behind"},
		{Key: "database.user", Value: text{&c.Database.User}, Usage: "database account; SELECT is all it needs"},
		{Key: "database.password_file", Value: text{&c.Database.PasswordFile}, Usage: "file with the password of the account; $NAME is taken from the environment"},
		{Key: "database.password", Value: text{&c.Database.Password}, NoFlag: true, Usage: "password of the account"},
		{Key: "database.name", Value: text{&c.Database.Name}, Usage: "StorageLoc of slurmdbd.conf"},
		{Key: "database.tls", Value: tls{&c.Database.TLS, &c.Database.TLSCA}, Usage: "off, preferred, on, skip-verify (encrypt without a look at the certificate), or /FILE: on, with the authority in this PEM file instead of the system's"},
		{Key: "database.history", Value: span{&c.Database.History, 0}, Usage: "how far back finished jobs are read at the start; with source sacct no further than 7d"},

		{Key: "slurm.bin", Value: text{&c.Slurm.Bin}, Usage: "folder of scontrol, squeue, sprio, sdiag, sacctmgr and sacct; empty: PATH"},
		{Key: "slurm.conf", Value: text{&c.Slurm.Conf}, Usage: "path of slurm.conf; empty: SLURM_CONF or Slurm's own default"},
		{Key: "slurm.timeout", Value: span{&c.Slurm.Timeout, time.Second}, Usage: "longest time for one Slurm command; a query of the database, and a sacct, may take 30s, or this if it is longer"},

		{Key: "campaign.rule", Value: rule{&c.Campaign.Rule}, Usage: "how campaigns are detected: max, last, arrival=TIME (a gap of TIME ends one) or window=TIME (one ends TIME after its first job)"},
		{Key: "campaign.declared", Value: byName(&c.Campaign.Declared, ledger.DeclareNames), Usage: "where users say which jobs are one campaign: off, comment (campaign:NAME in --comment), wckey, name (NAME:... in --job-name) or auto (runs of workflow tools)"},

		{Key: "schedule.resource", Value: resource{&c.Schedule.Resource}, Usage: "by which of Slurm's resources (TRES) work is counted and the machine divided: auto (billing where a partition has TRESBillingWeights, else cpu), " + names(accounting.Resources)},
		{Key: "schedule.shares", Value: byName(&c.Schedule.Shares, ledger.ShareNames), Usage: "flat (every user alike) or tree (shares of Slurm's associations)"},
		{Key: "schedule.predictor", Value: byName(&c.Schedule.Predictor, lengths.PredictorNames), Usage: "expected length of a job: " + names(lengths.PredictorNames)},
		{Key: "schedule.class", Value: byName(&c.Schedule.Class, ledger.ClassNames), Usage: "which jobs of a user are similar, for predictors that ask: off, name (without digits), script (where Slurm stores it, else name) or auto (the same step of a workflow tool, else name without numbers of any kind)"},
		{Key: "schedule.hints", Value: oneOf(&c.Schedule.Hints, hintsOff, HintsComment), Usage: "where users say how long a job will run: off or comment (expect=TIME in --comment)"},
		{Key: "tools", Value: siteTools{&c.Tools}, Usage: "workflow tools of the site's own, as {NAME: {KEY: '…'}}, where KEY is name, comment, folder or line: regular expressions (RE2) whose groups campaign and class name the run and the step, for campaign.declared: auto and schedule.class: auto; pilot: true says that a job is as long as its limit"},
		{Key: "pools", Value: pools{&c.Pools}, Usage: "partitions that share nodes, as name=partition,...;...; empty: the whole cluster is one pool"},

		{Key: "satisfaction", Value: accepted{&c.Satisfaction, &c.Due}, Usage: "how long users accept to wait; measured, never part of the order; if set, explain and the status page show until when a job is in time: " + satisfaction.Usage + "; empty: median, not shown"},

		{Key: "priority.channel", Value: oneOf(&c.Priority.Channel, priority.SiteFactor, priority.Nice, priority.Priority), Usage: "what is written: sitefactor, nice, priority"},
		{Key: "priority.mode", Value: mode{&c.Priority.Mode, &c.Priority.Weight}, Usage: "strict (outweigh all of multifactor) or weight=N (one factor among the others, of N priority points for the head of the order)"},
		{Key: "priority.depth", Value: number{&c.Priority.Depth}, Usage: "how many jobs get an exact rank; 0: those that may start soon and, beyond, as deep as Slurm looks"},
		{Key: "priority.classes", Value: byName(&c.Priority.Classes, priority.ClassByNames), Usage: "which of Slurm's settings make classes of jobs, each before all of the next, in priority.mode strict: auto (what differs), qos, partition, qos,partition or off"},

		{Key: "include.users", Value: list{&c.Include.Users}, Usage: "the only users whose jobs are managed, comma-separated; empty: all"},
		{Key: "include.accounts", Value: list{&c.Include.Accounts}, Usage: "the only accounts whose jobs are managed, comma-separated; empty: all"},
		{Key: "include.qos", Value: list{&c.Include.QOS}, Usage: "the only QOS whose jobs are managed, comma-separated; empty: all"},
		{Key: "include.partitions", Value: list{&c.Include.Partitions}, Usage: "the only partitions whose jobs are managed, comma-separated; empty: all"},

		{Key: "exclude.users", Value: list{&c.Exclude.Users}, Usage: "users whose jobs are never touched, comma-separated"},
		{Key: "exclude.accounts", Value: list{&c.Exclude.Accounts}, Usage: "accounts whose jobs are never touched, comma-separated"},
		{Key: "exclude.qos", Value: list{&c.Exclude.QOS}, Usage: "QOS whose jobs are never touched, comma-separated"},
		{Key: "exclude.partitions", Value: list{&c.Exclude.Partitions}, Usage: "partitions whose jobs are never touched, comma-separated"},

		{Key: "trial.period", Value: span{&c.Experiment.Period, 10 * time.Second}, Usage: "length of a period of mode trial, up to 28d"},
		{Key: "trial.washout", Value: span{&c.Experiment.Washout, 0}, Usage: "how long from the beginning of a period nothing is measured; shorter than the period"},
		{Key: "trial.seed", Value: number{&c.Experiment.Seed}, Usage: "number that the periods are drawn from"},
		{Key: "trial.until", Value: instant{&c.Experiment.Until}, Usage: "end of the trial, from which its periods are counted back, as 2027-03-01 or 2027-03-01T06:00:00 of this host's clock; empty: no trial"},

		{Key: "takeover", Value: truth{&c.Takeover}, Usage: "whether jobs with a SiteFactor that somebody else set, as job_submit plugins do, are managed too: true or false"},

		{Key: "journal", Value: text{&c.Journal}, Usage: "file to which every write goes"},
		{Key: "socket", Value: text{&c.Socket}, Usage: "path of the Unix socket at which the users of this host ask ostrichd; empty: none"},
		{Key: "listen", Value: text{&c.Listen}, Usage: "host:port of /metrics, /healthz and /readyz; empty: none"},
		{Key: "metrics.per_user", Value: truth{&c.Metrics.PerUser}, Usage: "whether /metrics has series for each user: true or false"},
		{Key: "status.listen", Value: text{&c.Status.Listen}, Usage: "host:port of the status page, meant for a loopback address, maybe that of listen; empty: none"},
		{Key: "status.hosts", Value: list{&c.Status.Hosts}, Usage: "names in requests for the status page and /metrics that are answered, beside IP addresses, localhost and this machine's name, comma-separated; *: any"},
		{Key: "status.user_header", Value: text{&c.Status.UserHeader}, Usage: "header in which a proxy on this host names the user who is logged in, such as X-Remote-User; empty: all visitors see what Slurm shows everybody"},
		{Key: "status.munge", Value: text{&c.Status.Munge}, Usage: "whether munge proves at status.listen who asks, for users of other hosts (ostrich --url): on, off, or /PATH: on, with the socket of munged"},
		{Key: "web.config_file", Value: text{&c.Web.ConfigFile}, Usage: "file with the TLS certificate and the passwords for listen and status.listen, in the format of Prometheus' exporters; $NAME is taken from the environment; empty: neither"},
		{Key: "log.level", Value: oneOf(&c.Log.Level, "debug", "info", "warn", "error"), Usage: "debug, info, warn or error"},
	}
}

// Flags returns the flags of all settings, and --config. With hidden, help texts
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
		def := cmp.Or(s.Value.String(), "empty")
		if _, ok := s.Value.(truth); ok {
			flags = append(flags, &cli.BoolFlag{
				Name: s.Flag(), EnvVars: []string{s.Env()}, Usage: s.Usage, DefaultText: def, Category: "settings", Hidden: hidden,
			})
			continue
		}
		flags = append(flags, &cli.StringFlag{
			Name: s.Flag(), EnvVars: []string{s.Env()}, Usage: s.Usage, DefaultText: def, Category: "settings", Hidden: hidden,
		})
	}
	return flags
}

// given returns the text of a flag that is set.
func given(ctx *cli.Context, s Setting) string {
	if _, ok := s.Value.(truth); ok {
		return strconv.FormatBool(ctx.Bool(s.Flag()))
	}
	return ctx.String(s.Flag())
}

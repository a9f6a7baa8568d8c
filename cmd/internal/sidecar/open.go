// Package sidecar is what both commands share: the cycle that reads accounting, steps the virtual schedule, orders the pending jobs, plans
// and applies. It alone joins the reader and the writer.
package sidecar

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"slurm-ostrich/cmd/internal/configuration"
	"slurm-ostrich/cmd/internal/sacctsource"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting"
	"slurm-ostrich/ostrich/accounting/ledger"
	"slurm-ostrich/priority"
	"slurm-ostrich/priority/journal"
	"slurm-ostrich/priority/slurm"
	"slurm-ostrich/slurmdb"
)

// Permanent reports whether an error stays until somebody changes the
// configuration of the sidecar, of Slurm or of the database.
func Permanent(err error) bool {
	return errors.Is(err, configuration.ErrConfig) || errors.Is(err, priority.ErrImpossible) ||
		errors.Is(err, slurmdb.ErrConfig) || errors.Is(err, slurmdb.ErrCluster) || errors.Is(err, slurmdb.ErrColumns)
}

// Open connects to accounting and reads the controller's configuration. It reads
// no job. With a lead the sidecar is to write, and opens the journal for writing
// when the lead says that it is its turn. Without one it only reads. A daemon passes
// the same servers to each of its sidecars, so that the next may go on at another
// database server; with nil the sidecar reads the first that answers.
func Open(ctx context.Context, c configuration.Config, lead *Lead, servers *Servers) (*Sidecar, error) {
	commands := c.Commands()
	controller, partitions, err := settings(ctx, commands)
	if err != nil {
		return nil, err
	}
	c.Cluster = cmp.Or(c.Cluster, controller.ClusterName)
	counted, err := UnitOf(&c, controller, partitions)
	if err != nil {
		return nil, err
	}
	c.CountBy(counted.Unit)
	source, err := c.Source()
	if err != nil {
		return nil, fmt.Errorf("configuration: %w: %w", configuration.ErrConfig, err)
	}
	source.Believe, source.Resources, source.Limits = watchClock(source.Timeout), []string{accounting.AllGRES}, true
	if source.Site, err = counted.site(c.Pools, partitions); err != nil {
		return nil, err
	}
	source.Reached = servers.known(&source)
	p := parts{config: c, commands: slurm.Remember(commands), controller: controller, partitions: partitions, counted: counted, lead: lead}
	accounting, err := openAccounts(ctx, &c, source)
	if err != nil {
		return nil, err
	}
	p.accounting = accounting
	s, err := p.joined(ctx, accounting, source)
	if err != nil {
		return nil, errors.Join(err, accounting.Close())
	}
	if c.Tried() == configuration.Enforce || c.Tried() == configuration.Trial {
		if err = s.able(ctx, commands); err != nil {
			return nil, errors.Join(err, s.Close())
		}
	}
	c, s.divide = s.config, accounting.Divide
	if reader, is := accounting.(*slurmdb.Reader); is {
		s.place = place{reader: reader, servers: servers, of: serversOf(&source), asked: time.Now()}
		c.Database.Addresses = []string{reader.Reached().Address} // the past is that of the same server
	}
	s.past = NewPast(c)
	return s, nil
}

// New returns the sidecar of a cluster whose controller has been asked already. It
// has no journal.
func New(c configuration.Config, accounting Accounting, commands Controller, controller priority.Controller, partitions []priority.Partition) (*Sidecar, error) {
	p := parts{
		config: c, accounting: accounting, commands: commands, controller: controller, partitions: partitions, counted: Counted{Name: "cpu"},
	}
	return p.sidecar()
}

// Follow lets a sidecar of New write, and keep a journal, when a lead says that it is
// its turn. The lock is in the database that is read.
func (s *Sidecar) Follow(lead *Lead, source slurmdb.Config) error {
	s.lead = lead
	return lead.use(&s.config, source)
}

type parts struct {
	config     configuration.Config
	accounting Accounting
	commands   Controller
	controller priority.Controller
	partitions []priority.Partition
	counted    Counted
	journal    *journal.Journal // nil: none
	lead       *Lead            // nil: it only looks
	names      error            // in the configuration, that Slurm does not know
}

// joined returns a sidecar that has a journal and takes part in the turns of its lead.
func (p *parts) joined(ctx context.Context, names Namer, source slurmdb.Config) (*Sidecar, error) {
	_, err := p.scheduleOptions()
	if err == nil {
		p.names, err = refuseNames(ctx, &p.config, names, p.partitions, p.lead != nil)
	}
	if err == nil {
		p.journal, err = readJournal(&p.config)
	}
	if err == nil && p.lead != nil {
		err = p.lead.use(&p.config, source)
	}
	if err != nil {
		return nil, err
	}
	return p.sidecar()
}

// scheduleOptions returns the options of the schedules. The error says what is wrong
// with the configuration.
func (p *parts) scheduleOptions() (ostrich.Options, error) {
	if p.controller.ClusterName != p.config.Cluster {
		return ostrich.Options{}, otherCluster(p.config.Cluster, p.controller.ClusterName)
	}
	o, err := p.config.ScheduleOptions()
	if err != nil {
		return o, fmt.Errorf("configuration: %w: %w", configuration.ErrConfig, err)
	}
	if err = priority.Check(p.config.PlanOptions(p.controller)); err != nil {
		return o, fmt.Errorf("priority: %w", err)
	}
	return o, nil
}

// sidecar returns a complete sidecar. Only its cycles change it later.
func (p *parts) sidecar() (*Sidecar, error) {
	c := p.config
	o, err := p.scheduleOptions()
	if err != nil {
		return nil, err
	}
	classes := c.Classes(p.controller, p.partitions)
	pools, err := ostrich.NewPools(o, configuration.Seconds(configuration.AccountingDelay), classes, c.Pools...)
	if err != nil {
		return nil, err
	}
	s := &Sidecar{
		writer: writer{
			slurm: p.commands, controller: p.controller, channel: c.Priority.Channel, interval: c.Interval, journal: p.journal,
		},
		config: c, accounting: p.accounting, pools: pools, classes: classes, limit: 64 << 20, partitions: p.partitions, counted: p.counted, asked: time.Now(),
		provisional: provisional{record: p.accounting.Record}, comments: newComments(&c, p.commands), holds: newHolds(), lead: p.lead, names: p.names,
	}
	if asks, can := p.commands.(interface {
		TRES(context.Context, []ostrich.JobID) (map[ostrich.JobID]string, error)
	}); can && p.counted.Unit != nil {
		s.provisional.ask = asks.TRES
	}
	s.nices = newNices(s.ownNice)
	s.overlays = []overlay{&s.provisional, &s.comments, &s.nices, &s.holds}
	return s, nil
}

func otherCluster(configured, controller string) error {
	return fmt.Errorf("configuration: %w: cluster is %q, but slurmctld's ClusterName is %q", configuration.ErrConfig, configured, controller)
}

// Past answers questions about jobs that have started or ended until the sidecar is
// closed. It is nil for a sidecar of New, and may be asked while a cycle runs.
func (s *Sidecar) Past() *Past { return s.past }

// Close closes the database connections and the journal.
func (s *Sidecar) Close() error {
	err := s.accounting.Close()
	if s.past != nil {
		err = errors.Join(err, s.past.Close())
	}
	if s.experiment.open {
		err = errors.Join(err, s.experiment.flush(&s.config))
	}
	if s.journal != nil {
		err = errors.Join(err, s.journal.Close())
	}
	return err
}

// accounts is all that is asked of accounting. *slurmdb.Reader and *sacctsource.Source
// implement it.
type accounts interface {
	Accounting
	Namer
	finder
	// Divide tells accounting what it cannot know of the controller's partitions.
	Divide(site ledger.Site)
}

// finder answers questions that no poll does, see Past.
type finder interface {
	Find(ctx context.Context, id ostrich.JobID, task, offset int) (ledger.Record, bool, error)
	Started(ctx context.Context, from, to ostrich.Time, visit func(*accounting.Row)) error
	Close() error
}

// openAccounts opens what the setting source names. It reads no job.
func openAccounts(ctx context.Context, c *configuration.Config, source slurmdb.Config) (accounts, error) {
	if c.From == configuration.Sacct {
		return sacctsource.New(c.AccountingCommands(), source)
	}
	return slurmdb.Open(ctx, source)
}

// able returns why the sidecar of a trial could not write in mode enforce.
func (s *Sidecar) able(ctx context.Context, commands slurm.Commands) error {
	if err := s.harmless(); err != nil {
		return err
	}
	if s.config.Tried() == configuration.Trial {
		if _, err := CheckDraw(&s.config, HostClock()); err != nil {
			return err
		}
	}
	dir := filepath.Dir(s.config.Journal)
	err := unix.Access(dir, unix.W_OK)
	if err == nil {
		err, _ = journal.Check(s.config.Journal)
	}
	if err != nil {
		return fmt.Errorf("configuration: %w: journal: %s: %w", configuration.ErrConfig, s.config.Journal, err)
	}
	if uid := uint32(os.Geteuid()); uid != 0 && uid != s.controller.SlurmUser { //nolint:gosec // not negative on Linux
		operator, err := commands.Operator(ctx)
		if err == nil && !operator {
			err = fmt.Errorf("%w: user %d is no operator of Slurm's (AdminLevel), and may not change jobs", configuration.ErrConfig, uid)
		}
		return err
	}
	return nil
}

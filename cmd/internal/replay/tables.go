package replay

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"slurm-ostrich/cmd/internal/configuration"
	"slurm-ostrich/cmd/internal/console"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/priority/slurm"
	"slurm-ostrich/slurmdb"
	"slurm-ostrich/slurmdb/archive"
)

// warmUp is the number of half-lives before the window from which usage is read.
// Older usage counts for a sixteenth.
const warmUp = 4

// readTables reads slurmdbd's tables, and asks slurmctld for what is in no file.
func (s *source) readTables(ctx context.Context, config *configuration.Config, stderr io.Writer) error {
	if err := s.readDate(); err != nil {
		return err
	}
	from, to := ostrich.Time(s.now.AddDate(0, 0, -30).Unix()), ostrich.Time(s.now.Unix())
	if s.o.since > 0 {
		from = s.o.since
	}
	if s.date > 0 {
		from = s.date - (to - s.date)
	}
	from, to, err := s.span(from, to)
	if err != nil {
		return err
	}
	commands := config.Commands()
	if s.setup.Controller == nil {
		controller, bad := commands.Controller(ctx)
		if bad != nil {
			return fmt.Errorf("%w; or give --slurm-config FILE", bad)
		}
		s.setup.Controller = &controller
		config.Cluster = cmp.Or(config.Cluster, controller.ClusterName)
	}
	if s.setup.Partitions == nil && !s.o.WasGiven("slurm-config") {
		if s.setup.Partitions, err = commands.Partitions(ctx); err != nil {
			return fmt.Errorf("%w; or give --slurm-config FILE", err)
		}
	}
	if s.setup.Records == nil && !s.o.WasGiven("slurm-config") {
		if s.setup.Records, err = commands.Records(ctx); err != nil {
			return fmt.Errorf("%w; or give --slurm-config FILE", err)
		}
		s.setup.Present = true
	}
	config.Cluster = cmp.Or(config.Cluster, s.setup.Controller.ClusterName)
	if err = s.count(config); err != nil {
		return err
	}
	if config.From == configuration.Sacct {
		return errors.New("compare: with source: sacct there are no tables to read; give it a dump of sacct's: --sacct FILE")
	}
	access, err := config.Source()
	if err != nil {
		return err
	}
	done := console.Alive(stderr, "reading accounting")
	defer done()
	access.Classes, access.Needs = true, true
	r, err := slurmdb.Open(ctx, access)
	if err != nil {
		return err
	}
	defer func() { _ = r.Close() }() // it was only read
	s.name = "cluster " + config.Cluster
	before := s.warmUp(from)
	if s.history, err = archive.History(ctx, r, from-before, to); err != nil {
		if ctx.Err() != nil {
			return console.ErrInterrupted
		}
		return err
	}
	s.history.From = from
	if s.setup.Events == nil {
		if s.setup.Events, err = r.Outages(ctx, from); err != nil {
			return err
		}
	}
	if s.setup.Reserved, err = r.Reservations(ctx, from); err != nil {
		return err
	}
	if s.setup.Site == nil {
		if s.setup.Site, err = r.Site(ctx); err != nil {
			return err
		}
	}
	if s.date == 0 && !s.o.WasGiven("endtime") && !s.o.WasGiven("slurm-config") && s.setup.Controller.Multifactor() {
		s.ask(ctx, commands)
	}
	return nil
}

// warmUp returns from how long before a moment usage is read.
func (s *source) warmUp(from ostrich.Time) ostrich.Time {
	k := s.setup.Controller
	before, reset := ostrich.Time(warmUp*k.DecayHalfLife), resetOf(k).Last(from, s.location)
	switch {
	case s.date > 0:
		return 0 // no usage is computed
	case reset > 0 && (before == 0 || reset > from-before):
		return from - reset
	case before == 0 && k.Multifactor():
		s.notes = append(s.notes, "PriorityDecayHalfLife is 0 and usage is never reset (PriorityUsageResetPeriod): what was used before the window counts in Slurm, and not in the replay.")
	}
	return before
}

// ask asks the controller for its priorities, to compare the model with them.
func (s *source) ask(ctx context.Context, commands slurm.Commands) {
	s.asked = ostrich.Time(time.Now().Unix())
	var err error
	if s.shares, err = commands.Shares(ctx); err == nil {
		s.queue, err = commands.Queue(ctx)
	}
	if err != nil {
		s.notes = append(s.notes, fmt.Sprintf("The model was not compared with the controller's own priorities: %v.", err))
		s.asked = 0
	}
}

package sidecar

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/priority"
	"slurm-ostrich/priority/journal"
)

// Reset gives every job back to stock ordering. It needs the controller and
// the journal, not the database. With dry it only tells what it would write.
// With all it also gives back what the journal does not know. warn is told what
// was wrong with the journal and was put right.
func Reset(ctx context.Context, c Config, now ostrich.Time, all, dry bool, warn func(error)) (changes []priority.Change, outcomes []priority.Outcome, err error) {
	if c.foreign() {
		return nil, nil, fmt.Errorf("reset: the configuration is of cluster %s; give the one of %s with --config", c.own, c.Cluster)
	}
	slurm := c.Commands()
	controller, err := slurm.Controller(ctx)
	if err != nil {
		return nil, nil, err
	}
	if c.Cluster != "" && c.Cluster != controller.ClusterName {
		return nil, nil, otherCluster(c.Cluster, controller.ClusterName)
	}
	s := &Sidecar{config: c, slurm: slurm, controller: controller}
	switch _, missing := os.Stat(filepath.Dir(c.Journal)); {
	case c.Journal == "", errors.Is(missing, os.ErrNotExist):
		// Nothing was ever written from here.
	case dry:
		s.journal, err = journal.Read(c.Journal)
	default:
		s.journal, err = journal.Open(c.Journal)
		if errors.Is(err, journal.ErrLocked) {
			err = fmt.Errorf("%w: stop ostrichd first, or it would write again what is taken back", err)
		}
	}
	if err != nil {
		return nil, nil, err
	}
	if s.journal != nil {
		defer func() {
			if repaired := s.journal.Repaired(); repaired != nil {
				warn(repaired)
			}
			err = errors.Join(err, s.journal.Close())
		}()
	}
	if !dry {
		if _, err = s.await(ctx); err != nil {
			return nil, nil, err
		}
	}
	queue, err := slurm.Queue(ctx)
	if err != nil {
		return nil, nil, err
	}
	running, err := slurm.Running(ctx)
	if err != nil {
		return nil, nil, err
	}
	o := priority.ResetOptions{
		Channel: priority.Channel(c.Priority.Channel), Controller: controller, Running: running, All: all,
	}
	if s.journal != nil { // a nil one would be a History all the same
		o.Journal = s.journal
	}
	changes, err = priority.Reset(o, queue)
	if err != nil || dry || len(changes) == 0 {
		return changes, nil, err
	}
	outcomes, err = s.Write(ctx, now, changes)
	return changes, outcomes, err
}

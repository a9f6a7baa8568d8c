package sidecar

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"slurm-ostrich/cmd/internal/configuration"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/priority"
	"slurm-ostrich/priority/journal"
)

// Reset gives every job back to stock ordering. It needs the controller and the
// journal, but not the database. With dry it only returns what it would write.
// With all it also gives back what the journal does not know. It calls warn with
// faults of the journal that were fixed.
func Reset(ctx context.Context, c configuration.Config, now ostrich.Time, all, dry bool, warn func(error)) (changes, outcomes []priority.Change, err error) {
	if own := c.Foreign(); own != "" {
		return nil, nil, fmt.Errorf("reset: the configuration is of cluster %s; give the one of %s with --config", own, c.Cluster)
	}
	slurm := c.Commands()
	w, err := openWriter(ctx, &c, slurm, dry)
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, w.close(warn)) }()
	if !dry {
		if _, err = w.await(ctx); err != nil {
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
	changes, err = w.knowing().Reset(queue, running, all)
	if err != nil || dry || len(changes) == 0 {
		return changes, nil, err
	}
	outcomes, err = w.write(ctx, now, changes)
	for i := range outcomes {
		if outcomes[i].Status == priority.Gone && outcomes[i].Words == "" && slices.Contains(running, outcomes[i].Job) {
			outcomes[i].Status = priority.Unknown // it ran before, and was given back for the case that it is queued again
		}
	}
	return changes, outcomes, err
}

// openWriter returns what writes without accounting; its journal is nil if nothing was ever written from here.
func openWriter(ctx context.Context, c *configuration.Config, slurm Controller, dry bool) (*writer, error) {
	w := &writer{slurm: slurm, channel: c.Priority.Channel, interval: c.Interval}
	var err error
	if w.controller, err = slurm.Controller(ctx); err != nil {
		return nil, err
	}
	if c.Cluster != "" && c.Cluster != w.controller.ClusterName {
		return nil, otherCluster(c.Cluster, w.controller.ClusterName)
	}
	switch _, missing := os.Stat(filepath.Dir(c.Journal)); {
	case c.Journal == "", errors.Is(missing, os.ErrNotExist):
	case dry:
		w.journal, err = journal.Read(c.Journal)
	default:
		w.journal, err = journal.Open(c.Journal)
		if errors.Is(err, journal.ErrLocked) {
			err = fmt.Errorf("%w: stop ostrichd first, or it would write again what is taken back", err)
		}
	}
	return w, err
}

// close closes the journal, and calls warn with its faults that were fixed.
func (w *writer) close(warn func(error)) error {
	if w.journal == nil {
		return nil
	}
	if repaired := w.journal.Repaired(); repaired != nil {
		warn(repaired)
	}
	return w.journal.Close()
}

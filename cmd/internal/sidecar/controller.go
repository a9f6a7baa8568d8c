package sidecar

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/priority"
)

// configAge is how long the controller's configuration is used before it is read
// again.
const configAge = time.Minute

// ErrClasses means that the sidecar has to be opened anew, because Slurm's settings make
// other classes of jobs now.
var ErrClasses = errors.New("there are other classes of jobs")

// InTurn lists classes for people, the first first.
func InTurn(c ostrich.Classes) string {
	if len(c.Names) == 0 {
		return "one of all jobs"
	}
	return strings.Join(c.Names, ", then ")
}

func settings(ctx context.Context, slurm Controller) (c priority.Controller, partitions []priority.Partition, err error) {
	if c, err = slurm.Controller(ctx); err == nil {
		partitions, err = slurm.Partitions(ctx)
	}
	c.MarkExclusive(partitions)
	return c, partitions, err
}

// ask reads the controller's configuration again once it is old: weights and
// partitions change under a running sidecar.
func (s *Sidecar) ask(ctx context.Context) error {
	if time.Since(s.asked) < configAge {
		return nil
	}
	controller, partitions, err := settings(ctx, s.slurm)
	if err != nil {
		return err
	}
	// A harm stays known until slurmctld says that it is gone, and a class until the
	// QOS are known again.
	if controller.PoliciesUnknown != "" {
		if (controller.QOSUnknown || len(controller.QOS) == 0) && len(s.controller.QOS) > 0 {
			controller.QOS, controller.QOSUnknown = s.controller.QOS, s.controller.QOSUnknown
		}
		controller.Federation = cmp.Or(controller.Federation, s.controller.Federation)
	}
	counted, err := UnitOf(&s.config, controller, partitions)
	if err != nil {
		counted, s.names = s.counted, err // until it is mended
	} else if s.divide != nil && !counted.same(&s.counted) {
		return fmt.Errorf("%w: before, %s; now, %s", ErrUnit, s.counted, counted)
	}
	counted.Unit = s.counted.Unit // its parts are those of the jobs so far
	site, undivided := counted.site(s.config.Pools, partitions)
	// With partitions that make no pools a sidecar could not be opened anew.
	if classes := s.config.Classes(controller, partitions); undivided == nil {
		if !sameClasses(s.classes, classes, slices.Concat(s.partitions, partitions), slices.Concat(s.controller.QOS, controller.QOS)) {
			return fmt.Errorf("%w: before, %s; now, %s", ErrClasses, InTurn(s.classes), InTurn(classes))
		}
		s.classes = classes // they may have other names
		s.pools.Rename(classes.Names)
	}
	divided := !reflect.DeepEqual(partitions, s.partitions)
	if divided || !reflect.DeepEqual(controller, s.controller) {
		s.made, s.ranked = nil, nil
	}
	if divided && s.divide != nil {
		if undivided != nil {
			s.names = undivided // the pools keep the nodes that they had
		} else {
			s.divide(site)
		}
	}
	s.controller, s.partitions, s.counted, s.asked = controller, partitions, counted, time.Now()
	return nil
}

// harmless returns an error if slurmctld reports a setting under which an order
// would do harm, or if it is not known whether it would.
func (s *Sidecar) harmless() error {
	o := s.options()
	if err := priority.Undecided(o); err != nil {
		return err
	}
	return priority.Harmless(o, s.partitions)
}

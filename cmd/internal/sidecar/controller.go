package sidecar

import (
	"cmp"
	"context"
	"reflect"
	"time"

	"slurm-ostrich/priority"
)

// configAge is how long the controller's configuration is used before it is read
// again.
const configAge = time.Minute

// ask reads the controller's configuration again once it is old: weights and
// partitions change under a running sidecar.
func (s *Sidecar) ask(ctx context.Context) error {
	if time.Since(s.asked) < configAge {
		return nil
	}
	controller, err := s.slurm.Controller(ctx)
	if err != nil {
		return err
	}
	partitions, err := s.slurm.Partitions(ctx)
	if err != nil {
		return err
	}
	if controller.PoliciesUnknown != "" {
		// A harm stays known until slurmctld says that it is gone.
		if controller.QOS == nil {
			controller.QOS = s.controller.QOS
		}
		controller.Federation = cmp.Or(controller.Federation, s.controller.Federation)
	}
	divided := !reflect.DeepEqual(partitions, s.partitions)
	if divided || !reflect.DeepEqual(controller, s.controller) {
		s.made, s.ranked = nil, nil
	}
	if divided && s.divide != nil {
		if pools, err := nodesOf(s.config.Pools, partitions); err != nil {
			s.names = err // the pools keep the nodes that they had
		} else {
			s.divide(pools, priority.MaxTimes(partitions))
		}
	}
	s.controller, s.partitions, s.asked = controller, partitions, time.Now()
	return nil
}

// harmless returns an error if slurmctld reports a setting under which an order
// would do harm.
func (s *Sidecar) harmless() error {
	return priority.Harmless(s.options(), s.partitions)
}

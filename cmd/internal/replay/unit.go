package replay

import (
	"errors"
	"fmt"
	"slices"

	"slurm-ostrich/cmd/internal/configuration"
	"slurm-ostrich/cmd/internal/sidecar"
	"slurm-ostrich/priority"
)

// count chooses by what OStrich counts work, as the daemon does. What auto cannot count is
// counted by processors.
func (s *source) count(config *configuration.Config) error {
	if s.setup.Controller == nil || s.date > 0 {
		return nil // nothing is known of the site, or only what happened is looked at
	}
	counted, err := sidecar.UnitOf(config, *s.setup.Controller, s.setup.Partitions)
	if weighed := slices.ContainsFunc(s.setup.Partitions, func(p priority.Partition) bool { return p.BillingWeights != "" }); weighed && (err != nil || !counted.Unit.Charges()) {
		s.notes = append(s.notes, "Fair share charges billing in the whole numbers of accounting, as Slurm does not: its fractions count where OStrich counts work by billing, too.")
	}
	switch {
	case err != nil && (config.Schedule.Resource != configuration.Auto || errors.Is(err, sidecar.ErrWeights)):
		return err
	case err != nil:
		s.notes = append(s.notes, fmt.Sprintf("OStrich counts work by processors: %v.", err))
		return nil
	}
	if s.setup.Counted = counted; counted.Unit != nil {
		s.notes = append(s.notes, fmt.Sprintf("OStrich counts work by %s.", counted))
		for _, warning := range counted.Warnings {
			s.notes = append(s.notes, "In counting work, "+warning+".")
		}
	}
	config.CountBy(counted.Unit)
	return nil
}

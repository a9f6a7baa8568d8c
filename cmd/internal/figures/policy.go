package figures

import (
	"fmt"

	policies "slurm-ostrich/cmd/internal/replay"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/sim"
)

// follow makes a loop use a policy of simulate, with a gate if it is an OStrich.
func follow(loop *sim.Machine, name, gate string) error {
	m := &policies.Material{}
	if gate != "" {
		var err error
		if m.Options.Gate, err = ostrich.Named[ostrich.Gate](ostrich.GateNames, gate); err != nil {
			return fmt.Errorf("figures: gate %q: %w", gate, err)
		}
	}
	p, err := policies.PolicyNamed(name, policies.Log)
	if err != nil {
		return fmt.Errorf("figures: %w", err)
	}
	p.Into(loop, m, false)
	return nil
}

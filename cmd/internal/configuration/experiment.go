package configuration

import (
	"errors"

	"slurm-ostrich/ostrich/trial"
)

// Writes reports whether the daemon may write in the mode that is set.
func (c *Config) Writes() bool { return c.Mode == Enforce || c.Mode == Trial }

// Design returns the design of the trial that is set. It returns false without an end.
func (c *Config) Design() (*trial.Design, bool) {
	if c.Experiment.Until == 0 {
		return nil, false
	}
	return &trial.Design{
		Period: Seconds(c.Experiment.Period), Washout: Seconds(c.Experiment.Washout), Seed: uint64(c.Experiment.Seed), //nolint:gosec // not negative
		Until: c.Experiment.Until,
	}, true
}

// checkTrial returns what is wrong with the settings of the trial, as they stand.
func (c *Config) checkTrial() error {
	d, set := c.Design()
	if !set {
		if c.Mode == Trial {
			return errors.New("trial.until: must say when the trial ends in mode trial, as in 2027-03-01")
		}
		d = &trial.Design{Period: Seconds(c.Experiment.Period), Washout: Seconds(c.Experiment.Washout), Until: 1}
	}
	return d.Validate()
}

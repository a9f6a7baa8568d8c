package sweep

import (
	"fmt"
	"slices"
	"strings"

	"slurm-ostrich/cmd/internal/replay"
)

// optionsOf returns the options of a replay that these set.
func optionsOf(list []Option) (*replay.Options, error) {
	o := replay.Defaults()
	for _, one := range list {
		if err := o.Set(one.Name, one.Value); err != nil {
			return nil, err
		}
	}
	return o, nil
}

// has refuses an option that a command does not have.
func has(names []string, name, command string) error {
	if slices.Contains(names, name) {
		return nil
	}
	return fmt.Errorf("%s: no option of %s that can vary; those are %s", name, command, strings.Join(names, ", "))
}

// meaning says what the options of a sweep mean: what they mean to simulate.
type meaning struct{}

// Canonical checks the values that can be checked without a log.
func (meaning) Canonical(o Option) (string, error) {
	if err := has(replay.Defaults().Names(), o.Name, "simulate"); err != nil {
		return "", err
	}
	r, err := optionsOf([]Option{o})
	if err != nil {
		return "", err
	}
	return r.CheckAlone(o.Name)
}

// Judge finds options that do not go together, as simulate does. Whether the
// fields of a log name its campaigns is seen when it is read.
func (meaning) Judge(generated bool, options []Option) (map[string]string, error) {
	asked, err := optionsOf(options)
	if err != nil {
		return nil, err
	}
	p, err := asked.OnePolicy()
	if err != nil {
		return nil, err
	}
	idle := make(map[string]string)
	kept := slices.DeleteFunc(slices.Clone(options), func(o Option) bool {
		idle[o.Name] = asked.MeansNothing(o.Name, p)
		return idle[o.Name] != ""
	})
	o, err := optionsOf(kept)
	if err != nil {
		return nil, err
	}
	return idle, o.CheckTogether(p, generated)
}

package orderbench

import (
	"slurm-ostrich/cmd/internal/replay"
)

// Policy is an order to measure.
type Policy struct {
	*replay.Variant
	tuning replay.Tuning
}

// ParsePolicies parses a comma-separated list of policies, each in the language of
// replay.Variant.
func ParsePolicies(text string) ([]Policy, error) {
	variants, err := replay.ParseVariants(text, replay.Parts)
	if err != nil {
		return nil, err
	}
	list := make([]Policy, len(variants))
	for i, v := range variants {
		list[i].Variant = v
		if list[i].tuning, err = v.Tuned(); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// Usage lists the policies and their settings.
func Usage() string {
	return replay.Help(replay.Parts, 10) + "\n" + replay.VariantHelp(replay.Parts, 10)
}

package orderbench

import (
	"slurm-ostrich/cmd/internal/replay"
)

// Policy is an order to measure.
type Policy = *replay.Variant

// ParsePolicies parses a comma-separated list of policies, each in the language of
// replay.Variant.
func ParsePolicies(text string) ([]Policy, error) { return replay.ParseVariants(text, replay.Parts) }

// Usage lists the policies and their settings.
func Usage() string {
	return replay.Help(replay.Parts, 10) + "\n" + replay.VariantHelp(replay.Parts, 10)
}

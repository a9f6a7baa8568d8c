package orderbench

import "slurm-ostrich/cmd/internal/simulation"

// Policy is an order to measure.
type Policy = *simulation.Variant

// ParsePolicies parses a comma-separated list of policies, each in the language of
// simulation.Variant.
func ParsePolicies(text string) ([]Policy, error) {
	return simulation.ParseVariants(text, simulation.Parts)
}

// Usage lists the policies and their settings.
func Usage() string {
	return simulation.Help(simulation.Parts, 10) + "\n" + simulation.VariantHelp(simulation.Parts, 10)
}

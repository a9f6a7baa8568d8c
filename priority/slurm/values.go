package slurm

import (
	"context"
	"slices"
	"strings"
)

// Values returns the values that a field of squeue's --format, as "%u", has in the queue,
// each once and sorted. A job in several partitions counts for each. It runs one squeue.
func (s Commands) Values(ctx context.Context, field string) ([]string, error) {
	out, err := s.output(ctx, "squeue", "--local", "-h", "-a", "-t", "PENDING,RUNNING,SUSPENDED", "-o", field)
	if err != nil {
		return nil, err
	}
	values := strings.FieldsFunc(string(out), func(r rune) bool { return strings.ContainsRune(",\n ", r) })
	if strings.HasPrefix(field, "%i") { // the list of an array's tasks has commas
		values = strings.Fields(string(out))
	}
	slices.Sort(values)
	return slices.Compact(values), nil
}

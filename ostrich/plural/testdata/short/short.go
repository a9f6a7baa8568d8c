// Package short lacks an argument in each call.
package short

import (
	"io"

	"slurm-ostrich/ostrich/plural"
)

func note(w io.Writer, format string, args ...any) {
	_, _ = io.WriteString(w, plural.Sprintf(format, args...))
}

// Short writes what go vet is to find.
func Short(w io.Writer) error {
	note(w, "%d file{|s} of %s", 1)
	_, _ = io.WriteString(w, plural.Sprintf("%d line{|s} of %s", 1))
	return plural.Errorf("%d byte{|s}: %w", 1)
}

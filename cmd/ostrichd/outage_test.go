package main

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"slurm-ostrich/cmd/internal/configuration"
	"slurm-ostrich/cmd/internal/sidecar"
	"slurm-ostrich/priority/slurm"
	"slurm-ostrich/slurmdb"
)

// TestErrorForAll: what everybody may read of a failed cycle names no address, account or file.
func TestErrorForAll(t *testing.T) {
	for _, is := range []error{slurmdb.ErrDenied, slurmdb.ErrConnect, slurmdb.ErrColumns, slurm.ErrUnreachable, configuration.ErrConfig, errors.New("other")} {
		for _, err := range []error{fmt.Errorf("slurmdb: %w to tcp db7.site.example:3306: Access denied for user 'ostrich'@'10.0.0.5'", is), sidecar.JournalError{Err: fmt.Errorf("open /secret/ostrich: %w", is)}} {
			got := forAll(err)
			for _, secret := range []string{"db7", "3306", "'ostrich'", "10.0.0.5", "/secret"} {
				if strings.Contains(got, secret) || !strings.Contains(got, "log") {
					t.Errorf("%v: %q", err, got)
				}
			}
		}
	}
}

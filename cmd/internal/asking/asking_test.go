package asking

import (
	"errors"
	"fmt"
	"strings"
	"syscall"
	"testing"

	"slurm-ostrich/cmd/internal/socket/client"
	"slurm-ostrich/cmd/internal/view"
)

// Without a daemon, users are told where it answers, and nothing of databases and files
// that are not for them. Administrators are told what is missing, with the reason behind.
func TestAlone(t *testing.T) {
	const path = "/run/ostrich/ostrichd.sock"
	unreached := func(why error) error { return fmt.Errorf("%w at %s: connect: %w", client.ErrNobody, path, why) }
	denied := errors.New("slurmdb: database at tcp localhost:3306: connection refused")
	yes, no := func() bool { return true }, func() bool { return false }
	want := "no ostrichd answers at /run/ostrich/ostrichd.sock: connect: no such file or directory; to do without it, this command needs the configuration of ostrichd and the rights to read: " + denied.Error()
	if err := alone(yes, unreached(syscall.ENOENT), denied); err == nil || err.Error() != want || !errors.Is(err, denied) {
		t.Errorf("%v", err)
	}
	for why, want := range map[syscall.Errno][]string{
		syscall.ENOENT:       {"its own host", "status page", "OSTRICH_URL", "/etc/ostrich/client.yaml", "(its setting socket)", "--socket PATH", "administrators"},
		syscall.ECONNREFUSED: {"it does not run", "administrators"},
		syscall.EACCES:       {"may not open it", "administrators"},
	} {
		err := alone(no, unreached(why), denied)
		if !errors.Is(err, client.ErrNobody) || strings.Contains(err.Error(), "3306") || strings.Contains(err.Error(), "database") {
			t.Errorf("%v", err)
		}
		for _, words := range append(want, path) {
			if !strings.Contains(err.Error(), words) {
				t.Errorf("%v: does not say %q", err, words)
			}
		}
	}
	for _, who := range []func() bool{yes, no} {
		if err := alone(who, nil, denied); !errors.Is(err, denied) || strings.Contains(err.Error(), "ostrichd.sock") {
			t.Errorf("a command that asked nobody: %v", err)
		}
		if err := alone(who, unreached(syscall.ENOENT), view.ErrNoJob); err == nil || err.Error() != view.ErrNoJob.Error() {
			t.Errorf("a job that nobody knows: %v", err)
		}
		if err := alone(who, unreached(syscall.ENOENT), nil); err != nil {
			t.Error(err)
		}
	}
}

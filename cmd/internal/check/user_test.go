package check

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"

	"slurm-ostrich/cmd/internal/configuration"
)

// Somebody who is not the user of ostrichd is told to run check as that user, before
// anything else, and not how to become an operator.
func TestWhose(t *testing.T) {
	was := units
	defer func() { units = was }()
	dir := t.TempDir()
	units = []string{filepath.Join(dir, "*.conf"), filepath.Join(dir, "ostrichd.service")}
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	ask := func(as, me string) (string, *checklist) {
		l := &checklist{Config: configuration.Config{Journal: "/nowhere/journal.jsonl"}}
		l.whose(as, me)
		said := []string{l.as}
		for _, f := range l.found {
			said = append(said, fmt.Sprintf("%s %s: %s; %s", f.Result, f.Name, f.Found, f.Fix))
		}
		return strings.Join(said, "; "), l
	}
	if got, _ := ask("", "bob"); got != "bob" {
		t.Errorf("no unit: %s", got)
	}
	write("ostrichd.service", "[Service]\nUser=ostrich\n")
	for _, test := range []struct{ as, me, want string }{
		{"", "bob", "ostrich; warn user: bob runs this, and ostrichd runs as ostrich: what bob may read and write here says nothing of it; run it as ostrich: runuser -u ostrich -- ostrich check"},
		{"", "ostrich", "ostrich"},
		{"", "root", "root"},
		{"carol", "bob", "carol"},
	} {
		if got, l := ask(test.as, test.me); got != test.want || l.byOther != strings.Contains(test.want, "warn") {
			t.Errorf("as %q, run by %s: %s, want %s", test.as, test.me, got, test.want)
		}
	}
	write("10-ours.conf", "[Service]\nUser=slurmwatch\n")
	if got, _ := ask("", "slurmwatch"); got != "slurmwatch" {
		t.Errorf("a unit that was changed: %s", got)
	}
}

// The advice names one cause: munge where the commands cannot be heard, and for the
// database what the server itself says.
func TestReach(t *testing.T) {
	for said, want := range map[string]string{
		`scontrol: slurmctld does not answer: scontrol: error: If munged is up, restart with --num-threads=10; scontrol: error: Munge encode failed: Failed to access "/var/run/munge/munge.socket.2": No such file or directory`: "start munged on this host, whose socket /var/run/munge/munge.socket.2 does not answer",
		"scontrol: slurmctld does not answer: slurm_load_ctl_conf error: Protocol authentication error":                                                                                                                           "let munged of this host have the munge.key",
		"scontrol: slurmctld does not answer: Unable to contact slurm controller (connect failure)":                                                                                                                               "start slurmctld, or set slurm.conf",
		"scontrol: exit status 1: scontrol: error: Munge encode failed: Invalid credential format":                                                                                                                                "start munged on this host, whose socket /run/munge/munge.socket.2 does not answer",
		"scontrol: fork/exec /nowhere/scontrol: no such file or directory":                                                                                                                                                        "start slurmctld, or set slurm.conf",
		"scontrol: exit status 1: error: failed to connect to /run/slurm/sack.socket: No such file or directory":                                                                                                                  "start sackd on this host",
	} {
		if got := answerFix(errors.New(said)); !strings.HasPrefix(got, want) {
			t.Errorf("%s:\n%s, want %s…", said, got, want)
		}
	}
	l := &checklist{Config: configuration.Default()}
	for _, test := range []struct {
		number uint16
		words  string
		want   string
	}{
		{1045, "Access denied for user 'ostrich'@'node1' (using password: NO)", "name the file with the password of 'ostrich'@'node1' in database.password_file"},
		{1045, "Access denied for user 'ostrich'@'node1' (using password: YES)", "let database.password_file have the password that the server has for 'ostrich'@'node1'; if it has no account of that name for that host"},
		{1698, "Access denied for user 'ostrich'@'localhost'", "give 'ostrich'@'localhost' a password"},
		{1130, "Host 'node1' is not allowed to connect to this MariaDB server", "run grants.sql with this host"},
		{1044, "Access denied for user 'ostrich'@'%' to database 'x'", "set database.name to StorageLoc"},
		{1049, "Unknown database 'x'", "set database.name to StorageLoc"},
		{4151, "Access denied, this account is locked", "ALTER USER ostrich ACCOUNT UNLOCK"},
		{1040, "Too many connections", "raise max_connections"},
		{2000, "something else", "set database.address, "},
	} {
		err := fmt.Errorf("slurmdb: no connection: %w", &mysql.MySQLError{Number: test.number, Message: test.words})
		if got := l.databaseFix(err); !strings.HasPrefix(got, test.want) {
			t.Errorf("%s:\n%s, want %s…", test.words, got, test.want)
		}
	}
	if got := l.databaseFix(errors.New("dial tcp 127.0.0.1:3306: connection refused")); !strings.HasPrefix(got, "set database.address, ") {
		t.Error(got)
	}
}

package slurmdb_test

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"slurm-ostrich/slurmdb"
	"slurm-ostrich/slurmdb/slurmdbtest"
)

// TestGrantsTwice runs contrib/mysql/grants.sql twice, with another password the second
// time: that one counts then, and the account can read and nothing else.
func TestGrantsTwice(t *testing.T) {
	text, err := os.ReadFile("../contrib/mysql/grants.sql")
	if err != nil {
		t.Fatal(err)
	}
	db := slurmdbtest.New(t, slurmdbtest.R2205)
	t.Cleanup(func() {
		if _, err := db.ExecContext(context.WithoutCancel(t.Context()), "DROP USER 'granted'@'localhost'"); err != nil {
			t.Error(err)
		}
	})
	grant := func(password string) {
		t.Helper()
		script := strings.NewReplacer("'ostrich'", "'granted'", "slurm_acct_db", db.Name, "change-me", password).Replace(string(text))
		var lines []string
		for line := range strings.Lines(script) {
			if !strings.HasPrefix(strings.TrimSpace(line), "--") {
				lines = append(lines, line)
			}
		}
		for statement := range strings.SplitSeq(strings.Join(lines, ""), ";\n") {
			if strings.TrimSpace(statement) != "" {
				db.Run(statement)
			}
		}
	}
	open := func(password string) error {
		r, err := slurmdb.Open(t.Context(), slurmdb.Config{Addresses: []string{db.Server.Socket}, User: "granted", Password: password, Database: db.Name, Cluster: db.Cluster})
		if err != nil {
			return err
		}
		grants, readOnly, err := r.Grants(t.Context())
		if err != nil || !readOnly {
			t.Errorf("grants %q, %v: want such that only read", grants, err)
		}
		return r.Close()
	}
	grant("first")
	if err := open("first"); err != nil {
		t.Error(err)
	}
	grant("second")
	if err := open("second"); err != nil {
		t.Error(err)
	}
	if err := open("first"); err == nil || !strings.Contains(err.Error(), "Access denied") {
		t.Errorf("with the first password: %v, want no access", err)
	}
}

// TestNoPasswordAmongArguments: no document, script or test hands a password to a command
// as an argument, which ps would show.
func TestNoPasswordAmongArguments(t *testing.T) {
	shown := regexp.MustCompile(`(?i)--password=|mariadb.* -p\S|\bsed\b.*\$\{?password|mariadb.*(-e|--execute).*IDENTIFIED BY`)
	for _, line := range []string{`mariadb -uroot -psecret`, `sed "s/change-me/$password/" grants.sql`, `mariadb -e "CREATE USER x IDENTIFIED BY 'y'"`, `mysql --password="$p"`} {
		if !shown.MatchString(line) {
			t.Errorf("%q is not found", line)
		}
	}
	for _, top := range []string{"../docs", "../contrib", "../README.md"} {
		err := filepath.WalkDir(top, func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			text, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			n := 0
			for line := range strings.Lines(string(text)) {
				if n++; shown.MatchString(line) {
					t.Errorf("%s:%d: a password among the arguments: %s", name, n, line)
				}
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
}

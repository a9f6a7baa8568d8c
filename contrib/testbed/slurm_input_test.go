package testbed_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// testBadInput gives the two commands what they cannot work with: each says
// so in one line, ends with 1 and changes nothing.
func (b *bed) testBadInput(t *testing.T) {
	b.freeze(t)
	t.Cleanup(func() { b.empty(t); b.thaw(t) })
	b.submit(t, "ob-carol", "--time", "60")
	b.submit(t, "ob-dave", "--time", "10")
	b.managed(t, 2)

	dir := b.dir + "/bad"
	b.do(t, "root", "install", "-d", "-o", operator, dir, dir+"/empty", dir+"/squeue", dir+"/scontrol", dir+"/sprio")
	file := func(name, text string, mode os.FileMode) string {
		t.Helper()
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		return name
	}
	good, err := os.ReadFile(b.config)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Count(string(good), "\n")
	// Folders in which one command fails and the others are Slurm's own.
	for _, failing := range []string{"squeue", "scontrol", "sprio"} {
		for _, name := range []string{"squeue", "scontrol", "sprio", "sdiag", "sacctmgr"} {
			text := "#!/bin/sh\nexec " + name + ` "$@"` + "\n"
			if name == failing {
				text = "#!/bin/sh\necho " + name + ": error: it burns >&2\nexit 3\n"
			}
			file(failing+"/"+name, text, 0o755)
		}
	}

	for _, tt := range []struct {
		name string
		args []string
		want string // in the one line of the error
	}{
		{"nobody listens", []string{"--database-address", "127.0.0.1:1"}, "127.0.0.1:1"},
		{"no such socket", []string{"--database-address", dir + "/none.sock"}, dir + "/none.sock"},
		{"no such database", []string{"--database-name", "elsewhere"}, "elsewhere"},
		{"another user", []string{"--database-user", "nobody"}, "Access denied for user 'nobody'"},
		{"wrong password", []string{"--database-password-file", file("wrong", "guess\n", 0o644)}, "Access denied"},
		{"no password file", []string{"--database-password-file", dir + "/none"}, dir + "/none: no such file"},
		{"unreadable password file", []string{"--database-password-file", file("secret", "guess\n", 0o600)}, dir + "/secret: permission denied"},
		{"wrong cluster", []string{"--cluster", "testbad"}, cluster},
		{"cluster that injects", []string{"--cluster", "x`; DROP TABLE " + cluster + "_job_table; -- "}, cluster},
		{"cluster that quotes", []string{"--cluster", `' OR '1'='1`}, cluster},
		{"unknown key", []string{"--config", file("key.yaml", string(good)+"priority:\n  chanel: nice\n", 0o644)}, "key.yaml:" + strconv.Itoa(lines+2) + ": priority.chanel: unknown key"},
		{"no configuration", []string{"--config", dir + "/none.yaml"}, "none.yaml"},
		{"unknown channel", []string{"--priority-channel", "prio"}, `"prio"`},
		{"no commands of Slurm", []string{"--slurm-bin", dir + "/empty"}, dir + "/empty/scontrol"},
		{"squeue fails", []string{"--slurm-bin", dir + "/squeue"}, "it burns"},
		{"scontrol fails", []string{"--slurm-bin", dir + "/scontrol"}, "it burns"},
		{"sprio fails", []string{"--slurm-bin", dir + "/sprio"}, "it burns"},
		{"no slurm.conf", []string{"--slurm-timeout", "2s", "--slurm-conf", dir + "/none.conf"}, "none.conf"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			before, updates := b.queue(t), b.updates(t)
			for _, command := range [][]string{
				{"ostrichd", "--config", b.config, "--apply", "--once"},
				{"ostrich", "plan", "--config", b.config},
			} {
				r := b.try(t, operator, command[0], append(command[1:], tt.args...)...)
				if r.code != 1 || strings.Count(r.stderr, "\n") != 1 || !strings.Contains(r.stderr, tt.want) {
					t.Errorf("%s: exit code %d with %q, want 1 and one line with %q", command[0], r.code, r.stderr, tt.want)
				}
				if strings.Contains(r.stderr, "panic") {
					t.Errorf("%s: %s", command[0], r.stderr)
				}
			}
			if n := b.updates(t) - updates; n != 0 {
				t.Errorf("%d updates", n)
			}
			if diff := cmp.Diff(before, b.queue(t)); diff != "" {
				t.Errorf("the queue changed (-before +after):\n%s", diff)
			}
		})
	}
	if rows := b.sql(t, "SELECT COUNT(*)>0 FROM slurm_acct_db."+cluster+"_job_table"); rows != "1" {
		t.Errorf("the job table is gone: %q", rows)
	}
}

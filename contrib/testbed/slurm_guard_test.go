package testbed_test

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// testLeftAlone sees to it that what is not OStrich's stays exactly as it is.
func (b *bed) testLeftAlone(t *testing.T) {
	b.freeze(t)
	b.do(t, "root", "scontrol", "create", "reservation", "reservationname=kept", "starttime=now", "duration=60", "users=ob-alice", "nodes=n4")
	t.Cleanup(func() {
		b.empty(t)
		b.do(t, "root", "scontrol", "delete", "reservationname=kept")
		b.thaw(t)
	})
	kept := map[string]string{ // what of, by job
		b.submit(t, "ob-alice", "--hold"):                "held",
		b.submit(t, "ob-bob"):                            "pinned",
		b.submit(t, "ob-carol"):                          "held by root",
		b.submit(t, "ob-alice", "--reservation=kept"):    "reservation",
		b.submit(t, "ob-frank"):                          "account",
		b.submit(t, "ob-dave", "--nice=70", "--hold"):    "held with a nice value",
		b.submit(t, "ob-erin", "--nice=30", "--time=10"): "account, with a nice value",
	}
	for id, what := range kept {
		switch what {
		case "pinned":
			b.do(t, "root", "scontrol", "update", "jobid="+id, "priority=5000")
		case "held by root":
			b.do(t, "root", "scontrol", "hold", id)
		}
	}
	watched := func() map[string]queued {
		t.Helper()
		m := make(map[string]queued)
		for _, q := range b.queue(t) {
			if what, ok := kept[q.ID]; ok {
				m[what] = q
			}
		}
		return m
	}
	jobs := 0
	for _, channel := range []string{"sitefactor", "nice", "priority"} {
		part(t, channel, func(t *testing.T) {
			through := []string{"--priority-channel", channel, "--exclude-accounts", "bio"}
			var managed []string
			before := watched()
			for _, user := range users[:4] {
				managed = append(managed, b.submit(t, user, "--time", strconv.Itoa(20+jobs)))
				jobs++
			}
			b.managed(t, jobs, through...)
			b.apply(t, through...)

			// What was OStrich's until now becomes somebody else's.
			mine, theirs := managed[0], managed[1]
			b.do(t, "ob-alice", "scontrol", "hold", mine)
			b.do(t, "root", "scontrol", "update", "jobid="+theirs, "priority=4000")
			kept[mine], kept[theirs] = "held later, "+channel, "pinned later, "+channel
			before[kept[mine]], before[kept[theirs]] = b.job(t, mine), b.job(t, theirs)
			jobs -= 2

			for range 3 {
				b.submit(t, "ob-carol", "--time", "3")
				jobs++
				b.managed(t, jobs, through...)
				b.applied(t, through...)
				if diff := cmp.Diff(before, watched()); diff != "" {
					t.Fatalf("jobs that are not OStrich's (-before +after):\n%s", diff)
				}
			}
			p := b.plan(t, through...)
			for id, what := range kept {
				if why := p.why(id); why == "campaign order" {
					t.Errorf("job %s, %s: the plan says %q", id, what, why)
				}
			}
			b.do(t, operator, "ostrich", append([]string{"reset", "--config", b.config}, through...)...)
			after := watched()
			for _, what := range []string{"pinned", "held", "held by root", "account"} {
				if diff := cmp.Diff(before[what], after[what]); diff != "" {
					t.Errorf("%s: reset (-before +after):\n%s", what, diff)
				}
			}
			for what, q := range after {
				if strings.HasPrefix(what, "held") && q.Priority != 0 {
					t.Errorf("job %s, %s: reset released it: %+v", q.ID, what, q)
				}
			}
		})
	}
}

// testRights sees what the sidecar may do, and what it needs.
func (b *bed) testRights(t *testing.T) {
	b.freeze(t)
	t.Cleanup(func() { b.empty(t); b.thaw(t) })
	b.submit(t, "ob-carol", "--time", "60")
	b.submit(t, "ob-dave", "--time", "10")
	b.managed(t, 2)
	secret, err := os.ReadFile(b.dir + "/etc/ostrich.password")
	if err != nil {
		t.Fatal(err)
	}
	password := strings.TrimSpace(string(secret))

	t.Run("operator", func(t *testing.T) {
		if r := b.ostrich(t, "check"); r.code != 0 || !strings.Contains(r.stdout, operator+" has AdminLevel Operator") {
			t.Errorf("ostrich check as %s: exit code %d\n%s%s", operator, r.code, r.stdout, r.stderr)
		}
		before := b.queue(t)
		b.apply(t)
		if cmp.Equal(before, b.queue(t)) {
			t.Errorf("as %s nothing was written: %+v", operator, before)
		}
		b.unchanged(t)
	})

	t.Run("plain user", func(t *testing.T) {
		const user = "ob-bob"
		dir := b.dir + "/bob"
		b.do(t, "root", "install", "-d", "-o", user, dir)
		args := []string{
			"--config", b.config, "--apply", "--once",
			"--database-password-file", "", "--journal", dir + "/journal.jsonl",
		}
		b.do(t, operator, "ostrich", "reset", "--config", b.config)
		before := b.queue(t)
		cmd := b.command(t, user, "ostrichd", args...)
		cmd.Env = append(cmd.Env, "OSTRICH_DATABASE_PASSWORD="+password)
		r := finish(t, cmd)
		if strings.Contains(r.stderr, password) {
			t.Error("the password is in the log")
		}
		if r.code != 1 || !strings.Contains(r.stderr, "Invalid user id for job") || !strings.Contains(r.stderr, "is AdminLevel=Operator still set?") {
			t.Errorf("as %s: exit code %d, and no word of the refusal: %s", user, r.code, r.stderr)
		}
		if diff := cmp.Diff(before, b.queue(t)); diff != "" {
			t.Errorf("as %s something was written (-before +after):\n%s", user, diff)
		}
		cmd = b.command(t, user, "ostrich", "check", "--config", b.config)
		if r := finish(t, cmd); !strings.HasPrefix(r.stdout, "warn  user               "+user+" runs this, and ostrichd runs as "+operator) || strings.Contains(r.stdout, user+" has AdminLevel") {
			t.Errorf("ostrich check as %s: exit code %d\n%s", user, r.code, r.stdout)
		}
		cmd = b.command(t, user, "ostrich", "check", "--config", b.config, "--as", user)
		if r := finish(t, cmd); r.code != 1 || !strings.Contains(r.stdout, user+" has AdminLevel None") {
			t.Errorf("ostrich check as %s: exit code %d\n%s", user, r.code, r.stdout)
		}
	})

	t.Run("database", func(t *testing.T) {
		table := "slurm_acct_db." + cluster + "_job_table"
		for _, statement := range []string{
			"SELECT COUNT(*) FROM " + table,
			"UPDATE " + table + " SET priority=1",
			"DELETE FROM " + table,
			"CREATE TABLE slurm_acct_db.mine (x INT)",
			"DROP TABLE " + table,
		} {
			cmd := b.command(t, operator, "mariadb", "--no-defaults", "--protocol=socket", "--socket="+b.dir+"/run/mysql/mysqld.sock",
				"--user="+operator, "-e", statement)
			cmd.Env = append(cmd.Env, "MYSQL_PWD="+password)
			r := finish(t, cmd)
			if may := strings.HasPrefix(statement, "SELECT"); may != (r.code == 0) || (!may && !strings.Contains(r.stderr, "command denied")) {
				t.Errorf("%s as %s: exit code %d: %s", statement, operator, r.code, r.stderr)
			}
		}
		if r := b.ostrich(t, "check"); !strings.Contains(r.stdout, "the account can only read") {
			t.Errorf("ostrich check:\n%s", r.stdout)
		}
	})
}

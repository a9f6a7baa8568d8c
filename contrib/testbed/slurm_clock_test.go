package testbed_test

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

// testClock lets the database's clock jump ten days forward, in all connections,
// and back again.
func (b *bed) testClock(t *testing.T) {
	t.Cleanup(func() { b.empty(t) })
	b.block(t)
	b.submit(t, "ob-carol", "--ntasks", "16", "--time", "60")
	b.submit(t, "ob-dave", "--ntasks", "16", "--time", "10")
	b.managed(t, 2)
	d := b.daemon(t, "--apply", "--log-level", "debug")
	d.cycles(t, 2)
	eventually(t, "nothing is left to write", func() string { return differ(0, b.plan(t).Summary.Writes) }) // late rows of the parts before change lengths
	before, writes := b.queue(t), b.updates(t)

	shift := func(init string) {
		t.Helper()
		b.sql(t, "SET GLOBAL init_connect='"+init+"'")
		for id := range strings.FieldsSeq(b.sql(t, "SELECT id FROM information_schema.processlist WHERE user NOT IN ('root', 'system user')")) {
			b.try(t, "root", "mariadb", "--no-defaults", "--protocol=socket", "--socket="+b.dir+"/run/mysql/mysqld.sock", "--user=root", "-e", "KILL "+id)
		}
	}
	shift("SET timestamp=unix_timestamp()+864000")
	t.Cleanup(func() { shift("") })
	d.await(t, failing, 1)
	ahead := time.Now()
	eventually(t, "not ready", func() string {
		status, body := d.get(t, "/readyz")
		if status != http.StatusServiceUnavailable || !strings.Contains(body, "clock is wrong: it ran ahead by 86") {
			return body
		}
		return ""
	})
	d.await(t, "cycle failed again", 1)
	if r := b.ostrich(t, "plan"); r.code != 1 || !strings.Contains(r.stderr, "s ahead of this host's") {
		t.Errorf("plan: exit code %d: %s", r.code, r.stderr)
	}
	shift("")
	d.await(t, recovered, 1)
	report(t, "clock", "recovered %v after the jump was seen", time.Since(ahead).Round(time.Second))
	d.cycles(t, 2)
	if status, body := d.get(t, "/readyz"); status != http.StatusOK {
		t.Errorf("ready again: %d %s", status, body)
	}
	if lag := d.metric(t, "ostrich_source_lag_seconds"); lag != 0 {
		t.Errorf("source lag %v s", lag)
	}
	for _, message := range []string{failing, recovered} {
		if n := len(d.events(t, message)); n != 1 {
			t.Errorf("%q %d times", message, n)
		}
	}
	if n := len(d.events(t, "accounting row left out")); n > 0 {
		t.Errorf("%d rows left out", n)
	}
	if diff := differ(strings.Join(ids(before), " "), strings.Join(ids(b.queue(t)), " ")); diff != "" {
		t.Error("the order: ", diff)
	}
	if n := b.updates(t) - writes; n != 0 {
		t.Errorf("%d writes", n)
	}
	b.unchanged(t)
	d.terminate(t)
}

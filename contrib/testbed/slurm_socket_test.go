package testbed_test

import (
	"slices"
	"strings"
	"testing"
)

// asked returns the ids of the jobs and the users that a user sees through the
// daemon's socket, with no configuration.
func (d *daemon) asked(t *testing.T, b *bed, as string) (jobs, shares []string) {
	t.Helper()
	p := planOf(t, b.try(t, as, "ostrich", "plan", "--json", "--socket", d.socket))
	for _, j := range p.Jobs {
		jobs = append(jobs, j.ID.String())
	}
	slices.Sort(jobs)
	for line := range strings.Lines(b.do(t, as, "ostrich", "shares", "-nP", "--socket", d.socket)) {
		shares = append(shares, strings.Split(line, "|")[1])
	}
	slices.Sort(shares)
	return jobs, shares
}

// TestSocket has users ask the daemon who have neither its configuration nor its
// password. They see the jobs that squeue shows them.
func TestSocket(t *testing.T) {
	needSlurm(t)
	t.Parallel()
	b := up(t, "socket", "--set", "PrivateData=jobs,usage")
	b.freeze(t)
	t.Cleanup(func() { b.empty(t) })
	b.do(t, "root", "sacctmgr", "--immediate", "add", "coordinator", "account=astro", "names=ob-grace")
	of := make(map[string]string)
	for _, user := range []string{"ob-alice", "ob-bob", "ob-erin", "ob-alice", "ob-heidi"} {
		of[user] = b.submit(t, user, "--time", "5")
	}
	everybody := []string{"ob-alice", "ob-bob", "ob-erin", "ob-heidi"}
	agree := func(t *testing.T, d *daemon, as string, shares []string) {
		t.Helper()
		eventually(t, as+" sees in the plan what squeue shows", func() string {
			shown := strings.Fields(b.do(t, as, "squeue", "--noheader", "--format=%A"))
			slices.Sort(shown)
			jobs, entitled := d.asked(t, b, as)
			if wrong := differ(strings.Join(shown, " "), strings.Join(jobs, " ")); wrong != "" {
				return wrong
			}
			return differ(strings.Join(shares, " "), strings.Join(entitled, " "))
		})
	}

	part(t, "private", func(t *testing.T) {
		d := b.daemon(t)
		d.cycles(t, 1)
		for as, shares := range map[string][]string{
			"ob-alice": {"ob-alice"}, "ob-erin": {"ob-erin"}, "ob-grace": nil, "ob-dave": nil, operator: everybody, "root": everybody, "slurm": everybody,
		} {
			agree(t, d, as, shares)
		}
		if r := b.try(t, "ob-alice", "ostrich", "explain", of["ob-alice"], "--socket", d.socket); r.code != 0 || !strings.Contains(r.stdout, "job "+of["ob-alice"]+" of ob-alice") {
			t.Errorf("one's own job: %+v", r)
		}
		if r := b.try(t, "ob-alice", "ostrich", "explain", of["ob-bob"], "--socket", d.socket); r.code != 1 || !strings.Contains(r.stderr, "neither in the queue nor") {
			t.Errorf("another's job: %+v", r)
		}
		if r := b.try(t, "ob-alice", "ostrich", "plan", "--socket", d.socket, "--slurm-bin", "/tmp"); r.code != 1 || !strings.Contains(r.stderr, "--slurm-bin does not go with it") {
			t.Errorf("a setting: %+v", r)
		}
		d.terminate(t)
		if r := b.try(t, "ob-alice", "ostrich", "plan", "--socket", d.socket); r.code != 1 || !strings.Contains(r.stderr, "no ostrichd answers at") {
			t.Errorf("after the end: %+v", r)
		}
	})
	part(t, "public", func(t *testing.T) {
		b.start(t, "--set", "PrivateData=none")
		d := b.daemon(t)
		d.cycles(t, 1)
		for _, as := range []string{"ob-alice", "ob-dave", "root"} {
			agree(t, d, as, everybody)
		}
		d.terminate(t)
	})
}

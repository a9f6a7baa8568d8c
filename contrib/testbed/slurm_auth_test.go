package testbed_test

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestWithoutMunge runs check, the daemon and reset on a cluster whose daemons and
// commands know users by auth/slurm.
func TestWithoutMunge(t *testing.T) {
	needSlurm(t)
	version, err := exec.CommandContext(t.Context(), "slurmctld", "-V").Output()
	if err != nil {
		t.Fatal(err)
	}
	if strings.HasPrefix(string(version), "slurm-wlm 22.") {
		t.Skipf("%s has no auth/slurm; TestReleases runs this with later ones", strings.TrimSpace(string(version)))
	}
	t.Parallel()
	b := up(t, "auth", "--auth", "slurm")
	if conf := b.do(t, "root", "scontrol", "show", "config"); !strings.Contains(conf, "auth/slurm") || strings.Contains(conf, "munge") {
		t.Errorf("the cluster does not go by auth/slurm alone: %s", conf)
	}
	b.freeze(t)
	t.Cleanup(func() { b.empty(t) })
	held := b.submit(t, "ob-alice", "--time", "5", "--hold")
	_, jobs := b.burst(t, "--comment=none")
	if r := b.ostrich(t, "check"); r.code != 0 {
		t.Errorf("check ends with %d: %s%s", r.code, r.stdout, r.stderr)
	}
	b.managed(t, jobs)
	d := b.daemon(t, "--apply")
	d.cycles(t, 2)
	waiting := slices.DeleteFunc(b.queue(t), func(q queued) bool { return q.ID == held })
	if diff := cmp.Diff(b.unchanged(t).order(), ids(waiting)); diff != "" {
		t.Errorf("squeue is not in OStrich's order (-OStrich +squeue):\n%s", diff)
	}
	if q := b.job(t, held); q.Priority != 0 {
		t.Errorf("the held job is %+v", q)
	}
	// A user who is no operator may not write.
	if r := b.try(t, "ob-bob", "scontrol", "update", "jobid="+held, "sitefactor=5"); r.code == 0 {
		t.Errorf("a user may set a SiteFactor: %+v", r)
	}
	d.terminate(t)
	b.do(t, operator, "ostrich", "reset", "--config", b.config)
	for _, q := range b.queue(t) {
		if q.ID != held && q.Site != "0" {
			t.Errorf("reset has left a value: %+v", q)
		}
	}
}

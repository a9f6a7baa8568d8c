package testbed_test

import (
	"strings"
	"testing"
	"time"
)

// TestThrottledTask sees what TestThrottle of ostrich/sim replays: a job that could run beside the first task of an array with %1 waits for the
// nodes that the backfill scheduler keeps a second task, before Slurm 23.02.4, and starts at once with a later one.
func TestThrottledTask(t *testing.T) {
	needSlurm(t)
	t.Parallel()
	b := up(t, "throttle", "--nodes", "2")
	first := b.submit(t, "ob-alice", "--nodelist=n1", "--ntasks=4", "--time=5", "--wrap", "sleep 600")
	second := b.submit(t, "ob-alice", "--nodelist=n2", "--ntasks=2", "--time=8", "--wrap", "sleep 600")
	b.running(t, first, second)
	array := b.submit(t, "ob-bob", "--array=1-2%1", "--ntasks=4", "--nodes=1", "--time=10", "--wrap", "sleep 600")
	job := b.submit(t, "ob-bob", "--nice=9000", "--time=10", "--wrap", "sleep 600")
	if version := b.do(t, "root", "scontrol", "version"); strings.Contains(version, " 22.") {
		time.Sleep(15 * time.Second) // some looks of the backfill scheduler
		if state := b.do(t, "root", "squeue", "-h", "-j", job, "-o", "%T"); state != "PENDING" {
			t.Errorf("the job is %s, with %s", state, version)
		}
		b.do(t, "root", "scancel", array+"_2")
	}
	b.soon(t, job)
}

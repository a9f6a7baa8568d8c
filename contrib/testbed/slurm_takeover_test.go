package testbed_test

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestTakeover kills the controller of a cluster that has a backup. The backup
// takes over by itself, and so does the daemon go on: nothing is held, pinned or
// lost, and new jobs are ordered. Then the first one comes back.
func TestTakeover(t *testing.T) {
	needSlurm(t)
	t.Parallel()
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	host, _, _ = strings.Cut(host, ".")
	own, err := net.LookupHost(host) //nolint:noctx // a file answers
	if err != nil {
		t.Fatal(err)
	}
	b := up(t, "takeover", "--set", "PriorityWeightAge=0", "--set", "PriorityWeightFairshare=0",
		"--set", "SlurmctldTimeout=10", "--set", "CommunicationParameters=NoCtldInAddrAny",
		"--set", "SlurmctldHost="+host+"("+own[0]+")", "--set", "SlurmctldHost=backup(127.0.0.2)")
	b.backup(t, "backup")
	answers := func(which, word string) {
		t.Helper()
		eventually(t, which+" is "+word, func() string {
			ping := b.try(t, "root", "scontrol", "ping").stdout
			for line := range strings.Lines(ping) {
				if strings.Contains(line, which) && strings.Contains(line, " is "+word) {
					return ""
				}
			}
			return ping
		})
	}
	answers("backup", "UP")

	t.Cleanup(func() { b.empty(t) })
	b.block(t)
	b.submit(t, "ob-carol", "--ntasks", "16", "--time", "60")
	held := b.submit(t, "ob-dave", "--ntasks", "16", "--time", "10", "--hold")
	b.submit(t, "ob-dave", "--ntasks", "16", "--time", "10")
	b.managed(t, 2)
	d := b.daemon(t, "--apply", "--slurm-timeout", "6s")
	d.cycles(t, 2)
	b.unchanged(t)
	b.saved(t)
	before := b.queue(t)
	killed := time.Now()
	b.kill(t, "slurmctld")
	answers("primary", "DOWN")
	d.await(t, failing, 1)
	d.await(t, recovered, 1)
	report(t, "takeover", "%v from the kill to the first good cycle", time.Since(killed).Round(time.Second))
	b.same(t, before)
	b.unchanged(t)

	// The backup serves, and is written to.
	job := b.submit(t, "ob-erin", "--ntasks", "1", "--time", "5")
	eventually(t, "job "+job+" has a value", func() string {
		if b.job(t, job).Site == "0" {
			return d.log.String()
		}
		return ""
	})
	b.saved(t)
	before = b.queue(t)

	b.start(t) // the primary takes over again
	answers("primary", "UP")
	d.cycles(t, 3)
	b.same(t, before)
	b.unchanged(t)
	if q := b.job(t, held); q.Priority != 0 {
		t.Errorf("the held job %s has priority %d", held, q.Priority)
	}
	if failed, well := len(d.events(t, failing)), len(d.events(t, recovered)); failed != well || failed > 2 {
		t.Errorf("%d lines tell of an outage and %d of its end; there were two changes of the controller", failed, well)
	}
	d.terminate(t)
}

// backup starts a second slurmctld, in namespaces where the host has another name
// and address and the file of its process is another, and ends it with the test.
func (b *bed) backup(t *testing.T, host string) {
	t.Helper()
	const script = `hostname "$1"
		(cat /etc/hosts && echo "127.0.0.2 $1") >"$2/hosts"
		mount --bind "$2/hosts" /etc/hosts
		mount -t tmpfs -o uid=slurm tmpfs "$2/run/slurm"
		exec setpriv --reuid=slurm --regid="$(id -g slurm)" --init-groups slurmctld -D -f "$3"`
	cmd := exec.CommandContext(t.Context(), "unshare", "--uts", "--mount", "sh", "-euc", script, "sh", host, b.dir, b.conf)
	cmd.Dir, cmd.Env = b.dir, []string{"PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LANG=C.UTF-8", "SLURM_CONF=" + b.conf}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	log, err := os.Create(b.dir + "/log/slurmctld-" + host + ".out")
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdout, cmd.Stderr = log, log
	if err = cmd.Start(); err != nil {
		t.Fatal(err)
	}
	// As the testbed's own daemons, so that down ends it whatever becomes of this process.
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", cmd.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	since := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')'):]))[20]
	if err := os.WriteFile(b.dir+"/run/slurmctld-"+host+".pid", fmt.Appendf(nil, "%d %s\n", cmd.Process.Pid, since), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it may have ended
		_ = cmd.Wait()         // killed
		if text, err := os.ReadFile(log.Name()); t.Failed() {
			t.Logf("log of the backup controller: %v\n%s", err, text)
		}
		if err := log.Close(); err != nil {
			t.Error(err)
		}
	})
}

package testbed_test

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestFaults breaks what stands around the daemon, as people and programs do,
// and sees to it that it recovers by itself, with one line of its log.
func TestFaults(t *testing.T) {
	needSlurm(t)
	t.Parallel()
	b := up(t, "faults")
	b.freeze(t)
	t.Cleanup(func() { b.empty(t); b.thaw(t) })
	part(t, "names", b.testUnknownNames)
	part(t, "link", b.testLinkedJournal)
	part(t, "journal", b.testLostJournal)
	part(t, "journal gone", b.testJournalGone)
	part(t, "output", b.testEndlessOutput)
	part(t, "denied", b.testDeniedJob)
}

// testUnknownNames: a canary with a typo does not begin, and one without touches
// nobody else.
func (b *bed) testUnknownNames(t *testing.T) {
	b.submit(t, "ob-alice", "--time", "60")
	b.submit(t, "ob-erin", "--time", "10")
	b.managed(t, 2)
	before := b.updates(t)
	r := b.try(t, operator, "ostrichd", "--config", b.config, "--apply", "--once", "--exclude-accounts", "boi", "--include-partitions", "nowhere")
	if r.code != 1 || !strings.Contains(r.stderr, `Slurm knows no account "boi"; did you mean "bio"?`) || !strings.Contains(r.stderr, `no partition "nowhere"`) {
		t.Errorf("exit code %d: %s", r.code, r.stderr)
	}
	r = b.try(t, operator, "ostrichd", "--config", b.config, "--once", "--exclude-users", "ob-alcie", "--exclude-qos", "normal,nromal")
	if r.code != 0 || !strings.Contains(r.stderr, `did you mean \"ob-alice\"`) || !strings.Contains(r.stderr, `did you mean \"normal\"`) {
		t.Errorf("observing: exit code %d: %s", r.code, r.stderr)
	}
	if n := b.updates(t) - before; n != 0 {
		t.Errorf("slurmctld counted %d updates", n)
	}
	b.apply(t, "--include-accounts", "bio")
	for _, q := range b.queue(t) {
		if included := q.Account == "bio"; included != (q.Site != "0") {
			t.Errorf("%s of account %s has SiteFactor %s", q.ID, q.Account, q.Site)
		}
	}
}

// testLinkedJournal: root's reset writes nothing but what the daemon's user could.
func (b *bed) testLinkedJournal(t *testing.T) {
	dir := b.dir + "/linked"
	target := filepath.Join(b.dir, "root-only")
	if err := os.WriteFile(target, []byte("one line without an end"), 0o600); err != nil {
		t.Fatal(err)
	}
	b.do(t, "root", "install", "-d", "-o", operator, dir)
	reset := func() result {
		t.Helper()
		return b.try(t, "root", "ostrich", "reset", "--config", b.config, "--journal", dir+"/journal.jsonl")
	}
	for _, name := range []string{"/journal.jsonl", "/journal.jsonl.lock"} {
		for _, to := range []string{target, target + "-new"} {
			b.do(t, operator, "ln", "-sfn", to, dir+name)
			if r := reset(); r.code != 1 || !strings.Contains(r.stderr, "symbolic link") {
				t.Errorf("exit code %d: %s", r.code, r.stderr)
			}
		}
		b.do(t, operator, "rm", dir+name)
	}
	if text, err := os.ReadFile(target); string(text) != "one line without an end" || err != nil {
		t.Errorf("root's file holds %q, %v", text, err)
	}
	if _, err := os.Lstat(target + "-new"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file of root's was created: %v", err)
	}
	if r := reset(); r.code != 0 {
		t.Errorf("without links: exit code %d: %s", r.code, r.stderr)
	}
	if owner := b.do(t, "root", "stat", "-c", "%U", dir+"/journal.jsonl", dir+"/journal.jsonl.lock"); owner != operator+"\n"+operator {
		t.Errorf("root's reset left files of %q", owner)
	}
}

// testLostJournal: what is written after somebody has removed the journal is in
// the new one, with what was known before, and no second daemon begins.
func (b *bed) testLostJournal(t *testing.T) {
	journal := b.dir + "/ostrich/journal.jsonl"
	first := b.submit(t, "ob-bob", "--time", "30")
	d := b.daemon(t, "--apply")
	noted := func(job string) {
		t.Helper()
		eventually(t, "job "+job+" in the journal", func() string {
			text, _ := os.ReadFile(journal) // it may be gone for a moment
			if !strings.Contains(string(text), `"job":`+job+`,`) {
				return "the journal is:\n" + string(text)
			}
			return ""
		})
	}
	noted(first)
	b.do(t, operator, "rm", journal, journal+".lock")
	second := b.submit(t, "ob-carol", "--time", "20")
	noted(second)
	noted(first)
	r := b.try(t, operator, "ostrichd", "--config", b.config, "--listen", "", "--apply", "--once")
	if r.code != 1 || !strings.Contains(r.stderr, "another daemon orders this cluster") {
		t.Errorf("a second daemon: exit code %d: %s", r.code, r.stderr)
	}
	// Somebody adds what is no record.
	b.do(t, operator, "sh", "-c", "echo what >"+journal+".x && mv "+journal+".x "+journal)
	third := b.submit(t, "ob-dave", "--time", "10")
	noted(third)
	noted(first)
	if text, err := os.ReadFile(journal + ".bad"); string(text) != "what\n" || err != nil {
		t.Errorf("set aside: %q, %v", text, err)
	}
	d.await(t, "the journal was not as it was left", 2) // told at the end of the cycle
	if n := len(d.events(t, "cycle failed")); n != 0 {
		t.Errorf("%d cycles failed", n)
	}
	d.terminate(t)
	if n := len(d.events(t, "the journal was not as it was left")); n != 2 {
		t.Errorf("%d lines tell of it, want 2", n)
	}
}

// testJournalGone: a daemon that finds values of ours in the queue, no journal and nobody who
// stands by says so everywhere, with the mend, and takes the jobs over after a term of its lock.
// A reset then gives back all of them.
func (b *bed) testJournalGone(t *testing.T) {
	journal := b.dir + "/ostrich/journal.jsonl"
	for _, user := range []string{"ob-alice", "ob-bob", "ob-carol"} {
		b.submit(t, user, "--time", "20")
	}
	ordered := 0
	written := func() string {
		ordered = 0
		queue := b.queue(t)
		for _, q := range queue {
			if q.Site != "0" {
				ordered++
			}
		}
		return differ(len(queue), ordered)
	}
	first := b.daemon(t, "--apply")
	eventually(t, "all jobs have values", written)
	first.terminate(t)
	b.do(t, operator, "rm", journal, journal+".lock")

	d := b.daemon(t, "--apply", "--interval", "5s")
	d.await(t, "jobs have values that only a daemon gives", 1)
	left := strconv.Itoa(ordered) + " jobs "
	_, ready := d.get(t, "/readyz")
	if !strings.Contains(ready, left+"are not ordered") || !strings.Contains(ready, "ostrich reset --all") {
		t.Errorf("/readyz: %q", ready)
	}
	if got := d.metric(t, "ostrich_orphaned_jobs"); got != float64(ordered) {
		t.Errorf("ostrich_orphaned_jobs %v, want %d", got, ordered)
	}
	check := b.try(t, operator, "ostrich", "check", "--config", b.config).stdout
	if !strings.Contains(strings.Join(strings.Fields(check), " "), left+"have values that a daemon may have left") || !strings.Contains(check, "ostrich reset --all") {
		t.Errorf("check:\n%s", check)
	}
	d.await(t, "took over values", 1)
	eventually(t, "all is well", func() string { _, ready = d.get(t, "/readyz"); return differ("ok\n", ready) })
	if got := d.metric(t, "ostrich_orphaned_jobs"); got != 0 {
		t.Errorf("ostrich_orphaned_jobs %v after that", got)
	}
	b.managed(t, ordered)
	d.terminate(t)
	if r := b.try(t, "root", "ostrich", "reset", "--config", b.config); r.code != 0 {
		t.Errorf("reset: exit code %d: %s", r.code, r.stderr)
	}
	if written(); ordered != 0 {
		t.Errorf("%d jobs have values after a reset", ordered)
	}
}

// testEndlessOutput: a command that prints without end is ended, nothing is
// written meanwhile, and the daemon goes on once it is right again.
func (b *bed) testEndlessOutput(t *testing.T) {
	bin := b.dir + "/endless"
	b.do(t, "root", "mkdir", bin)
	for _, name := range []string{"scontrol", "squeue", "sprio", "sdiag", "sacctmgr"} {
		b.do(t, "root", "ln", "-s", b.do(t, "root", "sh", "-c", "command -v "+name), bin+"/"+name)
	}
	d := b.daemon(t, "--apply", "--slurm-bin", bin, "--slurm-timeout", "1m")
	d.cycles(t, 2)
	squeue := b.do(t, "root", "readlink", bin+"/squeue")
	before := b.updates(t)
	b.do(t, "root", "sh", "-c", "printf '#!/bin/sh\\nexec yes\\n' >"+bin+"/yes && chmod 755 "+bin+"/yes && ln -sfn yes "+bin+"/squeue")
	b.submit(t, "ob-alice", "--time", "5")
	d.await(t, "cycle failed", 1)
	if e := d.events(t, "cycle failed")[0]; !strings.Contains(e.Error, "squeue: too much output: it printed more than 256 MiB and was ended") {
		t.Errorf("error %q", e.Error)
	}
	report(t, "memory", "%s", b.do(t, "root", "grep", "VmHWM", "/proc/"+strconv.Itoa(d.cmd.Process.Pid)+"/status"))
	if n := b.updates(t) - before; n != 0 {
		t.Errorf("slurmctld counted %d updates", n)
	}
	b.do(t, "root", "ln", "-sfn", squeue, bin+"/squeue")
	d.await(t, "recovered", 1)
	if n := len(d.events(t, "cycle failed")); n != 1 {
		t.Errorf("%d lines tell of it, want 1", n)
	}
	d.terminate(t)
}

// testDeniedJob: a job that a plugin of job_submit lets nobody change is left
// alone, and the others are ordered. It comes last because slurmctld starts again.
func (b *bed) testDeniedJob(t *testing.T) {
	const script = `
function slurm_job_submit(job, partitions, uid) return slurm.SUCCESS end
function slurm_job_modify(job, record, partitions, uid)
	if record.name == "closed" then return slurm.ESLURM_ACCESS_DENIED end
	return slurm.SUCCESS
end
`
	if err := os.WriteFile(filepath.Join(b.dir, "etc", "job_submit.lua"), []byte(script), 0o644); err != nil {
		t.Fatal(err)
	}
	b.empty(t)
	b.start(t, "--set", "JobSubmitPlugins=lua")
	b.freeze(t)
	closed := []string{b.submit(t, "ob-alice", "--job-name=closed", "--time", "5"), b.submit(t, "ob-alice", "--job-name=closed", "--time", "6")}
	open := b.submit(t, "ob-bob", "--time", "60")
	b.managed(t, 3)
	r := b.try(t, operator, "ostrichd", "--config", b.config, "--listen", "", "--apply", "--once")
	if r.code != 1 || !strings.Contains(r.stderr, "2 of 3 priorities not changed, first that of job "+closed[0]+": Access/permission denied for job "+closed[0]) {
		t.Errorf("exit code %d: %s", r.code, r.stderr)
	}
	ordered := func(id string) bool {
		site := b.job(t, id).Site
		return site != "" && site != "0"
	}
	if !ordered(open) {
		t.Error("the other job was not ordered")
	}
	d := b.daemon(t, "--apply")
	d.await(t, "priorities not changed", 1)
	later := b.submit(t, "ob-carol", "--time", "30")
	eventually(t, "a later job is ordered", func() string { return differ(true, ordered(later)) })
	if r := b.ostrich(t, "explain", closed[0]); !strings.Contains(r.stdout, "because Slurm refused the change: Access/permission denied") {
		t.Errorf("ostrich explain: %s%s", r.stdout, r.stderr)
	}
	if n := len(d.events(t, "cycle failed")); n != 0 {
		t.Errorf("%d cycles failed", n)
	}
	d.terminate(t)
}

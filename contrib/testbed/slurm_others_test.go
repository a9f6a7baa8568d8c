package testbed_test

import (
	"fmt"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestOtherWriters sees to it that what others write is left alone, and that a controller
// that refuses or is slow loses nobody a place.
func TestOtherWriters(t *testing.T) {
	needSlurm(t)
	t.Parallel()
	b := up(t, "others")
	b.freeze(t)
	t.Cleanup(func() { b.empty(t); b.thaw(t) })
	for _, p := range []struct {
		name string
		run  func(t *testing.T)
	}{{"foreign", b.testForeign}, {"other", b.testOther}, {"refused", b.testRefused}, {"slow", b.testSlow}, {"outage", b.testProbe}} {
		part(t, p.name, func(t *testing.T) {
			t.Cleanup(func() { b.empty(t) })
			p.run(t)
		})
	}
}

// TestStandby sees to it that one daemon writes however many there are.
func TestStandby(t *testing.T) {
	needSlurm(t)
	t.Parallel()
	b := up(t, "standby")
	b.freeze(t)
	t.Cleanup(func() { b.empty(t); b.thaw(t) })
	b.testStandby(t)
}

// crowd submits jobs of several users, and returns their ids.
func (b *bed) crowd(t *testing.T, n int) []string {
	t.Helper()
	var ids []string
	for i := range n {
		ids = append(ids, b.submit(t, users[i%len(users)], "--time", strconv.Itoa(5+7*(i%9))))
	}
	return ids
}

// placed waits until all jobs have a SiteFactor.
func (b *bed) placed(t *testing.T, n int) {
	t.Helper()
	eventually(t, "all jobs have their places", func() string {
		var without []string
		for _, q := range b.queue(t) {
			if q.Site == "0" || q.Site == "" {
				without = append(without, q.ID)
			}
		}
		if all := len(b.queue(t)); all != n {
			return differ(n, all)
		}
		return differ("", strings.Join(without, " "))
	})
}

// leads waits until a daemon writes, or stands by.
func (d *daemon) leads(t *testing.T, want bool) {
	t.Helper()
	enforcing, standing := 1.0, 0.0
	words := "ok\n"
	if !want {
		enforcing, standing, words = 0, 1, "ok, stands by: another daemon"
	}
	eventually(t, fmt.Sprintf("writes: %v", want), func() string {
		status, body := d.get(t, "/readyz")
		if status != http.StatusOK || !strings.HasPrefix(body, words) {
			return body + d.log.String()
		}
		return differ([2]float64{enforcing, standing}, [2]float64{d.metric(t, "ostrich_enforcing"), d.metric(t, "ostrich_standing_by")})
	})
}

// written is how many changes a daemon has made.
func (d *daemon) written(t *testing.T) float64 {
	t.Helper()
	return max(0, d.metric(t, `ostrich_writes_total{result="applied"}`))
}

// testStandby: two daemons with journals and settings of their own. One writes,
// and the other one takes over when it is killed or cut off from the database.
func (b *bed) testStandby(t *testing.T) {
	const interval = 6 * time.Second
	jobs := len(b.crowd(t, 12))
	start := func(n int, name string) *daemon {
		return b.daemonAt(t, b.port+n, "--apply", "--interval", interval.String(), "--journal", b.dir+"/ostrich/"+name+".jsonl", "--schedule-predictor", "limit")
	}
	first := start(3, "first")
	first.leads(t, true)
	b.placed(t, jobs)
	second := start(4, "second")
	second.leads(t, false)
	second.cycles(t, 1)
	if n := second.written(t); n != 0 {
		t.Errorf("%v writes by who stands by", n)
	}
	// A reload gives nothing away.
	b.do(t, "root", "kill", "-HUP", strconv.Itoa(first.cmd.Process.Pid))
	first.await(t, "reloaded", 1)
	first.cycles(t, 1)
	first.leads(t, true)
	second.leads(t, false)
	r := b.try(t, operator, "ostrichd", "--config", b.config, "--listen", "", "--apply", "--once", "--journal", b.dir+"/ostrich/third.jsonl")
	if r.code != 1 || !strings.Contains(r.stderr, "another daemon orders this cluster") {
		t.Errorf("a third one: exit code %d: %s", r.code, r.stderr)
	}

	began := time.Now()
	first.kill()
	second.await(t, "takes over", 1)
	took := time.Since(began)
	report(t, "takeover", "%v after kill -9, with an interval of %v", took.Round(100*time.Millisecond), interval)
	if took > 2*interval+20*process(t) {
		t.Errorf("the other one took over after %v", took)
	}
	b.crowd(t, 4)
	b.placed(t, jobs+4)
	if n := len(second.events(t, "another writer")); n != 0 {
		t.Errorf("what the first one wrote counts as another writer's:\n%s", second.log)
	}
	if p := b.plan(t, "--journal", b.dir+"/ostrich/second.jsonl", "--schedule-predictor", "limit"); p.Summary.Managed != jobs+4 {
		t.Errorf("%d jobs are managed, want %d", p.Summary.Managed, jobs+4)
	}

	// The first one is back, and the second one's connection is killed.
	first = start(3, "first")
	first.leads(t, false)
	began = time.Now()
	b.sql(t, "KILL "+b.sql(t, "SELECT IS_USED_LOCK('ostrich.slurm_acct_db."+cluster+"')"))
	eventually(t, "one of them writes, and one only", func() string {
		return differ(1, first.metric(t, "ostrich_enforcing")+second.metric(t, "ostrich_enforcing"))
	})
	report(t, "takeover", "%v after the lock's connection was killed", time.Since(began).Round(100*time.Millisecond))
	b.crowd(t, 2)
	b.placed(t, jobs+6)
	second.cycles(t, 1)
	for _, d := range []*daemon{first, second} {
		if n := len(d.events(t, "another writer")); n != 0 {
			t.Errorf("a fight:\n%s", d.log)
		}
	}
	before := b.updates(t)
	first.cycles(t, 1)
	if n := b.updates(t) - before; n > 4 {
		t.Errorf("%d updates of a queue that is in order", n)
	}
	second.terminate(t)
	first.leads(t, true)
	first.terminate(t)
}

// testForeign: a SiteFactor that a job_submit plugin or an administrator has set
// stays, unless the setting says otherwise; reset gives it back.
func (b *bed) testForeign(t *testing.T) {
	args := []string{"--journal", b.dir + "/ostrich/foreign.jsonl"}
	jobs := b.crowd(t, 3)
	b.do(t, "root", "scontrol", "update", "jobid="+jobs[0], "sitefactor=4711")
	b.managed(t, 2, args...)
	b.apply(t, args...)
	site := func(want string) {
		t.Helper()
		if q := b.job(t, jobs[0]); q.Site != want && want != "" || want == "" && (q.Site == "4711" || q.Site == "0") {
			t.Errorf("SiteFactor %s, want %q", q.Site, want)
		}
	}
	site("4711")
	if q := b.job(t, jobs[1]); q.Site == "0" {
		t.Errorf("the others have no place: %+v", q)
	}
	if why := b.plan(t, args...).why(jobs[0]); !strings.Contains(why, "somebody else's") {
		t.Errorf("plan: %q", why)
	}
	if r := b.ostrich(t, append([]string{"explain", jobs[0]}, args...)...); !strings.Contains(r.stdout, "SiteFactor 4711 is somebody else's") {
		t.Errorf("explain: %s", r.stdout)
	}
	b.do(t, operator, "ostrich", append([]string{"reset", "--config", b.config}, args...)...)
	site("4711")
	b.apply(t, append(args, "--takeover")...)
	site("")
	b.do(t, operator, "ostrich", append([]string{"reset", "--config", b.config}, args...)...)
	site("4711")
	if q := b.job(t, jobs[1]); q.Site != "0" {
		t.Errorf("not given back: %+v", q)
	}
}

// testOther: another writer of values is reported once and left alone.
func (b *bed) testOther(t *testing.T) {
	jobs := b.crowd(t, 6)
	d := b.daemon(t, "--apply", "--journal", b.dir+"/ostrich/other.jsonl")
	b.placed(t, len(jobs))
	b.do(t, "root", "scontrol", "update", "jobid="+jobs[0]+","+jobs[1], "sitefactor=4711")
	b.do(t, "root", "scontrol", "update", "jobid="+jobs[2], "sitefactor=0") // that is nobody's
	d.await(t, "another writer changes priorities", 1)
	d.cycles(t, 3)
	for i, id := range jobs[:3] {
		if q := b.job(t, id); (q.Site == "4711") != (i < 2) || q.Site == "0" {
			t.Errorf("job %d: %+v", i, q)
		}
	}
	if n := d.metric(t, "ostrich_contested_jobs"); n != 2 {
		t.Errorf("%v jobs are contested, want 2", n)
	}
	if n := len(d.events(t, "another writer changes priorities")); n != 1 {
		t.Errorf("told %d times", n)
	}
	if why := b.plan(t, "--journal", b.dir+"/ostrich/other.jsonl").why(jobs[0]); !strings.Contains(why, "another writer gave it 4711; left alone until") {
		t.Errorf("plan: %q", why)
	}
	d.terminate(t)
	r := b.try(t, operator, "ostrich", "reset", "--config", b.config, "--journal", b.dir+"/ostrich/other.jsonl", "--all")
	if q := b.job(t, jobs[0]); r.code != 0 || q.Site != "0" {
		t.Errorf("reset --all: %s: %+v", r.stderr, q)
	}
}

// wrapped makes a folder of Slurm's commands in which scontrol is a script around
// the real one.
func (b *bed) wrapped(t *testing.T, name, script string) (bin string) {
	t.Helper()
	bin = b.dir + "/" + name
	b.do(t, "root", "mkdir", bin)
	for _, command := range []string{"squeue", "sprio", "sdiag", "sacctmgr"} {
		b.do(t, "root", "ln", "-s", b.do(t, "root", "sh", "-c", "command -v "+command), bin+"/"+command)
	}
	path := b.do(t, "root", "sh", "-c", "command -v scontrol")
	text := "#!/bin/bash\n[ $# = 0 ] || exec " + path + " \"$@\"\n" + strings.ReplaceAll(script, "REAL", path) + "\n"
	if err := os.WriteFile(bin+"/scontrol", []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	return bin
}

// testRefused: a scontrol that refuses all for a while costs nobody their place.
func (b *bed) testRefused(t *testing.T) {
	bin := b.wrapped(t, "refusing", `[ -e `+b.dir+`/refusing/now ] || exec REAL
while read -r line; do
	case $line in
	update*) job=${line#*jobid=}; echo "Requested operation is presently disabled for job ${job%% *}" >&2 ;;
	*) echo "invalid keyword: $line" >&2 ;;
	esac
done
exit 1`)
	b.do(t, "root", "touch", bin+"/now")
	jobs := b.crowd(t, 8)
	d := b.daemon(t, "--apply", "--journal", b.dir+"/ostrich/refused.jsonl", "--slurm-bin", bin)
	eventually(t, "all jobs are given up", func() string {
		return differ(float64(len(jobs)), d.metric(t, "ostrich_given_up_jobs"))
	})
	if why := b.plan(t, "--journal", b.dir+"/ostrich/refused.jsonl").why(jobs[0]); !strings.Contains(why, "presently disabled") || !strings.Contains(why, "; next try 2") {
		t.Errorf("plan: %q", why)
	}
	b.do(t, "root", "rm", bin+"/now")
	began := time.Now()
	b.placed(t, len(jobs))
	report(t, "refused", "all jobs in place %v after the refusals ended", time.Since(began).Round(time.Second))
	eventually(t, "none is given up", func() string { return differ(0, d.metric(t, "ostrich_given_up_jobs")) })
	d.terminate(t)
}

// testSlow: a controller that takes 200 ms for a line makes progress, and that is
// no outage.
func (b *bed) testSlow(t *testing.T) {
	bin := b.wrapped(t, "slow", `while read -r line; do sleep 0.2; echo "$line"; done | REAL`)
	jobs := b.crowd(t, 30)
	b.managed(t, len(jobs), "--journal", b.dir+"/ostrich/slow.jsonl")
	head := b.plan(t, "--journal", b.dir+"/ostrich/slow.jsonl").order()
	d := b.daemon(t, "--apply", "--journal", b.dir+"/ostrich/slow.jsonl", "--slurm-bin", bin, "--slurm-timeout", "3s")
	d.await(t, "the controller is slow", 1)
	var first []string
	for _, q := range b.queue(t) {
		if q.Site != "0" {
			first = append(first, q.ID)
		}
	}
	slices.Sort(first)
	began := slices.Clone(head[:len(first)])
	slices.Sort(began)
	if diff := differ(strings.Join(began, " "), strings.Join(first, " ")); len(first) < len(jobs) && diff != "" {
		t.Error("not the head of the queue first: ", diff)
	}
	report(t, "slow", "%d of %d in the first cycle or so", len(first), len(jobs))
	b.placed(t, len(jobs))
	d.await(t, "the controller keeps up again", 1)
	if n := len(d.events(t, "cycle failed")); n != 0 {
		t.Errorf("%d outages: %s", n, d.log)
	}
	d.terminate(t)
}

// testProbe: the end of an outage is noticed within seconds, not after a pause
// that has doubled.
func (b *bed) testProbe(t *testing.T) {
	bin := b.wrapped(t, "away", "exec REAL")
	sdiag := b.do(t, "root", "readlink", bin+"/sdiag")
	b.do(t, "root", "sh", "-c", `printf '#!/bin/sh\necho "slurm_get_statistics: Unable to contact slurm controller (connect failure)" >&2\nexit 1\n' >`+bin+"/no && chmod 755 "+bin+"/no")
	d := b.daemon(t, "--apply", "--journal", b.dir+"/ostrich/away.jsonl", "--slurm-bin", bin, "--interval", "8s")
	d.cycles(t, 1)
	b.do(t, "root", "ln", "-sfn", "no", bin+"/sdiag")
	d.await(t, "cycle failed", 1)
	b.do(t, "root", "ln", "-sfn", sdiag, bin+"/sdiag")
	began := time.Now()
	d.await(t, "recovered", 1)
	took := time.Since(began)
	report(t, "probe", "recovered %v after the outage ended; the pause was 16 s", took.Round(time.Second))
	if took > 10*time.Second+20*process(t) {
		t.Errorf("recovered %v after the outage ended", took)
	}
	d.terminate(t)
}

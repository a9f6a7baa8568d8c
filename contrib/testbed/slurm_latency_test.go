package testbed_test

import (
	"fmt"
	"math/rand/v2"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// What is promised of a new job with so many pending.
const (
	latencyPending = 2000
	latencyP50     = 1500 * time.Millisecond
	latencyP95     = 3 * time.Second
)

// latencySettings are the defaults, which the testbed's file changes; but all jobs have a place.
var latencySettings = []string{"--interval", "30s", "--interval-min", "2s", "--campaign-rule", "window", "--priority-depth", strconv.Itoa(2 * latencyPending)}

// TestLatency: a job has its place soon after its submission, and a cluster on
// which nothing happens costs slurmctld one small request a second.
func TestLatency(t *testing.T) {
	needSlurm(t) // and not in parallel: it measures time
	b := up(t, "latency")
	b.freeze(t)
	b.fill(t, latencyPending, "true")
	d := b.daemon(t, append([]string{"--apply"}, latencySettings...)...)
	eventually(t, "all have a place", func() string {
		return differ(true, d.metric(t, "ostrich_managed_jobs") == latencyPending && d.metric(t, "ostrich_planned_writes") == 0)
	})
	if by := d.metric(t, "ostrich_slowdown_ratio"); by != 1 {
		t.Errorf("after the first order all comes %v times as slowly: our own writes count as load", by)
	}

	const quiet = 25 * time.Second
	asked := b.requests(t, func() { time.Sleep(quiet) })
	report(t, "quiet", "%s", asked.hourly(quiet))
	minute := func(n int) float64 { return float64(n) * float64(time.Minute) / float64(quiet) }
	if looks := minute(asked.looks); looks < 45 || looks > 75 {
		t.Errorf("%.0f looks at the counters in a quiet minute, want about 60", looks)
	}
	if asked.lists > 2 { // the interval's, and an echo of the first order's
		t.Errorf("%d queue lists in %v in which nothing happened, at most 2", asked.lists, quiet)
	}

	const busy, submissions = time.Minute, 40
	var took []time.Duration
	asked = b.requests(t, func() { took = b.latencies(t, submissions, busy) })
	report(t, "busy", "%s", asked.hourly(busy))
	slices.Sort(took)
	p50, p95 := took[len(took)/2], took[len(took)*95/100]
	report(t, "cycles", "%.0f, of %.2f s on average", d.metric(t, cyclesDone), d.metric(t, "ostrich_cycle_duration_seconds_sum")/d.metric(t, cyclesDone))
	report(t, "latency", "of %d submissions beside %d pending jobs: p50 %.2f s, p95 %.2f s, longest %.2f s",
		len(took), latencyPending, p50.Seconds(), p95.Seconds(), took[len(took)-1].Seconds())
	if p50 > latencyP50 || p95 > latencyP95 {
		t.Errorf("from sbatch to the written SiteFactor p50 %v and p95 %v, at most %v and %v", p50, p95, latencyP50, latencyP95)
	}
	d.terminate(t)
}

// fill submits n single jobs of all users, who share them equally. Each runs a command.
func (b *bed) fill(t *testing.T, n int, run string) {
	t.Helper()
	var running []*exec.Cmd
	for i, user := range users {
		script := fmt.Sprintf(`i=0; while [ $i -lt %d ]; do
			sbatch --quiet --chdir=/ --output=/dev/null --ntasks=$((1 + i %% 4)) --time=$((1 + (i * 37 + %d) %% 60)) --wrap='%s' || exit
			i=$((i + 1)); done`, n/len(users), 13*i, run)
		cmd := b.command(t, user, "sh", "-c", script)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		running = append(running, cmd)
	}
	for _, cmd := range running {
		if err := cmd.Wait(); err != nil {
			t.Fatal(err)
		}
	}
}

// latencies submits n jobs at random moments of some time, and returns for each
// how long it takes from the end of sbatch until sprio shows a SiteFactor.
func (b *bed) latencies(t *testing.T, n int, within time.Duration) []time.Duration {
	t.Helper()
	random := rand.New(rand.NewPCG(12, 4)) //nolint:gosec // moments of a test
	took := make([]time.Duration, n)
	var all sync.WaitGroup
	for i := range n {
		wait := time.Duration(random.Int64N(int64(within)))
		user := users[i%len(users)]
		all.Go(func() {
			time.Sleep(wait)
			took[i] = b.latency(t, user)
		})
	}
	all.Wait()
	return took
}

// latency submits a job, and waits for its place. It is no test's goroutine.
func (b *bed) latency(t *testing.T, user string) time.Duration {
	out, err := b.command(t, user, "sbatch", "--parsable", "--chdir=/", "--output=/dev/null", "--time=7", "--wrap=true").Output()
	began := time.Now()
	if err != nil {
		t.Errorf("sbatch: %v", err)
		return patience
	}
	id := strings.TrimSpace(string(out))
	for time.Since(began) < patience {
		out, err = b.command(t, "root", "sprio", "-h", "-j", id, "-o", "%S").Output()
		if site := strings.TrimSpace(string(out)); err == nil && site != "" && site != "0" {
			return time.Since(began)
		}
		time.Sleep(75 * time.Millisecond)
	}
	t.Errorf("job %s has no place after %v: %v", id, patience, err)
	return patience
}

// requests is what the daemon's user has asked of slurmctld.
type requests struct {
	all   int
	looks int // at the counters
	lists int // of jobs
	moved int // jobs written
}

// requests counts what is asked while something goes on in which nobody else looks
// at counters or lists of jobs.
func (b *bed) requests(t *testing.T, meanwhile func()) requests {
	t.Helper()
	count := func() requests {
		out := b.do(t, "root", "sdiag")
		of := func(name string) int {
			m := regexp.MustCompile(`(?m)^\s+` + regexp.QuoteMeta(name) + `\s.*count:(\d+)`).FindStringSubmatch(out)
			if m == nil {
				return 0
			}
			return int(number(t, m[1]))
		}
		return requests{of(operator), of("REQUEST_STATS_INFO"), of("REQUEST_JOB_INFO"), of("REQUEST_UPDATE_JOB")}
	}
	before := count()
	meanwhile()
	after := count()
	return requests{after.all - before.all, after.looks - before.looks - 1, after.lists - before.lists, after.moved - before.moved} // one look was ours
}

// hourly is what that makes in an hour.
func (r requests) hourly(in time.Duration) string {
	hour := func(n int) int { return int(float64(n) * float64(time.Hour) / float64(in)) }
	return fmt.Sprintf("%d requests an hour: %d looks at the counters, %d queue lists, %d jobs written (%d, %d, %d and %d in %v)",
		hour(r.all), hour(r.looks), hour(r.lists), hour(r.moved), r.all, r.looks, r.lists, r.moved, in)
}

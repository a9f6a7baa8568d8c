package testbed_test

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestScale measures ostrichd beside a slurmctld with many pending jobs, and that
// slurmctld with and without it. OSTRICH_TEST_SCALE says how many jobs, and for how long
// each of the two: 20000/10m. contrib/scale sets it, and compares with an envelope.
func TestScale(t *testing.T) {
	size := os.Getenv("OSTRICH_TEST_SCALE")
	if size == "" {
		t.Skip("takes most of an hour: OSTRICH_TEST_SCALE=20000/10m, as go run ./contrib/scale slurm sets it")
	}
	jobs, length, _ := strings.Cut(size, "/")
	pending, err := strconv.Atoi(jobs)
	if err != nil {
		t.Fatalf("OSTRICH_TEST_SCALE=%s: %v", size, err)
	}
	each, err := time.ParseDuration(length)
	if err != nil {
		t.Fatalf("OSTRICH_TEST_SCALE=%s: %v", size, err)
	}
	needSlurm(t) // and not in parallel: it measures time
	b := up(t, "scale")
	b.freeze(t)
	b.fill(t, pending, "sleep 60")

	b.thaw(t)
	b.do(t, "root", "sdiag", "--reset")
	without := b.burden(t, each)
	b.freeze(t) // so that an end of the first writes is seen
	d := b.daemon(t, append([]string{"--apply"}, latencySettings[:6]...)...)
	for deadline := time.Now().Add(20 * time.Minute); d.metric(t, cyclesDone) < 2 || d.metric(t, "ostrich_planned_writes") > 0; time.Sleep(time.Second) {
		if time.Now().After(deadline) {
			t.Fatalf("not all have a place after 20 minutes: %s", d.log)
		}
	}
	b.thaw(t)
	b.do(t, "root", "sdiag", "--reset")
	cycles, seconds := d.metric(t, cyclesDone), d.metric(t, "ostrich_cycle_duration_seconds_sum")
	var with burden
	asked := b.requests(t, func() { with = b.burden(t, each) })
	cycles, seconds = d.metric(t, cyclesDone)-cycles, d.metric(t, "ostrich_cycle_duration_seconds_sum")-seconds
	fields := strings.Fields(b.do(t, "root", "grep", "VmHWM", fmt.Sprintf("/proc/%d/status", d.cmd.Process.Pid)))

	report(t, "cycles", "%.0f", cycles)
	report(t, "cycle-seconds", "%.4g", seconds/cycles)
	report(t, "rss-megabytes", "%.4g", float64(number(t, fields[1]))*1024/1e6)
	report(t, "requests-hour", "%.0f", float64(asked.all)*float64(time.Hour)/float64(each))
	report(t, "requests", "%s", asked.hourly(each))
	without.report(t, "without")
	with.report(t, "with")
	d.terminate(t)
}

// burden is what slurmctld has to do.
type burden struct {
	main, backfill int64   // mean cycles of its schedulers, in µs; 0 if there was none
	processor      float64 // per cent of one
}

func (l burden) report(t *testing.T, name string) {
	t.Helper()
	report(t, "main-cycle-"+name, "%d", l.main)
	report(t, "backfill-cycle-"+name, "%d", l.backfill)
	report(t, "cpu-"+name, "%.3g", l.processor)
}

// burden measures slurmctld for some time, since whose begin sdiag counts.
func (b *bed) burden(t *testing.T, length time.Duration) burden {
	t.Helper()
	before, began := b.ticks(t), time.Now()
	time.Sleep(length)
	after, took := b.ticks(t), time.Since(began)
	const perSecond = 100 // USER_HZ of Linux, see proc(5)
	l := burden{processor: 100 * float64(after-before) / perSecond / took.Seconds()}
	mean := func(statistics string) int64 {
		m := regexp.MustCompile(`Mean cycle:\s+(\d+)`).FindStringSubmatch(statistics)
		if m == nil {
			return 0
		}
		return number(t, m[1])
	}
	main, backfill, _ := strings.Cut(b.do(t, "root", "sdiag"), "Backfilling stats")
	l.main, l.backfill = mean(main), mean(backfill)
	return l
}

// ticks is the processor time of slurmctld.
func (b *bed) ticks(t *testing.T) int64 {
	t.Helper()
	pid := strings.Fields(b.do(t, "root", "cat", b.dir+"/run/slurmctld.pid"))[0]
	_, stat, _ := strings.Cut(b.do(t, "root", "cat", "/proc/"+pid+"/stat"), ") ")
	fields := strings.Fields(stat) // from the third on
	return number(t, fields[11]) + number(t, fields[12])
}

package testbed_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/trial"
)

// TestTrial: two daemons in mode trial, with journals of their own, over three periods that are drawn for
// OStrich, for stock Slurm, and for OStrich. The one that writes is killed in the midst, and the other one goes
// on with the same draw. OSTRICH_TEST_TRIAL=2m makes the periods longer than 20 s.
func TestTrial(t *testing.T) {
	needSlurm(t)
	t.Parallel()
	period := 20 * time.Second
	if text := os.Getenv("OSTRICH_TEST_TRIAL"); text != "" {
		var err error
		if period, err = time.ParseDuration(text); err != nil || period < 20*time.Second || period%time.Second != 0 {
			t.Fatalf("OSTRICH_TEST_TRIAL=%s: whole seconds from 20s on", text)
		}
	}
	b := up(t, "trial")
	b.freeze(t)
	t.Cleanup(func() { b.empty(t); b.thaw(t) })
	jobs := len(b.crowd(t, 8))

	d := &trial.Design{Period: ostrich.Duration(period / time.Second), Washout: ostrich.Duration(period / 5 / time.Second), Until: 1 << 40}
	for wanted := false; !wanted; {
		d.Seed++
		list := d.Between(d.Until-3*ostrich.Time(d.Period), d.Until)
		wanted = list[0].Arm == trial.OStrich && list[1].Arm == trial.Stock && list[2].Arm == trial.OStrich
	}
	// It begins in the period before the three, whose arm does not matter.
	d.Until = ostrich.Time(time.Now().Add(3*period + 8*time.Second).Unix())
	settings := []string{
		"--mode", "trial", "--schedule-predictor", "limit", "--trial-period", period.String(), "--trial-washout", (period / 5).String(),
		"--trial-seed", strconv.FormatUint(d.Seed, 10), "--trial-until", time.Unix(int64(d.Until), 0).Format("2006-01-02T15:04:05"),
	}
	journal := func(name string) string { return b.dir + "/ostrich/" + name + ".jsonl" }
	start := func(n int, name string) *daemon {
		return b.daemonAt(t, b.port+n, append(settings, "--journal", journal(name))...)
	}
	first := start(3, "first")
	eventually(t, "the first daemon writes, or gives back", func() string { return differ(true, first.metric(t, "ostrich_trial_state") > 0) })
	second := start(4, "second")

	periods := d.Between(d.Until-3*ostrich.Time(d.Period), d.Until)
	until := func(at ostrich.Time) { time.Sleep(time.Until(time.Unix(int64(at), 0))) }
	ours := func() int {
		n := 0
		for _, q := range b.queue(t) {
			if q.Site != "0" && q.Site != "" {
				n++
			}
		}
		return n
	}
	// in waits for the arm of a period, and says how late it was.
	in := func(p trial.Period, says *daemon) {
		t.Helper()
		until(p.From)
		want := 0
		if p.Arm == trial.OStrich {
			want = jobs
		}
		eventually(t, fmt.Sprintf("%d jobs have values of ours", want), func() string { return differ(want, ours()) })
		late := time.Since(time.Unix(int64(p.From), 0))
		report(t, "trial", "%s in force %v after the switch", p.Arm, late.Round(100*time.Millisecond))
		if late > period*3/4 {
			t.Errorf("%s is in force %v after the switch", p.Arm, late)
		}
		eventually(t, "it says which arm it is", func() string { return differ(float64(p.Arm)+1, says.metric(t, "ostrich_trial_state")) })
		if at := says.metric(t, "ostrich_trial_switch_timestamp_seconds"); at != float64(d.Switch(p.From)) {
			t.Errorf("the next switch is at %v, want %d", at, d.Switch(p.From))
		}
	}
	in(periods[0], first)
	checked := b.try(t, operator, "ostrich", append([]string{"check", "--config", b.config, "--journal", journal("first")}, settings...)...).stdout
	if !strings.Contains(checked, "OStrich orders the queue until ") {
		t.Errorf("check says\n%s", checked)
	}
	// What is drawn stays drawn.
	if r := b.try(t, operator, "ostrichd", append(append([]string{"--config", b.config, "--listen", "", "--once", "--journal", journal("first")}, settings...), "--trial-seed", "99999")...); r.code != 1 {
		t.Errorf("another seed: exit code %d, %s", r.code, r.stderr)
	}

	in(periods[1], first)
	first.kill()
	second.await(t, "takes over", 1)
	if n := ours(); n != 0 {
		t.Errorf("%d values of ours after kill -9 in a period of stock Slurm", n)
	}
	more := len(b.crowd(t, 2))
	jobs += more
	in(periods[2], second)
	first = start(3, "first") // it is back, and goes on with the same draw
	eventually(t, "the first one stands by", func() string {
		status, body := first.get(t, "/readyz")
		return differ(true, status == http.StatusOK && strings.HasPrefix(body, "ok, stands by"))
	})

	until(d.Until)
	eventually(t, "all is given back", func() string { return differ(0, ours()) })
	eventually(t, "the trial is over", func() string { return differ(3.0, second.metric(t, "ostrich_trial_state")) })
	for _, x := range []*daemon{first, second} {
		x.terminate(t)
	}
	for _, name := range []string{"first", "second"} {
		drawn, last := kept(t, journal(name)+".trial")
		if drawn != *d {
			t.Errorf("%s has drawn %+v, want %+v", name, drawn, d)
		}
		if at := periods[map[string]int{"first": 0, "second": 2}[name]]; last < at.From || name == "second" && last < at.To-ostrich.Time(d.Period/4) {
			t.Errorf("%s knows what was in force up to %d only", name, last)
		}
	}
	// No job has run in it.
	if r := b.try(t, operator, "ostrich", append(append([]string{"compare", "--trial", "--config", b.config, "--journal", journal("second")}, settings...), "--noheader")...); r.code != 1 || !strings.Contains(r.stderr, "the trial cannot be analysed") {
		t.Errorf("compare --trial: exit code %d: %s%s", r.code, r.stdout, r.stderr)
	}
}

// kept reads a trial's file: what was drawn, and up to when something was in force.
func kept(t *testing.T, path string) (drawn trial.Design, last ostrich.Time) {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(raw)) {
		var is struct {
			Time, Since ostrich.Time
			Drawn       *trial.Design
		}
		if err := json.Unmarshal([]byte(line), &is); err != nil {
			t.Fatalf("%s: %q: %v", path, line, err)
		}
		if is.Drawn != nil {
			drawn = *is.Drawn
		}
		if is.Since > 0 {
			last = max(last, is.Time)
		}
	}
	return drawn, last
}

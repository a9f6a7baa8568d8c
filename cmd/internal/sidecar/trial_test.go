package sidecar

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"slurm-ostrich/cmd/internal/configuration"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/trial"
	"slurm-ostrich/priority"
	"slurm-ostrich/priority/journal"
)

// onTrial starts a sidecar in mode trial with periods of a minute, as a daemon that writes.
func onTrial(t *testing.T, w *site, path string, edit ...func(*configuration.Config)) *Sidecar {
	t.Helper()
	s := w.start(t, append([]func(*configuration.Config){func(c *configuration.Config) {
		c.Mode, c.Journal, c.Interval = configuration.Trial, path, 10*time.Second
		c.Experiment.Period, c.Experiment.Washout, c.Experiment.Seed = time.Minute, 10*time.Second, 7
		c.Experiment.Until = ostrich.Time(time.Now().Unix()/3600*3600 + 3600)
	}}, edit...)...)
	var err error
	if s.journal, err = journal.Open(path); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// values are the priorities that the queue has of ours.
func (s *site) values(t *testing.T) (ours int) {
	t.Helper()
	queue, err := s.Queue(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for i := range queue {
		if queue[i].Site != 0 {
			ours++
		}
	}
	return ours
}

// TestTrial: in the periods drawn for OStrich the jobs have its values, and in the others none,
// also after a restart and for another sidecar. The file says what was in force when.
func TestTrial(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newSite()
		for job := range 6 {
			w.submit(job+1, job%3+1, ostrich.Time(9000+job), "main")
		}
		path := filepath.Join(t.TempDir(), "journal")
		s := onTrial(t, w, path)
		d, _ := s.config.Design()
		arms, down, events := 0, ostrich.Duration(0), slices.Clone(w.Events)
		for step := range 120 {
			if step == 50 { // killed: nothing is flushed
				s.experiment.open = false
				_ = s.Close()
				time.Sleep(5 * time.Minute)
				s, w.Events = onTrial(t, w, path), slices.Clone(events)
			}
			c := run(t, s, true)
			p, on := d.At(ostrich.Time(time.Now().Unix()))
			if !on || c.Trial == nil || c.Trial.Arm != p.Arm || c.Trial.Orders() != (p.Arm == trial.OStrich) {
				t.Fatalf("step %d: %+v, drawn %+v", step, c.Trial, p)
			}
			want := 0
			if p.Arm == trial.OStrich {
				want = 6
				arms++
			}
			if got := w.values(t); got != want {
				t.Fatalf("step %d, arm %v: %d values of ours", step, p.Arm, got)
			}
			time.Sleep(10 * time.Second)
		}
		if arms < 40 || arms > 80 {
			t.Errorf("OStrich ordered in %d of 120 cycles", arms)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		drawn, err := ReadTrial(TrialFile(path))
		if err != nil || drawn == nil || drawn.Design != *d {
			t.Fatalf("the file says %+v, %v", drawn, err)
		}
		for _, p := range d.Between(drawn.At, drawn.At+25*60-60) {
			covered := drawn.Covered(&p)
			if covered < 40 {
				down += d.Period - covered
			}
		}
		if down < 240 || down > 330 {
			t.Errorf("down for %d s of the five minutes", down)
		}
	})
}

// TestStockIsLeftAlone: in a period of stock Slurm a job that never had a value of ours is not
// written, whatever slurmctld schedules it by.
func TestStockIsLeftAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newSite()
		s := onTrial(t, w, filepath.Join(t.TempDir(), "journal"))
		d, _ := s.config.Design()
		for now := ostrich.Time(time.Now().Unix()); ; now = ostrich.Time(time.Now().Unix()) {
			if p, _ := d.At(now); p.Arm == trial.Stock {
				break
			}
			time.Sleep(time.Minute)
		}
		w.submit(1, 1, 9000, "main")
		w.Pending[0].SiteKnown, w.Pending[0].Priority, w.Pending[0].Computed = true, 900_000, 100_000
		for range 3 {
			if c := run(t, s, true); c.Trial.Orders() || len(c.Outcomes) != 0 {
				t.Fatalf("arm %v: written %+v", c.Trial.Arm, c.Outcomes)
			}
		}
	})
}

// stubborn is a site that refuses to change a job.
type stubborn struct {
	*site
	job ostrich.JobID
}

func (s stubborn) Update(ctx context.Context, ch priority.Channel, changes []priority.Change) (priority.Result, error) {
	r, err := s.site.Update(ctx, ch, slices.DeleteFunc(slices.Clone(changes), func(c priority.Change) bool { return c.Job == s.job }))
	for _, c := range changes {
		if c.Job == s.job {
			r.Outcomes = append(r.Outcomes, c.Outcome(priority.Refused, "no"))
		}
	}
	return r, err
}

// TestStockAfterRefusal: a job that Slurm refuses to give back is tried again at growing pauses,
// as in another mode.
func TestStockAfterRefusal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newSite()
		w.submit(1, 1, 9000, "main")
		w.submit(2, 2, 9000, "main")
		s := onTrial(t, w, filepath.Join(t.TempDir(), "journal"), func(c *configuration.Config) { c.Experiment.Period = 10 * time.Minute })
		in := func(arm trial.Arm) {
			for TrialAt(&s.config, ostrich.Time(time.Now().Unix())).Arm != arm {
				time.Sleep(time.Minute)
			}
		}
		in(trial.OStrich)
		run(t, s, true)
		in(trial.Stock)
		s.slurm = stubborn{w, 1}
		began, tries := time.Now(), 0
		for time.Since(began) < 8*time.Minute {
			tries += len(run(t, s, true).Outcomes)
			time.Sleep(2 * time.Second)
		}
		if tries != 1+5 { // after 30 s, 60 s, 2 min and 4 min
			t.Errorf("%d tries to give back in 8 minutes", tries)
		}
		s.slurm = w
		time.Sleep(8 * time.Minute)
		if in(trial.Stock); w.values(t) != 1 {
			t.Fatalf("%d values of ours", w.values(t))
		}
		if run(t, s, true); w.values(t) != 0 {
			t.Error("not given back after the pause")
		}
	})
}

// TestTrialEnds: once it is over all is given back, and stays so.
func TestTrialEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newSite()
		w.submit(1, 1, 9000, "main")
		s := onTrial(t, w, filepath.Join(t.TempDir(), "journal"))
		for range 3700 / 20 {
			run(t, s, true)
			time.Sleep(20 * time.Second)
		}
		c := run(t, s, true)
		if !c.Trial.Over || c.Trial.Orders() || w.values(t) != 0 || !strings.Contains(c.Trial.Words(), "the trial is over since ") {
			t.Errorf("%+v", c.Trial)
		}
	})
}

// TestGiveBack: without accounting the queue is given back in a period of stock Slurm, and only then. A value of
// another writer stays.
func TestGiveBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newSite()
		for job := range 4 {
			w.submit(job+1, job+1, ostrich.Time(9000+job), "main")
		}
		s := onTrial(t, w, filepath.Join(t.TempDir(), "journal"))
		until := func(arm trial.Arm) ostrich.Time {
			for {
				now := ostrich.Time(time.Now().Unix())
				if TrialAt(&s.config, now).Arm == arm {
					return now
				}
				time.Sleep(time.Minute)
			}
		}
		until(trial.OStrich)
		run(t, s, true)
		if got := w.values(t); got != 4 {
			t.Fatalf("%d values of ours", got)
		}
		if err := s.Close(); err != nil { // as the daemon does it, whose journal is open
			t.Fatal(err)
		}
		w.fail["poll"] = errors.New("accounting is away")
		back := func(now ostrich.Time) []priority.Change {
			t.Helper()
			outcomes, err := GiveBack(t.Context(), &s.config, w, now, func(err error) { t.Error(err) })
			if err != nil {
				t.Fatal(err)
			}
			return outcomes
		}
		if got := back(ostrich.Time(time.Now().Unix())); len(got) != 0 || w.values(t) != 4 {
			t.Errorf("while OStrich orders: %v", got)
		}
		w.Pending[3].Site = 17
		now := until(trial.Stock)
		redrawn := s.config
		redrawn.Experiment.Period = 30 * time.Hour // has it so, too
		for TrialAt(&redrawn, now).Orders() {
			redrawn.Experiment.Seed++
		}
		if _, err := GiveBack(t.Context(), &redrawn, w, now, func(error) {}); !errors.Is(err, configuration.ErrConfig) || w.values(t) != 4 {
			t.Errorf("by another draw: %v", err)
		}
		if got := back(now); len(got) != 3 || w.values(t) != 1 || w.Pending[3].Site != 17 {
			t.Errorf("given back %v; the other writer's value is %d", got, w.Pending[3].Site)
		}
		if got := back(now); len(got) != 0 {
			t.Errorf("and again %v", got)
		}
		w.fail["queue"] = errors.New("no queue")
		if _, err := GiveBack(t.Context(), &s.config, w, now, func(error) {}); !errors.Is(err, w.fail["queue"]) {
			t.Errorf("without a queue: %v", err)
		}
	})
}

// TestDrawnStaysDrawn: settings that say otherwise are an error while a trial goes on, and
// a new trial may begin when it is over.
func TestDrawnStaysDrawn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newSite()
		path := filepath.Join(t.TempDir(), "journal")
		s := onTrial(t, w, path)
		run(t, s, true)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		other := func(c *configuration.Config) { c.Experiment.Seed = 8 }
		s = onTrial(t, w, path, other)
		if _, err := s.Run(t.Context(), true); !errors.Is(err, configuration.ErrConfig) || !strings.Contains(err.Error(), "what is drawn stays drawn") || !strings.Contains(err.Error(), "seed 7") {
			t.Errorf("with another seed: %v", err)
		}
		probe := s.config.Probe()
		if _, err := CheckDraw(&probe, HostClock()); !Permanent(err) {
			t.Errorf("a reload with another seed: %v", err)
		}
		_ = s.Close()
		time.Sleep(2 * time.Hour)
		s = onTrial(t, w, path, other)
		run(t, s, true)
		if drawn, err := ReadTrial(TrialFile(path)); err != nil || drawn.Design.Seed != 8 {
			t.Errorf("%+v, %v", drawn, err)
		}
		many := s.config
		many.Experiment.Until, many.Experiment.Seed = many.Experiment.Until+365*86400, 8
		if err := os.Remove(TrialFile(path)); err != nil {
			t.Fatal(err)
		}
		if _, err := CheckDraw(&many, HostClock()); !Permanent(err) || !strings.Contains(err.Error(), "more than 10000") {
			t.Errorf("a year of minutes: %v", err)
		}
	})
}

// TestTrialFile: a line that a crash cut off does not take the next one with it, and a bad
// line is named.
func TestTrialFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal.trial")
	d := &trial.Design{Period: 60, Seed: 1, Until: 6000}
	arm := trial.OStrich
	if err := appendTrial(path, drawnLine(d, 5000)); err != nil {
		t.Fatal(err)
	}
	file, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err = file.WriteString(`{"time":50`); err != nil || file.Close() != nil {
		t.Fatal(err)
	}
	if err = appendTrial(path, &trialLine{Time: 5100, Since: 5040, Arm: &arm}); err != nil {
		t.Fatal(err)
	}
	drawn, err := ReadTrial(path)
	if !errors.Is(err, ErrTrialLine) || !strings.Contains(err.Error(), "journal.trial:2:") {
		t.Errorf("error %v", err)
	}
	if drawn == nil || drawn.Design != *d || drawn.At != 5000 || len(drawn.Spans) != 1 || drawn.Spans[0] != (Span{5040, 5100, trial.OStrich}) {
		t.Errorf("read %+v", drawn)
	}
	raw, _ := os.ReadFile(path)
	if !strings.Contains(string(raw), `"arms":"`+Arms(d.Between(4980, 6000))+`"`) {
		t.Errorf("the draw is not in %s", raw)
	}
	if got, err := ReadTrial(filepath.Join(t.TempDir(), "none")); got != nil || err != nil {
		t.Errorf("of no file: %v, %v", got, err)
	}
}

// TestTrialSettings: what is set wrong is named.
func TestTrialSettings(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"mode: trial\n", "trial.until: must say when the trial ends"},
		{"mode: trial\ntrial: {until: soon}\n", `f.yaml:2: trial.until: "soon" is not a date such as`},
		{"trial: {period: 2h, washout: 2h}\n", "trial.washout: 7200 s must be shorter than the period, 7200 s"},
		{"trial: {period: 5s}\n", "f.yaml:1: trial.period: 5s is too short; the least is 10s"},
		{"trial: {period: 40d}\n", "trial.period: 3456000 s is not from 10 s to 28 days"},
		{"trial: {seed: x}\n", `trial.seed: "x" is not a whole number`},
		{"trial: {dice: 6}\n", "trial.dice: unknown key"},
		{"mode: trial\njournal: ''\ntrial: {until: 2099-01-01}\n", "journal: must be set to write priorities"},
		{"mode: trial\ntrial: {period: 24h, washout: 2h, seed: 5, until: 2099-01-01}\n", ""},
	} {
		c := configuration.Default()
		err := c.Read("f.yaml", []byte(tt.text))
		if err == nil {
			err = c.Validate()
		}
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%q: %v, want %q", tt.text, err, tt.want)
		}
	}
}

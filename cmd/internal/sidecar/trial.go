package sidecar

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"slurm-ostrich/cmd/internal/configuration"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/trial"
	"slurm-ostrich/priority"
)

// TrialState is where a trial is at the time of a cycle.
type TrialState struct {
	trial.Period               // the present one; zero once the trial is over
	Over         bool          // all is given back, and stays so
	Washout      ostrich.Time  // until when what happens in the period is not measured; 0: it is measured
	Switch       ostrich.Time  // when the arm changes next, or the trial ends; 0 if it is over
	Design       *trial.Design // all that was drawn from
}

// TrialAt returns where the trial is, nil in another mode.
func TrialAt(c *configuration.Config, now ostrich.Time) *TrialState {
	d, set := c.Design()
	if c.Mode != configuration.Trial || !set {
		return nil
	}
	p, on := d.At(now)
	if !on {
		return &TrialState{Over: true, Design: d}
	}
	s := &TrialState{Period: p, Switch: d.Switch(now), Design: d}
	if m := d.Measured(&p); now < m {
		s.Washout = m
	}
	return s
}

// Orders reports whether OStrich's order is in force. A nil state is no trial.
func (t *TrialState) Orders() bool { return t == nil || !t.Over && t.Arm == trial.OStrich }

// Until returns when the other arm begins, the end of time if the trial is over.
func (t *TrialState) Until() ostrich.Time {
	if t.Over {
		return math.MaxInt64
	}
	return t.Switch
}

// Words says where the trial is, in the words of a person.
func (t *TrialState) Words() string {
	at := func(t ostrich.Time) string { return time.Unix(int64(t), 0).Format("2006-01-02 15:04:05") }
	if t.Over {
		return "the trial is over since " + at(t.Design.Until) + "; all is given back to Slurm, and ostrich compare --trial says what came of it"
	}
	who, next := "stock Slurm orders the queue", "OStrich orders it"
	if t.Arm == trial.OStrich {
		who, next = "OStrich orders the queue", "stock Slurm orders it"
	}
	if t.Switch >= t.Design.Until {
		next = "the trial ends"
	}
	text := fmt.Sprintf("trial: %s until %s, then %s", who, at(t.Switch), next)
	if t.Washout != 0 {
		text += "; what begins before " + at(t.Washout) + " is washout, which is not measured"
	}
	return text
}

// mostPeriods is how many periods of a trial may be to come.
const mostPeriods = 10000

// experiment keeps the draw of the trial, and what was in force when, in the file beside the
// journal. The zero value is ready.
type experiment struct {
	open               bool
	since, last, noted ostrich.Time // since when an arm is in force without a gap, up to when, and up to when that is written; 0: none is
	arm                trial.Arm
}

// begin compares the draw of the file with the settings, and writes it if there is none.
func (e *experiment) begin(c *configuration.Config, now ostrich.Time) error {
	if e.open {
		return nil
	}
	d, _ := c.Design()
	drawn, err := CheckDraw(c, now)
	if err != nil {
		return err
	}
	if (drawn == nil || drawn.Design != *d) && now < d.Until {
		if err = appendTrial(TrialFile(c.Journal), drawnLine(d, now)); err != nil {
			return journaled(err)
		}
	}
	e.open = true
	return nil
}

// CheckDraw returns what the file says that was drawn, nil for nothing. It fails if that goes on and the
// settings say otherwise.
func CheckDraw(c *configuration.Config, now ostrich.Time) (*Drawn, error) {
	d, _ := c.Design()
	path := TrialFile(c.Journal)
	drawn, err := ReadTrial(path)
	if err != nil && !errors.Is(err, ErrTrialLine) {
		return nil, journaled(err)
	}
	if drawn != nil && drawn.Design != *d && now < drawn.Design.Until {
		was := &drawn.Design
		return nil, fmt.Errorf("configuration: %w: trial: what is drawn stays drawn: the trial in %s has period %s, washout %s, seed %d and until %s; set these again, or remove that file to give the trial up",
			configuration.ErrConfig, path, configuration.FormatSpan(time.Duration(was.Period)*time.Second), configuration.FormatSpan(time.Duration(was.Washout)*time.Second), was.Seed,
			time.Unix(int64(was.Until), 0).Format(configuration.MomentLayout))
	}
	if left := (d.Until - now) / ostrich.Time(d.Period); left > mostPeriods {
		return nil, fmt.Errorf("configuration: %w: trial: %d periods until its end are more than %d; make trial.period longer or trial.until earlier", configuration.ErrConfig, left, mostPeriods)
	}
	return drawn, nil
}

// note keeps in the file that a cycle has succeeded, and what is in force since.
func (e *experiment) note(c *configuration.Config, t *TrialState, now ostrich.Time) error {
	if t.Over {
		return e.flush(c)
	}
	gap := max(3*configuration.Seconds(c.Interval), 90)
	if e.since != 0 && (t.Arm != e.arm || now-e.last > ostrich.Time(gap) || now < e.last) {
		if t.Arm != e.arm && now-e.last <= ostrich.Time(gap) {
			e.last = max(e.last, min(t.From, now)) // it was in force until the switch
		}
		if err := e.flush(c); err != nil {
			return err
		}
		e.since = 0
	}
	if e.since == 0 {
		e.since, e.arm, e.noted = now, t.Arm, 0
	}
	e.last = now
	if beat := ostrich.Time(min(600, max(1, t.Design.Period/20))); now-e.noted >= beat {
		return e.flush(c)
	}
	return nil
}

// flush writes what is in force up to the latest cycle.
func (e *experiment) flush(c *configuration.Config) error {
	if e.since == 0 || e.noted == e.last {
		return nil
	}
	arm := e.arm
	err := appendTrial(TrialFile(c.Journal), &trialLine{Time: e.last, Since: e.since, Arm: &arm})
	if err == nil {
		e.noted = e.last
	}
	return journaled(err)
}

// conduct does what the trial asks of a cycle that may write.
func (s *Sidecar) conduct(ctx context.Context, c *Cycle) ([]priority.Change, error) {
	began := time.Now()
	now := ostrich.Time(began.Unix())
	if err := s.experiment.begin(&s.config, now); err != nil {
		return nil, err
	}
	if c.Trial = TrialAt(&s.config, now); c.Trial.Orders() {
		return s.apply(ctx, c, began)
	}
	return s.giveBack(ctx, c, began)
}

// giveBack gives all jobs of the queue back to stock Slurm, as Reset does. A job that is
// running with a value of ours is given back if it is queued again.
func (s *Sidecar) giveBack(ctx context.Context, c *Cycle, began time.Time) ([]priority.Change, error) {
	now := ostrich.Time(began.Unix())
	changes, err := s.stock(c.Queue, now)
	if err != nil || len(changes) == 0 {
		return nil, err
	}
	waited, err := s.await(ctx)
	if err != nil {
		return nil, err
	}
	if waited {
		queue, bad := s.queue(ctx)
		if bad != nil {
			return nil, bad
		}
		if changes, err = s.stock(queue, now); err != nil {
			return nil, err
		}
	}
	n := s.burst(changes)
	if c.Left = len(changes) - n; n == 0 {
		return nil, nil
	}
	return s.write(ctx, now, changes[:n])
}

// GiveBack gives the queue back to stock Slurm where a trial has it so and no cycle can, because accounting is away. It
// returns what it wrote, nothing if nothing of ours is left.
// The journal must not be open. It asks for no turn, as Reset does not: what it changes is in our journal and still
// there, and another daemon with this draw gives the same back.
func GiveBack(ctx context.Context, c *configuration.Config, slurm Controller, now ostrich.Time, warn func(error)) (outcomes []priority.Change, err error) {
	if TrialAt(c, now).Orders() {
		return nil, nil
	}
	if _, err = CheckDraw(c, now); err != nil {
		return nil, err
	}
	w, err := openWriter(ctx, c, slurm, false)
	if err != nil || w.journal == nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, w.close(warn)) }()
	if _, err = w.await(ctx); err != nil {
		return nil, err
	}
	queue, err := slurm.Queue(ctx)
	if err != nil {
		return nil, err
	}
	changes, err := w.stock(queue, now)
	if err != nil || len(changes) == 0 {
		return nil, err
	}
	return w.write(ctx, now, changes[:min(len(changes), mostWrites)])
}

// stock returns what gives all jobs of a queue back. Where Slurm schedules a job by another
// priority than its factors say, Reset writes the value that is there again; in a trial only to a job that
// was ours, and not more often than in another mode: the rest is stock Slurm. What Slurm refused is tried again at
// growing pauses, as there.
func (w *writer) stock(queue []priority.Queued, now ostrich.Time) ([]priority.Change, error) {
	o := w.knowing()
	changes, err := o.Reset(queue, nil, false)
	if err != nil {
		return nil, err
	}
	of := make(map[ostrich.JobID]*priority.Queued, len(changes))
	for i := range changes {
		if changes[i].From == changes[i].To {
			changes[i].Undone = true
			of[changes[i].Job] = nil
		}
	}
	for i := range queue {
		if _, again := of[queue[i].Job]; again {
			of[queue[i].Job] = &queue[i]
		}
	}
	return slices.DeleteFunc(changes, func(c priority.Change) bool {
		if words, _ := w.journal.Refused(o.Channel, c.Job, now); words != "" {
			return true
		}
		if !c.Undone {
			return false
		}
		q := of[c.Job]
		_, _, ours := w.journal.Written(o.Channel, q.Job)
		if !ours {
			_, _, ours = w.journal.Written(o.Channel, q.Array)
		}
		return !ours || !w.journal.Repeat(o.Channel, q, now)
	}), nil
}

package replay

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"slurm-ostrich/cmd/internal/comparison"
	"slurm-ostrich/cmd/internal/configuration"
	"slurm-ostrich/cmd/internal/console"
	"slurm-ostrich/cmd/internal/sidecar"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/trial"
)

// planMonths is how far back a plan of a trial looks, unless options say otherwise.
const planMonths = 3

// notTrial are the options that mean nothing to a trial, which simulates nothing.
var notTrial = append([]string{"before"}, notBefore[:len(notBefore)-1]...) // but long

// Drawn returns the trial of the file, or that of the settings; drawn is nil for the latter. With next, settings
// of a later trial count more than a file whose trial is over at a moment.
func (o *SiteOptions) Drawn(config *configuration.Config, next bool, now ostrich.Time) (d *trial.Design, drawn *sidecar.Drawn, notes []string, err error) {
	path := o.TrialFile
	if path == "" && config.Journal != "" {
		path = sidecar.TrialFile(config.Journal)
	}
	d, set := config.Design()
	if path != "" {
		drawn, err = sidecar.ReadTrial(path)
	}
	switch {
	case errors.Is(err, sidecar.ErrTrialLine):
		notes = append(notes, err.Error()+"; such lines are passed over.")
	case err != nil && o.TrialFile == "" && set:
		// Not everybody may read beside the journal; the draw is known all the same.
		notes = append(notes, err.Error()+"; the draw is that of the settings, and nothing tells when ostrichd was down.")
	case err != nil:
		return nil, nil, nil, err
	}
	if o.TrialFile != "" && drawn == nil {
		return nil, nil, nil, cmp.Or(err, fmt.Errorf("--trial-file %s: no trial is in it", path)) // err: of a bad line
	}
	if drawn != nil && set && drawn.Design != *d && o.TrialFile == "" && next && drawn.Design.Until <= now && drawn.Design.Until < d.Until {
		drawn = nil // an earlier one
	}
	if drawn != nil {
		return &drawn.Design, drawn, notes, nil
	}
	if !set {
		return nil, nil, nil, errors.New("compare: there is no trial: trial.until is not set, and no draw is kept beside the journal; name the file of the draw with --trial-file, or its settings with --trial-until, --trial-period, --trial-washout and --trial-seed")
	}
	return d, nil, notes, nil
}

// recordedStudy reads the jobs of a site as they happened.
func (o *SiteOptions) recordedStudy(ctx context.Context, config *configuration.Config, what string, stderr io.Writer) (*source, *Study, error) {
	for _, option := range notTrial {
		if o.WasGiven(option) {
			return nil, nil, fmt.Errorf("compare: --%s means nothing to --%s, which simulates nothing", option, what)
		}
	}
	s, err := o.readSource(ctx, config, stderr)
	if err != nil {
		return nil, nil, err
	}
	if !s.recorded {
		return nil, nil, fmt.Errorf("%s: the log names no waits, so nothing tells when its jobs ran", s.name)
	}
	s.setup.Controller, s.setup.Happened = nil, true
	site, err := New(s.history, s.setup)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", s.name, err)
	}
	return s, site, nil
}

// Trial analyses the trial of a site by what was drawn.
func (o *SiteOptions) Trial(ctx context.Context, config *configuration.Config, stderr io.Writer) (*comparison.Trial, error) {
	if o.WasGiven("swf") {
		return nil, errors.New("compare: --trial needs the accounting of the site: times of --swf count from the start of a log")
	}
	now := ostrich.Time(time.Now().Unix())
	d, drawn, notes, err := o.Drawn(config, false, now)
	if err != nil {
		return nil, err
	}
	in := comparison.TrialInput{Design: *d, Now: now}
	if drawn != nil {
		in.Begun, in.Covered = drawn.At, drawn.Covered
		o.since = drawn.At
	}
	s, site, err := o.recordedStudy(ctx, config, "trial", stderr)
	if errors.Is(err, ErrNoJobs) {
		from, to := in.Begun, min(now, d.Until)
		if drawn == nil {
			return nil, fmt.Errorf("the trial cannot be analysed: there is no accounting of it: %w", err)
		}
		return nil, fmt.Errorf("the trial cannot be analysed: there is no accounting of it; missing are the days from %s to %s",
			time.Unix(int64(from), 0).Format(time.DateOnly), time.Unix(int64(to-1), 0).Format(time.DateOnly))
	}
	if err != nil {
		return nil, err
	}
	in.Input, in.Ran, in.Open = s.compared(site, config), site.ran(s.history), site.open
	if in.Notes = append(notes, in.Notes...); drawn == nil {
		in.Begun = in.From
		in.Notes = append(in.Notes, "The draw is that of the settings; no file of ostrichd's tells when the trial began and when the daemon was down, so all periods of the data count.")
	}
	zone := s.location
	in.Day = func(t ostrich.Time) string { return time.Unix(int64(t), 0).In(zone).Format(time.DateOnly) }
	if d.Period < 86400 {
		in.Day = func(t ostrich.Time) string { return time.Unix(int64(t), 0).In(zone).Format("2006-01-02 15:04") }
	}
	if o.Anonymize {
		comparison.Anonymize(&in.Input)
	}
	result, err := comparison.CompareTrial(ctx, in)
	if errors.Is(err, context.Canceled) {
		err = console.ErrInterrupted
	}
	return result, err
}

// TrialPlan says how long a trial must be.
func (o *SiteOptions) TrialPlan(ctx context.Context, config *configuration.Config, stderr io.Writer) (*comparison.TrialPlan, error) {
	o.since = ostrich.Time(time.Now().AddDate(0, -planMonths, 0).Unix())
	s, site, err := o.recordedStudy(ctx, config, "trial-plan", stderr)
	if err != nil {
		return nil, err
	}
	second := func(d time.Duration) ostrich.Duration { return ostrich.Duration(d / time.Second) }
	in := comparison.TrialInput{
		Input: s.compared(site, config), Ran: site.ran(s.history), Open: site.open,
		Design: trial.Design{Period: second(config.Experiment.Period), Washout: second(config.Experiment.Washout), Seed: uint64(config.Experiment.Seed)}, //nolint:gosec // not negative
	}
	if o.Anonymize {
		comparison.Anonymize(&in.Input)
	}
	p, err := comparison.PlanTrial(in)
	if err != nil {
		err = fmt.Errorf("--trial-plan: %s: %w", s.name, err)
	}
	return p, err
}

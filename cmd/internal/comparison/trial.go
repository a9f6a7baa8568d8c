package comparison

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"slurm-ostrich/cmd/internal/format"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/report"
	"slurm-ostrich/ostrich/trial"
	"slurm-ostrich/ostrich/trial/conclusion"
)

// Trial is a trial analysed by what was drawn. Its JSON is stable, as that of Comparison.
type Trial struct {
	Title  string       `json:"title"`
	Source string       `json:"source"`
	Procs  int          `json:"processors"`
	Design trial.Design `json:"design"`

	Floor    ostrich.Duration `json:"floor"`
	Measured string           `json:"measure_rule"`

	Level   float64 `json:"confidence_level"`
	Redraws int     `json:"redraws"` // other draws that the one made is compared with

	Verdict []string `json:"verdict"`
	Reading Reading  `json:"reading"` // better, worse or cannot tell
	Notes   []string `json:"notes"`

	Periods []TrialPeriod `json:"periods"` // those analysed
	Missing []string      `json:"missing"` // days of the trial without accounting
	Down    float64       `json:"down"`    // part of the time drawn for OStrich in which it is not known that OStrich enforced; 0 if nothing tells

	LeftJobs      int `json:"left_jobs"`      // that belong to no arm: submitted in a washout, or not over at the end of their period
	LeftCampaigns int `json:"left_campaigns"` // likewise

	Effects []TrialEffect `json:"effects"` // the first decides

	location *time.Location
}

// TrialPeriod is a period as it was.
type TrialPeriod struct {
	trial.Period
	Stretch   float64 `json:"stretch"`   // of its users, geometric mean; 0 without a campaign
	Campaigns int     `json:"campaigns"` // measured
	Jobs      int     `json:"jobs"`      // measured
	Covered   float64 `json:"covered"`   // part of it in which the arm is known to have been in force; 1 if nothing tells
}

// TrialEffect is what the draw says of a measure, for all or for a group. Of a stretch, values are
// geometric means; of waits, means of the periods' mean waits plus a minute, which are geometric too.
type TrialEffect struct {
	By      string `json:"by"`    // "all", user, account, qos, partition, size or resource
	Group   string `json:"group"` // "" for all
	Measure string `json:"measure"`
	Name    string `json:"name"`

	Stock   float64 `json:"stock"`
	OStrich float64 `json:"ostrich"`

	Ratio     *float64         `json:"ratio"`    // the estimate: OStrich over stock; null: an arm has nothing
	Interval  *report.Interval `json:"interval"` // of the ratio; null: too few periods
	P         float64          `json:"p"`
	InStock   int              `json:"stock_periods"`
	InOStrich int              `json:"ostrich_periods"`

	CarryOver *float64 `json:"carry_over"` // by what the arm of the period before multiplies the measure
	Carried   *float64 `json:"carried"`    // the part of the ratio that this explains at most, 0.02 for 2 %
	Whole     *float64 `json:"whole"`      // the ratio with what is left out, by the period of submission

	Reading Reading `json:"reading"`
}

// TrialInput is what to analyse. Its only run is what happened.
type TrialInput struct {
	Input
	Design  trial.Design
	Begun   ostrich.Time                         // since when the trial goes on
	Now     ostrich.Time                         // until when it did
	Covered func(*trial.Period) ostrich.Duration // nil: nothing tells
	Ran     []report.Job                         // as in PeriodsInput
	Open    map[int]bool                         // campaigns with jobs that had not ended
	Day     func(ostrich.Time) string            // names the day of a moment
}

// ofWaits says what is divided by what.
const ofWaits = "Ratios of waits are of the periods' mean waits plus a minute, so that periods in which hardly anybody waits do not decide."

// shortTrial is how many periods each arm needs at least for an answer.
const shortTrial = 4

// CompareTrial analyses a trial by what was drawn. It fails if the periods of an arm have no accounting.
func CompareTrial(ctx context.Context, in TrialInput) (*Trial, error) {
	if err := in.check(); err != nil {
		return nil, fmt.Errorf("comparison: %w", err)
	}
	c := &Trial{
		Title: "Trial until " + moment(in.Design.Until, in.Location), Source: in.Source, Procs: in.Procs, Design: in.Design,
		Floor: in.Floor, Measured: in.Measured, Level: conclusion.Level, Redraws: conclusion.Redraws,
		Notes: append([]string{}, in.Notes...), location: in.Location, Missing: []string{},
	}
	x := &trialStudy{in: &in, d: &in.Design}
	if err := x.choose(c); err != nil {
		return nil, err
	}
	x.work()
	x.sort()
	c.LeftJobs, c.LeftCampaigns = x.leftJobs, x.leftCampaigns
	a := conclusion.New(x.d, x.periods, x.submitted, x.before)
	for _, m := range x.measures() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		c.Effects = append(c.Effects, m.effect(a, x.periods))
	}
	x.describe(c)
	c.conclude()
	c.Notes = append(c.Notes, ofWaits)
	if in.Now < in.Design.Until {
		c.Verdict = append(c.Verdict, fmt.Sprintf("The trial goes on until %s, and counts as it stands then: looked at again and again, chance alone seems an effect some day.", moment(in.Design.Until, in.Location)))
	}
	return c, nil
}

// TrialPlan is how long a trial must be.
type TrialPlan struct {
	Source  string       `json:"source"`
	Design  trial.Design `json:"design"` // period and washout; the end is that of the history
	From    ostrich.Time `json:"from"`
	To      ostrich.Time `json:"to"`
	Periods int          `json:"periods"` // of history in which jobs were submitted
	Verdict []string     `json:"verdict"`
	Notes   []string     `json:"notes"`
	Plans   []TrialWeeks `json:"plans"`
}

// TrialWeeks is for how many weeks a trial sees an effect with a probability of 80 %.
type TrialWeeks struct {
	Measure string  `json:"measure"`
	Name    string  `json:"name"`
	Effect  float64 `json:"effect"` // 0.05 for 5 % less
	Weeks   *int    `json:"weeks"`  // null: more than ten years, or too little history
}

// PlanTrial plans a trial from what happened without one.
func PlanTrial(in TrialInput) (*TrialPlan, error) {
	if err := in.check(); err != nil {
		return nil, fmt.Errorf("comparison: %w", err)
	}
	x := &trialStudy{in: &in, d: in.Design.EndingAt(in.To)}
	x.periods = x.d.Between(in.From, in.To)
	x.work()
	told := 0
	for _, work := range x.submitted {
		if work > 0 {
			told++
		}
	}
	if told < 2*shortTrial {
		return nil, fmt.Errorf("%s of history with jobs are too few for a plan: at least %d", format.Plural(told, "period"), 2*shortTrial)
	}
	x.sort()
	p := &TrialPlan{Source: in.Source, Design: *x.d, From: in.From, To: in.To, Periods: told, Notes: append(append([]string{}, in.Notes...), ofWaits)}
	a := conclusion.New(x.d, x.periods, x.submitted, x.before)
	for _, m := range x.measures()[:3] { // those of all
		for _, effect := range []float64{0.05, 0.1} {
			w := TrialWeeks{Measure: m.Measure, Name: m.Name, Effect: effect}
			if weeks, ok := a.Weeks(x.d, m.part, math.Log(1-effect)); ok {
				w.Weeks = &weeks
			}
			p.Plans = append(p.Plans, w)
		}
	}
	if p.Plans[0].Weeks == nil && p.Plans[1].Weeks == nil {
		if campaigns := len(x.campaigns) - x.leftCampaigns; campaigns < 2*shortTrial {
			return nil, errors.New("hardly any campaign was submitted and ended within a period: make trial.period longer, or measure shorter campaigns, as by --measure-rule arrival=30m")
		}
	}
	p.Verdict = p.words(in.Location)
	return p, nil
}

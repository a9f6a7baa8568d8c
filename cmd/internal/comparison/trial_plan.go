package comparison

import (
	"errors"
	"fmt"
	"math"

	"slurm-ostrich/cmd/internal/format"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/trial"
)

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
	a := trial.NewAnalysis(x.d, x.periods, x.submitted, x.before)
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

package comparison

import (
	"context"
	"fmt"
	"slices"

	"slurm-ostrich/cmd/internal/backtest"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/report"
	"slurm-ostrich/ostrich/report/confidence"
)

// Comparison is the result. Its JSON is stable: keys are added, never renamed.
// Times are those of the jobs, lengths of time are in seconds, and parts of a
// whole go from 0 to 1.
type Comparison struct {
	Title  string       `json:"title"`
	Source string       `json:"source"`
	From   ostrich.Time `json:"from"` // of the window
	To     ostrich.Time `json:"to"`
	Unix   bool         `json:"unix"` // From and To are Unix times; else they count from the beginning of a log
	Procs  int          `json:"processors"`

	Floor    ostrich.Duration `json:"floor"`        // of the stretch, report.Campaign.Floor
	Measured string           `json:"measure_rule"` // the rule that made the campaigns, the same in all runs

	Classes []string `json:"classes,omitempty"` // of OStrich's order, the first goes first; none if all jobs are of one

	Replay string `json:"replay,omitempty"` // closed where the time of a submission depends on the run

	Baseline  string  `json:"baseline"` // name of the run that others are compared with
	Level     float64 `json:"confidence_level"`
	Resamples int     `json:"resamples"`
	Seed      uint64  `json:"seed"`

	Verdict []string  `json:"verdict"` // who gains and who pays, then how far the simulation is from what happened
	Changes []Changes `json:"changes"` // in words, one for each run of which the record can tell

	// CannotTell names the simulated runs of which this record cannot tell what they would
	// change, because the error of the simulation (Agreement) is larger.
	CannotTell []string `json:"cannot_tell"`
	Notes      []string `json:"notes"` // about the input

	Runs        []Figures    `json:"runs"`
	Differences []Difference `json:"differences"`
	Agreement   *Agreement   `json:"agreement"`  // null unless there are a recorded run and a simulated baseline
	Controller  *Controller  `json:"controller"` // null if the live controller was not asked
	LeftOut     []LeftOut    `json:"left_out"`   // what the record has and the replay has not
	Assumed     []Assumed    `json:"assumed"`    // what is not known
	Placed      bool         `json:"placed"`     // jobs were placed on nodes; else all processors are identical

	Groups []GroupTable `json:"groups"` // what each account, QOS, partition, size and resource got

	FirstDifference []StartDifference `json:"first_difference,omitempty"` // the jobs from the first that starts at another time
	Users           []User            `json:"users"`                      // those with the most core-hours first

	Predictors []backtest.Row  `json:"predictors"`      // empty if lengths were not back-tested
	Tools      []backtest.Tool `json:"tools,omitempty"` // how well by workflow tool; empty if no job is of one
	Lengths    string          `json:"lengths"`         // which of them to set, in words; "" if none was tested

	s *studied // what the pages draw from
}

// Changes says in words what a run changed against the baseline.
type Changes struct {
	Run       string   `json:"run"`
	Sentences []string `json:"sentences"`
}

// Figures are the measures of a run.
type Figures struct {
	Run       string  `json:"run"`
	Recorded  bool    `json:"recorded"`
	Seconds   float64 `json:"seconds"` // that the simulation took; 0 if not measured
	Jobs      int     `json:"jobs"`
	Users     int     `json:"users"`
	Campaigns int     `json:"campaigns"`

	Stretch          report.Stretch `json:"stretch"`                // of the campaigns
	UserMeanStretch  float64        `json:"user_mean_stretch"`      // mean over the users of their mean
	UserMaxStretch   float64        `json:"user_max_stretch"`       // mean over the users of their maximum
	UnboundedStretch float64        `json:"unbounded_stretch_mean"` // mean over the campaigns, without the floor
	StretchQuantiles []float64      `json:"stretch_percentiles"`    // 0 to 100
	Rho              report.Rhos    `json:"rho"`                    // of the campaigns, report.Rho with the floor as allowance
	Wait             report.Wait    `json:"wait"`
	WaitQuantiles    []float64      `json:"wait_percentiles"` // 0 to 100
	BoundedSlowdown  float64        `json:"bounded_slowdown_mean"`
	AreaResponse     float64        `json:"area_response"`
	PriorityResponse float64        `json:"priority_response"`

	Satisfaction report.Satisfaction `json:"satisfaction"`

	Utilisation float64          `json:"utilisation"` // of the processors, in the window
	Makespan    ostrich.Duration `json:"makespan"`    // from the first submission to the last end

	// Of the users' stretch, report.User.Stretch.
	Jain      float64 `json:"jain"`
	Gini      float64 `json:"gini"`
	Envy      int     `json:"envy"`       // ordered pairs of users, report.Fairness.Envy
	EnvyPairs int     `json:"envy_pairs"` // all pairs

	values []float64 // in the order of the measures
}

// Reading is what an interval says about a difference.
type Reading string

// The readings.
const (
	Better  Reading = "better"  // the interval lies on the good side of 0
	Worse   Reading = "worse"   // on the bad side
	Differs Reading = "differs" // it does not contain 0; for a recorded run, which is neither better nor worse than a simulation
	Unclear Reading = "unclear" // it contains 0
	TooFew  Reading = "too few" // too few users or campaigns for an interval
	NoneFor Reading = "none"    // a measure without interval

	CannotTell Reading = "cannot tell" // see [Comparison.CannotTell]; there is no interval
)

// Difference is the difference of a measure between a run and the baseline.
type Difference struct {
	Run      string      `json:"run"`
	Measure  string      `json:"measure"` // key of a measure
	Name     string      `json:"name"`    // in words
	Unit     report.Unit `json:"unit"`
	Baseline float64     `json:"baseline"`
	Value    float64     `json:"value"`
	Change
}

// clear reports whether the interval does not contain 0.
func (r Reading) clear() bool { return r == Better || r == Worse || r == Differs }

// User is what a user got in each run.
type User struct {
	Name      string       `json:"name"`
	Account   string       `json:"account"` // "" if unknown
	Share     float64      `json:"share"`
	Jobs      int          `json:"jobs"`
	Campaigns int          `json:"campaigns"`
	CoreHours float64      `json:"core_hours"` // in the baseline
	Runs      []UserRun    `json:"runs"`
	Changes   []UserChange `json:"changes"` // for every run but the baseline
}

// UserRun is what a user got in a run. Stretches are 0 without campaigns.
type UserRun struct {
	Run         string  `json:"run"`
	MeanStretch float64 `json:"mean_stretch"` // of the campaigns
	MaxStretch  float64 `json:"max_stretch"`
	Stretch     float64 `json:"stretch"`   // report.User.Stretch
	MeanWait    float64 `json:"mean_wait"` // of the jobs
	RhoLe1      float64 `json:"rho_le_1"`  // part of the campaigns
	MeanRho     float64 `json:"rho_mean"`
	MaxRho      float64 `json:"rho_max"`
}

// UserChange is what a run changed for a user.
type UserChange struct {
	Run     string `json:"run"`
	Stretch Change `json:"mean_stretch"`
	Wait    Change `json:"mean_wait"`
}

// Change is a difference with its interval.
type Change struct {
	Difference float64          `json:"difference"`
	Interval   *report.Interval `json:"interval"`
	Reading    Reading          `json:"reading"`
}

// Compare measures the runs. The same input gives the same result.
func Compare(ctx context.Context, in Input) (*Comparison, error) {
	if err := in.check(); err != nil {
		return nil, fmt.Errorf("comparison: %w", err)
	}
	s, err := study(&in)
	if err != nil {
		return nil, fmt.Errorf("comparison: %w", err)
	}
	c := &Comparison{
		Title: in.Title, Source: in.Source, From: in.From, To: in.To, Unix: in.Location != nil, Procs: in.Procs,
		Floor: in.Floor, Measured: in.Measured,
		Baseline: in.Runs[in.Baseline].Name, Level: confidence.Level, Resamples: in.Resamples, Seed: in.Seed,
		Notes: append([]string{}, in.Notes...), LeftOut: append([]LeftOut{}, in.LeftOut...), Assumed: append([]Assumed{}, in.Assumed...), Placed: in.Placed, Classes: in.Classes, Controller: in.Controller, s: s,
	}
	c.Notes = append(c.Notes, s.fewRounds()...)
	if c.FirstDifference = in.Differ; in.Differ != nil && len(in.Differ) == 0 {
		c.Notes = append(c.Notes, "No job starts at another time in the simulated baseline than it did, give or take a backfill interval.")
	}
	for i := range c.FirstDifference {
		at, _ := slices.BinarySearch(s.users, c.FirstDifference[i].User)
		c.FirstDifference[i].Name = s.labels[at]
	}
	if in.Closed {
		c.Replay = "closed"
	}
	for r := range in.Runs {
		c.Runs = append(c.Runs, s.figures(r))
	}
	c.Agreement, c.CannotTell = s.agreement(c.Runs), []string{}
	s.untold = make([]bool, len(c.Runs))
	for r := range c.Runs {
		if s.untold[r] = c.untold(&c.Runs[r]); s.untold[r] {
			c.CannotTell = append(c.CannotTell, c.Runs[r].Run)
		}
	}
	if c.Differences, err = s.differences(ctx, c.Runs); err != nil {
		return nil, fmt.Errorf("comparison: %w", err)
	}
	if c.Users, err = s.userTable(ctx); err != nil {
		return nil, fmt.Errorf("comparison: %w", err)
	}
	if c.Predictors = in.Lengths.Rows; c.Predictors == nil {
		c.Predictors = []backtest.Row{}
	} else {
		c.Lengths, c.Tools = in.Lengths.Sentence(), in.Lengths.Tools
	}
	c.Groups = s.groups()
	c.Changes = c.changes()
	c.Verdict = append(c.outcome(), c.nearness()...)
	return c, nil
}

// tells reports whether the record can tell of a simulated run what it changes.
func (c *Comparison) tells(run string) bool { return !slices.Contains(c.CannotTell, run) }

// Silent reports whether the record can tell of no run what it changes, though there are some.
func (c *Comparison) Silent() bool {
	return len(c.CannotTell) > 0 && len(c.Changes) == 0
}

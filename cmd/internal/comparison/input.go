package comparison

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"slurm-ostrich/cmd/internal/backtest"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/report"
	"slurm-ostrich/ostrich/satisfaction"
)

// Run is one run of the jobs.
type Run struct {
	// Name is its name in tables and sentences: "recorded", "fairshare",
	// "ostrich", "ostrich, share:alice=2". Up to the first comma it names no user
	// or account.
	Name     string
	Recorded bool // as it happened; false for a simulation

	// Jobs are the same in the same order in every run: job i of one run is job i
	// of the others, with the same id, user, campaign and processors. Unless Closed
	// is set, their submissions are the same too.
	Jobs    []report.Job
	Seconds float64 // spent simulating; 0 if not measured

	// Procs are the processors on which they ran, of which the utilisation is a part;
	// 0 for Input.Procs. All else is measured by that machine.
	Procs int
}

// Block is a campaign in OStrich's virtual schedule.
type Block struct {
	User       ostrich.UserID
	Campaign   int     // as in report.Job
	Start, End float64 // virtual start and completion, on the clock of the jobs
}

// Controller says how well the fairshare model agrees with the live controller.
type Controller struct {
	Users    int      `json:"users"`                 // users whose factors were compared
	MaxDelta float64  `json:"max_factor_difference"` // max |ΔF| of their fairshare factors
	Jobs     int      `json:"jobs"`                  // pending jobs whose order was compared
	Tau      *float64 `json:"kendall_tau"`           // of their order; nil if it is not defined
}

// Input is what to compare, with what to say about its source.
type Input struct {
	Title  string
	Source string // the cluster or the log

	// From and To are the window in which utilisation is measured.
	From, To ostrich.Time

	// Location is the zone for Unix times. nil: the times of the jobs count from
	// the beginning of a log.
	Location *time.Location

	Procs    int
	Closed   bool             // a closed loop: when users submit depends on the run
	Floor    ostrich.Duration // of the bounded stretch; 0 is the plain stretch
	Measured string           // the rule that made the campaigns of the runs, in words; "" if unknown
	Runs     []Run
	Baseline int // index of the run that others are compared with

	// UserName and AccountName return the names of a user and of the user's
	// account. "": "user" with the number, and no account.
	UserName, AccountName func(ostrich.UserID) string

	// Share returns the weight of a user, above 0. nil: all are equal.
	Share func(ostrich.UserID) float64

	// Shares divide the machine of report.Rho among the users. nil: evenly.
	Shares *ostrich.Shares

	Notes   []string  // about the input
	LeftOut []LeftOut // what the replay leaves out
	Assumed []Assumed // what is not known
	Placed  bool      // jobs were placed on nodes

	Groupings []Grouping // of the jobs, for those who pay for the machine

	Differ     []StartDifference // nil if nobody asked
	Classes    []string          // of OStrich's order at the site
	Controller *Controller       // nil if the live controller was not asked

	Accept satisfaction.Acceptance // the wait that users accept

	// Lengths says how well the predictors predict the jobs; the zero value if
	// they were not tested.
	Lengths backtest.Result

	// Window is the window of the Gantt chart; without length there is no chart.
	Window  struct{ From, To ostrich.Time }
	Virtual []Block // OStrich's virtual schedule, for the Gantt chart

	Seed      uint64
	Resamples int // of the bootstrap, at least 1
}

func (in *Input) check() error {
	switch {
	case len(in.Runs) == 0:
		return errors.New("no runs")
	case in.Baseline < 0 || in.Baseline >= len(in.Runs):
		return fmt.Errorf("baseline %d of %d runs", in.Baseline, len(in.Runs))
	case in.Procs < 1:
		return fmt.Errorf("a machine of %d processors", in.Procs)
	case in.Floor < 0:
		return fmt.Errorf("a floor of %d s", in.Floor)
	case in.Resamples < 1:
		return fmt.Errorf("%d resamples", in.Resamples)
	case in.Accept.Validate() != nil:
		return fmt.Errorf("satisfaction: %w", in.Accept.Validate())
	case in.To <= in.From:
		return fmt.Errorf("a window that ends at %d, not after it begins at %d", in.To, in.From)
	case in.Window.To < in.Window.From:
		return fmt.Errorf("a window of the Gantt chart that ends at %d, before it begins at %d", in.Window.To, in.Window.From)
	case len(in.Runs[0].Jobs) == 0:
		return fmt.Errorf("run %q has no jobs", in.Runs[0].Name)
	}
	for i := range in.Runs {
		r := &in.Runs[i]
		if r.Name == "" {
			return fmt.Errorf("run %d has no name", i)
		}
		if slices.ContainsFunc(in.Runs[:i], func(before Run) bool { return before.Name == r.Name }) {
			return fmt.Errorf("two runs have the name %q", r.Name)
		}
		if err := r.check(&in.Runs[0], in.Closed); err != nil {
			return fmt.Errorf("run %q: %w", r.Name, err)
		}
	}
	for _, b := range in.Virtual {
		if !(b.Start <= b.End) || math.IsInf(b.Start, 0) {
			return fmt.Errorf("campaign %d of user %d: virtual from %v to %v", b.Campaign, b.User, b.Start, b.End)
		}
	}
	return nil
}

// check returns how a run differs from the first one in more than times.
func (r *Run) check(first *Run, closed bool) error {
	if len(r.Jobs) != len(first.Jobs) {
		return fmt.Errorf("%d jobs, and %q has %d", len(r.Jobs), first.Name, len(first.Jobs))
	}
	for i := range r.Jobs {
		j, f := &r.Jobs[i], &first.Jobs[i]
		switch {
		case j.ID != f.ID || j.User != f.User || j.Campaign != f.Campaign || j.Submit != f.Submit && !closed || j.Procs != f.Procs:
			return fmt.Errorf("job %d (number %d) is not the one of %q: "+
				"user %d, campaign %d, submitted %d, %d processors; there job %d, user %d, campaign %d, submitted %d, %d processors",
				j.ID, i, first.Name, j.User, j.Campaign, j.Submit, j.Procs, f.ID, f.User, f.Campaign, f.Submit, f.Procs)
		case j.Procs < 1:
			return fmt.Errorf("job %d (number %d) has %d processors", j.ID, i, j.Procs)
		case j.Start < j.Submit:
			return fmt.Errorf("job %d (number %d) starts at %d, before its submission at %d", j.ID, i, j.Start, j.Submit)
		case j.End <= j.Start:
			return fmt.Errorf("job %d (number %d) ends at %d, not after its start at %d", j.ID, i, j.End, j.Start)
		}
	}
	return nil
}

func (in *Input) userName(u ostrich.UserID) string {
	return cmp.Or(in.UserName(u), fmt.Sprintf("user %d", u))
}

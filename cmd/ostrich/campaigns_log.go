package main

import (
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/urfave/cli/v2"

	"slurm-ostrich/cmd/internal/console"
	"slurm-ostrich/cmd/internal/format"
	"slurm-ostrich/cmd/internal/replay"
	"slurm-ostrich/cmd/internal/sidecar"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/report"
	"slurm-ostrich/ostrich/sim"
)

// campaignsLogFlags are the options of campaigns that go with a log. Those that
// choose of it fill o.
func campaignsLogFlags(o *replay.LogOptions) []cli.Flag {
	return slices.Concat([]cli.Flag{
		&cli.StringFlag{Name: "swf", Usage: "take the campaigns of the log in `FILE` instead, in the Standard Workload Format; - is standard input"},
		&cli.BoolFlag{Name: "summary", Usage: "of a log, write how the stretch is distributed instead of the campaigns"},
	}, o.Flags(), o.RuleFlags(ostrich.ByNames, "what a campaign of a log is", "max"))
}

// onlyWithLog refuses options that mean nothing without a log.
func onlyWithLog(c *cli.Context) error {
	for _, f := range campaignsLogFlags(&replay.LogOptions{}) {
		if name := f.Names()[0]; c.IsSet(name) {
			return fmt.Errorf("campaigns: --%s goes with --swf", name)
		}
	}
	return nil
}

// onlyWithoutLog refuses options that mean nothing with a log. Settings of the
// daemon may stand in the environment all the time.
func onlyWithoutLog(c *cli.Context) error {
	inEnvironment := func(name string) bool {
		_, ok := os.LookupEnv(name)
		return ok
	}
	for _, f := range slices.Concat(selection(), sidecar.Flags(true)) {
		name := f.Names()[0]
		variables := f.(cli.DocGenerationFlag).GetEnvVars()
		if c.IsSet(name) && name != "user" && !slices.ContainsFunc(variables, inEnvironment) {
			return fmt.Errorf("campaigns: --%s does not go with --swf", name)
		}
	}
	return nil
}

// loggedCampaignJSON is an element of what campaigns --swf --json writes.
type loggedCampaignJSON struct {
	Campaign  int              `json:"campaign"`
	User      ostrich.UserID   `json:"user"`
	Jobs      int              `json:"jobs"`
	Submitted ostrich.Time     `json:"submitted"` // seconds since the start of the log, as the next one
	Ended     ostrich.Time     `json:"ended"`
	Work      float64          `json:"work_core_hours"`
	Longest   ostrich.Duration `json:"longest"` // seconds
	Stretch   float64          `json:"stretch"`
}

// logCampaigns writes the campaigns of a log, from the logged times.
func logCampaigns(c *cli.Context, o *replay.LogOptions) error {
	if err := onlyWithoutLog(c); err != nil {
		return err
	}
	o.Given, o.User = c.IsSet, c.String("user")
	w, err := o.Workload(c.Context, c.String("swf"), ostrich.ByNames, sim.Exact)
	if err != nil {
		return err
	}
	if !w.Timed {
		return errors.New("campaigns: the log tells no waits, and so not when its jobs ended; \"ostrich simulate\" can replay it")
	}
	w.Tell(c.App.ErrWriter)
	jobs, err := loggedJobs(w)
	if err != nil {
		return err
	}
	campaigns := report.Campaigns(jobs)
	if len(campaigns) == 0 {
		return errors.New("campaigns: no job of the log tells its user, and so there is no campaign")
	}
	if c.Bool("summary") {
		return writeLogSummary(c, report.Summarise(jobs, campaigns, w.Procs))
	}
	list := make([]loggedCampaignJSON, len(campaigns))
	for i := range campaigns {
		k := &campaigns[i]
		list[i] = loggedCampaignJSON{
			Campaign: i, User: k.User, Jobs: k.Jobs, Submitted: k.Submit, Ended: k.End, Work: format.CoreHours(k.Work),
			Longest: k.Longest, Stretch: k.Stretch(w.Procs),
		}
	}
	if c.Bool("json") {
		return console.JSON(c, struct {
			Log       string               `json:"log"`
			Procs     int                  `json:"procs"`
			Campaigns []loggedCampaignJSON `json:"campaigns"`
		}{w.Name, w.Procs, list})
	}
	t := format.Table{Header: []string{"CAMPAIGN", "USER", "JOBS", "SUBMITTED", "ENDED", "WORK", "LONGEST", "STRETCH"}}
	for _, k := range list {
		t.Add(k.Campaign, k.User, k.Jobs, k.Submitted, k.Ended, fmt.Sprintf("%.2f", k.Work), k.Longest, fmt.Sprintf("%.2f", k.Stretch))
	}
	return console.Tables(c, t)
}

// loggedJobs are the jobs of a log as they ran there.
func loggedJobs(w *replay.Workload) ([]report.Job, error) {
	numbers, err := sim.Numbers(w.Jobs, w.Rule.Rule)
	if err != nil {
		return nil, err
	}
	jobs := make([]report.Job, len(w.Jobs))
	for i := range w.Jobs {
		l := &w.Jobs[i]
		jobs[i] = report.Job{
			ID: l.ID, User: l.User, Campaign: numbers[i], Submit: l.Submit, Start: l.Start, End: l.Start + ostrich.Time(l.Run),
			Procs: l.Procs, Estimate: l.Estimate,
		}
	}
	return jobs, nil
}

func writeLogSummary(c *cli.Context, s report.Summary) error {
	if c.Bool("json") {
		return console.JSON(c, s)
	}
	t := format.Table{Header: []string{"JOBS", "USERS", "CAMPAIGNS", "OPTIMAL", "<=1.15", "<1.5", "<2", ">20", "MEAN", "P50", "P99", "MAX"}}
	t.Add(replay.SummaryCells(&s)...)
	return console.Tables(c, t)
}

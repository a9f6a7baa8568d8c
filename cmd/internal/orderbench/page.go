package orderbench

import (
	"fmt"
	"io"
	"math"

	"slurm-ostrich/cmd/internal/comparison"
	"slurm-ostrich/cmd/internal/format"
)

// WriteHTML writes the result as one self-contained page.
func (r *Result) WriteHTML(w io.Writer) error { return r.page().WriteHTML(w) }

// WriteSVG draws the mean campaign stretch by log.
func (r *Result) WriteSVG(w io.Writer) error { return r.page().WriteSVG(w) }

func (r *Result) page() *comparison.Ratios {
	jobs := 0
	for i := range r.Logs {
		jobs += r.Logs[i].Jobs
	}
	page := comparison.Ratios{
		Title: "Orders of the queue, compared with " + r.Policies[0].Policy,
		Where: fmt.Sprintf("%s · %s in %s of each · %s of each part · %s loop", format.Plural(len(r.Logs), "log"), format.Plural(jobs, "job"),
			format.Plural(r.Parts, "part"), format.Plural(r.Shakes, "replay"), r.Loop),
		All:   comparison.RatioGroup{Name: "all logs", Ratios: table(r.Policies)},
		Words: r.words(),
	}
	for _, m := range measures {
		page.Measures = append(page.Measures, m.Name)
	}
	for i := range r.Policies {
		p := &r.Policies[i]
		page.Policies = append(page.Policies, comparison.RatioPolicy{Name: p.Policy, Settings: p.Settings})
		if i > 0 {
			page.Lead = append(page.Lead, fmt.Sprintf("%s: mean campaign stretch %s of %s's, users' mean %s, 95th percentile %s.",
				p.Policy, p.Mean.String(), r.Policies[0].Policy, p.UsersMean.String(), p.P95.String()))
		}
	}
	if len(page.Lead) == 0 {
		page.Lead = []string{"There is no other policy to compare with " + r.Policies[0].Policy + "."}
	}
	for i := range r.Logs {
		l := &r.Logs[i]
		name := fmt.Sprintf("%s: %s in %s, %s", l.Log, format.Plural(l.Jobs, "job"), format.Plural(l.Parts, "part"), format.Plural(l.Procs, "processor"))
		page.Logs = append(page.Logs, comparison.RatioGroup{Name: l.Log, Title: name, Ratios: table(l.Policies)})
	}
	return &page
}

// table returns the ratios by policy and measure.
func table(policies []PolicyRatios) [][]comparison.Ratio {
	var list [][]comparison.Ratio
	for i := range policies {
		var row []comparison.Ratio
		for _, x := range policies[i].All() {
			one := comparison.Ratio{Value: x.Ratio, Error: math.NaN(), Reach: math.NaN()}
			if x.Error != nil {
				one.Error, one.Reach = *x.Error, x.reach()
			}
			row = append(row, one)
		}
		list = append(list, row)
	}
	return list
}

// words explains the figures.
func (r *Result) words() []comparison.RatioWord {
	loop := "Jobs come when they were logged, whatever became of those before."
	if r.Loop == closed {
		loop = "A campaign of a user comes when the one before has ended and the logged think time has passed."
	}
	return []comparison.RatioWord{
		{Word: "campaign", Meaning: "Jobs of a user that belong together: a job joins while any job of the campaign had not ended in the log (rule max). It is the same for all policies."},
		{Word: "stretch", Meaning: fmt.Sprintf("Of a campaign: the time from its first submission to its last end, over max(W/m, longest job, %d s), for work W on m processors.", r.Floor)},
		{Word: "lateness", Meaning: "Of a campaign: how much later it ended than on a machine that all active users share evenly, by true lengths; at least 0."},
		{Word: "ρ", Meaning: "Of a campaign: its time from submission to end, over that on a machine that all users with work share evenly, by true lengths. Above 1 the user would have been better off with a private share."},
		{Word: "utilisation", Meaning: "The part of the processors that is busy up to the last submission."},
		{Word: "past due", Meaning: fmt.Sprintf("The part of the jobs that started after the wait that users accept for jobs of their length (satisfaction %s), by true lengths; of campaigns, the part that ended later than a job of their length might have. A part below 0.001 counts as that.", r.Satisfaction)},
		{Word: r.Loop + " loop", Meaning: loop + " EASY backfilling, by time limits."},
		{Word: "part, replay", Meaning: fmt.Sprintf("A log is cut into %s of at most %s. Each is replayed as it is first, and then with each user's submissions moved by up to two hours (seed %d).",
			format.Plural(r.Parts, "part"), format.Plural(r.PartJobs, "job"), r.Seed)},
		{Word: "ratio, standard error", Meaning: "Each figure is divided by that of the first policy on the same replay; the logarithms are averaged over replays, parts and logs. The error comes from how the parts of a log differ. It says how well these logs are measured, not how another log would do."},
	}
}

package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/report"
)

// accountingDelay is how long slurmctld may take to report the last ends to
// slurmdbd.
const accountingDelay = 60 * time.Second

// Row is the job table's row of one job.
type Row struct {
	Name               string
	State              string
	Submit, Start, End int64 // Unix seconds; 0: not yet
	Procs              int64
}

// Campaign is a campaign that has ended.
type Campaign struct {
	User    string           `json:"user"`
	Seq     int              `json:"seq"`
	Jobs    int              `json:"jobs"`
	Submit  ostrich.Time     `json:"submit"`  // first submission, Unix seconds
	End     ostrich.Time     `json:"end"`     // last end, Unix seconds
	Work    int64            `json:"work"`    // processor-seconds
	Longest ostrich.Duration `json:"longest"` // longest job, seconds
	Flow    ostrich.Duration `json:"flow"`    // End - Submit
	Stretch float64          `json:"stretch"` // report.Campaign.Stretch, with a floor of a second

	// Deadline is the longest flow that the user accepts, in seconds; 0: none.
	Deadline ostrich.Duration `json:"deadline,omitempty"`
}

// Background is what a user in the background was served until the others' loops
// had ended.
type Background struct {
	User  string `json:"user"`
	Jobs  int    `json:"jobs"`  // submitted
	Ended int    `json:"ended"` // of them, those that ended normally
	Work  int64  `json:"work"`  // processor-seconds, of cancelled jobs until then
}

// Result is the measurement of one run.
type Result struct {
	Run        string       `json:"run"`
	Scenario   string       `json:"scenario"`
	About      string       `json:"about"`
	Seed       uint64       `json:"seed"`
	Processors int          `json:"processors"`
	Campaigns  []Campaign   `json:"campaigns"`            // by user and number
	Background []Background `json:"background,omitempty"` // by user
}

// processors returns the processors of a TRES string such as "cpu=32,mem=8".
func processors(tres string) (int, error) {
	for part := range strings.SplitSeq(tres, ",") {
		if count, ok := strings.CutPrefix(part, "cpu="); ok {
			if n, err := strconv.Atoi(count); err == nil && n > 0 {
				return n, nil
			}
		}
	}
	return 0, fmt.Errorf("tres %q: no count of processors", tres)
}

// Processors returns the size of the cluster in the tables.
func (s Slurm) Processors(ctx context.Context, cluster string) (int, error) {
	out, err := s.command(ctx, nil, "", "sacctmgr", "--noheader", "--parsable2", "show", "cluster", cluster, "format=tres")
	if err != nil {
		return 0, err
	}
	n, err := processors(strings.TrimSpace(out))
	if err != nil {
		return 0, fmt.Errorf("size of cluster %s: %w", cluster, err)
	}
	return n, nil
}

// Rows returns the rows of the job table with these job names, from the last day.
// A job that was requeued has several.
func (s Slurm) Rows(ctx context.Context, names []string) ([]Row, error) {
	which := [][]string{{"--name=" + strings.Join(names, ",")}}
	if ids := s.named.idsOf(names); len(ids) > 0 {
		which = append(which, []string{"--jobs=" + strings.Join(ids, ",")})
	}
	var rows []Row
	for _, option := range which {
		out, err := s.command(ctx, nil, "", "sacct", append(option, "--noheader", "--parsable2", "--allocations", "--duplicates", "--allusers",
			"--starttime=now-1days", "--format=jobid,submit,start,end,alloccpus,state,jobname")...)
		if err != nil {
			return nil, err
		}
		some, err := parseRows(out, s.named.name)
		if err != nil {
			return nil, err
		}
		rows = append(rows, some...)
	}
	return rows, nil
}

// parseRows reads rows of sacct. name returns the name of a job's campaign, from its id and
// its own name.
func parseRows(out string, name func(id, own string) string) ([]Row, error) {
	var rows []Row
	for line := range strings.Lines(out) {
		line = strings.TrimRight(line, "\n")
		f := strings.SplitN(line, "|", 7)
		if len(f) != 7 {
			return nil, fmt.Errorf("sacct: line %q: %d fields, not 7", line, len(f))
		}
		r := Row{Name: name(f[0], f[6]), State: f[5]}
		for i, to := range []*int64{&r.Submit, &r.Start, &r.End, &r.Procs} {
			// Slurm prints Unknown for what has not happened yet, and None for
			// what never will.
			if f[i+1] == "Unknown" || f[i+1] == "None" {
				continue
			}
			var err error
			if *to, err = strconv.ParseInt(f[i+1], 10, 64); err != nil {
				return nil, fmt.Errorf("sacct: line %q: %w", line, err)
			}
		}
		rows = append(rows, r)
	}
	return rows, nil
}

// Measure waits until all ends of the campaigns are in the tables and measures
// them, those in the background apart.
func (r *Run) Measure(ctx context.Context, s Slurm, plans []Plan, m int) ([]Campaign, []Background, error) {
	var waited, background []Plan
	for _, p := range plans {
		if p.Background {
			background = append(background, p)
		} else {
			waited = append(waited, p)
		}
	}
	want := 0
	for _, p := range waited {
		want += p.jobs()
	}
	rows, err := r.ended(ctx, s, waited, want)
	if err != nil {
		return nil, nil, err
	}
	list, err := campaigns(rows, m)
	if err != nil {
		return nil, nil, err
	}
	deadlines := make(map[string]time.Duration)
	for _, p := range waited {
		deadlines[r.jobName(p)] = p.Deadline
	}
	for i := range list {
		c := &list[i]
		c.Deadline = ostrich.Duration(deadlines[r.jobName(Plan{User: c.User, Seq: c.Seq})] / time.Second)
	}
	if len(background) == 0 {
		return list, nil, nil
	}
	// Tasks that are cancelled before their start have no row of their own.
	rows, err = r.ended(ctx, s, background, 0)
	if err != nil {
		return nil, nil, err
	}
	return list, r.served(background, rows), nil
}

// ended waits until all rows of some campaigns have an end, and there are want rows. It
// gives up when there are more, or a job did not complete. With 0 there may be any number,
// and jobs may have been cancelled.
func (r *Run) ended(ctx context.Context, s Slurm, plans []Plan, want int) ([]Row, error) {
	var names []string
	for _, p := range plans {
		names = append(names, r.jobName(p))
	}
	deadline := time.Now().Add(accountingDelay)
	for {
		rows, err := s.Rows(ctx, names)
		if err != nil {
			return nil, err
		}
		ended := 0
		for _, row := range rows {
			if row.End > 0 && want > 0 && row.State != "COMPLETED" {
				return nil, fmt.Errorf("run %s: a job of %s ended as %s: the load was disturbed", r.Name, row.Name, row.State)
			}
			if row.End > 0 {
				ended++
			}
		}
		if want > 0 && len(rows) > want {
			return nil, fmt.Errorf("run %s: the job table has %d jobs, %d were submitted", r.Name, len(rows), want)
		}
		if ended == len(rows) && ended >= want {
			return rows, nil
		}
		if time.Now().After(deadline) {
			return nil, fmt.Errorf("run %s: only %d of %d jobs ended in the job table", r.Name, ended, max(want, len(rows)))
		}
		if err := sleep(ctx, 500*time.Millisecond); err != nil {
			return nil, err
		}
	}
}

// served adds up the rows of the campaigns in the background, which are sorted by
// user.
func (r *Run) served(plans []Plan, rows []Row) []Background {
	var list []Background
	for _, p := range plans {
		if len(list) == 0 || list[len(list)-1].User != p.User {
			list = append(list, Background{User: p.User})
		}
		b := &list[len(list)-1]
		b.Jobs += p.jobs()
		for _, row := range rows {
			if row.Name != r.jobName(p) {
				continue
			}
			if row.State == "COMPLETED" {
				b.Ended++
			}
			if row.Start > 0 {
				b.Work += (row.End - row.Start) * row.Procs
			}
		}
	}
	return list
}

// campaigns groups jobs by their name, RUN.USER.CAMPAIGN.
func campaigns(rows []Row, m int) ([]Campaign, error) {
	names := make(map[string]int)
	var list []Campaign
	var jobs []report.Job
	for _, r := range rows {
		n, known := names[r.Name]
		if !known {
			parts := strings.Split(r.Name, ".")
			if len(parts) != 3 {
				return nil, fmt.Errorf("job name %q: not run.user.campaign", r.Name)
			}
			seq, err := strconv.Atoi(parts[2])
			if err != nil {
				return nil, fmt.Errorf("job name %q: not run.user.campaign", r.Name)
			}
			n = len(list)
			names[r.Name], list = n, append(list, Campaign{User: parts[1], Seq: seq})
		}
		jobs = append(jobs, report.Job{
			Campaign: n, Submit: ostrich.Time(r.Submit), Start: ostrich.Time(r.Start), End: ostrich.Time(r.End), Procs: int(r.Procs),
		})
	}
	measured := report.Campaigns(jobs)
	report.SetFloor(measured, 1) // Slurm's clock has whole seconds
	for n := range measured {
		k, c := &measured[n], &list[n]
		c.Jobs, c.Submit, c.End, c.Work, c.Longest = k.Jobs, k.Submit, k.End, int64(k.Work), k.Longest
		c.Flow, c.Stretch = ostrich.Duration(k.End-k.Submit), k.Stretch(m)
	}
	slices.SortFunc(list, func(a, b Campaign) int {
		return cmp.Or(strings.Compare(a.User, b.User), cmp.Compare(a.Seq, b.Seq))
	})
	return list, nil
}

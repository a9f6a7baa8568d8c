package main

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/urfave/cli/v2"

	"slurm-ostrich/cmd/internal/sidecar"
	"slurm-ostrich/ostrich"
)

func planCommand() *cli.Command {
	return command(cli.Command{
		Name:  "plan",
		Usage: "show the order of the live queue and what would be written; write nothing",
		Description: "RANK is a job's place in OStrich's order, SLURM the present one among all pending jobs. FROM is the\n" +
			"present value of what is written (SiteFactor, nice or priority), TO the new one; - where nothing would be\n" +
			"written. CAMPAIGN is the job that opened the campaign. Exit code 0: nothing would be written; 2: something\n" +
			"would, to whatever job of the queue; 1: error.",
	}, slices.Concat(selection(), formats()), func(c *cli.Context, config sidecar.Config) error {
		return look(c, config, func(s *sidecar.Sidecar, cycle *sidecar.Cycle) error {
			if err := writePlan(c, s.Config(), cycle); err != nil {
				return err
			}
			if cycle.Plan.Summary.Writes > 0 {
				return exitCode(2)
			}
			return nil
		})
	})
}

// planJSON is what plan --json writes. Its fields are kept.
type planJSON struct {
	Cluster string       `json:"cluster"`
	Time    ostrich.Time `json:"time"`
	Channel string       `json:"channel"`
	Mode    string       `json:"mode"`
	Jobs    []plannedJob `json:"jobs"`
	Summary planSummary  `json:"summary"`
}

type plannedJob struct {
	JobID     ostrich.JobID  `json:"job_id"`
	Job       string         `json:"job"`
	User      string         `json:"user"`
	Account   string         `json:"account"`
	Partition string         `json:"partition"`
	QOS       string         `json:"qos"`
	Pool      string         `json:"pool"`
	Campaign  *ostrich.JobID `json:"campaign"`
	Rank      *int           `json:"rank"`
	SlurmRank int            `json:"slurm_rank"`
	Priority  uint32         `json:"priority"`
	From      int64          `json:"from"`
	To        int64          `json:"to"`
	Write     bool           `json:"write"`
	Why       string         `json:"why"`
}

type planSummary struct {
	Pending    int     `json:"pending"`
	Managed    int     `json:"managed"`
	Up         int     `json:"up"`
	Down       int     `json:"down"`
	KendallTau float64 `json:"kendall_tau"`
	Writes     int     `json:"writes"`
}

func writePlan(c *cli.Context, config sidecar.Config, cycle *sidecar.Cycle) error {
	summary := planSummary(cycle.Plan.Summary)
	var entries []sidecar.Entry
	for _, e := range cycle.Plan.Entries {
		if chosen(c, "user", e.User) && chosen(c, "account", e.Account) && chosen(c, "partition", e.Partition) {
			entries = append(entries, e)
		}
	}
	if c.Bool("json") {
		out := planJSON{
			Cluster: config.Cluster, Time: cycle.Time, Channel: config.Priority.Channel, Mode: config.Priority.Mode,
			Jobs: []plannedJob{}, Summary: summary,
		}
		for _, e := range entries {
			j := plannedJob{
				JobID: e.Job, Job: e.Full, User: e.User, Account: e.Account, Partition: e.Partition, QOS: e.QOS, Pool: e.Pool,
				SlurmRank: e.SlurmRank, Priority: e.Priority, From: e.From, To: e.To, Write: e.Write, Why: e.Why,
			}
			if e.Campaign != 0 {
				j.Campaign = &e.Campaign
			}
			if e.Rank != 0 {
				j.Rank = &e.Rank
			}
			out.Jobs = append(out.Jobs, j)
		}
		return writeJSON(c, out)
	}
	t := table{header: []string{"JOBID", "USER", "ACCOUNT", "PARTITION", "CAMPAIGN", "RANK", "SLURM", "PRIORITY", "FROM", "TO", "WHY"}}
	for _, e := range entries {
		campaign, rank, to := "", "", ""
		if e.Campaign != 0 {
			campaign = fmt.Sprint(e.Campaign)
		}
		if e.Rank != 0 {
			rank = strconv.Itoa(e.Rank)
		}
		if e.Write {
			to = strconv.FormatInt(e.To, 10)
		}
		t.add(e.Full, e.User, e.Account, e.Partition, campaign, rank, e.SlurmRank, e.Priority, e.From, to, e.Why)
	}
	if err := t.write(c); err != nil {
		return err
	}
	if c.Bool("parsable2") || c.Bool("noheader") {
		return nil
	}
	_, err := fmt.Fprintf(c.App.Writer,
		"\n%s, channel %s, mode %s: %d pending, %d ordered, %d up, %d down, rank correlation %.2f, %d writes\n",
		config.Cluster, config.Priority.Channel, config.Priority.Mode,
		summary.Pending, summary.Managed, summary.Up, summary.Down, summary.KendallTau, summary.Writes)
	return err
}

package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"slurm-ostrich/cmd/internal/sidecar"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/slurmdb"
)

func campaignsCommand() *cli.Command {
	live := command(cli.Command{
		Name:  "campaigns",
		Usage: "list the unfinished campaigns, those that complete first in the virtual schedule in front",
		Description: "CAMPAIGN is the job that opened it. JOBS is pending+running, where an array counts each task. WORK is in\n" +
			"core-hours, by what is known now. VSTART and VEND are when the virtual schedule starts and completes it; they\n" +
			"move while users come and go. DONE is how much of it is served there. STRETCH is the time since submission\n" +
			"over the shortest possible time on an empty machine. BOUND is the latest end that theory guarantees if the\n" +
			"queue follows the order strictly (thesis Lemma 5.2, 6.3); never where one job may fill the machine.\n\n" +
			"With --swf it lists the campaigns of a workload log instead, and how long they took there; times are in seconds\n" +
			"since the start of the log. Then neither the configuration nor Slurm is read.",
	}, slices.Concat(selection(), formats(), campaignsLogFlags()), func(c *cli.Context, config sidecar.Config) error {
		if err := onlyWithLog(c); err != nil {
			return err
		}
		return look(c, config, func(s *sidecar.Sidecar, cycle *sidecar.Cycle) error { return writeCampaigns(c, s, cycle) })
	})
	readConfiguration := live.Action
	live.Action = func(c *cli.Context) error {
		if c.IsSet("swf") && c.NArg() == 0 {
			return logCampaigns(c)
		}
		return readConfiguration(c)
	}
	return live
}

// campaignJSON is an element of what campaigns --json writes.
type campaignJSON struct {
	Pool         string          `json:"pool"`
	User         string          `json:"user"`
	Account      string          `json:"account"`
	Partition    string          `json:"partition"`
	Campaign     ostrich.JobID   `json:"campaign"`
	Submitted    ostrich.Time    `json:"submitted"`
	Latest       ostrich.Time    `json:"latest_submission"`
	Pending      []ostrich.JobID `json:"pending"`
	Running      []ostrich.JobID `json:"running"`
	Work         float64         `json:"work_core_hours"`
	VirtualStart *float64        `json:"virtual_start"`
	VirtualEnd   *float64        `json:"virtual_completion"`
	Started      bool            `json:"started"`
	Completed    bool            `json:"completed"`
	Progress     float64         `json:"progress"`
	Stretch      float64         `json:"stretch"`
	Bound        *float64        `json:"bound"`
	virtualStart float64
	virtualEnd   float64
	bound        float64
}

func writeCampaigns(c *cli.Context, s *sidecar.Sidecar, cycle *sidecar.Cycle) error {
	list := []campaignJSON{}
	for _, pool := range cycle.Pools {
		for _, v := range pool.Schedule.Campaigns() {
			record := sample(s, v)
			if record.UserName == "" { // all its jobs have ended
				record.Account, record.UserName = owner(s.UserName(v.User))
			}
			j := campaignJSON{
				Pool: pool.Pool.Name, User: record.UserName, Account: record.Account, Partition: record.Partition,
				Campaign: v.Lead, Submitted: v.First, Latest: v.Latest, Pending: v.Pending, Running: v.Running,
				Work: coreHours(v.Work), VirtualStart: finite(v.VirtualStart), VirtualEnd: finite(v.VirtualEnd),
				Started: v.Started, Completed: v.Completed, Progress: v.Progress(),
				Stretch: v.Stretch(pool.Schedule.Procs(), cycle.Time), Bound: finite(v.Bound),
				virtualStart: v.VirtualStart, virtualEnd: v.VirtualEnd, bound: v.Bound,
			}
			if j.Pending == nil {
				j.Pending = []ostrich.JobID{}
			}
			if j.Running == nil {
				j.Running = []ostrich.JobID{}
			}
			if chosen(c, "user", j.User) && chosen(c, "account", j.Account) && chosen(c, "partition", j.Partition) {
				list = append(list, j)
			}
		}
	}
	slices.SortStableFunc(list, func(a, b campaignJSON) int {
		switch {
		case a.virtualEnd < b.virtualEnd:
			return -1
		case a.virtualEnd > b.virtualEnd:
			return 1
		}
		return cmp.Compare(a.Campaign, b.Campaign)
	})
	if c.Bool("json") {
		return writeJSON(c, struct {
			Cluster   string         `json:"cluster"`
			Time      ostrich.Time   `json:"time"`
			Campaigns []campaignJSON `json:"campaigns"`
		}{s.Config().Cluster, cycle.Time, list})
	}
	t := table{header: []string{"CAMPAIGN", "USER", "ACCOUNT", "JOBS", "SUBMITTED", "WORK", "VSTART", "VEND", "DONE", "STRETCH", "BOUND"}}
	for _, j := range list {
		t.add(j.Campaign, j.User, j.Account, fmt.Sprintf("%d+%d", tasks(s, j.Pending), len(j.Running)), moment(float64(j.Submitted)),
			fmt.Sprintf("%.2f", j.Work), moment(j.virtualStart), moment(j.virtualEnd), fmt.Sprintf("%.0f%%", 100*j.Progress),
			fmt.Sprintf("%.2f", j.Stretch), moment(j.bound))
	}
	return t.write(c)
}

// sample is the accounting record of some job of a campaign that has not
// ended, for the names that its jobs share.
func sample(s *sidecar.Sidecar, v ostrich.Campaign) slurmdb.Record {
	for _, id := range slices.Concat(v.Pending, v.Running) {
		if r, ok := s.Record(id); ok {
			return r
		}
	}
	return slurmdb.Record{}
}

// tasks counts the jobs that records stand for: an array's waiting tasks are
// one record.
func tasks(s *sidecar.Sidecar, records []ostrich.JobID) int {
	n := 0
	for _, id := range records {
		r, _ := s.Record(id)
		n += r.Job.Count()
	}
	return n
}

// owner splits what competes for the machine into account and user. The account
// is empty with flat shares, where it is a user.
func owner(name string) (account, user string) {
	if account, user, ok := strings.Cut(name, "/"); ok {
		return account, user
	}
	return "", name
}

package main

import (
	"fmt"
	"slices"

	"github.com/urfave/cli/v2"

	"slurm-ostrich/cmd/internal/sidecar"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/slurmdb"
)

func campaignsCommand() *cli.Command {
	return command(cli.Command{
		Name:  "campaigns",
		Usage: "list the unfinished campaigns, the one that completes first in the virtual schedule in front",
		Description: "JOBS is pending+running, an array counting each task; WORK is in core-hours, by what is known now. VSTART and VEND are the\n" +
			"virtual start and completion, which move while users come and go; DONE is virtual progress. STRETCH is\n" +
			"the flow time so far over the shortest possible one. BOUND is the latest end that theory guarantees if\n" +
			"the queue follows the order strictly (thesis Lemma 5.2, 6.3); \"never\" where a job may fill the machine.",
	}, slices.Concat(selection(), formats()), func(c *cli.Context, config sidecar.Config) error {
		s, cycle, err := look(c, config)
		if err != nil {
			return err
		}
		defer s.Close()
		odd(c, cycle)
		return writeCampaigns(c, s, cycle)
	})
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
			j := campaignJSON{
				Pool: pool.Pool.Name, User: userName(s, v.User, record), Account: record.Account, Partition: record.Partition,
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
		return int(int64(a.Campaign) - int64(b.Campaign))
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

func userName(s *sidecar.Sidecar, id ostrich.UserID, r slurmdb.Record) string {
	if r.UserName != "" {
		return r.UserName
	}
	return s.UserName(id)
}

package testbed_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestHolds sees to it that jobs that cannot start neither age in the virtual
// schedule nor stand before those that can, whatever keeps them, and that they have
// their place once they can.
func TestHolds(t *testing.T) {
	needSlurm(t)
	t.Parallel()
	began := time.Now()
	b := up(t, "holds", "--set", "PriorityWeightAge=0", "--set", "PriorityWeightFairshare=0",
		"--set", "SchedulerParameters=bf_interval=1,bf_continue,sched_interval=2")
	b.do(t, "root", "scontrol", "update", "partitionname=main", "maxtime=120")
	b.do(t, "root", "sacctmgr", "-i", "modify", "user", "ob-dave", "set", "grpjobs=1")
	b.do(t, "root", "sacctmgr", "-i", "add", "qos", "few", "maxjobsperuser=1")
	b.do(t, "root", "sacctmgr", "-i", "modify", "user", "ob-erin", "set", "qos+=few")

	// Each of two users with a limit has a job that runs; a third user fills the rest.
	sleep := []string{"--time", "60", "--wrap", "sleep 600"}
	runs := []string{
		b.submit(t, "ob-dave", sleep...),
		b.submit(t, "ob-erin", append([]string{"--qos", "few"}, sleep...)...),
	}
	b.running(t, runs...)
	unable := map[string]string{
		b.submit(t, "ob-dave", "--time", "5"):                                                           "waits for a limit (AssocGrpJobsLimit)",
		b.submit(t, "ob-erin", "--time", "5", "--qos", "few"):                                           "waits for a limit (QOSMaxJobsPerUserLimit)",
		b.submit(t, "ob-frank", "--time", "600"):                                                        "asks for the impossible (PartitionTimeLimit)",
		b.submit(t, "ob-grace", "--time", "5", "--begin", "now+1hour"):                                  "not eligible (BeginTime)",
		b.submit(t, "ob-grace", "--time", "5", "--job-name", "dep", "--dependency", "afterok:"+runs[0]): "not eligible (Dependency)",
	}
	b.running(t, b.submit(t, "ob-alice", append([]string{"--ntasks", "14"}, sleep...)...))
	array := []string{"--array=1-40", "--time", "60"}
	held := b.submit(t, "ob-bob", append(array, "--hold")...)
	unable[held] = "held"
	free := b.submit(t, "ob-carol", array...)
	small := b.submit(t, "ob-heidi", "--time", "30")

	var p plan
	eventually(t, "the plan tells who cannot start", func() string {
		p = b.plan(t)
		for id, want := range unable {
			if why := p.why(id); why != want {
				return "job " + id + ": " + why + ", want " + want
			}
		}
		return differ(2, len(slices.DeleteFunc(p.order(), func(id string) bool { return id != free && id != small })))
	})
	if order := p.order(); len(order) != 5 || !slices.Contains(order[:2], free) || !slices.Contains(order[:2], small) || unable[order[4]] == "" ||
		!strings.Contains(unable[order[4]], "impossible") {
		t.Errorf("the order is %v, want %s and %s before the three that cannot start, the impossible one last: %v", order, free, small, unable)
	}
	// slurmctld forgets why a job waits when it is written to, until its scheduler
	// looks at it again: a command that knows nothing of the past may then be wrong.
	eventually(t, "what cannot start has lower values", func() string {
		b.apply(t)
		values := make(map[string]int64)
		for _, j := range b.plan(t).Jobs {
			if j.Rank != nil {
				values[j.ID.String()] = j.From
			}
		}
		for id := range unable {
			if v, ok := values[id]; ok && v >= min(values[free], values[small]) {
				return fmt.Sprintf("job %s has %d, those that can start %d and %d", id, v, values[free], values[small])
			}
		}
		return ""
	})

	// What is held does not age. Carol's equal campaign came later, and does.
	eventually(t, "the free campaign is served virtually", func() string {
		c := b.served(t)
		return differ(true, c[free].Progress > 0)
	})
	c := b.served(t)
	if h := c[held]; !h.Waiting || h.Progress > 0 && h.Work > 0 || len(h.CannotStart) != 1 {
		t.Errorf("the held campaign: %+v", h)
	}
	b.do(t, "ob-bob", "scontrol", "release", held)
	eventually(t, "the released campaign is ranked", func() string {
		p = b.plan(t)
		return differ("campaign order", p.why(held))
	})
	order := p.order()
	if slices.Index(order, held) < slices.Index(order, free) {
		t.Errorf("the order is %v: the campaign %s that was held aged, and stands before %s", order, held, free)
	}
	if c := b.served(t); c[held].Progress >= c[free].Progress || c[held].Waiting {
		t.Errorf("released: %+v, free all the time: %+v", c[held], c[free])
	}

	// A limit that is lifted gives the job its place among the others.
	var limited string
	for id, why := range unable {
		if strings.Contains(why, "AssocGrpJobsLimit") {
			limited = id
		}
	}
	b.do(t, "root", "sacctmgr", "-i", "modify", "user", "ob-dave", "set", "grpjobs=-1")
	eventually(t, "the job that was limited has its place", func() string {
		b.apply(t)
		p = b.plan(t)
		return differ("campaign order", p.why(limited))
	})
	if order := p.order(); slices.Index(order, limited) > slices.Index(order, free) {
		t.Errorf("the order is %v: job %s of five minutes stands behind campaign %s", order, limited, free)
	}
	report(t, "holds", "all of it took %v", time.Since(began).Round(time.Second))
	b.empty(t)
}

// running waits until jobs run.
func (b *bed) running(t *testing.T, jobs ...string) {
	t.Helper()
	eventually(t, "jobs run", func() string {
		return differ(len(jobs), len(b.lines(t, "squeue", "-h", "-a", "-t", "RUNNING", "-j", strings.Join(jobs, ","), "-o", "%i")))
	})
}

// servedCampaign is the part of a campaign in "campaigns --json" that matters here.
type servedCampaign struct {
	Campaign    json.Number
	Progress    float64
	Work        float64 `json:"work_core_hours"`
	Waiting     bool
	CannotStart []json.Number `json:"cannot_start"`
}

// served is the unfinished campaigns, by the jobs that opened them.
func (b *bed) served(t *testing.T) map[string]servedCampaign {
	t.Helper()
	var list struct{ Campaigns []servedCampaign }
	if err := json.Unmarshal([]byte(b.ostrich(t, "campaigns", "--json").stdout), &list); err != nil {
		t.Fatal(err)
	}
	m := make(map[string]servedCampaign)
	for _, c := range list.Campaigns {
		m[c.Campaign.String()] = c
	}
	return m
}

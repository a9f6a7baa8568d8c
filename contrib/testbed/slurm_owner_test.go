package testbed_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestOwnersChoice sees to it that work which its owner keeps from starting, by what it
// asks for by name, neither ages in the virtual schedule nor stands first once the owner
// asks for it no more, as a daemon that ran all the time sees it: on a node that is drained, on one that an own job fills, and with
// all other nodes excluded. What waits for a node that others fill waits like all others.
func TestOwnersChoice(t *testing.T) {
	needSlurm(t)
	t.Parallel()
	began := time.Now()
	b := up(t, "owner", "--set", "PriorityWeightAge=0", "--set", "PriorityWeightFairshare=0",
		"--set", "SchedulerParameters=bf_interval=1,bf_continue,sched_interval=2")
	d := b.daemon(t)
	ask := func(command string, into any) {
		t.Helper()
		r := b.try(t, operator, "ostrich", command, "--json", "--socket", d.socket)
		if err := json.Unmarshal([]byte(r.stdout), into); err != nil {
			t.Fatalf("ostrich %s: %v\n%s%s", command, err, r.stdout, r.stderr)
		}
	}
	planned := func() (p plan) {
		ask("plan", &p)
		return p
	}
	served := func() map[string]servedCampaign {
		var list struct{ Campaigns []servedCampaign }
		ask("campaigns", &list)
		m := make(map[string]servedCampaign)
		for _, c := range list.Campaigns {
			m[c.Campaign.String()] = c
		}
		return m
	}
	b.do(t, "root", "scontrol", "update", "nodename=n1", "state=drain", "reason=test")
	sleep := []string{"--ntasks", "4", "--time", "60", "--wrap", "sleep 600"}
	// dave, frank and alice hold one node each.
	b.running(t,
		b.submit(t, "ob-dave", append([]string{"-w", "n2"}, sleep...)...),
		b.submit(t, "ob-frank", append([]string{"-w", "n3"}, sleep...)...),
		b.submit(t, "ob-alice", append([]string{"-w", "n4"}, sleep...)...))
	eventually(t, "the daemon answers", func() string {
		return differ(0, b.try(t, operator, "ostrich", "campaigns", "--socket", d.socket).code)
	})
	eventually(t, "the daemon has seen them run", func() string { return differ(0, len(planned().Jobs)) })
	array := []string{"--array=1-40", "--time", "60"}
	kept := map[string]string{
		b.submit(t, "ob-bob", append(array, "-w", "n1")...):          "asks for what is not free (it asks for n1, where no job can start)",
		b.submit(t, "ob-dave", append(array, "-w", "n2")...):         "asks for what is not free (it asks for n2, which its user's jobs hold)",
		b.submit(t, "ob-erin", append(array, "-x", "n[2-4]")...):     "asks for what is not free (of the nodes that it allows, too few are up)",
		b.submit(t, "ob-frank", append(array, "-x", "n[1-2],n4")...): "asks for what is not free (its user's jobs hold the nodes that it allows)",
	}
	others := b.submit(t, "ob-grace", append(array, "-w", "n4")...)
	free := b.submit(t, "ob-carol", array...)
	var p plan
	eventually(t, "the plan tells who cannot start", func() string {
		p = planned()
		for id, want := range kept {
			if why := p.why(id); why != want {
				return "job " + id + ": " + why + ", want " + want
			}
		}
		return differ(2, len(slices.DeleteFunc(p.order(), func(id string) bool { return id != free && id != others })))
	})
	if why := p.why(others); why != "campaign order" {
		t.Errorf("job %s, on a node that another user fills: %q", others, why)
	}
	for _, id := range p.order()[:2] {
		if id != free && id != others {
			t.Errorf("the order is %v, want %s and %s first", p.order(), free, others)
		}
	}
	eventually(t, "the free campaigns are served virtually", func() string {
		c := served()
		return differ(true, c[free].Progress > 0 && c[others].Progress > 0)
	})
	var cannot []string // dave's and frank's are of the campaigns of what runs
	for _, c := range served() {
		for _, id := range c.CannotStart {
			cannot = append(cannot, id.String())
		}
	}
	for id := range kept {
		if !slices.Contains(cannot, id) {
			t.Errorf("job %s counts for something; those that cannot start are %v", id, cannot)
		}
		owner := b.job(t, id).User
		b.do(t, owner, "scontrol", "update", "jobid="+id, "reqnodelist=", "excnodelist=")
	}
	eventually(t, "what asks for nothing by name is ranked", func() string {
		p = planned()
		for id := range kept {
			if why := p.why(id); why != "campaign order" {
				return "job " + id + ": " + why
			}
		}
		return ""
	})
	for id := range kept {
		if order := p.order(); slices.Index(order, id) < slices.Index(order, free) {
			t.Errorf("the order is %v: %s, which its owner kept from starting, stands before %s", order, id, free)
		}
	}
	report(t, "owner", "all of it took %v; reasons: %s", time.Since(began).Round(time.Second), strings.Join(slices.Sorted(func(yield func(string) bool) {
		for _, q := range b.queue(t) {
			if !yield(q.Reason) {
				return
			}
		}
	}), ", "))
	b.empty(t)
}

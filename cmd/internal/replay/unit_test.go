package replay

import (
	"math"
	"slices"
	"strings"
	"testing"

	"slurm-ostrich/cmd/internal/configuration"
	"slurm-ostrich/cmd/internal/sidecar"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting/sacct"
	"slurm-ostrich/ostrich/sim"
	"slurm-ostrich/priority"
)

// gpuDump is what a sacct prints of two users who come in the same second while another one
// has the machine: alice with twelve jobs of all GPUs of a node and one processor, bob with
// four jobs of a GPU and four processors.
func gpuDump() string {
	var b strings.Builder
	b.WriteString("JobIDRaw|User|Account|Partition|QOS|Submit|Eligible|Start|End|State|ReqCPUS|AllocCPUS|TimelimitRaw|ReqTRES|AllocTRES\n")
	row := func(id, user, submit, start, end, cpus, tres string) {
		b.WriteString(strings.Join([]string{
			id, user, "x", "main", "normal", "2024-03-01T10:" + submit, "2024-03-01T10:" + submit, "2024-03-01T10:" + start, "2024-03-01T10:" + end, "COMPLETED", cpus, cpus, "10", tres, tres,
		}, "|") + "\n")
	}
	row("1", "carol", "00:00", "00:00", "10:00", "4", "billing=4,cpu=4,node=1")
	ids := []string{"11", "12", "13", "14", "15", "16", "17", "18", "19", "20", "21", "22", "23", "24", "25", "26"}
	for i, id := range ids {
		if i < 12 {
			row(id, "alice", "01:00", "20:00", "30:00", "1", "billing=33,cpu=1,gres/gpu=4,node=1")
		} else {
			row(id, "bob", "01:00", "20:00", "30:00", "4", "billing=12,cpu=4,gres/gpu=1,node=1")
		}
	}
	return b.String()
}

// TestUnitOfWork: OStrich counts the work of a replay as the daemon does. By billing and by
// GPUs the few GPUs go before the many, by processors after them.
func TestUnitOfWork(t *testing.T) {
	parts := []priority.Partition{{
		Name: "main", TotalCPUs: 4, Nodes: []string{"n1"}, NodeCPUs: []int{4}, NodeTRES: []string{"cpu=4,mem=1000M,gres/gpu=4"},
		BillingWeights: "CPU=1,GRES/gpu=8", PriorityTier: 1, MaxTime: priority.Unlimited,
	}}
	for resource, first := range map[string]string{configuration.Auto: "bob", "gres/gpu": "bob", "cpu": "alice"} {
		c := configuration.Default()
		c.Schedule.Resource = resource
		counted, err := sidecar.UnitOf(&c, priority.Controller{}, parts)
		if err != nil {
			t.Fatal(err)
		}
		h, err := sacct.Read(strings.NewReader(gpuDump()), "dump", sacct.Options{Unit: counted.Unit})
		if err != nil {
			t.Fatal(err)
		}
		setup := Setup{Options: window30, Partitions: parts, Counted: counted}
		setup.Options.Inside, setup.Run.Backfill = ostrich.SPT, sim.None
		s, err := New(h, setup)
		if err != nil {
			t.Fatal(err)
		}
		if size := counted.Unit.Units(float64(s.Pools[0].Size)); resource == configuration.Auto && math.Abs(size-36) > 1e-6 {
			t.Errorf("the machine has %v billing units, want 36", size)
		}
		jobs, _, err := s.Replay(sitePolicy(t, "ostrich"), func(int) {})
		if err != nil {
			t.Fatal(err)
		}
		starts := map[string]ostrich.Time{}
		for _, j := range jobs {
			name := s.Users[j.User-1].Name
			if at, seen := starts[name]; !seen || j.Start < at {
				starts[name] = j.Start
			}
		}
		second := "bob"
		if first == second {
			second = "alice"
		}
		if starts[first] >= starts[second] {
			t.Errorf("%s: %v, want %s first", resource, starts, first)
		}
	}
}

// TestUntoldTRES: of a dump without columns of TRES, what the others tell of jobs is charged, and a note says so.
func TestUntoldTRES(t *testing.T) {
	const line = "1|ann|x|main|normal|2024-03-01T10:00:00|2024-03-01T10:00:00|2024-03-01T10:00:00|2024-03-01T10:10:00|COMPLETED|2|2"
	for _, tt := range []struct {
		weights, columns, cells string
		rate                    float64
		told                    bool
	}{
		{"CPU=0.25", "", "", 0.5, true},
		{"CPU=1.0,Mem=0.25G", "", "", 2, true},
		{"CPU=1.0,Mem=0.25G", "|ReqMem", "|4G", 3, true},
		{"CPU=1.0,Mem=0.25G", "|ReqTRES", "|cpu=2,mem=8G", 4, false},
		{"CPU=1.0,Mem=0.25G", "|ReqTRES|AllocTRES", "|cpu=2,mem=8G|", 4, false},
	} {
		parts := []priority.Partition{{
			Name: "main", TotalCPUs: 4, Nodes: []string{"n1"}, NodeCPUs: []int{4}, NodeTRES: []string{"cpu=4,mem=16000M"}, BillingWeights: tt.weights, PriorityTier: 1, MaxTime: priority.Unlimited,
		}}
		c := configuration.Default()
		counted, err := sidecar.UnitOf(&c, priority.Controller{}, parts)
		if err != nil {
			t.Fatal(err)
		}
		dump := "JobID|User|Account|Partition|QOS|Submit|Eligible|Start|End|State|ReqCPUS|AllocCPUS" + tt.columns + "\n" + line + tt.cells + "\n"
		h, err := sacct.Read(strings.NewReader(dump), "dump", sacct.Options{Unit: counted.Unit})
		if err != nil {
			t.Fatal(err)
		}
		s := mustNew(t, h, Setup{Options: window30, Partitions: parts, Counted: counted})
		if r := s.Jobs[0].request(); r.Billing != tt.rate || r.Free {
			t.Errorf("%s%s: billing %v, free %v, want %v", tt.weights, tt.cells, r.Billing, r.Free, tt.rate)
		}
		if told := slices.ContainsFunc(s.Notes, func(n string) bool { return strings.Contains(n, "neither ReqTRES nor AllocTRES") }); told != tt.told {
			t.Errorf("%s%s: notes %q", tt.weights, tt.cells, s.Notes)
		}
	}
}

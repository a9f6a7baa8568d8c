package slurm

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"slurm-ostrich/ostrich"
)

// TestTRES: what a squeue 22.05.8 printed of jobs that wait.
func TestTRES(t *testing.T) {
	got, err := parseTRES("9                   cpu=2,mem=4000M,node=1,billing=11,gres/gpu=1   \n" +
		"CLUSTER: c1\n8                   cpu=5,mem=3500M,node=2,billing=39,gres/gpu=4\n7                   N/A\n\n")
	want := map[ostrich.JobID]string{9: "cpu=2,mem=4000M,node=1,billing=11,gres/gpu=1", 8: "cpu=5,mem=3500M,node=2,billing=39,gres/gpu=4"}
	if d := cmp.Diff(want, got); d != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, d)
	}
	for _, bad := range []string{"x cpu=2\n", "7 cpu=2 mem=3\n"} {
		if _, err := parseTRES(bad); err == nil || !strings.Contains(err.Error(), "not a job and its resources") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

// TestWeightsAndTRES: what a 22.05.8 showed of a partition with weights and of a node with GPUs.
func TestWeightsAndTRES(t *testing.T) {
	parts, _, err := parsePartitions("PartitionName=main Nodes=n[1-4] TotalCPUs=32 TRES=cpu=32,mem=62.50G,node=4,billing=183,gres/gpu=16 TRESBillingWeights=CPU=1,Mem=0.25G,GRES/gpu=8.5\n" +
		"PartitionName=old Nodes=n1 TotalCPUs=8\n")
	if err != nil || parts[0].BillingWeights != "CPU=1,Mem=0.25G,GRES/gpu=8.5" || parts[1].BillingWeights != "" {
		t.Errorf("%v: %q, %q", err, parts[0].BillingWeights, parts[1].BillingWeights)
	}
	nodes, err := parseNodes("NodeName=n1 CPUEfctv=8 CPUTot=8 Gres=gpu:4 ActiveFeatures=big,new State=MIXED CfgTRES=cpu=8,mem=16000M,billing=45,gres/gpu=4 AllocTRES=cpu=7,mem=11000M,gres/gpu=1\n" +
		"NodeName=n2 CPUTot=8 ActiveFeatures=(null) State=FUTURE CfgTRES=cpu=8,mem=16000M,billing=45,gres/gpu=4\n")
	if err != nil || nodes["n1"].tres != "cpu=8,mem=16000M,billing=45,gres/gpu=4" || nodes["n2"].tres != "" {
		t.Errorf("%v: %+v", err, nodes)
	}
	parts[0].Nodes = []string{"n2", "n1"}
	sizeNodes(parts, nodes)
	if got := parts[0].NodeFeatures; !slices.Equal(got, []string{"", "big,new"}) {
		t.Errorf("features %q", got)
	}
}

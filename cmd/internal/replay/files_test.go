package replay

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"slurm-ostrich/cmd/internal/simulation"
)

// TestLogName: several dumps are named after the first.
func TestLogName(t *testing.T) {
	for want, o := range map[string]simulation.LogOptions{"log": {}, "june.txt": {Dumps: simulation.Dumps{Sacct: []string{"a/june.txt"}}}, "june.txt and 2 more": {Dumps: simulation.Dumps{Sacct: []string{"a/june.txt.gz", "july", "b"}}}} {
		path := "x/log.swf.gz"
		if len(o.Sacct) > 0 {
			path = o.DumpNames()
		}
		if got := o.LogName(path); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestAmounts: what is wrong with weights and memory stands beside its file and line, in a slurm.conf and in what scontrol shows.
func TestAmounts(t *testing.T) {
	const shown = "NodeName=n1 CPUTot=8\n   CfgTRES=cpu=8,mem=62.50G\n\nPartitionName=main\n   Nodes=n1 TotalCPUs=8 TotalNodes=1\n"
	for text, want := range map[string]string{
		"ClusterName=c\nNodeName=n1 CPUs=8\nPartitionName=main Nodes=n1 TRESBillingWeights=CPU=1,Mem=1Q\n": `slurm.conf: line 3: partition main: TRESBillingWeights="CPU=1,Mem=1Q": "Mem=1Q": the weight is not a number`,
		strings.Replace(shown, "62.50G", "6X", 1):                                                          `scontrol show node: node n1: CfgTRES="cpu=8,mem=6X":`,
		shown + "   TRESBillingWeights=CPU\n":                                                              `scontrol show partition: partition main: TRESBillingWeights="CPU": "CPU": want RESOURCE=WEIGHT`,
		shown + "   TRESBillingWeights=CPU=1.0,Mem=0.25G\n":                                                "",
	} {
		path := filepath.Join(t.TempDir(), "file")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		s := &source{o: &SiteOptions{SlurmConfig: []string{path}}}
		err := s.readFiles()
		if want == "" && err != nil || want != "" && (err == nil || !strings.HasPrefix(err.Error(), "--slurm-config: "+path+": "+want)) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

func TestKindOf(t *testing.T) {
	for _, tt := range []struct {
		text  string
		whole bool
		want  string
	}{
		{"Configuration data as of 2024-03-01T10:00:00\nAccountingStorageBackupHost = (null)\n", false, configFile},
		{"# a|comment\n\nClusterName=c\nPartitionName=main Nodes=ALL\n", true, configFile},
		{"PartitionName=main Nodes=n[1-4]\n", false, configFile}, // a slurm.conf of partitions alone
		{"PartitionName=main Nodes=n[1-4]\n", true, partitionsFile},
		{"PartitionName=main\n   AllowGroups=ALL\n   State=UP TotalCPUs=8 TotalNodes=2\n", false, partitionsFile},
		{"NodeName=n1 Arch=x86_64\n   CPUAlloc=0 CPUTot=4\n\nPartitionName=main TotalNodes=1\n", true, partitionsFile},
		{"Cluster|Account|User|Partition|Share|ParentName|ID\n", true, associationsFile},
		{"Account|User|Share\nroot||1\n", false, associationsFile},
		{"\nName|Priority|UsageFactor|Preempt|\r\nnormal|0|1.000000||\r\n", true, qosFile},
		{"SchedulerParameters=a|b\nPriorityType=priority/basic\n", true, configFile},
		{"Include nodes.conf\n", false, configFile},
		{"ReservationName=r StartTime=2026-01-01T00:00:00\n", true, reservationsFile},
		{"No reservations in the system\n", true, reservationsFile},
		{"", false, ""},
		{"JobID|JobIDRaw|Account|User\n1|1|phys|bob\n", true, ""},
		{"   Cluster    Account       User     GrpTRES \n---------- ---------- ---------- ----------- \n   testbed       root                   cpu=4 \n", true, ""},
		{"# To edit this file start with a cluster line\nCluster - 'testbed':Fairshare=1:QOS='normal'\nParent - 'root'\n", true, ""},
		{"Cluster|Name|TRES|TimeStart|TimeEnd|UnusedWall\n", true, reservedFile},
		{"Cluster|Name|NodeName|TimeStart|TimeEnd|Flags|TRES\n", true, reservedFile},
		{"Cluster|NodeName|TimeStart|TimeEnd|State|Reason|User\n", true, eventsFile},
	} {
		if got := kindOf(tt.text, tt.whole); got != tt.want {
			t.Errorf("%q: %s, want %s", tt.text, got, tt.want)
		}
	}
}

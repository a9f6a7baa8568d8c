package slurm

import (
	"testing"

	"slurm-ostrich/priority"
)

// nodesShown is the part of scontrol's words that counts, of four nodes: one is drained,
// one reserved; n3 does not answer.
const nodesShown = `NodeName=n1 CPUTot=4 CPULoad=0.01 ActiveFeatures=fast,big State=IDLE+DRAIN Partitions=main,debug Reason=a State=x [root@2026]
NodeName=n2 CPUTot=4 ActiveFeatures=fast State=ALLOCATED Partitions=main,debug
NodeName=n3 CPUTot=4 ActiveFeatures=(null) State=MIXED* Partitions=main
NodeName=n4 CPUTot=4 ActiveFeatures=big State=IDLE+RESERVED Partitions=main
NodeName=n5 CPUTot=8 ActiveFeatures=slow State=IDLE+CLOUD+POWERED_DOWN Partitions=main,far
`

const licensesShown = "LicenseName=matlab Total=3 Used=2 Free=1 Reserved=0 Remote=no\nLicenseName=ansys Total=2 Used=2 Free=0 Remote=no\n"

// runs: user 1 fills n2, and has half of n5 and two licenses; user 2 has a license.
const runsShown = "1|4|n2|(null)\n1|4|n5|matlab:2\n2|1|n3|ansys:2\n"

func TestBarred(t *testing.T) {
	const (
		away = ", where no job can start"
		held = "its user's jobs hold the nodes that it allows"
		few  = "of the nodes that it allows, too few are up"
	)
	type wants = priority.Asked
	for _, tt := range []struct {
		name string
		q    priority.Queued
		want string
	}{
		{"nothing", priority.Queued{UID: 1, CPUs: 99}, ""},
		{"drained", priority.Queued{UID: 2, Wants: wants{Nodes: "n1"}.Wants()}, "it asks for n1" + away},
		{"drained, of two", priority.Queued{UID: 2, CPUs: 2, Wants: wants{Nodes: "n[1-2]"}.Wants()}, "it asks for n1" + away},
		{"not answering", priority.Queued{UID: 2, Wants: wants{Nodes: "n3"}.Wants()}, "it asks for n3" + away},
		{"reserved", priority.Queued{UID: 2, Wants: wants{Nodes: "n4"}.Wants()}, "it asks for n4" + away},
		{"reserved for it", priority.Queued{UID: 2, Reservation: "r", Wants: wants{Nodes: "n4"}.Wants()}, ""},
		{"powered down", priority.Queued{UID: 2, Wants: wants{Nodes: "n5"}.Wants()}, ""},
		{"filled by its user", priority.Queued{UID: 1, Wants: wants{Nodes: "n2"}.Wants()}, "it asks for n2, which its user's jobs hold"},
		{"filled by another user", priority.Queued{UID: 2, CPUs: 4, Wants: wants{Nodes: "n2"}.Wants()}, ""},
		{"room beside its user's job", priority.Queued{UID: 1, CPUs: 4, Wants: wants{Nodes: "n5"}.Wants()}, ""},
		{"no room beside its user's job", priority.Queued{UID: 1, CPUs: 5, Wants: wants{Nodes: "n5"}.Wants()}, "it asks for nodes that its user's jobs hold"},
		{"more than the node has", priority.Queued{UID: 2, CPUs: 10, Partition: "main", Wants: wants{Nodes: "n5"}.Wants()}, ""},
		{"unknown", priority.Queued{UID: 2, Wants: wants{Nodes: "elsewhere"}.Wants()}, ""},
		{"all but the drained", priority.Queued{UID: 2, Partition: "debug", Wants: wants{Without: "n2"}.Wants()}, few},
		{"all but its user's", priority.Queued{UID: 1, Partition: "main", Wants: wants{Without: "n[1,3-5]"}.Wants()}, held},
		{"all but another user's", priority.Queued{UID: 2, Partition: "main", Wants: wants{Without: "n[1,3-5]"}.Wants()}, ""},
		{"feature of the drained", priority.Queued{UID: 2, Partition: "main", Wants: wants{Features: "fast&big"}.Wants()}, few},
		{"feature of the reserved", priority.Queued{UID: 2, Partition: "main", Wants: wants{Features: "big"}.Wants()}, few},
		{"feature of its user's", priority.Queued{UID: 1, Partition: "main", Wants: wants{Features: "fast"}.Wants()}, held},
		{"one of two features", priority.Queued{UID: 1, Partition: "main", Wants: wants{Features: "fast|slow"}.Wants()}, ""},
		{"features from left to right", priority.Queued{UID: 2, Partition: "main", Wants: wants{Features: "slow|big&fast"}.Wants()}, few},
		{"the last of three features", priority.Queued{UID: 2, Partition: "main", Wants: wants{Features: "big&fast|slow"}.Wants()}, ""},
		{"feature of one of the nodes", priority.Queued{UID: 2, CPUs: 12, Partition: "main", Wants: wants{Features: "fast*1"}.Wants()}, ""},
		{"feature of all nodes", priority.Queued{UID: 2, CPUs: 12, Partition: "main", Wants: wants{Features: "fast"}.Wants()}, few},
		{"feature in brackets", priority.Queued{UID: 1, Partition: "main", Wants: wants{Features: "[fast*1&slow*1]"}.Wants()}, ""},
		{"feature in another partition", priority.Queued{UID: 2, Partition: "debug,none", Wants: wants{Features: "slow"}.Wants()}, few},
		{"license of its user", priority.Queued{UID: 1, Wants: wants{Licenses: "matlab:2"}.Wants()}, "its user's jobs hold license matlab"},
		{"license beside its user", priority.Queued{UID: 1, Wants: wants{Licenses: "matlab"}.Wants()}, ""},
		{"license of another user", priority.Queued{UID: 1, Wants: wants{Licenses: "ansys:1"}.Wants()}, ""},
		{"license that is nowhere", priority.Queued{UID: 1, Wants: wants{Licenses: "x@server:1"}.Wants()}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			queue := []priority.Queued{tt.q}
			if err := bars(queue, [3]string{lasting(nodesShown), licensesShown, runsShown}); err != nil {
				t.Fatal(err)
			}
			if queue[0].Barred != tt.want {
				t.Errorf("%q, want %q", queue[0].Barred, tt.want)
			}
		})
	}
	for _, bad := range [][3]string{{"NodeName=n1 CPUTot=x\n"}, {"", "", "1|x|n1|"}, {"", "", "ann|1|n1|"}, {"", "", "1|1|n["}, {"", "", "1|1|n[|"}} {
		if err := bars(nil, bad); err == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
	queue := []priority.Queued{{Job: 7, Wants: wants{Nodes: "n["}.Wants()}}
	if err := bars(queue, [3]string{nodesShown}); err != nil || queue[0].Barred != "" {
		t.Errorf("a list that only Slurm can read: %q, %v; want a job that can start, and no end of the cycle", queue[0].Barred, err)
	}
}

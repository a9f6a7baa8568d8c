package slurm_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"slurm-ostrich/priority/slurm"
	"slurm-ostrich/priority/slurm/fromjson"
)

// What Slurm 22.05 shows of a node with GPUs, of a partition and of a reservation.
const (
	shownNode = `NodeName=n8 Arch=x86_64 CoresPerSocket=6 
   CPUAlloc=0 CPUEfctv=12 CPUTot=12 CPULoad=7.73
   AvailableFeatures=IB,CPU-G
   ActiveFeatures=IB,CPU-G
   Gres=gpu:2
   NodeAddr=127.0.0.1 NodeHostName=vm Port=27017 Version=22.05.8
   OS=Linux 6.1.0-13-amd64 #1 SMP PREEMPT_DYNAMIC Debian 6.1.55-1 (2023-09-29) 
   RealMemory=48000 AllocMem=0 FreeMem=1000 Sockets=2 Boards=1
   State=IDLE+DRAIN ThreadsPerCore=1 TmpDisk=0 Weight=3 Owner=N/A MCS_label=N/A
   Partitions=main 
   CfgTRES=cpu=12,mem=48000M,billing=12,gres/gpu=2
   AllocTRES=
   Reason=a fan [root@2026-11-28T09:00:00]
   ReservationName=maint

`
	shownPartition = `PartitionName=main
   AllowGroups=ALL AllowAccounts=ALL AllowQos=ALL
   MaxNodes=UNLIMITED MaxTime=1-00:00:00 MinNodes=0 LLN=NO MaxCPUsPerNode=UNLIMITED
   Nodes=n8
   PriorityJobFactor=1 PriorityTier=2 RootOnly=NO ReqResv=NO OverSubscribe=EXCLUSIVE
   State=UP TotalCPUs=12 TotalNodes=1 SelectTypeParameters=NONE
   DefMemPerCPU=2800 MaxMemPerNode=UNLIMITED

`
	shownReservation = `ReservationName=maint StartTime=2026-11-28T10:00:00 EndTime=2026-11-28T12:00:00 Duration=02:00:00
   Nodes=n[8-9] NodeCnt=2 CoreCnt=24 Features=(null) PartitionName=(null) Flags=MAINT,IGNORE_JOBS,SPEC_NODES,ALL_NODES
   TRES=cpu=24
   Users=root,alice Groups=(null) Accounts=(null) Licenses=(null) State=INACTIVE BurstBuffer=(null) Watts=n/a
`
)

// TestRecords: a slurm.conf, what scontrol shows, and its JSON have the same keys.
func TestRecords(t *testing.T) {
	const conf = `ClusterName=c
SelectTypeParameters=CR_Core_Memory
DefMemPerCPU=2800
NodeName=DEFAULT Sockets=2 CoresPerSocket=6 RealMemory=48000
NodeName=n8 Feature=IB,CPU-G Gres=gpu:2 Weight=3
NodeName=n9 State=FUTURE
NodeSet=gpus Feature=CPU-G
PartitionName=DEFAULT Shared=EXCLUSIVE DefMemPerCPU=2800
PartitionName=main Nodes=gpus PriorityTier=2
`
	// Slurm 24.11's data_parser/v0.0.42.
	const inJSON = `{"nodes":[{"name":"n8","cpus":12,"effective_cpus":12,"sockets":2,"cores":6,"threads":1,"real_memory":48000,"gres":"gpu:2","features":["IB","CPU-G"],` +
		`"active_features":["IB","CPU-G"],"weight":3,"state":["IDLE","DRAIN"]}],` +
		`"partitions":[{"name":"main","nodes":{"configured":"n8","total":1},"cpus":{"total":12},"priority":{"tier":2,"job_factor":1},` +
		`"maximums":{"time":{"set":true,"infinite":false,"number":1440},"nodes":{"set":false,"infinite":true,"number":0},"shares":0},` +
		`"defaults":{"partition_memory_per_cpu":{"set":true,"infinite":false,"number":2800}}}]}`
	want := map[string]map[string]string{
		"n8": {
			"cputot": "12", "cpuefctv": "12", "sockets": "2", "corespersocket": "6", "threadspercore": "1", "realmemory": "48000", "gres": "gpu:2", "activefeatures": "IB,CPU-G",
			"weight": "3",
		},
		"main": {"nodes": "n8", "prioritytier": "2", "oversubscribe": "EXCLUSIVE", "defmempercpu": "2800"},
	}
	for name, text := range map[string]string{
		"slurm.conf": conf, "scontrol show": shownNode + shownPartition, "nodes behind": shownPartition + shownNode, "on one line each": oneLine(shownNode) + oneLine(shownPartition), "JSON": inJSON,
	} {
		shown, err := fromjson.Shown(text)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		records, err := slurm.ParseRecords(shown, nil)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		got := make(map[string]map[string]string)
		for i := range records {
			r := &records[i]
			if want[r.Name] == nil || r.Kind != slurm.NodeRecord && r.Kind != slurm.PartitionRecord {
				continue
			}
			got[r.Name] = make(map[string]string)
			for key := range want[r.Name] {
				got[r.Name][key] = r.Get(key)
			}
			if r.Where == "" {
				t.Errorf("%s: nothing tells where %s is", name, r.Name)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", name, diff)
		}
	}
}

// TestExclusive: a partition whose jobs have their nodes for themselves, as releases write it, in text and in JSON.
func TestExclusive(t *testing.T) {
	const head, json = "PartitionName=main Nodes=n1 TotalCPUs=4 TotalNodes=1 ", `{"partitions":[{"name":"main","nodes":{"configured":"n1"},"cpus":{"total":4},`
	for text, want := range map[string][2]string{
		head + "OverSubscribe=EXCLUSIVE PreemptMode=OFF":                          {"own", "OFF"},
		head + "Exclusive=NODE OverSubscribe=NO PreemptMode=REQUEUE":              {"own", "REQUEUE"},
		head + "Exclusive=USER OverSubscribe=NO":                                  {"", ""},
		json + `"maximums":{"shares":0,"oversubscribe":{"jobs":0,"flags":[]}}}]}`: {"own", ""}, // 24.11
		json + `"maximums":{"shares":1}}]}`:                                       {"", ""},
		json + `"maximums":{"shares":0},"partition":{"exclusive":"NO","oversubscribe":"NO","state":["UP"]},"preempt_mode":["REQUEUE"]}]}`:    {"", "REQUEUE"}, // 26.05
		json + `"maximums":{"shares":0},"partition":{"exclusive":"NODE","oversubscribe":"NO","state":["UP"]},"preempt_mode":["DISABLED"]}]}`: {"own", "OFF"},
		json + `"partition":{"exclusive":"USER","oversubscribe":"FORCE:3"},"preempt_mode":["CLUSTER_GLOBAL"]}]}`:                             {"", ""},
		"ClusterName=c\nNodeName=n1 CPUs=4\nPartitionName=main Nodes=n1 Exclusive=NODE":                                                      {"own", ""},
	} {
		shown, err := fromjson.Shown(text)
		if err != nil {
			t.Fatal(err)
		}
		parts, err := slurm.ParsePartitions(shown, nil)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		records, err := slurm.ParseRecords(shown, nil)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		r := &records[slices.IndexFunc(records, func(r slurm.Record) bool { return r.Kind == slurm.PartitionRecord })]
		own := slurm.ExclusiveNodes(r.Get("oversubscribe")) || slurm.ExclusiveNodes(r.Get("exclusive"))
		if want := want[0] == "own"; parts[0].Exclusive != want || own != want {
			t.Errorf("%s: %v, record %v, want %v", text, parts[0].Exclusive, own, want)
		}
		if r.Get("preemptmode") != want[1] {
			t.Errorf("%s: PreemptMode=%q, want %q", text, r.Get("preemptmode"), want[1])
		}
	}
}

// oneLine is a record as scontrol -o shows it.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") + "\n" }

// TestShownRecords: values with blanks, the configuration, a reservation, and none.
func TestShownRecords(t *testing.T) {
	records, err := slurm.ParseRecords("Configuration data as of 2026-11-28T09:00:00\nSelectTypeParameters    = CR_CORE_MEMORY\nLicenses                = (null)\n\n"+shownNode+shownReservation, nil)
	if err != nil || len(records) != 3 {
		t.Fatalf("%+v, %v", records, err)
	}
	node, reservation, config := &records[0], &records[1], &records[2]
	for _, tt := range []struct{ got, want string }{
		{node.Get("os"), "Linux 6.1.0-13-amd64 #1 SMP PREEMPT_DYNAMIC Debian 6.1.55-1 (2023-09-29)"},
		{node.Get("reason"), "a fan [root@2026-11-28T09:00:00]"},
		{node.Get("cfgtres"), "cpu=12,mem=48000M,billing=12,gres/gpu=2"},
		{node.Get("owner"), ""},
		{node.Get("state"), "IDLE+DRAIN"},
		{node.Where, "scontrol show node: node n8"},
		{reservation.Name, "maint"},
		{reservation.Get("nodes"), "n[8-9]"},
		{reservation.Get("users"), "root,alice"},
		{reservation.Get("accounts"), ""},
		{config.Get("selecttypeparameters"), "CR_CORE_MEMORY"},
		{config.Get("licenses"), ""},
	} {
		if tt.got != tt.want {
			t.Errorf("%q, want %q", tt.got, tt.want)
		}
	}
	if reservation.Kind != slurm.ReservationRecord || config.Kind != slurm.ConfigRecord {
		t.Errorf("%+v, %+v", reservation, config)
	}
}

// TestIndentedRecords: records are told apart where all lines are indented, with blanks or tabs; a line of another record's name in one
// of them is of that one.
func TestIndentedRecords(t *testing.T) {
	text := shownNode + strings.ReplaceAll(shownNode, "n8", "n9") + shownPartition + shownReservation + "     NodeName=n8 CoreIDs=0-1\n   TRES=cpu=2\n" +
		strings.ReplaceAll(shownReservation, "maint", "second")
	for name, text := range map[string]string{
		"as shown": text, "blanks": "  " + strings.ReplaceAll(text, "\n", "\n  "), "a tab": "\t" + strings.ReplaceAll(text, "\n", "\n\t"), "tabs for blanks": strings.ReplaceAll(text, "\n  ", "\n\t"),
	} {
		records, err := slurm.ParseRecords(text, nil)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for i := range records {
			got = append(got, records[i].Name)
		}
		if !slices.Equal(got, []string{"n8", "n9", "main", "maint", "second"}) || records[0].Get("reservationname") != "maint" || records[3].Get("coreids") != "0-1" || records[3].Get("tres") != "cpu=2" {
			t.Errorf("%s: %q: %+v", name, got, records)
		}
	}
}

// FuzzRecords: no text breaks the readers, and JSON that is read can be read as what it shows.
func FuzzRecords(f *testing.F) {
	f.Add(shownNode + shownPartition + shownReservation)
	f.Add("NodeName=n[1-4] CPUs=4\nPartitionName=p Nodes=ALL\n")
	f.Add(`{"nodes":[{"name":"n1","cpus":{"set":true,"number":4}}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		shown, err := fromjson.Shown(text)
		if err != nil {
			return
		}
		records, err := slurm.ParseRecords(shown, func(string) (string, error) { return "", errors.New("none") })
		for i := range records {
			if r := &records[i]; err == nil && r.Where == "" {
				t.Errorf("%q: %+v", text, r)
			}
		}
	})
}

// TestScheduling: a configuration says how the schedulers look, in slurm.conf and as scontrol shows it.
func TestScheduling(t *testing.T) {
	for _, text := range []string{
		"ClusterName=c\nPriorityType=x\nKillWait=45\nOverTimeLimit=2\nCompleteWait=7\nSchedulerParameters=bf_min_age_reserve=600,pack_serial_at_end,bf_busy_nodes\n",
		"Configuration data as of x\nClusterName = c\nKillWait                = 45 sec\nOverTimeLimit           = 2 min\nCompleteWait            = 7 sec\nSchedulerParameters     = pack_serial_at_end,bf_busy_nodes,bf_min_age_reserve=600\n",
	} {
		records, err := slurm.ParseRecords(text, nil)
		if err != nil {
			t.Fatal(err)
		}
		got, err := records[len(records)-1].Scheduling()
		if err != nil || got.KillWait != 45 || got.OverTime != 120 || got.CompleteWait != 7 || got.BackfillMinAge != 600 || !got.PackSerialAtEnd || !got.BackfillBusyNodes || got.BackfillInterval != 30 {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
	}
	for text, want := range map[string]string{
		"KillWait=soon": `line 2: KillWait="soon": not a number of seconds`, "OverTimeLimit=late": `line 2: OverTimeLimit="late": not a number of minutes`, "SchedulerParameters=bf_window=x": `line 2: SchedulerParameters: "bf_window=x": not a number`, "OverTimeLimit=UNLIMITED": "", "OverTimeLimit=INFINITE": "", "CompleteWait=infinite": "",
	} {
		records, err := slurm.ParseRecords("ClusterName=c\n"+text+"\n", nil)
		if err != nil {
			t.Fatal(err)
		}
		if got, bad := records[0].Scheduling(); want == "" && (bad != nil || got.OverTime != 0) || want != "" && (bad == nil || bad.Error() != want) {
			t.Errorf("%s: %+v, %v, want %q", text, got, bad, want)
		}
	}
}

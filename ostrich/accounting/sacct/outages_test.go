package sacct_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"slurm-ostrich/ostrich/accounting"
	"slurm-ostrich/ostrich/accounting/sacct"
)

// TestReadOutages: sacctmgr's usual columns, with times in a zone, and those of EventsCommand.
func TestReadOutages(t *testing.T) {
	down, drain := uint32(accounting.NodeDown), uint32(accounting.NodeDrain)
	for _, tt := range []struct {
		name, text string
		want       []accounting.NodeEvent
		err        string
	}{
		{
			"usual columns", "Cluster|NodeName|TimeStart|TimeEnd|State|Reason|User\nc||2024-03-01T00:00:00|Unknown||Cluster Registered TRES|\n" +
				"c|n1|2024-03-01T10:00:00|2024-03-01T11:00:00|DOWN*|Not responding|slurm(64030)\nc|n2|2024-03-01T10:00:00|Unknown|DRAINED|a fan|root(0)\n",
			[]accounting.NodeEvent{{Node: "n1", From: tenAM, To: tenAM + 3600, State: down}, {Node: "n2", From: tenAM, State: drain}},
			"",
		},
		{
			"in seconds", "NodeName|Start|End|StateRaw|TRES\nn1|1709287200|0|513|\n",
			[]accounting.NodeEvent{{Node: "n1", From: tenAM, State: down | drain}},
			"",
		},
		{
			"a reason with the delimiter", "NodeName|TimeStart|TimeEnd|State|Reason|User\nn1|2024-03-01T10:00:00|Unknown|DOWN|a|fan||root(0)\n",
			[]accounting.NodeEvent{{Node: "n1", From: tenAM, State: down}},
			"",
		},
		{"too many fields", "NodeName|TimeStart|TimeEnd|State\nn1|0|0|DOWN|a\n", nil, "f:2: 5 fields, want 4"},
		{"no time", "NodeName|TimeStart|TimeEnd|State\nn1|then|Unknown|DOWN\n", nil, `f:2: TimeStart "then": not a time`},
		{"no header", "n1|1|2|DOWN\n", nil, "f:1: no column NodeName, TimeStart, TimeEnd, State; it should be what sacctmgr --parsable2 show event writes"},
	} {
		got, err := sacct.ReadOutages(strings.NewReader(tt.text), "f", "", time.UTC, tenAM)
		if tt.err != "" {
			if err == nil || !strings.Contains(err.Error(), tt.err) {
				t.Errorf("%s: error %v, want %s", tt.name, err, tt.err)
			}
			continue
		}
		if diff := cmp.Diff(tt.want, got); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got)\n%s", tt.name, err, diff)
		}
	}
	both := accounting.NodeEvent{State: down | drain}
	if only := (accounting.NodeEvent{State: 2 | drain}); !both.Down() || only.Down() {
		t.Error("a node that was drained while it was down was down, and one that was idle was not")
	}
}

// TestReadReservations: as Slurm 24.11 writes them, and without the nodes, which its usual columns lack.
func TestReadReservations(t *testing.T) {
	text := "Cluster|Name|NodeName|TimeStart|TimeEnd|Flags|TRES\nc|maint|n[03-04]|2024-03-01T10:00:00|2024-03-01T11:00:00|MAINT,SPEC_NODES|cpu=24\n" +
		"c|lic||1709287200|1709290800|FLEX,TIME_FLOAT|license/l=2\n"
	got, err := sacct.ReadReservations(strings.NewReader(text), "f", "", time.UTC, tenAM)
	want := []accounting.Reservation{
		{Name: "maint", Nodes: "n[03-04]", From: tenAM, To: tenAM + 3600, CPUs: 24},
		{Name: "lic", From: tenAM, To: tenAM + 3600, Flex: true, Floats: true},
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got)\n%s", err, diff)
	}
	two := text + "d|maint|n05|1709287200|1709290800|MAINT|cpu=1\n"
	if got, err := sacct.ReadReservations(strings.NewReader(two), "f", "d", time.UTC, tenAM); err != nil || len(got) != 1 || got[0].Nodes != "n05" {
		t.Errorf("of another cluster: %+v, %v", got, err)
	}
	for text, want := range map[string]string{
		two: `f:4: reservations of cluster "d" after those of "c": choose one`,
		"Cluster|Name|TRES|TimeStart|TimeEnd|UnusedWall\n":       "f:1: no column NodeName, Flags; it should be what sacctmgr --parsable2 show reservation Start=",
		strings.Replace(text, "2024-03-01T11:00:00", "later", 1): `f:2: TimeEnd "later": not a time`,
		strings.Replace(text, "cpu=24", "cpu=some", 1):           `f:2: TRES "cpu=some": not an amount of cpu`,
	} {
		if _, err := sacct.ReadReservations(strings.NewReader(text), "f", "", time.UTC, tenAM); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}

func FuzzReadOutages(f *testing.F) {
	f.Add("NodeName|TimeStart|TimeEnd|State|Reason|User\nn1|2024-03-01T10:00:00|Unknown|DOWN|a|fan||root(0)\n")
	f.Add("NodeName|Start|End|StateRaw|TRES\nn1|1709287200|0|513|\n")
	f.Add("Cluster|Name|NodeName|TimeStart|TimeEnd|Flags|TRES\nc|maint|n[03-04]|now-1day|2024-03-01T11:00:00|MAINT|cpu=24\n")
	f.Fuzz(func(t *testing.T, text string) {
		outages, err := sacct.ReadOutages(strings.NewReader(text), "f", "", time.UTC, tenAM)
		for _, e := range outages {
			if e.From < 0 || e.To < 0 || e.Node == "" {
				t.Errorf("impossible outage %+v, %v", e, err)
			}
		}
		reserved, err := sacct.ReadReservations(strings.NewReader(text), "f", "", time.UTC, tenAM)
		for _, r := range reserved {
			if r.From < 0 || r.To < 0 {
				t.Errorf("impossible reservation %+v, %v", r, err)
			}
		}
	})
}

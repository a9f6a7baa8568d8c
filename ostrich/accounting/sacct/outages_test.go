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
		{"no time", "NodeName|TimeStart|TimeEnd|State\nn1|then|Unknown|DOWN\n", nil, `f:2: TimeStart "then": not a time`},
		{"no header", "n1|1|2|DOWN\n", nil, "f:1: no column NodeName, TimeStart, TimeEnd, State; it should be what sacctmgr --parsable2 show event writes"},
	} {
		got, err := sacct.ReadOutages(strings.NewReader(tt.text), "f", time.UTC, tenAM)
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

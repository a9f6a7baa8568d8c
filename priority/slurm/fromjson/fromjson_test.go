package fromjson_test

import (
	"strings"
	"testing"

	"slurm-ostrich/priority/slurm/fromjson"
)

// TestShownJSON: JSON of several releases, and what is none of it.
func TestShownJSON(t *testing.T) {
	for _, tt := range []struct{ name, json, want string }{
		{
			"22.05", `{"meta":{},"nodes":[{"name":"n1","cpus":4,"features":"a,b","active_features":"a,b","state":"idle","gres":"gpu:a100:4(S:0-1)","reason":null}]}`,
			"NodeName=n1 CPUTot=4 Gres=gpu:a100:4(S:0-1) AvailableFeatures=a,b ActiveFeatures=a,b State=IDLE\n",
		},
		{
			"minutes", `{"partitions":[{"name":"p","maximums":{"time":{"set":false,"infinite":true}},"defaults":{"time":4294967294}},{"name":"q","maximums":{"time":90,"shares":32769}}]}`,
			"PartitionName=p MaxTime=UNLIMITED DefaultTime=NONE\nPartitionName=q MaxTime=0-01:30:00 OverSubscribe=FORCE:1\n",
		},
		{
			"reservation", `{"reservations":[{"name":"r","start_time":{"set":true,"number":1700000000},"end_time":1700003600,"node_list":"n[1-2]","users":"a,b","flags":["MAINT"]}]}`,
			"ReservationName=r StartTime=1700000000 EndTime=1700003600 Nodes=n[1-2] Users=a,b Flags=MAINT\n",
		},
		{"no JSON", "NodeName=n1 CPUs=4\n", "NodeName=n1 CPUs=4\n"},
	} {
		if got, err := fromjson.Shown(tt.json); err != nil || got != tt.want {
			t.Errorf("%s: %q, %v, want %q", tt.name, got, err, tt.want)
		}
	}
	for text, want := range map[string]string{
		`{"jobs":[]}`:                "JSON without nodes, partitions or reservations: it should be what",
		`{"nodes":[{"cpus":4}]}`:     "scontrol --json: nodes: number 0: has no name",
		`{"nodes":[{"name":"n1"}`:    "scontrol --json: unexpected EOF",
		`{"nodes":[{"name":"n1",}]}`: "scontrol --json: invalid character",
	} {
		if _, err := fromjson.Shown(text); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

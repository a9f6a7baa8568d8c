package main

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// A recording holds what makes a replay on identical processors go wrong, and nothing that
// the cluster of debian/record could never run.
func TestRequests(t *testing.T) {
	t.Parallel()
	for seed := range uint64(20) {
		list := Requests(seed, 500, 1)
		if diff := cmp.Diff(list, Requests(seed, 500, 1)); diff != "" {
			t.Fatalf("seed %d twice: (-first +second)\n%s", seed, diff)
		}
		var featureds, special, several int
		for i, r := range list {
			if i > 0 && r.At < list[i-1].At {
				t.Errorf("seed %d, job %d: comes before the one in front of it", seed, i)
			}
			if r.Limit <= r.Run || r.Limit%time.Minute != 0 || r.Run < time.Second {
				t.Errorf("seed %d, job %d: runs for %v within %v", seed, i, r.Run, r.Limit)
			}
			if r.Tasks%r.Nodes != 0 || r.Tasks/r.Nodes > recordedCPUs || r.QOS == "limited" && r.Tasks > limitedTasks {
				t.Errorf("seed %d, job %d of %s: %d tasks on %d nodes", seed, i, r.QOS, r.Tasks, r.Nodes)
			}
			for _, f := range featured {
				if r.Feature == f.name && r.Nodes > f.nodes {
					t.Errorf("seed %d, job %d: %d nodes of %s", seed, i, r.Nodes, f.name)
				}
			}
			if r.GPUs > 0 || r.Memory > 0 {
				special++
				if r.Nodes > 1 || r.Feature != "" {
					t.Errorf("seed %d, job %d: %+v", seed, i, r)
				}
			}
			if r.Feature != "" {
				featureds++
			}
			if r.Nodes > 1 {
				several++
			}
		}
		if featureds < 120 || featureds > 220 || special < 25 || special > 80 || several < 75 || several > 150 {
			t.Errorf("seed %d: of 500 jobs %d with a feature, %d with a GPU or much memory, %d on several nodes", seed, featureds, special, several)
		}
	}
}

func TestWriteRequests(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	err := writeRequests(&out, []Request{
		{At: 3 * time.Second, User: "ob-alice", Account: "astro", QOS: "normal", Run: 9 * time.Second, Limit: 2 * time.Minute, Tasks: 24, Nodes: 2, Feature: "CPU-N"},
		{User: "ob-frank", Account: "bio", QOS: "limited", Run: time.Second, Limit: time.Minute, Tasks: 1, Nodes: 1, Memory: 5, GPUs: 2},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Join([]string{
		"3\tob-alice\t9\t--account=astro --qos=normal --time=2 --ntasks=24 --ntasks-per-node=12 --constraint=CPU-N",
		"0\tob-frank\t1\t--account=bio --qos=limited --time=1 --ntasks=1 --ntasks-per-node=1 --mem=5 --gres=gpu:2", "",
	}, "\n")
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

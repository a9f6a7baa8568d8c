package inventory

import (
	"slices"
	"testing"

	"slurm-ostrich/ostrich/sim/nodes"
)

// TestRelativeNone: 0 % is none, and memory that the nodes' lines do not have is not limited.
func TestRelativeNone(t *testing.T) {
	got := relative(&nodes.Cluster{Nodes: []nodes.Node{{CPUs: 8, GRES: []nodes.GRES{{Name: "gpu", Count: 4}}}}}, []nodes.Limit{{Resource: "gres/gpu"}, {Resource: "mem", Most: 50}, {Resource: "cpu", Most: 1}}, []int{0})
	if want := []nodes.Limit{{Resource: "gres/gpu"}, {Resource: "cpu", Most: 1}}; !slices.Equal(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}

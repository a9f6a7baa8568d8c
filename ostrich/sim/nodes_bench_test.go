package sim_test

import (
	"path/filepath"
	"testing"

	"slurm-ostrich/ostrich/sim"
	"slurm-ostrich/ostrich/sim/nodes"
	"slurm-ostrich/ostrich/sim/swf"
	"slurm-ostrich/ostrich/trace"
	"slurm-ostrich/ostrich/trace/tracetest"
)

// BenchmarkReplayOnNodes replays logs on nodes of four processors, with the memory that they ask for.
func BenchmarkReplayOnNodes(b *testing.B) {
	for _, bb := range []struct {
		name, file string
		nodes      int
		memory     int64 // MiB of a node
	}{
		{"KTH", "KTH-SP2-1996-2.1-cln.swf.gz", 25, 2048},
		{"HPC2N", "HPC2N-2002-2.2-cln.swf.gz", 60, 4096},
	} {
		b.Run(bb.name, func(b *testing.B) {
			log, err := trace.Open(filepath.Join(tracetest.Folder(b), bb.file), trace.Options{})
			if err != nil {
				b.Fatal(err)
			}
			c := &nodes.Cluster{Select: nodes.Select{Memory: true}, DefMemory: nodes.Memory{MiB: bb.memory / 4, PerCPU: true}}
			for range bb.nodes {
				c.Nodes = append(c.Nodes, nodes.Node{CPUs: 4, Memory: bb.memory})
			}
			f, err := nodes.NewFloor(c)
			if err != nil {
				b.Fatal(err)
			}
			logged, requests, _, err := swf.Placed(log, f.CPUs(), swf.ByLimit, func(r *nodes.Request) bool {
				_, impossible := f.Want(r, -1)
				return impossible == nil
			})
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if _, err = (sim.Machine{Cluster: c, Requests: requests, Order: sim.FCFS, Backfill: sim.EASY}).Replay(logged); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(len(logged)*b.N)/b.Elapsed().Seconds(), "jobs/s")
		})
	}
}

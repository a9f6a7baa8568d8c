package slurm

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"slurm-ostrich/ostrich"
)

// TRES returns what jobs of the queue ask for, as slurmctld prints resources:
// "cpu=2,mem=4000M,node=1,billing=11,gres/gpu=1". A job that is gone is not there.
func (s Commands) TRES(ctx context.Context, jobs []ostrich.JobID) (map[ostrich.JobID]string, error) {
	ids := make([]string, len(jobs))
	for i, id := range jobs {
		ids[i] = strconv.FormatUint(uint64(id), 10)
	}
	return parsed(ctx, s, parseTRES, "squeue", "--local", "-h", "-a", "--jobs="+strings.Join(ids, ","), "-O", "JobID:20,tres-alloc:1000")
}

// parseTRES reads lines of a job and its resources.
func parseTRES(out string) (map[ostrich.JobID]string, error) {
	all := make(map[ostrich.JobID]string)
	for line := range strings.Lines(out) {
		fields := strings.Fields(line)
		if len(fields) == 0 || fields[0] == "CLUSTER:" { // with -M, squeue prints the cluster above its jobs
			continue
		}
		id, err := strconv.ParseUint(fields[0], 10, 32)
		if err != nil || len(fields) > 2 {
			return nil, fmt.Errorf("squeue: line %q: not a job and its resources", clip(strings.TrimSpace(line)))
		}
		if len(fields) == 2 && fields[1] != "N/A" {
			all[ostrich.JobID(id)] = fields[1]
		}
	}
	return all, nil
}

package main

import (
	"context"
	"crypto/sha256"
	"fmt"
	"path"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// job is what a tool knows of a job that it submits.
type job struct {
	run    string // UUID of the run of the workflow
	folder string // of the workflow
	step   string
	number int // of the job in its step, from 1 on
	tasks  int // of an array; 0: no array
	procs  int
	limit  int // minutes
	sleep  string
}

// tool returns the arguments of sbatch, without its --parsable, the script for its standard input
// and the folders that must be there.
type tool func(j *job) (args []string, script string, folders []string)

// byTool are the workflow tools that load submits jobs as, by name: what they really write,
// see the package ostrich/accounting/tools. What a job does is sleep.
var byTool = map[string]tool{
	// Snakemake 8 and 9 (executor plugin slurm 2.7.1).
	"snakemake": func(j *job) (args []string, script string, folders []string) {
		logs := fmt.Sprintf("%s/.snakemake/slurm_logs/rule_%s/s%d", j.folder, j.step, j.number)
		return append([]string{
			"--job-name", j.run, "--output", logs + "/%j.log", "--export=ALL",
			"--comment", fmt.Sprintf("rule_%s_wildcards_s%d", j.step, j.number), "-t", strconv.Itoa(j.limit), "--ntasks=1",
			fmt.Sprintf("--cpus-per-task=%d", j.procs), "-D", j.folder, "--wrap=" + j.sleep,
		}, j.array()...), "", []string{logs}
	},
	// Nextflow: the options stand in the script.
	"nextflow": func(j *job) (args []string, script string, folders []string) {
		hash := fmt.Sprintf("%x", sha256.Sum256(fmt.Appendf(nil, "%s %s %d", j.run, j.step, j.number)))
		work := path.Join(j.folder, j.run[:8], "work", hash[:2], hash[2:32])
		options := append([]string{
			fmt.Sprintf("-J nf-%s_(s%d)", strings.ToUpper(j.step), j.number), "-o " + work + "/.command.log", "--no-requeue", "--signal B:USR2@30",
			fmt.Sprintf("-c %d", j.procs), fmt.Sprintf("-t %02d:%02d:00", j.limit/60, j.limit%60),
		}, j.array()...)
		return []string{"-D", work}, "#!/bin/bash\n#SBATCH " + strings.Join(options, "\n#SBATCH ") + "\n" + j.sleep + "\n", []string{work}
	},
	// submitit 1.5.4: the options stand in the script.
	"submitit": func(j *job) (args []string, script string, folders []string) {
		folder := path.Join(j.folder, j.step)
		options := append([]string{
			fmt.Sprintf("--cpus-per-task=%d", j.procs), "--error=" + folder + "/%A_%a_0_log.err", "--job-name=submitit", "--nodes=1",
			"--ntasks-per-node=1", "--open-mode=append", "--output=" + folder + "/%A_%a_0_log.out", "--signal=USR2@90",
			fmt.Sprintf("--time=%d", j.limit), "--wckey=submitit",
		}, j.array()...)
		return []string{"-D", folder}, "#!/bin/bash\n\n# Parameters\n#SBATCH " + strings.Join(options, "\n#SBATCH ") + "\n\n# command\n" + j.sleep + "\n", []string{folder}
	},
}

func (j *job) array() []string {
	if j.tasks == 0 {
		return nil
	}
	return []string{fmt.Sprintf("--array=0-%d%%%[2]d", j.tasks-1, j.tasks)}
}

// submitByTool submits the jobs of a step as its tool does.
func (s Slurm) submitByTool(ctx context.Context, as *syscall.Credential, name string, p Plan) error {
	h := fmt.Sprintf("%x", sha256.Sum256([]byte(name)))
	run := h[:8] + "-" + h[8:12] + "-4" + h[13:16] + "-8" + h[17:20] + "-" + h[20:32]
	for i, length := range p.Lengths {
		j := job{
			run: run, folder: path.Join(s.folder, p.User), step: p.Step, number: i + 1, procs: p.Procs,
			limit: int(p.Limit / time.Minute), sleep: fmt.Sprintf("sleep %.1f", length.Seconds()),
		}
		if p.Array {
			j.tasks = p.Count
		}
		args, script, folders := byTool[p.Tool](&j)
		if _, err := s.command(ctx, as, "", "mkdir", append([]string{"-p"}, folders...)...); err != nil {
			return err
		}
		out, err := s.command(ctx, as, script, "sbatch", append([]string{"--parsable"}, args...)...)
		if err != nil {
			return fmt.Errorf("%s: job %d of %d as %s: %w", name, i+1, len(p.Lengths), p.User, err)
		}
		id, _, _ := strings.Cut(strings.TrimSpace(out), ";")
		s.named.add(id, name)
	}
	return nil
}

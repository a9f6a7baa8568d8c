package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os/exec"
	"os/user"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"slurm-ostrich/priority"
)

// commandTimeout is how long a command of Slurm may take. Slurm itself gives
// up after its MessageTimeout, which the testbed sets to 30 s.
const commandTimeout = 60 * time.Second

// Slurm runs the commands of a cluster.
type Slurm struct {
	Conf string // SLURM_CONF

	folder string // in which tools work
	named  *named
}

// named are the campaigns of jobs that have their tool's names, by the ids of jobs and arrays.
type named struct {
	mu        sync.Mutex
	campaigns map[string]string
}

// name returns the name of a job's campaign, by its id, such as 17, 17_3 or 17_[4-9], or else
// its own name.
func (n *named) name(id, own string) string {
	if n == nil {
		return own
	}
	id, _, _ = strings.Cut(id, "_")
	n.mu.Lock()
	defer n.mu.Unlock()
	return cmp.Or(n.campaigns[id], own)
}

// idsOf returns the ids of some campaigns, sorted.
func (n *named) idsOf(names []string) (ids []string) {
	if n == nil {
		return nil
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	for id, name := range n.campaigns {
		if slices.Contains(names, name) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

func (n *named) add(id, name string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.campaigns[id] = name
}

// command runs one of Slurm's commands, as a user if one is given, and returns
// its output.
func (s Slurm) command(ctx context.Context, as *syscall.Credential, stdin, name string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, commandTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	// The caller's environment does not reach the jobs. Times are in Unix
	// seconds, and lists of tasks are complete.
	cmd.Env = []string{"PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LANG=C.UTF-8", "HOME=/", "SLURM_CONF=" + s.Conf, "SLURM_TIME_FORMAT=%s", "SLURM_BITSTR_LEN=0"}
	cmd.Dir = "/"
	cmd.Stdin = strings.NewReader(stdin)
	// In a session of its own, Ctrl-C does not interrupt a submission halfway.
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: as, Setsid: true}
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%s: %w: %s", name, err, strings.TrimSpace(stderr.String()))
	}
	return stdout.String(), nil
}

// credential returns what a process needs to run as a user.
func credential(name string) (*syscall.Credential, error) {
	u, err := user.Lookup(name)
	if err != nil {
		return nil, err
	}
	uid, err := strconv.ParseUint(u.Uid, 10, 32)
	if err != nil {
		return nil, fmt.Errorf("user %s: %w", name, err)
	}
	gid, err := strconv.ParseUint(u.Gid, 10, 32)
	if err != nil {
		return nil, fmt.Errorf("user %s: %w", name, err)
	}
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, nil
}

// Submit submits all jobs of a campaign under one name, as its user.
func (s Slurm) Submit(ctx context.Context, name string, p Plan) error {
	as, err := credential(p.User)
	if err != nil {
		return err
	}
	if p.Tool != "" {
		return s.submitByTool(ctx, as, name, p)
	}
	for i, length := range p.Lengths {
		args := []string{
			"--parsable", "--job-name=" + name, "--output=/dev/null", "--chdir=/",
			"--ntasks=1", fmt.Sprintf("--cpus-per-task=%d", p.Procs),
			fmt.Sprintf("--time=%d", int(p.Limit/time.Minute)),
		}
		if p.Array {
			args = append(args, fmt.Sprintf("--array=1-%d", p.Count))
		}
		script := fmt.Sprintf("#!/bin/sh\nexec sleep %.1f\n", length.Seconds())
		if _, err := s.command(ctx, as, script, "sbatch", args...); err != nil {
			return fmt.Errorf("%s: job %d of %d as %s: %w", name, i+1, len(p.Lengths), p.User, err)
		}
	}
	return nil
}

// Queue counts what is pending or running under one job name.
type Queue struct{ Pending, Running int }

// Queues returns the queue by job name, for jobs whose name begins with the
// prefix. The pending tasks of an array are one line: squeue --array would leave
// out the last of tasks that are a step apart.
func (s Slurm) Queues(ctx context.Context, prefix string) (map[string]Queue, error) {
	out, err := s.command(ctx, nil, "", "squeue", "--noheader", "--all", "--format=%t|%K|%F|%j")
	if err != nil {
		return nil, err
	}
	return parseQueues(out, prefix, s.named.name)
}

// parseQueues counts the lines of squeue by campaign. name is that of parseRows.
func parseQueues(out, prefix string, of func(id, own string) string) (map[string]Queue, error) {
	queues := make(map[string]Queue)
	for line := range strings.Lines(out) {
		f := strings.SplitN(strings.TrimRight(line, " \n"), "|", 4)
		if len(f) != 4 {
			return nil, fmt.Errorf("squeue: line %q is not state|tasks|job|name", line)
		}
		state, tasks, name := f[0], f[1], of(f[2], f[3])
		if !strings.HasPrefix(name, prefix) {
			continue
		}
		q := queues[name]
		if state == "PD" {
			q.Pending += countTasks(tasks)
		} else {
			q.Running++
		}
		queues[name] = q
	}
	return queues, nil
}

// countTasks counts the tasks of an array in squeue's form, such as 1,4-9 or
// 2-8:3%5. Anything else counts as one.
func countTasks(list string) int {
	tasks, err := priority.ParseTasks(list)
	if err != nil {
		return 1
	}
	return tasks.Count()
}

// Cancel cancels all jobs of the campaigns of the given names.
func (s Slurm) Cancel(ctx context.Context, names []string) error {
	if ids := s.named.idsOf(names); len(ids) > 0 {
		if _, err := s.command(ctx, nil, "", "scancel", append([]string{"--quiet"}, ids...)...); err != nil {
			return err
		}
	}
	for _, name := range names {
		if _, err := s.command(ctx, nil, "", "scancel", "--quiet", "--name="+name); err != nil {
			return err
		}
	}
	return nil
}

package main

import (
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"time"
)

// A Request is a job of a recording: who submits it, when, and what it asks for.
type Request struct {
	At      time.Duration // since the start of the recording
	User    string
	Account string
	QOS     string
	Run     time.Duration // how long it sleeps
	Limit   time.Duration // in whole minutes
	Tasks   int           // of one processor each
	Nodes   int           // on which the tasks are spread evenly
	Feature string        // of the nodes; "" for any
	Memory  int           // MiB of each node; 0 leaves it to the partition
	GPUs    int           // of each node
}

// The nodes of a recording have recordedCPUs processors each. So many of them have a
// feature, as debian/record sets them up; two have GPUs, one much memory.
const recordedCPUs = 12

var featured = []struct {
	name  string
	nodes int
}{{"CPU-N", 4}, {"CPU-M", 3}}

// recordedUsers are the users of a recording, whose shares debian/record sets, and how
// often they submit, in parts of 10. The last one has a QOS with limits.
var recordedUsers = []struct {
	name, account, qos string
	weight             int
}{
	{"ob-alice", "astro", "normal", 3},
	{"ob-bob", "astro", "normal", 2},
	{"ob-carol", "astro", "normal", 1},
	{"ob-erin", "bio", "normal", 2},
	{"ob-frank", "bio", "limited", 2},
}

// limitedTasks is the most tasks of a job under the QOS with limits.
const limitedTasks = 24

// recordedTasks are the sizes of jobs and how often they come, in parts of 100.
var recordedTasks = []struct{ tasks, weight int }{{1, 25}, {2, 5}, {6, 18}, {12, 28}, {24, 10}, {36, 7}, {48, 4}, {72, 3}}

// Requests returns the jobs of a recording, by the time at which they are submitted. They
// come faster than the cluster can run them. A third ask for a feature, a tenth for
// a GPU or much memory, and a fourth for several nodes. They run for 40 s on average, and
// that times slower; so is the time between them.
func Requests(seed uint64, count, slower int) []Request {
	second := float64(time.Second) * float64(slower)
	random := rand.New(rand.NewPCG(seed, 0))
	var (
		list []Request
		at   time.Duration
	)
	for range count {
		r := Request{At: at.Truncate(time.Second), Nodes: 1}
		at += time.Duration(random.ExpFloat64() * 3.5 * second)
		n := random.IntN(10)
		for _, u := range recordedUsers {
			if n -= u.weight; n < 0 {
				r.User, r.Account, r.QOS = u.name, u.account, u.qos
				break
			}
		}
		n = random.IntN(100)
		for _, t := range recordedTasks {
			if n -= t.weight; n < 0 {
				r.Tasks = t.tasks
				break
			}
		}
		if r.QOS == "limited" {
			r.Tasks = min(r.Tasks, limitedTasks)
		}
		r.Nodes = max(1, r.Tasks/recordedCPUs)
		r.Run = time.Duration(min(2+random.ExpFloat64()*38, 240) * second).Truncate(time.Second)
		r.Limit = (time.Duration(float64(r.Run)*(1+3*random.Float64())) + time.Minute).Truncate(time.Minute)
		switch n = random.IntN(30); {
		case n < 10:
			if f := featured[n%2]; r.Nodes <= f.nodes {
				r.Feature = f.name
			}
		case n < 12 && r.Nodes == 1:
			r.GPUs = 1 + random.IntN(2)
		case n < 14 && r.Nodes == 1:
			r.Memory = 400000
		}
		list = append(list, r)
	}
	return list
}

// Arguments are the options of sbatch.
func (r Request) Arguments() string {
	options := []string{
		"--account=" + r.Account, "--qos=" + r.QOS, fmt.Sprintf("--time=%d", int(r.Limit.Minutes())),
		fmt.Sprintf("--ntasks=%d", r.Tasks), fmt.Sprintf("--ntasks-per-node=%d", r.Tasks/r.Nodes),
	}
	if r.Feature != "" {
		options = append(options, "--constraint="+r.Feature)
	}
	if r.Memory > 0 {
		options = append(options, fmt.Sprintf("--mem=%d", r.Memory))
	}
	if r.GPUs > 0 {
		options = append(options, fmt.Sprintf("--gres=gpu:%d", r.GPUs))
	}
	return strings.Join(options, " ")
}

// writeRequests prints a job a line: seconds, user, length in seconds, options of sbatch.
func writeRequests(out io.Writer, list []Request) error {
	for _, r := range list {
		if _, err := fmt.Fprintf(out, "%d\t%s\t%d\t%s\n", int(r.At.Seconds()), r.User, int(r.Run.Seconds()), r.Arguments()); err != nil {
			return err
		}
	}
	return nil
}

package slurmtest

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"slurm-ostrich/priority"
)

// Job is a record of slurmctld's. Only id is needed:
//
//	id user uid account partition qos name wckey comment cpus limit (minutes)
//	array task tasks          id of the array, and its task or tasks here
//	full                      the id in squeue, if not made from these: "40+1"
//	nodes without features licenses   what it asks for by name
//	on                        the nodes of a job that runs
//	submit start state        seconds after Epoch; a job that has started runs
//	held reason reservation dependency
//	end eligible suspended alloc assoc    of a row of sacct's, see [Sacct]
//	age assoc fairshare jobsize partfactor qosfactor site nice
//	pinned basic              a priority set by hand, or by priority/basic
//
// and what goes wrong with it:
//
//	refuse=WORDS   scontrol prints this and changes nothing
//	ignore         scontrol changes nothing
//	hang die       scontrol does, instead of changing it
//	ahead=SITE     scontrol writes this before it prints anything
//	restored=N     squeue's priority, put back by the backfill scheduler
//	decayed=N      the priority that sprio shows from its second run on
//
// In a file, "~" stands for a space and "\n" for a new line.
type Job map[string]string

var (
	decode = strings.NewReplacer("~", " ", `\n`, "\n")
	encode = strings.NewReplacer(" ", "~", "\n", `\n`)
)

// ParseJob reads words key=value.
func ParseJob(words []string) (Job, error) {
	j := make(Job)
	for _, w := range words {
		key, value, ok := strings.Cut(w, "=")
		if !ok {
			return nil, fmt.Errorf("%q: not key=value", w)
		}
		j[key] = decode.Replace(value)
	}
	return j, nil
}

// WriteQueue makes the jobs the queue of the Slurm in a folder.
func WriteQueue(dir string, queue []Job) error { return state{dir: dir}.save("queue", queue) }

// WriteAccounting makes the jobs the rows of sacct in a folder.
func WriteAccounting(dir string, rows []Job) error { return state{dir: dir}.save("accounting", rows) }

func (s state) queue() (queue []Job, err error) { return s.jobs("queue") }

func (s state) jobs(file string) (queue []Job, err error) {
	for line := range strings.Lines(s.text(file, "")) {
		j, bad := ParseJob(strings.Fields(line))
		queue, err = append(queue, j), errors.Join(err, bad)
	}
	return queue, err
}

// save writes the queue or the rows. A command that is killed meanwhile leaves the
// former ones.
func (s state) save(name string, queue []Job) error {
	var b strings.Builder
	for _, j := range queue {
		var words []string
		for _, key := range slices.Sorted(maps.Keys(j)) {
			words = append(words, key+"="+encode.Replace(j[key]))
		}
		b.WriteString(strings.Join(words, " ") + "\n")
	}
	file := s.file(name)
	return errors.Join(os.WriteFile(file+".new", []byte(b.String()), 0o600), os.Rename(file+".new", file))
}

// Number returns a numeric field, or 0.
func (j Job) Number(key string) int64 {
	n, err := strconv.ParseInt(j[key], 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// Or returns a field, or other if the job does not have it.
func (j Job) Or(key, other string) string {
	if v, ok := j[key]; ok {
		return v
	}
	return other
}

// Tasks lists the numbers of "1-3,7", "0-20:4" and "1-9%2", or none if it is no
// such set.
func Tasks(set string) (all []int) {
	tasks, err := priority.ParseTasks(set)
	for t := 0; err == nil && len(all) < tasks.Count(); t++ {
		if tasks.Has(t) {
			all = append(all, t)
		}
	}
	return all
}

// priority returns Slurm's priority: held, pinned, or computed.
func (j Job) priority() int64 {
	switch {
	case j["held"] != "":
		return 0
	case j["pinned"] != "":
		return j.Number("pinned")
	case j["basic"] != "":
		return j.Number("basic")
	}
	sum := j.Number("site") - j.Number("nice")
	for _, f := range []string{"age", "assoc", "fairshare", "jobsize", "partfactor", "qosfactor"} {
		sum += j.Number(f)
	}
	return max(1, sum)
}

// array returns the id of the job array, or else of the job.
func (j Job) array() string { return j.Or("array", j["id"]) }

// full returns the id as squeue shows it.
func (j Job) full() string {
	switch {
	case j["tasks"] != "":
		return j.array() + "_[" + j["tasks"] + "]"
	case j["task"] != "":
		return j.array() + "_" + j["task"]
	}
	return j.Or("full", j["id"])
}

func (j Job) state() string {
	if j["start"] != "" {
		return j.Or("state", "RUNNING")
	}
	return j.Or("state", "PENDING")
}

// listed reports whether sprio shows the job: it is pending, eligible and not held.
func (j Job) listed() bool {
	return j.state() == "PENDING" && j["held"] == "" && !slices.Contains([]string{"Dependency", "BeginTime"}, j["reason"])
}

// squeue replaces the fields of squeue's format.
func (j Job) squeue() *strings.Replacer {
	reason := "Priority"
	if j["held"] != "" {
		reason = "JobHeldAdmin"
	}
	return strings.NewReplacer(
		"%A", j["id"], "%F", j.array(), "%K", j.Or("tasks", j.Or("task", "N/A")), "%i", j.full(),
		"%u", j.Or("user", "ann"), "%U", j.Or("uid", "1000"), "%a", j.Or("account", "root"),
		"%P", j.Or("partition", "main"), "%q", j.Or("qos", "normal"),
		"%Q", j.Or("restored", strconv.FormatInt(j.priority(), 10)), "%y", j.Or("nice", "0"),
		"%T", j.state(), "%S", j.moment("start", "N/A"), "%V", strconv.FormatInt(Epoch+j.Number("submit"), 10),
		"%v", j.Or("reservation", "(null)"), "%E", j.Or("dependency", "(null)"), "%r", j.Or("reason", reason),
		"%C", j.Or("cpus", "1"), "%l", j.limit(), "%n", j["nodes"], "%x", j["without"], "%f", j.Or("features", "(null)"), "%W", j.Or("licenses", "(null)"),
		"%N", j["on"], "%w", j.Or("wckey", "(null)"), "%j", j.Or("name", "job"), "%k", j.Or("comment", "(null)"),
	)
}

// limit returns the time limit as squeue shows it.
func (j Job) limit() string {
	switch m := j.Number("limit"); {
	case m == 0:
		return j.Or("limit", "NOT_SET")
	case m < 60:
		return fmt.Sprintf("%d:00", m)
	case m < 24*60:
		return fmt.Sprintf("%d:%02d:00", m/60, m%60)
	default:
		return fmt.Sprintf("%d-%02d:%02d:00", m/24/60, m/60%24, m%60)
	}
}

// sprio replaces the fields of sprio's format, in its first run or in a later one.
func (j Job) sprio(again bool) *strings.Replacer {
	sum := j.priority()
	if again && j["decayed"] != "" {
		sum = j.Number("decayed")
	}
	normal, factors := fmt.Sprintf("%.14f", float64(sum)/(1<<32-1)), j
	if j["pinned"] != "" {
		normal, factors = strconv.FormatInt(sum, 10), nil
	}
	factor := func(key string) string { return factors.Or(key, "0") }
	return strings.NewReplacer(
		"%i", j["id"], "%Y", strconv.FormatInt(sum, 10), "%y", normal, "%A", factor("age"), "%B", factor("assoc"), "%F", factor("fairshare"),
		"%J", factor("jobsize"), "%P", factor("partfactor"), "%Q", factor("qosfactor"), "%S", factor("site"), "%N", factor("nice"), "%T", "",
	)
}

// named reports whether scontrol's name stands for this record. The id of an array
// stands for all of its records.
func (j Job) named(name string) bool {
	array, tasks, part := strings.Cut(name, "_")
	if !part {
		return name == j["id"] || name == j["array"]
	}
	return array == j.array() && slices.Equal(Tasks(strings.Trim(tasks, "[]")), Tasks(j.Or("tasks", j["task"])))
}

// change obeys scontrol. A priority takes the nice value, and a pinned job keeps
// without a word the one it has.
func (j Job) change(key, value string) {
	switch {
	case key == "release":
		delete(j, "pinned")
		delete(j, "held")
	case key == "priority":
		j["pinned"], j["nice"] = value, "0"
	case key == "sitefactor":
		j["site"] = value
	case key == "nice" && j["pinned"] == "":
		j["nice"] = value
	}
}

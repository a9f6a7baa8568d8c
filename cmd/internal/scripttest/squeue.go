package scripttest

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// squeue returns the queue as squeue shows it: until 22.05, record by record with
// --array-unique, which later releases refuse; with --array, task by task;
// without either, with one line for an array's waiting tasks, those with records
// of their own included.
func (s slurm) squeue(q queue, args []string) (queue, error) {
	unique := slices.Contains(args, "--array-unique")
	switch {
	case unique && !s.before(23, 2):
		return nil, errors.New("squeue: unrecognized option '--array-unique'\nTry \"squeue --help\" for more information")
	case unique:
		return q, nil
	case slices.Contains(args, "--array"):
		return q.byTask(), nil
	default:
		return q.grouped(), nil
	}
}

// before reports whether Slurm is older than a release.
func (s slurm) before(major, minor int) bool {
	version := ""
	for line := range strings.Lines(configuration + s.text("config", "")) {
		if key, value, _ := strings.Cut(line, "="); strings.TrimSpace(key) == "SLURM_VERSION" {
			version = strings.TrimSpace(value)
		}
	}
	var is [2]int
	for i, part := range strings.SplitN(version, ".", 3) {
		if n, err := strconv.Atoi(part); err == nil && i < len(is) {
			is[i] = n
		}
	}
	return is[0] < major || is[0] == major && is[1] < minor
}

// pendingSet reports whether the record is a set of waiting tasks.
func (e entry) pendingSet() bool { return e["tasks"] != "" && e.state() == "PENDING" }

// byTask returns a line for each task. Like Slurm, it forgets the last of a
// stride.
func (q queue) byTask() (lines queue) {
	for _, e := range q {
		if !e.pendingSet() {
			lines = append(lines, e)
			continue
		}
		all := expand(e["tasks"])
		if strings.Contains(e["tasks"], ":") {
			all = all[:len(all)-1]
		}
		for _, n := range all {
			one := maps.Clone(e)
			delete(one, "tasks")
			one["array"], one["task"] = e.array(), strconv.Itoa(n)
			lines = append(lines, one)
		}
	}
	return lines
}

// grouped returns one line for all waiting tasks of an array.
func (q queue) grouped() (lines queue) {
	in := make(map[string]bool) // arrays that have a set
	for _, e := range q {
		in[e.array()] = in[e.array()] || e.pendingSet()
	}
	for _, e := range q {
		apart := func(other entry) bool {
			return other["task"] != "" && other.array() == e.array() && other.state() == "PENDING"
		}
		switch {
		case e.pendingSet() && slices.ContainsFunc(q, apart):
			all := expand(e["tasks"])
			for _, other := range q {
				if apart(other) {
					all = append(all, expand(other["task"])...)
				}
			}
			e = maps.Clone(e)
			e["tasks"] = runs(all)
		case apart(e) && in[e.array()]:
			continue
		}
		lines = append(lines, e)
	}
	return lines
}

// expand lists the numbers of "1-3,7", "0-20:4" and "1-9%2".
func expand(set string) []int {
	var all []int
	set, _, _ = strings.Cut(set, "%")
	for part := range strings.SplitSeq(set, ",") {
		span, by, stepped := strings.Cut(part, ":")
		from, to, _ := strings.Cut(span, "-")
		first, err := strconv.Atoi(from)
		last, bad := strconv.Atoi(to)
		if bad != nil {
			last = first
		}
		step := 1
		if n, bad := strconv.Atoi(by); stepped && bad == nil && n > 0 {
			step = n
		}
		for i := first; err == nil && i <= last; i += step {
			all = append(all, i)
		}
	}
	return all
}

// runs formats numbers as "1-3,7".
func runs(all []int) string {
	slices.Sort(all)
	var parts []string
	for i := 0; i < len(all); i++ {
		first := all[i]
		for i+1 < len(all) && all[i+1] == all[i]+1 {
			i++
		}
		if all[i] == first {
			parts = append(parts, strconv.Itoa(first))
		} else {
			parts = append(parts, fmt.Sprintf("%d-%d", first, all[i]))
		}
	}
	return strings.Join(parts, ",")
}

// is reports whether scontrol's name of a job or of tasks names this record.
func (e entry) is(name string) bool {
	array, tasks, several := strings.Cut(strings.TrimSuffix(name, "]"), "_[")
	return name == e["id"] || name == e.full() ||
		several && array == e.array() && slices.Equal(expand(tasks), expand(e.or("tasks", e["task"])))
}

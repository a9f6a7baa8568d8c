package slurmtest

import (
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"

	"slurm-ostrich/priority"
)

// squeue shows the queue: until 22.05, record by record with --array-unique, which
// later releases refuse; with --array, task by task; without either, with one line
// for an array's waiting tasks, those with records of their own included. -j names jobs,
// arrays or tasks.
func (s state) squeue(args []string) error {
	q, err := s.queue()
	if err != nil {
		return err
	}
	unique := slices.Contains(args, "--array-unique")
	switch {
	case unique && s.config("SLURM_VERSION") >= "23.02":
		return errors.New("squeue: unrecognized option '--array-unique'\nTry \"squeue --help\" for more information")
	case unique:
	case slices.Contains(args, "--array"):
		q = byTask(q)
	default:
		q = grouped(q)
	}
	states, ids := strings.Split(option(args, "-t"), ","), strings.Split(option(args, "-j"), ",")
	known := ids[0] == ""
	s.header(args)
	for _, j := range q {
		one := slices.ContainsFunc(ids, func(id string) bool { return id == j["id"] || id == j.array() || id == j.array()+"_"+j["task"] })
		if ids[0] != "" && !one {
			continue
		}
		known = true
		if states[0] == "all" || states[0] == "" || slices.Contains(states, j.state()) {
			s.print(j.squeue().Replace(option(args, "-o")), "\n")
		}
	}
	if !known {
		return errors.New("slurm_load_jobs error: Invalid job id specified")
	}
	return nil
}

// pendingSet reports whether the record is a set of waiting tasks.
func (j Job) pendingSet() bool { return j["tasks"] != "" && j.state() == "PENDING" }

// byTask returns a line for each task. Like Slurm, it forgets the last of a
// stride.
func byTask(queue []Job) (lines []Job) {
	for _, j := range queue {
		if !j.pendingSet() {
			lines = append(lines, j)
			continue
		}
		all := Tasks(j["tasks"])
		if strings.Contains(j["tasks"], ":") {
			all = all[:len(all)-1]
		}
		for _, n := range all {
			one := maps.Clone(j)
			delete(one, "tasks")
			one["array"], one["task"] = j.array(), strconv.Itoa(n)
			lines = append(lines, one)
		}
	}
	return lines
}

// grouped returns one line for all waiting tasks of an array, but for those with
// another name.
func grouped(queue []Job) (lines []Job) {
	took := func(set, task Job) bool {
		return set.pendingSet() && task["task"] != "" && task.state() == "PENDING" && task.array() == set.array() && task["name"] == set["name"]
	}
	for _, j := range queue {
		if slices.ContainsFunc(queue, func(set Job) bool { return took(set, j) }) {
			continue
		}
		all := Tasks(j["tasks"])
		own := len(all)
		for _, other := range queue {
			if took(j, other) {
				all = append(all, Tasks(other["task"])...)
			}
		}
		if len(all) > own {
			slices.Sort(all)
			j = maps.Clone(j)
			j["tasks"] = priority.FormatRanges(all)
		}
		lines = append(lines, j)
	}
	return lines
}

package slurmtest

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Sacct returns what sacct prints of rows. It knows the options --helpformat, --jobs, --state,
// --starttime (uts), --delimiter, --noheader and --format.
//
// As Slurm does, it takes the rows of a state if they had it in the time asked for, and
// a waiting row only if it is eligible and became so in that time. By the id of an
// array it takes all of its tasks.
func Sacct(rows []Job, args []string) string {
	if slices.Contains(args, "--helpformat") { // of a release before 26.05
		return strings.Join(slices.Sorted(maps.Keys(Job{}.sacct())), " ") + "\n"
	}
	var b strings.Builder
	columns := strings.Split(option(args, "--format"), ",")
	mark := cmp.Or(option(args, "--delimiter"), "|")
	if !slices.Contains(args, "--noheader") {
		b.WriteString(strings.Join(columns, mark) + "\n")
	}
	since, _ := strconv.ParseInt(strings.TrimPrefix(option(args, "--starttime"), "uts"), 10, 64)
	states, ids := option(args, "--state"), option(args, "--jobs")
	for _, j := range rows {
		if ids != "" && !j.among(strings.Split(ids, ",")) || !j.within(since-Epoch, states) {
			continue
		}
		fields, all := make([]string, len(columns)), j.sacct()
		for i, c := range columns {
			column := strings.ToLower(c)
			fields[i] = cmp.Or(all[column], j[column])
		}
		b.WriteString(strings.Join(fields, mark) + "\n")
	}
	return b.String()
}

// among reports whether ids that sacct is asked for stand for the row.
func (j Job) among(ids []string) bool {
	return slices.ContainsFunc(ids, func(id string) bool { return id == j["id"] || id == j["array"] || id == j.full() })
}

// within reports whether the row had one of the states at a time or later.
func (j Job) within(since int64, states string) bool {
	switch {
	case j["end"] != "":
		return j.Number("end") >= since && (states == "" || strings.Contains(states, "CD"))
	case states == "":
		return true
	case j["start"] != "":
		return j.Number("start") >= since && strings.Contains(states, "R,S")
	default:
		return j["held"] == "" && j.Number(j.or("eligible", "submit")) >= since && strings.Contains(states, "PD")
	}
}

// or returns the first key that the row has, or the second one.
func (j Job) or(key, other string) string {
	if j[key] != "" {
		return key
	}
	return other
}

// moment returns a time of the row, or what Slurm prints for none.
func (j Job) moment(key, none string) string {
	switch {
	case j[key] == "":
		return none
	case j.Number(key) == -Epoch: // 0 in the tables
		return "Unknown"
	}
	return strconv.FormatInt(Epoch+j.Number(key), 10)
}

func (j Job) sacct() map[string]string {
	cpus, suspended := j.Or("cpus", "1"), j.Number("suspended")
	eligible, allocated, state := j.moment(j.or("eligible", "submit"), strconv.Itoa(Epoch)), "", j.state()
	if j["held"] != "" {
		eligible = "Unknown"
	}
	if j["start"] != "" {
		allocated = tres(j.Or("alloc", cpus))
	}
	if j["end"] != "" {
		state = j.Or("state", "COMPLETED")
	}
	return map[string]string{
		"jobidraw":     j["id"],
		"jobid":        j.full(),
		"jobname":      j.Or("name", "job"+j["id"]),
		"cluster":      "c1",
		"user":         j.Or("user", "ann"),
		"uid":          j.Or("uid", "1000"),
		"account":      j.Or("account", "root"),
		"associd":      j.Or("assoc", j.Or("uid", "1000")),
		"partition":    j.Or("partition", "main"),
		"qos":          j.Or("qos", "normal"),
		"qosraw":       j.Or("qosraw", "1"),
		"state":        state,
		"submit":       j.moment("submit", strconv.Itoa(Epoch)),
		"eligible":     eligible,
		"start":        j.moment(j.or("start", "end"), "Unknown"),
		"end":          j.moment("end", "Unknown"),
		"suspended":    fmt.Sprintf("%02d:%02d:%02d", suspended/3600, suspended/60%60, suspended%60),
		"elapsedraw":   strconv.FormatInt(j.Number("end")-j.Number(j.or("start", "end"))-suspended, 10),
		"timelimitraw": j.Or("limit", "Partition_Limit"),
		"reqcpus":      cpus,
		"reqtres":      tres(cpus),
		"alloctres":    allocated,
	}
}

func tres(cpus string) string { return "billing=" + cpus + ",cpu=" + cpus + ",mem=1000M,node=1" }

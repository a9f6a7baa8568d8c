package slurmtest

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Sacct returns what sacct prints of rows. It knows the options --jobs, --state,
// --starttime (uts), --delimiter, --noheader and --format.
//
// As Slurm does, it takes the rows of a state if they had it in the time asked for, and
// a waiting row only if it is eligible and became so in that time. By the id of an
// array it takes all of its tasks.
func Sacct(rows []Job, args []string) string {
	var b strings.Builder
	columns := strings.Split(option(args, "--format"), ",")
	mark := option(args, "--delimiter")
	if mark == "" {
		mark = "|"
	}
	if !slices.Contains(args, "--noheader") {
		b.WriteString(strings.Join(columns, mark) + "\n")
	}
	since, _ := strconv.ParseInt(strings.TrimPrefix(option(args, "--starttime"), "uts"), 10, 64)
	states, ids := option(args, "--state"), option(args, "--jobs")
	for _, j := range rows {
		if ids != "" && !j.among(strings.Split(ids, ",")) || !j.within(since-Epoch, states) {
			continue
		}
		fields := make([]string, len(columns))
		for i, c := range columns {
			fields[i] = j.sacct(strings.ToLower(c))
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

// sacct returns a column.
func (j Job) sacct(column string) string {
	cpus := j.Or("cpus", "1")
	switch column {
	case "jobidraw":
		return j["id"]
	case "jobid":
		return j.full()
	case "cluster":
		return "c1"
	case "associd":
		return j.Or("assoc", j.Or("uid", "1000"))
	case "qosraw":
		return j.Or("qosraw", "1")
	case "submit":
		return j.moment("submit", strconv.Itoa(Epoch))
	case "eligible":
		if j["held"] != "" {
			return "Unknown"
		}
		return j.moment(j.or("eligible", "submit"), strconv.Itoa(Epoch))
	case "start":
		return j.moment(j.or("start", "end"), "Unknown")
	case "end":
		return j.moment("end", "Unknown")
	case "suspended":
		s := j.Number("suspended")
		return fmt.Sprintf("%02d:%02d:%02d", s/3600, s/60%60, s%60)
	case "elapsedraw":
		return strconv.FormatInt(j.Number("end")-j.Number(j.or("start", "end"))-j.Number("suspended"), 10)
	case "timelimitraw":
		return j.Or("limit", "Partition_Limit")
	case "reqcpus":
		return cpus
	case "reqtres":
		return "billing=" + cpus + ",cpu=" + cpus + ",mem=1000M,node=1"
	case "alloctres":
		if j["start"] == "" {
			return ""
		}
		held := j.Or("alloc", cpus)
		return "billing=" + held + ",cpu=" + held + ",mem=1000M,node=1"
	case "state":
		if j["end"] != "" {
			return j.Or("state", "COMPLETED")
		}
		return j.state()
	case "jobname":
		return j.Or("name", "job"+j["id"])
	}
	return j.Or(column, map[string]string{"user": "ann", "uid": "1000", "account": "root", "partition": "main", "qos": "normal"}[column])
}

package sacct

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting"
)

// limitColumn is a column of sacctmgr's with a limit: of TRES, or of a number of jobs.
type limitColumn struct {
	names []string
	scope accounting.Scope
	jobs  bool
}

// Columns of sacctmgr show associations, whose Max limits of an account are the defaults of those
// below it, and of show qos.
var (
	groupColumns = []limitColumn{
		{[]string{"GrpTRES"}, accounting.ByGroup, false},
		{[]string{"GrpJobs"}, accounting.ByGroup, true},
	}
	jobColumns = []limitColumn{
		{[]string{"MaxTRES", "MaxTRESPerJob", "MaxTRESPJ"}, accounting.ByJob, false},
		{[]string{"MaxTRESPerNode", "MaxTRESPN"}, accounting.ByJobNode, false},
	}
	userColumns = []limitColumn{{[]string{"MaxJobs"}, accounting.ByUser, true}}
	qosColumns  = []limitColumn{
		{[]string{"MaxTRESPU", "MaxTRESPerUser"}, accounting.ByUser, false},
		{[]string{"MaxJobsPU", "MaxJobsPerUser"}, accounting.ByUser, true},
		{[]string{"MaxTRESPA", "MaxTRESPerAccount"}, accounting.ByAccount, false},
		{[]string{"MaxJobsPA", "MaxJobsPerAccount"}, accounting.ByAccount, true},
	}
)

// otherLimits are those that are noted only.
var otherLimits = []string{
	"GrpTRESMins", "GrpTRESRunMins", "GrpWall", "MaxTRESMins", "MaxTRESRunMinsPU", "MaxTRESRunMinsPA", "UsageThres", "MinTRES",
	"GrpJobsAccrue", "MaxJobsAccrue", "MaxJobsAccruePU", "MaxJobsAccruePA", "LimitFactor",
}

// qosFlags are the flags of QOS by the names that sacctmgr has for them.
var qosFlags = map[string]accounting.QOSFlags{
	"PartitionMinNodes": accounting.PartitionMinNodes, "PartitionMaxNodes": accounting.PartitionMaxNodes, "PartitionTimeLimit": accounting.PartitionTimeLimit,
	"NoReserve": accounting.NoReserve, "OverPartQOS": accounting.OverPartQOS, "Relative": accounting.Relative,
}

// limits reads those of a row of associations.
func (t *table) limits(account bool) (accounting.Limits, error) {
	if account {
		return t.limitsOf(groupColumns)
	}
	return t.limitsOf(groupColumns, jobColumns, userColumns)
}

// qosLimits reads what a row of QOS says of limits and of preemption.
func (t *table) qosLimits(q *accounting.QOS) (err error) {
	if q.Limits, err = t.limitsOf(groupColumns, jobColumns, qosColumns); err != nil {
		return err
	}
	q.PreemptMode = strings.ToUpper(t.text("PreemptMode"))
	if q.PreemptMode == "CLUSTER" {
		q.PreemptMode = ""
	}
	for name := range strings.SplitSeq(t.text("Flags"), ",") {
		q.Flags |= qosFlags[name]
	}
	if q.Grace, err = t.span("GraceTime"); err != nil {
		return err
	}
	q.Exempt, err = t.span("PreemptExemptTime")
	return err
}

func (t *table) limitsOf(all ...[]limitColumn) (accounting.Limits, error) {
	var l accounting.Limits
	for _, columns := range all {
		for _, c := range columns {
			text := t.text(c.names...)
			switch {
			case text == "":
				continue
			case c.jobs:
				n, err := strconv.ParseUint(text, 10, 32)
				if err != nil {
					return l, t.fault("%s %q: not a number", c.names[0], text)
				}
				l.List = append(l.List, accounting.Limit{Scope: c.scope, Resource: "jobs", Most: int64(n)})
				continue
			}
			more, err := ReadTRES(text)
			if err != nil {
				return l, t.fault("%s %q: %v", c.names[0], text, err)
			}
			for _, x := range more {
				l.List = append(l.List, accounting.Limit{Scope: c.scope, Resource: x.Name, Most: x.Count})
			}
		}
	}
	var err error
	if l.MaxWall, err = t.span("MaxWall", "MaxWallDurationPerJob"); err != nil {
		return l, err
	}
	for _, name := range otherLimits {
		if text := t.text(name); text != "" && strings.Trim(text, "0.") != "" {
			l.Other = append(l.Other, name)
		}
	}
	return l, nil
}

// span reads a length of time; 0 if there is none.
func (t *table) span(names ...string) (ostrich.Duration, error) {
	text := t.text(names...)
	if text == "" || strings.EqualFold(text, "UNLIMITED") {
		return 0, nil
	}
	d, err := parseElapsed([]byte(text))
	if err != nil {
		return 0, t.fault("%s %q: %v", names[0], text, err)
	}
	return d, nil
}

// Count is a number of a TRES.
type Count struct {
	Name  string // as Slurm writes it: "cpu", "gres/gpu:a100"
	Count int64  // of memory: MiB
}

// ReadTRES reads a list of TRES such as "cpu=36,gres/gpu=4,mem=100G", as sacctmgr shows limits.
func ReadTRES(text string) ([]Count, error) {
	var all []Count
	for item := range strings.SplitSeq(text, ",") {
		name, count, is := strings.Cut(item, "=")
		if item == "" {
			continue
		}
		if !is {
			return nil, fmt.Errorf("%q: not NAME=COUNT", item)
		}
		if err := accounting.KnownTRES(name); err != nil {
			return nil, err
		}
		n, ok := amount([]byte(count), name == "mem")
		if !ok || n > math.MaxInt32*1024 || bytes.ContainsRune([]byte(count), '.') {
			return nil, fmt.Errorf("%q: not a number of it", item)
		}
		all = append(all, Count{name, int64(n)})
	}
	return all, nil
}

package slurmdb

import (
	"cmp"
	"context"
	"database/sql/driver"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting"
)

// limitColumn is a column with a limit: of TRES, or of a number of jobs.
type limitColumn struct {
	name  string
	scope accounting.Scope
	jobs  bool
}

// The columns with limits of the associations and of the QOS. The Max limits of an account are
// the defaults of those below it.
var (
	groupLimits = []limitColumn{{"grp_tres", accounting.ByGroup, false}, {"grp_jobs", accounting.ByGroup, true}}
	jobLimits   = []limitColumn{{"max_tres_pj", accounting.ByJob, false}, {"max_tres_pn", accounting.ByJobNode, false}}
	ownLimits   = []limitColumn{{"max_jobs", accounting.ByUser, true}}
	qosLimits   = []limitColumn{
		{"max_tres_pu", accounting.ByUser, false},
		{"max_jobs_per_user", accounting.ByUser, true},
		{"max_tres_pa", accounting.ByAccount, false},
		{"max_jobs_pa", accounting.ByAccount, true},
	}
	wallColumns = []string{"max_wall_pj", "max_wall_duration_per_job"} // minutes; of associations, of QOS

	// otherLimits are noted only, by the names that sacctmgr gives them.
	otherLimits = [][2]string{
		{"grp_tres_mins", "GrpTRESMins"},
		{"grp_tres_run_mins", "GrpTRESRunMins"},
		{"grp_wall", "GrpWall"},
		{"max_tres_mins_pj", "MaxTRESMins"},
		{"max_tres_run_mins_pu", "MaxTRESRunMinsPU"},
		{"max_tres_run_mins_pa", "MaxTRESRunMinsPA"},
		{"usage_thres", "UsageThres"},
		{"min_tres_pj", "MinTRES"},
		{"grp_jobs_accrue", "GrpJobsAccrue"},
		{"max_jobs_accrue", "MaxJobsAccrue"},
		{"max_jobs_accrue_pu", "MaxJobsAccruePU"},
		{"max_jobs_accrue_pa", "MaxJobsAccruePA"},
		{"limit_factor", "LimitFactor"},
	}
)

// record is a row as texts, by its columns; "" for NULL and for columns that the table lacks.
type record map[string]string

// records reads columns of a table, as far as it has them, and calls row for each row.
func (r *Reader) records(ctx context.Context, table, where string, columns []string, row func(record) error) error {
	have := r.schema.columns[table]
	columns = slices.DeleteFunc(slices.Compact(slices.Sorted(slices.Values(columns))), func(c string) bool { return !have[c] })
	var texts []string
	for _, c := range columns {
		texts = append(texts, "COALESCE(CAST("+quote(c)+" AS CHAR), '')")
	}
	name := quote(table)
	if table == "assoc_table" {
		name = r.schema.table(table)
	}
	var bad error
	err := r.db.each(ctx, "SELECT "+strings.Join(texts, ", ")+" FROM "+name+" WHERE "+where, func(v []driver.Value) {
		one := make(record, len(columns))
		for i, c := range columns {
			one[c] = string(text(v[i]))
		}
		if bad == nil {
			bad = row(one)
		}
	})
	if err == nil {
		err = bad
	}
	return err
}

func limitNames() []string {
	names := slices.Clone(wallColumns)
	for _, c := range slices.Concat(groupLimits, jobLimits, ownLimits, qosLimits) {
		names = append(names, c.name)
	}
	for _, o := range otherLimits {
		names = append(names, o[0])
	}
	return names
}

func (r *Reader) limits(of record, columns ...[]limitColumn) (l accounting.Limits, err error) {
	for _, c := range slices.Concat(columns...) {
		text := of[c.name]
		if c.jobs && text != "" {
			n, bad := strconv.ParseUint(text, 10, 32)
			if bad != nil {
				return l, fmt.Errorf("%s %q: not a number", c.name, shorten(text))
			}
			l.List = append(l.List, accounting.Limit{Scope: c.scope, Resource: "jobs", Most: int64(n)})
			continue
		}
		for _, x := range strings.FieldsFunc(text, func(c rune) bool { return c == ',' }) {
			id, count, _ := strings.Cut(x, "=")
			number, bad := strconv.ParseUint(id, 10, 32)
			most, worse := strconv.ParseUint(count, 10, 64)
			if bad != nil || worse != nil {
				return l, fmt.Errorf("%s: %w: %q", c.name, errTRES, shorten(text))
			}
			name, is := r.parser.needs.resources[number]
			if most > accounting.MaxProcs<<10 || !is { // INFINITE64, or a resource that is gone
				continue
			}
			l.List = append(l.List, accounting.Limit{Scope: c.scope, Resource: name, Most: int64(most)})
		}
	}
	for _, name := range wallColumns {
		if minutes, bad := strconv.ParseUint(of[name], 10, 31); bad == nil {
			l.MaxWall = 60 * ostrich.Duration(minutes)
		}
	}
	for _, o := range otherLimits {
		if strings.Trim(of[o[0]], "0.") != "" {
			l.Other = append(l.Other, o[1])
		}
	}
	return l, nil
}

// Limits reads the limits of the associations that are not deleted, by their numbers. Those that a
// user's association does not have are those of the accounts above (get_parent_limits in Slurm's
// accounting_storage_mysql.c): of each TRES the nearest. prioritized reports whether the table has their priorities.
func (r *Reader) Limits(ctx context.Context) (limits map[uint32]accounting.Limits, prioritized bool, err error) {
	all, accounts := []record{}, make(map[string]record)
	err = r.records(ctx, "assoc_table", "deleted = 0", append(limitNames(), "id_assoc", "acct", "user", "parent_acct", "priority"), func(of record) error {
		all = append(all, of)
		if of["user"] == "" {
			accounts[of["acct"]] = of
		}
		return nil
	})
	limits = make(map[uint32]accounting.Limits, len(all))
	for _, of := range all {
		if err != nil {
			break
		}
		id, _ := strconv.ParseUint(of["id_assoc"], 10, 32)
		columns := [][]limitColumn{groupLimits}
		if of["user"] != "" {
			above := accounts[of["acct"]]
			for range len(accounts) { // as a cycle would be longer
				if above == nil {
					break
				}
				inherit(of, above)
				above = accounts[above["parent_acct"]]
			}
			columns = append(columns, jobLimits, ownLimits)
		}
		l, bad := r.limits(of, columns...)
		if bad != nil {
			err = fmt.Errorf("association %d: %w", id, bad)
		}
		if of["user"] == "" {
			l.MaxWall = 0 // it is for those below
		}
		l.Priority, _ = strconv.ParseInt(of["priority"], 10, 64) // NULL is none
		limits[uint32(id)] = l
	}
	if err != nil {
		return nil, false, r.failed("limits", err)
	}
	return limits, r.schema.columns["assoc_table"]["priority"], nil
}

// inherit gives an association those limits of an account above it that it does not have.
func inherit(of, above record) {
	for _, name := range []string{"max_jobs", "max_wall_pj", "priority"} {
		of[name] = cmp.Or(of[name], above[name])
	}
	for _, c := range jobLimits {
		have := of[c.name]
		for x := range strings.SplitSeq(above[c.name], ",") {
			id, _, _ := strings.Cut(x, "=")
			if x != "" && !strings.Contains(","+have, ","+id+"=") {
				of[c.name] = strings.Trim(of[c.name]+","+x, ",")
			}
		}
	}
}

// The preemption modes of a QOS (PREEMPT_MODE_ in slurm/slurm.h).
var preemptModes = map[uint64]string{1: "SUSPEND", 2: "REQUEUE", 8: "CANCEL", 16: "OFF"}

// QOS reads the QOS that are not deleted, with those that each may preempt, and with limits if the
// configuration asks for them.
func (r *Reader) QOS(ctx context.Context) (all []accounting.QOS, err error) {
	known := r.schema.columns["qos_table"]["preempt"]
	columns := []string{"id", "name", "priority", "usage_factor", "preempt"}
	if r.config.Limits {
		columns = append(append(columns, "preempt_mode", "preempt_exempt_time", "grace_time", "flags"), limitNames()...)
	}
	names, numbers := make(map[uint32]string), []string{}
	err = r.records(ctx, "qos_table", "deleted = 0 ORDER BY id", columns, func(of record) (err error) {
		number := func(column string) uint64 {
			n, bad := strconv.ParseUint(cmp.Or(of[column], "0"), 10, 64)
			if bad != nil && err == nil {
				err = fmt.Errorf("%s of %s: %q: not a number", column, of["name"], shorten(of[column]))
			}
			return n
		}
		span := func(column string) ostrich.Duration {
			if n := number(column); n < accounting.NoVal {
				return ostrich.Duration(n)
			}
			return 0
		}
		q := accounting.QOS{
			Name: of["name"], Priority: int64(number("priority")), PreemptKnown: known, PreemptMode: preemptModes[number("preempt_mode")&^(1<<14|1<<15)],
			Exempt: span("preempt_exempt_time"), Grace: span("grace_time"), Flags: accounting.QOSFlags(number("flags")),
		}
		var bad error
		if q.UsageFactor, bad = strconv.ParseFloat(of["usage_factor"], 64); bad != nil && err == nil {
			err = fmt.Errorf("usage_factor of %s: %q: not a number", q.Name, shorten(of["usage_factor"]))
		}
		if r.config.Limits && err == nil {
			if q.Limits, err = r.limits(of, groupLimits, jobLimits, qosLimits); err != nil {
				err = fmt.Errorf("QOS %s: %w", q.Name, err)
			}
		}
		all, names[uint32(number("id"))], numbers = append(all, q), q.Name, append(numbers, of["preempt"])
		return err
	})
	for i := range all {
		if err == nil {
			if all[i].Preempts, err = preempts(numbers[i], names); err != nil {
				err = fmt.Errorf("preempt of %s: %w", all[i].Name, err)
			}
		}
	}
	if err != nil {
		return nil, r.failed("QOS", err)
	}
	return all, nil
}

// preempts returns the names of the QOS that a text of numbers lists, such as ",2,5,", which is
// how Slurm writes a set of them (bit_unfmt reads it, so that "2-5" would be a range).
func preempts(numbers string, names map[uint32]string) (all []string, err error) {
	for word := range strings.SplitSeq(numbers, ",") {
		if word == "" {
			continue
		}
		from, to, ranged := strings.Cut(word, "-")
		first, err := strconv.ParseUint(from, 10, 16)
		last := first
		if ranged && err == nil {
			last, err = strconv.ParseUint(to, 10, 16)
		}
		if err != nil {
			return nil, fmt.Errorf("%q: not numbers of QOS", shorten(numbers))
		}
		for id := first; id <= last; id++ {
			if name, there := names[uint32(id)]; there {
				all = append(all, name)
			}
		}
	}
	return all, nil
}

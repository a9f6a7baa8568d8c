package sacct

import (
	"bytes"
	"math"
	"strconv"

	"slurm-ostrich/ostrich/accounting"
	"slurm-ostrich/ostrich/scalar"
)

// Columns that sacct does not have, for traces of other clusters. A dump that has
// colInterval has the others in place of sacct's: a line is a job that ran, in order of submission.
const (
	intervalColumn = "interval" // seconds from the submission of the line before
	gpusColumn     = "gpus"     // of the job
	walltimeColumn = "walltime" // time limit in seconds; 0: not known
)

// plainStates are the states of such traces that Slurm calls otherwise.
var plainStates = map[string]string{"PASS": "COMPLETED", "KILLED": "CANCELLED"}

// plain reports whether the lines are those of a trace without sacct's times.
func (l *layout) plain() bool { return l != nil && l.at[colInterval] >= 0 }

// plainly gives a line of a trace the columns of sacct's. Without a start of its own a job starts
// when it is submitted, see accounting.History.Unstarted. Without processors it has one for each GPU.
func (d *dump) plainly() error {
	v := &d.values
	seconds := func(c column) (int64, error) {
		n, _, ok := scalar.Amount(v[c])
		if len(v[c]) == 0 {
			ok = true
		}
		if !ok || n > 1<<40 {
			return 0, d.bad(c, "not a number of seconds")
		}
		return int64(math.Ceil(n)), nil
	}
	gap, err := seconds(colInterval)
	if err != nil {
		return err
	}
	ran, err := seconds(colElapsedRaw)
	if err != nil {
		return err
	}
	limit, err := seconds(colWalltime)
	if err != nil {
		return err
	}
	counts := [...]int64{0, 0, 0}
	for i, c := range []column{colProcs, colGPUs, colAskedNodes} {
		n, ok := scalar.Count(string(v[c]), maxProcs)
		if !ok && len(v[c]) > 0 {
			return d.bad(c, "not a count")
		}
		counts[i] = n
	}
	d.clock += gap
	if d.rows++; len(v[colID]) == 0 {
		v[colID] = strconv.AppendInt(nil, int64(d.rows), 10)
	}
	cpus, gpus, nodes := counts[0], counts[1], counts[2]
	if cpus == 0 {
		cpus = max(1, gpus)
		d.unsaid++
		v[colProcs] = strconv.AppendInt(nil, cpus, 10)
	}
	tres := strconv.AppendInt([]byte("cpu="), cpus, 10)
	if gpus > 0 {
		tres = strconv.AppendInt(append(tres, ",gres/gpu="...), gpus, 10)
	}
	if nodes > 0 {
		tres = strconv.AppendInt(append(tres, ",node="...), nodes, 10)
	}
	v[colReqTRES], v[colAllocTRES], v[colAskedNodes] = tres, tres, nil
	start := d.clock + 1 // 0 is no time
	v[colSubmit] = strconv.AppendInt(nil, start, 10)
	v[colStart], v[colEligible] = v[colSubmit], v[colSubmit]
	v[colEnd], v[colElapsedRaw] = strconv.AppendInt(nil, start+max(1, ran), 10), strconv.AppendInt(nil, max(1, ran), 10)
	if limit > 0 {
		v[colLimitRaw] = strconv.AppendInt(nil, (limit+59)/60, 10)
	}
	state := bytes.ToUpper(v[colState])
	if slurms, is := plainStates[string(state)]; is {
		state = []byte(slurms)
	}
	v[colState] = state
	return nil
}

// titles reports whether a line is that of the names in front of a trace whose columns the
// options name: none of its fields is a number.
func (d *dump) titles() bool {
	if !d.header.plain() || d.jobs.Len() > 0 || len(d.fields) != d.header.count {
		return false
	}
	for _, f := range d.fields {
		if _, _, number := scalar.Amount(bytes.TrimSpace(f)); number {
			return false
		}
	}
	return true
}

// unstarted marks a history whose starts are not known.
func (d *dump) unstarted(h *accounting.History) *accounting.History {
	h.Unstarted = d.header.plain()
	return h
}

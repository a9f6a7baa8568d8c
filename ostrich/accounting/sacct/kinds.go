package sacct

import (
	"bytes"
	"math"
	"path"
	"slices"
	"strings"
	"time"

	"slurm-ostrich/ostrich/accounting"
)

// kind says what the cells of a column look like. nil is any text, which may hold the
// delimiter and new lines.
type kind func(cell []byte) bool

// kinds are those of the columns that are no text, by their names in lower case.
var kinds = func() map[string]kind {
	all := map[string]kind{
		"jobid": isID, "jobidraw": isID,
		"submit": isMoment, "eligible": isMoment, "start": isMoment, "end": isMoment, "planned": isLength,
		"elapsed": isLength, "elapsedraw": isNumber, "suspended": isLength, "timelimit": isLimit, "timelimitraw": isLimit,
		"cputime": isLength, "cputimeraw": isNumber, "totalcpu": isLength, "systemcpu": isLength, "usercpu": isLength,
		"state": isState, "exitcode": isExit, "derivedexitcode": isExit,
		"nnodes": isNumber, "ncpus": isNumber, "alloccpus": isNumber, "reqcpus": isNumber, "allocnodes": isNumber, "reqnodes": isNumber,
		"ntasks": isNumber, "uid": isNumber, "gid": isNumber, "associd": isNumber, "qosraw": isNumber, "priority": isNumber, "restarts": isNumber,
		"reqmem": isMemory, "reqtres": isTRES, "alloctres": isTRES,
		"cluster": isName, "user": isName, "group": isName, "account": isName, "partition": isName, "qos": isName, "qosreq": isName,
		"nodelist": isNodes, "constraints": isConstraint, "reservation": isName, "flags": areFlags, "licenses": isLicenses, "reqgres": isName, "exclusive": isName,
		"submitline": isCommand, "workdir": isPath,
	}
	for _, of := range []struct {
		looks kind
		names string
	}{
		{isAmount, "avecpufreq avediskread avediskwrite avepages averss avevmsize consumedenergy consumedenergyraw dbindex maxdiskread maxdiskreadtask maxdiskwrite maxdiskwritetask maxpages maxpagestask maxrss maxrsstask " +
			"maxvmsize maxvmsizetask mincputask plannedcpuraw reservationid resvcpuraw segmentsize wckeyid"},
		{isLength, "avecpu mincpu plannedcpu reserved resvcpu"},
		{isNodes, "failednode maxdiskreadnode maxdiskwritenode maxpagesnode maxrssnode maxvmsizenode mincpunode"},
		{isName, "blockid layout mcslabel oversubscribe reason reqcpufreq reqcpufreqgov reqcpufreqmax reqcpufreqmin reqreservation sluid"},
		{isTRES, "tresusageinave tresusageinmax tresusageinmaxnode tresusageinmaxtask tresusageinmin tresusageinminnode tresusageinmintask tresusageintot " +
			"tresusageoutave tresusageoutmax tresusageoutmaxnode tresusageoutmaxtask tresusageoutmin tresusageoutminnode tresusageoutmintask tresusageouttot"},
	} {
		for name := range strings.FieldsSeq(of.names) {
			all[name] = of.looks
		}
	}
	return all
}()

// texts are the columns of kinds whose cells may hold the delimiter and new lines all the
// same.
var texts = map[string]bool{"submitline": true, "workdir": true, "constraints": true, "licenses": true}

// lists are the columns whose cells have commas. Where these are the delimiter too, such a
// cell may be several fields.
var lists = map[string]bool{"reqtres": true, "alloctres": true, "nodelist": true, "flags": true}

// further are the kinds of the fields behind the first of such a cell, if it is no free text.
var further = map[string]kind{
	"licenses": func(b []byte) bool { return bytes.IndexByte(b, ':') > 0 && isLicenses(b) },
	"flags":    func(b []byte) bool { return len(b) > 0 && areFlags(b) },
	"reqtres":  func(b []byte) bool { return len(b) > 0 && isTRES(b) }, "alloctres": func(b []byte) bool { return len(b) > 0 && isTRES(b) },
}

func isID(b []byte) bool {
	return len(b) > 0 && '0' <= b[0] && b[0] <= '9' && !bytes.ContainsAny(b, " \t\n\"'/=")
}

func isNumber(b []byte) bool {
	_, ok := amount(b, false)
	return ok || len(b) == 0
}

// isAmount accepts a number with or without a unit, as of what steps used.
func isAmount(b []byte) bool {
	return len(b) == 0 || '0' <= b[0] && b[0] <= '9' && !bytes.ContainsAny(b, " \t\n\"'/=") || string(b) == "Unknown"
}

func isMoment(b []byte) bool {
	_, ok := (&dump{zone: zone{loc: time.UTC}}).moment(b)
	return ok
}

func isLength(b []byte) bool {
	_, err := parseElapsed(b)
	return err == nil || len(b) == 0 || string(b) == "INVALID"
}

func isLimit(b []byte) bool {
	_, ok := readLimit(b)
	return ok
}

func isState(b []byte) bool {
	_, ok := accounting.ParseState(b)
	return ok || bytes.HasPrefix(b, []byte("REVOKED"))
}

func isExit(b []byte) bool {
	code, signal, ok := bytes.Cut(b, []byte{':'})
	return len(b) == 0 || ok && isNumber(code) && isNumber(signal)
}

func isTRES(b []byte) bool {
	return len(b) == 0 || bytes.IndexByte(b, '=') > 0 && !bytes.ContainsAny(b, " \t\n\"'")
}

func isMemory(b []byte) bool {
	_, ok := amount(bytes.TrimRight(b, "cn"), true)
	return ok || len(b) == 0 || string(b) == "?"
}

// isName accepts what Slurm lets be the name of a user, an account, a partition or a QOS.
func isName(b []byte) bool { return !bytes.ContainsAny(b, " \t\n\"'/=()<>;&*?") }

// isConstraint accepts features, which are joined by & and |, the usual delimiter.
func isConstraint(b []byte) bool { return !bytes.ContainsAny(b, " \t\n\"'/<>;") }

func isNodes(b []byte) bool { return isName(b) && bytes.IndexByte(b, ':') < 0 || string(b) == noNodes }

// areFlags accepts what Slurm writes of how a job was scheduled (slurmdb_job_flags_str in src/common/slurmdb_defs.c).
func areFlags(b []byte) bool {
	if len(b) == 0 {
		return true
	}
	for word := range bytes.SplitSeq(b, []byte{','}) {
		switch string(word) {
		case "None", "NotSet", "SchedNotSet", "SchedSubmit", "SchedMain", "SchedBackfill", "StartRecieved", "StartReceived":
		default:
			return false
		}
	}
	return true
}

func isLicenses(b []byte) bool {
	_, err := accounting.ReadLicenses(string(b))
	return err == nil || !some(b)
}

// isCommand accepts the line of a command that submits jobs.
func isCommand(b []byte) bool {
	word, _, _ := bytes.Cut(b, []byte{' '})
	switch path.Base(string(word)) {
	case "sbatch", "srun", "salloc":
		return true
	}
	return len(b) == 0
}

func isPath(b []byte) bool { return len(b) == 0 || b[0] == '/' }

// noNodes is what sacct writes as the nodes of a job that has none.
const noNodes = "None assigned"

// readLimit reads a time limit: [days-]hours:minutes:seconds, minutes, or a word for none
// or for that of the partition, which are 0.
func readLimit(b []byte) (seconds int64, ok bool) {
	if seconds, ok = accounting.ReadTime(b); ok {
		return seconds, seconds < math.MaxInt32*60
	}
	switch strings.ToLower(string(b)) {
	case "", "unlimited", "infinite", "partition_limit", "not_set", "none", "n/a", "invalid":
		return 0, true
	}
	return 0, false
}

// fit assigns the fields of a line to its columns where texts hold the delimiter, so that
// there are more fields than columns: texts take several fields, and each other column
// one that looks like it. It is false if that goes in no way, or in several that differ in
// what is read. It takes time in proportion to the fields.
func (l *layout) fit(fields [][]byte, mark []byte) ([][]byte, string) {
	n, more := len(l.kinds), len(fields)-len(l.kinds)
	// ways[i][d] is how columns from i on can take the fields from i+d on: in none, one or several. How
	// texts side by side that nobody reads share the fields does not matter, only with which field
	// the column behind them begins: of those it is 1 + where that is.
	const none, several = 0, -1
	ways := make([][]int32, n+1)
	ways[n] = make([]int32, more+1)
	ways[n][more] = 1
	for i := n - 1; i >= 0; i-- {
		ways[i] = make([]int32, more+1)
		behind := func(d int) int32 {
			w := ways[i+1][d]
			switch {
			case w == none || w == several:
			case l.unread(i) && !l.unread(i+1):
				return int32(d) + 1
			case !l.unread(i):
				return 1
			}
			return w
		}
		either := func(a, b int32) int32 {
			switch {
			case a == none:
				return b
			case b == none || l.unread(i) && a == b:
				return a
			}
			return several
		}
		later := int32(none) // where the column ends two fields on, or further
		for d := more; d >= 0; d-- {
			at := &ways[i][d]
			if l.takes(i, fields[i+d], false) {
				*at = behind(d)
			}
			if l.takes(i, fields[i+d], true) {
				*at = either(*at, later)
			}
			if later = either(later, behind(d)); !l.goesOn(i, fields[i+d]) {
				later = none
			}
		}
	}
	switch ways[0][0] {
	case none:
		return nil, "no way to share them among the columns"
	case several:
		return nil, "a text holds the delimiter, and nothing tells which (sacct --delimiter '^|^' puts another one between the columns)"
	}
	cells := make([][]byte, 0, n)
	for i, k := 0, 0; i < n; i++ {
		to := k + 1
		if ways[i+1][to-i-1] == none || !l.takes(i, fields[k], false) {
			to += 1 + slices.IndexFunc(ways[i+1][to-i:], func(n int32) bool { return n != none })
			cells = append(cells, bytes.Join(fields[k:to], mark))
		} else {
			cells = append(cells, fields[k])
		}
		k = to
	}
	return cells, ""
}

// share is fit, but that hints are empty where nothing tells how far they go: half a line of submission may
// lack what the job asks for. Only where there is no other way a text begins with the delimiter, and there are no flags, for
// which Slurm writes None.
func (d *dump) share(l *layout) ([][]byte, string) {
	cells, why := l.fit(d.fields, d.mark)
	if cells == nil && !l.odd {
		odd := *l
		odd.odd = true
		return d.share(&odd)
	}
	if cells == nil {
		return nil, why
	}
	strict := *l
	strict.read = slices.Clone(l.read)
	for i, c := range l.to {
		strict.read[i] = l.read[i] || hints[c]
	}
	if sure, _ := strict.fit(d.fields, d.mark); sure == nil {
		d.unsure++
		for i, c := range l.to {
			if hints[c] {
				cells[i] = nil
			}
		}
	}
	return cells, ""
}

// takes reports whether a column can take a field, or several of which it is the first.
func (l *layout) takes(column int, field []byte, several bool) bool {
	looks := l.kinds[column]
	switch {
	case !several:
		return looks == nil || looks(field) && (l.odd || len(field) > 0 || l.to[column] != colFlags)
	case !l.free[column]:
		return false
	}
	return looks == nil && l.odd || len(field) > 0 && (looks == nil || looks(field))
}

// goesOn reports whether a field can be one of several of a column, and not the first.
func (l *layout) goesOn(column int, field []byte) bool {
	looks := l.further[column]
	return looks == nil || looks(field)
}

// unread reports whether a column is a text that nobody reads.
func (l *layout) unread(i int) bool { return i < len(l.free) && l.free[i] && !l.read[i] }

package sacct

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// column is a column of sacct that is read.
type column int

const (
	colID column = iota // 123, 123_4, 123_[5-9%2], 123+0
	colRaw
	colCluster
	colPartition
	colQOS
	colAccount
	colUser
	colUID
	colSubmit
	colEligible
	colStart
	colEnd
	colElapsed
	colElapsedRaw
	colState
	colNodes
	colProcs
	colAsked
	colMemory
	colReqTRES
	colAllocTRES
	colLimit
	colLimitRaw
	colSuspended
	colName
	colNodeList
	colAskedNodes
	colConstraints
	colReservation
	colFlags
	colLicenses
	colGRES
	colExclusive
	colSubmitLine
	colPriority
	colInterval
	colGPUs
	colWalltime
	colFolder
	columns int = iota
)

// columnNames are the columns as sacct --format names them, in lower case.
var columnNames = map[string]column{
	"jobid": colID, "jobidraw": colRaw, "cluster": colCluster, "partition": colPartition, "qos": colQOS,
	"account": colAccount, "user": colUser, "uid": colUID, "submit": colSubmit, "eligible": colEligible,
	"start": colStart, "end": colEnd, "elapsed": colElapsed, "elapsedraw": colElapsedRaw, "state": colState,
	"nnodes": colNodes, "ncpus": colProcs, "alloccpus": colProcs, "reqcpus": colAsked, "reqmem": colMemory,
	"reqtres": colReqTRES, "alloctres": colAllocTRES, "timelimit": colLimit, "timelimitraw": colLimitRaw,
	"suspended": colSuspended, "jobname": colName, "nodelist": colNodeList,
	"reqnodes": colAskedNodes, "constraints": colConstraints, "features": colConstraints, "reservation": colReservation, "flags": colFlags, "licenses": colLicenses,
	"reqgres": colGRES, "exclusive": colExclusive, "submitline": colSubmitLine, "priority": colPriority,
	intervalColumn: colInterval, gpusColumn: colGPUs, walltimeColumn: colWalltime,
	"workdir": colFolder,
}

// hints are columns of which anything may be missing.
var hints = map[column]bool{colSubmitLine: true, colFolder: true}

// layout says where the columns of a dump are.
type layout struct {
	at    [columns]int // -1: not there
	count int          // of all columns, unread ones too

	// Of each column:
	to      []column // as what it is read; -1: it is not
	kinds   []kind
	further []kind
	free    []bool // it may hold the delimiter and new lines
	read    []bool

	odd bool // see share
}

func newLayout(names ...string) *layout {
	l := &layout{count: len(names)}
	for c := range l.at {
		l.at[c] = -1
	}
	for i, name := range names {
		name = strings.ToLower(strings.TrimSpace(name))
		name, _, _ = strings.Cut(name, "%") // a width, as in sacct's --format
		c, is := columnNames[name]
		if is = is && l.at[c] < 0; is {
			l.at[c] = i
			l.to = append(l.to, c)
		} else {
			l.to = append(l.to, -1)
		}
		looks := kinds[name]
		if name == "" { // after a delimiter at the end of the line
			looks = func(cell []byte) bool { return len(cell) == 0 }
		}
		l.further = append(l.further, further[name])
		l.kinds, l.free, l.read = append(l.kinds, looks), append(l.free, looks == nil || texts[name]), append(l.read, is && !hints[c])
	}
	return l
}

// The orders in which Open XDMoD asks sacct for columns, in its releases since
// 6.5, 9.0, 9.5 and 10.0: classes/OpenXdmod/Shredder/Slurm.php. All have the same
// 16 columns from account to reqmem.
var xdmod = struct{ old, gpus, noGRES, qos *layout }{
	old:    xdmodLayout("", "reqgres,reqtres"),
	gpus:   xdmodLayout("", "reqgres,reqtres,alloctres"),
	noGRES: xdmodLayout("", "reqtres,alloctres"),
	qos:    xdmodLayout("qos,", "reqtres,alloctres"),
}

func xdmodLayout(qos, tres string) *layout {
	return newLayout(strings.Split("jobid,jobidraw,cluster,partition,"+qos+"account,group,gid,user,uid,submit,eligible,start,end,"+
		"elapsed,exitcode,state,nnodes,ncpus,reqcpus,reqmem,"+tres+",timelimit,nodelist,jobname", ",")...)
}

// xdmodState is the position of the state in the orders without QOS.
const xdmodState = 15

// xdmodOf finds the order of a line without a header. The number of columns does
// not decide, because a job's name may hold the delimiter. It looks for the
// state, which begins with a letter, and counts whether two or three columns of
// TRES come before the time limit, which holds no "=".
func xdmodOf(fields [][]byte) *layout {
	letter := func(i int) bool {
		return i < len(fields) && len(fields[i]) > 0 && 'A' <= fields[i][0]&^0x20 && fields[i][0]&^0x20 <= 'Z'
	}
	const gres = xdmodState + 5
	switch {
	case len(fields) >= xdmod.qos.count && letter(xdmodState+1) && !letter(xdmodState):
		return xdmod.qos
	case len(fields) < xdmod.old.count || !letter(xdmodState):
		return nil
	case len(fields) >= xdmod.gpus.count && !limitLike(fields[gres+2]) && limitLike(fields[gres+3]):
		return xdmod.gpus
	case bytes.ContainsRune(fields[gres], '='):
		return xdmod.noGRES
	}
	return xdmod.old
}

// limitLike reports whether a field is the time limit of a job.
func limitLike(field []byte) bool {
	if len(field) == 0 || bytes.ContainsRune(field, '=') {
		return false
	}
	_, err := parseElapsed(field)
	return err == nil || string(field) == "UNLIMITED" || string(field) == "Partition_Limit"
}

// isHeader reports whether the fields are names of columns: two that no job's line has, or nothing else.
func isHeader(fields [][]byte) bool {
	is := func(name string) bool {
		return slices.ContainsFunc(fields, func(f []byte) bool { return bytes.EqualFold(bytes.TrimSpace(f), []byte(name)) })
	}
	title := func(f []byte) bool {
		name := strings.ToLower(string(bytes.TrimSpace(f)))
		_, read := columnNames[name]
		return read || kinds[name] != nil || name == ""
	}
	return is("jobidraw") && is("submit") || is("jobid") && is("state") ||
		(is("jobid") || is("jobidraw") || is("submit")) && len(fields) > 1 && !slices.ContainsFunc(fields, func(f []byte) bool { return !title(f) })
}

// header returns the layout of columns with these names, between which the mark stands.
func header(names []string, mark []byte) (*layout, error) {
	l := newLayout(names...)
	if string(mark) == "," {
		for i, name := range names {
			if name, _, _ = strings.Cut(strings.ToLower(strings.TrimSpace(name)), "%"); lists[name] || strings.HasPrefix(name, "tresusage") {
				l.free[i] = true
			}
		}
	}
	var missing []string
	type need struct {
		column column
		name   string
	}
	if l.plain() {
		for _, n := range []need{{colUser, "User"}, {colElapsedRaw, "ElapsedRaw"}, {colState, "State"}} {
			if l.at[n.column] < 0 {
				missing = append(missing, n.name)
			}
		}
		if l.at[colProcs] < 0 && l.at[colGPUs] < 0 {
			missing = append(missing, "NCPUS or GPUs")
		}
		if len(missing) > 0 {
			return nil, fmt.Errorf("%w: %s", errColumns, strings.Join(missing, ", "))
		}
		return l, nil
	}
	for _, need := range []need{
		{colUser, "User"}, {colSubmit, "Submit"}, {colStart, "Start"}, {colEnd, "End"}, {colState, "State"},
	} {
		if l.at[need.column] < 0 {
			missing = append(missing, need.name)
		}
	}
	if l.at[colRaw] < 0 && l.at[colID] < 0 {
		missing = append(missing, "JobID")
	}
	if l.at[colProcs] < 0 && l.at[colAsked] < 0 && l.at[colAllocTRES] < 0 {
		missing = append(missing, "NCPUS")
	}
	if len(missing) > 0 {
		return nil, fmt.Errorf("%w: %s; run sacct again with them", errColumns, strings.Join(missing, ", "))
	}
	return l, nil
}

// scheduling are columns that tell how jobs were scheduled, by sacct's names, and what else tells the same.
var scheduling = []struct {
	name    string
	columns []column
}{
	{"Partition", []column{colPartition}},
	{"QOS", []column{colQOS}},
	{"Account", []column{colAccount}},
	{"Eligible", []column{colEligible}},
	{"Timelimit", []column{colLimit, colLimitRaw}},
	{"ReqMem", []column{colMemory, colReqTRES}},
	{"ReqTRES", []column{colReqTRES, colGRES}},
	{"Constraints", []column{colConstraints}},
	{"Reservation", []column{colReservation}},
	{"Flags", []column{colFlags}},
	{"Priority", []column{colPriority}},
	{"NodeList", []column{colNodeList}},
}

// lacks returns those of them that the dump has not. JSON has all, and in a trace of another cluster nobody looks for them.
func (d *dump) lacks() (names []string) {
	l := d.header
	switch {
	case d.tree != nil || l.plain():
		return nil
	case l == nil:
		l = xdmod.qos
	}
	for _, s := range scheduling {
		if !slices.ContainsFunc(s.columns, func(c column) bool { return l.at[c] >= 0 }) {
			names = append(names, s.name)
		}
	}
	return names
}

// onlyHolds reports whether the columns tell what processors jobs held, and not what they asked for.
func (l *layout) onlyHolds() bool {
	return l != nil && l.at[colAsked] < 0 && l.at[colReqTRES] < 0 && !l.plain()
}

var errColumns = errors.New("the header lacks columns")

// spread assigns fields, one for each column, to what is read.
func (l *layout) spread(fields [][]byte, values *[columns][]byte) {
	for c, i := range l.at {
		if i < 0 {
			values[c] = nil
		} else {
			values[c] = fields[i]
		}
	}
}

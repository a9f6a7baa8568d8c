package sacct

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting"
	"slurm-ostrich/ostrich/internal/lines"
	"slurm-ostrich/ostrich/plural"
)

// RowColumns are the columns of a row, for sacct's option --format. The last one holds
// no text of a user's.
const RowColumns = "JobIDRaw,JobID,UID,User,Account,AssocID,Partition,QOS,QOSRAW,Submit,Eligible,Start,End,Suspended," +
	"TimelimitRaw,ReqCPUS,ReqTRES,AllocTRES,WCKey,JobName,Comment,State"

// Positions in RowColumns.
const (
	rowRaw = iota
	rowID
	rowUID
	rowUser
	rowAccount
	rowAssoc
	rowPartition
	rowQOS
	rowQOSRaw
	rowSubmit
	rowEligible
	rowStart
	rowEnd
	rowSuspended
	rowLimit
	rowAsked
	rowReqTRES
	rowAllocTRES
	rowWCKey
	rowName
	rowComment
	rowState
	rowColumns
)

var rowNames = strings.Split(RowColumns, ",")

// exclusiveColumn is the column that sacct has since Slurm 26.05: NODE for a job that is to
// have its nodes for itself, also while it waits.
const exclusiveColumn = "Exclusive"

// RowFormat returns the columns of a row for a sacct that knows these columns, as sacct
// --helpformat lists them: RowColumns, and Exclusive if it is there.
func RowFormat(known string) string {
	if slices.Contains(strings.Fields(known), exclusiveColumn) {
		return RowColumns + "," + exclusiveColumn
	}
	return RowColumns
}

// TextColumns are further columns of a row, behind all others: Folder and Line, and one that holds no text of a
// user's. sacct has them since Slurm 21.08.
const TextColumns = ",WorkDir,SubmitLine,JobIDRaw"

// ErrRow marks output that does not consist of RowColumns, so sacct has not printed it.
var ErrRow = errors.New("not a row of sacct's")

// Rows cuts the output of sacct --parsable2 --noheader --delimiter=Mark --format=Format into rows. Names
// of jobs may hold the usual delimiter and new lines, so the mark should be a text that
// nobody can guess. It is a writer: memory holds one row at a time.
type Rows struct {
	Mark   string
	Format string                     // as RowFormat returns it, maybe with TextColumns; "" is RowColumns
	Named  []string                   // further resources of which the counts are read, see accounting.Unit.Named
	Visit  func(accounting.Row) error // its error ends the reading

	row   []byte // read so far
	marks int    // delimiters in its finished lines; none goes over the end of a line
	begun int    // where its unfinished line begins
	err   error
}

// maxRow is more than a row can have: names and comments have 64 KiB at most, and
// lists of array tasks some MiB.
const maxRow = 1 << 24

// Write takes a part of the output. Its error is that of Visit, or an ErrRow.
func (r *Rows) Write(p []byte) (int, error) {
	n := len(p)
	for r.err == nil {
		line, rest, whole := bytes.Cut(p, []byte{'\n'})
		r.row = append(r.row, line...)
		if len(r.row) > maxRow {
			r.err = fmt.Errorf("sacct: %w: longer than %d MiB", ErrRow, maxRow>>20)
		}
		if !whole || r.err != nil {
			break
		}
		p = rest
		r.line()
	}
	if r.err != nil {
		return 0, r.err
	}
	return n, nil
}

// line ends a line. It also ends the row, unless the end of the line belongs to a text of
// the row.
func (r *Rows) line() {
	r.marks += bytes.Count(r.row[r.begun:], []byte(r.Mark))
	width := rowColumns
	if r.Format != "" {
		width = strings.Count(r.Format, ",") + 1
	}
	switch {
	case len(r.row) == 0:
		return
	case r.marks < width-1:
		r.row = append(r.row, '\n')
		r.begun = len(r.row)
		return
	case r.marks > width-1:
		r.err = plural.Errorf("sacct: %w: %d field{|s}, want %d", ErrRow, r.marks+1, width)
		return
	}
	row, err := readRow(bytes.SplitN(r.row, []byte(r.Mark), width), r.Named)
	r.row, r.marks, r.begun = r.row[:0], 0, 0
	if r.err = err; err == nil {
		r.err = r.Visit(row)
	}
}

// Close ends the output.
func (r *Rows) Close() error {
	if r.err == nil && len(bytes.TrimSpace(r.row)) > 0 {
		r.err = fmt.Errorf("sacct: %w: it ends in the middle of %q", ErrRow, r.row[:min(len(r.row), 80)])
	}
	return r.err
}

// readRow reads the fields of a row. A malformed field makes the row Impossible; the
// other fields are set all the same. Without an id the error is ErrRow.
func readRow(fields [][]byte, named []string) (row accounting.Row, err error) {
	fault := func(at int, why string) {
		if row.Impossible == "" {
			row.Impossible = fmt.Sprintf("sacct: %s %q: %s", rowNames[at], clip(fields[at]), why)
		}
	}
	number := func(at int) uint32 {
		n, ok := lines.Digits(fields[at])
		if ok && n <= math.MaxUint32 {
			return uint32(n)
		}
		if len(fields[at]) > 0 {
			fault(at, "not a number")
		}
		return 0
	}
	moment := func(at int) ostrich.Time {
		t, ok := readMoment(fields[at])
		if !ok {
			fault(at, "not a number")
			return 0
		}
		return t
	}
	row.Task, row.Tasks = -1, 1
	row.ID, row.Submit = ostrich.JobID(number(rowRaw)), moment(rowSubmit)
	if row.ID == 0 {
		return row, fmt.Errorf("%w: job %q", ErrRow, clip(fields[rowRaw]))
	}
	row.User, row.Account, row.Partition = string(fields[rowUser]), string(fields[rowAccount]), string(fields[rowPartition])
	row.QOS, row.WCKey, row.Name, row.Comment = string(fields[rowQOS]), string(fields[rowWCKey]), string(fields[rowName]), string(fields[rowComment])
	row.UID, row.Assoc, row.QOSNumber = number(rowUID), number(rowAssoc), number(rowQOSRaw)
	row.Eligible, row.Start, row.End = moment(rowEligible), moment(rowStart), moment(rowEnd)
	if b := fields[rowSuspended]; len(b) > 0 && string(b) != "INVALID" {
		pause, wrong := parseElapsed(b)
		if row.Suspended = pause; wrong != nil {
			fault(rowSuspended, wrong.Error())
		}
	}
	if n, ok := lines.Digits(fields[rowLimit]); ok && n < math.MaxInt32 {
		row.Limit = ostrich.Duration(60 * n)
	}
	asks, _ := amount(fields[rowAsked], false)
	resources := func(at int) accounting.TRES {
		t, wrong := ReadResources(fields[at], named)
		if wrong != nil {
			fault(at, wrong.Error())
		}
		return t
	}
	row.Asked, row.Held = resources(rowReqTRES), resources(rowAllocTRES)
	row.Req, row.Alloc = min(cmp.Or(row.Asked.CPUs, uint64(asks)), math.MaxUint32), min(row.Held.CPUs, math.MaxUint32)
	texts := strings.Count(TextColumns, ",")
	if n := len(fields); n >= rowColumns+texts {
		fields = fields[:n-texts]
		row.Folder, row.Line = string(fields[:n][n-texts]), string(fields[:n][n-texts+1])
	}
	row.Exclusive = len(fields) > rowColumns && string(fields[rowColumns]) == "NODE"
	if !readGroup(&row, fields[rowID]) {
		fault(rowID, "not the id of a job, of tasks or of a component")
	}
	state, _, _ := bytes.Cut(fields[rowState], []byte{' '})
	known := false
	if row.State, known = accounting.StateNamed(string(state)); !known {
		fault(rowState, "not one of accounting's")
	}
	return row, nil
}

// readGroup reads the array or the heterogeneous job from 123_4, 123_[5-9%2] or 123+0.
func readGroup(r *accounting.Row, id []byte) (ok bool) {
	master, task, array := bytes.Cut(id, []byte{'_'})
	if !array {
		leader, _, het := bytes.Cut(id, []byte{'+'})
		first, is := readID(leader)
		if het {
			r.Het = first
		}
		return is
	}
	if r.Array, ok = readID(master); !ok {
		return false
	}
	list, several := bytes.CutPrefix(task, []byte{'['})
	if !several {
		r.Task, ok = lines.Digits(task)
		return ok && r.Task < math.MaxInt32
	}
	list, ok = bytes.CutSuffix(list, []byte{']'})
	list, _, _ = bytes.Cut(list, []byte{'%'})
	tasks, counts := countTasks(list)
	r.Tasks = uint32(max(tasks, 1))
	if ok && len(list) == 0 {
		r.Tasks = 0 // a mask of tasks that lost its end
	}
	return ok && (counts || r.Tasks == 0)
}

// clip makes a text short enough for a message.
func clip(b []byte) string {
	if len(b) > 80 {
		return string(b[:80]) + "…"
	}
	return string(b)
}

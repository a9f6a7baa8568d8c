package sacct

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"slurm-ostrich/ostrich/accounting"
	"slurm-ostrich/ostrich/internal/lines"
)

// isJSON reports whether a text begins as JSON does that sacct can have written.
func isJSON(in *bufio.Reader) bool {
	for n := 1 << 10; ; n *= 2 {
		text, err := in.Peek(min(n, in.Size()))
		text = bytes.TrimSpace(bytes.TrimPrefix(text, lines.Mark))
		begins := "{"
		if list, is := bytes.CutPrefix(text, []byte{'['}); is {
			text, begins = bytes.TrimSpace(list), "{[]"
		}
		if len(text) > 0 {
			return strings.IndexByte(begins, text[0]) >= 0
		}
		if err != nil || n >= in.Size() {
			return false
		}
	}
}

// tree is the state of reading jobs in JSON.
type tree struct {
	*scanner
	d    *dump
	said []string // by sacct, why jobs may lack
	path []byte   // of the value that is read, from its job on

	at    place // of the job
	odd   error // the first value of it that is none, where its column cannot tell that
	later bool  // it is not of 22.05, whose numbers are none of objects

	mended, running int // jobs, see start

	places [columns]place // of the values
	paths  [columns]string
	cells  []byte // texts of the values

	others              [columns][]byte // values that count where the column has none
	number              []byte
	array, leader, most int64
	task, offset        int64 // below 0: none
	tasks               []byte
	tasksAt             place
	kind, title, amount []byte // of a resource
	amountAt            place
}

// readJSON reads what sacct --json writes, or an array of its jobs.
func (d *dump) readJSON(in *bufio.Reader) error {
	if first, _ := in.Peek(len(lines.Mark)); bytes.Equal(first, lines.Mark) {
		_, _ = in.Discard(len(lines.Mark)) // they are in the buffer
	}
	t := &tree{scanner: newScanner(in, d.name), d: d}
	d.tree = t
	found := false
	for {
		var err error
		switch t.next() {
		case '[':
			found, err = true, t.jobs()
		case '{':
			err = t.object(func(key []byte) error {
				switch string(key) {
				case "jobs":
					found = true
					return t.jobs()
				case "errors":
					return t.errors()
				}
				return t.skip()
			})
		default:
			switch ended := len(t.buf) == 0 && errors.Is(t.failed, io.EOF); {
			case !ended:
				return d.skip(t.wrong("the end of the file, or more of sacct's output"))
			case !found:
				return fmt.Errorf("sacct: %s: %w in the JSON: %s", d.name, accounting.ErrEmpty, cmp.Or(t.says(""), "it has no \"jobs\""))
			}
			return nil
		}
		if err != nil { // what follows cannot be told any more
			return d.skip(err)
		}
	}
}

// jobs reads an array of jobs, or of arrays of them.
func (t *tree) jobs() error {
	if t.next() == 'n' { // null
		return t.skip()
	}
	return t.scanner.array(func() error {
		if t.next() == '[' {
			return t.jobs()
		}
		return t.job()
	})
}

func (t *tree) job() error {
	d := t.d
	t.at = t.here()
	clear(d.values[:])
	clear(t.places[:])
	clear(t.others[:])
	t.cells = t.cells[:0]
	t.array, t.leader, t.most, t.task, t.offset, t.tasks = 0, 0, 0, -1, -1, nil
	t.odd, t.later = nil, false
	d.values[colReqTRES], d.values[colAllocTRES] = []byte{}, []byte{} // it has none, unless the record says so
	if err := t.value(); err != nil {
		return err
	}
	d.line, d.bytes = t.at.line, t.used
	t.finish()
	switch {
	case t.odd != nil:
		return d.skip(t.odd)
	case d.values[colRaw] == nil:
		return d.skip(d.fault("a job without job_id"))
	case d.values[colSubmit] == nil:
		return d.skip(d.fault("a job without time/submission: this is JSON of another program than sacct"))
	}
	return d.skip(d.job())
}

// refuse keeps the fault of a value of the job's.
func (t *tree) refuse(at place, path string, text []byte, why string) {
	if t.odd == nil {
		t.odd = &Fault{File: t.name, Line: at.line, Column: at.column, Field: path, Text: clip(text), Why: why}
	}
}

// value reads the value that the path names, with all that is inside it.
func (t *tree) value() error {
	here, known := meanings[string(t.path)]
	if !known && len(t.path) > 0 && !parents[string(t.path)] {
		return t.skip()
	}
	at := t.next()
	where := t.here()
	switch {
	case at == '[':
		return t.scanner.array(t.value)
	case at == '{' && !known:
		err := t.object(func(key []byte) error {
			n := len(t.path)
			if n > 0 {
				t.path = append(t.path, '/')
			}
			t.path = append(t.path, key...)
			err := t.value()
			t.path = t.path[:n]
			return err
		})
		if err == nil {
			t.resource()
		}
		return err
	case !known:
		return t.skip()
	}
	text, err := t.count(at == '{')
	if err != nil {
		return err
	}
	if t.places[here.column] == (place{}) && here.as != asMost || here.as <= asLength {
		t.places[here.column], t.paths[here.column] = where, here.path
	}
	switch here.as { //nolint:exhaustive // of the others the column tells
	case asTasks:
		t.tasksAt = where
	case asAmount:
		t.amountAt = where
	}
	if here.as > asOther || at == '"' { // 22.05 has a number for the name of a reservation
		t.set(here, text)
	}
	return nil
}

// count reads a scalar, or a number as releases since 23.02 write those that Slurm may not know:
//
//	{"set": true, "infinite": false, "number": 60}
//
// It returns "" for null and for a number that is not set.
func (t *tree) count(object bool) ([]byte, error) {
	if !object {
		text, quoted, err := t.scalar()
		if !quoted && string(text) == "null" {
			text = nil
		}
		return text, err
	}
	set, infinite := true, false
	t.number, t.later = t.number[:0], true
	err := t.object(func(key []byte) error {
		name := string(key)
		if c := t.next(); c == '{' || c == '[' {
			if name == "number" {
				t.refuse(t.here(), string(t.path)+"/number", []byte{c}, "not a number")
			}
			return t.skip()
		}
		text, _, err := t.scalar()
		switch name {
		case "set":
			set = string(text) == "true"
		case "infinite":
			infinite = string(text) == "true"
		case "number":
			t.number = append(t.number, text...)
		}
		return err
	})
	switch {
	case err != nil || !set:
		return nil, err
	case infinite:
		return []byte(infinity), nil
	}
	return t.number, nil
}

// Slurm's marks as 22.05 writes them.
const (
	noValue  = "4294967294"
	infinity = "4294967295"
)

// keep returns a text that stays while the job is read.
func (t *tree) keep(parts ...[]byte) []byte {
	from := len(t.cells)
	for _, p := range parts {
		t.cells = append(t.cells, p...)
	}
	return t.cells[from:len(t.cells):len(t.cells)]
}

// revoked is the state of a job that another cluster of the federation took.
const revoked = "REVOKED"

// set takes a value.
func (t *tree) set(m meaning, text []byte) {
	v := &t.d.values[m.column]
	marked := len(text) == 0 || string(text) == noValue || string(text) == infinity
	number := func(to *int64) {
		if n, ok := lines.Digits(text); ok && !marked {
			*to = n
		}
	}
	switch m.as {
	case asText:
		*v = t.keep(text)
	case asOther:
		t.others[m.column] = t.keep(text)
	case asCount:
		if !marked {
			*v = t.keep(text)
		}
	case asLength:
		if !marked {
			*v = t.keep([]byte("0:0:"), text)
		}
	case asPerCPU, asPerNode:
		if !marked && string(text) != "0" {
			*v = t.keep(text, []byte{'M', "cn"[m.as-asPerCPU]})
		}
	case asState:
		state, known := accounting.ParseState(text)
		_, told := accounting.ParseState(*v)
		told = told || string(*v) == revoked
		if *v == nil || known && (!told || state > accounting.OutOfMemory) || string(text) == revoked {
			*v = t.keep(text) // that the row was closed goes before why
		}
	case asFlag:
		if string(text) == "STARTED_ON_BACKFILL" {
			*v = []byte("SchedBackfill")
		}
	case asArray:
		number(&t.array)
	case asTask:
		number(&t.task)
	case asTasks:
		t.tasks = t.keep(text)
	case asMost:
		number(&t.most)
	case asLeader:
		number(&t.leader)
	case asOffset:
		number(&t.offset)
	case asKind:
		t.kind = t.keep(text)
	case asName:
		t.title = t.keep(text)
	case asAmount:
		t.amount = t.keep(text)
	}
}

// resource ends an object, which may be one of the resources of a job.
func (t *tree) resource() {
	var c column
	switch string(t.path) {
	case "tres/requested":
		c = colReqTRES
	case "tres/allocated":
		c = colAllocTRES
	default:
		return
	}
	defer func() { t.kind, t.title, t.amount = nil, nil, nil }()
	if len(t.amount) == 0 || t.amount[0] == '-' || slices.Contains(noCounts, string(t.amount)) {
		return // Slurm's marks for none
	}
	most := int64(maxMemory)
	switch string(t.kind) {
	case "cpu", "node":
		most = maxProcs
	case "energy", "fs", "vmem", "pages": // measured, not asked for, and wrong at times
		most = math.MaxInt64
	}
	if n, ok := amount(t.amount, false); !ok && most < math.MaxInt64 || n > float64(most) {
		t.refuse(t.amountAt, string(t.path)+"/count", t.amount, "not a count of a resource")
	}
	v := &t.d.values[c]
	name := t.kind
	if len(t.title) > 0 {
		name = t.keep(name, []byte{'/'}, t.title)
	}
	mark, unit := []byte{','}, []byte{}
	if len(*v) == 0 {
		mark = nil
	}
	if string(name) == "mem" {
		unit = []byte{'M'}
	}
	*v = t.keep(*v, mark, name, []byte{'='}, t.amount, unit)
}

// noCounts are marks for none and for infinite (NO_VAL64, INFINITE64 in Slurm's slurm.h), where they have no sign.
var noCounts = []string{"18446744073709551614", "18446744073709551615"}

// finish makes the columns of which several values tell.
func (t *tree) finish() {
	v := &t.d.values
	for c, other := range t.others {
		if len(v[c]) == 0 {
			v[c] = other
		}
	}
	id := func(first int64, mark byte, n int64) []byte {
		return strconv.AppendInt(append(strconv.AppendInt(nil, first, 10), mark), n, 10)
	}
	switch {
	case t.array > 0 && t.task >= 0:
		v[colID] = id(t.array, '_', t.task)
	case t.array > 0 && len(t.tasks) > 0:
		v[colID] = fmt.Appendf(nil, "%d_[%s", t.array, t.tasks)
		if t.most > 0 && bytes.IndexByte(t.tasks, '%') < 0 {
			v[colID] = fmt.Appendf(v[colID], "%%%d", t.most)
		}
		v[colID] = append(v[colID], ']')
		if t.array <= math.MaxUint32 {
			t.places[colID], t.paths[colID] = t.tasksAt, "array/task"
		}
	case t.leader > 0 && t.offset >= 0:
		v[colID] = id(t.leader, '+', t.offset)
	default:
		v[colID] = v[colRaw]
	}
	t.start()
}

// locate says in a fault where the value of a column stands.
func (t *tree) locate(f *Fault, c column) {
	if t != nil && t.places[c] != (place{}) {
		f.Line, f.Column, f.Field = t.places[c].line, t.places[c].column, t.paths[c]
		if f.Field == "array/task" {
			f.Text = clip(t.tasks)
		}
	}
}

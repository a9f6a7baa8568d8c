// Package sacct reads the output of sacct and sacctmgr (jobs, associations and
// QOS), and times as sacct's options accept them.
package sacct

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"time"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting"
	"slurm-ostrich/ostrich/accounting/tools"
	"slurm-ostrich/ostrich/internal/lines"
	"slurm-ostrich/ostrich/plural"
)

// Options of Read.
type Options struct {
	Unit *accounting.Unit // by which work is counted; nil: processors

	// Location is the zone of times that name none. nil is UTC, which Open XDMoD
	// asks sacct for.
	Location *time.Location

	// Cluster is the cluster whose jobs are read. "" means the only one.
	Cluster string

	// Columns are the columns of a dump without a header, as sacct --format names them.
	Columns []string

	// Delimiter is the text between two columns. "" is what the header has, or |.
	Delimiter string

	// Made are the ids made up for tasks of other dumps. nil means that this is the
	// only dump.
	Made *Made

	Tools tools.Table // by which kinds are found

	Copy *Copy // of the jobs that are read; may be nil

	// Size is how many bytes the dump has, so that its jobs get the memory that they need
	// and no more; 0 if it is not known.
	Size int64

	// Lenient makes Read skip and count malformed lines, instead of giving up at
	// the first.
	Lenient bool
}

// Read reads uncompressed output of sacct: text, or the JSON of sacct --json. In text, a first line with the names of the columns
// gives their order and the delimiter, which may be any text; lines before it that begin
// with # are comments. Without one (--noheader) the order is that of Options.Columns, or
// else must be one of Open XDMoD's. The name is for messages. Read skips job steps. Jobs
// keep the Submit of their line; From of the history is the first of these, and To a
// second after the last. A dump without a job is ErrEmpty. Notes say what was changed or
// left out.
//
// Texts such as the job's name may hold the delimiter and new lines. Where the other
// columns do not tell which text it was, the line is malformed.
func Read(r io.Reader, name string, o Options) (*accounting.History, error) {
	d := &dump{name: name, options: o, named: o.Unit.Named(), folds: o.Tools.AnyDigits(), zone: zone{loc: o.Location}, texts: accounting.Texts{}, mark: []byte(cmp.Or(o.Delimiter, "|"))}
	if d.zone.loc == nil {
		d.zone.loc = time.UTC
	}
	if d.options.Made == nil {
		d.options.Made = new(Made)
	}
	text := bufio.NewReaderSize(r, 1<<16)
	json := isJSON(text)
	if json && (len(o.Columns) > 0 || o.Delimiter != "") {
		return nil, fmt.Errorf("sacct: %s: JSON, whose values have names: without --columns and --delimiter", name)
	}
	if len(o.Columns) > 0 {
		l, err := header(o.Columns, d.mark)
		if err != nil {
			return nil, fmt.Errorf("sacct: --columns: %w", err)
		}
		d.header = l
	}
	read := d.readLines
	if json {
		read = d.readJSON
	}
	if err := read(text); err != nil {
		return nil, err
	}
	return d.history()
}

func (d *dump) readLines(text *bufio.Reader) error {
	in := reader(text)
	for d.line = 1; ; d.line++ {
		line, err := in.Next()
		d.bytes += int64(len(line))
		if err != nil && !errors.Is(err, io.EOF) {
			return fmt.Errorf("sacct: %s:%d: %w", d.name, d.line, err)
		}
		if fault := d.read(trimEnd(line)); fault != nil {
			if fault = d.skip(fault); fault != nil {
				return fault
			}
		}
		if err != nil {
			d.shortened = d.mayBeCut(line)
			break
		}
	}
	return errors.Join(d.refuse(), d.skip(d.give()))
}

// mayBeCut reports whether the last line may have been cut off within its last number, so that it is
// still a number. sacct ends all of its lines, and a whole time is as long as its form.
func (d *dump) mayBeCut(line []byte) bool {
	text := trimEnd(line)
	if len(text) < len(line) || len(text) == 0 || text[0] == '#' || text[len(text)-1] < '0' || text[len(text)-1] > '9' {
		return false
	}
	field := text[bytes.LastIndex(text, d.mark)+1:]
	return len(field) != len("2006-01-02T15:04:05") || field[10] != 'T'
}

// reader reads the lines of a dump or a table.
func reader(in *bufio.Reader) lines.Reader {
	return lines.Reader{In: in, Most: 1 << 24, TooLong: errLong}
}

// errLong marks a line longer than any that sacct and sacctmgr write.
var errLong = errors.New("a line longer than 16 MiB")

// dump is the state of reading a dump.
type dump struct {
	name      string
	options   Options
	named     []string // resources of which the counts are read, beside those that every row has
	zone      zone
	line      int
	tree      *tree  // of JSON; nil for text
	ended     *Fault // behind which nothing could be read; nil at the end of the file
	shortened bool   // the last line may have been cut off within its last number
	bytes     int64  // up to the end of the line

	jobs    accounting.Builder
	people  memo[person]
	asks    memo[asking]
	kinds   memo[classes]
	layouts memo[layoutOf]            // by lines of submission
	numbers map[accounting.Layout]int // of layouts
	header  *layout                   // nil without one
	mark    []byte                    // between columns; a blank is any number of them
	bounds  []int                     // where columns of fixed widths end; nil if they have none
	unknown []*Fault                  // lines that are nothing known, while a header may follow
	folds   bool                      // which digits a text has tells no tool anything
	folded  []byte                    // texts whose digits are all alike
	begun   []byte                    // of a record whose text goes on in the next line
	parts   int                       // fields of it
	since   int                       // the line in which it begins
	fields  [][]byte
	values  [columns][]byte
	texts   accounting.Texts
	cluster string

	first, last ostrich.Time // submissions
	clock       int64        // of a trace without times: seconds since its first submission
	rows        int          // of it
	unsaid      int          // jobs of it whose processors are not told
	unasked     int          // jobs that had not started, and no column tells what they asked for

	steps, ghosts, others                       int // lines left out
	comments, before, further                   int // lines that are no record
	unnamed, longer                             int // jobs
	longerHour, shorterHour, mendedHour, unsure int // jobs
	missing, settled, open                      int // times near a change of the clocks
	partial                                     int // arrays whose tasks sacct has not listed completely
}

// mostFields is how many fields a line may have; a record that goes over several lines
// cannot have as many, see most.
const mostFields = 1 << 20

// read reads a line, unless it has so many fields that they fill the memory.
func (d *dump) read(line []byte) error {
	if len(line) >= mostFields && bytes.Count(line, d.mark) >= mostFields {
		return errors.Join(d.skip(d.give()), d.fault(fmt.Sprintf("more than %d fields", mostFields)))
	}
	return d.add(line)
}

// add reads a line. Its error is a *Fault if the line may be skipped.
func (d *dump) add(line []byte) error {
	if len(d.begun) > 0 {
		return d.more(line)
	}
	if len(bytes.TrimSpace(line)) == 0 {
		return nil
	}
	if line[0] < '0' || line[0] > '9' { // most lines begin with a number
		if line[0] == '#' {
			d.comments++
			return nil
		}
		if names := d.names(line); names != nil {
			l, err := header(names, d.mark)
			if err != nil {
				return fmt.Errorf("sacct: %s:%d: %w", d.name, d.line, err)
			}
			d.header, d.bounds, d.values = l, nil, [columns][]byte{}
			d.before += len(d.unknown)
			d.unknown = nil
			return nil
		}
		if d.header != nil && d.fixed() && len(bytes.Trim(line, "- ")) == 0 {
			d.bounds = dashes(line)
			return nil
		}
	}
	l := d.header
	if l != nil && d.direct() && l.cut(line, d.mark[0], &d.values) {
		return d.job()
	}
	d.fields = d.split(d.fields[:0], line)
	if l == nil {
		if l = xdmodOf(d.fields); l == nil {
			f := d.fault(plural.Sprintf("%d field{|s}, which {is|are} not those of Open XDMoD, and no header: name them with --columns", len(d.fields)))
			if d.unknown = append(d.unknown, f); len(d.unknown) > mostUnknown {
				return d.refuse()
			}
			return nil
		}
		if len(d.unknown) > 0 {
			return errors.Join(d.refuse(), d.add(line))
		}
	}
	switch n := len(d.fields); {
	case n == l.count:
	case n > l.count:
		cells, why := d.share(l)
		if cells == nil {
			if d.header == nil {
				why += "; without a header they are taken for Open XDMoD's: --columns names others"
			}
			return d.fault(plural.Sprintf("%d field{|s}, want %d: %s", n, l.count, why))
		}
		d.fields = append(d.fields[:0], cells...)
	case d.header != nil && d.jobs.Len() > 0 && l.free[l.count-1] && !l.startsWith(d.fields[0]):
		d.further++ // of the last text of the record before
		return nil
	case d.header != nil && l.breaks(n):
		d.begun, d.since, d.parts = append(d.begun[:0], line...), d.line, n
		return nil
	default:
		return d.fault(d.few(n, l.count))
	}
	if d.titles() {
		d.before++
		return nil
	}
	l.spread(d.fields, &d.values)
	return d.job()
}

// mostUnknown is how many lines may be in front of the header: what a shell or sacct itself
// wrote into the file.
const mostUnknown = 20

// refuse returns the fault of the first line that is nothing known, and counts the others,
// if that is wanted.
func (d *dump) refuse() error {
	var err error
	for _, f := range d.unknown {
		if err = d.skip(f); err != nil {
			break
		}
	}
	d.unknown = d.unknown[:0]
	return err
}

// most is how long a record may be that goes over several lines.
const most = 1 << 20

// more reads a line after one that ended in the middle of a text.
func (d *dump) more(line []byte) error {
	l := d.header
	d.fields = d.split(d.fields[:0], line)
	if len(d.fields) == l.count && l.like(d.fields) { // a record of its own
		return errors.Join(d.skip(d.give()), d.add(line))
	}
	if len(d.begun)+len(line) > most {
		return d.give()
	}
	d.begun = append(append(d.begun, '\n'), line...)
	if d.parts += len(d.fields); !d.fixed() {
		d.parts-- // the last field goes on in the line
	}
	if d.parts < l.count {
		return nil
	}
	if d.fields = d.split(d.fields[:0], d.begun); len(d.fields) < l.count {
		return nil
	}
	cells, why := d.share(l)
	if cells == nil {
		d.begun = d.begun[:0]
		f := d.fault(plural.Sprintf("%d field{|s} with the lines up to %d, want %d: %s", len(d.fields), d.line, l.count, why))
		f.Line = d.since
		return f
	}
	l.spread(cells, &d.values)
	err := d.job()
	d.begun = d.begun[:0]
	return err
}

// give returns the fault of a record that ended in the middle, if there is one.
func (d *dump) give() error {
	if len(d.begun) == 0 {
		return nil
	}
	f := d.fault(plural.Sprintf("%d field{|s}, want %d", len(d.split(nil, d.begun)), d.header.count))
	f.Line, d.begun = d.since, d.begun[:0]
	return f
}

func (d *dump) text(c column) string { return d.texts.Of(d.values[c]) }

func (d *dump) job() error {
	said := &d.values
	if d.header.plain() {
		before := d.values
		said = &before
		if err := d.plainly(); err != nil {
			return err
		}
	}
	if c, cut := d.truncated(); cut {
		return d.bad(c, "cut off at the width of its column: run sacct again with --parsable2")
	}
	raw := d.values[colRaw]
	id, _, _ := bytes.Cut(d.values[colID], []byte{'['}) // sacct truncates long lists with "...".
	if bytes.IndexByte(raw, '.') >= 0 || bytes.IndexByte(id, '.') >= 0 {
		d.steps++
		return nil
	}
	if c := d.values[colCluster]; len(c) > 0 {
		switch {
		case d.options.Cluster != "" && string(c) != d.options.Cluster:
			d.others++
			return nil
		case d.cluster == "":
			d.cluster = string(c)
		case string(c) != d.cluster:
			return fmt.Errorf("sacct: %s:%d: jobs of cluster %q after those of %q: choose one with \"ostrich convert --clusters %s --to sacct\"", d.name, d.line, c, d.cluster, d.cluster)
		}
	}
	class := d.class()
	j := accounting.Job{Tasks: 1, Class: class.name, NameClass: class.name, KindClass: class.kind, Tool: class.tool, ByLine: class.byLine}
	var err error
	if j.ID, err = d.id(); err != nil {
		return err
	}
	var ok bool
	if bytes.HasPrefix(d.values[colState], []byte("REVOKED")) {
		d.ghosts++
		return nil
	}
	if j.State, ok = accounting.ParseState(d.values[colState]); !ok {
		return d.bad(colState, "not a state of a job")
	}
	if j.State == accounting.Suspended {
		j.State = accounting.Running
	}
	if err = d.array(&j); err != nil {
		return err
	}
	if err = d.who(&j); err != nil {
		return err
	}
	if err = d.when(&j); err != nil {
		return err
	}
	if j.Start == 0 && d.header.onlyHolds() && d.holdsNone() {
		d.unasked++
		return nil
	}
	if err = d.ask(&j); err != nil {
		return err
	}
	j.Backfilled = bytes.Contains(d.values[colFlags], []byte("SchedBackfill"))
	if p, ok := amount(d.values[colPriority], false); ok && p <= math.MaxUint32 {
		j.Priority = uint32(p)
	}
	if nodes := d.values[colNodeList]; some(nodes) && string(nodes) != noNodes {
		j.Where = d.jobs.Where(nodes)
	}
	if d.first == 0 || j.Submit < d.first {
		d.first = j.Submit
	}
	d.last = max(d.last, j.Submit)
	if n := d.jobs.Len(); n == sample && 0 < d.bytes && d.bytes < d.options.Size {
		d.jobs.Expect(int(float64(n) * slack * float64(d.options.Size) / float64(d.bytes)))
	}
	d.jobs.Add(j)
	if d.options.Copy != nil {
		return d.copy(said, &j)
	}
	return nil
}

// After so many jobs the size of a dump tells how many there are, give or take some.
const (
	sample = 1 << 12
	slack  = 1.03
)

func (d *dump) history() (*accounting.History, error) {
	if d.jobs.Len() == 0 {
		skipped, first := d.jobs.Skipped()
		switch {
		case d.ended != nil:
			return nil, fmt.Errorf("sacct: %s: %w up to where reading ended: %w", d.name, accounting.ErrEmpty, d.ended)
		case d.others > 0:
			return nil, plural.Errorf("sacct: %s: %w of cluster %s, but %d line{|s} of others", d.name, accounting.ErrEmpty, d.options.Cluster, d.others)
		case skipped > 0:
			return nil, plural.Errorf("sacct: %s: %w, and %d malformed line{|s}, the first: %w", d.name, accounting.ErrEmpty, skipped, first)
		case d.steps > 0:
			return nil, plural.Errorf("sacct: %s: %w, but %d line{|s} of job steps", d.name, accounting.ErrEmpty, d.steps)
		}
		return nil, fmt.Errorf("sacct: %s: %w in the dump%s", d.name, accounting.ErrEmpty, d.tree.says(": "))
	}
	where := d.zone.loc.String()
	for _, n := range []struct {
		count int
		text  string
	}{
		{d.steps, "%d line{|s} of job steps {is|are} left out."},
		{d.comments, "%d line{|s} that begin{s|} with # {is|are} left out."},
		{d.before, "%d line{|s} before the header {is|are} left out."},
		{d.further, "%d line{|s} {goes|go} on with the last text of a job, and {is|are} left out."},
		{d.others, "%d line{|s} of other clusters {is|are} left out."},
		{d.ghosts, "%d line{|s} of jobs that another cluster of the federation took {is|are} left out."},
		{d.unasked, "%d job{|s} that had not started {is|are} left out: {it|they} held no processors, and the dump has neither ReqCPUS nor ReqTRES, which tell how many {it|they} asked for."},
		{d.unnamed, "%d job{|s} {is|are} of a user without a name: the uid stands for it."},
		{d.partial, "%d record{|s} of pending arrays list{s|} the first tasks only: the others are left out."},
		{d.missing, "%d time{|s} {does|do} not exist in " + where + ", where the clocks were put forward: taken as an hour later. " +
			"If the dump was written in another time zone, name that one."},
		{d.settled, "%d time{|s} exist{s|} twice in " + where + ", where the clocks were put back: the job's elapsed time told which."},
		{d.open, "%d time{|s} exist{s|} twice in " + where + ", where the clocks were put back: taken as the first."},
		{d.longerHour, "%d job{|s} ran an hour longer than from start to end: the dump seems to be in a zone whose clocks were changed, not in " + where + ". {Its|Their} end is taken from the time {it|they} ran."},
		{d.shorterHour, "%d job{|s} ran an hour less than from start to end, as if {it|they} had stood still for just that: if {it was|they were} not suspended, the dump is in a zone whose clocks " +
			"were put forward, not in " + where + ": name its zone with --timezone."},
		{d.mendedHour, "%d job{|s} ran an hour less than from start to end, beside what {it was|they were} suspended: the dump is in a zone whose clocks were put forward, not in " + where + ": name its zone with --timezone. {Its|Their} end is taken from the time {it|they} ran."},
		{d.unsure, "%d job{|s} {has|have} a line of submission or a folder that the delimiter may have cut, and these are not read: let sacct put another one between the columns, --delimiter '^|^'."},
		{d.jobs.Early(3600), "%d job{|s} start{s|} up to an hour before {its|their} submission, as if the clocks had been put back in between: taken to start " +
			"with it. The dump seems not to be in " + where + ": name its zone with --timezone."},
		{d.unsaid, "%d job{|s} {does|do} not tell {its|their} processors: {it has|they have} one for each GPU, or one."},
		{d.longer, "%d job{|s} ran longer than from start to end: {its|their} end is taken as it stands."},
	} {
		if n.count > 0 {
			d.jobs.Note(n.text, n.count)
		}
	}
	if d.options.Made.mixed() {
		d.jobs.Note("Some dumps have JobIDRaw and others have not: a run of an array task that is in both kinds counts twice. Run sacct again with JobIDRaw.")
	}
	if d.shortened {
		d.jobs.Note("The last line of %s has no line feed: if it was cut off there, its last number is too small.", d.name)
	}
	d.tree.notes()
	h := d.unstarted(d.jobs.History(d.cluster, d.first, d.last+1))
	h.Lacks = d.lacks()
	return h, nil
}

// Package trace reads and writes workload logs in the Standard Workload Format of
// the Parallel Workloads Archive: one line of 18 numbers for each job, and a
// header of comment lines with "; Name: value". It reads those in the Grid Workload Format
// of the Grid Workloads Archive, too.
package trace

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/klauspost/compress/gzip"

	"slurm-ostrich/ostrich/internal/lines"
	"slurm-ostrich/ostrich/plural"
)

// Log is a workload log.
type Log struct {
	Header  []string // comment lines as they are, without the semicolon, or the # of some logs
	Records []Record

	// Key says what numbers stand for, if the log was made of something that has names; nil for
	// one that was read.
	Key *Key

	// Parts counts the lines of parts of a job (status 2 to 4) that were left out, because
	// another line has the job as a whole.
	Parts int

	// Skipped counts the lines that Options.Lenient left out, and Faults
	// holds the first of them, at most MaxFaults.
	Skipped int
	Faults  []error
}

// Key has the names of what a log numbers from 1 on, in the order of the numbers.
type Key struct {
	Users, Groups, Queues, Partitions []string

	Notes []string // on what was lost or changed
}

// User returns the name of a user, or the number if it has none.
func (k *Key) User(n int64) string {
	if k == nil || n < 1 || n > int64(len(k.Users)) {
		return strconv.FormatInt(n, 10)
	}
	return k.Users[n-1]
}

// MaxFaults is how many faults a Log keeps.
const MaxFaults = 10

// Options of Read.
type Options struct {
	// Lenient makes Read skip and count malformed lines, instead of giving up at
	// the first.
	Lenient bool
}

// A Fault is a malformed line.
type Fault struct {
	File  string
	Line  int
	Field int    // from 1; 0 if the whole line is malformed
	Text  string // of the field
	Why   string
}

func (f *Fault) Error() string {
	if f.Field == 0 {
		return fmt.Sprintf("trace: %s:%d: %s", f.File, f.Line, f.Why)
	}
	return fmt.Sprintf("trace: %s:%d: field %d (%s): %q: %s", f.File, f.Line, f.Field, fieldNames[f.Field-1], f.Text, f.Why)
}

// ErrEmpty marks a log without a job.
var ErrEmpty = errors.New("no job in the log")

// Open reads the log in a file, which may be compressed with gzip.
func Open(path string, o Options) (*Log, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("trace: %w", err)
	}
	defer f.Close() //nolint:errcheck // it was only read
	return Read(f, path, o)
}

// Read reads a log, which may be compressed with gzip. It rounds fractions of seconds and
// of kilobytes. A line may lack the last field, the think time. The name is for error
// messages. A log without a job is ErrEmpty.
//
// A log whose first line has 29 fields is in the Grid Workload Format, see GridFields.
func Read(r io.Reader, name string, o Options) (*Log, error) {
	text, err := Inflate(r)
	if err != nil {
		return nil, fmt.Errorf("trace: %s: %w", name, err)
	}
	in := lines.Reader{In: text, Most: 1 << 20, TooLong: errLong}
	log, grid := &Log{}, &gridNames{}
	for n := 1; ; n++ {
		line, err := in.Next()
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("trace: %s:%d: %w", name, n, err)
		}
		if fault := log.line(line, grid); fault != nil {
			fault.File, fault.Line = name, n
			if !o.Lenient {
				return nil, fault
			}
			if log.Skipped++; len(log.Faults) < MaxFaults {
				log.Faults = append(log.Faults, fault)
			}
		}
		if err != nil {
			break
		}
	}
	log.join()
	log.gridded(grid)
	if len(log.Records) == 0 {
		return log, fmt.Errorf("trace: %s: %w", name, ErrEmpty)
	}
	return log, nil
}

// join leaves out the parts of jobs that have a line as a whole. Where a log has both, the
// format has the run time of all parts in the line of the whole.
func (l *Log) join() {
	part := func(r Record) bool { return firstPart <= r.Status && r.Status <= lastPart }
	if !slices.ContainsFunc(l.Records, part) {
		return
	}
	whole := make(map[int64]bool)
	for i := range l.Records {
		if r := &l.Records[i]; !part(*r) {
			whole[r.Number] = true
		}
	}
	before := len(l.Records)
	l.Records = slices.DeleteFunc(l.Records, func(r Record) bool { return part(r) && whole[r.Number] })
	l.Parts = before - len(l.Records)
}

// Inflate returns a reader of text that may be compressed with gzip.
func Inflate(r io.Reader) (*bufio.Reader, error) {
	const size = 1 << 16 // no more than fits in a cache
	text := bufio.NewReaderSize(r, size)
	if magic, err := text.Peek(2); err == nil && magic[0] == 0x1f && magic[1] == 0x8b {
		z, err := gzip.NewReader(text)
		return bufio.NewReaderSize(inflated{z}, size), cutOff(err)
	}
	return text, nil
}

// inflated is what gzip makes of a file.
type inflated struct{ *gzip.Reader }

func (i inflated) Read(p []byte) (int, error) {
	n, err := i.Reader.Read(p)
	return n, cutOff(err)
}

// cutOff says of what the end came too early.
func cutOff(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("the compressed file is cut off: %w", err)
	}
	return err
}

// errLong marks a line longer than that of any log.
var errLong = errors.New("longer than a megabyte")

func (l *Log) line(line []byte, grid *gridNames) *Fault {
	var r Record
	if grid.used || !r.plain(line) {
		line = bytes.TrimLeft(bytes.TrimRight(line, "\r\n"), " \t")
		switch {
		case len(line) == 0:
			return nil
		case line[0] == ';' || line[0] == '#':
			l.Header = append(l.Header, string(line[1:]))
			return nil
		}
		texts := words(line)
		grid.used = grid.used || len(texts) == GridFields && len(l.Records) == 0
		if grid.used {
			if fault := r.gridFields(texts, grid); fault != nil {
				return fault
			}
		} else if fault := r.fields(texts); fault != nil {
			return fault
		}
	}
	if l.Records == nil {
		l.Records = make([]Record, 0, l.announced())
	}
	l.Records = append(l.Records, r)
	return nil
}

// announced returns how many records the header announces, within reason.
func (l *Log) announced() int64 {
	n := l.Number("MaxRecords")
	if n <= 0 {
		n = l.Number("MaxJobs")
	}
	return min(max(n, 1), 1<<18)
}

// plain reads a line of 18 numbers in digits; only the CPU time may have a
// fraction. It returns false for any other line, which fields then reads, with
// its faults. Reading a log spends most of its time here.
func (r *Record) plain(line []byte) bool {
	var whole [Fields]int64
	i := 0
	for f := range whole {
		for i < len(line) && (line[i] == ' ' || line[i] == '\t') {
			i++
		}
		negative := i < len(line) && line[i] == '-'
		if negative {
			i++
		}
		n, end := digits(0, line, i)
		if end == i || end-i > 18 {
			return false
		}
		if f == cpuField {
			x := float64(n)
			if end < len(line) && line[end] == '.' {
				point := end
				n, end = digits(n, line, point+1)
				// A whole number and a power of ten that a float64 holds
				// exactly: the quotient is what strconv.ParseFloat finds.
				if end == point+1 || end-i > 15 {
					return false
				}
				x = float64(n) / powers[end-point-1]
			}
			r.CPU = x
			if negative {
				r.CPU = -x
			}
		}
		if negative {
			n = -n
		}
		whole[f], i = n, end
		if i < len(line) && line[i] > ' ' {
			return false
		}
	}
	for i < len(line) && (line[i] == ' ' || line[i] == '\t') {
		i++
	}
	for i < len(line) && (line[i] == '\r' || line[i] == '\n') {
		i++
	}
	if i < len(line) {
		return false
	}
	r.Number, r.Submit, r.Wait, r.Run, r.Allocated = whole[0], whole[1], whole[2], whole[3], whole[4]
	r.Memory, r.Requested, r.Limit, r.RAM, r.Status = whole[6], whole[7], whole[8], whole[9], whole[10]
	r.User, r.Group, r.App, r.Queue, r.Partition = whole[11], whole[12], whole[13], whole[14], whole[15]
	r.Preceding, r.Think = whole[16], whole[17]
	return true
}

// digits continues a number n with the digits from a position on, and returns the
// number and where it ends.
func digits(n int64, line []byte, from int) (int64, int) {
	for ; from < len(line); from++ {
		d := line[from] - '0'
		if d > 9 {
			break
		}
		n = 10*n + int64(d)
	}
	return n, from
}

// powers are the powers of ten for a fraction of at most 15 characters.
var powers = [...]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14}

// fields reads the fields of any line and returns what is wrong with it.
func (r *Record) fields(texts [][]byte) *Fault {
	wholes := r.wholes()
	for i, text := range texts {
		if i >= Fields {
			return &Fault{Why: fmt.Sprintf("more than %d fields", Fields)}
		}
		if why := r.set(i, wholes[i], text); why != "" {
			return &Fault{Field: i + 1, Text: string(text), Why: why}
		}
	}
	if len(texts) == Fields-1 { // some logs have no think times
		r.Think = Unknown
	} else if len(texts) < Fields {
		return &Fault{Why: plural.Sprintf("%d field{|s} instead of %d", len(texts), Fields)}
	}
	return nil
}

// set sets a field, nil for the CPU time, and returns what is wrong with the text.
func (r *Record) set(at int, field *int64, text []byte) (why string) {
	var ok bool
	if field != nil {
		if *field, ok = parseWhole(text); ok {
			return ""
		}
		x, err := strconv.ParseFloat(string(text), 64)
		if math.Abs(x) >= 1<<53 {
			return "too large"
		}
		if !measured[at] || err != nil || math.IsNaN(x) || bytes.ContainsAny(text, "xXpP_") {
			return "not a whole number"
		}
		if *field = int64(math.Round(x)); *field == 0 && x > 0 && at == runField {
			*field = 1 // it ran
		}
		return ""
	}
	var err error
	if r.CPU, err = strconv.ParseFloat(string(text), 64); err != nil || math.IsNaN(r.CPU) || math.IsInf(r.CPU, 0) {
		return "not a number"
	}
	return ""
}

// parseWhole reads a whole number, also one written as "12.00".
func parseWhole(text []byte) (int64, bool) {
	number, negative := bytes.CutPrefix(text, []byte("-"))
	if !negative {
		number = bytes.TrimPrefix(text, []byte("+"))
	}
	number, fraction, _ := bytes.Cut(number, []byte("."))
	if len(bytes.Trim(fraction, "0")) > 0 {
		return 0, false
	}
	n, ok := lines.Digits(number)
	if negative {
		n = -n
	}
	return n, ok
}

// Values returns the different values that the header has for a name, ignoring case.
func (l *Log) Values(name string) (all []string) {
	for _, line := range l.Header {
		if is, value := Field(line); strings.EqualFold(is, name) && !slices.Contains(all, value) {
			all = append(all, value)
		}
	}
	return all
}

// Field returns the name and the value of a line of a header, such as " MaxProcs: 64" or
// "MaxProcs=64"; two empty texts of a line that has none.
func Field(line string) (name, value string) {
	i := strings.IndexAny(line, ":=")
	if i < 0 {
		return "", ""
	}
	return strings.TrimSpace(line[:i]), strings.TrimSpace(line[i+1:])
}

// Value returns the header's first value for a name such as "MaxProcs", ignoring case,
// and false if there is none.
func (l *Log) Value(name string) (string, bool) {
	all := l.Values(name)
	if len(all) == 0 {
		return "", false
	}
	return all[0], true
}

// grouped is a number with a comma, a blank or the like between its thousands.
var (
	grouped   = regexp.MustCompile(`^(\d{1,3}(?:[,'_ \x{a0}\x{202f}]\d{3})+)(?:[ ,;(]|$)`)
	thousands = strings.NewReplacer(",", "", "'", "", "_", "", " ", "", "\u00a0", "", "\u202f", "")
)

// Number returns the whole number with which the header's value for a name
// begins; 0 if there is none. "MaxNodes: 128 (64 of them large)" is 128, and "1,024" is
// 1024.
func (l *Log) Number(name string) int64 {
	text, ok := l.Value(name)
	if !ok {
		return 0
	}
	if m := grouped.FindStringSubmatch(text); m != nil {
		text = thousands.Replace(m[1])
	}
	text, _, _ = strings.Cut(text, " ")
	n, _ := parseWhole([]byte(strings.TrimRight(text, ",;")))
	return n
}

// Processors returns the size of the machine by the header: MaxProcs, else
// MaxNodes, else 0.
func (l *Log) Processors() int64 {
	if n := l.Number("MaxProcs"); n > 0 {
		return n
	}
	return max(l.Number("MaxNodes"), 0)
}

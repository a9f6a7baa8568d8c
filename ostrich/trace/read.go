package trace

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"
)

// Log is a workload log.
type Log struct {
	Header  []string // comment lines as they stand, without the semicolon
	Records []Record

	// Skipped counts the lines that Options.Lenient left out, and Faults
	// holds the first of them, at most MaxFaults.
	Skipped int
	Faults  []error
}

// MaxFaults is how many skipped lines a log remembers.
const MaxFaults = 10

// Options of Read.
type Options struct {
	// Lenient skips lines that are malformed, and counts them, instead of
	// giving up at the first.
	Lenient bool
}

// A Fault is a malformed line.
type Fault struct {
	File  string
	Line  int
	Field int    // from 1; 0 if the line as a whole is at fault
	Text  string // of the field
	Why   string
}

func (f *Fault) Error() string {
	if f.Field == 0 {
		return fmt.Sprintf("trace: %s:%d: %s", f.File, f.Line, f.Why)
	}
	return fmt.Sprintf("trace: %s:%d: field %d (%s): %q: %s", f.File, f.Line, f.Field, fieldNames[f.Field-1], f.Text, f.Why)
}

// ErrEmpty is a log without a job.
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

// Read reads a log, which may be compressed with gzip. The name is for error
// messages. A log without a job is ErrEmpty.
func Read(r io.Reader, name string, o Options) (*Log, error) {
	in := bufio.NewReaderSize(r, 1<<20)
	if magic, err := in.Peek(2); err == nil && magic[0] == 0x1f && magic[1] == 0x8b {
		z, err := gzip.NewReader(in)
		if err != nil {
			return nil, fmt.Errorf("trace: %s: %w", name, err)
		}
		in = bufio.NewReaderSize(z, 1<<20)
	}
	log := &Log{}
	for n := 1; ; n++ {
		line, err := in.ReadSlice('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			if errors.Is(err, bufio.ErrBufferFull) {
				err = errors.New("longer than a megabyte")
			}
			return nil, fmt.Errorf("trace: %s:%d: %w", name, n, err)
		}
		if fault := log.line(line); fault != nil {
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
	if len(log.Records) == 0 {
		return log, fmt.Errorf("trace: %s: %w", name, ErrEmpty)
	}
	return log, nil
}

// line takes one line.
func (l *Log) line(line []byte) *Fault {
	line = bytes.TrimLeft(bytes.TrimRight(line, "\r\n"), " \t")
	switch {
	case len(line) == 0:
		return nil
	case line[0] == ';':
		l.Header = append(l.Header, string(line[1:]))
		return nil
	}
	var r Record
	i := 0
	for rest := line; ; i++ {
		for len(rest) > 0 && (rest[0] == ' ' || rest[0] == '\t') {
			rest = rest[1:]
		}
		if len(rest) == 0 {
			break
		}
		end := 0
		for end < len(rest) && rest[end] != ' ' && rest[end] != '\t' {
			end++
		}
		if i >= Fields {
			return &Fault{Why: fmt.Sprintf("more than %d fields", Fields)}
		}
		if why := r.set(i, rest[:end]); why != "" {
			return &Fault{Field: i + 1, Text: string(rest[:end]), Why: why}
		}
		rest = rest[end:]
	}
	if i < Fields {
		return &Fault{Why: fmt.Sprintf("%d fields instead of %d", i, Fields)}
	}
	l.Records = append(l.Records, r)
	return nil
}

// set takes a field and tells what is wrong with it.
func (r *Record) set(i int, text []byte) (why string) {
	p := r.whole(i)
	if p == nil {
		x, err := strconv.ParseFloat(string(text), 64)
		if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
			return "not a number"
		}
		r.CPU = x
		return ""
	}
	n, ok := parseWhole(text)
	if !ok {
		return "not a whole number"
	}
	*p = n
	return ""
}

// parseWhole reads a whole number, also one written as "12.00". It is what
// reading a log spends its time on.
func parseWhole(text []byte) (int64, bool) {
	digits, negative := text, false
	if len(digits) > 0 && (digits[0] == '-' || digits[0] == '+') {
		negative = digits[0] == '-'
		digits = digits[1:]
	}
	if i := bytes.IndexByte(digits, '.'); i >= 0 {
		if len(bytes.Trim(digits[i+1:], "0")) > 0 {
			return 0, false
		}
		digits = digits[:i]
	}
	if len(digits) == 0 || len(digits) > 18 {
		return 0, false
	}
	var n int64
	for _, d := range digits {
		if d < '0' || d > '9' {
			return 0, false
		}
		n = 10*n + int64(d-'0')
	}
	if negative {
		n = -n
	}
	return n, true
}

// Value returns what the header says of a name such as "MaxProcs", without
// regard to case, and false if it says nothing.
func (l *Log) Value(name string) (string, bool) {
	for _, line := range l.Header {
		key, value, ok := strings.Cut(line, ":")
		if ok && strings.EqualFold(strings.TrimSpace(key), name) {
			return strings.TrimSpace(value), true
		}
	}
	return "", false
}

// Number returns what the header says of a name, as the whole number that it
// begins with; 0 if there is none. A line such as "MaxNodes: 128 (64 of them
// large)" is 128.
func (l *Log) Number(name string) int64 {
	text, ok := l.Value(name)
	if !ok {
		return 0
	}
	text, _, _ = strings.Cut(text, " ")
	n, ok := parseWhole([]byte(strings.TrimRight(text, ",;")))
	if !ok {
		return 0
	}
	return n
}

// Processors is the size of the machine by the header: MaxProcs, or else
// MaxNodes; 0 if the header tells neither.
func (l *Log) Processors() int64 {
	if n := l.Number("MaxProcs"); n > 0 {
		return n
	}
	return max(l.Number("MaxNodes"), 0)
}

package simulation

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"

	"slurm-ostrich/ostrich/accounting/sacct"
	"slurm-ostrich/ostrich/trace"
)

// head is how many bytes at the beginning of a file are looked at.
const head = 4096

// magics are the first bytes of files that are compressed by other programs than
// gzip.
var magics = []struct{ program, bytes string }{
	{"xz", "\xfd7zXZ\x00"}, {"zstd", "\x28\xb5\x2f\xfd"}, {"bzip2", "BZh"}, {"zip", "PK\x03\x04"}, {"gzip, twice", "\x1f\x8b"},
}

// likeJSON matches a line that begins as JSON does. A prompt of a shell may begin with a bracket
// too.
var likeJSON = regexp.MustCompile(`^(\{|\[\s*($|[\]{\["0-9-]))`)

// likeYAML matches a line that begins as sacct --yaml does.
var likeYAML = regexp.MustCompile(`^(%YAML |---( |$)|(!!str )?(jobs|meta|errors|warnings):)`)

// unlike says what a file seems to be, by the beginning of its text, if it is not what the
// option reads ("swf" or "sacct"); "" if nothing speaks against that.
func unlike(option string, text []byte) string {
	for _, m := range magics {
		if bytes.HasPrefix(text, []byte(m.bytes)) {
			return fmt.Sprintf("is compressed with %s: unpack it first; only gzip is read as it is", m.program)
		}
	}
	for _, mark := range []string{"\xff\xfe", "\xfe\xff"} {
		if bytes.HasPrefix(text, []byte(mark)) {
			return "is text in UTF-16: save it as UTF-8"
		}
	}
	control := 0 // characters that no text has, but for a stray one
	for _, c := range text {
		if c < ' ' && !bytes.ContainsRune([]byte("\t\n\v\f\r"), rune(c)) {
			control++
		}
	}
	if control > len(text)/64 || bytes.IndexByte(text, 0) >= 0 {
		if len(text) > 262 && string(text[257:262]) == "ustar" {
			return "is a tar archive: unpack it first"
		}
		return "is not text"
	}
	if bytes.IndexByte(text, '\r') >= 0 && bytes.IndexByte(text, '\n') < 0 {
		return "has a carriage return at the end of each line, and nothing else: put new lines in their place"
	}
	var line, next []byte
	for l := range bytes.Lines(text) {
		if l = bytes.TrimSpace(l); len(l) == 0 {
			continue
		} else if line == nil {
			line = l
		} else {
			next = l
			break
		}
	}
	const command = `run sacct again as docs/compare.md has it`
	numbers := len(bytes.Fields(line)) == trace.Fields && bytes.IndexByte(line, '|') < 0
	log := bytes.HasPrefix(line, []byte{';'}) || numbers && '0' <= line[0] && line[0] <= '9'
	dump := bytes.Count(line, []byte{'|'}) >= 4 || option == "sacct" && NamesColumns(text)
	switch {
	case option == "sacct" && log:
		return "seems to be a workload log: --swf reads it"
	case option == "swf" && dump:
		return `seems to be a dump of sacct: --sacct reads it, or {sacct: FILE} among the traces of a sweep`
	case dump || log:
		return ""
	case likeYAML.MatchString(string(line)) && option == "sacct":
		return "seems to be YAML: run sacct again with --json in place of --yaml"
	case likeJSON.MatchString(string(line)) && option == "sacct":
		return "" // which it reads
	case likeJSON.MatchString(string(line)):
		return "seems to be JSON: a log in the Standard Workload Format has 18 numbers in a line"
	case len(bytes.Trim(next, "- ")) == 0 && len(next) > 0:
		return "seems to be what sacct prints without --parsable2: " + command
	}
	for _, by := range []struct{ name, mark string }{{"commas", ","}, {"semicolons", ";"}, {"tabs", "\t"}} {
		if bytes.Count(line, []byte(by.mark)) >= 4 {
			if option == "sacct" {
				return fmt.Sprintf("seems to be separated by %s: name its columns with --columns and --delimiter, or %s", by.name, command)
			}
			return fmt.Sprintf("seems to be separated by %s: a log in the Standard Workload Format has 18 numbers in a line, separated by blanks", by.name)
		}
	}
	return ""
}

// NamesColumns reports whether a text begins with names of sacct's columns.
func NamesColumns(text []byte) bool {
	for line := range bytes.Lines(text) {
		if line = bytes.TrimSpace(line); len(line) > 0 && line[0] != '#' {
			return bytes.Contains(bytes.ToLower(line), []byte("jobid"))
		}
	}
	return false
}

// readFile calls read with the unpacked text of the file of an option ("swf" or "sacct"),
// or of standard input for "-".
func readFile(option, path string, lenient bool, read func(in io.Reader, name string) error) error {
	prefix, name, file := "", path, os.Stdin
	if option == "swf" {
		prefix = "trace: "
		if path == "-" {
			name = "standard input"
		}
	}
	if path != "-" {
		var err error
		if file, err = os.Open(path); err != nil {
			return fmt.Errorf("%s%w", prefix, err)
		}
		defer func() { _ = file.Close() }() // it was only read
	}
	in, err := trace.Inflate(file)
	if err != nil {
		return fmt.Errorf("%s%s: %w", prefix, name, err)
	}
	text, _ := in.Peek(head) // read meets its error again.
	text = slices.Clone(text)
	if err = read(in, name); err != nil {
		return refused(option, name, text, lenient, err)
	}
	return nil
}

// sizeOf returns how many bytes of text a file has, 0 if that is not known: of a compressed one, or of
// one that is no regular file.
func sizeOf(path string) int64 {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || strings.HasSuffix(path, ".gz") {
		return 0
	}
	return info.Size()
}

// refused adds to the error of a file that cannot be read what the file seems to
// be, or how to skip a malformed line if it has others.
func refused(option, path string, text []byte, lenient bool, err error) error {
	var dump *sacct.Fault
	var log *trace.Fault
	if what := unlike(option, text); what != "" {
		return fmt.Errorf("%s: %s", path, what)
	}
	if errors.As(err, &dump) && dump.Ends {
		return err // nothing behind it can be read
	}
	if errors.As(err, &dump) && dump.Column > 0 && !lenient {
		return fmt.Errorf("%w; --lenient skips malformed jobs", err)
	}
	const columns = 5 // of a dump, at least
	if !lenient && (errors.As(err, &log) || errors.As(err, &dump) && (NamesColumns(text) || bytes.Count(text, []byte{'|'}) >= columns-1)) {
		return fmt.Errorf("%w; --lenient skips malformed lines", err)
	}
	return err
}

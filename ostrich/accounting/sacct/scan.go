package sacct

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// scanner reads JSON piece by piece, of which it holds one. Its errors are Faults that say
// where the text is not JSON, or errors of the reader.
type scanner struct {
	in   io.Reader
	name string // of the file

	buf      []byte // read and not used
	page     []byte // in which buf lies
	used     int64  // bytes before buf
	line     int    // from 1
	lineFrom int64  // where it begins
	text     []byte // of a string that is not in buf as it is
	key      []byte // of the value that comes
	half     rune   // with which the text ends: the first half of a letter, of which the second may come
	depth    int    // of brackets
	failed   error  // of in; io.EOF at its end
}

// longest is how many bytes a string may have: names and lines of submission have some MiB
// at most.
const longest = 1 << 24

// deepest is how many values may be inside one another. What sacct writes has ten.
const deepest = 64

func newScanner(in io.Reader, name string) *scanner {
	return &scanner{in: in, name: name, page: make([]byte, 1<<16), line: 1}
}

// fill reads more. It returns false at the end, and after an error.
func (s *scanner) fill() bool {
	for len(s.buf) == 0 && s.failed == nil {
		n, err := s.in.Read(s.page)
		s.buf, s.failed = s.page[:n], err
	}
	return len(s.buf) > 0
}

func (s *scanner) use(n int) { s.buf, s.used = s.buf[n:], s.used+int64(n) }

// place is where something stands in a file.
type place struct{ line, column int }

func (s *scanner) here() place { return place{s.line, int(s.used-s.lineFrom) + 1} }

func (s *scanner) fault(p place, why string) error {
	return &Fault{File: s.name, Line: p.line, Column: p.column, Why: why, Ends: true}
}

// wrong returns the fault that something else was expected here.
func (s *scanner) wrong(want string) error {
	switch {
	case s.fill():
		r, n := utf8.DecodeRune(s.buf) // of a letter that goes over the end of the buffer only its first byte
		if r == utf8.RuneError && n <= 1 {
			return s.fault(s.here(), fmt.Sprintf("%#02x, where %s was expected", s.buf[0], want))
		}
		return s.fault(s.here(), fmt.Sprintf("%q, where %s was expected", r, want))
	case errors.Is(s.failed, io.EOF):
		return s.fault(s.here(), "the file ends, where "+want+" was expected")
	}
	return fmt.Errorf("sacct: %s:%d: %w", s.name, s.line, s.failed)
}

// next returns the next byte that is no space, without using it; 0 at the end.
func (s *scanner) next() byte {
	for s.fill() {
		for i, c := range s.buf {
			switch c {
			case '\n':
				s.line++
				s.lineFrom = s.used + int64(i) + 1
			case ' ', '\t', '\r':
			default:
				s.use(i)
				return c
			}
		}
		s.use(len(s.buf))
	}
	return 0
}

// take uses the next byte that is no space, which must be c.
func (s *scanner) take(c byte) error {
	if s.next() != c || len(s.buf) == 0 {
		return s.wrong(fmt.Sprintf("%q", c))
	}
	s.use(1)
	return nil
}

// object reads an object. It calls each with every key, which is valid until each reads the
// value.
func (s *scanner) object(each func(key []byte) error) error {
	return s.items('{', '}', "a name in quotes or }", func() error {
		key, err := s.string("a name in quotes or }")
		if err != nil {
			return err
		}
		s.key = append(s.key[:0], key...)
		if err = s.take(':'); err != nil {
			return err
		}
		return each(s.key)
	})
}

// array reads an array. It calls each in front of every value; each reads it.
func (s *scanner) array(each func() error) error { return s.items('[', ']', "a value", each) }

// items reads what stands between brackets, with commas in between.
func (s *scanner) items(open, end byte, want string, each func() error) error {
	if err := s.take(open); err != nil {
		return err
	}
	if s.depth++; s.depth > deepest {
		return s.fault(s.here(), fmt.Sprintf("more than %d brackets inside one another", deepest))
	}
	defer func() { s.depth-- }()
	if s.next() == end {
		s.use(1)
		return nil
	}
	for {
		if s.next() == end {
			return s.wrong(want)
		}
		if err := each(); err != nil {
			return err
		}
		switch s.next() {
		case ',':
			s.use(1)
		case end:
			s.use(1)
			return nil
		default:
			return s.wrong(fmt.Sprintf("a comma or %q", end))
		}
	}
}

// scalar reads a string, a number, true, false or null, and reports whether it was in quotes.
// It is valid until the next call of a method.
func (s *scanner) scalar() (text []byte, quoted bool, err error) {
	const want = "a value"
	switch c := s.next(); {
	case c == '"':
		text, err = s.string(want)
		return text, true, err
	case c == '-' || '0' <= c && c <= '9':
		text = s.run(func(c byte) bool { return c == '-' || c == '+' || c == '.' || c|0x20 == 'e' || '0' <= c && c <= '9' })
		return text, false, nil
	case 'a' <= c && c <= 'z':
		at := s.here()
		text = s.run(func(c byte) bool { return 'a' <= c && c <= 'z' })
		switch string(text) {
		case "true", "false", "null":
			return text, false, nil
		}
		return nil, false, s.fault(at, fmt.Sprintf("%q, where %s was expected", text[:min(len(text), 20)], want))
	}
	return nil, false, s.wrong(want)
}

// run reads the bytes from here on that are like that, at most some hundred.
func (s *scanner) run(like func(c byte) bool) []byte {
	s.text = s.text[:0]
	for s.fill() && len(s.text) < 256 && like(s.buf[0]) {
		s.text = append(s.text, s.buf[0])
		s.use(1)
	}
	return s.text
}

func (s *scanner) string(want string) ([]byte, error) {
	if s.next() != '"' {
		return nil, s.wrong(want)
	}
	from := s.here()
	s.use(1)
	if i := bytes.IndexAny(s.buf, "\"\\"); i >= 0 && s.buf[i] == '"' && bytes.IndexByte(s.buf[:i], '\n') < 0 {
		text := s.buf[:i]
		s.use(i + 1)
		return text, nil
	}
	s.text, s.half = s.text[:0], 0
	for s.fill() {
		i := bytes.IndexAny(s.buf, "\"\\\n")
		if i < 0 {
			i = len(s.buf)
		}
		if i > 0 {
			s.half = 0
		}
		if s.text = append(s.text, s.buf[:i]...); len(s.text) > longest {
			return nil, s.fault(from, fmt.Sprintf("a text longer than %d MiB", longest>>20))
		}
		s.use(i)
		if len(s.buf) == 0 {
			continue
		}
		switch s.buf[0] {
		case '"':
			s.use(1)
			return s.text, nil
		case '\n':
			return nil, s.wrong("the end of the text that begins in column " + strconv.Itoa(from.column))
		}
		if err := s.escape(); err != nil {
			return nil, err
		}
	}
	return nil, s.wrong(fmt.Sprintf("the end of the text that begins in line %d, column %d,", from.line, from.column))
}

// escapes are what may follow a backslash but u, and what it stands for.
var escapes = map[byte]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// escape appends to the text what a backslash stands for with what follows. Half of a letter alone is
// U+FFFD, as encoding/json has it.
func (s *scanner) escape() error {
	const want = `", \, /, b, f, n, r, t or u and four hexadecimal digits`
	half := s.half
	s.half = 0
	s.use(1)
	if !s.fill() {
		return s.wrong(want)
	}
	if c, is := escapes[s.buf[0]]; is {
		s.use(1)
		s.text = append(s.text, c)
		return nil
	}
	if s.buf[0] != 'u' {
		return s.wrong(want)
	}
	s.use(1)
	unit, err := s.hex(want)
	if err != nil {
		return err
	}
	switch letter := utf16.DecodeRune(half, rune(unit)); {
	case letter != utf8.RuneError:
		s.text = utf8.AppendRune(s.text[:len(s.text)-len(string(utf8.RuneError))], letter)
	case utf16.IsSurrogate(rune(unit)):
		s.text, s.half = utf8.AppendRune(s.text, utf8.RuneError), rune(unit)
	default:
		s.text = utf8.AppendRune(s.text, rune(unit))
	}
	return nil
}

// hex reads four hexadecimal digits.
func (s *scanner) hex(want string) (n uint16, err error) {
	for range 4 {
		if !s.fill() {
			return 0, s.wrong(want)
		}
		digit := bytes.IndexByte([]byte("0123456789abcdef"), s.buf[0]|0x20)
		if c := s.buf[0]; digit < 0 || c < '0' || '9' < c && c < 'A' {
			return 0, s.wrong(want)
		}
		n = n<<4 | uint16(digit)
		s.use(1)
	}
	return n, nil
}

// skip reads a value that nobody needs. It sees to brackets and quotes only.
func (s *scanner) skip() error {
	open := 0
	for {
		switch c := s.next(); {
		case c == 0 && len(s.buf) == 0:
			return s.wrong("a value")
		case c == '"':
			if _, err := s.string("a text"); err != nil {
				return err
			}
		case c == '{' || c == '[':
			open++
			s.use(1)
			continue
		case c == '}' || c == ']' || c == ',' || c == ':':
			if open == 0 {
				return s.wrong("a value")
			}
			if s.use(1); c == '}' || c == ']' {
				open--
			}
			if c == ',' || c == ':' {
				continue
			}
		default:
			if _, _, err := s.scalar(); err != nil {
				return err
			}
		}
		if open == 0 {
			return nil
		}
	}
}

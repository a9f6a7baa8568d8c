package sacct

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"unicode"

	"slurm-ostrich/ostrich/plural"
)

// split cuts a line at each delimiter. A blank as the delimiter is that of columns of
// fixed widths, as sacct prints them without --parsable2.
func (d *dump) split(fields [][]byte, line []byte) [][]byte {
	switch {
	case d.bounds != nil:
		from := 0
		for _, to := range d.bounds {
			to = min(to, len(line))
			fields = append(fields, bytes.TrimSpace(line[min(from, to):to]))
			from = to
		}
		return fields
	case d.fixed():
		return blanks(fields, line)
	case len(d.mark) > 1:
		return append(fields, bytes.Split(line, d.mark)...)
	}
	mark := d.mark[0]
	for {
		i := bytes.IndexByte(line, mark)
		if i < 0 {
			return append(fields, line)
		}
		fields = append(fields, line[:i])
		line = line[i+1:]
	}
}

// trimEnd returns a line without what ends it.
func trimEnd(line []byte) []byte {
	for len(line) > 0 && (line[len(line)-1] == '\n' || line[len(line)-1] == '\r') {
		line = line[:len(line)-1]
	}
	return line
}

// direct reports whether lines can be cut into the columns at once: one character separates them.
func (d *dump) direct() bool {
	return d.bounds == nil && len(d.mark) == 1 && d.mark[0] != ' ' && !d.header.plain()
}

// cut cuts a line at each mark and assigns the fields to what is read. It is false if they are
// not one for each column. It looks at eight characters at a time.
func (l *layout) cut(line []byte, mark byte, values *[columns][]byte) bool {
	const low, each = 0x7f7f7f7f7f7f7f7f, 0x0101010101010101
	marks, column, from := each*uint64(mark), 0, 0
	for at := 0; at < len(line); at += 8 {
		var word uint64
		if at+8 <= len(line) {
			word = binary.LittleEndian.Uint64(line[at:])
		} else {
			var rest [8]byte
			for i := range rest {
				rest[i] = ^mark // is none
			}
			copy(rest[:], line[at:])
			word = binary.LittleEndian.Uint64(rest[:])
		}
		word ^= marks // now a mark is 0
		for found := ^(word&low + low | word | low); found != 0; found &= found - 1 {
			if column == len(l.to)-1 {
				return false
			}
			end := at + bits.TrailingZeros64(found)/8
			if to := l.to[column]; to >= 0 {
				values[to] = line[from:end]
			}
			column, from = column+1, end+1
		}
	}
	if column != len(l.to)-1 {
		return false
	}
	if to := l.to[column]; to >= 0 {
		values[to] = line[from:]
	}
	return true
}

// fixed reports whether blanks separate the columns.
func (d *dump) fixed() bool { return len(d.mark) == 1 && d.mark[0] == ' ' }

// blanks cuts a line at its blanks, except in the values of sacct's that have some.
func blanks(fields [][]byte, line []byte) [][]byte {
	words := bytes.Fields(line)
	for i := 0; i < len(words); i++ {
		word := words[i]
		switch {
		case string(word) == "CANCELLED" && i+2 < len(words) && string(words[i+1]) == "by":
			i += 2
		case string(word) == "None" && i+1 < len(words) && string(words[i+1]) == "assigned":
			i++
			word = []byte(noNodes)
		}
		fields = append(fields, word)
	}
	return fields
}

// dashes returns where columns of fixed widths end, by the line below their names.
func dashes(line []byte) []int {
	var ends []int
	for i := range line {
		if line[i] == '-' && (i+1 == len(line) || line[i+1] == ' ') {
			ends = append(ends, i+1)
		}
	}
	return ends
}

// names returns the names of the columns if the line is a header, and else nil. Of the
// first header it takes the delimiter, unless that is given: what stands between two
// names.
func (d *dump) names(line []byte) []string {
	mark := d.mark
	if d.header == nil && d.options.Delimiter == "" {
		mark = between(line)
	}
	if len(mark) == 0 {
		return nil
	}
	fields := (&dump{mark: mark}).split(nil, line)
	if !isHeader(fields) {
		return nil
	}
	d.mark = mark
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = string(f)
	}
	return names
}

// between returns what stands between the first two words of a line: a blank for any
// number of them.
func between(line []byte) []byte {
	line = bytes.TrimLeft(line, " ")
	letter := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' }
	_, after := cutFunc(line, func(r rune) bool { return !letter(r) })
	mark, _ := cutFunc(after, letter)
	if len(mark) > 0 && len(bytes.Trim(mark, " ")) == 0 {
		return []byte{' '}
	}
	return bytes.Clone(mark)
}

// cutFunc cuts a line in front of the first rune of which f is true.
func cutFunc(line []byte, f func(rune) bool) (before, after []byte) {
	i := bytes.IndexFunc(line, f)
	if i < 0 {
		return line, nil
	}
	return line[:i], line[i:]
}

// startsWith reports whether a field can be the first one of a record.
func (l *layout) startsWith(field []byte) bool { return l.kinds[0] == nil || l.kinds[0](field) }

// breaks reports whether a line of n fields can end in the middle of a text.
func (l *layout) breaks(n int) bool {
	for _, free := range l.free[:n] {
		if free {
			return true
		}
	}
	return false
}

// like reports whether fields, one for each column, look like a record.
func (l *layout) like(fields [][]byte) bool {
	for i, looks := range l.kinds {
		if looks != nil && !looks(fields[i]) {
			return false
		}
	}
	return true
}

// truncated returns a column of fixed width that sacct has cut off, with a + at its end,
// if its beginning does not tell the rest.
func (d *dump) truncated() (column, bool) {
	if !d.fixed() {
		return 0, false
	}
	for c, text := range d.values {
		if c := column(c); c != colState && c != colName && bytes.HasSuffix(text, []byte{'+'}) {
			return c, true
		}
	}
	return 0, false
}

// few says what is wrong with a line that has too few fields.
func (d *dump) few(n, want int) string {
	if n == 1 && !d.fixed() {
		return plural.Sprintf("no %q in it, which stands between %d column{|s} unless --delimiter names another text", d.mark, want)
	}
	return plural.Sprintf("%d field{|s}, want %d", n, want)
}

// Package lines reads text line by line, without copying most lines, and reads
// numbers.
package lines

import (
	"bufio"
	"bytes"
	"errors"
)

// Reader reads lines from In. A line of more than Most bytes is the error TooLong. Most is
// a multiple of In's buffer.
type Reader struct {
	In      *bufio.Reader
	Most    int
	TooLong error

	long  []byte // reused, for lines longer than the buffer
	begun bool
}

// Mark is the byte order mark with which some programs begin a text.
var Mark = []byte("\ufeff")

// Next returns the next line with its end, valid until the next call, without the Mark
// at the beginning of the text. io.EOF
// comes with the last line, which may be empty.
func (r *Reader) Next() ([]byte, error) {
	if !r.begun {
		r.begun = true
		if first, _ := r.In.Peek(len(Mark)); bytes.Equal(first, Mark) {
			_, _ = r.In.Discard(len(Mark)) // they are in the buffer
		}
	}
	line, err := r.In.ReadSlice('\n')
	if !errors.Is(err, bufio.ErrBufferFull) {
		return line, err
	}
	r.long = r.long[:0]
	for errors.Is(err, bufio.ErrBufferFull) {
		if r.long = append(r.long, line...); len(r.long) >= r.Most {
			return nil, r.TooLong
		}
		line, err = r.In.ReadSlice('\n')
	}
	r.long = append(r.long, line...)
	return r.long, err
}

// Digits reads a number of at most 18 digits and nothing else.
func Digits(b []byte) (int64, bool) {
	if len(b) == 0 || len(b) > 18 {
		return 0, false
	}
	n := int64(0)
	for _, c := range b {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int64(c-'0')
	}
	return n, true
}

// Package lines reads text line by line, without a copy of most lines.
package lines

import (
	"bufio"
	"errors"
)

// Reader reads lines from In. None may be as long as Most bytes: TooLong is the
// error then.
type Reader struct {
	In      *bufio.Reader
	Most    int
	TooLong error

	long []byte // reused, for lines longer than the buffer
}

// Next is the next line with its end, valid until the one after it is asked
// for. With the last one, which may be empty, comes io.EOF.
func (r *Reader) Next() ([]byte, error) {
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

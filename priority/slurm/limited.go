package slurm

import (
	"bytes"
	"errors"
	"io"
)

const (
	// mostOutput is how much a command may print. A record of squeue's takes some
	// 200 bytes besides the job's name or comment, and few of these are longer
	// than 1 kB. This is enough for 100 000 pending jobs with 2.6 kB each.
	mostOutput = 256 << 20
	// mostWords is how much a command may print on standard error, and
	// mostWordsEach how much more for each change of a burst: scontrol repeats a
	// line or two of each.
	mostWords     = 64 << 10
	mostWordsEach = 4 << 10
)

// ErrOutput says that a command printed more than any real answer has, and was
// ended.
var ErrOutput = errors.New("too much output")

// limited keeps what a command prints, up to most bytes. It drops the rest and
// calls full, which ends the command.
type limited struct {
	text bytes.Buffer // not embedded, because its ReadFrom would bypass Write
	most int
	full func()
	over bool // there was more
}

// Write never returns an error: full ends the command.
func (l *limited) Write(p []byte) (int, error) {
	room := l.most - l.text.Len()
	if len(p) > room && !l.over {
		l.over = true
		l.full()
	}
	_, err := l.text.Write(p[:min(len(p), room)])
	return len(p), err
}

// stopping passes on what a command prints. The first error of the writer ends the command.
type stopping struct {
	to   io.Writer
	stop func()
	err  error
}

// Write never returns an error: stop ends the command.
func (s *stopping) Write(p []byte) (int, error) {
	if s.err != nil {
		return len(p), nil //nolint:nilerr // whoever runs the command looks at err
	}
	if _, s.err = s.to.Write(p); s.err != nil {
		s.stop()
	}
	return len(p), nil
}

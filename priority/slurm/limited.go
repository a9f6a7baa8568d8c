package slurm

import (
	"bytes"
	"errors"
)

const (
	// mostOutput is how much a command may print. A record of squeue's takes
	// some 200 bytes beside the job's name or comment, of which few are longer
	// than 1 kB: it is enough for 100 000 pending jobs with 2.6 kB each.
	mostOutput = 256 << 20
	// mostWords is how much a command may say on its standard error, and
	// mostWordsEach how much more for each change of a burst, of which scontrol
	// repeats a line or two.
	mostWords     = 64 << 10
	mostWordsEach = 4 << 10
)

// ErrOutput tells that a command printed more than can be an answer, and was
// ended.
var ErrOutput = errors.New("too much output")

// limited holds what a command prints, up to most bytes. What comes beyond is
// dropped, and full is called, which ends the command.
type limited struct {
	text bytes.Buffer // a field, as its ReadFrom would go round Write
	most int
	full func()
	over bool // there was more
}

// Write never returns an error: the command ends otherwise.
func (l *limited) Write(p []byte) (int, error) {
	room := l.most - l.text.Len()
	if len(p) > room && !l.over {
		l.over = true
		l.full()
	}
	_, err := l.text.Write(p[:min(len(p), room)])
	return len(p), err
}

package sidecar

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/trial"
	"slurm-ostrich/priority/privilege"
)

// The draw of a trial, and what was in force when, are kept in a file beside the journal: a
// line of JSON for the draw, and one every few minutes and at each switch for the time up to
// which an arm has been in force. What no such line covers is time in which the daemon was
// down or could not do its cycles.

// trialSuffix is added to the journal's path.
const trialSuffix = ".trial"

// TrialFile returns the file of the trials of a journal.
func TrialFile(journal string) string { return journal + trialSuffix }

// ErrTrialLine means that a line of a trial's file is no record; the others were read.
var ErrTrialLine = errors.New("not a record of a trial")

type trialLine struct {
	Time  ostrich.Time  `json:"time"`
	Drawn *trial.Design `json:"drawn,omitempty"`
	Arms  string        `json:"arms,omitempty"`  // of the period that has Time and those after it: O is OStrich, s is stock
	Since ostrich.Time  `json:"since,omitempty"` // since when Arm was in force, up to Time
	Arm   *trial.Arm    `json:"arm,omitempty"`
}

// Drawn is the latest trial of a file.
type Drawn struct {
	Design trial.Design
	At     ostrich.Time // when it was drawn
	Spans  []Span       // in which it was known what is in force, in the order of time
}

// Span is a time in which an arm was in force.
type Span struct {
	From, To ostrich.Time
	Arm      trial.Arm
}

// Arms writes the arms of periods, a letter each.
func Arms(periods []trial.Period) string {
	letters := make([]byte, len(periods))
	for i, p := range periods {
		letters[i] = "sO"[p.Arm]
	}
	return string(letters)
}

func drawnLine(d *trial.Design, now ostrich.Time) *trialLine {
	p, _ := d.At(now)
	return &trialLine{Time: now, Drawn: d, Arms: Arms(d.Between(p.From, d.Until))}
}

// appendTrial adds a line, and waits until it is on disk. A last line that a crash cut off is ended first.
func appendTrial(path string, line *trialLine) error {
	text, err := json.Marshal(line)
	if err != nil {
		return err
	}
	text = append(text, '\n')
	err = privilege.Do(filepath.Dir(path), func() error { return appendText(path, text) })
	if err != nil {
		return fmt.Errorf("trial: %w", err)
	}
	return nil
}

func appendText(path string, text []byte) error {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_APPEND|os.O_CREATE|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0o640)
	if err != nil {
		return err
	}
	last := make([]byte, 1)
	if info, bad := file.Stat(); bad == nil && info.Size() > 0 {
		if _, bad = file.ReadAt(last, info.Size()-1); bad == nil && last[0] != '\n' {
			text = append([]byte{'\n'}, text...)
		}
	}
	_, err = file.Write(text)
	return errors.Join(err, file.Sync(), file.Close())
}

// ReadTrial returns the latest trial of a file, nil if there is none. With ErrTrialLine, which names the first
// bad line, the trial is what the other lines say.
func ReadTrial(path string) (*Drawn, error) {
	var raw []byte
	err := privilege.Do(filepath.Dir(path), func() (err error) {
		raw, err = os.ReadFile(path)
		return err
	})
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("trial: %w", err)
	}
	var drawn *Drawn
	var bad error
	in := bufio.NewScanner(bytes.NewReader(raw))
	in.Buffer(nil, len(raw)+1)
	for n := 1; in.Scan(); n++ {
		var line trialLine
		err := json.Unmarshal(in.Bytes(), &line)
		switch {
		case err == nil && line.Drawn != nil && line.Drawn.Validate() == nil:
			if drawn == nil || drawn.Design != *line.Drawn {
				drawn = &Drawn{Design: *line.Drawn, At: line.Time}
			}
		case err == nil && line.Drawn == nil && line.Arm != nil && line.Since > 0 && line.Since <= line.Time:
			if drawn != nil {
				drawn.add(Span{line.Since, line.Time, *line.Arm})
			}
		case bad == nil:
			bad = fmt.Errorf("trial: %s:%d: %w", path, n, ErrTrialLine)
		}
	}
	return drawn, errors.Join(bad, in.Err())
}

// add adds a span; a later line of the same one makes it longer.
func (d *Drawn) add(s Span) {
	if n := len(d.Spans); n > 0 && d.Spans[n-1].From == s.From && d.Spans[n-1].Arm == s.Arm {
		d.Spans[n-1].To = max(d.Spans[n-1].To, s.To)
		return
	}
	d.Spans = append(d.Spans, s)
}

// Covered returns for how long, of a time, an arm is known to have been in force.
func (d *Drawn) Covered(p *trial.Period) ostrich.Duration {
	covered, end := ostrich.Time(0), p.From
	for _, s := range d.Spans {
		from, to := max(s.From, end), min(s.To, p.To)
		if s.Arm == p.Arm && to > from {
			covered, end = covered+to-from, to
		}
	}
	return ostrich.Duration(covered)
}

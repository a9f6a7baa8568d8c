package trace

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
)

// Write writes the log in the Standard Workload Format.
func (l *Log) Write(w io.Writer) error {
	out := bufio.NewWriter(w)
	for _, line := range l.Header {
		if _, err := fmt.Fprintf(out, ";%s\n", line); err != nil {
			return fmt.Errorf("trace: %w", err)
		}
	}
	var text []byte
	for i := range l.Records {
		r := &l.Records[i]
		text = text[:0]
		for f, p := range r.wholes() {
			if f > 0 {
				text = append(text, ' ')
			}
			if p != nil {
				text = strconv.AppendInt(text, *p, 10)
			} else {
				text = strconv.AppendFloat(text, r.CPU, 'f', -1, 64)
			}
		}
		if _, err := out.Write(append(text, '\n')); err != nil {
			return fmt.Errorf("trace: %w", err)
		}
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("trace: %w", err)
	}
	return nil
}

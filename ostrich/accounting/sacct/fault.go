package sacct

import (
	"errors"
	"fmt"
)

// A Fault is a malformed line of a dump.
type Fault struct {
	File   string
	Line   int
	Column int    // in JSON, the byte of the line, from 1; else 0
	Field  string // sacct's name of it; "" if the whole line is malformed
	Text   string // of the field
	Why    string
	Ends   bool // the reading: what follows in the file cannot be told, as it is no JSON up to here
}

func (f *Fault) Error() string {
	where := fmt.Sprintf("%s:%d", f.File, f.Line)
	if f.Column > 0 {
		where += fmt.Sprintf(":%d", f.Column)
	}
	if f.Field == "" {
		return fmt.Sprintf("sacct: %s: %s", where, f.Why)
	}
	return fmt.Sprintf("sacct: %s:%s: %q: %s", where, f.Field, f.Text, f.Why)
}

// skip counts a malformed line if that is wanted, or keeps what ends the reading, and else returns the error.
func (d *dump) skip(err error) error {
	var f *Fault
	if err == nil || !d.options.Lenient || !errors.As(err, &f) {
		return err
	}
	if f.Ends {
		d.ended = f
	} else {
		d.jobs.Skip(err)
	}
	return nil
}

func (d *dump) fault(why string) *Fault {
	f := &Fault{File: d.name, Line: d.line, Why: why}
	if d.tree != nil {
		f.Column = d.tree.at.column
	}
	return f
}

func (d *dump) bad(c column, why string) *Fault {
	f := d.fault(why)
	for name, at := range columnNames {
		if at == c && (f.Field == "" || name < f.Field) {
			f.Field = name
		}
	}
	f.Text = clip(d.values[c])
	d.tree.locate(f, c)
	return f
}

package journal

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
)

// tailBytes is how much of the end of a journal Tail reads.
const tailBytes = 256 << 10

// Tail returns the latest n writes of a journal, the latest first: the result of
// each, or the intention if the result is not known. It reads the end of the
// file, and of the previous file if that has too few. Another process may write
// meanwhile; Tail skips incomplete lines. A missing journal is empty. Tail finds
// nothing further back than 256 KiB in either file.
func Tail(path string, n int) ([]Record, error) {
	t := tail{most: n, concluded: make(map[subject]bool)}
	for _, name := range []string{path, path + ".1"} {
		if len(t.list) >= n {
			break
		}
		if err := t.read(name); err != nil {
			return nil, fmt.Errorf("journal: %w", err)
		}
	}
	return t.list, nil
}

// tail collects records from the end backwards.
type tail struct {
	most      int
	list      []Record
	concluded map[subject]bool // jobs whose result a later line reports
}

func (t *tail) read(name string) error {
	file, err := openToRead(name)
	if file == nil {
		return err
	}
	text, err := end(file)
	if err = errors.Join(err, file.Close()); err != nil {
		return err
	}
	for len(text) > 0 && len(t.list) < t.most {
		text = bytes.TrimSuffix(text, []byte("\n"))
		begin := bytes.LastIndexByte(text, '\n') + 1
		// Opening the journal reports invalid lines.
		if rec, err := parseRecord(text[begin:]); err == nil {
			t.add(&rec)
		}
		text = text[:begin]
	}
	return nil
}

// end returns the last whole lines of a file.
func end(file *os.File) ([]byte, error) {
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	from := max(0, info.Size()-tailBytes)
	// Since then, a writer may have added to the file or begun a new one.
	text, err := io.ReadAll(io.NewSectionReader(file, from, tailBytes))
	if err != nil {
		return nil, err
	}
	if from > 0 {
		text = text[bytes.IndexByte(text, '\n')+1:]
	}
	return text[:bytes.LastIndexByte(text, '\n')+1], nil
}

func (t *tail) add(rec *Record) {
	key := subject{rec.Channel, rec.Job}
	switch {
	case rec.Carried, rec.Result == kept: // not a write, see Rotate; older files have only the word
	case rec.Result != intended:
		t.concluded[key] = true
		t.list = append(t.list, *rec)
	case t.concluded[key]:
		delete(t.concluded, key) // an earlier intention belongs to another write
	default:
		t.list = append(t.list, *rec)
	}
}

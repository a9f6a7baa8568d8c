package journal

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"slurm-ostrich/priority/privilege"
)

// tailBytes is how much of the end of a journal Tail reads.
const tailBytes = 256 << 10

// Tail returns the latest n writes of a journal, the latest first: what became
// of each, or the intention where that is not known. It reads the end of the
// file, and of the one before where that has too few, and may do so while
// another process writes: lines that are not whole are passed over. A journal
// that does not exist is empty. What lies further back than 256 KiB of either is
// not found.
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

// tail gathers records from the end on.
type tail struct {
	most      int
	list      []Record
	concluded map[subject]bool // jobs of which a later line tells the result
}

func (t *tail) read(name string) error {
	as, err := privilege.Of(filepath.Dir(name))
	if err != nil {
		return err
	}
	file, err := openFile(as, name, os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	text, err := end(file)
	if err = errors.Join(err, file.Close()); err != nil {
		return err
	}
	for len(text) > 0 && len(t.list) < t.most {
		text = bytes.TrimSuffix(text, []byte("\n"))
		begin := bytes.LastIndexByte(text, '\n') + 1
		// A line that makes no sense is told of where the journal is opened.
		if rec, err := parseRecord(text[begin:]); err == nil {
			t.add(&rec)
		}
		text = text[:begin]
	}
	return nil
}

// end is the last whole lines of a file.
func end(file *os.File) ([]byte, error) {
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	from := max(0, info.Size()-tailBytes)
	// A writer may have added to it, or have started anew, since.
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
	case rec.Carried, rec.Result == kept: // no write, see Rotate; the mark is younger than the word
	case rec.Result != intended:
		t.concluded[key] = true
		t.list = append(t.list, *rec)
	case t.concluded[key]:
		delete(t.concluded, key) // an earlier intention is another write
	default:
		t.list = append(t.list, *rec)
	}
}

package journal

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"slurm-ostrich/ostrich"
)

// Of returns the writes of jobs that a journal and the file before it hold, in their
// order: the result of each, or the intention if the result is not known. A missing
// journal is empty. Another process may write meanwhile; Of skips lines that are not
// records, which Open and Read report.
func Of(path string, jobs []ostrich.JobID) ([]Record, error) {
	var all []Record
	for _, name := range []string{path + ".1", path} {
		file, err := openToRead(name)
		if file != nil {
			_, err = eachLine(file, func(line []byte, _ int64) {
				if !slices.Contains(jobs, jobIn(line)) { // parsing all would take ten times as long
					return
				}
				if rec, bad := parseRecord(line); bad == nil {
					all = append(all, rec)
				}
			})
			err = errors.Join(err, file.Close())
		}
		if err != nil {
			return nil, fmt.Errorf("journal: %w", err)
		}
	}
	t := tail{concluded: make(map[subject]bool)}
	for i := range slices.Backward(all) {
		t.add(&all[i])
	}
	slices.Reverse(t.list)
	return t.list, nil
}

// jobIn returns the number behind the first "job": of a line, 0 if there is none.
func jobIn(line []byte) ostrich.JobID {
	_, rest, _ := bytes.Cut(line, []byte(`"job":`))
	n := 0
	for _, c := range rest {
		if c < '0' || c > '9' {
			break
		}
		n = 10*n + int(c-'0')
	}
	return ostrich.JobID(n)
}

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

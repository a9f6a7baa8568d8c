package journal

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"

	"slurm-ostrich/ostrich"
)

// Of returns the writes of jobs that a journal and the file before it hold, in their
// order: the result of each, or the intention if the result is not known. A missing
// journal is empty. Another process may write meanwhile; Of skips lines that are not
// records, which Open and Read report.
func Of(path string, jobs []ostrich.JobID) ([]Record, error) {
	var list []Record
	intentions := make(map[subject]int) // places in list of those without a result
	add := func(rec *Record) {
		key := subject{rec.Channel, rec.Job}
		at, known := intentions[key]
		switch {
		case rec.Carried, rec.Result == kept: // see tail.add
		case rec.Result == intended:
			intentions[key] = len(list)
			list = append(list, *rec)
		case known:
			list[at] = *rec
			delete(intentions, key)
		default:
			list = append(list, *rec)
		}
	}
	for _, name := range []string{path + ".1", path} {
		if err := each(name, jobs, add); err != nil {
			return nil, fmt.Errorf("journal: %w", err)
		}
	}
	return list, nil
}

// each visits the records of jobs in a file, which may be missing.
func each(name string, jobs []ostrich.JobID, visit func(*Record)) error {
	file, err := openToRead(name)
	if file == nil {
		return err
	}
	in := bufio.NewReaderSize(file, mostLine)
	for err == nil {
		var line []byte
		line, err = in.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			err = nil // neither the line nor its rest is a record
			continue
		}
		if err != nil {
			break
		}
		if !slices.Contains(jobs, jobIn(line)) { // parsing all would take ten times as long
			continue
		}
		if rec, bad := parseRecord(line); bad == nil {
			visit(&rec)
		}
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return errors.Join(err, file.Close())
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

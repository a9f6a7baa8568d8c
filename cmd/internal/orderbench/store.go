package orderbench

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"slurm-ostrich/priority/privilege"
)

// Store is a file of finished runs: a line with the settings of the bench, then a
// line for each run, in the order in which they ended. A process that dies while
// writing leaves half a line at the end; the next process removes it. Only one
// process may have the file open.
type Store struct {
	mu    sync.Mutex
	file  *os.File
	found map[string]Measures // by key of the run
}

// ErrOther marks a file of a bench with other settings.
var ErrOther = errors.New("holds the runs of another bench")

// head is the first line of the file.
type head struct {
	Bench *Settings `json:"bench"`
}

// storedRun is each further line.
type storedRun struct {
	Log    string   `json:"log"`
	Part   int      `json:"part"`
	Shake  int      `json:"shake"`
	Policy string   `json:"policy"`
	Key    string   `json:"key"`
	Found  Measures `json:"measures"`
}

// OpenStore opens the file of a bench with these settings, or creates it. If path
// is a folder, the file is its runs.jsonl.
func OpenStore(path string, settings Settings) (*Store, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		path = filepath.Join(path, "runs.jsonl")
	}
	raw, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	s := &Store{found: make(map[string]Measures)}
	whole, err := s.read(raw, settings)
	if err != nil {
		return nil, fmt.Errorf("%s:%w", path, err)
	}
	if whole == 0 && len(raw) > 0 {
		return nil, fmt.Errorf("%s: is no file of a bench; remove it, or name another", path)
	}
	err = privilege.Do(path, func() (bad error) {
		s.file, bad = os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o666)
		return bad
	})
	if err != nil {
		return nil, err
	}
	if whole < len(raw) {
		err = s.file.Truncate(int64(whole))
	}
	if err == nil && whole == 0 {
		err = s.write(head{&settings})
	}
	if err != nil {
		return nil, errors.Join(err, s.file.Close())
	}
	return s, nil
}

// read reads the content of the file and returns the length of its valid part.
// Only the last line may be incomplete or invalid.
func (s *Store) read(raw []byte, settings Settings) (whole int, err error) {
	for number := 1; whole < len(raw); number++ {
		rest := raw[whole:]
		line, _, ended := bytes.Cut(rest, []byte("\n"))
		last := !ended || len(line)+1 == len(rest)
		if number == 1 {
			if begin := []byte(`{"bench":`); !ended && (bytes.HasPrefix(line, begin) || bytes.HasPrefix(begin, line)) {
				return 0, nil
			}
			if err := sameBench(line, settings); err != nil {
				return 0, fmt.Errorf("1: %w", err)
			}
		} else {
			var run storedRun
			if err := json.Unmarshal(line, &run); err != nil || !ended {
				if last {
					break
				}
				return 0, fmt.Errorf("%d: %w", number, err)
			}
			if run.Key == "" {
				return 0, fmt.Errorf("%d: not a run of a bench", number)
			}
			s.found[run.Key] = run.Found
		}
		whole += len(line) + 1
	}
	return whole, nil
}

// sameBench says why the first line of a file belongs to another bench.
func sameBench(line []byte, settings Settings) error {
	var h head
	if err := json.Unmarshal(line, &h); err != nil || h.Bench == nil {
		return errors.New("not a file of a bench")
	}
	own, err := fields(settings)
	if err != nil {
		return err
	}
	other, err := fields(*h.Bench)
	if err != nil {
		return err
	}
	for _, name := range []string{"loop", "parts", "part_jobs", "seed", "floor", "satisfaction"} {
		if own[name] != other[name] {
			was := other[name]
			if was == "" { // of a program that did not measure this yet
				was = "not known"
			}
			return fmt.Errorf("%w: its %s is %v, and here %v; name another file", ErrOther, name, was, own[name])
		}
	}
	return nil
}

// fields returns the settings by their names in JSON.
func fields(s Settings) (map[string]any, error) {
	raw, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	all := make(map[string]any)
	return all, json.Unmarshal(raw, &all)
}

// Restore passes the runs of the file to a bench, and returns how many.
func (s *Store) Restore(b *Bench) int {
	n := 0
	for i := range b.runs {
		r := &b.runs[i]
		if m, ok := s.found[r.key]; ok && !r.done {
			b.Keep(r, m)
			n++
		}
	}
	return n
}

// Add appends a run.
func (s *Store) Add(r *Run, m Measures) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.write(storedRun{Log: r.Log, Part: r.Part, Shake: r.Shake, Policy: r.Policy, Key: r.key, Found: m})
}

// write appends a line, completely unless the process dies.
func (s *Store) write(line any) error {
	raw, err := json.Marshal(line)
	if err != nil {
		return err
	}
	_, err = s.file.Write(append(raw, '\n'))
	return err
}

package runs

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"slurm-ostrich/cmd/internal/atomicfile"
	"slurm-ostrich/cmd/internal/console"
	"slurm-ostrich/priority/privilege"
)

// Store keeps the results of runs in a folder: a file for each, named by the run's
// key, beside those of other commands. Several processes, on several machines if they
// share the folder, may keep results at the same time: a result is written whole, and is
// the same from every process. Its methods may be called from several goroutines.
type Store struct {
	Dir string // "" keeps and finds nothing

	mu     sync.Mutex
	closed bool
}

// Key makes the key of a run from all that its result depends on.
func Key(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\n")))
	return hex.EncodeToString(sum[:16])
}

// Make creates the folder if it is not there, and the one in it for results.
func (s *Store) Make() error {
	if s.Dir == "" {
		return nil
	}
	if info, err := os.Stat(s.Dir); err == nil && !info.IsDir() {
		return fmt.Errorf("%s: is a file; results are kept in a folder: name one, or another that is to be made", s.Dir)
	}
	return privilege.Do(s.Dir, func() error {
		return os.MkdirAll(s.Path("results"), 0o777)
	})
}

// Path returns the path of a file in the folder.
func (s *Store) Path(name ...string) string {
	return filepath.Join(append([]string{s.Dir}, name...)...)
}

func (s *Store) result(key string) string { return s.Path("results", key+".json") }

// record is the content of the file of a result.
type record struct {
	Key    string `json:"key"`
	Result any    `json:"result"`
}

// Keep keeps the result of a run, unless the store is closed.
func (s *Store) Keep(key string, result any) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.Dir == "" || s.closed {
		return nil
	}
	raw, err := json.Marshal(record{key, result})
	if err != nil {
		return err
	}
	return atomicfile.Write(s.result(key), func(w io.Writer) error {
		_, err := w.Write(append(raw, '\n'))
		return err
	})
}

// Close waits until a result that is being kept is whole. No other is kept later.
func (s *Store) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
}

// Find reads the result of a run, if there is one. A file that holds no result of this
// run is an error.
func (s *Store) Find(key string, result any) (found bool, err error) {
	if s.Dir == "" {
		return false, nil
	}
	raw, err := os.ReadFile(s.result(key))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	r := record{Result: result}
	in := json.NewDecoder(bytes.NewReader(raw))
	in.DisallowUnknownFields()
	if err := in.Decode(&r); err != nil || r.Key != key {
		return false, fmt.Errorf("%s: not the result of this run; remove it to have it computed again", s.result(key))
	}
	return true, nil
}

// Interrupted returns the error of a command that a signal ended. what are the
// runs, in the plural.
func (s *Store) Interrupted(what string) error {
	if s.Dir == "" {
		return console.ErrInterrupted
	}
	return console.Interruption("finished " + what + " are kept in " + s.Dir + "; the same command again goes on")
}

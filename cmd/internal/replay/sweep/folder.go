package sweep

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"slurm-ostrich/cmd/internal/atomicfile"
	"slurm-ostrich/priority/privilege"
)

// Folder is where a sweep keeps its results: a file for each point, named by the
// point's key, beside those of other sweeps. Several processes, on several
// machines if they share the folder, may keep results at the same time: a result
// is written whole, and is the same from every process.
type Folder string

// Make creates the folder if it is not there, and the folders in it for results
// and for the logs of tasks.
func (f Folder) Make() error {
	return privilege.Do(string(f), func() error {
		return errors.Join(os.MkdirAll(f.Path("results"), 0o777), os.MkdirAll(f.Path("log"), 0o777))
	})
}

// Path returns the path of a file in the folder.
func (f Folder) Path(name ...string) string {
	return filepath.Join(append([]string{string(f)}, name...)...)
}

func (f Folder) result(key string) string { return f.Path("results", key+".json") }

// record is the content of the file of a result.
type record struct {
	Key    string `json:"key"`
	Result any    `json:"result"`
}

// Keep keeps the result of a point.
func (f Folder) Keep(key string, result any) error {
	raw, err := json.Marshal(record{key, result})
	if err != nil {
		return err
	}
	return atomicfile.Write(f.result(key), func(w io.Writer) error {
		_, err := w.Write(append(raw, '\n'))
		return err
	})
}

// Find reads the result of a point, if there is one. A file that holds no result
// of this point is an error.
func (f Folder) Find(key string, result any) (found bool, err error) {
	raw, err := os.ReadFile(f.result(key))
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
		return false, fmt.Errorf("%s: not the result of a point; remove it to have it computed again", f.result(key))
	}
	return true, nil
}

// Count returns how many of the keys have a result, by one look at the folder.
func (f Folder) Count(keys []string) (int, error) {
	files, err := os.ReadDir(f.Path("results"))
	if err != nil {
		return 0, err
	}
	there := make(map[string]bool, len(files))
	for _, file := range files {
		if key, ok := strings.CutSuffix(file.Name(), ".json"); ok {
			there[key] = true
		}
	}
	n := 0
	for _, k := range keys {
		if there[k] {
			n++
		}
	}
	return n, nil
}

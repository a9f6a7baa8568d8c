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

	"slurm-ostrich/cmd/internal/atomicfile"
	"slurm-ostrich/priority/privilege"
)

// Folder is where a sweep keeps its results: a file for each point, named by the
// point's key, beside those of other sweeps. Several processes, on several
// machines if they share the folder, may keep results at the same time: a result
// is written whole, and is the same from every process.
type Folder string

// Make creates the folder if it is not there, and the one in it for results.
func (f Folder) Make() error {
	return privilege.Do(string(f), func() error {
		return os.MkdirAll(f.Path("results"), 0o777)
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

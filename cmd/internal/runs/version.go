package runs

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"strings"
	"sync"

	"slurm-ostrich/cmd/internal/sidecar"
)

// CodeVersion identifies this code: by the version of a release or a commit, or
// else by a hash of the executable.
var CodeVersion = sync.OnceValues(func() (string, error) {
	v := sidecar.Version()
	if strings.HasPrefix(v, "v") && !strings.HasSuffix(v, "dirty") {
		return v, nil
	}
	path, err := os.Executable()
	if err != nil {
		return "", err
	}
	_, sum, err := HashFile(path)
	return v + " " + sum, err
})

// HashFile returns the size of a file and the SHA-256 of its content.
func HashFile(path string) (size int64, sum string, err error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, "", err
	}
	defer f.Close() //nolint:errcheck // it was only read
	h := sha256.New()
	size, err = io.Copy(h, f)
	return size, hex.EncodeToString(h.Sum(nil)), err
}

package remote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"

	"go.yaml.in/yaml/v3"

	"slurm-ostrich/cmd/internal/yamlfile"
)

// DefaultFile says where ostrichd is asked from this host.
const DefaultFile = "/etc/ostrich/client.yaml"

// mostFile is how long the file may be, in bytes.
const mostFile = 64 << 10

// Values of Settings.Munge, beside the path of a socket.
const (
	On  = "on"
	Off = "off"
)

// Settings say where ostrichd is asked.
type Settings struct {
	URL    string // http://HOST:PORT or https://HOST:PORT of status.listen; "": at the socket of this host
	CAFile string // PEM file with the authority of its certificate; "": those of the system
	Munge  string // On, Off, or the socket of munged

	dial func(ctx context.Context, network, address string) (net.Conn, error) // nil: the network; else a test's
}

// Read reads a file. One that is not there is as an empty one.
func Read(path string) (*Settings, error) {
	s := &Settings{Munge: On}
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return nil, err
	}
	raw, err := io.ReadAll(io.LimitReader(file, mostFile+1))
	if err = errors.Join(err, file.Close()); err != nil {
		return nil, err
	}
	if len(raw) > mostFile {
		return nil, fmt.Errorf("%s: longer than %d bytes", path, mostFile)
	}
	var all yaml.Node
	if yaml.Unmarshal(raw, &all) == nil && all.IsZero() {
		return s, nil // comments alone
	}
	keys := map[string]*string{"url": &s.URL, "ca_file": &s.CAFile, "munge": &s.Munge}
	err = yamlfile.Read(path, raw, "url", "file of the client", func(r *yamlfile.Reader, root *yaml.Node) {
		r.Pairs(root, "the file", func(key, value *yaml.Node) {
			into := keys[key.Value]
			switch {
			case into == nil:
				r.Fail(key.Line, "%s: unknown; there are url, ca_file and munge", key.Value)
				return
			case value.Kind != yaml.ScalarNode:
				r.Fail(value.Line, "%s: want one value", key.Value)
				return
			}
			*into = value.Value
			var bad error
			switch key.Value {
			case "url":
				if value.Value != "" {
					_, bad = ParseURL(value.Value)
				}
			case "ca_file":
				if value.Value != "" && !filepath.IsAbs(value.Value) {
					bad = fmt.Errorf("%q: must be an absolute path", value.Value)
				}
			case "munge":
				if value.Value != On && value.Value != Off && !filepath.IsAbs(value.Value) {
					bad = fmt.Errorf("%q: must be on, off or the absolute path of munged's socket", value.Value)
				}
			}
			if bad != nil {
				r.Fail(value.Line, "%s: %v", key.Value, bad)
			}
		})
	})
	if err != nil {
		return nil, err
	}
	return s, nil
}

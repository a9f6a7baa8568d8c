// Package webserver serves HTTP on the network, as every exporter of Prometheus does it:
// one file says with which certificate, and which passwords or client certificates are
// asked for. The format of the file, and reading it again whenever somebody connects or
// asks, are those of github.com/prometheus/exporter-toolkit.
//
// Besides it counts connections, so that no client can hold all of them, and bridges
// what net/http and the toolkit log.
package webserver

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/prometheus/exporter-toolkit/web"
	"github.com/rs/zerolog"
	"go.yaml.in/yaml/v3"
	"golang.org/x/crypto/bcrypt"
)

// New returns a server that drops clients that send or read too slowly, or send too
// much. One connection carries few requests at a time: each may have to wait for the
// hash of a password, of which the toolkit computes one at a time.
func New(handler http.Handler) *http.Server {
	return &http.Server{
		Handler: handler, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 10 * time.Second,
		WriteTimeout: time.Minute, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 16 << 10,
		HTTP2: &http.HTTP2Config{MaxConcurrentStreams: mostStreams},
	}
}

// mostStreams is how many requests a connection of HTTP/2 carries at a time.
const mostStreams = 16

// Serve answers requests at a listener as the file says, until the server is closed. It
// closes the listener. The path may be empty, see Read.
func Serve(server *http.Server, l net.Listener, file string, log zerolog.Logger) error {
	server.ErrorLog = slog.NewLogLogger(zerolog.NewSlogHandler(seldom(log, 1)), slog.LevelWarn)
	l = limit(l, seldom(log, 1))
	if file == "" {
		return server.Serve(l)
	}
	err := web.Serve(l, server, &web.FlagConfig{WebConfigFile: &file}, slog.New(zerolog.NewSlogHandler(seldom(log, 5))))
	if closed := l.Close(); !errors.Is(closed, net.ErrClosed) {
		err = errors.Join(err, closed)
	}
	return err
}

// seldom returns a log that takes so many lines a minute, as clients decide how much there
// is to log.
func seldom(log zerolog.Logger, lines uint32) zerolog.Logger {
	return log.Sample(&zerolog.BurstSampler{Burst: lines, Period: time.Minute})
}

// Doors says what a file requires of clients. The zero value lets everybody in,
// unencrypted.
type Doors struct {
	TLS  bool // everything is encrypted
	Asks bool // for a password, or for a certificate that an authority of the site has signed

	Until time.Time // the end of the own certificate; zero without TLS
}

// String says it for people.
func (d Doors) String() string {
	encrypted, asks := "not encrypted", "everybody is let in"
	if d.TLS {
		encrypted = "TLS"
	}
	if d.Asks {
		asks = "who asks needs a password or a certificate"
	}
	return encrypted + "; " + asks
}

// Read reads a file and the certificates that it names. An empty path is no file: the
// zero Doors. An error names the setting, the file, and where it is known the line and
// the user.
func Read(path string) (Doors, error) {
	if path == "" {
		return Doors{}, nil
	}
	file, err := parse(path)
	if err != nil {
		return Doors{}, fmt.Errorf("web.config_file: %w", err)
	}
	for _, name := range slices.SortedFunc(maps.Keys(file.Users), func(a, b string) int {
		return cmp.Compare(file.Users[a].Line, file.Users[b].Line)
	}) {
		hash := file.Users[name]
		if _, err := bcrypt.Cost([]byte(hash.Value)); err != nil {
			return Doors{}, fmt.Errorf("web.config_file: %s:%d: basic_auth_users: %s: this is no bcrypt hash, as \"htpasswd -nBC 10 %[3]s\" prints one", path, hash.Line, name)
		}
	}
	if err := web.Validate(path); err != nil {
		return Doors{}, fmt.Errorf("web.config_file: %s: %w", path, err)
	}
	doors := Doors{
		TLS:  file.TLS.IsEnabled(),
		Asks: len(file.Users) > 0 || file.TLS.ClientAuth == "RequireAndVerifyClientCert",
	}
	if doors.TLS {
		config, err := web.ConfigToTLSConfig(&file.TLS)
		if err != nil {
			return Doors{}, fmt.Errorf("web.config_file: %s: %w", path, err)
		}
		own, err := config.GetCertificate(nil) // reads the files again
		if err != nil {
			return Doors{}, fmt.Errorf("web.config_file: %s: %w", path, err)
		}
		doors.Until = own.Leaf.NotAfter
	}
	return doors, nil
}

// settings are what is looked at of a file.
type settings struct {
	TLS   web.TLSConfig        `yaml:"tls_server_config"`
	Users map[string]yaml.Node `yaml:"basic_auth_users"`
}

// parse reads a file. What is malformed has no settings: the toolkit says what is wrong.
func parse(path string) (file settings, err error) {
	raw, err := os.ReadFile(path)
	if yaml.Unmarshal(raw, &file) != nil {
		file = settings{}
	}
	file.TLS.SetDirectory(filepath.Dir(path))
	return file, err
}

// Files returns the files that a file for Read names, none if it is malformed or cannot be read.
func Files(path string) []string {
	file, _ := parse(path) // that it cannot be read is told by Read
	return slices.DeleteFunc([]string{file.TLS.TLSCertPath, file.TLS.TLSKeyPath, file.TLS.ClientCAs}, func(name string) bool { return name == "" })
}

// Open reports whether other hosts can reach an address.
func Open(address string) bool {
	host, _, err := net.SplitHostPort(address)
	ip, bad := netip.ParseAddr(host)
	return address != "" && (err != nil || host != "localhost" && (bad != nil || !ip.IsLoopback()))
}

// Package fetch gets the comparison that a running ostrichd keeps: at its socket, or at its
// web listener.
package fetch

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/prometheus/common/config"
	"github.com/urfave/cli/v2"

	"slurm-ostrich/cmd/internal/api"
	"slurm-ostrich/cmd/internal/asking"
	"slurm-ostrich/cmd/internal/configuration"
	"slurm-ostrich/cmd/internal/live"
	"slurm-ostrich/cmd/internal/view"
)

// patience is how long a daemon may take to answer.
const patience = 10 * time.Second

// Report asks the daemon, at its socket or at an address, as the options of a command say. It
// also returns the JSON as it came.
func Report(c *cli.Context) (*live.Report, []byte, error) {
	answer, nobody, err := asking.Daemon(c, live.Compare, &view.Selection{})
	if err != nil {
		return nil, nil, err
	}
	if answer != nil {
		report, bad := parse(answer.From, answer.JSON)
		return report, answer.JSON, bad
	}
	address, err := listener(c)
	if err != nil {
		return nil, nil, asking.Alone(c, nobody, err)
	}
	report, raw, err := At(c.Context, address, c.String("http-config"))
	return report, raw, asking.Alone(c, nobody, err)
}

// listener returns where the daemon answers, from this host.
func listener(c *cli.Context) (*url.URL, error) {
	address, from := c.String("address"), "--address"
	if !c.IsSet("address") {
		config, err := configuration.Load(c)
		if err != nil {
			return nil, err
		}
		if config.Listen == "" {
			return nil, errors.New("compare: listen of the configuration is empty, so that ostrichd cannot be asked; set it, or name another with --address HOST:PORT")
		}
		address, from = config.Listen, "listen"
	}
	// A host that is empty or unspecified is this one, see net.Dial.
	u, err := URL(address)
	if err != nil {
		return nil, fmt.Errorf("compare: %s: %w", from, err)
	}
	return u, nil
}

// URL reads an address, which is HOST:PORT or a URL. Its errors show no password.
func URL(address string) (*url.URL, error) {
	const want = "must be HOST:PORT, http://HOST:PORT or https://HOST:PORT"
	if !strings.Contains(address, "://") {
		if _, _, err := net.SplitHostPort(address); err != nil {
			return nil, fmt.Errorf("%s: %w", want, err)
		}
		address = "http://" + address
	}
	u, err := url.Parse(address)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %w", want, errors.Unwrap(err)) // without the address
	case u.User != nil:
		return nil, errors.New("user and password belong in the file of --http-config")
	case u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return nil, errors.New(want)
	}
	return u, nil
}

// At asks the daemon at a URL for its comparison. The file of --http-config, "" if
// there is none, says whom to trust and which password to give, in the format of
// Prometheus' clients. At also returns the JSON as it came.
func At(ctx context.Context, u *url.URL, file string) (*live.Report, []byte, error) {
	how, err := client(file)
	if err != nil {
		return nil, nil, fmt.Errorf("--http-config: %w", err)
	}
	raw, err := fetch(ctx, u, how, file)
	if err != nil {
		return nil, nil, err
	}
	r, err := parse(shortURL(u), raw)
	return r, raw, err
}

// shortURL returns a URL as messages show it.
func shortURL(u *url.URL) string { return strings.TrimPrefix(u.String(), "http://") }

// parse reads the comparison that the daemon at an address has given.
func parse(address string, raw []byte) (*live.Report, error) {
	r := &live.Report{}
	if err := json.Unmarshal(raw, r); err != nil {
		return nil, fmt.Errorf("ostrichd at %s: its comparison cannot be read: %w", address, err)
	}
	return r, nil
}

// client reads the file of --http-config.
func client(file string) (*config.HTTPClientConfig, error) {
	if file == "" {
		how := config.DefaultHTTPClientConfig // not through a proxy
		return &how, nil
	}
	raw, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	how, err := config.LoadHTTPConfig(string(raw))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	how.SetDirectory(filepath.Dir(file))
	return how, nil
}

func fetch(ctx context.Context, u *url.URL, how *config.HTTPClientConfig, file string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	asking, err := config.NewClientFromConfig(*how, "ostrichd", config.WithHTTP2Disabled()) // which hides why a server refuses
	if err != nil {
		return nil, fmt.Errorf("--http-config: %s: %w", file, err)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, u.JoinPath(api.Folder, live.Compare).String(), nil)
	if err != nil {
		return nil, fmt.Errorf("compare: %w", err)
	}
	answer, err := asking.Do(request)
	if err != nil {
		return nil, unanswered(shortURL(u), file, errors.Unwrap(err))
	}
	defer func() { _ = answer.Body.Close() }() // It has been read.
	raw, err := io.ReadAll(io.LimitReader(answer.Body, live.MostBytes))
	switch {
	case err != nil:
		return nil, fmt.Errorf("ostrichd at %s: %w", shortURL(u), err)
	case answer.StatusCode == http.StatusNotFound:
		return nil, fmt.Errorf("ostrichd at %s keeps no comparison: it is older than this ostrich, or something else listens there", shortURL(u))
	case answer.StatusCode == http.StatusUnauthorized && how.BasicAuth == nil:
		return nil, fmt.Errorf("ostrichd at %s asks for a password: name a file with basic_auth (username and password_file) with --address and --http-config", shortURL(u))
	case answer.StatusCode == http.StatusUnauthorized:
		return nil, fmt.Errorf("ostrichd at %s does not accept the user and the password of basic_auth in %s", shortURL(u), file)
	case answer.StatusCode == http.StatusBadRequest && bytes.HasPrefix(raw, []byte("Client sent an HTTP request to an HTTPS server")): // as net/http has it
		return nil, fmt.Errorf("ostrichd at %s speaks TLS: ask it with --address https://HOST:PORT", shortURL(u))
	case answer.StatusCode != http.StatusOK:
		words, _, _ := strings.Cut(strings.TrimSpace(string(raw)), "\n")
		var said struct{ Error string }
		if json.Unmarshal(raw, &said) == nil && said.Error != "" {
			words = said.Error
		}
		return nil, fmt.Errorf("ostrichd at %s: %s: %s", shortURL(u), answer.Status, words)
	}
	return raw, nil
}

// cut reports whether the other side closed a connection. A server that refuses a
// client does so at once, and what it said last may be lost.
func cut(err error) bool { return errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE) }

// unanswered says why a daemon has not answered.
func unanswered(at, file string, err error) error {
	var (
		unread    *fs.PathError
		untrusted *tls.CertificateVerificationError
		network   *net.OpError
	)
	switch {
	case errors.As(err, &unread): // files with secrets are read last
		return fmt.Errorf("--http-config: %s: %w", file, err)
	case errors.Is(err, http.ErrSchemeMismatch):
		return fmt.Errorf("ostrichd at %s speaks no TLS: ask it with --address HOST:PORT", at)
	case errors.As(err, &untrusted):
		return fmt.Errorf("ostrichd at %s is not trusted: %w; in the file of --http-config, tls_config names the authority (ca_file) and another name of the server (server_name)", at, untrusted.Err)
	case errors.As(err, &network) && network.Op == "remote error", cut(err) && strings.HasPrefix(at, "https://"):
		return fmt.Errorf("ostrichd at %s refuses TLS: %w; a client certificate, if it asks for one, is cert_file and key_file of tls_config in the file of --http-config", at, err)
	}
	return fmt.Errorf("ostrichd does not answer at %s; is it running, with this listen? %w", at, err)
}

package webserver

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"golang.org/x/crypto/bcrypt"
)

// certificates are a site's authority, and what it has signed.
type certificates struct {
	dir   string
	pool  *x509.CertPool
	key   *ecdsa.PrivateKey
	ca    *x509.Certificate
	count int64
}

func newCertificates(t *testing.T, dir string) *certificates {
	t.Helper()
	c := &certificates{dir: dir, pool: x509.NewCertPool()}
	c.sign(t, "ca", "authority")
	c.pool.AddCert(c.ca)
	return c
}

// sign writes a certificate and its key into the folder, NAME.crt and NAME.key. The first
// one is the authority.
func (c *certificates) sign(t *testing.T, file, name string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	c.count++
	wanted := &x509.Certificate{
		SerialNumber: big.NewInt(c.count), Subject: pkix.Name{CommonName: name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, DNSNames: []string{name},
		IsCA: c.ca == nil, BasicConstraintsValid: true,
	}
	above, signer := c.ca, c.key
	if above == nil {
		above, signer = wanted, key
	}
	der, err := x509.CreateCertificate(rand.Reader, wanted, above, &key.PublicKey, signer)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	if c.ca == nil {
		c.key = key
		if c.ca, err = x509.ParseCertificate(der); err != nil {
			t.Fatal(err)
		}
	}
	c.write(t, file+".crt", string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})))
	c.write(t, file+".key", string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret})))
}

func (c *certificates) write(t *testing.T, file, text string) string {
	t.Helper()
	path := filepath.Join(c.dir, file)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// user is a line of basic_auth_users.
func user(t *testing.T, name, password string) string {
	t.Helper()
	hash, err := bcrypt.GenerateFromPassword([]byte(password), bcrypt.MinCost)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("  %s: %s\n", name, hash)
}

// output is a log that may be read while it is written.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// serving serves "welcome" as a file wants it, and returns the address.
func serving(t *testing.T, file string) (string, *output) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // at once or not at all
	if err != nil {
		t.Fatal(err)
	}
	log := &output{}
	server := New(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "welcome") }))
	done := make(chan error, 1)
	go func() { done <- Serve(server, l, file, zerolog.New(log)) }()
	t.Cleanup(func() {
		if err := server.Close(); err != nil {
			t.Error(err)
		}
		if err := <-done; !errors.Is(err, http.ErrServerClosed) && !errors.Is(err, net.ErrClosed) {
			t.Errorf("serve: %v", err)
		}
	})
	return l.Addr().String(), log
}

// ask returns the status of an answer, or 0 if there is none, and why. Each request has
// a connection of its own.
func ask(t *testing.T, url string, config *tls.Config) (int, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{TLSClientConfig: config, ForceAttemptHTTP2: true}
	defer transport.CloseIdleConnections()
	answer, err := (&http.Client{Transport: transport}).Do(r)
	if err != nil {
		return 0, err
	}
	_, _ = io.Copy(io.Discard, answer.Body)
	return answer.StatusCode, answer.Body.Close()
}

func TestPasswords(t *testing.T) {
	dir := t.TempDir()
	c := newCertificates(t, dir)
	c.sign(t, "server", "ostrich.example.org")
	const encrypted = "tls_server_config:\n  cert_file: server.crt\n  key_file: server.key\n"
	file := c.write(t, "web.yml", encrypted+"basic_auth_users:\n"+user(t, "prometheus", "s3cret"))
	doors, err := Read(file)
	if want := (Doors{TLS: true, Asks: true, Until: doors.Until}); err != nil || doors != want || time.Until(doors.Until) > time.Hour || time.Until(doors.Until) < 50*time.Minute {
		t.Fatalf("the file wants %+v, %v", doors, err)
	}
	address, log := serving(t, file)
	known := &tls.Config{RootCAs: c.pool}
	for who, want := range map[string]int{
		"": 401, "prometheus:s3cret@": 200, "prometheus:secret@": 401, "prometheus@": 401, "somebody:s3cret@": 401,
	} {
		for range 2 { // the second time the toolkit remembers
			if got, failed := ask(t, "https://"+who+address+"/", known); got != want {
				t.Errorf("%q: %d, %v; want %d", who, got, failed, want)
			}
		}
	}
	// Who does not know the authority, or speaks no TLS, gets nothing.
	if got, failed := ask(t, "https://prometheus:s3cret@"+address+"/", nil); got != 0 || !strings.Contains(failed.Error(), "certificate signed by unknown authority") {
		t.Errorf("an unknown authority: %d, %v", got, failed)
	}
	if got, failed := ask(t, "http://prometheus:s3cret@"+address+"/", nil); got != 400 {
		t.Errorf("without TLS: %d, %v", got, failed)
	}

	// The file is read again: another password counts at once, also against what the toolkit
	// remembers, and a new connection has the new certificate.
	c.sign(t, "next", "next.example.org")
	c.write(t, "web.yml", strings.ReplaceAll(encrypted, "server.", "next.")+"basic_auth_users:\n"+user(t, "prometheus", "an0ther"))
	for who, want := range map[string]int{"prometheus:s3cret@": 401, "prometheus:an0ther@": 200} {
		if got, failed := ask(t, "https://"+who+address+"/", known); got != want {
			t.Errorf("%q after the change: %d, %v; want %d", who, got, failed, want)
		}
	}
	conn, err := tls.Dial("tcp", address, known) //nolint:noctx // the server answers
	if err != nil {
		t.Fatal(err)
	}
	if name := conn.ConnectionState().PeerCertificates[0].Subject.CommonName; name != "next.example.org" {
		t.Errorf("the certificate of %s is in use", name)
	}
	if err = conn.Close(); err != nil {
		t.Error(err)
	}

	// A file that is bad lets nobody in until it is repaired.
	c.write(t, "web.yml", "basic_auth_users: none\n")
	if got, failed := ask(t, "https://prometheus:an0ther@"+address+"/", known); got != 0 {
		t.Errorf("with a bad file: %d, %v", got, failed)
	}
	c.write(t, "web.yml", encrypted+"basic_auth_users:\n"+user(t, "prometheus", "an0ther"))
	if got, failed := ask(t, "https://prometheus:an0ther@"+address+"/", known); got != 200 {
		t.Errorf("with the repaired file: %d, %v", got, failed)
	}
	if got := log.String(); !strings.Contains(got, `"message":"TLS is enabled."`) || strings.Contains(got, "s3cret") {
		t.Errorf("log: %s", got)
	}
}

func TestClientCertificates(t *testing.T) {
	c := newCertificates(t, t.TempDir())
	for _, name := range []string{"server", "prometheus"} {
		c.sign(t, name, name)
	}
	others := newCertificates(t, t.TempDir())
	others.sign(t, "prometheus", "prometheus")
	file := c.write(t, "web.yml", "tls_server_config:\n  cert_file: server.crt\n  key_file: server.key\n"+
		"  client_ca_file: ca.crt\n  client_auth_type: RequireAndVerifyClientCert\n")
	doors, err := Read(file)
	if want := (Doors{TLS: true, Asks: true, Until: doors.Until}); err != nil || doors != want || time.Until(doors.Until) > time.Hour || time.Until(doors.Until) < 50*time.Minute {
		t.Fatalf("the file wants %+v, %v", doors, err)
	}
	address, log := serving(t, file)
	for name, from := range map[string]*certificates{"ours": c, "of another authority": others, "none": nil} {
		config := &tls.Config{RootCAs: c.pool}
		if from != nil {
			pair, err := tls.LoadX509KeyPair(filepath.Join(from.dir, "prometheus.crt"), filepath.Join(from.dir, "prometheus.key"))
			if err != nil {
				t.Fatal(err)
			}
			config.Certificates = []tls.Certificate{pair}
		}
		want := 0
		if from == c {
			want = 200
		}
		for range 3 {
			if got, err := ask(t, "https://"+address+"/", config); got != want {
				t.Errorf("certificate %s: %d, %v; want %d", name, got, err, want)
			}
		}
	}
	// Six refused handshakes are a line of the log, not six.
	if got := strings.Count(log.String(), "TLS handshake error"); got != 1 {
		t.Errorf("%d lines of the log: %s", got, log)
	}
}

func TestWithoutFile(t *testing.T) {
	if doors, err := Read(""); err != nil || doors != (Doors{}) {
		t.Errorf("%+v, %v", doors, err)
	}
	address, log := serving(t, "")
	if got, err := ask(t, "http://"+address+"/", nil); got != 200 || log.String() != "" {
		t.Errorf("%d, %v, log %q", got, err, log)
	}
}

// Errors name file, line and user, as far as they are known.
func TestBadFile(t *testing.T) {
	c := newCertificates(t, t.TempDir())
	c.sign(t, "server", "server")
	c.sign(t, "other", "other")
	for name, test := range map[string]struct{ text, want string }{
		"no YAML":         {"a: b: c", "yaml: mapping values are not allowed in this context"},
		"unknown key":     {"tls_config:\n  cert_file: server.crt\n", "yaml: unmarshal errors:\n  line 1: field tls_config not found in type web.Config"},
		"plain password":  {"basic_auth_users:\n" + user(t, "anna", "x") + "  bert: s3cret\n", `web.yml:3: basic_auth_users: bert: this is no bcrypt hash, as "htpasswd -nBC 10 bert" prints one`},
		"no key":          {"tls_server_config:\n  cert_file: server.crt\n", "missing one of key or key_file"},
		"key missing":     {"tls_server_config:\n  cert_file: server.crt\n  key_file: nothing.key\n", "nothing.key: no such file or directory"},
		"another's key":   {"tls_server_config:\n  cert_file: server.crt\n  key_file: other.key\n", "failed to load X509KeyPair: tls: private key does not match public key"},
		"unknown policy":  {"tls_server_config:\n  cert_file: server.crt\n  key_file: server.key\n  client_auth_type: Ask\n", "invalid ClientAuth: Ask"},
		"unknown version": {"tls_server_config:\n  min_version: SSL3\n", "unknown TLS version: SSL3"},
		"unknown header":  {"http_server_config:\n  headers:\n    Server: x\n", `HTTP header "Server" can not be configured`},
	} {
		t.Run(name, func(t *testing.T) {
			file := c.write(t, "web.yml", test.text)
			_, err := Read(file)
			if err == nil || !strings.HasPrefix(err.Error(), "web.config_file: "+file+":") || !strings.HasSuffix(err.Error(), test.want) {
				t.Errorf("%v, want %s", err, test.want)
			}
			l, bad := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // at once or not at all
			if bad != nil {
				t.Fatal(bad)
			}
			if name != "plain password" { // which the toolkit tells in its own words
				err = errors.Unwrap(err)
			}
			served := Serve(New(http.NotFoundHandler()), l, file, zerolog.Nop())
			if served == nil || name != "plain password" && served.Error() != err.Error() {
				t.Errorf("served: %v, want %v", served, err)
			}
			if _, err := l.Accept(); !errors.Is(err, net.ErrClosed) {
				t.Errorf("the listener is open: %v", err)
			}
		})
	}
	if _, err := Read(c.dir + "/nothing.yml"); err == nil || err.Error() != "web.config_file: open "+c.dir+"/nothing.yml: no such file or directory" {
		t.Error(err)
	}
	for text, want := range map[string]Doors{
		"": {}, "http_server_config:\n  http2: false\n": {},
		"tls_server_config:\n  cert_file: server.crt\n  key_file: server.key\n":                                        {TLS: true},
		"tls_server_config:\n  cert_file: server.crt\n  key_file: server.key\n  client_auth_type: RequireClientCert\n": {TLS: true},
		"basic_auth_users:\n" + user(t, "anna", "x"):                                                                   {Asks: true},
	} {
		if doors, err := Read(c.write(t, "web.yml", text)); err != nil || doors.TLS != want.TLS || doors.Asks != want.Asks || doors.Until.IsZero() == want.TLS {
			t.Errorf("%q: %+v, %v", text, doors, err)
		}
	}
}

// TestReadWhileRenewed: a key that goes away while Read reads is an error, and no certificate that ended in the year 1.
// Read opens it three times. The key is a pipe, of which the one that is opened next is there before the last one ends.
func TestReadWhileRenewed(t *testing.T) {
	c := newCertificates(t, t.TempDir())
	c.sign(t, "server", "server")
	file := c.write(t, "web.yml", "tls_server_config:\n  cert_file: server.crt\n  key_file: pipe.key\n")
	key, err := os.ReadFile(filepath.Join(c.dir, "server.key"))
	if err != nil {
		t.Fatal(err)
	}
	pipe := filepath.Join(c.dir, "pipe.key")
	if err = syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip("no named pipes here: ", err)
	}
	fed := make(chan error, 1)
	go func() {
		var failed error
		for left := 1; left >= 0 && failed == nil; left-- {
			f, bad := os.OpenFile(pipe, os.O_WRONLY, 0)
			if failed = errors.Join(bad, os.Remove(pipe)); failed == nil && left > 0 {
				failed = syscall.Mkfifo(pipe, 0o600)
			}
			if failed == nil {
				_, bad = f.Write(key)
				failed = errors.Join(bad, f.Close())
			}
		}
		fed <- failed
	}()
	doors, err := Read(file)
	select {
	case failed := <-fed:
		if failed != nil {
			t.Fatal(failed)
		}
	case <-time.After(10 * time.Second):
		t.Fatalf("the key was not opened twice: %+v, %v", doors, err)
	}
	if err == nil || !strings.Contains(err.Error(), "pipe.key: no such file or directory") {
		t.Errorf("%+v, %v", doors, err)
	}
}

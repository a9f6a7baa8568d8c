package main

import (
	"bufio"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/crypto/bcrypt"
	"golang.org/x/sys/unix"

	livefetch "slurm-ostrich/cmd/internal/live/fetch"
	"slurm-ostrich/cmd/internal/view"
	"slurm-ostrich/cmd/internal/webserver"
)

// free is an address that nobody listens at, and that is kept for the test.
func free(t *testing.T) string {
	t.Helper()
	address, release, err := reserve()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(release)
	return address
}

// reserve returns an address that nobody listens at, and how to give it back. Until then
// the system gives its port to nobody who asks for any port, and a server that names it
// can listen there: the socket that has it does not listen, and can be reused.
func reserve() (address string, release func(), err error) {
	socket, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return "", nil, err
	}
	release = func() { _ = unix.Close(socket) } // nothing was sent through it
	loopback := &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}
	err = errors.Join(unix.SetsockoptInt(socket, unix.SOL_SOCKET, unix.SO_REUSEADDR, 1), unix.Bind(socket, loopback))
	at, bad := unix.Getsockname(socket)
	bound, ok := at.(*unix.SockaddrInet4)
	if err = errors.Join(err, bad); err != nil || !ok {
		release()
		return "", nil, fmt.Errorf("a free port: %T: %w", at, err)
	}
	return fmt.Sprintf("127.0.0.1:%d", bound.Port), release, nil
}

// answered is the status with which an address answers.
func answered(t *testing.T, address, path, host string) int {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+address+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Host = host
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	if err := answer.Body.Close(); err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode
}

// Both addresses may be the same. Whether the daemon lives may be asked by any
// name; metrics and the page by one that is known.
func TestAddresses(t *testing.T) {
	for _, test := range []struct {
		name                 string
		both, measures, page bool
		want                 map[string]int
	}{
		{name: "both at one address", both: true, want: map[string]int{
			"/metrics": 421, "/healthz": 200, "/readyz": 503, "/v1/compare": 421, "/": 421, "/nothing": 421,
		}},
		{name: "metrics alone", measures: true, want: map[string]int{
			"/metrics": 421, "/healthz": 200, "/readyz": 503, "/v1/compare": 421, "/": 404, "/v1/status": 404,
		}},
		{name: "the page alone", page: true, want: map[string]int{"/metrics": 421, "/v1/status": 421}},
	} {
		t.Run(test.name, func(t *testing.T) {
			w, address := newWorld(), free(t)
			w.daemon.page.shown = nil // as nobody runs cycles
			c := &w.daemon.config
			if test.both || test.measures {
				c.Listen = address
			}
			if test.both || test.page {
				c.Status.Listen = address
			}
			c.Status.Hosts = []string{"page.example.org"}
			s, err := w.daemon.serve(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = s.Close() }()
			for path, want := range test.want {
				if got := answered(t, address, path, "elsewhere.example.org"); got != want {
					t.Errorf("%s by another name: %d, want %d", path, got, want)
				}
			}
			for _, name := range []string{"", "localhost:9343", "page.example.org"} {
				if got := answered(t, address, "/metrics", name); !test.page && got != http.StatusOK {
					t.Errorf("metrics by the name %q: %d", name, got)
				}
			}
			if test.measures {
				return
			}
			for _, name := range []string{"", "localhost", "page.example.org"} {
				if got := answered(t, address, "/v1/checks", name); got != http.StatusOK {
					t.Errorf("the page by the name %q: %d", name, got)
				}
			}
			if got := answered(t, address, "/", ""); got != http.StatusOK {
				t.Errorf("the page: %d", got)
			}
		})
	}
}

// Two different addresses are served by two servers, and one that is taken is
// an error that says of what.
func TestTwoAddresses(t *testing.T) {
	w := newWorld()
	w.daemon.config.Listen, w.daemon.config.Status.Listen = free(t), free(t)
	s, err := w.daemon.serve(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if got := answered(t, w.daemon.config.Listen, "/", ""); got != http.StatusNotFound {
		t.Errorf("the page at the address of the metrics: %d", got)
	}
	if got := answered(t, w.daemon.config.Status.Listen, "/metrics", ""); got != http.StatusNotFound {
		t.Errorf("metrics at the address of the page: %d", got)
	}
	again := newWorld()
	again.daemon.config.Listen, again.daemon.config.Status.Listen = free(t), w.daemon.config.Status.Listen
	if _, err := again.daemon.serve(t.Context()); err == nil || !strings.HasPrefix(err.Error(), "status page: listen: ") {
		t.Errorf("an address that is taken: %v", err)
	}
	if _, err := net.Dial("tcp", again.daemon.config.Listen); err == nil { //nolint:noctx // it is refused at once
		t.Error("after the error the metrics are still served")
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

func TestExposed(t *testing.T) {
	for address, other := range map[string]bool{
		"127.0.0.1:9344": false, "[::1]:9344": false, "localhost:9344": false, "127.8.8.8:1": false, "": false,
		":9344": true, "0.0.0.0:9344": true, "[::]:9344": true, "192.0.2.1:9344": true, "cluster.example.org:9344": true,
	} {
		for doors, want := range map[webserver.Doors]string{
			{}: "without a password", {TLS: true}: "without a password", {Asks: true}: "unencrypted", {TLS: true, Asks: true}: "",
		} {
			w := newWorld()
			w.daemon.config.Status.Listen = address
			w.daemon.exposed(doors)
			lines := 1
			if !other || want == "" {
				want, lines = "", 0
			}
			if got := w.output.String(); strings.Count(got, "\n") != lines || !strings.Contains(got, want) {
				t.Errorf("%s, %v: warned %q, want %q", address, doors, got, want)
			}
		}
	}
}

// TestExposedOnce serves both at one address, of which there is one warning.
func TestExposedOnce(t *testing.T) {
	w := newWorld()
	w.daemon.config.Listen, w.daemon.config.Status.Listen = ":9344", ":9344"
	w.daemon.exposed(webserver.Doors{Asks: true})
	if got := w.output.String(); strings.Count(got, "unencrypted") != 1 {
		t.Errorf("warned %q, want once", got)
	}
}

// What web.config_file asks for, it asks for everything, at both addresses.
func TestDoors(t *testing.T) {
	hash, err := bcrypt.GenerateFromPassword([]byte("s3cret"), bcrypt.MinCost)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "web.yml")
	if err = os.WriteFile(file, []byte("basic_auth_users:\n  prometheus: "+string(hash)+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	w := newWorld()
	w.daemon.page.shown = nil // as nobody runs cycles
	c := &w.daemon.config
	c.Listen, c.Status.Listen, c.Web.ConfigFile = free(t), free(t), file
	s, err := w.daemon.serve(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	for address, paths := range map[string]map[string]int{
		c.Listen:        {"/metrics": 200, "/healthz": 200, "/readyz": 503, "/v1/compare": 503, "/nothing": 404},
		c.Status.Listen: {"/": 200, "/explain": 200, "/page.css": 200, "/v1/checks": 200, "/v1/compare": 503, "/nothing": 404},
	} {
		for path, want := range paths {
			if got := answered(t, address, path, ""); got != http.StatusUnauthorized {
				t.Errorf("%s without a password: %d", path, got)
			}
			if got := answered(t, "prometheus:s3cret@"+address, path, ""); got != want {
				t.Errorf("%s with the password: %d, want %d", path, got, want)
			}
		}
	}
	again := newWorld()
	again.daemon.config.Listen, again.daemon.config.Web.ConfigFile = free(t), file+".missing"
	if _, err := again.daemon.serve(t.Context()); err == nil || !strings.HasPrefix(err.Error(), "configuration: web.config_file: open ") {
		t.Errorf("a file that is not there: %v", err)
	}
}

// What "ostrich compare --live --address" needs to come through the doors, and what it
// says where they stay shut.
func TestComparedThroughDoors(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	hash, err := bcrypt.GenerateFromPassword([]byte("s3cret"), bcrypt.MinCost)
	if err != nil {
		t.Fatal(err)
	}
	signed := httptest.NewTLSServer(nil) // for its certificate
	signed.Close()
	key, err := x509.MarshalPKCS8PrivateKey(signed.TLS.Certificates[0].PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	write("server.crt", string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: signed.Certificate().Raw})))
	write("server.key", string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key})))
	const encrypted = "tls_server_config:\n  cert_file: server.crt\n  key_file: server.key\n"
	password := write("password.yml", encrypted+"basic_auth_users:\n  anna: "+string(hash)+"\n")
	certificate := write("certificate.yml", encrypted+"  client_auth_type: RequireAnyClientCert\n")
	for _, test := range []struct {
		web, scheme, client string
		want                string // of the error, "" if there is none
	}{
		{password, "https://", "tls_config: {ca_file: server.crt}\nbasic_auth: {username: anna, password: s3cret}\n", ""},
		{password, "https://", "tls_config: {ca_file: server.crt}\nbasic_auth: {username: anna, password: secret}\n", " does not accept the user and the password of basic_auth in "},
		{password, "https://", "tls_config: {ca_file: server.crt}\n", " asks for a password: "},
		{password, "https://", "basic_auth: {username: anna, password: s3cret}\n", " is not trusted: x509: certificate signed by unknown authority; "},
		{password, "", "basic_auth: {username: anna, password: s3cret}\n", " speaks TLS: "},
		{certificate, "https://", "tls_config: {ca_file: server.crt, cert_file: server.crt, key_file: server.key}\n", ""},
		{certificate, "https://", "tls_config: {ca_file: server.crt}\n", " refuses TLS: "},
		{"", "", "basic_auth: {username: anna, password: s3cret}\n", ""},
		{"", "https://", "tls_config: {ca_file: server.crt}\n", " speaks no TLS: "},
	} {
		w := newWorld()
		c := seen(t)
		c.Anew, c.Generation = true, 1
		if err := w.daemon.metrics.compared.observe(c, &world{daemon: w.daemon}); err != nil {
			t.Fatal(err)
		}
		w.daemon.page.show(&view.Cycle{}, w.daemon.metrics.compared.latest.Load(), time.Now())
		w.daemon.config.Listen, w.daemon.config.Web.ConfigFile = free(t), test.web
		s, err := w.daemon.serve(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		u, err := livefetch.URL(test.scheme + w.daemon.config.Listen)
		if err != nil {
			t.Fatal(err)
		}
		r, _, err := livefetch.At(t.Context(), u, write("client.yml", test.client))
		if test.want == "" && (err != nil || r.Cycles != 1) || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%s behind %s with %q: %+v, %v; want %q", u, filepath.Base(test.web), test.client, r, err, test.want)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

// pipes is a listener without a network, which runs on a bubble's clock.
type pipes chan net.Conn

func (p pipes) Accept() (net.Conn, error) {
	conn, ok := <-p
	if !ok {
		return nil, net.ErrClosed
	}
	return conn, nil
}
func (pipes) Close() error   { return nil }
func (pipes) Addr() net.Addr { return &net.UnixAddr{} }

// Who is slow to ask or to read is dropped, and so is who says too much.
func TestSlowClients(t *testing.T) {
	dribble := func(conn net.Conn) {
		for range 100 {
			if _, err := io.WriteString(conn, "G"); err != nil {
				return
			}
			time.Sleep(time.Second)
		}
	}
	for _, test := range []struct {
		name string
		do   func(conn net.Conn)
		last time.Duration // when the connection is closed
		want string        // begin of the answer
	}{
		{"a header letter by letter", dribble, 5 * time.Second, ""},
		{"nothing at all", func(net.Conn) {}, 5 * time.Second, ""},
		{"a body letter by letter", func(conn net.Conn) {
			_, _ = io.WriteString(conn, "GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n")
			dribble(conn)
		}, 10 * time.Second, "HTTP/1.1 200"},
		{"a long header", func(conn net.Conn) {
			_, _ = io.WriteString(conn, "GET / HTTP/1.1\r\nHost: localhost\r\nX: "+strings.Repeat("x", 40<<10)+"\r\n\r\n")
		}, 500 * time.Millisecond, "HTTP/1.1 431"}, // in which net/http lets the client read the answer
		{"no further request", func(conn net.Conn) {
			_, _ = io.WriteString(conn, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
		}, 2 * time.Minute, "HTTP/1.1 200"},
		{"an answer that is not read", func(conn net.Conn) {
			_, _ = io.WriteString(conn, "GET /big HTTP/1.1\r\nHost: localhost\r\n\r\n")
			time.Sleep(3 * time.Minute)
		}, 3 * time.Minute, ""}, // broken after a minute, as the server sees it
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				listener := make(pipes)
				broken := make(chan error, 1)
				server := webserver.New(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if r.URL.Path == "/big" {
						_, err := w.Write(make([]byte, 1<<20))
						broken <- err
					}
				}))
				done := make(chan error, 1)
				go func() { done <- server.Serve(listener) }()
				client, conn := net.Pipe()
				listener <- conn
				began := time.Now()
				wrote := make(chan struct{})
				go func() {
					defer close(wrote)
					test.do(client)
				}()
				if test.name == "an answer that is not read" {
					if err := <-broken; err == nil || time.Since(began) != time.Minute {
						t.Errorf("after %v: %v", time.Since(began), err)
					}
				}
				<-chosen(test.name == "an answer that is not read", wrote)
				head, _ := bufio.NewReader(client).ReadString('\n')
				if !strings.HasPrefix(head, test.want) {
					t.Errorf("answered %q, want %q", head, test.want)
				}
				_, _ = io.Copy(io.Discard, client)
				if took := time.Since(began); took != test.last {
					t.Errorf("closed after %v, want %v", took, test.last)
				}
				_ = client.Close()
				<-wrote
				close(listener)
				if err := <-done; !errors.Is(err, net.ErrClosed) {
					t.Errorf("serve: %v", err)
				}
				_ = server.Close()
			})
		})
	}
}

// chosen is the channel, or one that is closed.
func chosen(wait bool, c <-chan struct{}) <-chan struct{} {
	if wait {
		return c
	}
	closed := make(chan struct{})
	close(closed)
	return closed
}

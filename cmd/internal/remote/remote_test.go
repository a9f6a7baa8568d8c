package remote

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"slurm-ostrich/cmd/internal/access"
	"slurm-ostrich/cmd/internal/api"
	"slurm-ostrich/cmd/internal/view"
	"slurm-ostrich/priority/slurm"
)

// pretend puts a munge into PATH, whose credentials hold the payload and nothing else.
func pretend(t *testing.T, program string) {
	t.Helper()
	dir := t.TempDir()
	if program != "" {
		if err := os.WriteFile(filepath.Join(dir, "munge"), []byte("#!/bin/sh\n"+program+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir+":/usr/bin:/bin")
	if program == "" {
		t.Setenv("PATH", dir)
	}
}

// decode is the inverse of the pretended munge, of a user with uid 7.
func decode(_ context.Context, credential string) (slurm.Credential, error) {
	raw, err := base64.StdEncoding.DecodeString(strings.Trim(strings.TrimPrefix(credential, "MUNGE:"), ":"))
	if err != nil {
		return slurm.Credential{}, slurm.ErrCredential
	}
	return slurm.Credential{UID: 7, Encoded: time.Now(), Payload: string(raw)}, nil
}

const encodes = `printf 'MUNGE:%s:\n' "$(base64 -w0)"`

// serve serves a handler behind the daemon's proof, and returns the address by a name.
func serve(t *testing.T, encrypted bool, handler http.HandlerFunc) (*Settings, *httptest.Server) {
	t.Helper()
	proof := &access.Proof{Decode: decode, Now: time.Now, Named: func(name string) bool { return name == "example.com" }}
	now := time.Now
	proof.Now = func() time.Time { return now().Add(-time.Hour) } // its start
	wrapped := proof.Wrap(handler)
	proof.Now = now
	server := httptest.NewUnstartedServer(wrapped)
	scheme := "http"
	if encrypted {
		server.StartTLS()
		scheme = "https"
	} else {
		server.Start()
	}
	t.Cleanup(server.Close)
	_, port, err := net.SplitHostPort(server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return &Settings{URL: scheme + "://Example.com:" + port, Munge: On, dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, server.Listener.Addr().String())
	}}, server
}

// The daemon learns who asks, by TLS too, whatever the question has in it.
func TestAsk(t *testing.T) {
	pretend(t, encodes)
	answer := func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get(api.ProofHeader) == "" {
			t.Error("no credential")
		}
		w.Header().Set(api.Warning, "old")
		api.Answer(w, http.StatusOK, []byte(r.URL.RawQuery))
	}
	for _, encrypted := range []bool{false, true} {
		s, server := serve(t, encrypted, answer)
		if encrypted {
			if _, err := s.Ask(t.Context(), "plan", &view.Selection{}); err == nil || !strings.Contains(err.Error(), "as ca_file in") {
				t.Errorf("an unknown authority: %v", err)
			}
			s.CAFile = filepath.Join(t.TempDir(), "ca.pem")
			if err := os.WriteFile(s.CAFile, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		got, err := s.Ask(t.Context(), "plan", &view.Selection{Users: []string{"ali ce", "b&b"}})
		if err != nil || string(got.JSON) != "user=ali+ce%2Cb%26b" || got.Warning != "old" {
			t.Errorf("%v: %+v", err, got)
		}
	}
}

// What goes wrong is said in words that help.
func TestErrors(t *testing.T) {
	pretend(t, encodes)
	plain, _ := serve(t, false, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Query().Get("user") {
		case "leads":
			http.Redirect(w, r, "http://elsewhere.example/", http.StatusFound)
		case "asks":
			w.Header().Set("WWW-Authenticate", "Basic")
			w.WriteHeader(http.StatusUnauthorized)
		case "fails":
			api.Fail(w, http.StatusForbidden, "Slurm knows no user with uid 7")
		default:
			_, _ = w.Write([]byte("<html>"))
		}
	})
	for user, want := range map[string]string{"leads": "not followed", "asks": "asks for a password", "fails": "ostrichd: Slurm knows no user with uid 7"} {
		if _, err := plain.Ask(t.Context(), "plan", &view.Selection{Users: []string{user}}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", user, err, want)
		}
	}
	wrong := *plain
	wrong.URL = strings.Replace(plain.URL, "http:", "https:", 1)
	if _, err := wrong.Ask(t.Context(), "plan", &view.Selection{}); err == nil || !strings.Contains(err.Error(), "begins with http://") {
		t.Errorf("TLS where there is none: %v", err)
	}
	encrypted, _ := serve(t, true, nil)
	encrypted.URL = strings.Replace(encrypted.URL, "https:", "http:", 1)
	if _, err := encrypted.Ask(t.Context(), "plan", &view.Selection{}); err == nil || !strings.Contains(err.Error(), "begins with https://") {
		t.Errorf("no TLS where there is some: %v", err)
	}
	for err, want := range map[error]string{
		&net.DNSError{Err: "no such host"}: "is the name right?", x509.UnknownAuthorityError{}: "ca_file", errors.New("odd"): "ask your administrators",
		&tls.CertificateVerificationError{Err: x509.CertificateInvalidError{Cert: &x509.Certificate{}, Reason: x509.Expired}}: "has to be renewed",
		&tls.CertificateVerificationError{Err: x509.HostnameError{Certificate: &x509.Certificate{}, Host: "x"}}:               "by the name that its certificate has",
	} {
		if got := unreached("http://x:1", err).Error(); !strings.Contains(got, want) {
			t.Errorf("%v: %s", err, got)
		}
	}
}

// What whoever answers says cannot control a terminal.
func TestPlainWords(t *testing.T) {
	pretend(t, encodes)
	s, _ := serve(t, false, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("user") == "fails" {
			api.Fail(w, http.StatusForbidden, "no \x1b[2J\nostrich: done")
			return
		}
		w.Header().Set(api.Warning, "old \u202e")
		api.Answer(w, http.StatusOK, []byte("{}"))
	})
	if _, err := s.Ask(t.Context(), "plan", &view.Selection{Users: []string{"fails"}}); err == nil || strings.ContainsAny(err.Error(), "\x1b\n") || !strings.Contains(err.Error(), `no \x1b[2J\n`) {
		t.Errorf("%q", err)
	}
	if got, err := s.Ask(t.Context(), "plan", &view.Selection{}); err != nil || got.Warning != `old \u202e` {
		t.Errorf("%+v %v", got, err)
	}
}

// Without munge the question goes without a name, and the answer says so.
func TestWithoutMunge(t *testing.T) {
	for _, program := range []string{"", "echo no munged >&2; exit 6"} {
		pretend(t, program)
		s, _ := serve(t, false, func(w http.ResponseWriter, r *http.Request) {
			if len(r.Header.Values(api.ProofHeader)) > 0 {
				t.Error("a credential")
			}
			api.Answer(w, http.StatusOK, []byte("{}"))
		})
		if got, err := s.Ask(t.Context(), "plan", &view.Selection{}); err != nil || !strings.HasPrefix(got.Warning, NoIdentity) {
			t.Errorf("%+v %v", got, err)
		}
		s.Munge = Off
		if got, err := s.Ask(t.Context(), "plan", &view.Selection{}); err != nil || got.Warning != "" {
			t.Errorf("off: %+v %v", got, err)
		}
	}
}

func TestParseURL(t *testing.T) {
	for _, good := range []string{"http://ctl:8090", "https://ctl.example.org/", "http://[2001:db8::1]:80"} {
		if _, err := ParseURL(good); err != nil {
			t.Error(err)
		}
	}
	for _, bad := range []string{"", "ctl:8090", "ftp://ctl", "http://", "http://a:b@ctl", "http://ctl/path", "http://ctl?x", "http://ctl:port", "//ctl"} {
		if _, err := ParseURL(bad); err == nil || strings.Contains(err.Error(), "a:b@") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

// A file says all that is wrong with it, with its lines.
func TestRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "client.yaml")
	for text, want := range map[string]Settings{
		"": {Munge: On}, "# nothing\n": {Munge: On},
		"url: http://ctl:8090\nca_file: /a\nmunge: off\n": {URL: "http://ctl:8090", CAFile: "/a", Munge: Off},
		"munge: /run/s\nurl:\n":                           {Munge: "/run/s"},
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := Read(path)
		if err != nil || got.URL != want.URL || got.CAFile != want.CAFile || got.Munge != want.Munge {
			t.Errorf("%q: %+v %v", text, got, err)
		}
	}
	for text, want := range map[string][]string{
		"url: ctl\nmunge: maybe\nca_file: a\nhost: x\n": {":1: url:", ":2: munge:", ":3: ca_file:", ":4: host: unknown"},
		"url: [a]\n": {":1: url: want one value"}, "- a\n": {"expected keys"}, "url: a: b\n": {"client.yaml: "},
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := Read(path)
		for _, words := range want {
			if err == nil || !strings.Contains(err.Error(), words) {
				t.Errorf("%q: %v, want %q", text, err, words)
			}
		}
	}
	if got, err := Read(path + "-none"); err != nil || got.URL != "" || got.Munge != On {
		t.Errorf("no file: %+v %v", got, err)
	}
	// The file that the package installs is as none.
	if got, err := Read("../../../contrib/client.yaml"); err != nil || got.URL != "" || got.Munge != On {
		t.Errorf("as installed: %+v %v", got, err)
	}
}

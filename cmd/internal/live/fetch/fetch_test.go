package fetch

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// put writes a file into a folder and returns its path.
func put(t *testing.T, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// encoded is DER as PEM.
func encoded(kind string, der []byte) string {
	return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}))
}

// guarded is a daemon that answers whoever has the password, if there is one.
func guarded(password string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		user, given, _ := r.BasicAuth()
		switch {
		case password != "" && (user != "anna" || given != password):
			http.Error(w, "Unauthorized", http.StatusUnauthorized)
		case r.URL.Path != "/v1/compare" && r.URL.Path != "/behind/v1/compare":
			http.NotFound(w, r)
		default:
			_, _ = io.WriteString(w, `{"cluster":"c1"}`)
		}
	})
}

// A daemon is asked as a Prometheus would ask it, and what is wrong is said in words.
func TestFetch(t *testing.T) {
	dir := t.TempDir()
	serve := func(password string, config *tls.Config) string {
		s := httptest.NewUnstartedServer(guarded(password))
		s.Config.ErrorLog = log.New(io.Discard, "", 0) //nolint:forbidigo // a Server takes no other
		if config == nil {
			s.Start()
		} else {
			s.TLS = config
			s.StartTLS()
			put(t, dir, "ca.pem", encoded("CERTIFICATE", s.Certificate().Raw))
			key, err := x509.MarshalPKCS8PrivateKey(s.TLS.Certificates[0].PrivateKey)
			if err != nil {
				t.Fatal(err)
			}
			put(t, dir, "key.pem", encoded("PRIVATE KEY", key))
		}
		t.Cleanup(s.Close)
		return s.Listener.Addr().String()
	}
	open, asks := serve("", nil), serve("s3cret", nil)
	encrypts, both := serve("", &tls.Config{}), serve("s3cret", &tls.Config{})
	knows := serve("", &tls.Config{ClientAuth: tls.RequireAnyClientCert})
	put(t, dir, "password", "s3cret\n")
	put(t, dir, "wrong", "secret\n")
	put(t, dir, "no.pem", "no certificate\n")
	const (
		trust  = "tls_config: {ca_file: ca.pem}\n"
		passes = "basic_auth: {username: anna, password_file: password}\n"
	)
	for name, test := range map[string]struct {
		address, file string
		want          string // an error, "" if there is none; FILE is the file of --http-config, DIR its folder
	}{
		"plain":                {address: open},
		"plain URL":            {address: "http://" + open},
		"with a slash":         {address: "http://" + open + "/"},
		"behind a path":        {address: "http://" + open + "/behind"},
		"more than is asked":   {address: open, file: passes},
		"empty file":           {address: open, file: "# nothing\n"},
		"password":             {address: asks, file: passes},
		"TLS":                  {address: "https://" + encrypts, file: trust},
		"TLS and password":     {address: "https://" + both, file: trust + passes},
		"client certificate":   {address: "https://" + knows, file: "tls_config: {ca_file: ca.pem, cert_file: ca.pem, key_file: key.pem}\n"},
		"another name":         {address: "https://" + encrypts, file: "tls_config: {ca_file: ca.pem, server_name: example.com}\n"},
		"no password":          {address: asks, want: `^ostrichd at HOST asks for a password: name a file with basic_auth \(username and password_file\) with --address and --http-config$`},
		"no password but TLS":  {address: "https://" + both, file: trust, want: "^ostrichd at https://HOST asks for a password: "},
		"wrong password":       {address: asks, file: "basic_auth: {username: anna, password_file: wrong}\n", want: "^ostrichd at HOST does not accept the user and the password of basic_auth in FILE$"},
		"wrong user":           {address: asks, file: "basic_auth: {username: bert, password_file: password}\n", want: "^ostrichd at HOST does not accept the user and the password of basic_auth in FILE$"},
		"TLS not asked":        {address: encrypts, want: "^ostrichd at HOST speaks TLS: ask it with --address https://HOST:PORT$"},
		"TLS not spoken":       {address: "https://" + open, want: "^ostrichd at https://HOST speaks no TLS: ask it with --address HOST:PORT$"},
		"unknown authority":    {address: "https://" + encrypts, want: `^ostrichd at https://HOST is not trusted: x509: certificate signed by unknown authority; in the file of --http-config, tls_config names the authority \(ca_file\) and another name of the server \(server_name\)$`},
		"wrong name":           {address: "https://" + encrypts, file: "tls_config: {ca_file: ca.pem, server_name: ostrich.invalid}\n", want: "^ostrichd at https://HOST is not trusted: x509: certificate is valid for example.com, .*not ostrich.invalid; "},
		"no client":            {address: "https://" + knows, file: trust, want: `^ostrichd at https://HOST refuses TLS: .*; a client certificate, if it asks for one, is cert_file and key_file of tls_config in the file of --http-config$`},
		"nobody":               {address: "https://127.0.0.1:1", want: `^ostrichd does not answer at https://127.0.0.1:1; is it running, with this listen\? dial tcp 127.0.0.1:1: connect: connection refused$`},
		"no YAML":              {address: open, file: "a: b: c", want: "^--http-config: FILE: yaml: mapping values are not allowed in this context$"},
		"unknown key":          {address: open, file: "basic_auths: {}\n", want: "^--http-config: FILE: yaml: unmarshal errors:\n  line 1: field basic_auths not found"},
		"two passwords":        {address: open, file: "basic_auth: {password: x, password_file: password}\n", want: "^--http-config: FILE: at most one of basic_auth password, password_file & password_ref must be configured$"},
		"no password file":     {address: asks, file: "basic_auth: {username: anna, password_file: nowhere}\n", want: "^--http-config: FILE: unable to read basic auth password: unable to read file DIR/nowhere: open DIR/nowhere: no such file or directory$"},
		"no CA":                {address: "https://" + encrypts, file: "tls_config: {ca_file: nowhere}\n", want: "^--http-config: FILE: unable to read CA cert: unable to read file DIR/nowhere: open DIR/nowhere: no such file or directory$"},
		"CA without a key":     {address: "https://" + encrypts, file: "tls_config: {ca_file: no.pem}\n", want: "^--http-config: FILE: unable to use specified CA cert file DIR/no.pem$"},
		"certificate, no key":  {address: "https://" + encrypts, file: "tls_config: {cert_file: ca.pem}\n", want: "^--http-config: FILE: exactly one of key or key_file must be configured"},
		"secret of a manager":  {address: asks, file: "basic_auth: {username: anna, password_ref: x}\n", want: "^--http-config: FILE: unable to use password: cannot use secret ref without manager$"},
		"nothing to say":       {address: asks, file: "basic_auth: {}\n", want: "^ostrichd at HOST does not accept the user and the password of basic_auth in FILE$"},
		"user, no password":    {address: asks, file: "basic_auth: {username: anna}\n", want: "^ostrichd at HOST does not accept the user and the password of basic_auth in FILE$"},
		"file without content": {address: asks, file: "basic_auth:\n", want: "^ostrichd at HOST asks for a password: "},
		"something else there": {address: "http://" + open + "/other", want: "^ostrichd at HOST/other keeps no comparison: "},
	} {
		t.Run(name, func(t *testing.T) {
			u, err := URL(test.address)
			if err != nil {
				t.Fatal(err)
			}
			file := ""
			if test.file != "" {
				file = put(t, dir, "client.yml", test.file)
			}
			r, raw, err := At(t.Context(), u, file)
			if test.want == "" {
				if err != nil || r.Cluster != "c1" || string(raw) != `{"cluster":"c1"}` {
					t.Fatalf("%+v, %s, %v", r, raw, err)
				}
				return
			}
			// HOST:PORT is a word of the messages.
			want := strings.NewReplacer("HOST:PORT", "HOST:PORT", "FILE", file, "DIR", dir, "HOST", u.Host).Replace(test.want)
			if err == nil || !regexp.MustCompile(want).MatchString(err.Error()) || strings.Contains(err.Error(), "s3cret") {
				t.Errorf("%v, want %s", err, want)
			}
		})
	}
	u, err := URL(open)
	if err != nil {
		t.Fatal(err)
	}
	missing := filepath.Join(dir, "missing.yml")
	if _, _, err = At(t.Context(), u, missing); err == nil || err.Error() != "--http-config: open "+missing+": no such file or directory" {
		t.Error(err)
	}
}

func TestURL(t *testing.T) {
	const want = "must be HOST:PORT, http://HOST:PORT or https://HOST:PORT"
	for address, test := range map[string]struct{ url, err string }{
		"localhost:9343":                {url: "http://localhost:9343"},
		":9343":                         {url: "http://:9343"},
		"[::1]:9343":                    {url: "http://[::1]:9343"},
		"http://localhost:9343":         {url: "http://localhost:9343"},
		"https://ostrich.example:9343/": {url: "https://ostrich.example:9343/"},
		"HTTPS://ostrich.example":       {url: "https://ostrich.example"},
		"localhost":                     {err: want + ": address localhost: missing port in address"},
		"":                              {err: want + ": missing port in address"},
		"https://":                      {err: want},
		"ftp://localhost:9343":          {err: want},
		"localhost:x":                   {err: want + `: invalid port ":x" after host`},
		"https://anna:s3cr et@host:1":   {err: want + ": net/url: invalid userinfo"},
		"https://anna:s3cret@host:1":    {err: "user and password belong in the file of --http-config"},
		"anna@host:1":                   {err: "user and password belong in the file of --http-config"},
	} {
		u, err := URL(address)
		switch {
		case test.err != "":
			if err == nil || err.Error() != test.err {
				t.Errorf("%q: %v, want %s", address, err, test.err)
			}
		case err != nil || u.String() != test.url:
			t.Errorf("%q: %v, %v; want %s", address, u, err, test.url)
		}
	}
}

package check

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"math/big"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"slurm-ostrich/cmd/internal/configuration"
)

// TestCheckWeb: a certificate is to be renewed before its end.
func TestCheckWeb(t *testing.T) {
	dir := t.TempDir()
	until := time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	of := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: until.AddDate(0, -3, 0), NotAfter: until}
	signed, err := x509.CreateCertificate(rand.Reader, of, of, public, private)
	secret, bad := x509.MarshalPKCS8PrivateKey(private)
	write := func(name string, text []byte) error { return os.WriteFile(filepath.Join(dir, name), text, 0o600) }
	err = errors.Join(err, bad, write("c", pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: signed})),
		write("k", pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret})), write("web.yml", []byte("tls_server_config: {cert_file: c, key_file: k}")))
	if err != nil {
		t.Fatal(err)
	}
	for days, want := range map[int]string{-20: "warn TLS; everybody", -13: "warn the certificate ends at ", 0: "fail the certificate ended at ", 9: "fail the certificate ended at "} {
		l := checklist{}
		l.Web.ConfigFile = filepath.Join(dir, "web.yml")
		l.checkWeb(until.AddDate(0, 0, days))
		if f := l.found[0]; len(l.found) != 1 || f.Fix == "" || !strings.HasPrefix(string(f.Result)+" "+f.Found, want) {
			t.Errorf("%d days after its end: %+v, want %q", days, l.found, want)
		}
	}
}

// TestCheckFiles: root reads every file, so the service's user is asked in its place, also for the certificates that
// another file names and for the folders above.
func TestCheckFiles(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root may ask for another user")
	}
	dir := t.TempDir()
	err := os.Chmod(filepath.Dir(dir), 0o755) // it is a folder of root's alone
	at := func(name string) string { return filepath.Join(dir, name) }
	if err != nil {
		t.Fatal(err)
	}
	for name, mode := range map[string]os.FileMode{"password": 0o644, "c": 0o644, "k": 0o600} {
		if err = os.WriteFile(at(name), nil, mode); err != nil {
			t.Fatal(err)
		}
	}
	if err = errors.Join(os.WriteFile(at("web.yml"), []byte("tls_server_config: {cert_file: c, key_file: k}"), 0o644), os.Chmod(dir, 0o755)); err != nil {
		t.Fatal(err)
	}
	was := units
	defer func() { units = was }()
	units = []string{at("ostrichd.service")}
	check := func(as, me string) (all []string) {
		l := checklist{as: me, me: me}
		if bad := os.WriteFile(units[0], []byte("[Service]\nUser="+as+"\n"), 0o600); bad != nil {
			t.Fatal(bad)
		}
		l.From, l.Database.PasswordFile, l.Web.ConfigFile = configuration.Tables, at("password"), at("web.yml")
		l.checkFiles(t.Context())
		for _, f := range l.found {
			all = append(all, string(f.Result)+" "+f.Found)
		}
		return all
	}
	secret := "fail web.config_file: " + at("k") + ": user nobody may not read it"
	if got := check("nobody", "root"); !slices.Equal(got, []string{secret}) {
		t.Errorf("a key of root's: %q", got)
	}
	if got := check("nobody", "nobody"); got != nil {
		t.Errorf("who is the user finds out by reading: %q", got)
	}
	if got := check("root", "root"); got != nil {
		t.Errorf("a service of root's: %q", got)
	}
	named := checklist{as: "nobody", me: "root"}
	named.From, named.Web.ConfigFile = configuration.Sacct, at("web.yml")
	named.checkFiles(t.Context())
	nobody, err := user.Lookup("nobody")
	if err != nil {
		t.Fatal(err)
	}
	group, err := user.LookupGroupId(nobody.Gid)
	if err != nil {
		t.Fatal(err)
	}
	if got := named.found; len(got) != 1 || string(got[0].Result)+" "+got[0].Found != secret || !strings.Contains(got[0].Fix, "chgrp "+group.Name+" "+at("k")) {
		t.Errorf("a user who is named, beside a service of root's: %+v", got)
	}
	unknown := checklist{as: "no-such-user", me: "root"}
	unknown.From, unknown.Web.ConfigFile = configuration.Sacct, at("web.yml")
	nothing := checklist{as: "nobody", me: "root"}
	nothing.From, nothing.Web.ConfigFile = configuration.Sacct, at("missing")
	if nothing.checkFiles(t.Context()); nothing.found != nil {
		t.Errorf("no file is there: %+v", nothing.found)
	}
	if unknown.checkFiles(t.Context()); unknown.found != nil {
		t.Errorf("a user of other hosts: %+v", unknown.found)
	}
	if got := check("no-such-user", "root"); !slices.Equal(got, []string{"fail ostrichd runs as no-such-user: user: unknown user no-such-user"}) {
		t.Errorf("a service of nobody's: %q", got)
	}
	if err = os.Chmod(at("k"), 0o644); err != nil {
		t.Fatal(err)
	}
	if got := check("nobody", "root"); !slices.Equal(got, []string{"ok nobody may read the files of the configuration"}) {
		t.Errorf("all readable: %q", got)
	}
	t.Chdir(dir)
	here := checklist{as: "nobody", me: "root"}
	here.From, here.Database.PasswordFile, here.Web.ConfigFile = configuration.Tables, "password", "web.yml"
	if here.checkFiles(t.Context()); len(here.found) != 1 || here.found[0].Result != OK {
		t.Errorf("all readable, by paths from this folder: %+v", here.found)
	}
	if err = os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if got := check("nobody", "root"); len(got) != 4 {
		t.Errorf("a folder of root's: %q", got)
	}
}

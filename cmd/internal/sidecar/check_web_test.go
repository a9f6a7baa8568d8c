package sidecar

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
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

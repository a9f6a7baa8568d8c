package slurm

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// munged starts a munged with a key of its own.
func munged(t *testing.T) Munge {
	t.Helper()
	for _, program := range []string{"munged", "munge", "unmunge"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip("LEFT OUT: no " + program)
		}
	}
	dir, err := os.MkdirTemp("", "munge") //nolint:usetesting // the path of a socket is short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	in := func(name string) string { return filepath.Join(dir, name) }
	if err = errors.Join(os.Chmod(dir, 0o711), os.WriteFile(in("key"), []byte(strings.Repeat(dir, 8)), 0o600)); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "munged", "--foreground", "--force", "--key-file="+in("key"), "--socket="+in("s"),
		"--pid-file="+in("pid"), "--log-file="+in("log"), "--seed-file="+in("seed"))
	if err = cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	m := Munge{Socket: in("s")}
	for end := time.Now().Add(30 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		if _, err = m.Encode(t.Context(), "", time.Minute); err == nil {
			return m
		}
		if time.Now().After(end) {
			t.Fatal(err)
		}
	}
}

// A credential says who made it, once, and to munged with the same key only.
func TestMunge(t *testing.T) {
	t.Parallel()
	m, foreign := munged(t), munged(t)
	const payload = "one\n\ntwo"
	made, err := m.Encode(t.Context(), payload, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	got, err := m.Decode(t.Context(), made)
	if err != nil || got.UID != uint32(os.Getuid()) || got.Payload != payload || time.Since(got.Encoded) > time.Minute {
		t.Errorf("%+v %v", got, err)
	}
	short, err := m.Encode(t.Context(), payload, time.Second)
	if err != nil {
		t.Fatal(err)
	}
	other, err := foreign.Encode(t.Context(), payload, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(2100 * time.Millisecond)
	for credential, want := range map[string]string{made: "used before", short: "too old", other: "another key", "MUNGE:AAAA:": "malformed"} {
		got, err := m.Decode(t.Context(), credential)
		if !errors.Is(err, ErrCredential) || !strings.Contains(err.Error(), want) || got != (Credential{}) {
			t.Errorf("%q: %+v %v, want %s", credential, got, err, want)
		}
	}
	away := Munge{Socket: m.Socket + "-none"}
	if _, err := away.Decode(t.Context(), made); err == nil || errors.Is(err, ErrCredential) {
		t.Errorf("without munged: %v", err)
	}
}

// What is not a success is not read as one.
func TestParseCredential(t *testing.T) {
	for _, out := range []string{
		"", "STATUS: 0\nUID: 5\nENCODE_TIME: 7\n", "STATUS: 15\nUID: 5\nENCODE_TIME: 7\n\nx", "STATUS: 0\nENCODE_TIME: 7\n\nx",
		"STATUS: 0\nUID: 4294967294\nENCODE_TIME: 7\n\nx", "STATUS: 0\nUID: -1\nENCODE_TIME: 7\n\nx", "STATUS: 0\nUID: 5\n\nENCODE_TIME: 7\n\n",
	} {
		if got, err := parseCredential(out); err == nil {
			t.Errorf("%q: %+v", out, got)
		}
	}
	if got, err := parseCredential("STATUS:          0\nENCODE_TIME:     7\nUID:             5\n\n"); err != nil || got.UID != 5 || got.Encoded.Unix() != 7 || got.Payload != "" {
		t.Errorf("%+v %v", got, err)
	}
}

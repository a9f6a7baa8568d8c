package configuration

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// answered has users in an answer.
type answered []string

func (a answered) HasUser(name string) bool { return slices.Contains(a, name) }

// Users are those whom the system, squeue or an answer knows; commands that fail are left
// out.
func TestUsers(t *testing.T) {
	c := Default()
	c.Slurm.Bin = t.TempDir()
	script := "#!/bin/sh\necho 4712=bob\necho 4713=carol\n"
	if err := os.WriteFile(filepath.Join(c.Slurm.Bin, "squeue"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ user, want, bad string }{
		{"0", "root", ""},
		{"4712", "bob", ""},
		{"bob", "bob", ""},
		{"root", "root", ""},
		{"dave", "dave", ""},
		{"nosuch", "nosuch", "invalid user: nosuch"},
		{"4711", "4711", "invalid user: 4711"},
	} {
		users, bad := []string{tt.user}, ""
		err := c.NamesOfUIDs(t.Context(), users)
		if err == nil {
			err = c.KnownUsers(t.Context(), users, answered{"dave"})
		}
		if err != nil {
			bad = err.Error()
		}
		if users[0] != tt.want || bad != tt.bad {
			t.Errorf("%s: %s, %q; want %s, %q", tt.user, users[0], bad, tt.want, tt.bad)
		}
	}
}

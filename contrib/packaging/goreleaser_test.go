package packaging_test

import (
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// decode reads one of the configurations here.
func decode(t *testing.T, file string, into any) {
	t.Helper()
	content, err := os.ReadFile(file)
	if err == nil {
		err = yaml.Unmarshal(content, into)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// The release publishes what the build script wrote, outside the tree, and
// builds nothing by itself, which would be other bytes.
func TestGoreleaser(t *testing.T) {
	var c struct {
		Version int
		Dist    string
		Before  struct{ Hooks []string }
		Builds  []struct{ Skip bool }
		Nfpms   []any
		Release struct {
			Draft          bool
			ExtraFiles     []struct{ Glob string } `yaml:"extra_files"`
			Header, Footer string
		}
	}
	decode(t, "goreleaser.yaml", &c)
	var out string
	for _, hook := range c.Before.Hooks {
		words := strings.Fields(hook)
		if words[0] == "contrib/packaging/build" {
			out = words[slices.Index(words, "--out")+1]
		}
	}
	if len(c.Release.ExtraFiles) != 1 || out == "" || c.Release.ExtraFiles[0].Glob != path.Join(out, "*") {
		t.Errorf("%q is built and %v published", out, c.Release.ExtraFiles)
	}
	for _, folder := range []string{out, c.Dist} {
		if !strings.HasPrefix(folder, "../") {
			t.Errorf("%q lies in the tree", folder)
		}
	}
	if c.Version != 2 || len(c.Builds) != 1 || !c.Builds[0].Skip || len(c.Nfpms) != 0 || !c.Release.Draft {
		t.Errorf("%+v: want version 2, nothing built, and a draft", c)
	}
	if !strings.Contains(c.Release.Footer, "sha256sum --check") || !strings.Contains(c.Release.Footer, "contrib/packaging/build --out") {
		t.Error("the notes do not say how to verify and to reproduce")
	}
	// The names are those that the script writes.
	for _, name := range []string{"ostrich_{{ .Version }}_amd64.deb", "ostrich-{{ .Version }}.x86_64.rpm", "ostrich-{{ .Version }}-linux-amd64.tar.gz"} {
		if !strings.Contains(c.Release.Header, name) {
			t.Errorf("the notes do not name %s", name)
		}
	}
}

// Every file that packages take from the tree is there, and what holds names
// of users and machines is closed.
func TestContents(t *testing.T) {
	var c struct {
		Contents []struct {
			Src, Dst, Type, Packager string
			FileInfo                 struct {
				Mode         int
				Owner, Group string
			} `yaml:"file_info"`
		}
		Overrides map[string]struct{ Scripts map[string]string }
	}
	decode(t, "nfpm.yaml", &c)
	modes := map[string]int{"/etc/ostrich/ostrich.yaml": 0o640, "/var/lib/ostrich": 0o750, "/usr/bin/ostrich": 0o755, "/usr/sbin/ostrichd": 0o755, "/etc/ostrich": 0o755}
	seen := make(map[string]bool)
	for _, f := range c.Contents {
		want, special := modes[f.Dst]
		switch {
		case !special && f.Type == "dir":
			want = 0o755
		case !special:
			want = 0o644
		}
		if f.Type != "tree" && f.FileInfo.Mode != want {
			t.Errorf("%s has mode %o, want %o", f.Dst, f.FileInfo.Mode, want)
		}
		if f.Dst == "/etc/ostrich/ostrich.yaml" && f.Type != "config|noreplace" {
			t.Errorf("%s is %q", f.Dst, f.Type)
		}
		seen[f.Dst] = true
	}
	for dst := range modes {
		if !seen[dst] {
			t.Errorf("%s is in no package", dst)
		}
	}
	for _, packager := range []string{"deb", "rpm"} {
		o := c.Overrides[packager]
		if len(o.Scripts) < 3 {
			t.Errorf("%s has the scripts %v", packager, o.Scripts)
		}
		for when, script := range o.Scripts {
			info, err := os.Stat(script)
			if err != nil || info.Mode().Perm()&0o111 == 0 {
				t.Errorf("%s, %s: %s is no program: %v", packager, when, script, err)
			}
		}
	}
}

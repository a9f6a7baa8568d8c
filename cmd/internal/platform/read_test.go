package platform

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"slurm-ostrich/ostrich/grid"
)

// TestHPDC2008: the file that says what hpdc2008 is says so.
func TestHPDC2008(t *testing.T) {
	built, err := Named("hpdc2008")
	if err != nil {
		t.Fatal(err)
	}
	read, err := Named(filepath.FromSlash("../../../contrib/platforms/hpdc2008.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(built, read); diff != "" {
		t.Error(diff)
	}
	least, most := read.Clusters[0].Speed, read.Clusters[0].Speed
	for _, c := range read.Clusters {
		least, most = min(least, c.Speed), max(most, c.Speed)
	}
	if n := len(read.Clusters); n != 20 || read.Procs() <= 3500 || least != 1 || most != 1.75 {
		t.Errorf("%d clusters, %d processors, speeds from %v to %v; section 4.1 has 20, over 3500, 1.0 to 1.75", n, read.Procs(), least, most)
	}
}

// TestRead: what is left out has a default, and what is wrong is told with its line.
func TestRead(t *testing.T) {
	got, err := Read("dir/two.yaml", []byte("clusters:\n  - {name: a, procs: 2}\n  - {procs: 3, speed: 1.5, name: b}\n"))
	want := grid.Platform{Name: "two", Clusters: []grid.Cluster{{Name: "a", Procs: 2, Speed: 1}, {Name: "b", Procs: 3, Speed: 1.5}}}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Error(err, diff)
	}
	for text, want := range map[string]string{
		"":               "p.yaml: empty; it has to name clusters",
		"name: x\n":      "p.yaml:1: clusters: none is named",
		"clusters: []\n": "p.yaml:1: clusters: expected a list of at least one",
		"clusters: 3\n":  "p.yaml:1: clusters: expected a list of at least one",
		"- a\n":          "p.yaml:1: platform: expected keys and values",
		"clusters: [{name: a, procs: 1}]\n---\nname: b\n":                   "p.yaml:2: a second document; a platform is one",
		"clusters:\n- {name: a, procs: 0}\n":                                "p.yaml:2: procs: 0: must be a whole number, at least 1",
		"clusters:\n- {name: a, procs: -4}\n":                               "p.yaml:2: procs: -4: must be a whole number, at least 1",
		"clusters:\n- {name: a, procs: 1.5}\n":                              "p.yaml:2: procs: 1.5: must be a whole number, at least 1",
		"clusters:\n- {name: a, procs: 1, speed: 0}\n":                      "p.yaml:2: speed: 0: must be a number above 0",
		"clusters:\n- {name: a, procs: 1, speed: -1}\n":                     "p.yaml:2: speed: -1: must be a number above 0",
		"clusters:\n- {name: a, procs: 1, speed: NaN}\n":                    "p.yaml:2: speed: NaN: must be a number above 0",
		"clusters:\n- {name: a, procs: 1, speed: fast}\n":                   "p.yaml:2: speed: fast: must be a number above 0",
		"clusters:\n- {name: a, procs: 1, speed: 1e9}\n":                    `p.yaml: grid: platform "p": cluster 1 ("a"): a speed of 1e+09`,
		"clusters:\n- {name: a, procs: 99999999}\n":                         `p.yaml: grid: platform "p": cluster 1 ("a"): 99999999 processors`,
		"clusters:\n- {procs: 1}\n":                                         "p.yaml:2: clusters: a cluster needs a name",
		"clusters:\n- {name: a}\n":                                          "p.yaml:2: clusters: a: procs is missing",
		"clusters:\n- a\n":                                                  "p.yaml:2: clusters: expected keys and values",
		"clusters:\n- {name: a, procs: 1}\n- {name: a, procs: 2}\n":         "p.yaml:3: clusters: a: is the name of another cluster too",
		"clusters:\n- {name: a, procs: 1, procs: 2}\n":                      "procs: is in line 2 already",
		"clusters:\n- {name: a, procs: 1, cores: 2}\n":                      "p.yaml:2: cores: unknown key; those of a cluster are name, procs and speed",
		"nodes: 4\nclusters:\n- {name: a, procs: 0}\n- {name: b, procs: x}": "p.yaml:1: nodes: unknown key",
		"clusters:\n- {name: a, procs: [1]}\n":                              "p.yaml:2: procs: expected a value",
		"name:\nclusters:\n- {name: a, procs: 1}\n":                         "p.yaml:1: name: expected a value",
		"clusters: {\n": "p.yaml:",
	} {
		_, err = Read("p.yaml", []byte(text))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v\nwant %s", text, err, want)
		}
	}
	_, err = Read("p.yaml", []byte("nodes: 4\nclusters:\n- {name: a, procs: 0}\n- {name: b, procs: x}"))
	if lines := strings.Count(err.Error(), "\n") + 1; lines != 3 {
		t.Errorf("%d of 3 errors: %v", lines, err)
	}
	if _, err := Named("nowhere"); err == nil || !strings.Contains(err.Error(), "nowhere: there is no such file, and the platforms that need none are hpdc2008") {
		t.Error(err)
	}
	if _, err := Named(t.TempDir()); err == nil || errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

// FuzzRead: whatever a file says, it is a platform or an error that names it.
func FuzzRead(f *testing.F) {
	for _, s := range []string{"", "clusters: [{name: a, procs: 2, speed: 1.2}]", "a: &x [*x]", "clusters:\n- {name: a, procs: 0}\n", "? [a]\n: b"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := Read("p.yaml", []byte(text))
		if err != nil {
			if !strings.HasPrefix(err.Error(), "p.yaml:") {
				t.Errorf("%q: %v", text, err)
			}
			return
		}
		if err := p.Validate(); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	})
}

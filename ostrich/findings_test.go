package ostrich_test

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// TestHousePorts: each script of findings has ports of its own, so that two can run at the same time.
func TestHousePorts(t *testing.T) {
	files, err := filepath.Glob("../findings/*.sh")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	port := regexp.MustCompile(`\b29[4-9]\d\d\b`)
	owner := make(map[string]string)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range port.FindAllString(string(text), -1) {
			if other := owner[p]; other != "" && other != file {
				t.Errorf("%s and %s both have port %s", other, file, p)
			}
			owner[p] = file
		}
	}
}

// TestHouseFindingsCancelTheirOwn: no script of findings asks for the end of jobs before it has a slurm.conf of its own: as root it would
// end those of the site.
func TestHouseFindingsCancelTheirOwn(t *testing.T) {
	files, err := filepath.Glob("../findings/*.sh")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	cancels, own := regexp.MustCompile(`(?m)^(trap '|\s*)scancel`), regexp.MustCompile(`(?m)SLURM_CONF=`)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		at := cancels.FindIndex(text)
		if conf := own.FindIndex(text); at != nil && (conf == nil || at[0] < conf[0]) {
			t.Errorf("%s: scancel stands before SLURM_CONF", file)
		}
	}
}

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
	port := regexp.MustCompile(`\b29[78]\d\d\b`)
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

package slurm

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCutInside: of what squeue and sprio print, each beginning that is not the
// whole of some records is an error.
func TestCutInside(t *testing.T) {
	squeue, sprio := captured(t, "22.05/squeue.txt"), captured(t, "22.05/sprio.txt")
	for name, parse := range map[string]func(string) (int, error){
		squeue: func(out string) (int, error) {
			queue, err := parseSqueue(out, mark)
			return len(queue), err
		},
		sprio: func(out string) (int, error) {
			jobs, err := parseSprio(out)
			return len(jobs), err
		},
	} {
		for n := range name {
			some, err := parse(name[:n])
			if between := n == 0 || name[n-1] == '\n'; between != (err == nil) {
				t.Errorf("cut after %d of %d bytes, …%q: %d jobs, %v", n, len(name), name[max(0, n-20):n], some, err)
			}
		}
	}
}

// TestCutBetween: a command that ends between two records says so by its exit
// status alone, and that is enough: no job is taken to have left the queue.
func TestCutBetween(t *testing.T) {
	for _, command := range []string{"squeue", "sprio"} {
		f := newFake(t, "id=1", "id=2", "id=3")
		if queue, err := f.Queue(t.Context()); len(queue) != 3 || err != nil {
			t.Fatalf("%d jobs, %v", len(queue), err)
		}
		path := filepath.Join(f.Folder, command)
		if err := os.Rename(path, path+"-whole"); err != nil {
			t.Fatal(err)
		}
		for _, ends := range []string{"kill -KILL $$", "kill -PIPE $$", "exit 1"} {
			script := fmt.Sprintf("#!/bin/bash\n(exec -a %s %s-whole \"$@\") | head -n 2\n%s\n", command, path, ends)
			if err := os.WriteFile(path, []byte(script), 0o700); err != nil { //nolint:gosec // it is run
				t.Fatal(err)
			}
			if queue, err := f.Queue(t.Context()); err == nil || !strings.HasPrefix(err.Error(), command+": ") {
				t.Errorf("%s, %s: %d jobs, %v", command, ends, len(queue), err)
			}
		}
	}
}

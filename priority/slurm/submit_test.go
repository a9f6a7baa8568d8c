package slurm

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// pretend makes a command of Slurm's out of a script.
func pretend(t *testing.T, dir, name, script string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+script), 0o700); err != nil {
		t.Fatal(err)
	}
}

func TestSubmit(t *testing.T) {
	dir := t.TempDir()
	s := Commands{Dir: dir}
	t.Setenv("SBATCH_WAIT", "1")
	t.Setenv("SBATCH_CLUSTERS", "far")
	t.Setenv("SBATCH_PARTITION", "main")
	pretend(t, dir, "sbatch", `echo "$# $* wait=$SBATCH_WAIT clusters=$SBATCH_CLUSTERS partition=$SBATCH_PARTITION" >`+dir+"/said\necho 17")
	id, err := s.Submit(t.Context(), "a b.sh", "--array=0-3", "-p", "x")
	if id != 17 || err != nil {
		t.Errorf("%d, %v", id, err)
	}
	said, err := os.ReadFile(dir + "/said")
	if want := "5 --parsable --array=0-3 -p x a b.sh wait= clusters= partition=main\n"; err != nil || string(said) != want {
		t.Errorf("%q, %v, want %q", said, err, want)
	}
	pretend(t, dir, "sbatch", "echo 'sbatch: error: Batch job submission failed: Invalid partition name specified' >&2; exit 1")
	if _, err := s.Submit(t.Context(), "x"); err == nil || !strings.Contains(err.Error(), "Invalid partition name specified") {
		t.Error(err)
	}
}

func TestParseSubmitted(t *testing.T) {
	for out, want := range map[string]int{"17\n": 17, "17;far\n": 17, "": 0, "Submitted batch job 17\n": 0, "0": 0, "-1": 0, "4294967296": 0} {
		id, err := parseSubmitted(out)
		if int(id) != want || (err == nil) != (want > 0) {
			t.Errorf("%q: %d, %v", out, id, err)
		}
	}
}

func TestArray(t *testing.T) {
	f := newFake(
		t, "id=16", "id=17 array=17 tasks=4-9%2", "id=18 array=17 task=3 start=-9", "id=19 array=17 task=2 state=COMPLETING",
		"id=20 array=17 task=1 state=COMPLETED", "id=21 array=17 task=0 state=OUT_OF_MEMORY",
	)
	got, err := f.Array(t.Context(), 17)
	want := []ArrayTasks{{"4-9%2", "PENDING"}, {"3", "RUNNING"}, {"2", "COMPLETING"}, {"1", "COMPLETED"}, {"0", "OUT_OF_MEMORY"}}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v, -want +got:\n%s", err, diff)
	}
	for i, ended := range []bool{false, false, false, true, true} {
		if want[i].Ended() != ended {
			t.Errorf("%s: ended %v", want[i].State, !ended)
		}
	}
	if !want[0].Has(4) || !want[0].Has(9) || want[0].Has(3) || !want[1].Has(3) {
		t.Errorf("tasks 4 to 9 have 4: %v, 9: %v, 3: %v; task 3 has 3: %v", want[0].Has(4), want[0].Has(9), want[0].Has(3), want[1].Has(3))
	}
	if got, err := f.Array(t.Context(), 77); len(got) > 0 || err != nil {
		t.Errorf("forgotten: %v, %v", got, err)
	}
	f.Set("fail-squeue", "slurm_load_jobs error: Unable to contact slurm controller (connect failure)")
	if _, err := f.Array(t.Context(), 17); err == nil {
		t.Error("no answer, and no error")
	}
}

// FuzzParseArray: nothing is read out of lines that are none of squeue's.
func FuzzParseArray(f *testing.F) {
	f.Add("4-9%2|PENDING\n3|RUNNING\n")
	f.Add("|\n\n")
	f.Add("N/A|FAILED")
	f.Fuzz(func(t *testing.T, out string) {
		all, err := parseArray(out)
		for _, a := range all {
			if err == nil && (a.Tasks == "" || a.State == "") {
				t.Errorf("%q: %+v", out, a)
			}
		}
	})
}

package solver

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/optimal"
)

// queue is one that EASY serves badly: a long job stands in front.
var queue = optimal.Instance{
	Procs:   4,
	Running: []optimal.Running{{Procs: 2, Left: 5}},
	Jobs: []optimal.Job{
		{ID: 1, Procs: 4, Length: 50, Due: 10},
		{ID: 2, Procs: 2, Length: 10, Due: 0},
		{ID: 3, Procs: 3, Length: 7, Due: 6},
		{ID: 4, Procs: 1, Length: 20, Due: 3},
	},
	Campaigns: []optimal.Campaign{{Age: 5, Least: 20}},
}

func solve(t *testing.T, s optimal.Solver, o optimal.Objective, b optimal.Budget) (optimal.Result, error) {
	t.Helper()
	in := queue
	return s.Solve(&in, o, b)
}

func unlimited() optimal.Budget { return optimal.Budget{Nodes: optimal.Unlimited} }

func named(t *testing.T, name string, limit time.Duration) optimal.Solver {
	t.Helper()
	s, err := New(t.Context(), name, optimal.Compact, limit)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestAgree compares cbc with the own solver.
func TestAgree(t *testing.T) {
	if _, err := exec.LookPath(program); err != nil {
		t.Skip("cbc (Debian's coinor-cbc) is not installed")
	}
	for o := range optimal.ObjectiveNames {
		want, err := solve(t, named(t, "own", 0), optimal.Objective(o), unlimited())
		if err != nil {
			t.Fatal(err)
		}
		got, err := solve(t, named(t, program, 30*time.Second), optimal.Objective(o), unlimited())
		if err != nil || math.Abs(got.Value-want.Value) > 1e-9*want.Value || !got.Optimal {
			t.Errorf("%v: %+v, %v; the own solver has %v", optimal.Objective(o), got, err, want.Value)
		}
	}
}

// fake puts a cbc in PATH that is a script.
func fake(t *testing.T, script string) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, program), []byte("#!/bin/sh\n"+script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
}

// TestFailures wants EASY's schedule, and the reason.
func TestFailures(t *testing.T) {
	long := `head -c 20000000 /dev/zero | tr '\0' x`
	for _, tt := range []struct{ test, script, want string }{
		{"fails", "echo out of memory >&2; exit 3", "cbc: exit status 3: out of memory"},
		{"no solution", "echo Unknown option", "cbc: it wrote no solution: Unknown option"},
		{"empty", `for last; do :; done; : > "$last"`, `cbc: its answer cannot be read: ""`},
		{"rubbish", `for last; do :; done; echo hello > "$last"`, `cbc: its answer cannot be read: "hello"`},
		{"infeasible", `for last; do :; done; echo "Infeasible - objective value 0" > "$last"`, `cbc: its answer cannot be read: "Infeasible - objective value 0"`},
		{"rubbish in a column", `for last; do :; done; printf 'Optimal - objective value 1\n 0 t_1 x 0\n' > "$last"`, `cbc: its answer cannot be read: "x" is no number`},
		{"too much", long, "cbc: it printed more than 16 MiB"},
	} {
		t.Run(tt.test, func(t *testing.T) {
			fake(t, tt.script)
			r, err := solve(t, named(t, program, math.MaxInt64), optimal.SumT, unlimited()) // the longest limit is no short one
			if !errors.Is(err, ErrFailed) || err.Error() != tt.want+"; "+ErrFailed.Error() {
				t.Errorf("error %v, want %s", err, tt.want)
			}
			if diff := cmp.Diff(optimal.EASY(&queue), r.Starts); diff != "" {
				t.Errorf("starts (-EASY +got):\n%s", diff)
			}
		})
	}
}

func TestMissing(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	_, err := solve(t, named(t, "cbc", time.Second), optimal.SumT, unlimited())
	if want := "cbc: it is not installed; " + ErrFailed.Error(); err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

// TestUseless takes a schedule that is worse than EASY's, and one that is none.
func TestUseless(t *testing.T) {
	for _, script := range []string{
		`for last; do :; done; printf 'Stopped on time - objective value 99\n 0 t_1 900 0\n 0 t_2 9 0\n 0 t_3 3000 0\n 0 t_4 4000 0\n' > "$last"`,
		`for last; do :; done; echo "Stopped on time (no integer solution - continuous used) - objective value 0" > "$last"; echo "Lower bound: 3.5"`,
	} {
		fake(t, script)
		r, err := solve(t, named(t, "cbc", time.Minute), optimal.Cmax, unlimited())
		if err != nil || r.Value > r.EASY || r.Optimal {
			t.Errorf("%+v, %v", r, err)
		}
	}
}

// TestKilled stops a program that has started a child, and waits until that is gone.
func TestKilled(t *testing.T) {
	file := filepath.Join(t.TempDir(), "child")
	fake(t, "sleep 1000 &\necho $! > "+file+".new; mv "+file+".new "+file+"; wait")
	pid := func() int {
		text, err := os.ReadFile(file)
		if err != nil {
			return 0
		}
		n, err := strconv.Atoi(strings.TrimSpace(string(text)))
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for _, tt := range []struct {
		name string
		ctx  context.Context
		stop func() bool
		end  func()
	}{
		{"by the budget", t.Context(), func() bool { return pid() > 0 }, func() {}},
		{"by the context", ctx, func() bool {
			if pid() > 0 {
				cancel()
			}
			return false
		}, cancel},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_ = os.Remove(file)
			s, err := New(tt.ctx, "cbc", optimal.Compact, time.Hour)
			if err != nil {
				t.Fatal(err)
			}
			_, err = solve(t, s, optimal.SumU, optimal.Budget{Nodes: optimal.Unlimited, Stop: tt.stop})
			if want := "cbc: it was stopped; " + ErrFailed.Error(); err == nil || err.Error() != want {
				t.Errorf("error %v, want %s", err, want)
			}
			child := pid()
			if child == 0 {
				t.Fatal("no child was started")
			}
			for syscall.Kill(child, 0) == nil && !zombie(child) { // until init has it
				time.Sleep(5 * time.Millisecond)
			}
		})
	}
}

// asParent makes TestKilledParent the process that is killed.
const asParent = "SOLVER_PARENT"

// No program outlives a process that is killed.
func TestKilledParent(t *testing.T) {
	if os.Getenv(asParent) != "" {
		_, err := solve(t, named(t, "cbc", time.Hour), optimal.SumU, unlimited())
		t.Fatalf("the program ended: %v", err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "program")
	fake(t, "echo $$ > "+file+".new; mv "+file+".new "+file+"; exec sleep 1000")
	parent := exec.CommandContext(t.Context(), self, "-test.run=^TestKilledParent$")
	parent.Env = append(os.Environ(), asParent+"=1", "TMPDIR="+t.TempDir())
	if err = parent.Start(); err != nil {
		t.Fatal(err)
	}
	program := 0
	for program == 0 {
		if text, missing := os.ReadFile(file); missing == nil {
			if program, err = strconv.Atoi(strings.TrimSpace(string(text))); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(5 * time.Millisecond)
	}
	if err = parent.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = parent.Wait() // It was killed.
	for deadline := time.Now().Add(5 * time.Second); syscall.Kill(program, 0) == nil && !zombie(program); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			_ = syscall.Kill(program, syscall.SIGKILL) // It may end just now.
			t.Fatal("the program runs after its parent was killed")
		}
	}
}

// zombie reports whether a process has ended and nobody has asked for its end yet.
func zombie(pid int) bool {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return true
	}
	_, state, _ := strings.Cut(string(stat), ") ")
	return strings.HasPrefix(state, "Z")
}

// TestLimit kills a program that does not end by itself, or starts none if its time is over.
func TestLimit(t *testing.T) {
	fake(t, "sleep 1000")
	for _, limit := range []time.Duration{50 * time.Millisecond, time.Nanosecond} {
		p, ok := named(t, program, limit).(*cbc)
		if !ok {
			t.Fatal("not the program")
		}
		p.grace = 0
		_, err := solve(t, p, optimal.SumU, unlimited())
		if want := fmt.Sprintf("cbc: it did not end within its limit of %v; %v", limit, ErrFailed); err == nil || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}

// TestBudgetOfNothing starts no program.
func TestBudgetOfNothing(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	r, err := solve(t, named(t, "cbc", time.Second), optimal.SumU, optimal.Budget{})
	if err != nil || r.Value != r.EASY {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestNewRefuses(t *testing.T) {
	if _, err := New(t.Context(), "cplex", optimal.Compact, time.Second); err == nil {
		t.Error("cplex is no solver")
	}
	if _, err := New(t.Context(), "cbc", optimal.Compact, 0); err == nil {
		t.Error("no time is no limit")
	}
}

// FuzzParse wants an error or as many starts as there are jobs, and a bound.
func FuzzParse(f *testing.F) {
	in := queue
	m, err := optimal.NewModel(&in, optimal.SumT, optimal.Compact)
	if err != nil {
		f.Fatal(err)
	}
	for _, s := range [][2]string{
		{"", "Optimal - objective value 1.00000000\n      0 t_1   1     1\n      1 u_2  0  2\n"},
		{"Lower bound:                    8684.412\n", "Stopped on time - objective value 869079.00000000\n** 3 t_2  7  0\n"},
		{"", "Stopped on time (no integer solution - continuous used) - objective value 0.00000000\n     43 y_2_4  0.15 0\n"},
	} {
		f.Add([]byte(s[0]), []byte(s[1]))
	}
	f.Fuzz(func(t *testing.T, printed, solution []byte) {
		a, err := parse(m, printed, solution)
		if err != nil {
			return
		}
		if a.starts != nil && len(a.starts) != len(in.Jobs) || !(a.bound >= 0) || math.IsInf(a.bound, 1) {
			t.Fatalf("%+v", a)
		}
		in := queue
		r, err := optimal.Listed(&in, optimal.SumT, a.starts)
		if err != nil || len(r.Starts) != len(in.Jobs) {
			t.Fatalf("%+v: %+v, %v", a, r, err)
		}
		for _, s := range r.Starts {
			if s < ostrich.Duration(0) {
				t.Fatalf("%+v: %+v", a, r)
			}
		}
	})
}

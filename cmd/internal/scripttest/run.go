// Package scripttest runs the commands in test scripts (testscript), with a
// private MariaDB that has slurmdbd's tables, and with fake commands of Slurm.
//
// Scripts have these in addition to testscript's own:
//
//   - cluster FILE writes jobs, users and sizes into the database and into the
//     queue that the fake commands show; see type cluster for the file.
//   - the folder slurm: what the fake commands read and write, see package
//     slurmtest.
//   - await FILE waits until a file exists.
//   - cells FILE wants tables for programs, and values FILE a JSON document, see Cells
//     and Values.
//   - the environment names the database, its password file, the journal and an
//     empty configuration file. The clock of the database stands at 1700000000,
//     which is 2023-11-14T22:13:20 UTC; for a database account whose name begins
//     with live, it runs.
//
// Times in files are seconds after that moment, mostly negative.
package scripttest

import (
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/testscript"

	"slurm-ostrich/priority/slurm/slurmtest"
	"slurm-ostrich/slurmdb/slurmdbtest"
)

var update = flag.Bool("update", false, "write what the commands print into the scripts, and the files that the code describes")

// tests run the tests of a package and return the exit code.
type tests func() int

func (t tests) Run() int { return t() }

// commands are the names that Main was given.
var commands []string

// Main runs the tests of a package, which call Run. Scripts find the given
// commands and Slurm's fake ones. Main ends the process.
func Main(m *testing.M, named map[string]func()) {
	commands = slices.Sorted(maps.Keys(named))
	withServer := tests(func() int { return slurmdbtest.Main(m) })
	testscript.Main(tests(func() int { return slurmtest.Main(withServer) }), named)
}

const scripts = "testdata/script"

// Run runs the scripts in testdata/script. Under the race detector the commands of a
// script run without it, but for the scripts that are named: a process takes it five
// times as long to start and to compute, and most have no second goroutine.
func Run(t *testing.T, raced ...string) {
	t.Helper()
	for _, script := range raced {
		if _, err := os.Stat(filepath.Join(scripts, script+".txtar")); err != nil {
			t.Fatal(err)
		}
	}
	fast := ""
	if race {
		fast = withoutRace(t)
	}
	testscript.Run(t, testscript.Params{
		Dir: scripts, UpdateScripts: *update, RequireUniqueNames: true,
		Setup: func(env *testscript.Env) error {
			if script := strings.TrimPrefix(filepath.Base(env.WorkDir), "script-"); fast != "" && !slices.Contains(raced, script) {
				before(env, fast)
			}
			return setup(env)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"cluster": clusterCommand, "await": awaitCommand, "cells": cellsCommand, "values": valuesCommand},
	})
}

// withoutRace builds this test program without the race detector, and returns a folder
// that has it under the name of each command.
func withoutRace(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	built := filepath.Join(dir, commands[0])
	build := exec.CommandContext(t.Context(), "go", "test", "-c", "-race=false", "-vet=off", "-o", built, ".")
	if said, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", build, err, said)
	}
	for _, name := range commands[1:] {
		if err := os.Link(built, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// before puts a folder before all others in which a script looks for commands.
func before(env *testscript.Env, folder string) {
	env.Setenv("PATH", folder+string(filepath.ListSeparator)+env.Getenv("PATH"))
}

// own is the state of one script.
type own struct {
	t  testing.TB
	db *slurmdbtest.DB // nil until the script has a cluster
}

// setup prepares the folders and the environment of a script.
func setup(env *testscript.Env) error {
	file := func(name string) string { return filepath.Join(env.WorkDir, name) }
	t, ok := env.T().(testing.TB)
	if !ok {
		return errors.New("the scripts are not run by a test")
	}
	env.Values[own{}] = &own{t: t}
	for key, value := range map[string]string{
		"GORACE": "atexit_sleep_ms=0", // without it, each process waits a second under the race detector
		"TZ":     "UTC", "LC_ALL": "C", "FAKE_SLURM": file("slurm"), "NOTIFY_SOCKET": "", "WATCHDOG_USEC": "",
		"OSTRICH_CONFIG": file("empty.yaml"), "OSTRICH_JOURNAL": file("state/journal.jsonl"), "OSTRICH_LISTEN": "", "OSTRICH_SOCKET": "",
	} {
		env.Setenv(key, value)
	}
	before(env, file("slurm/bin"))
	return errors.Join(os.MkdirAll(file("slurm/bin"), 0o700), slurmtest.Link(file("slurm/bin")),
		os.MkdirAll(file("state"), 0o700), os.WriteFile(file("empty.yaml"), nil, 0o644),
		os.Chmod(filepath.Dir(env.WorkDir), 0o755)) // the check looks whether other users may read the files
}

// frozen guards the setting that stops the clock of the server.
var frozen sync.Once

// database creates the script's database, once, and sets the environment.
func database(ts *testscript.TestScript) *slurmdbtest.DB {
	o, ok := ts.Value(own{}).(*own)
	if !ok {
		ts.Fatalf("the script was not set up")
	}
	if o.db != nil {
		return o.db
	}
	db := slurmdbtest.New(o.t, slurmdbtest.R2205)
	// Accounts belong to the server, so each script has its own.
	number := db.Name[strings.LastIndex(db.Name, "_")+1:]
	// Once for all scripts, because they share the server: a connection made
	// meanwhile may miss the setting.
	frozen.Do(func() {
		db.Run(fmt.Sprintf("SET GLOBAL init_connect = 'SET timestamp = IF(CURRENT_USER() LIKE ''live%%'', 0, %d)'", slurmtest.Epoch))
	})
	for _, account := range []string{"ostrich", "live"} {
		db.Account(account+number, "s3cret", "SELECT")
	}
	ts.Setenv("OSTRICH_DATABASE_ADDRESS", db.Server.Socket)
	ts.Setenv("OSTRICH_DATABASE_NAME", db.Name)
	ts.Setenv("OSTRICH_DATABASE_USER", "ostrich"+number)
	ts.Setenv("LIVE_USER", "live"+number)
	password := filepath.Join(ts.Getenv("WORK"), "password")
	ts.Check(os.WriteFile(password, []byte("s3cret\n"), 0o644))
	ts.Setenv("OSTRICH_DATABASE_PASSWORD_FILE", password)
	o.db = db
	return db
}

// clusterCommand implements "cluster FILE".
func clusterCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: cluster FILE")
	}
	c, err := parseCluster(ts.ReadFile(args[0]))
	if err != nil {
		ts.Fatalf("%s:%v", args[0], err)
	}
	c.put(database(ts))
	ts.Check(slurmtest.WriteQueue(ts.Getenv("FAKE_SLURM"), c.queue))
	ts.Check(c.dump(ts.Getenv("FAKE_SLURM")))
}

// awaitCommand implements "await FILE".
func awaitCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: await FILE")
	}
	for range 6000 {
		if _, err := os.Stat(ts.MkAbs(args[0])); err == nil {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	ts.Fatalf("%s did not appear within five minutes", args[0])
}

// Golden compares a file of the tree with its expected text; -update writes it.
func Golden(t *testing.T, file, want string) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, string(got)); d != "" {
		t.Errorf("%s is not what the code says; go test -update writes it (-want +got):\n%s", file, d)
	}
}

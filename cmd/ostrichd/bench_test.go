package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"

	"slurm-ostrich/priority/slurm/slurmtest"
	"slurm-ostrich/slurmdb/slurmdbtest"
)

// The size of BenchmarkColdStart. That of the design is -ended=1000000.
var ended = flag.Int("ended", 100_000, "rows of ended jobs in the benchmark")

// BenchmarkColdStart is ostrichd --once, all of it: the first cycle over the rows of
// weeks, with default settings, and fake commands of Slurm that show its pending jobs.
func BenchmarkColdStart(b *testing.B) {
	const live, users, every = 5000, 300, 2
	server, err := slurmdbtest.Start(b.Context(), slurmdbtest.Options{Arguments: []string{"--innodb-buffer-pool-size=2G"}})
	if errors.Is(err, slurmdbtest.ErrMissing) {
		b.Skip(err)
	}
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(server.Stop)
	db := server.New(b, slurmdbtest.R2205)
	first := db.Clock() - int64(*ended)*every - 5000
	db.Seed(slurmdbtest.Seeding{Ended: *ended, Live: live, Users: users, First: first, Every: every})
	db.Size(20_000, 500, first, 0)
	db.Account("reader", "s3cret", "SELECT")
	db.Associate(slurmdbtest.Assoc{ID: 1, Account: "physics", Above: "root", Shares: 1})
	for i := range users { // as Seed numbers them
		db.Associate(slurmdbtest.Assoc{ID: uint32(10 + i), User: fmt.Sprintf("u%d", 1001+i), Account: "physics", Shares: 1})
	}
	dir := b.TempDir()
	var queue []slurmtest.Job
	for i := 2; i <= live; i += 2 { // the others run
		queue = append(queue, slurmtest.Job{
			"id": strconv.Itoa(*ended + i), "user": fmt.Sprintf("u%d", 1001+i%users), "uid": strconv.Itoa(1001 + i%users), "account": "physics",
			"submit": "-600", "cpus": strconv.Itoa(1 + i%16), "limit": strconv.Itoa(60 + i%600),
		})
	}
	if err = slurmtest.WriteQueue(dir, queue); err != nil {
		b.Fatal(err)
	}
	bin := b.TempDir()
	if err = slurmtest.Link(bin); err != nil {
		b.Fatal(err)
	}
	environment := append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "FAKE_SLURM="+dir, "OSTRICH_DATABASE_PASSWORD=s3cret", "OSTRICH_CONFIG=/dev/null", "NOTIFY_SOCKET=")
	for b.Loop() {
		cmd := exec.CommandContext(b.Context(), "ostrichd", "--once", "--journal", filepath.Join(dir, "journal.jsonl"),
			"--database-address", server.Socket, "--database-name", db.Name, "--database-user", "reader")
		var log bytes.Buffer
		cmd.Env, cmd.Stderr = environment, &log
		if err := cmd.Run(); err != nil {
			b.Fatalf("%v: %s", err, log.String())
		}
		if want := fmt.Sprintf(`"managed":%d,`, live/2); !bytes.Contains(log.Bytes(), []byte(want)) {
			b.Fatalf("want %s: %s", want, log.String())
		}
		usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage)
		if !ok {
			b.Fatal("the system does not tell how much memory a process had")
		}
		b.ReportMetric(float64(usage.Maxrss)*1024/1e6, "MB-most") // it is in KiB
		b.ReportMetric(float64(cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime())/1e9, "cpu-s/op")
	}
}

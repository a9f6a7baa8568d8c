package replay_test

import (
	"bytes"
	"cmp"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"slurm-ostrich/cmd/internal/replay"
	"slurm-ostrich/cmd/internal/simulation"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting"
	"slurm-ostrich/ostrich/trace"
)

// TestToLog: a log that accounting was made of comes back from it, in the file and out of it again: jobs with the
// same times, sizes, limits, users, groups and programs, under other numbers.
func TestToLog(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		log := &trace.Log{}
		at := int64(0)
		for n := range rapid.Int64Range(1, 8).Draw(rt, "jobs") {
			r := trace.Record{Number: n + 1, Submit: at, Wait: rapid.Int64Range(0, 50).Draw(rt, "wait"), Run: rapid.Int64Range(1, 50).Draw(rt, "run"), Allocated: rapid.Int64Range(1, 4).Draw(rt, "procs"), CPU: -1, Memory: -1, RAM: -1, Preceding: -1, Think: -1}
			r.Requested, r.Limit, r.Status, r.Queue, r.Partition = r.Allocated, 100, rapid.SampledFrom([]int64{trace.Completed, trace.Failed}).Draw(rt, "status"), 1, 1
			r.User = rapid.Int64Range(1, 3).Draw(rt, "user")
			r.Group, r.App = r.User, r.User
			at += rapid.Int64Range(0, 9).Draw(rt, "gap")
			log.Records = append(log.Records, r)
		}
		h, err := replay.FromLog(log, 4)
		if err != nil {
			rt.Fatal(err)
		}
		back, err := simulation.ToLog(h)
		if err != nil {
			rt.Fatal(err)
		}
		var file bytes.Buffer
		if err = back.Write(&file); err != nil {
			rt.Fatal(err)
		}
		read, err := trace.Read(&file, "log", trace.Options{})
		if err != nil || read.Processors() != 4 {
			rt.Fatal(err, read.Processors())
		}
		if diff := gocmp.Diff(back.Records, read.Records); diff != "" {
			rt.Fatalf("(-made +read):\n%s", diff)
		}
		first := make(map[int64]int64) // numbers in the order of the first jobs
		for i := range log.Records {
			r := &log.Records[i]
			if first[r.User] == 0 {
				first[r.User] = int64(len(first) + 1)
			}
			r.User = first[r.User]
			r.Group, r.App = r.User, r.User
		}
		slices.SortStableFunc(log.Records, func(a, b trace.Record) int {
			return cmp.Or(cmp.Compare(a.Submit, b.Submit), cmp.Compare(a.Number, b.Number))
		})
		if diff := gocmp.Diff(log.Records, read.Records); diff != "" {
			rt.Fatalf("(-log +back):\n%s", diff)
		}
	})
}

// TestToLogLost: what a log cannot hold is counted, in its header and in the notes.
func TestToLogLost(t *testing.T) {
	h := &accounting.History{
		Associations: []accounting.Association{{User: "ada", Account: "phys"}}, Partitions: []string{"main"}, QOS: []string{""}, To: 100,
		Jobs: []accounting.Job{
			{ID: 7, State: accounting.Completed, Procs: 2, Asked: 2, Submit: 10, Eligible: 20, Start: 30, End: 50, Suspended: 5, Memory: 3},
			{ID: 8, State: accounting.Running, Procs: 1, Asked: 1, Submit: 11, Eligible: 11, Start: 12},
			{ID: 9, State: accounting.Cancelled, Procs: 1, Asked: 1, Submit: 12, End: 13},
			{ID: 10, State: accounting.TimedOut, Procs: 1, Asked: 1, Submit: 13, Start: 14, End: 14, Resized: true},
		},
	}
	log, err := simulation.ToLog(h)
	if err != nil {
		t.Fatal(err)
	}
	base := trace.Record{CPU: -1, Memory: -1, Limit: -1, RAM: -1, App: -1, User: 1, Group: 1, Queue: 1, Partition: 1, Preceding: -1, Think: -1}
	with := func(number, submit, wait, run, procs, asked, ram, status int64) trace.Record {
		r := base
		r.Number, r.Submit, r.Wait, r.Run, r.Allocated, r.Requested, r.RAM, r.Status = number, submit, wait, run, procs, asked, ram, status
		return r
	}
	want := []trace.Record{
		with(8, 0, 1, -1, 1, 1, -1, -1), with(9, 1, -1, 0, -1, 1, -1, trace.Cancelled),
		with(10, 2, 1, 1, 1, 1, -1, trace.Failed), with(7, 9, 10, 15, 2, 2, 1536, trace.Completed),
	}
	if diff := gocmp.Diff(want, log.Records); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if n := len(log.Key.Notes); n != 6 || log.Number("UnixStartTime") != 11 || log.Processors() != 0 {
		t.Errorf("%d notes, start %d, %d processors: %q", n, log.Number("UnixStartTime"), log.Processors(), log.Header)
	}
	if got := log.Key.User(1); got != "ada" || log.Key.User(2) != "2" || ostrich.Time(log.Number("MaxJobs")) != 4 {
		t.Errorf("user %s", got)
	}
}

package main

import (
	"testing"

	"slurm-ostrich/slurmdb/slurmdbtest"
)

// TestServerMoves: the first of two database servers goes away and comes back. The
// order goes on at the other one, unless that is behind what the first had told;
// each move is one line.
func TestServerMoves(t *testing.T) {
	first := slurmdbtest.New(t, slurmdbtest.R2411)
	server, err := slurmdbtest.Start(t.Context(), slurmdbtest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Stop)
	second := server.Named(t, slurmdbtest.R2411, first.Name)
	one, other := newGate(t, first.Server.Socket), newGate(t, second.Server.Socket)
	h := settle(t, first, one.path, other.path)
	for _, db := range []*slurmdbtest.DB{first, second} {
		db.Size(32, 2, h.now-86400, 0)
	}
	h.wait(1, 1001, 50, first, second)
	h.wait(2, 1002, 40, first, second)
	h.works(2)
	diff(t, "at the first", nothing, h.said())
	before := h.site()
	if len(before) != 2 {
		t.Fatalf("values: %v", before)
	}

	one.shut()
	h.works(2)
	diff(t, "the first is away", []string{"warn accounting is read at another database server"}, h.said())
	diff(t, "values of what is known", before, h.site())
	h.wait(3, 1003, 30, second)
	h.works(1)
	if h.site()["3"] == "" {
		t.Error("job 3 of the second server is not ordered")
	}

	one.open()
	h.works(2)
	diff(t, "the first is there, but behind", nothing, h.said())
	first.Put(slurmdbtest.Job{ID: 3, User: 1003, Submit: h.now - 30})
	h.works(2)
	diff(t, "the first has all", []string{"info accounting is read at the first database server again"}, h.said())

	h.wait(4, 1004, 20, first)
	h.works(1)
	before = h.site()
	one.shut()
	h.fails(3, "older than what was read before")
	diff(t, "the second is behind", []string{"error cycle failed; the queue stays as it is, and the next tries come at growing pauses"}, h.said())
	diff(t, "values meanwhile", before, h.site())
	second.Put(slurmdbtest.Job{ID: 4, User: 1004, Submit: h.now - 20})
	h.works(1)
	diff(t, "the second has all", []string{"warn accounting is read at another database server", "info recovered"}, h.said())
	diff(t, "values of what is known", before, h.site())

	other.shut()
	h.fails(2, "no such file")
	diff(t, "both are away", []string{"error cycle failed; the queue stays as it is, and the next tries come at growing pauses"}, h.said())
	one.open()
	h.works(1)
	diff(t, "the first is back", []string{"info accounting is read at the first database server again", "info recovered"}, h.said())
	diff(t, "values of what is known", before, h.site())
}

// A replica that was never known to be up to date: it lacks jobs that have waited for
// long. As long as messages wait for slurmdbd, it is slurmdbd that is away.
func TestServerLags(t *testing.T) {
	db := slurmdbtest.New(t, slurmdbtest.R2411)
	one, other := newGate(t, db.Server.Socket), newGate(t, db.Server.Socket)
	h := settle(t, db, one.path, other.path)
	db.Size(32, 2, h.now-86400, 0)
	h.wait(1, 1001, 500, db)
	h.wait(2, 1002, 200)
	one.shut()
	h.fails(2, "a replica that lags?")
	diff(t, "it lags", []string{"error cycle failed; the queue stays as it is, and the next tries come at growing pauses"}, h.said())
	h.slurm.Set("dbd", "7")
	h.works(1)
	diff(t, "slurmdbd is away", []string{"warn accounting is read at another database server", "info recovered"}, h.said())
	h.slurm.Set("dbd", "0")
	db.Put(slurmdbtest.Job{ID: 2, User: 1002, Submit: h.now - 200})
	h.works(1)
	diff(t, "it is up to date", nothing, h.said())
	one.open()
	h.works(1)
	diff(t, "the first is back", []string{"info accounting is read at the first database server again"}, h.said())
}

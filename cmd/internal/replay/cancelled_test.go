package replay

import (
	"slices"
	"testing"

	"slurm-ostrich/cmd/internal/simulation"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting"
	"slurm-ostrich/priority/slurm"
)

// withCancelled is a record in which job 2 was cancelled while it waited for all processors, and kept job 3 from starting until then.
func withCancelled() *accounting.History {
	job := func(id ostrich.JobID, user, procs int32, submit, start, end ostrich.Time, limit ostrich.Duration) accounting.Job {
		return accounting.Job{ID: id, Association: user, Procs: procs, Asked: procs, Nodes: 1, AskedNodes: 1, Submit: submit, Eligible: submit, Start: start, End: end, Limit: limit, State: accounting.Completed}
	}
	h := history()
	h.Partitions, h.Needs = []string{"main"}, []accounting.Needs{{}, {Features: "fast"}}
	h.Jobs = []accounting.Job{
		job(1, 0, 6, 1000, 1000, 1500, 500), job(2, 1, 8, 1010, 0, 1200, 600), job(3, 0, 2, 1020, 1200, 1900, 700), job(4, 1, 2, 1100, 1500, 1700, 700),
	}
	h.Jobs[1].State = accounting.Cancelled
	return h
}

// cancelledIn counts the jobs of a study that wait until they are cancelled, and those of its table that never started.
func cancelledIn(s *Study) (waiting, left int) {
	for i := range s.Jobs {
		if s.Jobs[i].cancelled {
			waiting++
		}
	}
	return waiting, s.left.jobs[neverStarted] + s.left.jobs[forEver]
}

// TestCancelled: a job that was cancelled while it waited has its place in the queue until then, under every policy, and is not measured.
func TestCancelled(t *testing.T) {
	records, err := slurm.ParseRecords("NodeName=n1 CPUs=8\nPartitionName=main Nodes=n1\n", nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, setup := range []Setup{
		{Options: window30}, {Options: window30, Records: records}, {Options: window30, Run: chosen(t, simulation.Options{Replay: "closed"})},
	} {
		s := mustNew(t, withCancelled(), setup)
		if waiting, left := cancelledIn(s); waiting != 1 || left != 0 || s.left.jobs[cancelled] != 1 || s.left.jobs[unfinished] != 0 {
			t.Errorf("%d jobs wait, and of the others: %+v", waiting, s.left.rows())
		}
		if recorded := s.Recorded(); len(recorded) != 3 || recorded[1].ID != 3 {
			t.Errorf("recorded: %+v, want jobs 1, 3 and 4", recorded)
		}
		if len(s.open) != 0 {
			t.Errorf("campaigns %v have jobs that had not ended", s.open)
		}
		phase := phaseTest{Study: s}
		if phase.gather(); len(phase.events) != 11 {
			t.Errorf("events %+v of recorded priorities, want three of each job that ran, and that the other came and went", phase.events)
		}
		for i := range s.Jobs {
			if j := &s.Jobs[i]; j.request().Free != j.cancelled {
				t.Errorf("job %d is free: %t", j.Slurm, !j.cancelled)
			}
		}
		list, err := s.campaigns(0, s.Measure)
		if err != nil {
			t.Fatal(err)
		}
		var users []ostrich.UserID
		for i := range list {
			users = append(users, list[i].User)
		}
		want := []ostrich.UserID{1, 2}
		if setup.Run.Closed { // nobody waits for it
			want = []ostrich.UserID{1, 2, 2}
		}
		if !slices.Equal(users, want) {
			t.Errorf("closed %t: campaigns of %v, want %v", setup.Run.Closed, users, want)
		}
		for _, policy := range []string{"fairshare", "ostrich:rule=max", "fcfs", "fcfs-campaigns", "spt"} {
			jobs, _, failed := s.Replay(sitePolicy(t, policy), func(int) {})
			if failed != nil {
				t.Fatal(failed)
			}
			if len(jobs) != 3 || jobs[1].ID != 3 {
				t.Fatalf("%s: %+v, want jobs 1, 3 and 4", policy, jobs)
			}
			if slices.Contains([]string{"fcfs", "fairshare"}, policy) && (jobs[1].Start < 1200 || jobs[1].Start > 1230) {
				t.Errorf("%s, closed %t, on nodes %t: job 3 starts at %d, want the first look after 1200", policy, setup.Run.Closed, s.placement != nil, jobs[1].Start)
			}
		}
		s.cancels = false
		if list, err = s.campaigns(0, s.Measure); err != nil || len(list) != 2 {
			t.Errorf("without it, campaigns %+v, %v", list, err)
		}
	}
}

// TestCancelledLeftOut: what never had a place in the queue, or is not in the window, is left out.
func TestCancelledLeftOut(t *testing.T) {
	records, err := slurm.ParseRecords("NodeName=n1 CPUs=8\nPartitionName=main Nodes=n1\n", nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(h *accounting.History, s *Setup){
		"it was never eligible": func(h *accounting.History, _ *Setup) { h.Jobs[1].Eligible = 0 },
		"it was to be so later": func(h *accounting.History, _ *Setup) { h.Jobs[1].Eligible = 1300 },
		"before the window": func(h *accounting.History, _ *Setup) {
			h.Jobs[1].Submit, h.Jobs[1].Eligible, h.Jobs[1].End = 900, 900, 950
		},
		"without a size":               func(h *accounting.History, _ *Setup) { h.Jobs[1].Procs = 0 },
		"it asks for what no node has": func(h *accounting.History, s *Setup) { h.Jobs[1].Needs, s.Records = 1, records },
		"nothing is replayed":          func(_ *accounting.History, s *Setup) { s.Happened = true },
	} {
		h, setup := withCancelled(), Setup{Options: window30}
		change(h, &setup)
		if waiting, left := cancelledIn(mustNew(t, h, setup)); waiting != 0 || left != 1 {
			t.Errorf("%s: %d jobs wait and %d are left out", name, waiting, left)
		}
	}
	h := withCancelled()
	h.Jobs = h.Jobs[1:2]
	if _, err := New(h, Setup{Options: window30}); err == nil {
		t.Error("one job, which never started, is replayed")
	}
}

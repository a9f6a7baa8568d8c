package journal

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/priority"
	"slurm-ostrich/priority/prioritytest"
)

func TestReset(t *testing.T) {
	j := openJournal(t, filepath.Join(t.TempDir(), "journal"))
	j.write(t, priority.SiteFactor, priority.Applied, priority.Change{Job: 1, To: 500}, priority.Change{Job: 2, To: 400}, priority.Change{Job: 50, Submit: 1050, To: 300}, priority.Change{Job: 51, To: 300})
	j.write(t, priority.SiteFactor, priority.Applied, priority.Change{Job: 51, From: 300, To: 0})
	j.write(t, priority.Nice, priority.Applied, priority.Change{Job: 1, From: 0, To: -500}, priority.Change{Job: 2, From: -3, To: -400}, priority.Change{Job: 3, From: 0, To: -9}, priority.Change{Job: 50, Submit: 1050, From: 0, To: -2})
	j.write(t, priority.Priority, priority.Applied, priority.Change{Job: 1, From: 77, To: prioritytest.TopPriority + 10}, priority.Change{Job: 3, From: 77, To: prioritytest.TopPriority + 11})

	held := func(q *priority.Queued) { q.Priority, q.Listed, q.SiteKnown = 0, false, false }
	tests := []struct {
		name    string
		channel priority.Channel
		basic   bool
		all     bool
		queue   []priority.Queued
		want    map[ostrich.JobID]int64
	}{
		{
			"sitefactor", priority.SiteFactor, false, false,
			[]priority.Queued{
				prioritytest.Job(1, func(q *priority.Queued) { q.Site = 500 }), prioritytest.Job(2, held), prioritytest.Job(3, nil),
				prioritytest.Job(4, func(q *priority.Queued) { q.Site = 7 }), prioritytest.Job(5, held),
				prioritytest.Job(6, func(q *priority.Queued) { q.Pinned, q.SiteKnown = true, false }),
			},
			map[ostrich.JobID]int64{1: 0, 2: 0, 50: 0},
		},
		{
			"nice", priority.Nice, false, false,
			[]priority.Queued{
				prioritytest.Job(1, func(q *priority.Queued) { q.Nice = -500 }), prioritytest.Job(2, func(q *priority.Queued) { q.Nice = -400 }),
				prioritytest.Job(3, func(q *priority.Queued) { q.Nice = 20 }), prioritytest.Job(4, func(q *priority.Queued) { q.Nice = -5 }),
			},
			map[ostrich.JobID]int64{1: 0, 2: -3, 50: 0},
		},
		{
			"nice, all", priority.Nice, false, true,
			[]priority.Queued{
				prioritytest.Job(3, func(q *priority.Queued) { q.Nice = 20 }), prioritytest.Job(4, func(q *priority.Queued) { q.Nice = -5 }),
			},
			map[ostrich.JobID]int64{4: 0, 50: 0},
		},
		{
			"priority", priority.Priority, false, false,
			[]priority.Queued{
				prioritytest.Job(1, func(q *priority.Queued) { q.Priority, q.Pinned = prioritytest.TopPriority+10, true }),
				prioritytest.Job(3, func(q *priority.Queued) { q.Priority, q.Pinned = prioritytest.TopPriority+99, true }), prioritytest.Job(4, nil), prioritytest.Job(5, held),
			},
			map[ostrich.JobID]int64{1: 0},
		},
		{
			"priority under basic", priority.Priority, true, false,
			[]priority.Queued{
				prioritytest.Job(1, func(q *priority.Queued) { q.Priority = prioritytest.TopPriority + 10 }), prioritytest.Job(3, func(q *priority.Queued) { q.Priority = prioritytest.TopPriority - 4 }),
				prioritytest.Job(4, func(q *priority.Queued) { q.Priority = prioritytest.TopPriority + 50 }), prioritytest.Job(5, held),
			},
			map[ostrich.JobID]int64{1: 0},
		},
		{
			"priority under basic, all", priority.Priority, true, true,
			[]priority.Queued{
				prioritytest.Job(3, func(q *priority.Queued) { q.Priority = prioritytest.TopPriority - 4 }), prioritytest.Job(4, func(q *priority.Queued) { q.Priority = prioritytest.TopPriority + 50 }), prioritytest.Job(5, held),
				prioritytest.Job(6, func(q *priority.Queued) { q.Priority, q.Reason = prioritytest.TopPriority+50, "JobHeldAdmin" }),
			},
			map[ostrich.JobID]int64{4: 0},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			o := priority.Options{Channel: tt.channel, Controller: prioritytest.Multifactor(), Journal: j}
			if tt.basic {
				o.Controller = prioritytest.Basic()
			}
			list, err := o.Reset(tt.queue, []ostrich.JobID{50, 51, 52}, tt.all)
			if err != nil {
				t.Fatal(err)
			}
			got := make(map[ostrich.JobID]int64)
			for _, c := range list {
				got[c.Job] = c.To
				if want := 1000 + ostrich.Time(c.Job); c.Submit != want {
					t.Errorf("job %d was submitted at %d, want %d", c.Job, c.Submit, want)
				}
				if err := c.Check(tt.channel); err != nil {
					t.Error(err)
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("given back (-want +got):\n%s", diff)
			}
		})
	}
	t.Run("without a journal", func(t *testing.T) {
		list, err := priority.Options{Channel: priority.SiteFactor, Controller: prioritytest.Multifactor()}.Reset(
			[]priority.Queued{prioritytest.Job(1, func(q *priority.Queued) { q.Site = 5 }), prioritytest.Job(2, held)}, []ostrich.JobID{50}, true)
		if err != nil || len(list) != 1 || list[0].Job != 1 {
			t.Errorf("%+v, %v", list, err)
		}
	})
	t.Run("refused under basic", func(t *testing.T) {
		for _, ch := range []priority.Channel{priority.SiteFactor, priority.Nice} {
			_, err := priority.Options{Channel: ch, Controller: prioritytest.Basic(), Journal: j}.Reset(nil, nil, false)
			if err == nil || !strings.Contains(err.Error(), "only channel priority") {
				t.Errorf("%s: error %v", ch, err)
			}
		}
	})
}

func TestResetReleasesInOrderWithNice(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	j := openJournal(t, path)
	o := priority.Options{Channel: priority.Priority, Mode: priority.Strict, Controller: prioritytest.Multifactor(), Journal: j}
	nice := func(n int64) func(*priority.Queued) { return func(q *priority.Queued) { q.Nice = n } }
	queue := []priority.Queued{prioritytest.Job(1, nice(7)), prioritytest.Job(2, nil), prioritytest.Job(3, nice(-4)), prioritytest.Job(4, nice(5)), prioritytest.Job(5, nice(9))}
	pin := func(order ...ostrich.JobID) {
		t.Helper()
		p, err := o.Plan(prioritytest.Order(order...), queue)
		if err != nil {
			t.Fatal(err)
		}
		j.write(t, priority.Priority, priority.Applied, p.Changes()...)
		for _, c := range p.Changes() {
			for i := range queue {
				if q := &queue[i]; q.Job == c.Job {
					q.Priority, q.Pinned, q.SiteKnown, q.Nice = uint32(c.To), true, false, 0
				}
			}
		}
	}
	pin(5, 4, 3, 2, 1)
	pin(1, 2, 3, 4, 5)
	queue[4].Priority, queue[4].Reason = 0, "JobHeldUser"
	queue[2].Submit = 1 // first of all

	check := func(j *Journal) {
		t.Helper()
		list, err := priority.Options{Channel: priority.Priority, Controller: prioritytest.Multifactor(), Journal: j}.Reset(queue, nil, false)
		if err != nil {
			t.Fatal(err)
		}
		type released struct {
			Job      ostrich.JobID
			To, Nice int64
		}
		var got []released
		for _, c := range list {
			got = append(got, released{c.Job, c.To, c.Nice})
		}
		if diff := cmp.Diff([]released{{3, 0, -4}, {1, 0, 7}, {2, 0, 0}, {4, 0, 5}}, got); diff != "" {
			t.Errorf("changes (-want +got):\n%s", diff)
		}
	}
	check(j)
	if rotated, err := j.Rotate(9, -1, func(ostrich.JobID) bool { return true }); err != nil || !rotated {
		t.Fatal(rotated, err)
	}
	check(j)
	read, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	check(read)

	// A job that was given back and pinned again has the nice value it had then.
	list, err := priority.Options{Channel: priority.Priority, Controller: prioritytest.Multifactor(), Journal: j}.Reset(queue, nil, false)
	if err != nil {
		t.Fatal(err)
	}
	done := make([]priority.Change, len(list))
	for i, c := range list {
		done[i] = c.Outcome(priority.Applied, "")
	}
	if err := j.Conclude(10, priority.Priority, done); err != nil {
		t.Fatal(err)
	}
	j.write(t, priority.Priority, priority.Applied, priority.Change{Job: 1, Submit: 1001, From: 5000, To: 9000})
	pinned := prioritytest.Job(1, func(q *priority.Queued) { q.Priority = 9000 })
	if _, n, ours := j.Stock(priority.Priority, &pinned); n != 0 || !ours {
		t.Errorf("nice %d is left from an earlier pin", n)
	}
}

func TestResetReleasesNoHeldTask(t *testing.T) {
	// The waiting tasks of an array that is too scattered to be named one by
	// one are not released by the array's id while a task of it is held.
	array := prioritytest.Job(60, func(q *priority.Queued) { q.Array, q.Tasks, q.Priority, q.Pinned = 60, "0-80000:2", 9000, true })
	heldTask := prioritytest.Job(61, func(q *priority.Queued) { q.Array, q.Tasks, q.Priority = 60, "1", 0 })
	list, err := priority.Options{Channel: priority.Priority, Controller: prioritytest.Multifactor()}.Reset([]priority.Queued{array, heldTask}, nil, true)
	if err != nil || len(list) != 0 {
		t.Errorf("%+v, %v", list, err)
	}
	list, err = priority.Options{Channel: priority.Priority, Controller: prioritytest.Multifactor()}.Reset([]priority.Queued{array}, nil, true)
	if err != nil || len(list) != 1 || list[0].Spec != "" {
		t.Errorf("%+v, %v", list, err)
	}
}

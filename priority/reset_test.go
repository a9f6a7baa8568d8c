package priority

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"slurm-ostrich/ostrich"
)

func TestReset(t *testing.T) {
	j := openJournal(t, filepath.Join(t.TempDir(), "journal"))
	j.write(t, SiteFactor, Applied, Change{Job: 1, To: 500}, Change{Job: 2, To: 400}, Change{Job: 50, To: 300}, Change{Job: 51, To: 300})
	j.write(t, SiteFactor, Applied, Change{Job: 51, From: 300, To: 0})
	j.write(t, Nice, Applied, Change{Job: 1, From: 0, To: -500}, Change{Job: 2, From: -3, To: -400}, Change{Job: 3, From: 0, To: -9}, Change{Job: 50, From: 0, To: -2})
	j.write(t, Priority, Applied, Change{Job: 1, From: 77, To: topPriority + 10}, Change{Job: 3, From: 77, To: topPriority + 11})

	held := func(q *Queued) { q.Priority, q.Listed, q.SiteKnown = 0, false, false }
	tests := []struct {
		name    string
		channel Channel
		basic   bool
		all     bool
		queue   []Queued
		want    map[ostrich.JobID]int64
	}{
		{
			"sitefactor", SiteFactor, false, false,
			[]Queued{
				job(1, func(q *Queued) { q.Site = 500 }), job(2, held), job(3, nil),
				job(4, func(q *Queued) { q.Site = 7 }), job(5, held),
				job(6, func(q *Queued) { q.Pinned, q.SiteKnown = true, false }),
			},
			map[ostrich.JobID]int64{1: 0, 2: 0, 50: 0},
		},
		{
			"nice", Nice, false, false,
			[]Queued{
				job(1, func(q *Queued) { q.Nice = -500 }), job(2, func(q *Queued) { q.Nice = -400 }),
				job(3, func(q *Queued) { q.Nice = 20 }), job(4, func(q *Queued) { q.Nice = -5 }),
			},
			map[ostrich.JobID]int64{1: 0, 2: -3, 50: 0},
		},
		{
			"nice, all", Nice, false, true,
			[]Queued{
				job(3, func(q *Queued) { q.Nice = 20 }), job(4, func(q *Queued) { q.Nice = -5 }),
			},
			map[ostrich.JobID]int64{4: 0, 50: 0},
		},
		{
			"priority", Priority, false, false,
			[]Queued{
				job(1, func(q *Queued) { q.Priority, q.Pinned = topPriority+10, true }),
				job(3, func(q *Queued) { q.Priority, q.Pinned = topPriority+99, true }), job(4, nil), job(5, held),
			},
			map[ostrich.JobID]int64{1: 0},
		},
		{
			"priority under basic", Priority, true, false,
			[]Queued{
				job(1, func(q *Queued) { q.Priority = topPriority + 10 }), job(3, func(q *Queued) { q.Priority = topPriority - 4 }),
				job(4, func(q *Queued) { q.Priority = topPriority + 50 }), job(5, held),
			},
			map[ostrich.JobID]int64{1: 0},
		},
		{
			"priority under basic, all", Priority, true, true,
			[]Queued{
				job(3, func(q *Queued) { q.Priority = topPriority - 4 }), job(4, func(q *Queued) { q.Priority = topPriority + 50 }), job(5, held),
				job(6, func(q *Queued) { q.Priority, q.Reason = topPriority+50, "JobHeldAdmin" }),
			},
			map[ostrich.JobID]int64{4: 0},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			o := ResetOptions{Channel: tt.channel, Controller: multifactor(), Journal: j, All: tt.all, Running: []ostrich.JobID{50, 51, 52}}
			if tt.basic {
				o.Controller = basic()
			}
			list, err := Reset(o, tt.queue)
			if err != nil {
				t.Fatal(err)
			}
			got := make(map[ostrich.JobID]int64)
			for _, c := range list {
				got[c.Job] = c.To
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
		list, err := Reset(ResetOptions{Channel: SiteFactor, Controller: multifactor(), Running: []ostrich.JobID{50}, All: true},
			[]Queued{job(1, func(q *Queued) { q.Site = 5 }), job(2, held)})
		if err != nil || len(list) != 1 || list[0].Job != 1 {
			t.Errorf("%+v, %v", list, err)
		}
	})
	t.Run("refused under basic", func(t *testing.T) {
		for _, ch := range []Channel{SiteFactor, Nice} {
			_, err := Reset(ResetOptions{Channel: ch, Controller: basic(), Journal: j}, nil)
			if err == nil || !strings.Contains(err.Error(), "only channel priority") {
				t.Errorf("%s: error %v", ch, err)
			}
		}
	})
}

func TestResetReleasesInOrderWithNice(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	j := openJournal(t, path)
	o := Options{Channel: Priority, Mode: Strict, Controller: multifactor(), Ours: func(id ostrich.JobID, v int64) bool { return j.Ours(Priority, id, v) }}
	nice := func(n int64) func(*Queued) { return func(q *Queued) { q.Nice = n } }
	queue := []Queued{job(1, nice(7)), job(2, nil), job(3, nice(-4)), job(4, nice(5)), job(5, nice(9))}
	pin := func(order ...ostrich.JobID) {
		t.Helper()
		p, err := o.Plan(ranked(order...), queue)
		if err != nil {
			t.Fatal(err)
		}
		j.write(t, Priority, Applied, p.Changes()...)
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
		list, err := Reset(ResetOptions{Channel: Priority, Controller: multifactor(), Journal: j}, queue)
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
	read, err := ReadJournal(path)
	if err != nil {
		t.Fatal(err)
	}
	check(read)

	// A job that was given back and pinned again has the nice value it had then.
	list, err := Reset(ResetOptions{Channel: Priority, Controller: multifactor(), Journal: j}, queue)
	if err != nil {
		t.Fatal(err)
	}
	done := make([]Outcome, len(list))
	for i, c := range list {
		done[i] = Outcome{Change: c, Status: Applied}
	}
	if err := j.Conclude(10, Priority, done); err != nil {
		t.Fatal(err)
	}
	j.write(t, Priority, Applied, Change{Job: 1, Submit: 1001, From: 5000, To: 9000})
	pinned := job(1, func(q *Queued) { q.Priority = 9000 })
	if _, n, ours := j.Stock(Priority, &pinned); n != 0 || !ours {
		t.Errorf("nice %d is left from an earlier pin", n)
	}
}

func TestResetReleasesNoHeldTask(t *testing.T) {
	// The waiting tasks of an array that is too scattered to be named one by
	// one are not released by the array's id while a task of it is held.
	array := job(60, func(q *Queued) { q.Array, q.Tasks, q.Priority, q.Pinned = 60, "0-80000:2", 9000, true })
	heldTask := job(61, func(q *Queued) { q.Array, q.Tasks, q.Priority = 60, "1", 0 })
	list, err := Reset(ResetOptions{Channel: Priority, Controller: multifactor(), All: true}, []Queued{array, heldTask})
	if err != nil || len(list) != 0 {
		t.Errorf("%+v, %v", list, err)
	}
	list, err = Reset(ResetOptions{Channel: Priority, Controller: multifactor(), All: true}, []Queued{array})
	if err != nil || len(list) != 1 || list[0].Spec != "" {
		t.Errorf("%+v, %v", list, err)
	}
}

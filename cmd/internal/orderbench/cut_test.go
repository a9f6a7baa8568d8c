package orderbench

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/sim"
)

// numbered are n jobs, one a second.
func numbered(n int) []sim.Job {
	jobs := make([]sim.Job, n)
	for i := range jobs {
		jobs[i] = sim.Job{ID: ostrich.JobID(i + 1), Submit: ostrich.Time(i), Run: 1, Estimate: 1, Procs: 1}
	}
	return jobs
}

func TestCut(t *testing.T) {
	for _, tt := range []struct {
		jobs, parts, most int
		want              [][2]ostrich.JobID // first and last of each part
	}{
		{10, 5, 100, [][2]ostrich.JobID{{1, 2}, {3, 4}, {5, 6}, {7, 8}, {9, 10}}},
		{10, 3, 100, [][2]ostrich.JobID{{1, 3}, {4, 6}, {7, 10}}},
		{100, 4, 10, [][2]ostrich.JobID{{1, 10}, {26, 35}, {51, 60}, {76, 85}}},
		{4, 2, math.MaxInt, [][2]ostrich.JobID{{1, 2}, {3, 4}}},
		{2, 5, 10, [][2]ostrich.JobID{{1, 1}, {2, 2}}},
	} {
		var got [][2]ostrich.JobID
		for _, p := range cut(numbered(tt.jobs), tt.parts, tt.most) {
			got = append(got, [2]ostrich.JobID{p[0].ID, p[len(p)-1].ID})
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%d jobs in %d parts of %d: -want +got:\n%s", tt.jobs, tt.parts, tt.most, diff)
		}
	}
}

// A shake is the same each time, moves a user as a whole, and leaves the user's
// campaigns as they are.
func TestShake(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		jobs := numbered(rapid.IntRange(1, 60).Draw(t, "jobs"))
		for i := range jobs {
			j := &jobs[i]
			j.User = ostrich.UserID(rapid.IntRange(0, 3).Draw(t, "user"))
			j.Submit = ostrich.Time(i / 2)
			j.Start = j.Submit + ostrich.Time(rapid.IntRange(0, 5).Draw(t, "wait"))
			j.Run = ostrich.Duration(rapid.IntRange(1, 5).Draw(t, "run"))
		}
		before := slices.Clone(jobs)
		seed, number := rapid.Uint64().Draw(t, "seed"), rapid.IntRange(0, 4).Draw(t, "shake")
		moved := shake(jobs, seed, number)
		if diff := cmp.Diff(before, jobs); diff != "" {
			t.Fatalf("the jobs were changed -want +got:\n%s", diff)
		}
		if diff := cmp.Diff(moved, shake(jobs, seed, number)); diff != "" {
			t.Fatalf("another time it is another -want +got:\n%s", diff)
		}
		if number == 0 && !slices.Equal(moved, jobs) {
			t.Fatal("shake 0 moves jobs")
		}
		offsets := make(map[ostrich.UserID]ostrich.Time)
		latest := make(map[ostrich.UserID]ostrich.JobID)
		for i := range moved {
			j := &moved[i]
			if i > 0 && j.Submit < moved[i-1].Submit {
				t.Fatal("not sorted by submission")
			}
			was := &before[j.ID-1]
			offset := j.Submit - was.Submit
			if o, ok := offsets[j.User]; ok && o != offset || offset < 0 || ostrich.Duration(offset) > farthest || j.Start-was.Start != offset {
				t.Fatalf("job %d was moved by %d and its start by %d", j.ID, offset, j.Start-was.Start)
			}
			offsets[j.User] = offset
			if j.ID < latest[j.User] {
				t.Fatalf("job %d of user %d comes after job %d", j.ID, j.User, latest[j.User])
			}
			latest[j.User] = j.ID
		}
		if a, b := campaignsOf(t, jobs), campaignsOf(t, moved); !cmp.Equal(a, b) {
			t.Fatalf("campaigns: %s", cmp.Diff(a, b))
		}
	})
}

// campaignsOf lists the jobs of each campaign by user.
func campaignsOf(t *rapid.T, jobs []sim.Job) map[ostrich.UserID][][]ostrich.JobID {
	campaigns, err := sim.Campaigns(jobs, measuredBy)
	if err != nil {
		t.Fatal(err)
	}
	all := make(map[ostrich.UserID][][]ostrich.JobID)
	for _, c := range campaigns {
		var ids []ostrich.JobID
		for k := range c.Jobs {
			ids = append(ids, c.Jobs[k].ID)
		}
		all[c.User] = append(all[c.User], ids)
	}
	return all
}

// Different shakes and different seeds move users differently.
func TestShakesDiffer(t *testing.T) {
	jobs := numbered(3)
	at := func(seed uint64, number int) ostrich.Time { return shake(jobs, seed, number)[0].Submit }
	if at(1, 1) == at(1, 2) || at(1, 1) == at(2, 1) {
		t.Errorf("moved by %d, %d and %d", at(1, 1), at(1, 2), at(2, 1))
	}
}

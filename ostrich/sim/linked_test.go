package sim_test

import (
	"errors"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/sim"
	"slurm-ostrich/ostrich/sim/swf"
	"slurm-ostrich/ostrich/trace"
)

// linked is a job of a log that says what came before it.
type linked struct {
	sim.Job
	sim.Link
}

func following(id ostrich.JobID, user ostrich.UserID, submit ostrich.Time, preceding ostrich.JobID, think ostrich.Duration) linked {
	return linked{sim.Job{ID: id, User: user, Submit: submit, Run: 2, Estimate: 2, Procs: 1, Start: submit}, sim.Link{Preceding: preceding, Think: think}}
}

// campaignsOf are the campaigns that sim.Linked finds.
func campaignsOf(list []linked) ([]sim.Campaign, error) {
	jobs, links := make([]sim.Job, len(list)), make(map[ostrich.JobID]sim.Link)
	for i, l := range list {
		jobs[i], links[l.ID] = l.Job, l.Link
	}
	return sim.Linked(jobs, links)
}

func TestLinked(t *testing.T) {
	log := []linked{
		following(1, 7, 0, 0, -1), following(2, 7, 0, 0, -1), following(3, 8, 0, 0, -1),
		following(5, 7, 6, 1, 4), // after all of the first campaign, which end at 2 and at 6
		following(6, 7, 7, 1, 4),
		following(9, 7, 9, 6, 0),
	}
	campaigns, err := campaignsOf(log)
	if err != nil {
		t.Fatal(err)
	}
	got := mustRun(t, sim.Machine{Procs: 1}, campaigns)
	if diff := gocmp.Diff([]ostrich.Time{0, 2, 4, 8, 10, 12}, starts(got)); diff != "" {
		t.Error("starts -want +got\n", diff)
	}
	got = mustRun(t, sim.Machine{Procs: 1, Offsets: true}, campaigns)
	if diff := gocmp.Diff([]ostrich.Time{0, 2, 4, 8, 10, 12}, starts(got)); diff != "" {
		t.Error("with offsets: starts -want +got\n", diff)
	}
	if campaigns, err = campaignsOf(log[3:]); err != nil || len(campaigns) != 2 || campaigns[0].Think != 0 {
		t.Errorf("a log cut inside the chain: %v, %v", campaigns, err)
	}
}

func TestLinkedFaults(t *testing.T) {
	for _, tt := range []struct {
		name string
		log  []linked
		want string
	}{
		{"order", []linked{following(1, 7, 1, 0, -1), following(2, 7, 0, 0, -1)}, "job 2: submitted before the one in front of it"},
		{"twice", []linked{following(1, 7, 0, 0, -1), following(1, 7, 0, 0, -1)}, "job 1: there are two of them"},
		{"nobody's", []linked{following(1, 7, 0, 0, -1), following(2, 7, 0, 9, 0)}, "job 2: its preceding job 9 is not in the campaign before of user 7"},
		{"another's", []linked{following(1, 7, 0, 0, -1), following(2, 8, 0, 0, -1), following(3, 7, 1, 2, 0)}, "job 3: its preceding job 2"},
		{"a fork", []linked{following(1, 7, 0, 0, -1), following(2, 7, 1, 1, 0), following(3, 7, 2, 2, 0), following(4, 7, 3, 1, 0)}, "job 4: its preceding job 1"},
		{"back", []linked{following(1, 7, 0, 0, -1), following(2, 7, 1, 1, 0), following(3, 7, 2, 0, 0)}, "job 3: its preceding job 0"},
		{"think time", []linked{following(1, 7, 0, 0, -1), following(2, 7, 1, 1, -1)}, "job 2: no think time after its preceding job 1"},
	} {
		if _, err := campaignsOf(tt.log); !errors.Is(err, sim.ErrWorkload) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
}

// TestLinkedGenerated: the campaigns of a generated log are those that each user
// was given, and on a machine for everybody at once they come when it says.
func TestLinkedGenerated(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := trace.HiPC(rapid.IntRange(1, 5).Draw(t, "users"))
		m.Jobs = rapid.IntRange(1, 80).Draw(t, "jobs")
		m.Think = rapid.Int64Range(0, 50).Draw(t, "think")
		log, err := m.Generate(rapid.Uint64().Draw(t, "seed"))
		if err != nil {
			t.Fatal(err)
		}
		jobs, _, err := swf.Jobs(log, 100, swf.Exact)
		if err != nil {
			t.Fatal(err)
		}
		campaigns, err := sim.Linked(jobs, swf.Links(log))
		if err != nil {
			t.Fatal(err)
		}
		for _, j := range mustRun(t, sim.Machine{Procs: 100}, campaigns) {
			if want := ostrich.Time(log.Records[j.ID-1].Submit); j.Start != want {
				t.Fatalf("job %d starts at %d, alone it would at %d", j.ID, j.Start, want)
			}
		}
	})
}

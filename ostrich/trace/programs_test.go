package trace_test

import (
	"errors"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"slurm-ostrich/ostrich/trace"
)

// TestPrograms checks what a log says of itself: sorted by submission, a program
// belongs to one user and asks for the same each time, and a campaign comes when
// the one before has ended and its user has thought.
func TestPrograms(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		model := trace.Programs{Jobs: rapid.IntRange(1, 400).Draw(t, "jobs"), Users: rapid.IntRange(1, 5).Draw(t, "users")}
		seed := rapid.Uint64().Draw(t, "seed")
		log, err := model.Generate(seed)
		if err != nil {
			t.Fatal(err)
		}
		again, err := model.Generate(seed)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(log, again); diff != "" {
			t.Fatal("the same seed: -first +again\n", diff)
		}
		if len(log.Records) != model.Jobs || log.Processors() < 32 {
			t.Fatalf("%d jobs, %d processors", len(log.Records), log.Processors())
		}
		type asked struct{ user, procs, limit int64 }
		programs := make(map[int64]asked)
		type campaign struct{ preceding, end int64 }
		now := make(map[int64]campaign) // by user
		for i, r := range log.Records {
			switch {
			case r.Number != int64(i+1) || i > 0 && r.Submit < log.Records[i-1].Submit:
				t.Fatalf("out of order: %+v", r)
			case r.User < 1 || r.User > int64(model.Users) || r.Run < 1 || r.Run > r.Limit || r.Procs() > 32 || r.Requested != r.Allocated:
				t.Fatalf("%+v", r)
			case r.Status == 0 && r.Run > 30 || r.Status == 5 && r.Run != r.Limit:
				t.Fatalf("status %d after %d s of %d", r.Status, r.Run, r.Limit)
			}
			a := asked{r.User, r.Procs(), r.Limit}
			if known, ok := programs[r.App]; ok && known != a {
				t.Fatalf("program %d: %+v, and %+v before", r.App, a, known)
			}
			programs[r.App] = a
			c, known := now[r.User]
			if !known || c.preceding != r.Preceding {
				if known {
					if log.Records[r.Preceding-1].User != r.User {
						t.Fatalf("its preceding job is that of user %d: %+v", log.Records[r.Preceding-1].User, r)
					}
					if r.Think < 1 || r.Submit != c.end+r.Think {
						t.Fatalf("thought for %d s after %d: %+v", r.Think, c.end, r)
					}
				} else if r.Preceding != trace.Unknown || r.Think != trace.Unknown {
					t.Fatalf("a first job: %+v", r)
				}
				c = campaign{preceding: r.Preceding}
			}
			c.end = max(c.end, r.Submit+r.Run)
			now[r.User] = c
		}
	})
}

// TestProgramsShape: of many jobs, the limits are coarse, some fail at once, and
// the machine has the load that was asked for.
func TestProgramsShape(t *testing.T) {
	log, err := trace.Programs{Jobs: 20_000, Users: 30, Load: 0.7}.Generate(1)
	if err != nil {
		t.Fatal(err)
	}
	limits := make(map[int64]bool)
	var failed, far, work float64
	for i := range log.Records {
		r := &log.Records[i]
		limits[r.Limit] = true
		work += float64(r.Run) * float64(r.Procs())
		if r.Status == 0 {
			failed++
		}
		if r.Limit > 5*r.Run {
			far++
		}
	}
	n := float64(len(log.Records))
	if len(limits) > 10 || failed/n < 0.05 || failed/n > 0.4 || far/n < 0.3 {
		t.Errorf("%d limits, %.2f failed, %.2f far below their limit", len(limits), failed/n, far/n)
	}
	span := float64(log.Records[len(log.Records)-1].Submit - log.Records[0].Submit)
	if load := work / span / float64(log.Processors()); math.Abs(load-0.7) > 0.02 {
		t.Errorf("a load of %.3f", load)
	}
}

func TestProgramsErrors(t *testing.T) {
	for _, m := range []trace.Programs{
		{Jobs: 0, Users: 1},
		{Jobs: 1, Users: 0},
		{Jobs: 1, Users: 1, Procs: 31},
		{Jobs: 1, Users: 1, Procs: -1},
		{Jobs: 1, Users: 1, Load: math.NaN()},
		{Jobs: 1, Users: 1, Load: 11},
	} {
		if _, err := m.Generate(1); !errors.Is(err, trace.ErrModel) {
			t.Errorf("%+v: %v", m, err)
		}
	}
}

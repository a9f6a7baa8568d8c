package forecast

import (
	"errors"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/lengths"
	"slurm-ostrich/ostrich/sim"
)

const hour = ostrich.Time(3600)

func fixed(id ostrich.JobID, user ostrich.UserID, procs int, limit, length ostrich.Duration) Job {
	return Job{ID: id, User: user, Procs: procs, Limit: limit, Spread: lengths.Fixed(length)}
}

// askAll asks for all pending jobs.
func askAll(t interface{ Fatal(...any) }, s *State) []Draws {
	all := make([]int, len(s.Pending))
	for i := range all {
		all[i] = i
	}
	draws, err := s.Ask(all)
	if err != nil {
		t.Fatal(err)
	}
	return draws
}

// TestKnownLengths: two processors and lengths that are known. Job 1 runs for 60 s more. Job 2 takes
// both and waits for it. Job 3 fits beside job 1 by its limit, and job 4 does not.
func TestKnownLengths(t *testing.T) {
	s := &State{Now: 1000, Procs: 2, Running: []Job{fixed(1, 1, 1, 200, 100)}, Pending: []Job{
		fixed(2, 2, 2, 100, 50), fixed(3, 2, 1, 160, 10), fixed(4, 3, 1, 400, 10),
	}}
	s.Running[0].Ran = 40
	want := []ostrich.Time{1060, 1000, 1110}  // job 4 after job 2
	quiet := []ostrich.Time{1097, 1000, 1167} // job 1 for √(60·160) s, job 2 for √(50·100) s
	for i, d := range askAll(t, s) {
		if d.Quiet != quiet[i] {
			t.Errorf("job %d starts at %v if nobody comes, want %d", i+2, d.Quiet, quiet[i])
		}
		if len(d.Starts) != mostDraws || slices.Min(d.Starts) != want[i] || slices.Max(d.Starts) != want[i] {
			t.Errorf("job %d starts at %v, want %d", i+2, d.Starts, want[i])
		}
	}
	draws, err := s.Ask([]int{1, ^0, 0})
	if err != nil {
		t.Fatal(err)
	}
	if runs := draws[1]; runs.Starts[0] != 1000 || slices.Min(runs.Ends) != 1060 || slices.Max(runs.Ends) != 1060 {
		t.Errorf("what runs: %+v", runs)
	}
	if _, err := s.Ask([]int{^1}); !errors.Is(err, sim.ErrWorkload) {
		t.Errorf("a second job that runs: %v", err)
	}
	if last := Last(draws); last.Starts[0] != 1110 || last.Now != 1000 || last.Quiet != 1167 {
		t.Errorf("the campaign of user 2 ends at %v, %v", last.Starts, last.Quiet)
	}
}

// TestRunsAndWaits: what runs ends, in each future, when what waits for it starts there.
func TestRunsAndWaits(t *testing.T) {
	var past lengths.Spreads
	r := &lengths.Request{Limit: 7200, Procs: 1}
	for i := range 24 {
		past.Learn(1, r, ostrich.Duration(60*(i+1)))
	}
	s := &State{
		Now: 50_000, Procs: 1, Pending: []Job{fixed(2, 2, 1, 10, 10)},
		Running: []Job{{ID: 1, User: 1, Procs: 1, Limit: 7200, Ran: 1, Spread: past.Of(1, r)}},
	}
	draws, err := s.Ask([]int{^0, 0})
	if err != nil || !slices.Equal(draws[0].Ends, draws[1].Starts) || slices.Min(draws[0].Ends) == slices.Max(draws[0].Ends) {
		t.Errorf("%+v %v", draws, err)
	}
}

// TestSpreadOfStarts: one processor, one job that runs and has either a second or an hour to go.
func TestSpreadOfStarts(t *testing.T) {
	var past lengths.Spreads
	r := &lengths.Request{Limit: 7200, Procs: 1}
	for i := range 24 {
		past.Learn(1, r, []ostrich.Duration{3601, 7200}[i%2])
	}
	s := &State{
		Now: 50_000, Procs: 1, Draws: 400, Pending: []Job{fixed(2, 2, 1, 10, 10)},
		Running: []Job{{ID: 1, User: 1, Procs: 1, Limit: 7200, Ran: 3600, Spread: past.Of(1, r)}},
	}
	short := 0
	for _, at := range askAll(t, s)[0].Starts {
		switch at {
		case 50_001:
			short++
		case 53_600:
		default:
			t.Fatalf("a start at %d", at)
		}
	}
	if short < 160 || short > 240 {
		t.Errorf("%d of 400 draws are short, want about half", short)
	}
}

// TestNewcomers: jobs that came at this hour on the only day known come again: one goes behind its
// user's waiting job, another one to where it went then.
func TestNewcomers(t *testing.T) {
	now := 10 * day
	for _, tt := range []struct {
		name  string
		comes Arrival
		want  []ostrich.Time
	}{
		{"nobody comes", Arrival{At: now - day - 1, User: 8, Procs: 1, Limit: 50, Ran: 50}, []ostrich.Time{100, 200}},
		{"in front", Arrival{At: now - day + 10, User: 8, Procs: 1, Limit: 50, Ran: 30}, []ostrich.Time{130, 230}},
		{"in between", Arrival{At: now - day + 10, User: 8, Procs: 1, Limit: 50, Ran: 30, Place: 0.5}, []ostrich.Time{100, 230}},
		{"behind", Arrival{At: now - day + 10, User: 8, Procs: 1, Limit: 50, Ran: 30, Place: 1}, []ostrich.Time{100, 200}},
		{"nobody knows where", Arrival{At: now - day + 10, User: 8, Procs: 1, Limit: 50, Ran: 30, Place: -1}, []ostrich.Time{100, 200}},
		{"of a user who waits", Arrival{At: now - day + 10, User: 2, Procs: 1, Limit: 50, Ran: 30}, []ostrich.Time{100, 230}},
		{"too late", Arrival{At: now - day + 150, User: 2, Procs: 1, Limit: 50, Ran: 30}, []ostrich.Time{100, 230}},
		{"after it began", Arrival{At: now - day + 201, User: 8, Procs: 1, Limit: 50, Ran: 30}, []ostrich.Time{100, 200}},
		{"its limit, as it has not ended", Arrival{At: now - day + 10, User: 8, Procs: 1, Limit: 50}, []ostrich.Time{150, 250}},
		{"too wide", Arrival{At: now - day + 10, User: 8, Procs: 2, Limit: 50}, []ostrich.Time{100, 200}},
	} {
		var h Habits
		h.Came(Arrival{At: now - day - 2, User: 7, Procs: 1, Limit: 1, Ran: 1})
		h.Came(tt.comes)
		s := &State{
			Now: now, Procs: 1, Habits: &h, Running: []Job{fixed(1, 1, 1, 100, 100)},
			Pending: []Job{fixed(2, 2, 1, 100, 100), fixed(3, 3, 1, 100, 100)},
		}
		for i, d := range askAll(t, s) {
			if d.Starts[0] != now+tt.want[i] || slices.Max(d.Starts) != d.Starts[0] {
				t.Errorf("%s: job %d starts at %v, want %d", tt.name, i+2, d.Starts, now+tt.want[i])
			}
			if alone := now + ostrich.Time(100*(i+1)); d.Quiet != alone {
				t.Errorf("%s: job %d starts at %v if nobody comes, want %d", tt.name, i+2, d.Quiet, alone)
			}
		}
	}
}

// TestDeepQueue: newcomers go where they went in the whole queue, also if only its front is replayed: behind
// place 40 of 4000 for one in a hundred, and behind the last of their user's jobs.
func TestDeepQueue(t *testing.T) {
	now := 10 * day
	for _, a := range []Arrival{{User: 8, Place: 0.01}, {User: 9}} {
		var h Habits
		h.Came(Arrival{At: now - day - 2, User: 7, Procs: 1, Limit: 1, Ran: 1})
		a.At, a.Procs, a.Limit, a.Ran = now-day+10, 1, 50, 50
		h.Came(a)
		s := &State{Now: now, Procs: 1, Habits: &h, Running: []Job{fixed(1, 1, 1, 100, 100)}}
		for i := range ostrich.JobID(4000) {
			s.Pending = append(s.Pending, fixed(2+i, 2, 1, 100, 100))
		}
		s.Pending[1].User, s.Pending[3000].User = 9, 9
		draws, err := s.Ask([]int{20})
		if err != nil {
			t.Fatal(err)
		}
		if want := now + 2100; slices.Min(draws[0].Starts) != want || slices.Max(draws[0].Starts) != want {
			t.Errorf("user %d comes, and job 20 starts at %v, want %d", a.User, draws[0].Starts, want)
		}
	}
}

// TestHabits: four weeks are remembered, and lengths of jobs that are forgotten are dropped.
func TestHabits(t *testing.T) {
	var h Habits
	if h.days(5) != 0 {
		t.Error("days before anything came")
	}
	for i := range 40 * 24 * 10 {
		n := h.Came(Arrival{At: ostrich.Time(i) * hour / 10, Procs: 1})
		h.Ended(n-100, 7)
	}
	now := 40 * day
	if got := h.days(now); got != habitDays {
		t.Errorf("%d days", got)
	}
	if h.days(3*day/2) != 1 {
		t.Errorf("%d whole days of one and a half", h.days(3*day/2))
	}
	for _, back := range []ostrich.Time{1, 28} {
		list := h.between(now-back*day, now-back*day+hour)
		if len(list) != 10 || list[0].At != now-back*day {
			t.Fatalf("%d days ago: %+v", back, list)
		}
		if want := ostrich.Duration(7); back == 28 && list[9].Ran != want {
			t.Errorf("its length is %d", list[9].Ran)
		}
	}
	if len(h.arrivals) > habitDays*240*4/3+1 {
		t.Errorf("%d arrivals are kept", len(h.arrivals))
	}
}

// drawState draws a state in which lengths are spread.
func drawState(t *rapid.T) *State {
	var past lengths.Spreads
	request := func() *lengths.Request {
		return &lengths.Request{Limit: ostrich.Duration(rapid.IntRange(1, 40).Draw(t, "limit")) * 60, Procs: rapid.IntRange(1, 4).Draw(t, "procs")}
	}
	user := func() ostrich.UserID { return ostrich.UserID(rapid.IntRange(1, 3).Draw(t, "user")) }
	for range 20 {
		past.Learn(user(), request(), ostrich.Duration(rapid.IntRange(1, 2400).Draw(t, "ran")))
	}
	s := &State{Now: 100 * day, Procs: 8, Seed: rapid.Uint64().Draw(t, "seed"), Habits: new(Habits)}
	at := s.Now - 3*day
	for range rapid.IntRange(0, 60).Draw(t, "arrivals") {
		at += ostrich.Time(rapid.IntRange(0, 7200).Draw(t, "after"))
		r := request()
		s.Habits.Came(Arrival{At: min(at, s.Now), User: user(), Procs: r.Procs, Limit: r.Limit, Ran: ostrich.Duration(rapid.IntRange(0, int(r.Limit)).Draw(t, "ran")), Place: 0.5})
	}
	job := func(id int) Job {
		r, u := request(), user()
		return Job{ID: ostrich.JobID(id), User: u, Procs: r.Procs, Limit: r.Limit, Spread: past.Of(u, r)}
	}
	for i := range rapid.IntRange(0, 2).Draw(t, "running") {
		j := job(100 + i)
		j.Ran = ostrich.Duration(rapid.IntRange(0, 3000).Draw(t, "ran"))
		s.Running = append(s.Running, j)
	}
	for i := range rapid.IntRange(1, 20).Draw(t, "pending") {
		s.Pending = append(s.Pending, job(i+1))
	}
	return s
}

// TestDraws: the same state and seed have the same draws, none begins before now, and how many are
// asked for changes the draws of no job that starts before the others.
func TestDraws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawState(t)
		draws := askAll(t, s)
		for s.Workers = range 4 {
			if again := askAll(t, s); !reflect.DeepEqual(draws, again) {
				t.Fatalf("another time, %d at a time, other draws", s.Workers)
			}
		}
		for i, d := range draws {
			if slices.Min(d.Starts) < s.Now {
				t.Fatalf("job %d starts at %v, before %d", i+1, d.Starts, s.Now)
			}
			for f := range d.Starts {
				if d.Ends[f] <= d.Starts[f] || ostrich.Duration(d.Ends[f]-d.Starts[f]) > s.Pending[i].Limit {
					t.Fatalf("job %d of %d s runs from %d to %d", i+1, s.Pending[i].Limit, d.Starts[f], d.Ends[f])
				}
			}
		}
		if one, err := s.Ask([]int{0}); err != nil || !slices.Equal(one[0].Starts[:1], draws[0].Starts[:1]) {
			t.Fatalf("alone it starts at %v, not %v (%v)", one[0].Starts, draws[0].Starts, err)
		}
	})
}

// TestExactLengths: with exact lengths and no newcomers every draw is the true start.
func TestExactLengths(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawState(t)
		s.Habits = nil
		var jobs []sim.Job
		for _, list := range [][]Job{s.Running, s.Pending} {
			for i := range list {
				j := &list[i]
				j.Ran = 0
				length := ostrich.Duration(rapid.IntRange(1, int(j.Limit)).Draw(t, "length"))
				j.Spread = lengths.Fixed(length)
				jobs = append(jobs, sim.Job{ID: j.ID, Submit: s.Now, Procs: j.Procs, Run: length, Estimate: j.Limit})
			}
		}
		want, err := sim.Machine{Procs: s.Procs, Backfill: sim.EASY}.Replay(jobs)
		if err != nil {
			t.Fatal(err)
		}
		for i, d := range askAll(t, s) {
			for _, at := range d.Starts {
				if at != want[len(s.Running)+i] {
					t.Fatalf("job %d starts at %v, and truly at %d", i+1, d.Starts, want[len(s.Running)+i])
				}
			}
		}
	})
}

func TestAskErrors(t *testing.T) {
	s := &State{Procs: 1, Pending: []Job{fixed(1, 1, 2, 10, 10)}}
	for _, asked := range [][]int{{1}, {-1}, {0}} {
		if _, err := s.Ask(asked); !errors.Is(err, sim.ErrWorkload) {
			t.Errorf("%v is asked for: %v", asked, err)
		}
	}
	if draws, err := s.Ask(nil); err != nil || len(draws) != 0 {
		t.Errorf("nobody is asked for: %v %v", draws, err)
	}
}

// TestMostHabits: of too many arrivals the latest half stays, with the lengths that become known.
func TestMostHabits(t *testing.T) {
	h := Habits{Most: 1000}
	var last int
	for i := range h.Most + 10 {
		last = h.Came(Arrival{At: 1_000_000 + ostrich.Time(i), Procs: 1, Limit: 60})
	}
	if last != h.Most+9 || h.Len() != h.Most/2+10 || h.since != 1_000_000+ostrich.Time(h.Most/2) {
		t.Errorf("the last has number %d, %d are left, known since %d", last, h.Len(), h.since)
	}
	h.Ended(last, 7)
	h.Ended(3, 8) // forgotten
	if got := h.arrivals[h.Len()-1]; got.Ran != 7 || h.arrivals[3].Ran != 0 {
		t.Errorf("the last ran %d, the fourth that is left %d", got.Ran, h.arrivals[3].Ran)
	}
	// All are older than the habits reach when the next one comes.
	h = Habits{Most: 4000}
	for range h.Most {
		h.Came(Arrival{At: 1_000_000})
	}
	if h.Came(Arrival{At: 1_000_000 + 2*habitDays*day}); h.Len() != 1 {
		t.Errorf("%d arrivals are left", h.Len())
	}
}

// TestNewcomersUntil: jobs come until the asked one has started, here one each hour that goes before it on a machine that each of them
// fills for an hour.
func TestNewcomersUntil(t *testing.T) {
	s := &State{Now: 40 * day, Procs: 1, Habits: new(Habits), Pending: []Job{fixed(1, 1, 1, 3600, 3600)}, Running: []Job{fixed(2, 2, 1, 3600, 3600)}}
	for at := s.Now - 10*day; at < s.Now; at += 3600 {
		s.Habits.Came(Arrival{At: at, User: 3, Procs: 1, Limit: 3600, Ran: 3600})
	}
	draws, err := s.Ask([]int{0})
	if err != nil {
		t.Fatal(err)
	}
	for f, at := range draws[0].Starts {
		if at < s.Now+day {
			t.Errorf("future %d: it starts after %d s, while others come for a day", f, at-s.Now)
		}
	}
}

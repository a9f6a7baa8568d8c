package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

const small = `
name: small
until: 1m
users:
  - {user: ob-alice, start: 5s, think: 10s, jitter: 0.2, shapes: [{array: 3, length: 70s}, {jobs: 2, procs: 4, length: 5s, limit: 2m}]}
`

func TestParseScenario(t *testing.T) {
	t.Parallel()
	got, err := ParseScenario(strings.NewReader(small))
	if err != nil {
		t.Fatal(err)
	}
	want := &Scenario{Name: "small", Seed: 1, Until: time.Minute, Users: []Loop{{
		User: "ob-alice", Start: 5 * time.Second, Think: 10 * time.Second, Jitter: 0.2,
		Shapes: []Shape{{Array: 3, Length: 70 * time.Second}, {Jobs: 2, Procs: 4, Length: 5 * time.Second, Limit: 2 * time.Minute}},
	}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestParseScenarioErrors(t *testing.T) {
	t.Parallel()
	user := func(rest string) string { return "name: x\nuntil: 1m\nusers:\n  - {user: u, " + rest + "}\n" }
	for _, tt := range []struct{ name, text, want string }{
		{"empty", "", "EOF"},
		{"no name", "users: []", "name: must be given"},
		{"nobody", "name: x", "users: nobody"},
		{"unknown key", "name: x\nuser: []", "line 2: field user not found"},
		{"two documents", small + "---\nname: y\n", "more than one document"},
		{"negative processors", "name: x\nprocessors: -1\nusers: [{user: u, campaigns: 1, shapes: [{jobs: 1, length: 1s}]}]", "processors: -1"},
		{"all in the background", user("campaigns: 1, background: true, shapes: [{jobs: 1, length: 1s}]"), "users: all are in the background"},
		{"history in the background", small + "history: [{user: u, campaigns: 1, background: true, shapes: [{jobs: 1, length: 1s}]}]", "history[0] (u): background"},
		{"deadline too early", user("campaigns: 1, shapes: [{jobs: 1, length: 10s, deadline: 9s}]"), "deadline: 9s is below"},
		{"deadline in the background", small + "  - {user: u, campaigns: 1, background: true, shapes: [{jobs: 1, length: 1s, deadline: 9s}]}", "deadline: nobody waits"},
		{"negative until", "name: x\nuntil: -1s\n", "until: -1s is negative"},
		{"bad user", "name: x\nusers: [{user: 'a;b'}]", `users[0] (a;b): user: "a;b"`},
		{"same user", "name: x\nusers: [&u {user: u, campaigns: 1, shapes: [{jobs: 1, length: 1s}]}, *u]", "users[1] (u): a second loop"},
		{"endless", "name: x\nusers: [{user: u, shapes: [{jobs: 1, length: 1s}]}]", "campaigns: must be given"},
		{"no shapes", user("campaigns: 1"), "shapes: must be given"},
		{"negative start", user("start: -1s"), "start: -1s"},
		{"negative think", user("think: -1s"), "think: -1s"},
		{"negative campaigns", user("campaigns: -1"), "campaigns: -1"},
		{"jitter", user("jitter: 1"), "jitter: 1"},
		{"jitter not a number", user("jitter: .nan"), "jitter: NaN"},
		{"array and jobs", user("shapes: [{array: 1, jobs: 1, length: 1s}]"), "either array or jobs"},
		{"neither", user("shapes: [{length: 1s}]"), "either array or jobs"},
		{"too many", user("shapes: [{array: 10001, length: 1s}]"), "10001 jobs"},
		{"procs", user("shapes: [{jobs: 1, procs: -1, length: 1s}]"), "procs: -1"},
		{"length", user("shapes: [{jobs: 1}]"), "length: 0s"},
		{"limit", user("shapes: [{jobs: 1, length: 2m, limit: 1m}]"), "limit: 1m0s is below"},
		{"history without end", small + "history: [{user: u, shapes: [{jobs: 1, length: 1s}]}]", "history[0] (u): campaigns: must be given"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := ParseScenario(strings.NewReader(tt.text))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want one with %q", err, tt.want)
			}
		})
	}
}

func FuzzParseScenario(f *testing.F) {
	f.Add(small)
	f.Fuzz(func(t *testing.T, text string) {
		s, err := ParseScenario(strings.NewReader(text))
		if err != nil {
			return
		}
		for _, l := range s.Users {
			if p := l.Plan(s.Seed, 1); len(p.Lengths) == 0 || p.Count < 1 || p.Procs < 1 {
				t.Errorf("plan %+v of a valid loop", p)
			}
		}
	})
}

// The scenarios that come with the testbed are valid on every size of it, tell
// what they are about, and are no longer than what the demo promises: the work
// alone leaves it time to come up. Their users are those of the testbed.
func TestScenarios(t *testing.T) {
	t.Parallel()
	accounts, err := os.ReadFile("../accounts/accounts.tsv")
	if err != nil {
		t.Fatal(err)
	}
	limits := map[string]time.Duration{
		"quick": 70 * time.Second, "unlike": 130 * time.Second, "floods": 160 * time.Second, "workflows": 170 * time.Second, "three-equal": 250 * time.Second,
		"working-day": 460 * time.Second, "unlike-long": 460 * time.Second,
	}
	for _, name := range []string{"equal", "burst", "array-flood", "deadline", "newcomer", "mixed", "idle-debt"} {
		limits[name] = 110 * time.Second
	}
	paths, err := filepath.Glob("../scenarios/*.yaml")
	if err != nil || len(paths) != len(limits) {
		t.Fatalf("scenarios %v, %v; want those of %v", paths, err, limits)
	}
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".yaml")
		for _, processors := range []int{16, 32, 48} {
			s, err := ReadScenario(path)
			if err != nil {
				t.Error(err)
				break
			}
			if s.Name != name || s.About == "" || s.Processors == 0 {
				t.Errorf("%s: name %q, about %q, processors %d; want its own name, words and a size", path, s.Name, s.About, s.Processors)
			}
			s.ScaleTo(processors)
			if got := work(s) / time.Duration(processors); got > limits[name] {
				t.Errorf("%s: %v of work for %d processors, more than %v", path, got, processors, limits[name])
			}
			for _, l := range append(s.History, s.Users...) {
				if !strings.Contains(string(accounts), "\nuser\t"+l.User+"\t") {
					t.Errorf("%s: user %s is not of the testbed's accounts", path, l.User)
				}
			}
		}
	}
	if _, err := ReadScenario(filepath.Join(t.TempDir(), "none")); !os.IsNotExist(err) {
		t.Errorf("reading no file: %v", err)
	}
}

// work is the processor time of all that a scenario waits for.
func work(s *Scenario) time.Duration {
	var sum time.Duration
	for _, l := range append(s.History, s.Users...) {
		if l.Background {
			continue
		}
		for seq := range l.Campaigns {
			campaign := l.Plan(s.Seed, seq+1)
			for _, p := range campaign.steps() {
				for _, d := range p.Lengths {
					sum += d * time.Duration(p.Procs*p.Count/len(p.Lengths))
				}
			}
		}
	}
	return sum
}

func TestScaleTo(t *testing.T) {
	t.Parallel()
	counts := func(written, processors int) []int {
		s := &Scenario{
			Processors: written,
			History:    []Loop{{Shapes: []Shape{{Array: 3}}}},
			Users:      []Loop{{Shapes: []Shape{{Jobs: 1, Procs: 4}, {Array: 64}, {Array: maxJobs}}}},
		}
		s.ScaleTo(processors)
		list := []int{s.History[0].Shapes[0].Array}
		for _, shape := range s.Users[0].Shapes {
			list = append(list, shape.count())
			if procs := map[bool]int{true: 4}[shape.Jobs > 0]; shape.Procs != procs {
				t.Errorf("jobs of %d processors, want %d", shape.Procs, procs)
			}
		}
		return list
	}
	for _, tt := range []struct {
		name                string
		written, processors int
		want                []int
	}{
		{"any size", 0, 7, []int{3, 1, 64, maxJobs}},
		{"the same", 32, 32, []int{3, 1, 64, maxJobs}},
		{"half", 32, 16, []int{2, 1, 32, maxJobs / 2}},
		{"one", 32, 1, []int{1, 1, 2, 313}},
		{"double", 32, 64, []int{6, 2, 128, maxJobs}},
	} {
		if diff := cmp.Diff(tt.want, counts(tt.written, tt.processors)); diff != "" {
			t.Errorf("%s (-want +got)\n%s", tt.name, diff)
		}
	}
}

func TestPlan(t *testing.T) {
	t.Parallel()
	l := Loop{User: "u", Think: 10 * time.Second, Shapes: []Shape{
		{Array: 3, Length: 70 * time.Second},
		{Jobs: 2, Procs: 4, Length: 5 * time.Second, Limit: 90 * time.Second, Deadline: 30 * time.Second},
	}}
	for seq, want := range map[int]Plan{
		1: {User: "u", Seq: 1, Array: true, Procs: 1, Limit: 2 * time.Minute, Lengths: []time.Duration{70 * time.Second}, Count: 3, Think: 10 * time.Second},
		2: {User: "u", Seq: 2, Procs: 4, Limit: 2 * time.Minute, Lengths: []time.Duration{5 * time.Second, 5 * time.Second}, Count: 2, Think: 10 * time.Second, Deadline: 30 * time.Second},
		3: {User: "u", Seq: 3, Array: true, Procs: 1, Limit: 2 * time.Minute, Lengths: []time.Duration{70 * time.Second}, Count: 3, Think: 10 * time.Second},
	} {
		if diff := cmp.Diff(want, l.Plan(1, seq)); diff != "" {
			t.Errorf("campaign %d (-want +got)\n%s", seq, diff)
		}
	}
	if l.Background = true; !l.Plan(1, 1).Background {
		t.Error("the plan of a loop in the background does not say so")
	}
}

// A plan depends on seed, user and number alone, keeps within its jitter, and
// no job is longer than its limit.
func TestPlanJitter(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		length := time.Duration(rapid.IntRange(1, 600).Draw(t, "seconds")) * time.Second
		l := Loop{
			User: "u", Think: length, Jitter: rapid.Float64Range(0, 0.99).Draw(t, "jitter"),
			Shapes: []Shape{{Jobs: rapid.IntRange(1, 20).Draw(t, "jobs"), Length: length}},
		}
		seed, seq := rapid.Uint64().Draw(t, "seed"), rapid.IntRange(1, 100).Draw(t, "seq")
		p := l.Plan(seed, seq)
		if diff := cmp.Diff(p, l.Plan(seed, seq)); diff != "" {
			t.Fatalf("two draws differ:\n%s", diff)
		}
		const rounding = 50 * time.Millisecond
		for _, d := range append(p.Lengths, p.Think) {
			spread := time.Duration(float64(length)*l.Jitter) + rounding
			if d < length-spread-rounding || d > length+spread {
				t.Fatalf("%v is not within %v of %v", d, spread, length)
			}
		}
		for _, d := range p.Lengths {
			if d+slack > p.Limit || d <= 0 {
				t.Fatalf("length %v with a limit of %v", d, p.Limit)
			}
		}
		if p.Limit%time.Minute != 0 {
			t.Fatalf("limit %v is not in minutes", p.Limit)
		}
	})
}

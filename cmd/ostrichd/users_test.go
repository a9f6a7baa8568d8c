package main

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"

	"slurm-ostrich/cmd/internal/configuration"
	"slurm-ostrich/cmd/internal/sidecar"
	"slurm-ostrich/ostrich"
)

// few is where users have names, and some of their jobs wait.
type few struct {
	world
	config configuration.Config
	names  map[ostrich.UserID]string
}

func (f *few) Config() configuration.Config      { return f.config }
func (f *few) UserName(id ostrich.UserID) string { return f.names[id] }

// crowd is a cycle of a pool of 10 processors. Users 1, 2 and 4 have a job that
// runs and one that waits, user 3 is over.
func crowd(t *testing.T) (*sidecar.Cycle, *few) {
	t.Helper()
	pools, err := ostrich.NewPools(ostrich.Options{Machine: ostrich.Sequential}, 60, ostrich.Classes{}, ostrich.Pool{Name: "cpu"})
	if err != nil {
		t.Fatal(err)
	}
	f := &few{config: configuration.Default(), names: map[ostrich.UserID]string{1: "a/alice", 2: "b/alice", 3: "carol", 4: "b/alice"}}
	f.config.Metrics.PerUser = true
	pools.Add(ostrich.Event{At: 1, Kind: ostrich.Capacity, Pool: "cpu", Procs: 10})
	job := func(id, user, procs, tasks int, start ostrich.Time) {
		j := ostrich.Job{ID: ostrich.JobID(id), User: ostrich.UserID(user), Procs: procs, Tasks: tasks, Estimate: 1000, Submit: 2}
		pools.Add(ostrich.Event{At: 2, Kind: ostrich.Submit, Job: j})
		if start != 0 {
			j.Start = start
			pools.Add(ostrich.Event{At: start, Kind: ostrich.Start, Job: j})
		}
	}
	job(11, 1, 4, 1, 3)
	job(12, 1, 2, 5, 0)
	job(21, 2, 1, 1, 3)
	job(22, 2, 3, 1, 0)
	job(41, 4, 2, 1, 3)
	job(31, 3, 1, 1, 3)
	pools.Add(ostrich.Event{At: 50, Kind: ostrich.End, Job: ostrich.Job{ID: 31, User: 3, Procs: 1, Estimate: 1000, Submit: 2, Start: 3, End: 50}})
	c := &sidecar.Cycle{Time: 102}
	c.Pools, _ = pools.At(102)
	return c, f
}

// TestMetricsOfClasses: a user who has work in two classes counts once, a campaign and a job where
// they are, and no processor twice.
func TestMetricsOfClasses(t *testing.T) {
	pools, err := ostrich.NewPools(ostrich.Options{Machine: ostrich.Sequential}, 60, ostrich.Classes{
		Names: []string{"urgent", "normal"}, Of: func(_, qos string) int { return map[string]int{"": 1}[qos] },
	})
	if err != nil {
		t.Fatal(err)
	}
	f := &few{config: configuration.Default(), names: map[ostrich.UserID]string{1: "alice", 2: "bob"}}
	f.config.Metrics.PerUser = true
	pools.Add(ostrich.Event{At: 1, Kind: ostrich.Capacity, Procs: 10})
	for id, j := range map[int]ostrich.Job{11: {User: 1, QOS: "urgent", Procs: 4}, 12: {User: 1, Procs: 3}, 21: {User: 2, Procs: 10}} {
		j.ID, j.Estimate, j.Submit = ostrich.JobID(id), 1000, 2
		pools.Add(ostrich.Event{At: 2, Kind: ostrich.Submit, Job: j})
	}
	c := &sidecar.Cycle{Time: 102}
	c.Pools, _ = pools.At(102)
	m := newMetrics("v1")
	m.observe(c, f, time.Unix(1, 0))
	got := samples(t, m)
	for name, want := range map[string]string{
		`ostrich_active_users`:                                             "2",
		`ostrich_campaigns{pool=""}`:                                       "3",
		`ostrich_processors{pool="",state="all"}`:                          "10",
		`ostrich_missing_processors{pool=""}`:                              "10", // of either class
		`ostrich_user_entitled_ratio{account="",pool="",user="alice"}`:     "1",  // alone in class urgent
		`ostrich_user_entitled_ratio{account="",pool="",user="bob"}`:       "0.5",
		`ostrich_user_campaigns{account="",pool="",user="alice"}`:          "2",
		`ostrich_user_pending_processors{account="",pool="",user="alice"}`: "7",
	} {
		if got[name] != want {
			t.Errorf("%s: %q, want %s", name, got[name], want)
		}
	}
}

func TestUsers(t *testing.T) {
	m := newMetrics("v1")
	c, from := crowd(t)
	m.observe(c, from, time.Unix(1, 0))
	problems, err := testutil.GatherAndLint(m.registry)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Errorf("%s: %s", p.Metric, p.Text)
	}
	got := samples(t, m)
	for name, want := range map[string]string{
		`ostrich_user_held_ratio{account="a",pool="cpu",user="alice"}`:          "0.4",
		`ostrich_user_running_processors{account="a",pool="cpu",user="alice"}`:  "4",
		`ostrich_user_pending_processors{account="a",pool="cpu",user="alice"}`:  "10",
		`ostrich_user_campaigns{account="a",pool="cpu",user="alice"}`:           "1",
		`ostrich_user_stretch_ratio{account="a",pool="cpu",user="alice"}`:       "0.07142857142857142", // 100 s of the 1400 that the work takes
		`ostrich_user_virtual_lag_seconds{account="a",pool="cpu",user="alice"}`: "0",
		// The two lines of one name are one.
		`ostrich_user_held_ratio{account="b",pool="cpu",user="alice"}`:         "0.30000000000000004",
		`ostrich_user_running_processors{account="b",pool="cpu",user="alice"}`: "3",
		`ostrich_user_pending_processors{account="b",pool="cpu",user="alice"}`: "3",
		`ostrich_user_campaigns{account="b",pool="cpu",user="alice"}`:          "2",
		`ostrich_user_entitled_ratio{account="b",pool="cpu",user="alice"}`:     "0.6666666666666666",
		// Entitled to a third of 10, user 2 has 1; user 1 has enough, user 4 waits for nothing.
		`ostrich_missing_processors{pool="cpu"}`: "2.333333333333333",
	} {
		if got[name] != want {
			t.Errorf("%s is %q, want %q", name, got[name], want)
		}
	}
	for name := range got {
		if strings.Contains(name, "carol") {
			t.Errorf("of a user whose jobs are over: %s", name)
		}
	}
	from.config.Metrics.PerUser = false // by a reload
	m.observe(c, from, time.Unix(2, 0))
	for name := range samples(t, m) {
		if strings.HasPrefix(name, "ostrich_user_") {
			t.Errorf("%s, and nobody wants it", name)
		}
	}
}

// The virtual schedule completed the campaign at 1002, and the job runs on.
func TestVirtualLag(t *testing.T) {
	m := newMetrics("v1")
	pools, err := ostrich.NewPools(ostrich.Options{Machine: ostrich.Sequential}, 60, ostrich.Classes{}, ostrich.Pool{})
	if err != nil {
		t.Fatal(err)
	}
	j := ostrich.Job{ID: 1, User: 1, Procs: 1, Estimate: 1000, Submit: 2}
	pools.Add(
		ostrich.Event{At: 1, Kind: ostrich.Capacity, Procs: 1}, ostrich.Event{At: 2, Kind: ostrich.Submit, Job: j},
	)
	c := &sidecar.Cycle{Time: 1202}
	c.Pools, _ = pools.At(1202)
	from := &few{config: configuration.Default(), names: map[ostrich.UserID]string{1: "al\xffice"}}
	from.config.Metrics.PerUser = true
	m.observe(c, from, time.Unix(1, 0))
	if got := samples(t, m)[`ostrich_user_virtual_lag_seconds{account="",pool="",user="al?ice"}`]; got != "200" {
		t.Errorf("lag %q, want 200 in\n%v", got, samples(t, m))
	}
}

// scraped is where somebody asks for metrics whenever a name is wanted.
type scraped struct {
	*few
	scrape func()
}

func (s *scraped) UserName(id ostrich.UserID) string {
	s.scrape()
	return s.few.UserName(id)
}

// Who asks while a cycle is taken gets the figures of the one before: none is
// missing.
func TestScrapedMeanwhile(t *testing.T) {
	m := newMetrics("v1")
	c, from := crowd(t)
	m.observe(c, from, time.Unix(1, 0))
	want := []string{
		`ostrich_user_campaigns{account="a",pool="cpu",user="alice"}`, `ostrich_campaigns{pool="cpu"}`,
		`ostrich_processors{pool="cpu",state="busy"}`, `ostrich_missing_processors{pool="cpu"}`,
	}
	times := 0
	again := *c
	again.Generation++
	m.observe(&again, &scraped{from, func() {
		times++
		got := samples(t, m)
		for _, name := range want {
			if _, ok := got[name]; !ok {
				t.Errorf("%s is missing", name)
			}
		}
	}}, time.Unix(2, 0))
	if times == 0 {
		t.Error("nobody has asked")
	}
}

// A user who leaves vanishes; an emulated cluster has them come and go.
func TestUsersLeave(t *testing.T) {
	e := emulate(t)
	e.cycles(8)
	seen := func(user string) bool {
		_, ok := samples(t, e.daemon.metrics)[`ostrich_user_campaigns{account="",pool="",user="`+user+`"}`]
		return ok
	}
	if !seen("alice") || !seen("bob") {
		t.Errorf("nobody after 80 s: alice %v, bob %v", seen("alice"), seen("bob"))
	}
	for range 900 {
		if e.cycles(1); !seen("bob") {
			return
		}
	}
	t.Error("bob, who has three small jobs every 3000 s, never left")
}

// BenchmarkMetrics is the metrics' part of a cycle with 100 000 pending jobs of
// 500 users: as by default, and with figures of each user.
func BenchmarkMetrics(b *testing.B) {
	const users, jobs = 500, 100_000
	pools, err := ostrich.NewPools(ostrich.Options{}, 60, ostrich.Classes{}, ostrich.Pool{})
	if err != nil {
		b.Fatal(err)
	}
	f := &few{config: configuration.Default(), names: make(map[ostrich.UserID]string)}
	pools.Add(ostrich.Event{At: 1, Kind: ostrich.Capacity, Procs: 1000})
	for i := range jobs {
		j := ostrich.Job{ID: ostrich.JobID(i + 1), User: ostrich.UserID(i % users), Procs: 1 + i%7, Estimate: 600, Submit: ostrich.Time(2 + i/100)}
		f.names[j.User] = fmt.Sprint("account/user", j.User)
		pools.Add(ostrich.Event{At: j.Submit, Kind: ostrich.Submit, Job: j})
	}
	c := &sidecar.Cycle{Time: 2000}
	c.Pools, _ = pools.At(2000)
	for _, test := range []struct {
		name    string
		perUser bool
		changed bool
	}{
		{"unchanged", false, false},
		{"changed", false, true},
		{"unchanged-per-user", true, false},
		{"changed-per-user", true, true},
	} {
		b.Run(test.name, func(b *testing.B) {
			f.config.Metrics.PerUser = test.perUser
			m := newMetrics("v1")
			now := sidecar.Cycle{Time: c.Time, Pools: c.Pools}
			for b.Loop() {
				next := now
				if test.changed {
					next = sidecar.Cycle{Time: c.Time, Pools: c.Pools, Generation: now.Generation + 1}
				}
				now = next
				m.observe(&next, f, time.Unix(1, 0))
			}
		})
	}
}

func (*few) Past() *sidecar.Past { return nil }

func (*scraped) Past() *sidecar.Past { return nil }

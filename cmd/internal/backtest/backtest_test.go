package backtest

import (
	"slices"
	"strings"
	"testing"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting"
	"slurm-ostrich/ostrich/lengths"
)

// made is a history of a user who runs two programs by turns, one of 30 s and one of
// 30 min, with the same limit. If named, they have one of two names,
// one of two scripts if scripted says so.
func made(jobs int, named, scripted bool) *accounting.History {
	h := &accounting.History{
		Partitions: []string{"main", "long"}, QOS: []string{""}, Associations: []accounting.Association{{User: "alice", Account: "a"}, {User: "alice", Account: "b"}},
	}
	for i := range jobs {
		at := ostrich.Time(1000 + 4000*i)
		j := accounting.Job{ID: ostrich.JobID(i + 1), State: accounting.Completed, Procs: 4, Submit: at, Start: at + 10, NameClass: 5}
		kind := i * 7 / 3 % 2
		j.End = j.Start + []ostrich.Time{30, 1800}[kind]
		if named {
			j.NameClass = uint64(5 + kind)
		}
		if scripted {
			j.ScriptClass = uint64(9 + kind)
		}
		j.Association = int32(i % 2)
		h.Jobs = append(h.Jobs, j)
	}
	return h
}

// TestKinds: where names tell nothing and the tool tells the kind, that is recommended.
func TestKinds(t *testing.T) {
	h := made(300, false, true)
	for i := range h.Jobs {
		h.Jobs[i].KindClass, h.Jobs[i].ScriptClass = h.Jobs[i].ScriptClass, 0
	}
	for set, want := range map[string]string{
		"name": "Set schedule.predictor: alike and schedule.class: auto: predicted lengths would be off by a factor of 1.0",
		"auto": "Keep schedule.predictor: alike and schedule.class: auto: predicted lengths are off by a factor of 1.0",
	} {
		r := Test(h, Options{Predictor: "alike", Class: set, DefaultLimit: 3600})
		if got := r.Sentence(); !strings.HasPrefix(got, want) {
			t.Errorf("with %s: %s, want %s", set, got, want)
		}
	}
	if r := Test(made(300, true, false), Options{Predictor: "alike", Class: "auto", DefaultLimit: 3600}); r.Set() == nil || r.Set().Class != "name" {
		t.Errorf("kinds that are names: %+v", r.Set())
	}
}

func TestTest(t *testing.T) {
	for _, tt := range []struct {
		what            string
		jobs            int
		named, scripted bool
		predictor       string
		class           string
		rows            int
		set, best, want string
	}{
		{
			"one that is tested only if it is set", 300, true, false, "mean", "name", 7, "mean", "alike by name",
			"Set schedule.predictor: alike and schedule.class: name: predicted lengths would be off by a factor of 1.0",
		},
		{
			"names tell", 300, true, false, "limit", "name", 6, "limit", "alike by name",
			"Set schedule.predictor: alike and schedule.class: name: predicted lengths would be off by a factor of 1.0",
		},
		{
			"scripts tell", 300, false, true, "alike", "name", 7, "alike by name", "alike by script",
			"Set schedule.predictor: alike and schedule.class: script: predicted lengths would be off by a factor of 1.0",
		},
		{
			"both tell: the default", 300, true, true, "alike", "script", 7, "alike by script", "alike by name",
			"Keep schedule.predictor: alike and schedule.class: script: predicted lengths are off by a factor of 1.0",
		},
		{
			"no script is stored", 300, true, false, "alike", "script", 6, "alike by name", "alike by name",
			"Keep schedule.predictor: alike: predicted lengths are off by a factor of 1.0",
		},
		{"too few", 99, true, true, "last", "off", 7, "last", "", "Only 99 jobs have ended, too few to choose a predictor by."},
		{"none", 0, true, true, "last", "off", 0, "", "", "No job has ended, so nothing tells which predictor to set."},
	} {
		t.Run(tt.what, func(t *testing.T) {
			r := Test(made(tt.jobs, tt.named, tt.scripted), Options{Predictor: tt.predictor, Class: tt.class, DefaultLimit: 3600})
			if len(r.Rows) != tt.rows || r.Jobs != tt.jobs {
				t.Errorf("%d rows, %d jobs: %+v", len(r.Rows), r.Jobs, r)
			}
			set, best := "", ""
			if s := r.Set(); s != nil {
				set = s.Name()
			}
			if set != tt.set {
				t.Errorf("set: %q, want %q", set, tt.set)
			}
			if b := r.Best(); b != nil {
				best = b.Name()
			}
			if best != tt.best {
				t.Errorf("best: %q, want %q\n%+v", best, tt.best, r.Rows)
			}
			if got := r.Sentence(); !strings.HasPrefix(got, tt.want) {
				t.Errorf("%q, want %q", got, tt.want)
			}
			if strings.HasPrefix(tt.want, "Set") != (r.Gain() > 0) {
				t.Errorf("gains %v", r.Gain())
			}
		})
	}
}

// TestCounted: which jobs count, and with which limit.
func TestCounted(t *testing.T) {
	h := made(200, true, false)
	limits := map[string]ostrich.Duration{"long": 100}
	for i := range h.Jobs {
		h.Jobs[i].End = h.Jobs[i].Start + 100
		h.Jobs[i].Partition = 1
	}
	if r := Test(h, Options{Predictor: "limit", Class: "off", MaxTime: limits, DefaultLimit: 5}); r.Rows[0].LogError != 0 {
		t.Errorf("not the partition's limit: %+v", r.Rows[0])
	}
	for i, change := range []func(*accounting.Job){
		func(j *accounting.Job) { j.State = accounting.NodeFail },
		func(j *accounting.Job) { j.State, j.End = accounting.Running, 0 },
		func(j *accounting.Job) { j.State, j.Start = accounting.Cancelled, 0 },
		func(j *accounting.Job) { j.Start = j.Submit - 1 },
		func(j *accounting.Job) { j.End = j.Start - 1 },
		func(j *accounting.Job) { j.Procs = 0 },
	} {
		one := *h
		one.Jobs = slices.Clone(h.Jobs)
		change(&one.Jobs[3])
		if r := Test(&one, Options{}); r.Jobs != 199 {
			t.Errorf("change %d: %d jobs count", i, r.Jobs)
		}
	}
}

// TestTree: with the tree a user in two accounts is two, who learn apart.
func TestTree(t *testing.T) {
	h := made(200, false, false)
	for i := range h.Jobs {
		h.Jobs[i].End = h.Jobs[i].Start + ostrich.Time(100+1000*(i%2)) // by association
	}
	flat, tree := Test(h, Options{DefaultLimit: 3600}), Test(h, Options{DefaultLimit: 3600, Tree: true})
	if a, b := flat.Rows[lengths.ByLast].LogError, tree.Rows[lengths.ByLast].LogError; a < 2 || b > 0.1 {
		t.Errorf("the last length is off by %v flat, %v in the tree", a, b)
	}
}

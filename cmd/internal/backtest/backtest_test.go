package backtest

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting"
	"slurm-ostrich/ostrich/accounting/tools"
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

var stepNames = []string{"trim", "align", "sort", "report"}

// workflows is a history of users of workflow tools, with the texts that the tools write: runs
// with four steps of seconds to half an hour, samples with names, and a name for each run.
func workflows(runs int, names ...string) *accounting.History {
	h := &accounting.History{Partitions: []string{"main"}, QOS: []string{""}}
	random := rand.New(rand.NewPCG(1, 2))
	steps := []struct {
		name string
		jobs int
		mean float64
	}{{names[0], 6, 20}, {names[1], 6, 1800}, {names[2], 6, 60}, {names[3], 1, 10}}
	samples := []string{"liver", "heart", "lung", "brain", "skin", "bone", "blood", "nerve"}
	uuid := func() string {
		return fmt.Sprintf("%08x-%04x-4%03x-8%03x-%012x", random.Uint32(), random.IntN(1<<16), random.IntN(1<<12), random.IntN(1<<12), random.Uint64N(1<<48))
	}
	forms := map[string]func(run, step, sample string, n int) tools.Texts{
		"snakemake8": func(run, step, sample string, _ int) tools.Texts {
			return tools.Texts{Name: []byte(run), Line: []byte("sbatch --parsable --job-name " + run + " --output x --export=ALL --comment rule_" + step + "_wildcards_" + sample + " --ntasks=1")}
		},
		"snakemake7": func(_, step, _ string, n int) tools.Texts {
			return tools.Texts{Name: fmt.Appendf(nil, "snakejob_%s_%d", step, n)}
		},
		"nextflow": func(run, step, sample string, n int) tools.Texts {
			return tools.Texts{Name: []byte("nf-" + step + "_(" + sample + ")"), Folder: fmt.Appendf(nil, "/w/%s/work/%02x/%030x", run, n%256, n)}
		},
		"submitit": func(_, step, _ string, _ int) tools.Texts {
			return tools.Texts{Name: []byte("submitit"), WCKey: []byte("submitit"), Folder: []byte("/home/u/" + step)}
		},
		"signac": func(run, step, _ string, n int) tools.Texts {
			return tools.Texts{Name: fmt.Appendf(nil, "Poly/%s/%s/%s%08x", run[:8], step, run[9:13], n)}
		},
		"by hand": func(_, step, _ string, n int) tools.Texts {
			return tools.Texts{Name: fmt.Appendf(nil, "%s-%d", step, n)}
		},
	}
	id := ostrich.JobID(0)
	for at, form := range slices.Sorted(maps.Keys(forms)) {
		h.Associations = append(h.Associations, accounting.Association{User: form, Account: "a"})
		for r := range runs {
			run := uuid()
			submit := ostrich.Time(1000 + 20_000*r + 7*at)
			for _, step := range steps {
				for n := range step.jobs {
					id++
					texts := forms[form](run, step.name, samples[random.IntN(len(samples))], int(id))
					said := tools.Table(nil).Read(&texts)
					j := accounting.Job{
						ID: id, Association: int32(at), State: accounting.Completed, Procs: 1, Submit: submit + ostrich.Time(n), Limit: 7200,
						NameClass: accounting.NameClass(texts.Name), KindClass: said.Class(), Tool: said.Row, ByLine: said.ByLine,
					}
					j.Start = j.Submit + 1
					j.End = j.Start + ostrich.Time(step.mean*(0.7+0.6*random.Float64()))
					h.Jobs = append(h.Jobs, j)
				}
				submit += ostrich.Time(1.4*step.mean) + 60 // when the step before has ended
			}
		}
	}
	slices.SortFunc(h.Jobs, func(a, b accounting.Job) int { return cmp.Or(cmp.Compare(a.Submit, b.Submit), cmp.Compare(a.ID, b.ID)) })
	return h
}

// TestTools: with the names that tools write, lengths by step are better than by name for each
// tool, and as good for those who name their jobs by hand.
func TestTools(t *testing.T) {
	r := Test(workflows(20, stepNames...), Options{Predictor: "alike", Class: "name", DefaultLimit: 7200})
	var got []string
	for _, tool := range r.Tools {
		name, kind := tool.Factors()
		t.Logf("%-12s %5d jobs: off by %s by name, %s by step; the line tells of %d", tool.Tool, tool.Jobs, name, kind, tool.ByLine)
		got = append(got, fmt.Sprintf("%s %d %d", tool.Tool, tool.Jobs, tool.ByLine))
		if tool.Kind > tool.Name+1e-9 {
			t.Errorf("%s: %v by step, %v by name", tool.Tool, tool.Kind, tool.Name)
		}
	}
	want := []string{"Snakemake 760 380", "Nextflow 380 0", "signac-flow 380 0", "submitit 380 0", " 380 0"}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if gain, jobs := r.ToolGain(); gain < 0.3 || jobs != 1900 {
		t.Errorf("gain %v of %d jobs", gain, jobs)
	}
	if r := Test(made(300, true, false), Options{Predictor: "alike", Class: "name", DefaultLimit: 3600}); r.Tools != nil {
		t.Errorf("nobody uses a tool, and there are %v", r.Tools)
	}
}

// TestNumberedSteps: of tools that tell their own names of steps it does not matter whether these
// differ in letters or in digits.
func TestNumberedSteps(t *testing.T) {
	options := Options{Predictor: "alike", Class: "name", DefaultLimit: 7200}
	want := Test(workflows(20, stepNames...), options)
	got := Test(workflows(20, "step1", "step2", "step3", "step4"), options)
	for i, tool := range got.Tools[:3] {
		name, kind := tool.Factors()
		t.Logf("%-12s off by %s by name, %s by step", tool.Tool, name, kind)
		if tool.Tool != want.Tools[i].Tool || math.Abs(tool.Kind-want.Tools[i].Kind) > 1e-9 {
			t.Errorf("%+v, want %+v", tool, want.Tools[i])
		}
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

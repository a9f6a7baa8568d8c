package slurmdb_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting"
	"slurm-ostrich/ostrich/accounting/ledger"
	"slurm-ostrich/ostrich/accounting/tools"
	"slurm-ostrich/slurmdb/archive"
	"slurm-ostrich/slurmdb/slurmdbtest"
)

// said is what the events tell of what users say, one line each.
func said(events []ostrich.Event) string {
	var b strings.Builder
	for _, e := range jobEvents(events) {
		fmt.Fprintf(&b, "%v %d class %x", e.Kind, e.Job.ID, e.Job.Class)
		if e.Job.Hint != 0 {
			fmt.Fprintf(&b, " expects %d", e.Job.Hint)
		}
		if e.Job.Campaign != "" {
			fmt.Fprintf(&b, " in %s", e.Job.Campaign)
		}
		b.WriteString("\n")
	}
	return b.String()
}

func TestClass(t *testing.T) {
	run, script := accounting.NameClass([]byte("run-")), accounting.ScriptClass(7)
	const hostile = "é'\"\n\x01 -- `;"
	for _, release := range []slurmdbtest.Release{slurmdbtest.R2011, slurmdbtest.R2505} {
		for by, name := range ledger.ClassNames {
			t.Run(string(release)+"/"+name, func(t *testing.T) {
				db := slurmdbtest.New(t, release)
				put(
					job{ID: 1, Name: "run-1", Script: 7, Start: 1, End: 5},
					job{ID: 2, Name: "run-22", Script: 7, Start: 1},
					job{ID: 3, Name: "run-3"},
					job{ID: 4, Name: hostile, Start: 1, End: 5},
				)(db)
				c := config(db)
				c.Class = ledger.ClassBy(by)
				want := [4]uint64{}
				if c.Class != ledger.NoClass {
					want = [4]uint64{run, run, run, accounting.NameClass([]byte(hostile))}
				}
				if c.Class == ledger.ByScript && release != slurmdbtest.R2011 {
					want[0], want[1] = script, script
				}
				r := open(t, c)
				r.SetClock(t0 + 10)
				events := jobEvents(poll(t, r).Events)
				if len(events) != 4+3+2 {
					t.Fatalf("%d events:\n%s", len(events), tellAll(events))
				}
				for _, e := range events {
					if got := e.Job.Class; got != want[e.Job.ID-1] {
						t.Errorf("%s: class %x, want %x", tell(e), got, want[e.Job.ID-1])
					}
				}
				for _, id := range []ostrich.JobID{2, 3} {
					if rec, ok := r.Record(id); !ok || rec.Job.Class != want[id-1] || !strings.HasPrefix(rec.Name, "run-") {
						t.Errorf("record %d: %+v", id, rec)
					}
				}
				if again := poll(t, r); len(again.Events) != 0 {
					t.Errorf("told again: %s", tellAll(again.Events))
				}
				h, err := archive.History(t.Context(), r, t0-100, t0+100)
				if err != nil {
					t.Fatal(err)
				}
				for _, j := range h.Jobs[:3] {
					if j.NameClass != 0 || j.ScriptClass != 0 {
						t.Errorf("history: job %d has classes %x and %x, not asked for", j.ID, j.NameClass, j.ScriptClass)
					}
					if j.Class != want[j.ID-1] {
						t.Errorf("history: job %d has class %x, want %x", j.ID, j.Class, want[j.ID-1])
					}
				}
				c.Classes = true
				both := open(t, c)
				both.SetClock(t0 + 10)
				if h, err = archive.History(t.Context(), both, t0-100, t0+100); err != nil {
					t.Fatal(err)
				}
				for _, j := range h.Jobs[:3] {
					wantScript := uint64(0)
					if j.ID < 3 && release != slurmdbtest.R2011 {
						wantScript = script
					}
					if j.Class != want[j.ID-1] || j.NameClass != run || j.ScriptClass != wantScript {
						t.Errorf("history: job %d has classes %x, %x and %x, want %x, %x and %x", j.ID,
							j.Class, j.NameClass, j.ScriptClass, want[j.ID-1], run, wantScript)
					}
				}
			})
		}
	}
}

// TestSaid follows jobs whose users say something, and compares with what a
// restart reads.
func TestSaid(t *testing.T) {
	steps := []func(*slurmdbtest.DB){
		put(job{ID: 1, Name: "fit:1", WCKey: "w1"}, job{ID: 2, WCKey: "*default", CPUs: 2}),
		put(job{ID: 1, Name: "fit:1", WCKey: "w1", Start: 90}, job{ID: 2, WCKey: "w2", CPUs: 2}),
		// A comment is stored at the end, by then also those of requeued rows.
		put(job{ID: 1, Name: "fit:1", WCKey: "w1", Start: 90, End: 150, State: 1024, Comment: "expect=5m,campaign:c1"},
			job{ID: 1, Submit: 151, Name: "fit:1", WCKey: "w1"},
			job{ID: 2, WCKey: "w2", CPUs: 2, Start: 160, End: 190, Comment: "campaign:c2"}),
	}
	for _, tt := range []struct {
		declared ledger.DeclareBy
		hints    bool
		live     string
		cold     string
	}{
		{
			ledger.NotDeclared, false,
			"submit 1\nsubmit 2\nstart 1\nrequeue 1\nstart 2\nend 2\n",
			"submit 1\nsubmit 2\nstart 1\nrequeue 1\nstart 2\nend 2\n",
		},
		{
			ledger.NotDeclared, true,
			"submit 1\nsubmit 2\nstart 1\nrequeue 1 expects 300\nstart 2\nend 2\n",
			"submit 1 expects 300\nsubmit 2\nstart 1 expects 300\nrequeue 1 expects 300\nstart 2\nend 2\n",
		},
		{
			ledger.InComment, false,
			"submit 1\nsubmit 2\nstart 1\nrequeue 1 in c1\nstart 2 in c2\nend 2 in c2\n",
			"submit 1 in c1\nsubmit 2 in c2\nstart 1 in c1\nrequeue 1 in c1\nstart 2 in c2\nend 2 in c2\n",
		},
		{
			ledger.InWCKey, false,
			"submit 1 in w1\nsubmit 2\nstart 1 in w1\nchange 2 in w2\nrequeue 1 in w1\nstart 2 in w2\nend 2 in w2\n",
			"submit 1 in w1\nsubmit 2 in w2\nstart 1 in w1\nrequeue 1 in w1\nstart 2 in w2\nend 2 in w2\n",
		},
		{
			ledger.InName, true,
			"submit 1 in fit\nsubmit 2\nstart 1 in fit\nrequeue 1 expects 300 in fit\nstart 2\nend 2\n",
			"submit 1 expects 300 in fit\nsubmit 2\nstart 1 expects 300 in fit\nrequeue 1 expects 300 in fit\nstart 2\nend 2\n",
		},
	} {
		t.Run(fmt.Sprintf("%s %v", ledger.DeclareNames[tt.declared], tt.hints), func(t *testing.T) {
			for _, release := range []slurmdbtest.Release{slurmdbtest.R2205, slurmdbtest.R2505} {
				db := slurmdbtest.New(t, release)
				c := config(db)
				c.Declared, c.Hints = tt.declared, tt.hints
				r := open(t, c)
				r.SetClock(t0 - perStep)
				poll(t, r)
				var live strings.Builder
				for i, step := range steps {
					step(db)
					r.SetClock(ostrich.Time(t0 + perStep*i))
					live.WriteString(said(poll(t, r).Events))
					if again := poll(t, r); len(again.Events) != 0 {
						t.Errorf("%s, step %d: told again: %s", release, i, said(again.Events))
					}
				}
				if diff := cmp.Diff(tt.live, strings.ReplaceAll(live.String(), " class 0", "")); diff != "" {
					t.Errorf("%s (-want +got):\n%s", release, diff)
				}
				fresh := open(t, c)
				fresh.SetClock(t0 + 3*perStep)
				if diff := cmp.Diff(tt.cold, strings.ReplaceAll(said(poll(t, fresh).Events), " class 0", "")); diff != "" {
					t.Errorf("%s, cold start (-want +got):\n%s", release, diff)
				}
			}
		})
	}
}

// TestSaidWithoutColumns reads a database where the account may not see
// what users say: nothing is said, and nothing fails.
func TestSaidWithoutColumns(t *testing.T) {
	db := slurmdbtest.New(t, slurmdbtest.R2205)
	put(job{ID: 1, Name: "run-1", Script: 7, Comment: "expect=5m,campaign:c", WCKey: "w"})(db)
	db.Run("ALTER TABLE c1_job_table DROP COLUMN derived_es, DROP COLUMN script_hash_inx, DROP COLUMN wckey")
	for declared := range ledger.DeclareNames {
		c := config(db)
		c.Class, c.Hints, c.Declared = ledger.ByScript, true, ledger.DeclareBy(declared)
		r := open(t, c)
		r.SetClock(t0 + 10)
		want := fmt.Sprintf("submit 1 class %x\n", accounting.NameClass([]byte("run-")))
		if got := said(poll(t, r).Events); got != want {
			t.Errorf("%s: got %s, want %s", ledger.DeclareNames[declared], got, want)
		}
	}
}

// TestSiteTools: a site's own pattern says of which jobs the line is read, whatever letters it has.
func TestSiteTools(t *testing.T) {
	db := slurmdbtest.New(t, slurmdbtest.R2605)
	put(
		job{ID: 1, Name: `it's_a%\sort7`, Submitted: "sbatch --export=X --batch=nine a.sh", Folder: "/w"},
		job{ID: 2, Name: "itXs_a%\\sort7", Submitted: "sbatch --batch=nine a.sh", Folder: "/w"},
		job{ID: 3, Name: "other", Submitted: "sbatch --comment=team:red a.sh", Folder: "/w", Start: 1, End: 5},
	)(db)
	table, err := tools.With([]tools.Row{
		{Name: "mine", Patterns: []tools.Source{{In: tools.Name, Text: `^it's_a%\\(?P<class>[a-z]+)`}, {In: tools.Line, Text: ` --batch=(?P<campaign>\w+)`}}},
		{Name: "red", Patterns: []tools.Source{{In: tools.Comment, Text: `^team:(?P<campaign>\w+)`}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	c := config(db)
	c.Class, c.Declared, c.Tools = ledger.ByKind, ledger.ByTool, table
	r := open(t, c)
	r.SetClock(t0 + 10)
	want := map[ostrich.JobID]string{1: "run:nine", 2: "", 3: "run:red"}
	for _, e := range jobEvents(poll(t, r).Events) {
		if e.Job.Campaign != want[e.Job.ID] {
			t.Errorf("%s: campaign %q, want %q", tell(e), e.Job.Campaign, want[e.Job.ID])
		}
		if sort := (&tools.Said{Kind: "sort"}).Class(); (e.Job.Class == sort) != (e.Job.ID == 1) {
			t.Errorf("%s: class %x", tell(e), e.Job.Class)
		}
	}
	if rec, known := r.Record(1); !known || rec.Tool != "mine" || rec.Kind != "sort" {
		t.Errorf("job 1 is of %q, %q", rec.Tool, rec.Kind)
	}
}

// TestTools: what workflow tools say is read from where they say it, of jobs that wait, run and have
// ended alike; before 21.08 there are no lines of submission.
func TestTools(t *testing.T) {
	const (
		run  = "3f2a9c51-0b7e-4d2c-9a61-5e0f7c1b2d3e"
		line = "sbatch --job-name " + run + " --comment rule_align_wildcards_s=a -n 1"
	)
	for _, release := range []slurmdbtest.Release{slurmdbtest.R2011, slurmdbtest.R2605} {
		t.Run(string(release), func(t *testing.T) {
			db := slurmdbtest.New(t, release)
			put(
				job{ID: 1, Name: run, Submitted: line, Start: 1, End: 5, Folder: "/work/p"},
				job{ID: 2, Name: run, Submitted: line, Start: 1, Folder: "/work/p"},
				job{ID: 3, Name: "nf-ALIGN_(a)", Folder: "/scratch/al/work/3f/2a9c510b7e"},
				job{ID: 4, Name: "run-7", Folder: "/work/p", Submitted: "sbatch --comment rule_align"},
				job{ID: 5, Name: "submitit", WCKey: "submitit", Folder: "/home/bob/sweep2"},
				job{ID: 6, Name: "dask-worker", Folder: "/home/bob", Limit: 90},
			)(db)
			c := config(db)
			c.Class, c.Declared = ledger.ByKind, ledger.ByTool
			r := open(t, c)
			r.SetClock(t0 + 10)
			events := poll(t, r).Events
			kind := func(words string) uint64 { return (&tools.Said{Kind: words}).Class() }
			want := map[ostrich.JobID]ostrich.Job{
				1: {Class: kind("align"), Campaign: "run:" + run}, 2: {Class: kind("align"), Campaign: "run:" + run},
				3: {Class: kind("ALIGN"), Campaign: "run:/scratch/al"}, 4: {Class: accounting.NameClass([]byte("run-7"))},
				5: {Class: kind("submitit in /home/bob/sweep")}, 6: {Class: kind("dask-worker in /home/bob"), Hint: 5400},
			}
			if release == slurmdbtest.R2011 {
				want[1] = ostrich.Job{Class: kind("in /work/p"), Campaign: "run:" + run}
				want[2] = want[1]
			}
			for _, e := range jobEvents(events) {
				j, w := e.Job, want[e.Job.ID]
				if j.Class != w.Class || j.Campaign != w.Campaign || j.Hint != w.Hint {
					t.Errorf("%s: class %x campaign %q hint %d, want %x, %q and %d", tell(e), j.Class, j.Campaign, j.Hint, w.Class, w.Campaign, w.Hint)
				}
			}
			c.Class, c.Declared, c.Classes = ledger.ByName, ledger.InWCKey, true
			all := open(t, c)
			all.SetClock(t0 + 10)
			for _, e := range jobEvents(poll(t, all).Events) {
				if e.Job.Campaign != "" {
					t.Errorf("%s: the WCKey that submitit gives everybody declares %q", tell(e), e.Job.Campaign)
				}
			}
			h, err := archive.History(t.Context(), all, t0-100, t0+100)
			if err != nil {
				t.Fatal(err)
			}
			for _, j := range h.Jobs {
				if j.KindClass != want[j.ID].Class {
					t.Errorf("history: job %d is of kind %x, want %x", j.ID, j.KindClass, want[j.ID].Class)
				}
			}
		})
	}
}

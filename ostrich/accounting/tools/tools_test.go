package tools_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"slurm-ostrich/ostrich/accounting"
	"slurm-ostrich/ostrich/accounting/tools"
)

const (
	run   = "3f2a9c51-0b7e-4d2c-9a61-5e0f7c1b2d3e"
	other = "aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee"
)

// noRow leaves out the row of the table, which changes with it, and what follows from the tool.
var noRow = cmpopts.IgnoreFields(tools.Said{}, "Row", "Parts", "Digits")

// TestKnown reads what the tools write, in the versions that the table names.
func TestKnown(t *testing.T) {
	for _, test := range []struct {
		what  string
		texts tools.Texts
		want  tools.Said // but for its row
	}{
		{
			"Snakemake 8",
			tools.Texts{Name: []byte(run), Line: []byte("sbatch --parsable --job-name " + run + " --output /w/.snakemake/slurm_logs/rule_align/s=a/%j.log --comment rule_align_wildcards_s=a -A x --wrap=python")},
			tools.Said{Tool: "Snakemake", Campaign: "run:" + run, Kind: "align", ByLine: true},
		},
		{
			"Snakemake 8 with a prefix, without wildcards",
			tools.Texts{Name: []byte("pipe_" + run), Line: []byte("sbatch --job-name pipe_" + run + " --comment 'rule_sort_bam2' --wrap=x")},
			tools.Said{Tool: "Snakemake", Campaign: "run:" + run, Kind: "sort_bam2", ByLine: true},
		},
		{"a comment that looks like Snakemake's", tools.Texts{Name: []byte("myrun"), Line: []byte("sbatch --comment=group_meeting a.sh")}, tools.Said{Kind: "myrun"}},
		{
			"Snakemake 7.32",
			tools.Texts{Name: []byte(run), Line: []byte("sbatch --job-name " + run + " -o .snakemake/slurm_logs/rule_call/%j.log --wrap=python -m snakemake --target-jobs 'call:s=a'")},
			tools.Said{Tool: "Snakemake", Campaign: "run:" + run, Kind: "call", ByLine: true},
		},
		{"a UUID alone", tools.Texts{Name: []byte(run), Folder: []byte("/home/alice/project7")}, tools.Said{Campaign: "run:" + run, Kind: "in /home/alice/project"}},
		{"Snakemake 7.21", tools.Texts{Name: []byte("snakejob_align_2_17")}, tools.Said{Tool: "Snakemake", Kind: "align_2"}},
		{"Snakemake 7.21, group", tools.Texts{Name: []byte("snakejob_all_" + other)}, tools.Said{Tool: "Snakemake", Kind: "all"}},
		{
			"Nextflow",
			tools.Texts{Name: []byte("nf-ALIGN_BWA2_(sampleA)"), Folder: []byte("/scratch/al/work/3f/2a9c510b7e4d2c9a615e0f7c1b2d3e")},
			tools.Said{Tool: "Nextflow", Campaign: "run:/scratch/al", Kind: "ALIGN_BWA2"},
		},
		{"Nextflow without a tag", tools.Texts{Name: []byte("nf-MULTIQC")}, tools.Said{Tool: "Nextflow", Kind: "MULTIQC"}},
		{"Nextflow, cut", tools.Texts{Name: []byte("nf-ALIGN_(" + strings.Repeat("x", 245))}, tools.Said{Tool: "Nextflow", Kind: "ALIGN"}},
		{
			"Toil",
			tools.Texts{Name: []byte("toil_job_4_wf.cwl.1.step2.cwl"), Line: []byte("sbatch -J toil_job_4_wf.cwl.1.step2.cwl -o /logs/toil_" + run + ".4.%j.out.log")},
			tools.Said{Tool: "Toil", Campaign: "run:" + run, Kind: "wf.cwl.step2.cwl", ByLine: true},
		},
		{"Parsl", tools.Texts{Name: []byte("parsl.htex_local.block-3.1764336000.123")}, tools.Said{Tool: "Parsl", Campaign: "run:htex_local", Kind: "htex_local", Pilot: true}},
		{"submitit", tools.Texts{Name: []byte("submitit"), WCKey: []byte("submitit"), Folder: []byte("/home/bob/sweep2")}, tools.Said{Tool: "submitit", Kind: "submitit in /home/bob/sweep"}},
		{"AiiDA", tools.Texts{Name: []byte("aiida-1234")}, tools.Said{Tool: "AiiDA", Kind: "aiida-"}},
		{
			"signac-flow",
			tools.Texts{Name: []byte("Polymers/9b7c1d2e/equilibrate/0a1b2c3d4e5f60718293a4b5c6d7e8f9")},
			tools.Said{Tool: "signac-flow", Campaign: "run:Polymers/equilibrate", Kind: "Polymers/equilibrate"},
		},
		{"Cromwell", tools.Texts{Name: []byte("cromwell_3f2a9c51_bwa_mem2")}, tools.Said{Tool: "Cromwell", Campaign: "run:3f2a9c51", Kind: "bwa_mem2"}},
		{"dask-jobqueue", tools.Texts{Name: []byte("dask-worker")}, tools.Said{Tool: "dask-jobqueue", Kind: "dask-worker", Pilot: true}},
		{"Open OnDemand", tools.Texts{Name: []byte("sys/dashboard/sys/jupyter")}, tools.Said{Kind: "sys/dashboard/sys/jupyter"}},
		{"no tool", tools.Texts{Name: []byte("run-17")}, tools.Said{Kind: "run-"}},
		{"no name", tools.Texts{}, tools.Said{}},
	} {
		t.Run(test.what, func(t *testing.T) {
			if diff := cmp.Diff(test.want, tools.Table(nil).Read(&test.texts), noRow); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestNormal takes numbers of all kinds out of names, and leaves names with a number in them.
func TestNormal(t *testing.T) {
	for text, want := range map[string]string{
		"run-17": "run-", "abc123": "abc", "a1b2c3d": "", "x_a1b2c3d_y": "x__y", "decade": "decade", "deadbeefdeadbeef0": "",
		"job_" + run: "job_", "2026-11-28T14:31:02": "--T::", "v2-final": "v-final", "": "",
		strings.Repeat("x", 250) + "/" + run + "/y": strings.Repeat("x", 250) + "//y",
		"bead1": "bead", "9b7c": "bc",
	} {
		if got := tools.Normal([]byte(text)); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// TestLikeNameClass: of a name without hexadecimal numbers the class is that by name.
func TestLikeNameClass(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := []byte(rapid.StringMatching(`[g-zG-Z_.-]{1,20}[0-9]{0,5}[g-z]{0,5}`).Draw(t, "name"))
		said := tools.Table{}.Read(&tools.Texts{Name: name})
		if got, want := said.Class(), accounting.NameClass(name); got != want {
			t.Errorf("%q: class %x, want %x", name, got, want)
		}
	})
}

// TestAnyText: whatever users write, a campaign is one that can be declared, a run of a
// hundred letters is told from another, and nothing else matters than the text.
func TestAnyText(t *testing.T) {
	known := tools.Table(nil)
	text := rapid.OneOf(
		rapid.StringN(0, 300, 1100),
		rapid.StringMatching(`(nf-|toil_job_\d_|parsl\.|snakejob_|wrap|[a-z]+/)?.{0,80}([0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})?[(/._]?.{0,40}`),
	)
	rapid.Check(t, func(t *rapid.T) {
		texts := tools.Texts{
			Name: []byte(text.Draw(t, "name")), Folder: []byte(text.Draw(t, "folder")), Line: []byte(text.Draw(t, "line")), Comment: []byte(text.Draw(t, "comment")),
		}
		s := known.Read(&texts)
		if s.Campaign != "" && accounting.CampaignName([]byte(s.Campaign)) != s.Campaign {
			t.Errorf("campaign %q cannot be declared", s.Campaign)
		}
		if s != known.Read(&texts) {
			t.Error("read twice, told two things")
		}
	})
}

// TestLongRuns: a folder that is longer than a campaign's name has one of its own.
func TestLongRuns(t *testing.T) {
	read := func(folder string) string {
		s := tools.Table(nil).Read(&tools.Texts{Name: []byte("nf-A"), Folder: []byte(folder + "/work/ab/cdef01")})
		return s.Campaign
	}
	long := "/scratch/" + strings.Repeat("x", 90)
	a, b := read(long+"/a/run"), read(long+"/b/run")
	if a == b || a == "" || !strings.HasSuffix(strings.Split(a, "#")[0], "/a/run") {
		t.Errorf("%q and %q", a, b)
	}
	if c := read("/scratch/a b,c"); !strings.HasPrefix(c, "run:/scratch/a_b_c#") {
		t.Errorf("%q", c)
	}
}

// TestLike: the folder and the line are asked for where a row looks at them.
func TestLike(t *testing.T) {
	known := tools.Table(nil)
	if diff := cmp.Diff([]string{"%________-____-____-____-____________", `toil_job_%`}, known.Like(tools.Line)); diff != "" {
		t.Error(diff)
	}
	for _, name := range []string{"nf-%", "submitit", "wrap"} {
		if !strings.Contains(strings.Join(known.Like(tools.Folder), " "), name) {
			t.Errorf("the folder of %s is not asked for", name)
		}
	}
}

func BenchmarkRead(b *testing.B) {
	known := tools.Table(nil)
	for _, name := range []string{"run-17", run, "nf-ALIGN_(sampleA)"} {
		b.Run(name, func(b *testing.B) {
			texts := tools.Texts{Name: []byte(name), Folder: []byte("/scratch/al/work/3f/2a9c510b7e4d2c9a615e0f7c1b2d3e")}
			b.ReportAllocs()
			for b.Loop() {
				known.Read(&texts)
			}
		})
	}
}

// TestLikeAsSQL: a pattern matches what the regular expression of the same meaning does, and no name takes long.
func TestLikeAsSQL(t *testing.T) {
	as := strings.NewReplacer("%", ".*", "_", ".")
	rapid.Check(t, func(t *rapid.T) {
		pattern := rapid.StringMatching(`[ab%_]{0,8}`).Draw(t, "pattern")
		name := rapid.StringMatching(`[ab]{0,10}`).Draw(t, "name")
		if want := regexp.MustCompile("^" + as.Replace(pattern) + "$").MatchString(name); tools.Like(pattern, name) != want {
			t.Errorf("%q like %q: %v", name, pattern, !want)
		}
	})
	if tools.Like(strings.Repeat("%a", 30)+"%b", strings.Repeat("a", 250)) {
		t.Error("a name without b")
	}
	odd := tools.Source{In: tools.Name, Text: `^run\(\[\{(?P<class>.*)`}
	table, err := tools.With([]tools.Row{{Name: "odd", Patterns: []tools.Source{odd, {In: tools.Folder, Text: `.*`}}}})
	if err != nil || table.Like(tools.Folder)[0] != "run%" {
		t.Errorf("%q, %v", table.Like(tools.Folder), err)
	}
}

package testbed_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// byTool are the settings under which workflow tools count. The lengths are the limits: a job
// that ended is to teach nothing here.
var byTool = []string{"--schedule-predictor", "limit", "--schedule-class", "auto", "--campaign-declared", "auto"}

// foundCampaign is a campaign of campaigns --json, as far as it matters here.
type foundCampaign struct {
	User  string
	Name  string
	Found struct {
		By, Tool, Run string
		Kinds         []string
	}
	Jobs struct{ Done, Pending, Running int }
}

// found writes the campaigns with unfinished jobs in a line each.
func (b *bed) found(t *testing.T, args ...string) string {
	t.Helper()
	var d struct{ Campaigns []foundCampaign }
	b.read(t, &d, append([]string{"campaigns", "--json"}, args...)...)
	var list []string
	for _, c := range d.Campaigns {
		if c.Jobs.Pending+c.Jobs.Running > 0 {
			list = append(list, fmt.Sprintf("%s: %s, %s %s %s, %d done, %d left",
				c.User, c.Found.By, c.Found.Tool, c.Found.Run, strings.Join(c.Found.Kinds, "+"), c.Jobs.Done, c.Jobs.Pending+c.Jobs.Running))
		}
	}
	slices.Sort(list)
	return strings.Join(list, "\n")
}

// TestWorkflows submits what workflow tools submit, and then has two tools do it, if that is
// asked for.
func TestWorkflows(t *testing.T) {
	needSlurm(t)
	t.Parallel()
	b := up(t, "workflows", "--set", "PriorityWeightAge=0", "--memory", "16000")

	part(t, "exact lines", func(t *testing.T) {
		t.Cleanup(func() { b.empty(t); b.thaw(t) })
		const one, two = "3f2a9c51-0b7e-4d2c-9a61-5e0f7c1b2d3e", "aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee"
		sbatch := func(user string, args ...string) string {
			return b.do(t, user, "sbatch", append(append([]string{"--parsable"}, args...), "--wrap=true")...)
		}
		snakemake := func(run, rule string) string {
			return sbatch("ob-bob", "--job-name", run, "--output", "/dev/null", "--export=ALL", "--comment", "rule_"+rule+"_wildcards_s=a",
				"-A", "astro", "-p", "main", "-t", "60", "--mem", "10", "--ntasks=1", "--cpus-per-task=1", "-D", "/")
		}
		first := snakemake(one, "align")
		eventually(t, "the first job has ended, in accounting", func() string {
			return differ("1", b.sql(t, "SELECT COUNT(*) FROM slurm_acct_db."+cluster+"_job_table WHERE time_end>0 AND id_job="+first))
		})
		b.freeze(t)
		job := snakemake(one, "sort") // after the end of the first: the same run
		snakemake(two, "align")
		for i, folder := range []string{"/w/x", "/w/x", "/w/y"} {
			sbatch("ob-carol", "-J", fmt.Sprintf("nf-ALIGN_BWA_(liver%d)", i), "-o", "/dev/null", "--no-requeue", "-t", "01:00:00", "-D", folder+"/work/3f/2a9c510b7e4d2c9a615e0f7c1b2d3e")
		}
		for range 2 {
			sbatch("ob-dave", "--job-name=submitit", "--wckey=submitit", "--array=0-3%4", "--open-mode=append", "--signal=USR2@90", "--output=/dev/null", "-D", "/home/dave/sweep")
		}
		for i, run := range []string{one, two, one} {
			sbatch("ob-erin", "-J", fmt.Sprintf("toil_job_%d_wf.cwl.step", i), "--mem=10M", "--cpus-per-task=1", "-o", "/tmp/toil_"+run+".1.%j.out.log", "-e", "/dev/null")
		}
		sbatch("ob-frank", "--job-name", one, "--output", "/dev/null") // borrowed from another user: a campaign of one's own
		long := strings.Repeat("x", 230) + "_" + one
		for range 2 {
			sbatch("ob-grace", "--job-name", long, "--output", "/dev/null") // accounting cuts it in the UUID
		}
		want := strings.Join([]string{
			"ob-bob: auto, Snakemake " + one + " sort, 1 done, 1 left",
			"ob-bob: auto, Snakemake " + two + " align, 0 done, 1 left",
			"ob-carol: auto, Nextflow /w/x ALIGN_BWA, 0 done, 2 left",
			"ob-carol: auto, Nextflow /w/y ALIGN_BWA, 0 done, 1 left",
			"ob-dave: rule, submitit  submitit in /home/dave/sweep, 0 done, 8 left",
			"ob-erin: auto, Toil " + one + " wf.cwl.step, 0 done, 2 left",
			"ob-erin: auto, Toil " + two + " wf.cwl.step, 0 done, 1 left",
			"ob-frank: auto,  " + one + " , 0 done, 1 left",
			"ob-grace: rule,   , 0 done, 2 left",
		}, "\n")
		eventually(t, "campaigns are what the tools say", func() string { return differ(want, b.found(t, byTool...)) })
		// With OStrich's own defaults none of it counts.
		if got := b.found(t); strings.Contains(got, "auto") {
			t.Errorf("nothing is set, and\n%s", got)
		}
		r := b.ostrich(t, append([]string{"explain", job}, byTool...)...)
		if want := "Snakemake run " + one + ", rule sort"; !strings.Contains(r.stdout, want) {
			t.Errorf("explain does not say %q:\n%s", want, r.stdout)
		}
		// The daemon, which heard of the jobs from the queue first, and a tool that reads all anew agree.
		d := b.daemon(t, append(slices.Clone(byTool), "--apply")...)
		snakemake(one, "report")
		eventually(t, "the daemon's order is that of a fresh start", func() string {
			p := b.plan(t, byTool...)
			return differ("0 writes", fmt.Sprintf("%d writes", p.Summary.Writes))
		})
		d.terminate(t)
	})

	part(t, "really", func(t *testing.T) {
		if os.Getenv("OSTRICH_TEST_WORKFLOWS") != "1" {
			t.Skip("OSTRICH_TEST_WORKFLOWS=1 runs Snakemake and Toil, for twelve minutes")
		}
		for _, name := range []string{"snakemake", "toil-cwl-runner"} {
			if _, err := exec.LookPath(name); err != nil {
				t.Skipf("%s is not installed: apt-get install --no-install-recommends snakemake toil", name)
			}
		}
		t.Cleanup(func() { b.empty(t) })
		for _, side := range []struct {
			name string
			args []string
		}{{"before", nil}, {"after", byTool[2:]}} {
			d := b.daemon(t, append(slices.Clone(side.args), "--apply", "--schedule-predictor", "alike")...)
			b.submit(t, "ob-alice", "--array=1-400", "--mem=10", "--wrap", "sleep 5") // the flood
			var runs []*exec.Cmd
			for i, user := range []string{"ob-bob", "ob-carol", "ob-dave", "ob-erin"} {
				runs = append(runs, b.workflow(t, user, side.name, []string{snakemakeRun, toilRun}[i/2]))
			}
			if side.args != nil {
				eventually(t, "the tools' jobs are known", func() string {
					got := b.found(t, side.args...)
					for _, want := range []string{"Snakemake  ", "Toil "} {
						if !strings.Contains(got, want) {
							return "no " + want + " in\n" + got
						}
					}
					return ""
				})
			}
			for _, cmd := range runs {
				if err := cmd.Wait(); err != nil {
					t.Errorf("%s: %v", cmd, err)
				}
			}
			b.do(t, "root", "scancel", "--quiet", "--user=ob-alice")
			b.idle(t)
			d.terminate(t)
		}
		for _, user := range []string{"ob-bob", "ob-carol", "ob-dave", "ob-erin"} {
			for _, side := range []string{"before", "after"} {
				raw, err := os.ReadFile(filepath.Join(b.dir, "really", user+"-"+side, "seconds"))
				if err != nil {
					t.Fatal(err)
				}
				report(t, "workflow", "%s %s: %s s", side, user, strings.TrimSpace(string(raw)))
			}
		}
		var all struct{ Checks []finding }
		r := b.ostrich(t, append([]string{"check", "--json"}, byTool[2:]...)...)
		if err := json.Unmarshal([]byte(r.stdout), &all); err != nil {
			t.Fatalf("check: %v\n%s%s", err, r.stdout, r.stderr)
		}
		for _, f := range all.Checks {
			if f.Check == "tools" {
				report(t, "tools", "%s", f.Found)
			}
		}
	})
}

// What the users run, in a folder of their own: four samples through two steps.
const (
	snakemakeRun = `cat >Snakefile <<'END'
SAMPLES = [f"s{i}" for i in range(4)]
rule all:
    input: expand("{s}.sorted", s=SAMPLES)
rule align:
    output: "{s}.bam"
    shell: "sleep 12; touch {output}"
rule sort:
    input: "{s}.bam"
    output: "{s}.sorted"
    shell: "sleep 2; touch {output}"
END
snakemake --slurm --jobs 20 --default-resources mem_mb=10 runtime=10 slurm_account=astro slurm_partition=main --latency-wait 20`
	toilRun = `cat >tool.cwl <<'END'
cwlVersion: v1.0
class: CommandLineTool
baseCommand: [sleep]
requirements: {ResourceRequirement: {ramMin: 10, coresMin: 1}}
inputs: {time: {type: string, inputBinding: {position: 1}}}
outputs: {done: stdout}
END
cat >wf.cwl <<'END'
cwlVersion: v1.0
class: Workflow
requirements: {ScatterFeatureRequirement: {}}
inputs: {times: "string[]"}
outputs: {all: {type: "File[]", outputSource: align/done}}
steps:
  align: {run: tool.cwl, scatter: time, in: {time: times}, out: [done]}
END
echo '{"times": ["12.1", "12.2", "12.3", "12.4"]}' >times.json
toil-cwl-runner --batchSystem slurm --jobStore "file:$PWD/store" --workDir "$PWD" --defaultMemory 10Mi --defaultDisk 10Mi --disableCaching --outdir out wf.cwl times.json`
)

// workflow starts what a user runs. How long that took is in the file seconds of its folder.
func (b *bed) workflow(t *testing.T, user, side, script string) *exec.Cmd {
	t.Helper()
	folder := filepath.Join(b.dir, "really", user+"-"+side)
	b.do(t, "root", "sh", "-c", "mkdir -p "+folder+" && chown "+user+" "+folder)
	cmd := b.command(t, user, "sh", "-c", "cd "+folder+"; export HOME=$PWD USER="+user+" PATH=/usr/bin:/bin:/usr/sbin:/sbin; began=$(date +%s); ("+script+") >log 2>&1 || { tail -40 log; exit 1; }; echo $(($(date +%s) - began)) >seconds")
	cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd
}

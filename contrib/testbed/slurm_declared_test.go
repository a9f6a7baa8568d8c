package testbed_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// declared is what campaigns --json writes, as far as it matters here.
type declared struct {
	Campaigns []struct {
		Name             string
		User             string
		Pending, Running []json.Number
		Work             float64 `json:"work_core_hours"`
	}
}

// campaigns writes the campaigns with unfinished jobs in a line: of each, by
// name, those records and its core hours.
func (b *bed) campaigns(t *testing.T, args ...string) string {
	t.Helper()
	r := b.ostrich(t, append([]string{"campaigns", "--json"}, args...)...)
	var d declared
	if err := json.Unmarshal([]byte(r.stdout), &d); err != nil {
		t.Fatalf("ostrich campaigns: %v\n%s%s", err, r.stdout, r.stderr)
	}
	var list []string
	for _, c := range d.Campaigns {
		var jobs []string
		for _, id := range slices.Concat(c.Pending, c.Running) {
			jobs = append(jobs, id.String())
		}
		if len(jobs) == 0 {
			continue // finished but for the virtual schedule
		}
		slices.SortFunc(jobs, func(a, b string) int { return int(number(t, a) - number(t, b)) })
		list = append(list, fmt.Sprintf("%s[%s] %.1f", c.Name, strings.Join(jobs, " "), c.Work))
	}
	slices.Sort(list)
	return strings.Join(list, ", ")
}

// TestDeclared has users say with sbatch which jobs belong together and how long
// they run.
func TestDeclared(t *testing.T) {
	needSlurm(t)
	t.Parallel()
	b := up(t, "declared", "--set", "PriorityWeightAge=0", "--set", "AccountingStoreFlags=job_comment")
	// The lengths are the limits: a job that ended is to teach nothing here.
	limits := []string{"--schedule-predictor", "limit"}
	want := func(t *testing.T, want string, args ...string) {
		t.Helper()
		args = slices.Concat(limits, args)
		eventually(t, "the campaigns are as declared", func() string { return differ(want, b.campaigns(t, args...)) })
	}

	part(t, "comment", func(t *testing.T) {
		t.Cleanup(func() { b.empty(t); b.thaw(t) })
		comments := []string{"--campaign-declared", "comment", "--schedule-hints", "comment"}
		sleep := []string{"--wrap", "sleep 600", "--time", "60"}
		ended := b.submit(t, "ob-alice", "--comment=campaign:paper", "--time", "60")
		eventually(t, "the comment of an ended job is in accounting", func() string {
			return differ("campaign:paper", b.sql(t, "SELECT derived_es FROM slurm_acct_db."+cluster+"_job_table WHERE time_end>0 AND id_job="+ended))
		})
		running := b.submit(t, "ob-alice", append(sleep, "--comment=mine, campaign:paper ,more")...)
		eventually(t, "it runs", func() string { return differ("RUNNING", b.do(t, "root", "squeue", "-h", "-j", running, "-o", "%T")) })
		b.freeze(t)
		array := b.submit(t, "ob-alice", append(sleep, "--array=0-3", "--comment=campaign:paper")...)
		plain := b.submit(t, "ob-alice", sleep...)
		hinted := b.submit(t, "ob-alice", append(sleep, "--comment=expect=30")...)
		others := b.submit(t, "ob-bob", append(sleep, "--comment=campaign:paper,expect=0:30:00")...)
		paper := fmt.Sprintf("paper[%s %s] 5.0", running, array)
		want(t, fmt.Sprintf("[%s %s] 1.5, %s, paper[%s] 0.5", plain, hinted, paper, others), comments...)
		// Nothing of it counts unless a setting says so.
		want(t, fmt.Sprintf("[%s %s %s %s] 7.0, [%s] 1.0", running, array, plain, hinted, others))

		// The daemon, which reads step by step, and a tool that reads all anew agree.
		d := b.daemon(t, slices.Concat(limits, comments, []string{"--apply", "--interval", "1s"})...)
		agree := func() {
			t.Helper()
			eventually(t, "the daemon's order is that of a fresh start", func() string {
				p := b.plan(t, slices.Concat(limits, comments)...)
				return differ("0 writes, exit code 0", fmt.Sprintf("%d writes, exit code %d", p.Summary.Writes, p.code))
			})
		}
		agree()
		late := b.submit(t, "ob-bob", append(sleep, "--comment=campaign:paper")...)
		b.do(t, "ob-alice", "scontrol", "update", "jobid="+plain, "comment=campaign:paper,expect=6")
		want(t, fmt.Sprintf("[%s] 0.5, paper[%s %s %s] 5.1, paper[%s %s] 1.5", hinted, running, array, plain, others, late), comments...)
		agree()
		d.terminate(t)
	})

	for _, tt := range []struct{ where, option string }{{"wckey", "--wckey=%s"}, {"name", "--job-name=%s:fold-3"}} {
		part(t, tt.where, func(t *testing.T) {
			b.freeze(t)
			t.Cleanup(func() { b.empty(t); b.thaw(t) })
			var ids []any
			for _, name := range []string{"one", "two", "one", "two"} {
				ids = append(ids, b.submit(t, "ob-carol", "--time", "60", fmt.Sprintf(tt.option, name)))
			}
			ids = append(ids, b.submit(t, "ob-carol", "--time", "60", "--job-name=plain"))
			want(t, fmt.Sprintf("[%[5]s] 1.0, one[%[1]s %[3]s] 2.0, two[%[2]s %[4]s] 2.0", ids...), "--campaign-declared", tt.where)
		})
	}
}

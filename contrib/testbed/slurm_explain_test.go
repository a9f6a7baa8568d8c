package testbed_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestExplain asks for the jobs that users ask for, and reads every line of the answers.
func TestExplain(t *testing.T) {
	needSlurm(t)
	t.Parallel()
	b := up(t, "explain", "--set", "SchedulerParameters=bf_interval=1,bf_continue,sched_interval=2")
	explain := func(args ...string) result {
		t.Helper()
		return b.ostrich(t, append([]string{"explain", "--mode", "enforce"}, args...)...)
	}

	// One that waited for its time while another user's job started, and has ended.
	b.running(t, b.submit(t, "ob-erin", "--time", "10", "--wrap", "sleep 600"))
	finished := b.submit(t, "ob-bob", "--time", "5", "--begin", "now+8")
	ahead := b.submit(t, "ob-carol", "--time", "5", "--wrap", "sleep 3")
	eventually(t, "both have ended in accounting", func() string {
		return differ("2", b.sql(t, "SELECT COUNT(*) FROM slurm_acct_db."+cluster+"_job_table WHERE time_end>0 AND id_job IN ("+finished+","+ahead+")"))
	})
	runs := b.submit(t, "ob-alice", "--ntasks", "15", "--time", "60", "--wrap", "sleep 600")
	b.running(t, runs)
	waits := []string{b.submit(t, "ob-frank", "--time", "5"), b.submit(t, "ob-heidi", "--ntasks", "2", "--time", "30")}
	array := b.submit(t, "ob-bob", "--array=1-3", "--time", "50", "--ntasks", "4")
	held := b.submit(t, "ob-dave", "--hold")
	dependent := b.submit(t, "ob-grace", "--job-name", "dep", "--dependency", "afterok:"+runs)
	later := b.submit(t, "ob-grace", "--begin", "now+1hour")
	wide := b.submit(t, "ob-dave", "--nodes", "9")
	var order []string
	eventually(t, "accounting knows all, and the order has three that can start", func() string {
		b.apply(t)
		p := b.plan(t)
		order = slices.DeleteFunc(p.order(), func(id string) bool { return id == wide })
		for _, j := range p.Jobs {
			if strings.Contains(j.Why, "not yet in accounting") {
				return "job " + j.ID.String() + " is not yet in accounting"
			}
		}
		return differ(3, len(order))
	})

	const (
		moment = `\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d`
		start  = `between (now|` + moment + `) and ` + moment + `, by how long jobs run; jobs still to come may go first|` +
			`(now|` + moment + `) if jobs run as long as predicted, ` + moment + ` if they use their time limits; jobs still to come may go first|` +
			`about ` + moment + `, whether jobs run as long as predicted or use their time limits; jobs still to come may go first`
		waiting = `
place     \d of \d in OStrich's order, \d of \d in Slurm's present one; Slurm's reason for the wait: (Priority|Resources|None)
ahead     (no job|[1-9] jobs? of .*: (\d+\.\d\d core-hours|1 core-hour) of work; the waiting tasks of an array count as one job)
start     (` + start + `)( \(no odds yet: [^)]*\))?
campaign  \d+: what ob-[a-z]+ submitted together from ` + moment + ` on; \d waiting and 0 running, (\d+\.\d\d core-hours|1 core-hour) of work in all
order     on a machine shared by all at all times it would (end at ` + moment + `; the less is left until its end there, the earlier it goes|` +
			`have ended at ` + moment + `; \d+\.\d\d core-hours of it are left, and the less is left, the earlier it goes; from ` + moment + ` on it goes first)
(          it has taken \d+ (s|min) so far; alone on the machine it would need \d+ (s|min)
)?share     ob-[a-z]+ (is entitled to ([0-9.]+ of 16 processors, (as|shared with) [1-9] other users?|the whole machine of 16 processors)|has no share now).*; the user's jobs hold 0 now
(latest    if Slurm starts jobs in exactly this order, the campaign ends by ` + moment + `
)?priority  \d+ = OStrich's part \(site\) \d+ \+ .*
write     .*
$`
		unable = `
place     .* (in Slurm's present order, and none in OStrich's|in OStrich's order, \d of \d in Slurm's present one)
(ahead     .*
)?campaign  \d+: what ob-[a-z]+ submitted together from .*
(          \d of the waiting cannot start yet, and counts? for nothing until then
)?priority  .*
write     .*
$`
	)
	title := func(id, user string) string {
		return `^job ` + regexp.QuoteMeta(id) + ` of ob-` + user + ` \(account [a-z]+, partition main\)` + "\n"
	}
	owner := map[string]string{waits[0]: "frank", waits[1]: "heidi", array: "bob"}
	full := func(id string) string {
		if id == array {
			return array + "_[1-3]"
		}
		return id
	}
	for _, c := range []struct{ name, ask, want string }{
		{"next", order[0], title(full(order[0]), owner[order[0]]) + `It is the next to start, as soon as there is room for it\.` + "\n" + waiting},
		{"pending", order[1], title(full(order[1]), owner[order[1]]) + `It waits for its turn: campaigns that are nearer to their end go first\.` + "\n" + waiting},
		{"array task", array + "_2", title(full(array), "bob") + `It (is the next to start|waits for its turn).*` + "\n" + waiting},
		{"held", held, title(held, "dave") + `Its user holds it \(Slurm's reason: JobHeldUser\)\. It can start after: scontrol release ` + held + "\n" + unable},
		{"dependent", dependent, title(dependent, "grace") + `It waits for what it depends on: afterok:` + runs + `.* \(Slurm's reason: Dependency\)\.` + "\n" + unable},
		{"begin time", later, title(later, "grace") + `It is to begin at ` + moment + ` or later \(Slurm's reason: BeginTime\)\.` + "\n" + unable},
		{"too many nodes", wide, title(wide, "dave") + `It asks for what it cannot get \(Slurm's reason: Part[A-Za-z]+\)\. It does not start unless it is changed \(scontrol update\) or an administrator changes the limits\.` + "\n" + unable},
		{"running", runs, title(runs, "alice") + `It runs\. It started at ` + moment + `, (after a wait of \d+ s|without a wait)\.` + "\n(.*\n)*campaign .*\n(.*\n)*share     ob-alice (is entitled to|has no share now).*; the user's jobs hold 15 now\n"},
		{"finished", finished, title(finished, "bob") + `It has completed\. It started at ` + moment + `, after a wait of \d+ s, and ended at ` + moment + `, after \d s\.` +
			"\n\nunable    for \\d+ s of the wait it could not start: it was held, was to begin later or depended on other jobs\n" +
			"ahead     ([12] jobs?) of [12] other users? \\(0\\.0\\d core-hours so far\\) started while it waited; each task of an array counts\n$"},
	} {
		r := explain(c.ask)
		t.Logf("%s:\n%s%s", c.name, r.stdout, r.stderr)
		if r.code != 0 || r.stderr != "" || !regexp.MustCompile(c.want).MatchString(r.stdout) {
			t.Errorf("%s: exit code %d, %s; not as\n%s", c.name, r.code, r.stderr, c.want)
		}
	}

	// The journal tells what was written for one that has started meanwhile.
	b.do(t, "ob-alice", "scancel", runs)
	first := order[0]
	if first == array {
		first += "_1"
	}
	wrote := regexp.MustCompile(`\nIt (runs|has completed)\. (.*\n)*written   at ` + moment + `: OStrich changed its site factor from \d+ to \d+: campaign order.*\n`)
	var r result
	eventually(t, "the first of the order has started in accounting, and a write to it is told", func() string {
		if r = explain(first); wrote.MatchString(r.stdout) {
			return ""
		}
		return r.stdout + r.stderr
	})
	t.Logf("started:\n%s%s", r.stdout, r.stderr)

	// Several at once, and one that nobody knows.
	r = explain(held+","+finished, "999999")
	if r.code != 1 || r.stderr != "ostrich: job 999999: neither in the queue nor in accounting\n" ||
		!regexp.MustCompile(title(held, "dave")+`(.*\n)*\njob `+finished+` of ob-bob `).MatchString(r.stdout) {
		t.Errorf("several: exit code %d, %s\n%s", r.code, r.stderr, r.stdout)
	}
	r = explain("-u", "ob-grace")
	if r.code != 0 || !strings.Contains(r.stdout, "job "+later+" of ob-grace ") || !strings.Contains(r.stdout, "job "+dependent+" of ob-grace ") || strings.Contains(r.stdout, "ob-dave") {
		t.Errorf("of a user: exit code %d, %s\n%s", r.code, r.stderr, r.stdout)
	}
	if t.Failed() {
		t.Logf("%s\n%s", b.ostrich(t, "campaigns").stdout, b.sql(t, "SELECT id_job, timelimit, time_submit, time_start, time_end FROM slurm_acct_db."+cluster+"_job_table"))
	}
	b.empty(t)
}

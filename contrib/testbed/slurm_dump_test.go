package testbed_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting"
	"slurm-ostrich/ostrich/accounting/ledger"
	"slurm-ostrich/ostrich/accounting/sacct"
	"slurm-ostrich/ostrich/trace"
	"slurm-ostrich/slurmdb"
	"slurm-ostrich/slurmdb/archive"
)

// TestDump: the command in docs/compare.md dumps the jobs that the accounting
// tables have, whatever became of them, and compare counts the same.
func TestDump(t *testing.T) {
	needSlurm(t)
	t.Parallel()
	b := up(t, "dump")
	alone := b.everyKind(t)
	path := b.dir + "/dump.txt"
	command := regexp.MustCompile(`(?s)TZ=UTC sacct .*? >dump\.txt`).FindString(docsText(t, "../../docs/compare.md"))
	b.do(t, "root", "env", "-u", "SLURM_TIME_FORMAT", "sh", "-c", strings.ReplaceAll(command, ">dump.txt", ">"+path))

	dumped, tables := b.dumped(t, path), b.tables(t)
	order := cmpopts.SortSlices(func(a, b jobOf) bool { return a.ID < b.ID || a.ID == b.ID && a.Submit < b.Submit })
	if diff := cmp.Diff(tables, dumped, order); diff != "" {
		t.Errorf("jobs (-tables +dump):\n%s", diff)
	}
	for state, least := range map[accounting.State]int{
		accounting.Pending: 1, accounting.Running: 1, accounting.Completed: 10, accounting.Failed: 1, accounting.Cancelled: 4,
		accounting.TimedOut: 1, accounting.Requeued: 1,
	} {
		n := 0
		for _, j := range tables {
			if j.State == state {
				n++
			}
		}
		if n < least {
			t.Errorf("%d jobs in state %d, want %d at least", n, state, least)
		}
	}
	if got, want := b.counted(t, "--sacct", path, "--procs", "16"), b.counted(t); !slices.Equal(got, want) {
		t.Errorf("compare counts jobs, users and campaigns %v in the dump, %v in the tables", got, want)
	}
	part(t, "json", func(t *testing.T) {
		file := b.dir + "/dump.json"
		b.do(t, "root", "env", "-u", "SLURM_TIME_FORMAT", "sh", "-c", "sacct --allusers --allocations --duplicates -S now-30days -E now --json >"+file)
		if diff := cmp.Diff(b.dumped(t, path), b.dumped(t, file), order); diff != "" {
			t.Errorf("jobs (-text +JSON):\n%s", diff)
		}
	})
	part(t, "convert", func(t *testing.T) {
		ran := func(from ...string) (list [][5]int64) { // id, submission, wait, run time, processors
			t.Helper()
			r := b.ostrich(t, append([]string{"convert"}, from...)...)
			log, err := trace.Read(strings.NewReader(r.stdout), "log", trace.Options{})
			if err != nil {
				t.Fatalf("ostrich convert: exit code %d, %v: %s", r.code, err, r.stderr)
			}
			for _, r := range log.Records {
				if r.Runnable() {
					list = append(list, [5]int64{r.Number, log.Number("UnixStartTime") + r.Submit, r.Wait, r.Run, r.Allocated})
				}
			}
			return list
		}
		if diff := cmp.Diff(ran(), ran("--sacct", path)); diff != "" {
			t.Errorf("jobs that ran (-tables +dump):\n%s", diff)
		}
		written := b.dir + "/written.txt"
		r := b.ostrich(t, "convert", "--to", "sacct")
		if err := os.WriteFile(written, []byte(r.stdout), 0o644); err != nil || r.code != 0 {
			t.Fatalf("ostrich convert: exit code %d, %v: %s", r.code, err, r.stderr)
		}
		if diff := cmp.Diff(ran(), ran("--sacct", written)); diff != "" {
			t.Errorf("jobs that ran (-tables +dump made of them):\n%s", diff)
		}
	})
	part(t, "comparison", func(t *testing.T) { b.testComparison(t, command) })
	part(t, "exclusive", func(t *testing.T) { b.testExclusive(t, alone) })
	part(t, "source sacct", b.testSacct)
}

// testComparison: compare places the jobs of the tables on slurmctld's nodes, and those of a dump on
// the same nodes from files, and comes to the same.
func (b *bed) testComparison(t *testing.T, dump string) {
	files := b.dir + "/files"
	b.do(t, "root", "mkdir", "-p", files)
	b.do(t, "root", "env", "-u", "SLURM_TIME_FORMAT", "sh", "-c", strings.ReplaceAll(dump, "nodelist >", "nodelist,submitline >"+files+"/"))
	text := docsText(t, "../../docs/compare.md")
	args := []string{"--sacct", files + "/dump.txt"}
	for _, file := range []string{"config", "partitions", "nodes", "assoc", "qos", "events"} {
		command := regexp.MustCompile(`(?m)^(?:TZ=UTC )?(scontrol|sacctmgr) .*>` + file + `\.txt$`).FindString(text)
		b.do(t, "root", "env", "-u", "SLURM_TIME_FORMAT", "sh", "-c", strings.ReplaceAll(command, ">", ">"+files+"/"))
		args = append(args, "--slurm-config", files+"/"+file+".txt")
	}
	type comparison struct {
		Placed  bool             `json:"placed"`
		Verdict []string         `json:"verdict"`
		Runs    []map[string]any `json:"runs"`
		LeftOut any              `json:"left_out"`
	}
	at := func(ago time.Duration) string { return time.Now().UTC().Add(-ago).Format("2006-01-02T15:04:05") }
	window := []string{"compare", "--json", "--policy", "fairshare", "--timezone", "UTC", "--starttime", at(time.Hour), "--endtime", at(0)}
	of := func(args ...string) (c comparison) {
		t.Helper()
		r := b.ostrich(t, append(slices.Clone(window), args...)...)
		if err := json.Unmarshal([]byte(r.stdout), &c); err != nil || len(c.Runs) < 2 || !c.Placed {
			t.Fatalf("ostrich compare %v: %v, placed %v, %d runs: %s", args, err, c.Placed, len(c.Runs), r.stderr)
		}
		for _, run := range c.Runs {
			delete(run, "seconds")
		}
		return c
	}
	tables := of()
	if diff := cmp.Diff(tables, of(args...)); diff != "" {
		t.Errorf("(-tables +dump):\n%s", diff)
	}
	report(t, "compared-jobs", "%v", tables.Runs[0]["jobs"])
}

// testExclusive: a job that waits to have four nodes for itself counts for all 16 processors
// of them where accounting tells that it does, and for the four that it asks for elsewhere.
func (b *bed) testExclusive(t *testing.T, id string) {
	c := b.accounting(t)
	c.Partitions = map[string]ledger.Partition{"main": {NodeProcs: 4}}
	r, err := slurmdb.Open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }() // it was only read
	var got []int
	_, err = r.PollEach(t.Context(), func(e ostrich.Event) {
		if fmt.Sprint(e.Job.ID) == id && e.Job.Start == 0 {
			got = append(got, e.Job.Procs)
		}
	})
	want := 4
	if slices.ContainsFunc(r.Columns().Found, func(name string) bool { return strings.HasSuffix(name, ".exclusive") }) {
		want = 16
	}
	if err != nil || len(got) == 0 || got[len(got)-1] != want {
		t.Errorf("processors of job %s: %v, %v, want %d", id, got, err, want)
	}
	report(t, "exclusive-processors", "%d", want)

	work := func(args ...string) float64 { // of its campaign, in processor-hours: it may run for an hour
		t.Helper()
		r := b.ostrich(t, append([]string{"campaigns", "--json", "--schedule-predictor", "limit", "-j", id}, args...)...)
		var c struct {
			Campaigns []struct {
				Work float64 `json:"work_core_hours"`
			}
		}
		if err := json.Unmarshal([]byte(r.stdout), &c); err != nil || len(c.Campaigns) != 1 {
			t.Fatalf("ostrich campaigns: %v, %d campaigns: %s", err, len(c.Campaigns), r.stderr)
		}
		return math.Round(c.Campaigns[0].Work)
	}
	if tables, sacct := work(), work("--source", "sacct"); tables != float64(want) || sacct != tables {
		t.Errorf("job %s: %v processor-hours in the tables, %v by sacct, want %d", id, tables, sacct, want)
	}
}

// everyKind fills the accounting tables with jobs to which everything happened
// that can, and waits until accounting knows. It returns the id of a job that waits for
// four nodes.
func (b *bed) everyKind(t *testing.T) (exclusive string) {
	t.Helper()
	const long = "sleep 3000"
	cancel := func(ids ...string) { b.do(t, "root", "scancel", ids...) }
	runs := func(ids ...string) {
		eventually(t, strings.Join(ids, ",")+" run", func() string {
			return differ(len(ids), len(b.lines(t, "squeue", "-h", "-t", "RUNNING", "-j", strings.Join(ids, ","), "-o", "%A")))
		})
	}
	for _, wrap := range []string{"sleep 1", "true", "exit 3"} {
		b.submit(t, "ob-alice", "--time", "5", "--wrap", wrap)
	}
	b.submit(t, "ob-alice", "--time", "5", "--job-name", "a|b\nc", "--wrap", "true")
	b.submit(t, "ob-bob", "--array", "0-5%2", "--time", "5")
	b.submit(t, "ob-bob", "--array", "1-3", "--ntasks", "4", "--time", "5")
	b.submit(t, "ob-frank", "--time", "5", "--wrap", "sleep 1", ":", "--ntasks", "2")
	held := b.submit(t, "ob-carol", "--hold", "--time", "5")
	for _, why := range [][]string{{"--hold"}, {"--begin", "now+1hour"}, {"--dependency", "afterok:" + held}} {
		b.submit(t, "ob-carol", append(why, "--time", "5")...)
		cancel(b.submit(t, "ob-dave", append(why, "--time", "5")...))
	}
	b.submit(t, "ob-dave", "--hold", "--deadline", time.Now().Add(70*time.Second).Format("2006-01-02T15:04:05"), "--time", "1")
	at := b.submit(t, "ob-grace", "--time", "1", "--wrap", long) // to its limit

	var open []string
	for range 4 {
		open = append(open, b.submit(t, "ob-heidi", "--time", "60", "--wrap", long))
	}
	wide := b.submit(t, "ob-erin", "--nodes", "2", "--time", "60", "--wrap", long)
	runs(append(open, wide, at)...)
	cancel(open[0])
	b.do(t, "root", "scontrol", "requeue", open[1])
	b.do(t, "root", "scontrol", "suspend", open[2])
	time.Sleep(2 * time.Second)
	b.do(t, "root", "scontrol", "resume", open[2])
	time.Sleep(2 * time.Second)
	cancel(open[2])
	b.do(t, "root", "scontrol", "update", "jobid="+wide, "numnodes=1")
	time.Sleep(2 * time.Second)
	cancel(wide)
	short := b.submit(t, "ob-heidi", "--time", "60", "--wrap", long)
	runs(short)
	cancel(short) // often in the second of its start
	eventually(t, "the job is over its time limit", func() string {
		return differ("TIMEOUT", b.do(t, "root", "sacct", "-X", "-n", "-P", "-j", at, "-o", "State"))
	})
	// The queue is quiet but for one job that runs and those that cannot start.
	exclusive = b.submit(t, "ob-alice", "--time", "60", "--exclusive", "--nodes", "4", "--wrap", "true") // waits for it
	eventually(t, "the queue is quiet", func() string {
		left := b.do(t, "root", "squeue", "-h", "-a", "-t", "RUNNING,COMPLETING", "-o", "%A")
		return differ(open[3], left)
	})
	eventually(t, "accounting knows all", func() string {
		known := b.sql(t, "SELECT COUNT(*) FROM slurm_acct_db."+cluster+"_job_table WHERE time_end=0 AND tres_req != ''")
		return differ(known+" open, 0 unfinished", b.do(t, "root", "sh", "-c", "squeue -h -a -o %A | sort -u | wc -l")+" open, "+
			b.sql(t, "SELECT COUNT(*) FROM slurm_acct_db."+cluster+"_job_table WHERE tres_req=''")+" unfinished")
	})
	return exclusive
}

// jobOf is a job with names in place of numbers, as far as both sources know it.
type jobOf struct {
	User, Account, Partition, QOS, On string

	Wants accounting.Needs
	accounting.Job
}

func jobsOf(h *accounting.History) []jobOf {
	var list []jobOf
	for _, j := range h.Jobs {
		a := h.Associations[j.Association]
		one := jobOf{User: a.User, Account: a.Account, Partition: h.Partitions[j.Partition], QOS: h.QOS[j.QOS], Job: j}
		needs := *h.NeedsOf(&j)
		needs.Memory, needs.Per, needs.Layout = 0, 0, accounting.Layout{} // the dump has the memory of the whole job, and no line of submission
		one.On, one.Wants = h.WhereRan(&j), needs
		one.Association, one.Job.Partition, one.Job.QOS, one.Needs, one.Where = 0, 0, 0, 0, 0
		one.Tool, one.ByLine = 0, false
		one.Class, one.NameClass, one.ScriptClass, one.KindClass = 0, 0, 0, 0 // the dump has no names
		list = append(list, one)
	}
	return list
}

func (b *bed) dumped(t *testing.T, path string) []jobOf {
	t.Helper()
	h, err := sacct.Read(strings.NewReader(docsText(t, path)), path, sacct.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return jobsOf(h)
}

// accounting says how to read the accounting tables.
func (b *bed) accounting(t *testing.T) slurmdb.Config {
	t.Helper()
	return slurmdb.Config{
		Addresses: []string{b.dir + "/run/mysql/mysqld.sock"}, User: operator, Cluster: cluster,
		Password: strings.TrimSpace(docsText(t, b.dir+"/etc/ostrich.password")),
	}
}

func (b *bed) tables(t *testing.T) []jobOf {
	t.Helper()
	c := b.accounting(t)
	c.Needs = true
	r, err := slurmdb.Open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }() // it was only read
	now := ostrich.Time(time.Now().Unix())
	h, err := archive.History(t.Context(), r, now-30*86400, now+1)
	if err != nil {
		t.Fatal(err)
	}
	return jobsOf(h)
}

// counted returns how many jobs, users and campaigns compare finds recorded.
func (b *bed) counted(t *testing.T, from ...string) []int {
	t.Helper()
	r := b.ostrich(t, append([]string{"compare", "--json", "--policy", "fcfs"}, from...)...)
	if r.code != 0 {
		t.Fatalf("ostrich compare: exit code %d: %s", r.code, r.stderr)
	}
	var c struct {
		Runs []struct{ Jobs, Users, Campaigns int }
	}
	if err := json.Unmarshal([]byte(r.stdout), &c); err != nil {
		t.Fatal(err)
	}
	return []int{c.Runs[0].Jobs, c.Runs[0].Users, c.Runs[0].Campaigns}
}

func docsText(t *testing.T, path string) string {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

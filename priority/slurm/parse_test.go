package slurm

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/priority"
)

// captured is what a real Slurm printed. (Processors, limit, wckey and comment, which squeue
// was not asked for then, were put into the records of squeue afterwards, the same in
// each.)
func captured(t testing.TB, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

const mark = "\x1emark\x1e"

func capturedQueue(t testing.TB) []priority.Queued {
	t.Helper()
	queue, err := parseSqueue(captured(t, "22.05/squeue.txt"), mark)
	if err != nil {
		t.Fatal(err)
	}
	factors, err := parseSprio(captured(t, "22.05/sprio.txt"))
	if err != nil {
		t.Fatal(err)
	}
	join(queue, factors)
	return queue
}

func named(t testing.TB, queue []priority.Queued, name string) priority.Queued {
	t.Helper()
	var found []priority.Queued
	for _, q := range queue {
		if q.Name == name {
			found = append(found, q)
		}
	}
	if len(found) == 0 {
		t.Fatalf("no job %q", name)
	}
	return found[len(found)-1]
}

// TestCapturedQueue says what 22.05 shows of each kind of job.
func TestCapturedQueue(t *testing.T) {
	queue := capturedQueue(t)
	type state struct {
		Held, Listed, Pinned, SiteKnown bool
		Nice, Site                      int64
		Count                           int
		Reservation                     string
	}
	ordinary := state{Listed: true, SiteKnown: true, Count: 1}
	with := func(change func(*state)) state { s := ordinary; change(&s); return s }
	tests := []struct {
		name string
		want state
	}{
		{"plain|job name%,é \"x\"", ordinary},
		{"evil\n\x1fname", ordinary},
		{"usernice", with(func(s *state) { s.Nice = 30 })},
		{"nicedbyadmin", with(func(s *state) { s.Nice = -500 })},
		{"sited", with(func(s *state) { s.Site = 12345 })},
		{"userheld", state{Held: true, Count: 1}},
		{"adminheld", state{Held: true, Count: 1}},
		{"begin", state{Count: 1}},
		{"dep", state{Count: 1}},
		{"pinned", state{Listed: true, Pinned: true, Count: 1}},
		{"multi", ordinary},
		{"inresv", with(func(s *state) { s.Reservation = "resv1" })},
		{"het", ordinary},
		{"arr", with(func(s *state) { s.Count = 10 })},
		{"arr2", with(func(s *state) { s.Count = 34 })},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			q := named(t, queue, tt.name)
			got := state{q.Held(), q.Listed, q.Pinned, q.SiteKnown, q.Nice, q.Site, q.Count, q.Reservation}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("job %d (-want +got):\n%s", q.Job, diff)
			}
		})
	}
	// Tasks with records of their own are shown apart from their array.
	apart := recordsPerArray(queue)
	if n := apart[named(t, queue, "split").Array]; n != 3 {
		t.Errorf("the split array has %d records, want 3", n)
	}
	// A job in two partitions has the factors of the better one.
	if f := named(t, queue, "multi").Factors.Partition; f != 10 {
		t.Errorf("partition factor %d, want 10", f)
	}
}

func TestParseConfig(t *testing.T) {
	got, err := parseConfig(captured(t, "22.05/config.txt"))
	if err != nil {
		t.Fatal(err)
	}
	want := priority.Controller{
		ClusterName: "lab", Version: "22.05.8", PriorityType: "priority/multifactor",
		AccountingTRES: []string{"cpu", "mem", "energy", "node", "billing", "fs/disk", "vmem", "pages"},
		Weights: priority.Weights{
			Age: 1000, Fairshare: 10000, JobSize: 100, Partition: 10, QOS: 50,
			TRES: []priority.TRESWeight{{Name: "cpu", Weight: 7}, {Name: "mem", Weight: 3}},
		},
		PriorityMaxAge: 86400, CalcPeriod: 300, DecayHalfLife: 604800, FairShareDamping: 1, SelectType: "select/cons_tres",
		DefaultQueueDepth: 100, BackfillMaxJobTest: 500, SlurmUser: 64030,
		AccountingEnforce: []string{"associations"},
		Scheduling: priority.Scheduling{
			Interval: 60, BatchDelay: 3, MinInterval: 2,
			BackfillInterval: 30, BackfillWindow: 86400, BackfillResolution: 60,
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("controller (-want +got):\n%s", diff)
	}
	if got.Weights.Sum() != 11170 {
		t.Errorf("weights add up to %d, want 11170", got.Weights.Sum())
	}
}

func TestParseConfigVariants(t *testing.T) {
	const head = "ClusterName = c\nPriorityType = priority/multifactor\nSLURM_VERSION = "
	tests := []struct {
		name, text string
		want       func(priority.Controller) bool
		err        string
	}{
		{"depth before 21.08", head + "20.11.9\n", func(c priority.Controller) bool { return c.Depth() == 100 }, ""},
		{"depth since 21.08", head + "21.08.0-0rc1\n", func(c priority.Controller) bool { return c.Depth() == 500 }, ""},
		{"depth set", head + "24.11.1\nSchedulerParameters = bf_max_job_test=1000,bf_continue\n", func(c priority.Controller) bool { return c.Depth() == 1000 && c.BackfillContinue }, ""},
		{"rate limit", head + "24.11.1\nSlurmctldParameters = rl_enable,rl_bucket_size=50\n", func(c priority.Controller) bool { return c.RateLimited && c.RefillRate == 2 }, ""},
		{"rate limit of its own", head + "24.11.1\nSlurmctldParameters = rl_refill_rate=50,RL_REFILL_PERIOD=4,rl_enable\n", func(c priority.Controller) bool { return c.RefillRate == 12.5 }, ""},
		{"odd rate limit", head + "24.11.1\nSlurmctldParameters = rl_refill_rate=many\n", nil, `SlurmctldParameters: "rl_refill_rate=many": not a number`},
		{"site plugin", head + "24.11.1\nPrioritySiteFactorPlugin = site_factor/example\n", func(c priority.Controller) bool { return c.SiteFactorPlugin == "site_factor/example" }, ""},
		{"no site plugin", head + "20.11.1\nPrioritySiteFactorPlugin = site_factor/none\n", func(c priority.Controller) bool { return c.SiteFactorPlugin == "" }, ""},
		{"flags", head + "24.11.1\nPriorityFlags = ACCRUE_ALWAYS,INCR_ONLY\n", func(c priority.Controller) bool { return c.Flag("INCR_ONLY") && !c.Flag("FAIR_TREE") }, ""},
		{"bad weight", head + "24.11.1\nPriorityWeightAge = -5\n", nil, `PriorityWeightAge = "-5": not a weight`},
		{"bad depth", head + "24.11.1\nSchedulerParameters = default_queue_depth=x\n", nil, "not a number"},
		{"bad version", head + "next\n", nil, "not major.minor"},
		{"empty", "", nil, "no ClusterName"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c, err := parseConfig(tt.text)
			if tt.err != "" {
				if err == nil || !strings.Contains(err.Error(), tt.err) {
					t.Errorf("error %v, want %q in it", err, tt.err)
				}
				return
			}
			if err != nil || !tt.want(c) {
				t.Errorf("%+v, %v", c, err)
			}
		})
	}
}

func TestParsePartitions(t *testing.T) {
	got, lists, err := parsePartitions(captured(t, "22.05/partitions.txt"))
	if err != nil {
		t.Fatal(err)
	}
	want := []priority.Partition{
		{Name: "main", Default: true, MaxTime: 86400, TotalCPUs: 4, PriorityTier: 1, PriorityJobFactor: 1},
		{Name: "alt", MaxTime: priority.Unlimited, TotalCPUs: 2, PriorityTier: 2, PriorityJobFactor: 5},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("partitions (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"n[1-2]", "n2"}, lists); diff != "" {
		t.Errorf("nodes (-want +got):\n%s", diff)
	}
	few, _, err := parsePartitions("PartitionName=few DefaultTime=00:03:00 MaxNodes=2 State=DRAIN")
	if want := (priority.Partition{Name: "few", DefaultTime: 180, MaxNodes: 2, State: "DRAIN"}); err != nil || !cmp.Equal(few, []priority.Partition{want}) {
		t.Errorf("%+v, %v, want %+v", few, err, want)
	}
	gates, _, err := parsePartitions("PartitionName=a AllowGroups=ALL AllowAccounts=bio,chem DenyQos=low")
	if want := (priority.Partition{Name: "a", Gates: []priority.Gate{{Key: "AllowAccounts", Names: []string{"bio", "chem"}}, {Key: "DenyQos", Names: []string{"low"}}}}); err != nil ||
		!cmp.Equal(gates, []priority.Partition{want}) {
		t.Errorf("%+v, %v, want %+v", gates, err, want)
	}
	for _, bad := range []string{"Nodes=n1", "PartitionName=a MaxTime=5", "PartitionName=a MaxNodes=few", "PartitionName=a TotalCPUs=many"} {
		if _, _, err := parsePartitions(bad); err == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
}

func TestParseDiag(t *testing.T) {
	got, err := parseDiag(captured(t, "22.05/sdiag.txt"))
	if err != nil {
		t.Fatal(err)
	}
	if got.Jobs.Since == 0 || got.At < got.Jobs.Since {
		t.Errorf("%+v: something is missing", got)
	}
	equalDiag(t, got, JobCounts{Since: 1795255449, Submitted: 77, Started: 20, Completed: 17},
		CycleTimes{950 * time.Microsecond, 457 * time.Microsecond}, CycleTimes{1453 * time.Microsecond, 308 * time.Microsecond})
	if got.AgentPending != 0 || got.RPCQueue != 0 {
		t.Errorf("%d messages and %d requests wait", got.AgentPending, got.RPCQueue)
	}
	if _, err := parseDiag("slurm_load_stats: no\n"); err == nil {
		t.Error("nonsense is accepted")
	}
}

func equalDiag(t *testing.T, got Diag, jobs JobCounts, main, backfill CycleTimes) {
	t.Helper()
	if got.Jobs != jobs || got.Main != main || got.Backfill != backfill {
		t.Errorf("jobs %+v, main %v, backfill %v; want %+v, %v, %v", got.Jobs, got.Main, got.Backfill, jobs, main, backfill)
	}
}

// As src/sdiag/sdiag.c of 24.05 to 26.05 prints what waits, with
// SlurmctldParameters=enable_rpc_queue and messages that could not be sent.
const sdiagWaiting = `sdiag output at Sun Nov 22 03:26:58 2026 (1795318018)
Data since      Sun Nov 22 03:26:53 2026 (1795318013)
*******************************************************
Server thread count:  90
RPC queue enabled:    1
Agent queue size:     4
Jobs submitted: 4294967295
Jobs canceled:  3
Jobs failed:    2

Main schedule statistics (microseconds):
	Last cycle:   2000000
	Max cycle:    938
	Mean cycle:   18446744073709551615
Main scheduler exit:
	End of job queue: 1
Backfilling stats (WARNING: data obtained in the middle of backfilling execution.)
	Last cycle when: N/A
	Last cycle: 0
	Last depth cycle: 1

Remote Procedure Call statistics by message type
	REQUEST_JOB_INFO                        ( 2003) count:5      ave_time:155    total_time:779          queued:7      cycle_last:2      cycle_max:3      dropped:0
	REQUEST_SUBMIT_BATCH_JOB                ( 4003) count:22     ave_time:1239   total_time:27265        queued:11     cycle_last:1      cycle_max:1      dropped:4

Remote Procedure Call statistics by user
	root            (       0) count:38     ave_time:252    total_time:9609

Pending RPC statistics
	REQUEST_TERMINATE_JOB                   ( 6011) count:3
	REQUEST_BATCH_JOB_LAUNCH                ( 4005) count:1

Pending RPCs
	 1: REQUEST_TERMINATE_JOB                n[1-2]
	 2: REQUEST_TERMINATE_JOB                n3
`

func TestParseDiagWaiting(t *testing.T) {
	got, err := parseDiag(sdiagWaiting)
	if err != nil {
		t.Fatal(err)
	}
	equalDiag(t, got, JobCounts{Since: 1795318013, Submitted: 4294967295, Canceled: 3, Failed: 2},
		CycleTimes{2 * time.Second, math.MaxInt64 / 1000 * time.Microsecond}, CycleTimes{})
	if got.ServerThread != 90 || got.RPCQueue != 18 || got.AgentQueue != 4 || got.AgentPending != 4 || !got.Backfilling {
		t.Errorf("%+v", got)
	}
	for _, bad := range [][2]string{
		{"queued:7", "queued:x"}, {"count:3\n", "count:x\n"}, {"Last cycle:   2000000", "Last cycle: -1"}, {"Jobs failed:    2", "Jobs failed: two"},
	} {
		if _, err := parseDiag(strings.Replace(sdiagWaiting, bad[0], bad[1], 1)); err == nil {
			t.Errorf("%q is accepted", bad[1])
		}
	}
}

// TestParseSqueueAsks: what a job asks for is read where it can be, and garbage in it
// spoils nothing else.
func TestParseSqueueAsks(t *testing.T) {
	const head = mark + "7\x1f7\x1fN/A\x1f7\x1fann\x1f1000\x1fmain\x1fnormal\x1f10\x1f0\x1fPENDING\x1f1700000000\x1f(null)\x1f(null)\x1fNone\x1f"
	asked := func(text string) string { // names nothing
		f := strings.SplitN(text, fieldSep, 3)
		return strings.Join([]string{f[0], f[1], "", "", "(null)", "(null)", f[2]}, fieldSep)
	}
	type asks struct {
		CPUs                 int
		TimeLimit            ostrich.Duration
		WCKey, Comment, Name string
	}
	for text, want := range map[string]asks{
		"2\x1f1:30:00\x1flab\x1f(null)\x1f(null)\x1fname":       {2, 5400, "", "", "name"},
		"2048\x1f1-02:03:00\x1flab\x1f*pdf\x1frule_a b\x1fname": {2048, 93780, "*pdf", "rule_a b", "name"},
		"1\x1f5:00\x1flab\x1fa\x1fb\x1f\nc\x1fname":             {1, 300, "a", "b", "\nc\x1fname"},
		"1\x1f5:00\x1fl\x1f\nb\x1f7\x1fname":                    {1, 300, "\nb", "7", "name"}, // an account of the user's invention
		"1\x1fUNLIMITED\x1flab\x1f(null)\x1f(null)\x1fname":     {1, priority.Unlimited, "", "", "name"},
		"4K\x1fNOT_SET\x1flab\x1f(null)\x1f(null)\x1fname":      {0, 0, "", "", "name"},
		"-1\x1f1-5:00\x1flab\x1f(null)\x1f(null)\x1fname":       {0, 0, "", "", "name"},
		"2147483648\x1fx\x1flab\x1f(null)\x1f(null)\x1f(null)":  {0, 0, "", "", "(null)"},
	} {
		queue, err := parseSqueue(head+asked(text)+"\n", mark)
		if err != nil || len(queue) != 1 {
			t.Fatalf("%q: %v, %v", text, queue, err)
		}
		q := &queue[0]
		if got := (asks{q.CPUs, q.TimeLimit, q.WCKey, q.Comment, q.Name}); got != want {
			t.Errorf("%q: %+v, want %+v", text, got, want)
		}
	}
}

func TestParseSqueueErrors(t *testing.T) {
	record := func(change func([]string)) string {
		f := []string{"7", "7", "N/A", "7", "ann", "1000", "main", "normal", "10", "0", "PENDING", "1700000000", "(null)", "(null)", "None", "2", "1:30:00", "(null)", "(null)", "(null)", "(null)", "lab", "(null)", "(null)", "name"}
		change(f)
		return mark + strings.Join(f, fieldSep) + "\n"
	}
	tests := []struct{ name, text, want string }{
		{"none", "", ""},
		{"cluster line", "CLUSTER: c\n" + record(func([]string) {}), ""},
		{"warning", "squeue: something\n" + record(func([]string) {}), "unexpected output"},
		{"short", mark + "7" + fieldSep + "8\n", "2 fields, want 25"},
		{"id", record(func(f []string) { f[0] = "0" }), "not a job id"},
		{"uid", record(func(f []string) { f[5] = "ann" }), "uid"},
		{"priority", record(func(f []string) { f[8] = "4294967296" }), "priority"},
		{"nice", record(func(f []string) { f[9] = "" }), "nice"},
		{"time", record(func(f []string) { f[11] = "2026-11-21T10:00:00" }), "job 7: submit time"},
		{"tasks", record(func(f []string) { f[2] = "1-..." }), "shortened"},
		{"endless tasks", record(func(f []string) { f[2] = "1-99999999999" }), "job 7"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := parseSqueue(tt.text, mark)
			if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("error %v, want %q in it", err, tt.want)
			}
		})
	}
}

func TestParseSprioErrors(t *testing.T) {
	for _, bad := range []string{
		"7|5\n", "x|5|0.1|0|0|0|0|0|0|0|0|\n", "7|5|NaN|0|0|0|0|0|0|0|0|\n", "7|5|0.1|s|0|0|0|0|0|0|0|\n", "7|5|0.1|0|0|0|0|0|0|0|0|cpu\n",
		"7|5|0.1|0|0|0|0|0|0|0|0|cpu=1|\n",
	} {
		if _, err := parseSprio(bad); err == nil || !strings.HasPrefix(err.Error(), "sprio: ") {
			t.Errorf("%q: error %v", bad, err)
		}
	}
}

func FuzzSqueue(f *testing.F) {
	addRecords(f, captured(f, "22.05/squeue.txt"))
	f.Fuzz(func(t *testing.T, out string) {
		queue, err := parseSqueue(out, mark)
		if err != nil && queue != nil {
			t.Error("a queue with an error")
		}
		for _, q := range queue {
			if q.Job == 0 || q.Count < 1 {
				t.Errorf("%+v", q)
			}
			if _, err := lines(priority.Change{Job: q.Job, Spec: q.Full}, priority.SiteFactor); err == nil && strings.ContainsAny(q.Full, " \n") {
				t.Errorf("%q got into a command", q.Full)
			}
		}
	})
}

func FuzzSprio(f *testing.F) {
	addLines(f, "", captured(f, "22.05/sprio.txt"))
	f.Fuzz(func(t *testing.T, out string) {
		if jobs, err := parseSprio(out); err != nil && jobs != nil {
			t.Error("jobs with an error")
		}
	})
}

func FuzzConfig(f *testing.F) {
	addLines(f, "ClusterName=c\nPriorityType=priority/multifactor\nSLURM_VERSION=22.05.8\n", captured(f, "22.05/config.txt"))
	f.Fuzz(func(t *testing.T, out string) {
		c, err := parseConfig(out)
		if err == nil && c.PriorityType == "" {
			t.Error("no PriorityType and no error")
		}
	})
}

func FuzzPartitions(f *testing.F) {
	addLines(f, "PartitionName=a\n", captured(f, "22.05/partitions.txt"))
	f.Fuzz(func(t *testing.T, out string) {
		parts, lists, err := parsePartitions(out)
		if err == nil && len(parts) != len(lists) {
			t.Error("partitions without nodes")
		}
	})
}

func FuzzDiag(f *testing.F) {
	for _, section := range []string{"", "Backfilling stats\n", "Main schedule statistics\n", "Remote Procedure Call statistics by message type\n", "Pending RPC statistics\n"} {
		addLines(f, "sdiag output at now (1795257650)\n"+section, captured(f, "22.05/sdiag.txt"))
	}
	f.Add(sdiagWaiting)
	f.Fuzz(func(t *testing.T, out string) {
		d, err := parseDiag(out)
		if err != nil && d != (Diag{}) {
			t.Error("counts and an error")
		}
		for _, c := range []CycleTimes{d.Main, d.Backfill} {
			if c.Last < 0 || c.Mean < 0 {
				t.Errorf("a cycle of %v", c)
			}
		}
	})
}

package sacct_test

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"slurm-ostrich/ostrich/accounting"
	"slurm-ostrich/ostrich/accounting/sacct"
)

// jobOf is a job in a test's short form, with names in place of numbers.
type jobOf struct {
	User, Account, Partition, QOS string
	accounting.Job
}

func jobsOf(h *accounting.History) []jobOf {
	var all []jobOf
	for _, j := range h.Jobs {
		a := h.Associations[j.Association]
		named := jobOf{a.User, a.Account, h.Partitions[j.Partition], h.QOS[j.QOS], j}
		if j.NameClass == j.Class { // else it is seen
			named.NameClass, named.KindClass = 0, 0
		}
		named.Association, named.Job.Partition, named.Job.QOS, named.Needs, named.Where = 0, 0, 0, 0, 0 // TestNeeds looks at these
		all = append(all, named)
	}
	return all
}

// Columns of a line in Open XDMoD's order of today.
const (
	fieldID = iota
	fieldRaw
	fieldCluster
	fieldPartition
	fieldQOS
	fieldAccount
	fieldGroup
	fieldGID
	fieldUser
	fieldUID
	fieldSubmit
	fieldEligible
	fieldStart
	fieldEnd
	fieldElapsed
	fieldExit
	fieldState
	fieldNodes
	fieldProcs
	fieldAsked
	fieldMemory
	fieldReq
	fieldAlloc
	fieldLimit
	fieldNodeList
	fieldName
)

// plainLine is what most tests change a field or two of.
const plainLine = "7|7|c1|main|normal|physics|users|100|alice|1001|2024-03-01T10:00:00|2024-03-01T10:00:00|" +
	"2024-03-01T10:01:00|2024-03-01T11:01:00|01:00:00|0:0|COMPLETED|2|8|4|4000M|billing=4,cpu=4,mem=4000M,node=1|" +
	"billing=8,cpu=8,energy=18446744073709551614,mem=4000M,node=2|02:00:00|n[1-2]|run"

// tenAM is 2024-03-01T10:00:00 UTC.
const tenAM = 1709287200

// classA is the class of a name that begins with "a" and the delimiter: what
// follows is not told from further columns.
func classOf(name string) uint64 { return accounting.NameClass([]byte(name)) }

func plainJob(change func(*jobOf)) jobOf {
	j := jobOf{"alice", "physics", "main", "normal", accounting.Job{
		ID: 7, State: accounting.Completed, Tasks: 1, Procs: 8, Asked: 4, Nodes: 2, AskedNodes: 1, Memory: 4000, Billing: 8,
		Class:  accounting.NameClass([]byte("run")),
		Submit: tenAM, Eligible: tenAM, Start: tenAM + 60, End: tenAM + 3660, Limit: 7200,
	}}
	if change != nil {
		change(&j)
	}
	return j
}

// line is the plain line with some fields in place of its own: pairs of a
// field's place and its text.
func line(changes ...any) string {
	fields := strings.Split(plainLine, "|")
	for i := 0; i < len(changes); i += 2 {
		fields[changes[i].(int)] = changes[i+1].(string)
	}
	return strings.Join(fields, "|")
}

// without drops fields of a line, to make it one of an older order.
func without(line string, drop ...int) string {
	var kept []string
fields:
	for i, f := range strings.Split(line, "|") {
		for _, d := range drop {
			if i == d {
				continue fields
			}
		}
		kept = append(kept, f)
	}
	return strings.Join(kept, "|")
}

const header = "JobID|JobIDRaw|Cluster|Partition|QOS|Account|Group|GID|User|UID|Submit|Eligible|Start|End|Elapsed|ExitCode|" +
	"State|NNodes|NCPUS|ReqCPUS|ReqMem|ReqTRES|AllocTRES|Timelimit|NodeList|JobName\n"

func TestRead(t *testing.T) {
	notStarted := func(state accounting.State) func(*jobOf) {
		return func(j *jobOf) { j.State, j.Start, j.End, j.Procs, j.Billing, j.Nodes = state, 0, 0, 4, 0, 1 }
	}
	pending := []any{
		fieldStart, "Unknown", fieldEnd, "Unknown", fieldElapsed, "00:00:00", fieldState, "PENDING", fieldNodes, "1",
		fieldProcs, "0", fieldAlloc, "", fieldNodeList, "None assigned",
	}
	for _, tt := range []struct {
		name, text string
		want       []jobOf
		note       string
	}{
		{"today's order", plainLine, []jobOf{plainJob(nil)}, ""},
		{"with a header", header + plainLine + "\n", []jobOf{plainJob(nil)}, ""},
		{"Windows' line ends", header + plainLine + "\r\n\r\n", []jobOf{plainJob(nil)}, ""},
		{
			"of 2021: without QOS", without(plainLine, fieldQOS),
			[]jobOf{plainJob(func(j *jobOf) { j.QOS = "" })},
			"",
		},
		{
			"of 2020: with GRES", without(line(fieldMemory, "4000M|gpu:2"), fieldQOS),
			[]jobOf{plainJob(func(j *jobOf) { j.QOS = "" })},
			"",
		},
		{
			"of 2016: without allocated TRES", without(line(fieldMemory, "4000M|gpu:2"), fieldQOS, fieldAlloc+1),
			[]jobOf{plainJob(func(j *jobOf) { j.QOS, j.Billing = "", 0 })},
			"",
		},
		{
			"of 2016, without any TRES", without(line(fieldMemory, "4000M|", fieldReq, ""), fieldQOS, fieldAlloc+1),
			[]jobOf{plainJob(func(j *jobOf) { j.QOS, j.Billing, j.AskedNodes = "", 0, 0 })},
			"",
		},
		{"the year of one without a limit", line(fieldLimit, "365-00:00:00"), []jobOf{plainJob(func(j *jobOf) { j.Limit = 0 })}, ""},
		{"delimiters in the name", line(fieldName, "a|b||2024-03-01|00:10:00") + "\n", []jobOf{plainJob(func(j *jobOf) { j.Class = classOf("a|b||2024-03-01|00:10:00") })}, ""},
		{
			"delimiters in the name, of 2016", without(line(fieldMemory, "4000M|gpu:2", fieldName, "a|b|00:10:00"), fieldQOS, fieldAlloc+1) + "\n",
			[]jobOf{plainJob(func(j *jobOf) { j.QOS, j.Billing, j.Class = "", 0, classOf("a|b|00:10:00") })},
			"",
		},
		{
			"another order, name in the middle", "State|JobName|End|Start|Submit|User|NCPUS|JobIDRaw|Extra\n" +
				"FAILED|a|b|c|2024-03-01T11:01:00|2024-03-01T10:01:00|2024-03-01T10:00:00|bob|3|9|x\n",
			[]jobOf{{User: "bob", Job: accounting.Job{
				ID: 9, State: accounting.Failed, Tasks: 1, Procs: 3, Asked: 3, Submit: tenAM, Start: tenAM + 60, End: tenAM + 3660,
				Class: classOf("a|b|c"),
			}}},
			"",
		},
		{"two dumps of two orders, one after the other", header + plainLine + "\nJobIDRaw|Submit|Start|End|State|User|ReqCPUS\n" +
			"8|2024-03-01T10:00:00|None|2024-03-01T10:00:05|CANCELLED by 0|bob|2\n", []jobOf{plainJob(nil), {User: "bob", Job: accounting.Job{
			ID: 8, State: accounting.Cancelled, Tasks: 1, Procs: 2, Asked: 2, Submit: tenAM, End: tenAM + 5,
		}}}, ""},
		{
			"cancelled at once, with its end for its start, without Elapsed", "JobIDRaw|Submit|Start|End|State|User|AllocCPUS\n" +
				"8|2024-03-01T10:00:00|2024-03-01T10:00:05|2024-03-01T10:00:05|CANCELLED by 0|bob|2\n",
			[]jobOf{{User: "bob", Job: accounting.Job{ID: 8, State: accounting.Cancelled, Tasks: 1, Procs: 2, Asked: 2, Submit: tenAM, End: tenAM + 5}}},
			"",
		},
		{"pending", line(pending...), []jobOf{plainJob(notStarted(accounting.Pending))}, ""},
		{
			"never eligible, no limit", line(append(pending, fieldEligible, "Unknown", fieldLimit, "Partition_Limit")...),
			[]jobOf{plainJob(func(j *jobOf) { notStarted(accounting.Pending)(j); j.Eligible, j.Limit = 0, 0 })},
			"",
		},
		{
			"pending with a guess of its start", line(append(pending, fieldStart, "2024-03-02T00:00:00")...),
			[]jobOf{plainJob(notStarted(accounting.Pending))},
			"",
		},
		{
			"running", line(fieldState, "RUNNING", fieldEnd, "Unknown"),
			[]jobOf{plainJob(func(j *jobOf) { j.State, j.End = accounting.Running, 0 })},
			"",
		},
		{
			"running, with the end of what sacct was asked for", line(fieldState, "RUNNING"),
			[]jobOf{plainJob(func(j *jobOf) { j.State, j.End = accounting.Running, 0 })},
			"",
		},
		{
			"cancelled by a user", line(fieldState, "CANCELLED by 1000"),
			[]jobOf{plainJob(func(j *jobOf) { j.State = accounting.Cancelled })},
			"",
		},
		{
			"cancelled before it started", line(append(pending, fieldState, "CANCELLED by 0", fieldStart, "None", fieldEnd, "2024-03-01T10:05:00")...),
			[]jobOf{plainJob(func(j *jobOf) { notStarted(accounting.Cancelled)(j); j.End = tenAM + 300 })},
			"",
		},
		{
			"cancelled before the start that was expected", line(append(pending, fieldState, "CANCELLED by 0", fieldStart, "2024-03-02T00:00:00", fieldEnd, "2024-03-01T10:05:00")...),
			[]jobOf{plainJob(func(j *jobOf) { notStarted(accounting.Cancelled)(j); j.End = tenAM + 300 })},
			"",
		},
		{
			"cancelled a second before its submission", line(append(pending, fieldState, "CANCELLED by 0", fieldEnd, "2024-03-01T09:59:59")...),
			[]jobOf{plainJob(func(j *jobOf) { notStarted(accounting.Cancelled)(j); j.End = tenAM - 1 })},
			"",
		},
		{
			"the same as older releases have it",
			line(append(pending, fieldState, "CANCELLED", fieldStart, "2024-03-01T10:05:00", fieldEnd, "2024-03-01T10:05:00", fieldProcs, "8")...),
			[]jobOf{plainJob(func(j *jobOf) { notStarted(accounting.Cancelled)(j); j.End = tenAM + 300 })},
			"",
		},
		{
			"cancelled in the second of its start", line(fieldState, "CANCELLED by 0", fieldEnd, "2024-03-01T10:01:00", fieldElapsed, "00:00:00"),
			[]jobOf{plainJob(func(j *jobOf) { j.State, j.End = accounting.Cancelled, tenAM+60 })},
			"",
		},
		{
			"past its deadline before it started", line(append(pending, fieldState, "DEADLINE", fieldStart, "2024-03-01T10:05:00", fieldEnd, "2024-03-01T10:05:00")...),
			[]jobOf{plainJob(func(j *jobOf) { notStarted(accounting.Deadline)(j); j.End = tenAM + 300 })},
			"",
		},
		{
			"was suspended for ten minutes", line(fieldElapsed, "00:50:00"),
			[]jobOf{plainJob(func(j *jobOf) { j.Suspended = 600 })},
			"",
		},
		{
			"days", line(fieldEnd, "2024-03-04T12:02:03", fieldElapsed, "3-02:01:03", fieldLimit, "7-00:00:00"),
			[]jobOf{plainJob(func(j *jobOf) { j.End, j.Limit = tenAM+60+3*86400+7263, 7*86400 })},
			"",
		},
		{
			"epoch seconds", line(fieldSubmit, "1709287200", fieldEligible, "1709287200", fieldStart, "1709287260", fieldEnd, "1709290860"),
			[]jobOf{plainJob(nil)},
			"",
		},
		{
			"epoch seconds, of 2021", without(line(fieldSubmit, "1709287200", fieldEligible, "1709287200", fieldStart, "1709287260",
				fieldEnd, "1709290860"), fieldQOS),
			[]jobOf{plainJob(func(j *jobOf) { j.QOS = "" })},
			"",
		},
		{
			"times with zones", line(fieldSubmit, "2024-03-01T11:00:00+0100", fieldEligible, "2024-03-01T10:00:00Z", fieldStart, "2024-03-01T05:01:00-05:00"),
			[]jobOf{plainJob(nil)},
			"",
		},
		{
			"memory of each processor", line(fieldMemory, "4000Mc", fieldReq, ""),
			[]jobOf{plainJob(func(j *jobOf) { j.Memory, j.AskedNodes = 16000, 0 })},
			"",
		},
		{
			"memory of each node", line(fieldMemory, "1.50Gn", fieldReq, ""),
			[]jobOf{plainJob(func(j *jobOf) { j.Memory, j.AskedNodes = 3072, 0 })},
			"",
		},
		{
			"memory of all", line(fieldMemory, "2T", fieldReq, ""),
			[]jobOf{plainJob(func(j *jobOf) { j.Memory, j.AskedNodes = 2<<20, 0 })},
			"",
		},
		{"a thousand nodes", line(fieldNodes, "1K"), []jobOf{plainJob(func(j *jobOf) { j.Nodes = 1024 })}, ""},
		{"several partitions", line(fieldPartition, "main,long"), []jobOf{plainJob(nil)}, ""},
		{
			"task of an array", line(fieldID, "5_4"),
			[]jobOf{plainJob(func(j *jobOf) { j.Array = 5 })},
			"",
		},
		{
			"pending array", line(append(pending, fieldID, "7_[1,5-9,20-30:5%2]")...),
			[]jobOf{plainJob(func(j *jobOf) { notStarted(accounting.Pending)(j); j.Array, j.Tasks = 7, 9 })},
			"",
		},
		{
			"the largest array", line(append(pending, fieldID, "7_[0-8388607]")...),
			[]jobOf{plainJob(func(j *jobOf) { notStarted(accounting.Pending)(j); j.Array, j.Tasks = 7, 1<<23 })},
			"",
		},
		{
			"pending array, told in part", line(append(pending, fieldID, "7_[1,5-9,...]")...),
			[]jobOf{plainJob(func(j *jobOf) { notStarted(accounting.Pending)(j); j.Array, j.Tasks = 7, 6 })},
			"lists the first tasks only",
		},
		{"part of a heterogeneous job", line(fieldID, "6+1"), []jobOf{plainJob(func(j *jobOf) { j.Het = 6 })}, ""},
		{
			"steps", line(fieldID, "7.batch", fieldRaw, "7.batch") + "\n" + plainLine + "\n" + line(fieldID, "7.0", fieldRaw, "7.0"),
			[]jobOf{plainJob(nil)},
			"2 lines of job steps",
		},
		{"taken by another cluster", line(fieldState, "REVOKED") + "\n" + line(fieldID, "8", fieldRaw, "8"), []jobOf{plainJob(func(j *jobOf) { j.ID = 8 })}, "1 line of jobs that another cluster"},
		{"told twice", plainLine + "\n" + plainLine, []jobOf{plainJob(nil)}, "1 record tells of the same run"},
		{"told while it waited, and when it had ended", line(pending...) + "\n" + plainLine, []jobOf{plainJob(nil)}, "1 record tells of the same run"},
		{
			"requeued", line(fieldState, "REQUEUED") + "\n" + line(fieldSubmit, "2024-03-01T11:01:00", fieldStart, "2024-03-01T11:03:00",
				fieldEnd, "2024-03-01T12:03:00"),
			[]jobOf{
				plainJob(func(j *jobOf) { j.State = accounting.Requeued }),
				plainJob(func(j *jobOf) { j.Submit, j.Start, j.End = tenAM+3660, tenAM+3780, tenAM+7380 }),
			},
			"",
		},
		{
			"resized twice", line(fieldState, "RESIZING") + "\n" +
				line(fieldState, "RESIZING", fieldSubmit, "2024-03-01T11:01:00", fieldEnd, "2024-03-01T12:01:00", fieldElapsed, "02:00:00", fieldProcs, "4") + "\n" +
				line(fieldSubmit, "2024-03-01T12:01:00", fieldEnd, "2024-03-01T13:01:00", fieldElapsed, "03:00:00", fieldProcs, "3"),
			[]jobOf{plainJob(func(j *jobOf) { j.End, j.Procs, j.Resized = tenAM+3660+7200, 5, true })},
			"1 job was resized",
		},
		{"resized, and nothing more", line(fieldState, "RESIZING"), []jobOf{plainJob(func(j *jobOf) { j.State = accounting.Requeued })}, "the record of what followed is missing"},
		{"no user, but a uid", line(fieldUser, ""), []jobOf{plainJob(func(j *jobOf) { j.User = "1001" })}, "1 job is of a user without a name"},
		{"user in digits", line(fieldUser, "4711"), []jobOf{plainJob(func(j *jobOf) { j.User = "4711" })}, "1 job is of a user without a name"},
		{"ran longer than it did", line(fieldElapsed, "01:20:00"), []jobOf{plainJob(nil)}, "1 job ran longer than from start to end"},
		{
			"ran an hour longer", line(fieldEnd, "2024-03-01T10:00:30", fieldElapsed, "00:59:30"),
			[]jobOf{plainJob(func(j *jobOf) { j.End = tenAM + 60 + 3570 })},
			"seems to be in a zone whose clocks were changed, not in UTC",
		},
		{
			"ran an hour less", line(fieldEnd, "2024-03-01T12:01:00"),
			[]jobOf{plainJob(func(j *jobOf) { j.End, j.Suspended = j.End+3600, 3600 })},
			"1 job ran an hour less than from start to end",
		},
		{
			"ran an hour less, and was not suspended", "JobIDRaw|User|Submit|Start|End|Elapsed|Suspended|State|NCPUS\n" +
				"1|bob|2024-03-01T10:00:00|2024-03-01T10:01:00|2024-03-01T12:01:30|01:00:00|00:00:30|COMPLETED|4\n",
			[]jobOf{{Job: accounting.Job{ID: 1, Tasks: 1, Procs: 4, Asked: 4, State: accounting.Completed, Submit: tenAM, Start: tenAM + 60, End: tenAM + 3690, Suspended: 30}, User: "bob"}},
			"the dump is in a zone whose clocks were put forward, not in UTC: name its zone with --timezone.",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h, err := sacct.Read(strings.NewReader(tt.text), "dump", sacct.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, jobsOf(h)); diff != "" {
				t.Errorf("jobs (-want +got):\n%s", diff)
			}
			if notes := strings.Join(h.Notes, "\n"); tt.note == "" && notes != "" || !strings.Contains(notes, tt.note) {
				t.Errorf("notes %q, want %q", notes, tt.note)
			}
		})
	}
}

func TestReadFaults(t *testing.T) {
	const nonsense = "no line of sacct"
	for _, tt := range []struct{ name, text, want string }{
		{"empty", "", "sacct: dump: no job in the dump"},
		{"header alone", header, "sacct: dump: no job in the dump"},
		{"steps alone", line(fieldRaw, "7.0"), "sacct: dump: no job, but 1 line of job steps"},
		{"nonsense", nonsense, "sacct: dump:1: 1 field, which is not those of Open XDMoD, and no header"},
		{
			"more columns than Open XDMoD's, and no header", "1001|1001|test|cpu|normal|bio|g|100|u8|1000|2025-11-01T00:11:19|2025-11-01T00:11:19|2025-11-01T00:11:19|2025-11-01T00:14:19|00:03:00|0:0|COMPLETED|1|8|8|1|16G|billing=8,cpu=8,mem=16G,node=1|billing=8,cpu=8,mem=16G,node=1|1-00:00:00|||SchedMain|1000|cpu01",
			"sacct: dump:1: 30 fields, want 26: no way to share them among the columns; without a header they are taken for Open XDMoD's: --columns names others",
		},
		{"the header lacks", "JobID|State|User\n", "sacct: dump:1: the header lacks columns: Submit, Start, End, NCPUS; run sacct again with them"},
		{"nor a state", "JobID|JobIDRaw|User|Account|Partition\n1|1|bob|phys|main\n", "sacct: dump:1: the header lacks columns: Submit, Start, End, State, NCPUS; run sacct again with them"},
		{"nor an id", "User|Submit|Start\n", "sacct: dump:1: the header lacks columns: End, State, JobID, NCPUS; run sacct again with them"},
		{"too few fields", header + without(plainLine, fieldName), "sacct: dump:2: 25 fields, want 26"},
		{"another delimiter", header + "1,2,3\n", `sacct: dump:2: no "|" in it, which stands between 26 columns unless --delimiter names another text`},
		{"too many, and no name", "JobIDRaw|Submit|Start|End|State|User|NCPUS\n1|2|3|4|5|6|7|8\n", "sacct: dump:2: 8 fields, want 7"},
		{"id", plainLine + "\n" + line(fieldRaw, "x7"), `sacct: dump:2:jobidraw: "x7": not the id of a job`},
		{"id too large", line(fieldRaw, "4294967296"), `jobidraw: "4294967296": not the id of a job`},
		{"array", line(fieldID, "7_[5-1]"), `jobid: "7_[5-1]": not tasks of an array`},
		{"too large an array", line(fieldID, "7_[0-8388608]"), `jobid: "7_[0-8388608]": not tasks of an array`},
		{"too high a task", line(fieldID, "7_[8388609]"), `jobid: "7_[8388609]": not tasks of an array`},
		{"no step", line(fieldID, "7_[1-5:0]"), `jobid: "7_[1-5:0]": not tasks of an array`},
		{"open list", line(fieldID, "7_[1-5"), `jobid: "7_[1-5": not tasks of an array`},
		{"task", line(fieldID, "7_x"), `jobid: "7_x": not a task of an array`},
		{"state", line(fieldState, "ASLEEP"), `state: "ASLEEP": not a state of a job`},
		{"long state", line(fieldState, strings.Repeat("x", 81)), `state: "` + strings.Repeat("x", 80) + `…": not a state of a job`},
		{"time", line(fieldStart, "2024-02-30T10:00:00"), `start: "2024-02-30T10:00:00": not a time such as`},
		{"time of day", line(fieldEnd, "2024-02-20T24:00:00"), `end: "2024-02-20T24:00:00": not a time such as`},
		{"relative time", line(fieldEnd, "Ystday 20:13"), `end: "Ystday 20:13": not a time such as`},
		{"no submission", line(fieldSubmit, "Unknown"), `submit: "Unknown": no time of submission`},
		{"no end", line(fieldEnd, "Unknown"), `end: "Unknown": a job that has ended, without an end`},
		{"no start", line(fieldState, "RUNNING", fieldStart, "Unknown"), `start: "Unknown": a running job without a start`},
		{"end before start", line(fieldEnd, "2024-03-01T09:00:00"), `end: "2024-03-01T09:00:00": before the job's start`},
		{
			"end before submission", line(fieldState, "CANCELLED", fieldStart, "Unknown", fieldEnd, "2024-03-01T09:59:58"),
			`end: "2024-03-01T09:59:58": before the job's submission`,
		},
		{"elapsed", line(fieldElapsed, "1:2:3:4"), `elapsed: "1:2:3:4": not [days-]hours:minutes:seconds`},
		{"limit", line(fieldLimit, "soon"), `timelimit: "soon": not [days-]hours:minutes:seconds`},
		{"processors", line(fieldProcs, "-1"), `"-1": not a number of processors`},
		{"no processors", line(fieldProcs, "0", fieldAsked, "0", fieldReq, "", fieldAlloc, ""), "sacct: dump:1: a job without processors"},
		{"nodes", line(fieldNodes, "two"), `nnodes: "two": not a number of nodes`},
		{"memory", line(fieldMemory, "much"), `reqmem: "much": not an amount of memory`},
		{"memory beyond numbers", line(fieldReq, "cpu=4,mem=99999999999999999999M"), `reqtres: "cpu=4,mem=99999999999999999999M": not an amount of mem`},
		{"memory beyond sense", line(fieldAlloc, "cpu=4,mem=8388609P"), `alloctres: "cpu=4,mem=8388609P": not an amount of mem`},
		{"processors in TRES", line(fieldReq, "cpu=1073741825"), `reqtres: "cpu=1073741825": not an amount of cpu`},
		{"nobody", line(fieldUser, "", fieldUID, ""), `user: "": nobody, and no uid either`},
		{"two clusters", plainLine + "\n" + line(fieldCluster, "c2"), `sacct: dump:2: jobs of cluster "c2" after those of "c1": choose one`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h, err := sacct.Read(strings.NewReader(tt.text), "dump", sacct.Options{})
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %s", err, tt.want)
			}
			if h != nil {
				t.Error("a history with an error")
			}
		})
	}
}

func TestReadLenient(t *testing.T) {
	var text strings.Builder
	for i := range 100 {
		fmt.Fprintln(&text, line(fieldRaw, strconv.Itoa(i+1), fieldState, []string{"COMPLETED", "ASLEEP"}[i%2]))
	}
	h, err := sacct.Read(strings.NewReader(text.String()), "dump", sacct.Options{Lenient: true})
	if err != nil {
		t.Fatal(err)
	}
	if len(h.Jobs) != 50 || h.Skipped != 50 || len(h.Faults) != accounting.MaxFaults {
		t.Errorf("%d jobs, %d skipped, %d faults", len(h.Jobs), h.Skipped, len(h.Faults))
	}
	var fault *sacct.Fault
	if !errors.As(h.Faults[9], &fault) || fault.Line != 20 || fault.Field != "state" || fault.File != "dump" {
		t.Errorf("tenth fault %+v", h.Faults[9])
	}
	if len(h.Notes) != 1 || !strings.HasPrefix(h.Notes[0], "50 records are malformed or impossible: left out. The first: sacct: dump:2:state:") {
		t.Errorf("notes %q", h.Notes)
	}
	_, err = sacct.Read(strings.NewReader("a\nb\n"), "dump", sacct.Options{Lenient: true})
	if !errors.Is(err, accounting.ErrEmpty) || !strings.Contains(err.Error(), "2 malformed lines, the first: sacct: dump:1") {
		t.Errorf("nothing but malformed lines: %v", err)
	}
}

// TestReadUnknown: what Slurm does not know counts nothing.
func TestReadUnknown(t *testing.T) {
	for _, amount := range []string{"18446744073709551614", "18446744073709551615M"} {
		h, err := sacct.Read(strings.NewReader(line(fieldMemory, "", fieldReq, "cpu=4,mem="+amount)), "dump", sacct.Options{})
		if err != nil || h.Jobs[0].Memory != 4000 {
			t.Errorf("%s: %+v, %v", amount, h, err)
		}
	}
}

// A line that is left out counts in no other note.
func TestReadLenientEarly(t *testing.T) {
	text := plainLine + "\n" + line(fieldRaw, "8", fieldSubmit, "2024-03-01T10:30:00", fieldLimit, "soon")
	h, err := sacct.Read(strings.NewReader(text), "dump", sacct.Options{Lenient: true})
	if err != nil {
		t.Fatal(err)
	}
	if len(h.Notes) != 1 || !strings.HasPrefix(h.Notes[0], "1 record is malformed or impossible") {
		t.Errorf("notes %q", h.Notes)
	}
}

func TestReadCluster(t *testing.T) {
	text := plainLine + "\n" + line(fieldCluster, "c2", fieldRaw, "8")
	h, err := sacct.Read(strings.NewReader(text), "dump", sacct.Options{Cluster: "c2"})
	if err != nil {
		t.Fatal(err)
	}
	if len(h.Jobs) != 1 || h.Jobs[0].ID != 8 || h.Cluster != "c2" || len(h.Notes) != 1 || h.Notes[0] != "1 line of other clusters is left out." {
		t.Errorf("%d jobs of %q, %q", len(h.Jobs), h.Cluster, h.Notes)
	}
	_, err = sacct.Read(strings.NewReader(text), "dump", sacct.Options{Cluster: "c3"})
	if !errors.Is(err, accounting.ErrEmpty) || !strings.Contains(err.Error(), "no job of cluster c3, but 2 lines of others") {
		t.Error(err)
	}
}

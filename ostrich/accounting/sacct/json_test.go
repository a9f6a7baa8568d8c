package sacct_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"slurm-ostrich/ostrich/accounting"
	"slurm-ostrich/ostrich/accounting/sacct"
	"slurm-ostrich/ostrich/plural"
)

// release is how a release of Slurm writes JSON.
type release uint8

const (
	r2205 release = iota // numbers with marks, and the state as a text
	r2302                // numbers as objects
	r2311                // and states as lists
)

// number returns a count that Slurm may not know: -1 is none, -2 infinite.
func (r release) number(n int64) any {
	if r == r2205 {
		return map[int64]int64{-1: 4294967294, -2: 4294967295}[n] + max(n, 0)
	}
	return map[string]any{"set": n != -1, "infinite": n == -2, "number": max(n, 0)}
}

// record is a job as both outputs of sacct have it.
type record struct {
	id, array, task, leader, offset int64
	tasks                           tasks
	state                           string
	user, account, partition, qos   string
	name, line, folder, features    string
	submit, eligible, start, end    int64
	suspended, limit                int64 // minutes; -2: none
	cpus, nodes, gpus               int64
	perCPU                          int64 // MiB; 0: not asked for
	backfilled                      bool
	written                         int64 // as start, where it is another
}

// tasks are those of an array that waits, as sacct's text lists them, and as its JSON has them: slurmctld's mask, and how
// many may run at once.
type tasks struct {
	list, mask string
	most       int
}

// drawRecords draws some jobs that can be.
func drawRecords(t *rapid.T) (jobs []record) {
	for id := range rapid.Int64Range(1, 6).Draw(t, "jobs") {
		jobs = append(jobs, drawRecord(t, 901+id))
	}
	return jobs
}

// drawRecord draws a job that can be.
func drawRecord(t *rapid.T, id int64) record {
	text := rapid.StringMatching(`[a-zäß"\\/ <&{}\[\]:,\t🐦-]{0,12}`)
	j := record{
		id: id, task: -1, offset: -1, state: rapid.SampledFrom([]string{"COMPLETED", "FAILED", "TIMEOUT", "CANCELLED", "PENDING", "RUNNING", "REQUEUED"}).Draw(t, "state"),
		user: rapid.SampledFrom([]string{"alice", "bob"}).Draw(t, "user"), account: rapid.SampledFrom([]string{"phys", "bio"}).Draw(t, "account"),
		partition: rapid.SampledFrom([]string{"main", "gpu"}).Draw(t, "partition"), qos: rapid.SampledFrom([]string{"normal", ""}).Draw(t, "qos"),
		name: text.Draw(t, "name"), folder: "/" + text.Draw(t, "folder"), features: rapid.SampledFrom([]string{"", "fast", "a&b"}).Draw(t, "features"),
		submit: 1_700_000_000 + rapid.Int64Range(0, 1000).Draw(t, "submit"), limit: rapid.SampledFrom([]int64{-2, 1, 600}).Draw(t, "limit"),
		cpus: rapid.Int64Range(1, 64).Draw(t, "cpus"), nodes: 1, gpus: rapid.Int64Range(0, 2).Draw(t, "gpus"), perCPU: rapid.SampledFrom([]int64{0, 1000}).Draw(t, "memory"),
		backfilled: rapid.Bool().Draw(t, "backfilled"),
	}
	if rapid.Bool().Draw(t, "submitted by a line") {
		j.line = "sbatch --ntasks=4 " + text.Draw(t, "script")
	}
	switch rapid.IntRange(0, 3).Draw(t, "kind") {
	case 1:
		j.array, j.task = 1000, id
	case 2:
		j.leader, j.offset = 900, id%4
	case 3:
		if j.array = id; j.state == "PENDING" {
			j.tasks = rapid.SampledFrom([]tasks{{"0-4", "0x1F", 0}, {"1,3,5,7%3", "0xAA", 3}, {"1-13:2", "0x2AAA", 0}, {"2-3,20", "0x0010000C", 0}, {"1-5:2,7%3", "1-5:2,7%3", 3}}).Draw(t, "tasks")
		} else {
			j.task = 3
		}
	}
	j.eligible = j.submit + rapid.Int64Range(0, 10).Draw(t, "held")
	if j.state != "PENDING" {
		j.start = j.eligible + rapid.Int64Range(0, 100).Draw(t, "wait")
		j.suspended = rapid.Int64Range(0, 2).Draw(t, "suspended")
		if j.state != "RUNNING" {
			j.end = j.start + j.suspended + rapid.Int64Range(2, 1000).Draw(t, "run")
		}
	}
	return j
}

// asText returns the jobs as sacct --parsable2 has them, with texts at the end that hold no
// delimiter.
func asText(jobs []record) string {
	var b strings.Builder
	b.WriteString("JobIDRaw\x1fJobID\x1fCluster\x1fUser\x1fAccount\x1fPartition\x1fQOS\x1fState\x1fSubmit\x1fEligible\x1fStart\x1fEnd\x1fSuspended\x1fElapsedRaw\x1fTimelimitRaw\x1fReqCPUS\x1fNNodes\x1f" +
		"ReqMem\x1fReqTRES\x1fAllocTRES\x1fConstraints\x1fFlags\x1fJobName\x1fWorkDir\x1fSubmitLine\n")
	for _, j := range jobs {
		id := strconv.FormatInt(j.id, 10)
		switch {
		case j.array > 0 && j.task >= 0:
			id = fmt.Sprintf("%d_%d", j.array, j.task)
		case j.array > 0:
			id = fmt.Sprintf("%d_[%s]", j.array, j.tasks.list)
		case j.leader > 0:
			id = fmt.Sprintf("%d+%d", j.leader, j.offset)
		}
		limit, memory, flags := strconv.FormatInt(j.limit, 10), "", ""
		if j.limit < 0 {
			limit = "UNLIMITED"
		}
		if j.perCPU > 0 {
			memory = fmt.Sprintf("%dMc", j.perCPU)
		}
		if j.backfilled {
			flags = "SchedBackfill"
		}
		asked := fmt.Sprintf("cpu=%d,mem=%dM,node=%d,billing=%d", j.cpus, j.perCPU*j.cpus, j.nodes, j.cpus)
		if j.gpus > 0 {
			asked += fmt.Sprintf(",gres/gpu=%d", j.gpus)
		}
		held := asked
		if j.start == 0 {
			held = ""
		}
		for i, cell := range []any{
			j.id, id, "c1", j.user, j.account, j.partition, j.qos, j.state, j.submit, j.eligible, j.start, j.end, fmt.Sprintf("00:00:%02d", j.suspended), max(0, j.end-j.start-j.suspended), limit, j.cpus, j.nodes,
			memory, asked, held, j.features, flags, j.name, j.folder, j.line,
		} {
			if i > 0 {
				b.WriteByte(0x1f)
			}
			fmt.Fprint(&b, cell)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// asJSON returns the jobs as sacct --json has them.
func (r release) asJSON(t testing.TB, jobs []record) []byte {
	t.Helper()
	list := make([]any, 0, len(jobs))
	for _, j := range jobs {
		resources := []any{
			map[string]any{"type": "cpu", "name": "", "id": 1, "count": j.cpus},
			map[string]any{"type": "mem", "name": nil, "id": 2, "count": j.perCPU * j.cpus},
			map[string]any{"type": "energy", "name": "", "id": 3, "count": -2},
			map[string]any{"type": "node", "name": "", "id": 4, "count": j.nodes},
			map[string]any{"type": "billing", "name": "", "id": 5, "count": j.cpus},
		}
		if j.gpus > 0 {
			resources = append(resources, map[string]any{"type": "gres", "name": "gpu", "id": 1001, "count": j.gpus})
		}
		held := resources
		if j.start == 0 {
			held = nil
		}
		flags := []string{"STARTED_ON_SCHEDULE"}
		if j.backfilled {
			flags = []string{"STARTED_ON_BACKFILL", "START_RECEIVED"}
		}
		var state any = j.state
		if r >= r2311 {
			state = []string{j.state}
		}
		if r >= r2311 && j.state == "REQUEUED" {
			state = []string{"PENDING", "REQUEUED"}
		}
		required := map[string]any{"CPUs": j.cpus}
		if r == r2205 {
			required["memory"] = j.perCPU
			required["memory_per_cpu"] = j.perCPU // which it does not have; so that both tell the same
		} else {
			required["memory_per_cpu"], required["memory_per_node"] = r.number(j.perCPU-btoi(j.perCPU == 0)), r.number(-1)
		}
		var user any = j.user
		if j.id%2 == 0 {
			user = nil // whose name the host does not know
		}
		list = append(list, map[string]any{
			"account": j.account, "comment": map[string]any{"job": nil, "administrator": ""}, "allocation_nodes": j.nodes, "association": map[string]any{"account": j.account, "cluster": "c1", "partition": nil, "user": j.user, "id": 3},
			"array":   map[string]any{"job_id": j.array, "limits": map[string]any{"max": map[string]any{"running": map[string]any{"tasks": j.tasks.most}}}, "task_id": r.number(j.task), "task": j.tasks.mask},
			"cluster": "c1", "constraints": j.features, "flags": flags, "het": map[string]any{"job_id": j.leader, "job_offset": r.number(j.offset)}, "job_id": j.id, "name": j.name, "submit_line": j.line,
			"partition": j.partition, "priority": r.number(-1), "qos": j.qos, "required": required, "state": map[string]any{"current": state, "reason": "None"},
			"steps": []any{map[string]any{"time": map[string]any{"submission": 1, "start": r.number(2)}, "job_id": 5, "step": map[string]any{"name": "}]\"\\"}}},
			"time":  map[string]any{"elapsed": max(0, j.end-j.start-j.suspended), "eligible": j.eligible, "submission": j.submit, "start": j.shownStart(), "end": j.end, "suspended": j.suspended, "limit": r.number(j.limit), "system": map[string]any{"seconds": 0}},
			"tres":  map[string]any{"requested": resources, "allocated": held}, "user": user, "working_directory": j.folder,
		})
	}
	text, err := json.MarshalIndent(map[string]any{"meta": map[string]any{"plugins": map[string]any{"jobs": 5}}, "jobs": list, "warnings": []any{}, "errors": []any{}}, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// shownStart is the start that sacct writes.
func (j *record) shownStart() int64 {
	if j.written > 0 {
		return j.written
	}
	return j.start
}

func btoi(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// TestJSONAsText: the same jobs are read from JSON in the shape of each release and from text.
func TestJSONAsText(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		jobs := drawRecords(rt)
		want, err := sacct.Read(strings.NewReader(asText(jobs)), "dump", sacct.Options{})
		if err != nil {
			rt.Fatal(err)
		}
		for _, r := range []release{r2205, r2302, r2311} {
			var in io.Reader = bytes.NewReader(r.asJSON(t, jobs))
			if rapid.Bool().Draw(rt, "byte by byte") {
				in = iotest.OneByteReader(in)
			}
			got, err := sacct.Read(in, "dump", sacct.Options{})
			if err != nil {
				rt.Fatal(err)
			}
			want.Lacks = nil // of the text only
			if diff := cmp.Diff(want, got); diff != "" {
				rt.Fatalf("release %d (-text +JSON):\n%s", r, diff)
			}
		}
	})
}

// one is a job in JSON.
const one = `{"jobs": [
  {"job_id": 7, "user": "alice", "account": "phys", "state": {"current": ["COMPLETED"]},
   "time": {"submission": 1700000000, "eligible": 1700000000, "start": 1700000005,
            "end": 1700000065, "elapsed": 60},
   "required": {"CPUs": 2}, "tres": {"requested": [], "allocated": []}}
]}
`

func TestJSONFaults(t *testing.T) {
	for name, c := range map[string]struct {
		text, want string
	}{
		"cut off":                   {one[:len(one)-20], `dump:5:56: the file ends, where the end of the text that begins in line 5, column 55, was expected`},
		"in the middle of a text":   {one[:40], `dump:2:30: the file ends, where the end of the text that begins in line 2, column 25, was expected`},
		"no colon":                  {strings.Replace(one, `"start":`, `"start"`, 1), `dump:3:71: '1', where ':' was expected`},
		"a word":                    {strings.Replace(one, `"elapsed": 60`, `"elapsed": nil`, 1), `dump:4:43: "nil", where a value was expected`},
		"no comma":                  {strings.Replace(one, `7, "user"`, `7 "user"`, 1), `dump:2:16: '"', where a comma or '}' was expected`},
		"a comma too much":          {strings.Replace(one, `"elapsed": 60}`, `"elapsed": 60,}`, 1), `dump:4:46: '}', where a name in quotes or } was expected`},
		"a new line in a text":      {strings.Replace(one, `alice`, "al\nice", 1), "dump:2:28: '\\n', where the end of the text that begins in column 25 was expected"},
		"an escape":                 {strings.Replace(one, `alice`, `al\x`, 1), `dump:2:29: 'x', where ", \, /, b, f, n, r, t or u and four hexadecimal digits was expected`},
		"an end before the start":   {strings.Replace(one, "1700000065", "1700000001", 1), `dump:4:20:time/end: "1700000001": before the job's start`},
		"no such state":             {strings.Replace(one, "COMPLETED", "DONE", 1), `dump:2:75:state/current: "DONE": not a state of a job`},
		"a negative time":           {strings.Replace(one, "1700000005", "-5", 1), `dump:3:72:time/start: "-5": not a time such as 2024-03-01T10:00:00, which sacct writes without SLURM_TIME_FORMAT`},
		"no processors":             {strings.Replace(one, `"CPUs": 2`, `"CPUs": null`, 1), `dump:2:3: a job without processors`},
		"no tasks":                  {strings.Replace(one, `"user"`, `"array": {"job_id": 7, "task_id": null, "task": "0x1G"}, "user"`, 1), `dump:2:65:array/task: "0x1G": not tasks of an array`},
		"an empty mask":             {strings.Replace(one, `"user"`, `"array": {"job_id": 7, "task": "0x00"}, "user"`, 1), `dump:2:48:array/task: "0x00": not tasks of an array`},
		"an array's id":             {strings.Replace(one, `"user"`, `"array": {"job_id": 5000000000, "task": "0x1"}, "user"`, 1), `dump:2:37:array/job_id: "5000000000_[0x1]": not the id of a job`},
		"an object for a number":    {strings.Replace(one, `60}`, `60, "limit": {"set": true, "number": {"x": 1}}}`, 1), `dump:4:80:time/limit/number: "{": not a number`},
		"much memory":               {strings.Replace(one, `"CPUs": 2`, `"CPUs": 2, "memory_per_cpu": {"set": true, "number": 8000000000000000}`, 1), `dump:5:46:required/memory_per_cpu: "8000000000000000Mc": not an amount of memory`},
		"much memory in TRES":       {strings.Replace(one, `"allocated": [`, `"allocated": [{"type": "cpu", "count": 2}, {"type": "mem", "count": 9007199254740993000}`, 1), `dump:5:123:tres/allocated/count: "9007199254740993000": not a count of a resource`},
		"a text for a count":        {strings.Replace(one, `"requested": [`, `"requested": [{"type": "cpu", "count": "x"}`, 1), `dump:5:77:tres/requested/count: "x": not a count of a resource`},
		"many processors in TRES":   {strings.Replace(one, `"requested": [`, `"requested": [{"type": "cpu", "count": 9000000000}`, 1), `dump:5:77:tres/requested/count: "9000000000": not a count of a resource`},
		"no id":                     {strings.Replace(one, "job_id", "id", 1), `dump:2:3: a job without job_id`},
		"squeue's":                  {`{"jobs": [{"job_id": 5, "submit_time": 17}]}`, `dump:1:11: a job without time/submission: this is JSON of another program than sacct`},
		"nobody":                    {strings.Replace(one, `"alice"`, "null", 1), `dump:2:25:user: "": nobody, and no uid either`},
		"brackets":                  {`{"jobs": [` + strings.Repeat("[", 100), "dump:1:74: more than 64 brackets inside one another"},
		"text behind it":            {one + "Hello", "dump:7:1: 'H', where the end of the file, or more of sacct's output was expected"},
		"jobs that are no list":     {`{"jobs": 5}`, "dump:1:10: '5', where '[' was expected"},
		"a closing bracket for two": {`{"meta": ], "jobs": []}`, "dump:1:10: ']', where a value was expected"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := sacct.Read(strings.NewReader(c.text), "dump", sacct.Options{})
			var f *sacct.Fault
			if !errors.As(err, &f) {
				t.Fatalf("%v, want %s", err, c.want)
			}
			if err.Error() != "sacct: "+c.want {
				t.Errorf("%v, want %s", err, c.want)
			}
			good := strings.TrimSuffix(strings.TrimSuffix(one, "\n"), "\n]}")
			h, err := sacct.Read(strings.NewReader(good+"]}"+c.text+"\n"+strings.Replace(one, "7", "8", 1)), "dump", sacct.Options{Lenient: true})
			if err != nil || h.Jobs[0].ID != 7 {
				t.Fatalf("lenient: %v, %+v, want the job before it", err, h)
			}
			ends := slices.ContainsFunc(h.Notes, func(note string) bool { return strings.HasSuffix(note, "what follows is not read.") })
			if behind := h.Jobs[len(h.Jobs)-1].ID == 8; f.Ends != ends || f.Ends == (h.Skipped == 1) || f.Ends == behind {
				t.Errorf("lenient: %d skipped, the job behind: %v, notes %q; want it skipped, or the end of the reading noted", h.Skipped, behind, h.Notes)
			}
		})
	}
}

func TestJSONWithoutJobs(t *testing.T) {
	for text, want := range map[string]string{
		`{"meta": {}, "errors": [{"description": "Unable to parse time format", "error_number": 9000}]}`: "sacct: dump: no job in the JSON: sacct says: Unable to parse time format",
		`{"meta": {"jobs": []}}`: `sacct: dump: no job in the JSON: it has no "jobs"`,
		`{"jobs": []}`:           "sacct: dump: no job in the dump",
		`{"jobs": null}`:         "sacct: dump: no job in the dump",
		`[]`:                     "sacct: dump: no job in the dump",
		"[ \n[[], []]]\n":        "sacct: dump: no job in the dump",
		`{"jobs": [], "errors": [{"description": "Connection\nrefused"}, {"description": "Connection refused"}, {"error": "Slurm is\u001b[0m gone", "description": null}]}`: "sacct: dump: no job in the dump: sacct says: Connection refused; Slurm is [0m gone",
		`{"jobs": [], "errors": null}`:         "sacct: dump: no job in the dump",
		`{"errors": [{"error_number": 9000}]}`: "sacct: dump: no job in the JSON: sacct says: an error without a name",
	} {
		if _, err := sacct.Read(strings.NewReader(text), "dump", sacct.Options{}); !errors.Is(err, accounting.ErrEmpty) || err.Error() != want {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// TestJSONBroken: where nothing is left of a broken file, the error says where reading ended.
func TestJSONBroken(t *testing.T) {
	_, err := sacct.Read(strings.NewReader(`{"jobs": [x`+one), "dump", sacct.Options{Lenient: true})
	if want := `sacct: dump: no job up to where reading ended: sacct: dump:1:11: "x", where a value was expected`; !errors.Is(err, accounting.ErrEmpty) || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// TestJSONErrors: what sacct says against its own output is noted, before the jobs and after them.
func TestJSONErrors(t *testing.T) {
	said := `"errors": [{"description": "Query was cut", "error_number": 1}]`
	for _, text := range []string{strings.TrimSuffix(one, "}\n") + ", " + said + "}", strings.Replace(one, "{", "{"+said+", ", 1)} {
		h, err := sacct.Read(strings.NewReader(text), "dump", sacct.Options{})
		if err != nil || len(h.Jobs) != 1 || !slices.Contains(h.Notes, "sacct says: Query was cut: the dump may lack jobs.") {
			t.Errorf("%s: %v, %+v", text, err, h)
		}
	}
	if h, err := sacct.Read(strings.NewReader(one), "dump", sacct.Options{}); err != nil || len(h.Notes) > 0 {
		t.Errorf("without errors: %v, %q", err, h.Notes)
	}
}

// TestJSONEligibleAsStart: the start that 22.05.0 to 22.05.7 write is mended, and no other.
func TestJSONEligibleAsStart(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var jobs []record
		bad := rapid.Bool().Draw(rt, "of 22.05.2")
		r := rapid.SampledFrom([]release{r2205, r2302, r2311}).Draw(rt, "release")
		if bad {
			r = r2205
		}
		mended, running := 0, 0
		for id := range rapid.Int64Range(1, 6).Draw(rt, "jobs") {
			j := drawRecord(rt, 901+id)
			if rapid.Bool().Draw(rt, "at once") && j.state != "PENDING" {
				j.start, j.suspended = j.eligible, rapid.Int64Range(0, 59).Draw(rt, "suspended")
				if j.end > 0 {
					j.end = j.start + j.suspended + rapid.Int64Range(0, 1000).Draw(rt, "run")
				}
			}
			if j.state == "RUNNING" {
				running++
				j.start = j.eligible
			} else if j.start > j.eligible {
				mended++
			}
			jobs = append(jobs, j)
		}
		want, err := sacct.Read(bytes.NewReader(r.asJSON(t, jobs)), "dump", sacct.Options{})
		if err != nil {
			rt.Fatal(err)
		}
		text, wrong := sacct.Read(strings.NewReader(asText(jobs)), "dump", sacct.Options{})
		if wrong != nil {
			rt.Fatal(wrong)
		}
		text.Lacks = nil // JSON lacks none
		if diff := cmp.Diff(text, want); diff != "" {
			rt.Fatalf("a good release: %s", diff)
		}
		if !bad {
			return
		}
		for i := range jobs {
			jobs[i].written = jobs[i].eligible
		}
		got, err := sacct.Read(bytes.NewReader(r.asJSON(t, jobs)), "dump", sacct.Options{})
		if err != nil {
			rt.Fatal(err)
		}
		if mended > 0 {
			want.Notes = append(want.Notes, plural.Sprintf("%d job{|s} ran for less than from start to end: sacct --json of Slurm 22.05.0 to 22.05.7 has the time from which a job was "+
				"eligible as its start. {That|Theirs} is taken from the time {it|they} ran; that of %d running job{|s} stands.", mended, running))
			slices.Sort(want.Notes)
			slices.Sort(got.Notes)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			rt.Fatalf("(-as it was +mended):\n%s", diff)
		}
	})
}

// TestJSONLaterRelease: numbers that do not fit together are left as they are in the JSON of later releases, as one may
// have written them oneself.
func TestJSONLaterRelease(t *testing.T) {
	text := strings.NewReplacer("1700000005", "1700000000", `"elapsed": 60`, `"elapsed": 10, "limit": {"set": true, "infinite": false, "number": 5}`).Replace(one)
	if h, err := sacct.Read(strings.NewReader(text), "dump", sacct.Options{}); err != nil || h.Jobs[0].Start != 1700000000 {
		t.Errorf("%v, %+v", err, h)
	}
}

// TestJSONMask: slurmctld's mask of an array's tasks is as long as Slurm's largest arrays at most.
func TestJSONMask(t *testing.T) {
	for mask, want := range map[string]int32{"0x1F": 5, "0x80000000000000000000000000000001": 2, "0x" + strings.Repeat("f", 1<<21): 1 << 23, "0x" + strings.Repeat("0", 1<<21) + "1": 0} {
		text := strings.Replace(one, `"user"`, `"array": {"job_id": 7, "task_id": null, "task": "`+mask+`"}, "user"`, 1)
		h, err := sacct.Read(strings.NewReader(text), "dump", sacct.Options{})
		if want == 0 {
			if err == nil {
				t.Errorf("%d digits are read", len(mask))
			}
			continue
		}
		if err != nil || h.Jobs[0].Tasks != want || h.Jobs[0].Array != 7 {
			t.Errorf("%.40s: %v, %+v, want %d tasks", mask, err, h, want)
		}
	}
}

// TestJSONResources: counts below zero, and Slurm's marks without a sign, are none.
func TestJSONResources(t *testing.T) {
	for _, none := range []string{"-1", "-2", "18446744073709551614", "null", `{"set": false, "number": 4}`} {
		text := strings.Replace(one, `"requested": [`, `"requested": [{"type": "mem", "count": `+none+`}, {"type": "energy", "count": 99999999999999999999}, {"type": "cpu", "count": 2}`, 1)
		var copied bytes.Buffer
		h, err := sacct.Read(strings.NewReader(text), "dump", sacct.Options{Copy: &sacct.Copy{To: &copied}})
		if err != nil || h.Jobs[0].Memory != 0 || strings.Contains(copied.String(), "mem=") || !strings.Contains(copied.String(), "cpu=2") {
			t.Errorf("%s: %v, %s", none, err, copied.String())
		}
	}
}

// TestJSONStates: a flag before the state, also one of a release to come, is not taken for it.
func TestJSONStates(t *testing.T) {
	for states, want := range map[string]string{
		`"NEW_FLAG", "FAILED"`: "FAILED", `"FAILED", "NEW_FLAG"`: "FAILED", `"NEW_FLAG", "PENDING", "REQUEUED"`: "REQUEUED", `"FAILED", "COMPLETED"`: "FAILED",
	} {
		h, err := sacct.Read(strings.NewReader(strings.Replace(one, `"COMPLETED"`, states, 1)), "dump", sacct.Options{})
		if err != nil || h.Jobs[0].State.String() != want {
			t.Errorf("%s: %v, %+v", states, err, h)
		}
	}
	if _, err := sacct.Read(strings.NewReader(strings.Replace(one, `"COMPLETED"`, `"REVOKED", "CANCELLED"`, 1)), "dump", sacct.Options{}); !errors.Is(err, accounting.ErrEmpty) {
		t.Errorf("a revoked job: %v", err)
	}
}

// TestJSONStrings: texts are those that encoding/json reads, halves of letters too.
func TestJSONStrings(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		text := `"` + strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{`\ud83d`, `\ude00`, `\u0041`, `\n`, `\\`, "x", `\"`, "ä", `\uFFFD`}), 0, 6).Draw(rt, "parts"), "") + `"`
		var want string
		if err := json.Unmarshal([]byte(text), &want); err != nil {
			rt.Fatal(err)
		}
		var in io.Reader = strings.NewReader(strings.Replace(one, `"alice"`, text+`, "association": {"user": "x"}`, 1))
		if rapid.Bool().Draw(rt, "byte by byte") {
			in = iotest.OneByteReader(in)
		}
		h, err := sacct.Read(in, "dump", sacct.Options{})
		if want == "" {
			want = "x"
		}
		if err != nil || h.Associations[0].User != want {
			rt.Fatalf("%s: %v, %+v, want %q", text, err, h, want)
		}
	})
}

// TestJSONParts: an array of jobs is read as they are, and so is one file behind another.
func TestJSONParts(t *testing.T) {
	list := strings.TrimSuffix(strings.TrimPrefix(one, `{"jobs": `), "}\n")
	for _, text := range []string{list, "[" + list + ", []]", "[[]," + list + "]", "[]\n" + list, strings.Repeat(" \n", 4000) + one, strings.Repeat(" ", 4000) + "[" + strings.Repeat(" ", 4000) + list[1:], "\ufeff" + one + strings.Replace(one, "7", "8", 1), "\n\n " + one} {
		if h, err := sacct.Read(strings.NewReader(text), "dump", sacct.Options{}); err != nil || h.Jobs[0].ID != 7 || h.Jobs[0].End != 1700000065 {
			t.Errorf("%s: %+v, %v", text, h, err)
		}
	}
}

func FuzzJSON(f *testing.F) {
	f.Add(one, true)
	f.Add(`[{"job_id": 1}]`, false)
	rt := []record{{id: 5, task: -1, offset: -1, state: "COMPLETED", user: "a", submit: 1700000000, eligible: 1700000000, start: 1700000001, end: 1700000009, cpus: 2, nodes: 1, limit: -2}}
	for _, r := range []release{r2205, r2302, r2311} {
		f.Add(string(r.asJSON(f, rt)), false)
	}
	f.Fuzz(func(t *testing.T, text string, lenient bool) {
		h, err := sacct.Read(strings.NewReader(text), "dump", sacct.Options{Lenient: lenient})
		if (h == nil) != (err != nil) {
			t.Fatal(h, err)
		}
		for i := 0; err == nil && i < len(h.Jobs); i++ {
			if j := &h.Jobs[i]; j.ID == 0 || j.Submit <= 0 || j.Procs < 1 || j.End > 0 && j.End < j.Start {
				t.Fatalf("no such job can be: %+v", *j)
			}
		}
	})
}

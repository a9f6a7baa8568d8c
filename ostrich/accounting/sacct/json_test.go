package sacct_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"slurm-ostrich/ostrich/accounting"
	"slurm-ostrich/ostrich/accounting/sacct"
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
	tasks                           string
	state                           string
	user, account, partition, qos   string
	name, line, folder, features    string
	submit, eligible, start, end    int64
	suspended, limit                int64 // minutes; -2: none
	cpus, nodes, gpus               int64
	perCPU                          int64 // MiB; 0: not asked for
	backfilled                      bool
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
			j.tasks = "1-5:2,7%3"
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
			id = fmt.Sprintf("%d_[%s]", j.array, j.tasks)
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
			"array":   map[string]any{"job_id": j.array, "limits": map[string]any{"max": map[string]any{"running": map[string]any{"tasks": 0}}}, "task_id": r.number(j.task), "task": j.tasks},
			"cluster": "c1", "constraints": j.features, "flags": flags, "het": map[string]any{"job_id": j.leader, "job_offset": r.number(j.offset)}, "job_id": j.id, "name": j.name, "submit_line": j.line,
			"partition": j.partition, "priority": r.number(-1), "qos": j.qos, "required": required, "state": map[string]any{"current": state, "reason": "None"},
			"steps": []any{map[string]any{"time": map[string]any{"submission": 1, "start": r.number(2)}, "job_id": 5, "step": map[string]any{"name": "}]\"\\"}}},
			"time":  map[string]any{"elapsed": max(0, j.end-j.start-j.suspended), "eligible": j.eligible, "submission": j.submit, "start": j.start, "end": j.end, "suspended": j.suspended, "limit": r.number(j.limit), "system": map[string]any{"seconds": 0}},
			"tres":  map[string]any{"requested": resources, "allocated": held}, "user": user, "working_directory": j.folder,
		})
	}
	text, err := json.MarshalIndent(map[string]any{"meta": map[string]any{"plugins": map[string]any{"jobs": 5}}, "jobs": list, "warnings": []any{}, "errors": []any{}}, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return text
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
		var jobs []record
		for id := range rapid.Int64Range(1, 6).Draw(rt, "jobs") {
			jobs = append(jobs, drawRecord(rt, 901+id))
		}
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
		"a negative time":           {strings.Replace(one, "1700000005", "-5", 1), `dump:3:72:time/start: "-5": not a time such as 2024-03-01T10:00:00`},
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
			if !errors.As(err, &f) || err.Error() != "sacct: "+c.want {
				t.Errorf("%v, want %s", err, c.want)
			}
			good := strings.TrimSuffix(strings.TrimSuffix(one, "\n"), "\n]}")
			h, err := sacct.Read(strings.NewReader(good+"]}"+c.text), "dump", sacct.Options{Lenient: true})
			if err != nil || h.Skipped != 1 {
				t.Errorf("lenient: %v, %+v, want the job before it, and 1 skipped", err, h)
			}
		})
	}
}

func TestJSONWithoutJobs(t *testing.T) {
	for text, want := range map[string]string{
		`{"meta": {}, "errors": [{"description": "Unable to parse time format", "error_number": 9000}]}`: "sacct: dump: no job in the JSON: sacct says: Unable to parse time format",
		`{"meta": {"jobs": []}}`: `sacct: dump: no job in the JSON: it has no "jobs"`,
		`{"jobs": []}`:           "sacct: dump: no job in the dump",
	} {
		if _, err := sacct.Read(strings.NewReader(text), "dump", sacct.Options{}); !errors.Is(err, accounting.ErrEmpty) || err.Error() != want {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// TestJSONParts: an array of jobs is read as they are, and so is one file behind another.
func TestJSONParts(t *testing.T) {
	list := strings.TrimSuffix(strings.TrimPrefix(one, `{"jobs": `), "}\n")
	for _, text := range []string{list, "\ufeff" + one + strings.Replace(one, "7", "8", 1), "\n\n " + one} {
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

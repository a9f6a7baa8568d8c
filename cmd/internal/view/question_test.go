package view

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"slurm-ostrich/cmd/internal/sidecar"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting"
	"slurm-ostrich/ostrich/accounting/ledger"
	"slurm-ostrich/priority"
	"slurm-ostrich/priority/journal"
	"slurm-ostrich/slurmdb"
)

// A list of jobs splits at commas, but not inside the brackets of an array.
func TestParseJobs(t *testing.T) {
	for _, test := range []struct {
		lists []string
		want  string
	}{
		{nil, "[]"},
		{[]string{"38,42"}, "[38 42]"},
		{[]string{"38", "35_7", "38,42"}, "[38 35_7 42]"},
		{[]string{"35_[1-3,7],42", "35_[8,9%2]"}, "[35_[1-3,7] 42 35_[8,9%2]]"},
		{[]string{",38,,42,"}, "[38 42]"},
		{[]string{"38, 42"}, "[38 42]"},
		{[]string{"38,x,y"}, `job "x": not a job id such as 17, 17_4 or 17+1`},
		{[]string{"35_[1,2"}, `job "35_[1,2": not a job id such as 17, 17_4 or 17+1`},
		{[]string{"35_1],2"}, `job "35_1]": not a job id such as 17, 17_4 or 17+1`},
		{[]string{""}, "[]"},
	} {
		names, err := ParseJobs(test.lists...)
		got := fmt.Sprint(names)
		if err != nil {
			got = err.Error()
		}
		if got != test.want {
			t.Errorf("%q: %s, want %s", test.lists, got, test.want)
		}
	}
	var many []string
	for i := range mostExplained + 1 {
		many = append(many, strconv.Itoa(i+1))
	}
	if names, err := ParseJobs(strings.Join(many[1:], ",")); err != nil || len(names) != mostExplained {
		t.Errorf("%d names: %v", len(names), err)
	}
	if _, err := ParseJobs(many...); err == nil || err.Error() != "51 jobs are named, and at most 50 are explained at a time" {
		t.Errorf("one too many: %v", err)
	}
}

// FuzzParseJobs: whatever somebody types is refused, or is a list of which each name can
// be read again and means the same.
func FuzzParseJobs(f *testing.F) {
	for _, s := range []string{"38,42", "35_7", "35_[1-3,7],40+1", "[", "],", "35_[1,2", "1_[1]_[2],3", "\x00,\xff", "4294967296", "17_99999999999999999999"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, list string) {
		names, err := ParseJobs(list)
		if err != nil {
			return
		}
		var texts []string
		for _, n := range names {
			if n.id == 0 || n.task < -1 || n.offset < -1 || (n.task >= 0 && n.offset >= 0) {
				t.Errorf("%q: %+v", list, n)
			}
			texts = append(texts, n.String())
		}
		again, err := ParseJobs(strings.Join(texts, ","))
		if err != nil || !slices.Equal(again, names) {
			t.Errorf("%q: %v, and again %v, %v", list, names, again, err)
		}
	})
}

// past is a Past with given records, rows and writes.
type past struct {
	records map[string]ledger.Record // by "id task offset"
	rows    []accounting.Row
	writes  []journal.Record
	fails   error
	first   ostrich.Time // what started earlier is too much to read

	from, to ostrich.Time // as last asked
	asked    []string
}

func (p *past) Find(_ context.Context, id ostrich.JobID, task, offset int) (ledger.Record, bool, error) {
	name := fmt.Sprint(id, task, offset)
	p.asked = append(p.asked, "find "+name)
	r, ok := p.records[name]
	return r, ok, p.fails
}

func (p *past) Started(_ context.Context, from, to ostrich.Time, visit func(*accounting.Row)) error {
	p.asked, p.from, p.to = append(p.asked, "started"), from, to
	if from < p.first {
		return fmt.Errorf("%w: it is older than %d", slurmdb.ErrTooMuch, p.first)
	}
	for i := range p.rows {
		if p.fails == nil {
			visit(&p.rows[i])
		}
	}
	return p.fails
}

func (p *past) Writes(jobs []ostrich.JobID) ([]journal.Record, error) {
	p.asked = append(p.asked, fmt.Sprint("writes ", jobs))
	return p.writes, nil
}

// cycleOf returns a cycle with job 20 pending and job 30 running, both of user "u".
func cycleOf() *Cycle {
	p := pending(20, 1)
	p.User = "u"
	return &Cycle{
		Cluster: "c", Time: 10_000, Plan: sidecar.Plan{Entries: []*priority.Entry{p}}, Pools: []Pool{{Pool: ostrich.Pool{Partitions: []string{"main"}}, Procs: 8}},
		known: known{dues: make([]due, 1), works: []ostrich.Work{3600}, live: []*ledger.Record{{
			Job: ostrich.Job{ID: 30, Submit: 1000, Start: 3000, Procs: 1}, State: accounting.Running, UserName: "u", UID: 7, Partition: "main", ArrayTask: ledger.NoTask,
		}}},
	}
}

func ask(t *testing.T, s *Cycle, p Past, by Selection) *Answer {
	t.Helper()
	s.Past = p
	a, err := s.Answer(t.Context(), Everything(), &by)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func named(lists ...string) Selection { return Selection{Jobs: lists} }

func users(names ...string) Selection { return Selection{Users: names} }

// The past is asked for what the cycle does not hold, and no more.
func TestAnswer(t *testing.T) {
	p := &past{
		records: map[string]ledger.Record{
			"40 -1 -1": {Job: ostrich.Job{ID: 40, Submit: 500, Start: 500, End: 700}, State: accounting.Failed, ArrayTask: ledger.NoTask},
			"50 3 -1":  {Job: ostrich.Job{ID: 53, Submit: 500, End: 600}, State: accounting.Cancelled, ArrayJob: 50, ArrayTask: 3, Partition: "main"},
			"60 -1 1":  {Job: ostrich.Job{ID: 61, Submit: 900, Start: 900, End: 950}, State: accounting.Completed, HetJob: 60, ArrayTask: ledger.NoTask},
		},
		rows: []accounting.Row{
			{ID: 1, UID: 8, Partition: "main", Start: 1000, End: 4600, Alloc: 2},                              // ahead of 30, 2 core-hours
			{ID: 2, UID: 8, Partition: "main", Start: 2999, Alloc: 1, Suspended: 7001 - 3600},                 // still runs, 1 core-hour
			{ID: 3, UID: 7, Partition: "main", Start: 2000, End: 5600, Alloc: 1},                              // of the same user
			{ID: 4, UID: 9, Partition: "other", Start: 2000, End: 5600, Alloc: 1},                             // in no pool
			{ID: 5, UID: 9, Partition: "main", Start: 3000, End: 5600, Alloc: 1},                              // after it
			{ID: 6, UID: 9, Partition: "main", Start: 999, End: 5600, Alloc: 1},                               // before it
			{ID: 30, UID: 7, Partition: "main", Start: 2500, End: 2600, Alloc: 1, State: accounting.Requeued}, // itself
			{ID: 7, UID: 9, Partition: "main", Start: 550, End: 560, Alloc: 1},                                // ahead of 53
		},
		writes: []journal.Record{
			{Time: 1500, Job: 30, Channel: "nice", To: 3, Why: "campaign order", Result: "applied"},
			{Time: 10, Job: 30, Channel: "nice", To: 1}, // of an earlier job with this id
			{Time: 600, Job: 53, Channel: "nice", To: 4},
			{Time: 550, Job: 50, Channel: "nice", To: 5}, // to the array, of which 53 is a task
			{Time: 601, Job: 50, Channel: "nice", To: 5}, // when that had left
		},
	}
	a := ask(t, cycleOf(), p, named("20,30,40,50_3,60+1,99,70_1"))
	var got []string
	for _, e := range a.Jobs {
		got = append(got, fmt.Sprint(e.Job, " ", e.State, " ", len(e.Writes)))
	}
	if want := []string{" PENDING 0", "30 RUNNING 1", "40 FAILED 0", "50_3 CANCELLED 2", "60+1 COMPLETED 0"}; !slices.Equal(got[1:], want[1:]) || len(got) != len(want) {
		t.Errorf("answered %q, want %q", got, want)
	}
	if want := []string{"99", "70_1"}; !slices.Equal(a.Unknown, want) || a.LeftOut != 0 || a.Cluster != "c" || a.Time != 10_000 {
		t.Errorf("unknown %v, want %v: %+v", a.Unknown, want, a)
	}
	if want := []string{"find 40 -1 -1", "find 50 3 -1", "find 60 -1 1", "find 99 -1 -1", "find 70 1 -1", "started", "writes [30 40 53 50 61]"}; !slices.Equal(p.asked, want) {
		t.Errorf("asked %q, want %q", p.asked, want)
	}
	if p.from != 500 || p.to != 3000 {
		t.Errorf("asked for starts from %d to %d", p.from, p.to)
	}
	if m := a.Jobs[1].Meanwhile; m == nil || *m != (Meanwhile{Jobs: 2, Users: 1, Work: 3, Own: 1, OwnWork: 1}) {
		t.Errorf("ahead of 30: %+v", m)
	}
	if m := a.Jobs[3].Meanwhile; m == nil || m.Jobs != 1 {
		t.Errorf("ahead of 50_3: %+v", m)
	}
	if m := a.Jobs[2].Meanwhile; m != nil {
		t.Errorf("ahead of a job that did not wait: %+v", m)
	}
}

// Without a past, what has ended is unknown.
func TestAnswerWithoutPast(t *testing.T) {
	a := ask(t, cycleOf(), nil, named("30,40"))
	if len(a.Jobs) != 1 || a.Jobs[0].Meanwhile != nil || *a.Jobs[0].Waited != 2000 || !slices.Equal(a.Unknown, []string{"40"}) {
		t.Errorf("%+v", a)
	}
}

// What is too much to read is said, and that the past cannot be asked, though not why.
func TestAnswerTooMuch(t *testing.T) {
	p := &past{fails: fmt.Errorf("%w: 10 years", slurmdb.ErrTooMuch)}
	e := ask(t, cycleOf(), p, named("30")).Jobs[0]
	if e.Meanwhile != nil || e.line("ahead") != "what started while it waited is not counted (too much to read: 10 years)" {
		t.Errorf("%+v: %s", e.Meanwhile, e)
	}
	p.fails = errors.New("no connection to db7")
	for jobs, unknown := range map[string][]string{"30": {}, "40": {"40"}} {
		a := ask(t, cycleOf(), p, named(jobs))
		if !errors.Is(a.Failed, p.fails) || !a.Asked || !slices.Equal(a.Unknown, unknown) || a.Incomplete != "accounting or the journal cannot be read now" {
			t.Errorf("%s: %+v", jobs, a)
		}
		if len(a.Jobs) > 0 && a.Jobs[0].line("ahead") != "what started while it waited is not counted (accounting cannot be asked now)" {
			t.Error(a.Jobs[0])
		}
		if text, err := json.Marshal(a); err != nil || bytes.Contains(text, []byte("db7")) {
			t.Errorf("%s, %v", text, err)
		}
	}
	p.fails = nil
	if a := ask(t, cycleOf(), p, named("30")); a.Failed != nil || a.Incomplete != "" || !a.Asked {
		t.Errorf("%+v", a)
	}
}

// A job that waited too long for its time to be read does not take what is told of others.
func TestAnswerTooOld(t *testing.T) {
	for _, test := range []struct {
		first ostrich.Time
		asked int
		want  []string // by the number of the job; "" where all is counted
	}{
		{1, 1, []string{"", "", "", "", ""}},
		{2, 2, []string{"it is older than 2", "", "", "", ""}},
		{3, 3, []string{"it is older than 3", "it is older than 3", "alone", "", ""}},
		{4, 3, []string{"it is older than 4", "it is older than 4", "alone", "", ""}},
		{5, 3, []string{"it is older than 5", "it is older than 5", "alone", "it is older than 5", "alone"}},
	} {
		s, by := cycleOf(), named()
		s.live = nil
		for _, i := range []int{3, 1, 4, 2, 5} {
			s.live = append(s.live, &ledger.Record{Job: ostrich.Job{ID: ostrich.JobID(30 + i), Submit: ostrich.Time(i), Start: 3000}, Partition: "main", ArrayTask: ledger.NoTask})
			by.Jobs = append(by.Jobs, strconv.Itoa(30+i))
		}
		p := &past{first: test.first, rows: []accounting.Row{{ID: 1, UID: 8, Partition: "main", Start: 1000, Alloc: 1}}}
		a := ask(t, s, p, by)
		if a.Failed != nil || a.Incomplete != "" || len(p.asked) != test.asked+1 {
			t.Errorf("%d: %q, %v", test.first, p.asked, a.Failed)
		}
		for _, e := range a.Jobs {
			want := map[string]string{"": "", "alone": "too much to read together with the other jobs; ask for this one alone"}
			text, ok := want[test.want[e.JobID-31]]
			if !ok {
				text = "too much to read: " + test.want[e.JobID-31]
			}
			if e.Uncounted != text || (text == "") != (e.Meanwhile != nil && e.Meanwhile.Jobs == 1) {
				t.Errorf("%d: of job %d: %+v, %q, want %q", test.first, e.JobID, e.Meanwhile, e.Uncounted, text)
			}
		}
	}
}

// Accounting may still call a job pending that the queue has no more; the past knows.
func TestAnswerJustEnded(t *testing.T) {
	s := cycleOf()
	s.live = append(s.live, &ledger.Record{Job: ostrich.Job{ID: 40, Submit: 500}, ArrayTask: ledger.NoTask})
	p := &past{records: map[string]ledger.Record{"40 -1 -1": {Job: ostrich.Job{ID: 40, Submit: 500, Start: 500, End: 700}, State: accounting.Completed}}}
	if e := ask(t, s, p, named("40")).Jobs[0]; e.Ended == nil {
		t.Errorf("%s", e)
	}
	p.records = nil
	if e := ask(t, s, p, named("40")).Jobs[0]; !strings.HasPrefix(e.Verdict, "By the accounting tables it waits, ") {
		t.Errorf("%s", e)
	}
}

// The jobs of a user are those that wait, and then those that run; of many the first.
func TestAnswerOfUser(t *testing.T) {
	s := cycleOf()
	a := ask(t, s, nil, users("u"))
	if len(a.Jobs) != 2 || a.Jobs[0].Slurm == nil || a.Jobs[1].Started == nil || a.LeftOut != 0 {
		t.Errorf("%+v", a)
	}
	if a = ask(t, s, nil, users("nobody")); a.Jobs == nil || len(a.Jobs) != 0 {
		t.Errorf("nobody: %+v", a)
	}
	for i := range 60 {
		p := pending(ostrich.JobID(100+i), 2+i)
		p.User = "u"
		s.Plan.Entries = append(s.Plan.Entries, p)
		s.works, s.dues = append(s.works, 1), append(s.dues, due{})
	}
	a = ask(t, s, nil, users("u"))
	if len(a.Jobs) != mostExplained || a.LeftOut != 62-mostExplained || *a.Jobs[0].Rank != 1 {
		t.Errorf("%d jobs, %d left out", len(a.Jobs), a.LeftOut)
	}
}

// A job that started after the queue was read, and before accounting was, runs. It is
// answered once.
func TestAnswerJustStarted(t *testing.T) {
	s := cycleOf()
	array := pending(40, 3)
	array.User, array.Array, array.Tasks, array.Full = "u", 40, "3-5", "40_[3-5]"
	s.Plan.Entries = append(s.Plan.Entries, pending(30, 2), array)
	s.Plan.Entries[1].User = "u"
	s.works, s.dues = append(s.works, 1, 1), append(s.dues, due{}, due{})
	s.live = append(s.live, &ledger.Record{Job: ostrich.Job{ID: 43, Submit: 1000, Start: 3000}, State: accounting.Running, UserName: "u", Partition: "main", ArrayJob: 40, ArrayTask: 3})
	var got []string
	for _, e := range ask(t, s, nil, users("u")).Jobs {
		got = append(got, fmt.Sprint(e.JobID, " ", e.Slurm == nil))
	}
	if want := []string{"20 false", "40 false", "30 true", "43 true"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	for job, runs := range map[string]bool{"20": false, "30": true, "40": false, "40_3": true, "40_4": false, "40_[3-5]": false} {
		if e := explainOne(t, s, job); (e.Slurm == nil) != runs || strings.HasPrefix(e.Verdict, "It runs. ") != runs {
			t.Errorf("%s: %s", job, e)
		}
	}
}

// Of an array that is named as a whole one task is explained, and the answer says so.
func TestAnswerArray(t *testing.T) {
	ended := ledger.Record{Job: ostrich.Job{ID: 50, Submit: 500, Start: 500, End: 600}, State: accounting.Completed, ArrayJob: 50, ArrayTask: 99}
	p := &past{records: map[string]ledger.Record{"50 -1 -1": ended, "50 99 -1": ended}}
	s := cycleOf()
	s.live = append(s.live, &ledger.Record{Job: ostrich.Job{ID: 61, Submit: 500, Start: 500}, State: accounting.Running, ArrayJob: 60, ArrayTask: 4})
	for job, of := range map[string]string{
		"50": "Job 50 is an array of which no task waits, and this is its task 50_99. ", "50_[1-3,7]": "Job 50 is an array of which no task waits, and this is its task 50_99. ", "50_99": "",
		"60": "Job 60 is an array of which no task waits, and this is its task 60_4. ", "60_4": "", "61": "", "30": "",
	} {
		e := ask(t, s, p, named(job)).Jobs[0]
		if of != "" {
			of += "To have another explained, name it so. "
		}
		if it, told := strings.CutPrefix(e.Verdict, of); !told || !strings.HasPrefix(it, "It ") {
			t.Errorf("%s: %q", job, e.Verdict)
		}
	}
}

// A job that may not be seen is as unknown as one that does not exist, whether the cycle
// or the past has it.
func TestAnswerSeen(t *testing.T) {
	p := &past{records: map[string]ledger.Record{
		"40 -1 -1": {Job: ostrich.Job{ID: 40, Submit: 500, Start: 500, End: 700}, UserName: "w", State: accounting.Failed, ArrayTask: ledger.NoTask},
		"41 -1 -1": {Job: ostrich.Job{ID: 41, Submit: 500, Start: 500, End: 700}, UserName: "u", State: accounting.Failed, ArrayTask: ledger.NoTask},
	}}
	for user, want := range map[string]string{"u": "3 [40 99]", "w": "1 [20 30 41 99]", "": "0 [20 30 40 41 99]"} {
		s, by := cycleOf(), named("20,30,40,41,99")
		s.Past = p
		a, err := s.Answer(t.Context(), &Viewer{Names: []string{user}}, &by)
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(len(a.Jobs), " ", a.Unknown); got != want {
			t.Errorf("%s sees %s, want %s", user, got, want)
		}
		everybody := users("u")
		if a, err = s.Answer(t.Context(), &Viewer{Names: []string{user}}, &everybody); err != nil || (len(a.Jobs) > 0) != (user == "u") || a.Hidden != (user != "u") {
			t.Errorf("%s sees of u: %+v, hidden: %v, %v", user, a.Jobs, a.Hidden, err)
		}
		if a, err = s.Answer(t.Context(), &Viewer{Names: []string{user}, Jobs: true}, &everybody); err != nil || a.Hidden {
			t.Errorf("where nothing is hidden: %v, %v", a.Hidden, err)
		}
	}
	// slurmdbd may hide ended jobs where slurmctld hides nothing.
	for _, test := range []struct {
		v    Viewer
		want string
	}{
		{Viewer{Jobs: true, Ended: true}, "4 [99]"},
		{Viewer{Jobs: true}, "2 [40 41 99]"},
		{Viewer{Jobs: true, Names: []string{"w"}}, "3 [41 99]"},
		{Viewer{Ended: true}, "0 [20 30 40 41 99]"},
	} {
		s, by := cycleOf(), named("20,30,40,41,99")
		s.Past = p
		a, err := s.Answer(t.Context(), &test.v, &by)
		if err != nil || fmt.Sprint(len(a.Jobs), " ", a.Unknown) != test.want {
			t.Errorf("%+v sees %d %v, want %s; %v", test.v, len(a.Jobs), a.Unknown, test.want, err)
		}
	}
	for _, by := range []Selection{{}, {Jobs: []string{"x"}}} {
		if a, err := cycleOf().Answer(t.Context(), Everything(), &by); err == nil {
			t.Errorf("%+v: %+v", by, a)
		}
	}
}

// Shares that are hidden are not in explanations, though the job is.
func TestAnswerShares(t *testing.T) {
	for user, want := range map[string]bool{"u": true, "w": false} {
		s, v := cycleOf(), NewViewer([]string{"usage"})
		s.describePool(&s.Pools[0], []ostrich.User{{User: 1}}, []ostrich.Campaign{{User: 1, Lead: 20, Pending: []ostrich.JobID{20}, Running: []ostrich.JobID{30}}}, func(ostrich.UserID) string { return "u" })
		v.Names = []string{user}
		for _, by := range []Selection{named("20,30"), users("u")} {
			a, err := s.Answer(t.Context(), v, &by)
			if err != nil || len(a.Jobs) != 2 {
				t.Fatalf("%+v, %v", a, err)
			}
			for _, e := range a.Jobs {
				if c := e.Campaign; (c.Share != nil) != want || (c.Entitled != nil) != want || (c.Held != nil) != want || (e.line("share") != "") != want {
					t.Errorf("%s sees of job %d: %s", user, e.JobID, e)
				}
			}
		}
	}
}

// TestVerdictIsPlain: an explanation may come from another host, and controls no terminal.
func TestVerdictIsPlain(t *testing.T) {
	e := Explanation{Verdict: "It waits\x1b[2J.\nIt runs."}
	if text := e.String(); strings.Count(text, "\n") != strings.Count((&Explanation{}).String(), "\n") || strings.Contains(text, "\x1b") {
		t.Errorf("%q", text)
	}
}

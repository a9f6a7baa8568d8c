package view

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"slurm-ostrich/cmd/internal/format"
	"slurm-ostrich/cmd/internal/sidecar"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting"
	"slurm-ostrich/ostrich/accounting/ledger"
	"slurm-ostrich/priority"
)

// pending returns an entry of a plan. Each job is a campaign of its own.
func pending(job ostrich.JobID, rank int) *priority.Entry {
	return &priority.Entry{
		Queued: &priority.Queued{Job: job, Reason: "Priority", CPUs: 1, TimeLimit: 3600}, Place: ostrich.Place{Lead: job}, Rank: rank, SlurmRank: rank,
	}
}

// explainOne explains a job of a cycle, by its id.
func explainOne(t *testing.T, s *Cycle, job string) *Explanation {
	t.Helper()
	name, err := ParseJob(job)
	if err != nil {
		t.Fatal(err)
	}
	e, err := s.Explain(name)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// line returns the text of the first line with a label, "" if there is none.
func (e *Explanation) line(label string) string {
	if i := slices.IndexFunc(e.Lines(), func(l Line) bool { return l.Label == label }); i >= 0 {
		return e.Lines()[i].Text
	}
	return ""
}

// A campaign on time has no word on lateness; a late one competes by what is left
// of it until it is overdue.
func TestLate(t *testing.T) {
	const end, front = 5000, 91_400
	for _, test := range []struct {
		completed, overdue        bool
		verdict, order, lateShort string
	}{
		{
			verdict: "It waits for its turn: campaigns that are nearer to their end go first.",
			order:   "on a machine shared by all at all times it would end at " + format.Moment(end) + "; the less is left until its end there, the earlier it goes",
		},
		{
			completed: true, lateShort: "late",
			verdict: "It waits for its turn: its campaign is late, and campaigns with less work left go first.",
			order: "on a machine shared by all at all times it would have ended at " + format.Moment(end) +
				"; 1.50 core-hours of it are left, and the less is left, the earlier it goes; from " + format.Moment(front) + " on it goes first",
		},
		{
			completed: true, overdue: true, lateShort: "overdue",
			verdict: "It waits for its turn: its campaign is overdue, and only campaigns that are overdue for longer go first.",
			order: "on a machine shared by all at all times it would have ended at " + format.Moment(end) +
				"; 1.50 core-hours of it are left, and since " + format.Moment(front) + " it is overdue: it goes before all that is not",
		},
	} {
		c := ostrich.Campaign{
			User: 2, Lead: 20, First: 100, Pending: []ostrich.JobID{20}, Work: 7200, Left: 5400, VirtualEnd: end, FrontBy: front,
			Completed: test.completed, Overdue: test.overdue,
		}
		s := &Cycle{
			Plan:  sidecar.Plan{Entries: []*priority.Entry{pending(10, 1), pending(20, 2)}},
			known: known{dues: make([]due, 2), works: []ostrich.Work{3600, 5400}}, Pools: []Pool{{Procs: 4}}, Enforced: true,
		}
		s.describePool(&s.Pools[0], []ostrich.User{{User: 1}, {User: 2}}, []ostrich.Campaign{{User: 1, Lead: 10, Pending: []ostrich.JobID{10}}, c},
			func(ostrich.UserID) string { return "user" })
		e := explainOne(t, s, "20")
		if e.Verdict != test.verdict {
			t.Errorf("verdict %q, want %q", e.Verdict, test.verdict)
		}
		if order := e.line("order"); order != test.order {
			t.Errorf("order: %q, want %q", order, test.order)
		}
		listed := s.Campaigns[1]
		if got := listed.Late(); got != test.lateShort || listed.Left != 1.5 || *listed.FrontBy != front || listed.Overdue != test.overdue {
			t.Errorf("late %q, %v core-hours left, first by %v, overdue %v", got, listed.Left, *listed.FrontBy, listed.Overdue)
		}
	}
}

// What Slurm says of a job that cannot start leads, and there is neither an expected
// start nor a bound for it.
func TestVerdictOfSlurm(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(e *priority.Entry)
		want   string
	}{
		{"held by its user", func(e *priority.Entry) { e.Reason, e.Wait, e.Full = "JobHeldUser", priority.Kept, "20_[1-3]" }, "Its user holds it (Slurm's reason: JobHeldUser). It can start after: scontrol release 20_[1-3]"},
		{"held by an administrator", func(e *priority.Entry) { e.Reason, e.Wait = "JobHeldAdmin", priority.Kept }, "An administrator holds it (Slurm's reason: JobHeldAdmin). Only an administrator can release it."},
		{"requeued too often", func(e *priority.Entry) { e.Reason, e.Wait = "JobHoldMaxRequeue", priority.Kept }, "It is held (Slurm's reason: JobHoldMaxRequeue). It can start after it is released."},
		{"depends", func(e *priority.Entry) {
			e.Reason, e.Wait, e.Dependency = "Dependency", priority.Dependent, "afterok:10"
		}, "It waits for what it depends on: afterok:10 (Slurm's reason: Dependency)."},
		{"depends in vain", func(e *priority.Entry) {
			e.Reason, e.Wait, e.Dependency = "DependencyNeverSatisfied", priority.Dependent, "afterok:10"
		}, "It never starts, because what it depends on has not come true: afterok:10 (Slurm's reason: DependencyNeverSatisfied). Cancel it, or change its dependency."},
		{"begins later", func(e *priority.Entry) { e.Reason, e.Wait = "BeginTime", priority.Later }, "It is to begin later (Slurm's reason: BeginTime)."},
		{"array limit", func(e *priority.Entry) { e.Reason, e.Wait = "JobArrayTaskLimit", priority.Limited }, "As many tasks of its array run as may run at a time (Slurm's reason: JobArrayTaskLimit). One of them must end first."},
		{"limit", func(e *priority.Entry) { e.Reason, e.Wait = "QOSMaxCpuPerUserLimit", priority.Limited }, "A limit of its user, account or QOS is reached (Slurm's reason: QOSMaxCpuPerUserLimit). Other jobs under that limit must end first."},
		{"impossible", func(e *priority.Entry) { e.Reason, e.Wait = "PartitionConfig", priority.Impossible }, "It asks for what it cannot get (Slurm's reason: PartitionConfig). It does not start unless it is changed (scontrol update) or an administrator changes the limits."},
		{"too wide", func(e *priority.Entry) { e.Reason, e.CPUs = "Resources", 9 }, "It asks for 9 processors, and there are 8 at present (Slurm's reason: Resources)."},
		{"nodes", func(e *priority.Entry) { e.Reason = "Licenses" }, "It waits for licenses that others hold; of the jobs that wait for them, those that are earlier in the order get them first (Slurm's reason: Licenses)."},
		{"kept nodes", func(e *priority.Entry) { e.Reason = "ReqNodeNotAvail, May be reserved for other job" }, "The nodes that it needs are kept for now, for a job that goes first or by a reservation (Slurm's reason: ReqNodeNotAvail, May be reserved for other job)."},
		{"another reason", func(e *priority.Entry) { e.Reason = "FedJobLock" }, "Slurm does not start it for now, for a reason other than its turn (Slurm's reason: FedJobLock)."},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := pending(20, 1)
			test.change(p)
			bounded := ostrich.Campaign{User: 1, Lead: 20, First: 100, Pending: []ostrich.JobID{20}, Work: 3600, VirtualEnd: 500, FrontBy: 900, Bound: 2000}
			s := &Cycle{Plan: sidecar.Plan{Entries: []*priority.Entry{p}}, known: known{dues: make([]due, 1), works: []ostrich.Work{3600}}, Pools: []Pool{{Procs: 8}}, Enforced: true, Time: 200}
			s.describePool(&s.Pools[0], []ostrich.User{{User: 1}}, []ostrich.Campaign{bounded}, func(ostrich.UserID) string { return "user" })
			e := explainOne(t, s, "20")
			if e.Verdict != test.want {
				t.Errorf("verdict %q\nwant    %q", e.Verdict, test.want)
			}
			if e.Able || e.Expected != nil || e.Campaign.Bound != nil || e.line("start")+e.line("latest")+e.line("order") != "" {
				t.Errorf("a promise: %s", e)
			}
			if s.Campaigns[0].Bound == nil {
				t.Error("the campaign itself lost its bound")
			}
			p.Wait, p.Reason, p.CPUs = priority.Able, "Priority", 1
			if e := explainOne(t, s, "20"); !e.Able || e.Expected == nil || e.line("latest") == "" {
				t.Errorf("no promise: %s", e)
			}
		})
	}
}

// What OStrich leaves alone waits in Slurm's order.
func TestVerdictLeftAlone(t *testing.T) {
	for why, want := range map[priority.Why]string{
		{Code: priority.Unheard}:                          "It is new: accounting does not have it yet, and OStrich orders it as soon as it does.",
		{Code: priority.WasRefused, About: "Job is busy"}: "OStrich cannot order it, because Slurm refused the change: Job is busy.",
		{Code: priority.IsPinned}:                         "It waits for its turn in Slurm's own order. OStrich leaves it alone: pinned by an administrator.",
	} {
		p := pending(20, 0)
		p.Why, p.SlurmRank = why, 1
		s := &Cycle{Plan: sidecar.Plan{Entries: []*priority.Entry{p}}, known: known{dues: make([]due, 1), works: []ostrich.Work{3600}}, Pools: []Pool{{Procs: 8}}, Enforced: true}
		if e := explainOne(t, s, "20"); e.Verdict != want || e.line("write") != "nothing: "+why.String() || e.Code != why.Code {
			t.Errorf("verdict %q, want %q", e.Verdict, want)
		}
	}
}

// Without enforcing, Slurm's order is the one in force.
func TestVerdictObserving(t *testing.T) {
	s := &Cycle{Plan: sidecar.Plan{Entries: []*priority.Entry{pending(20, 1)}}, known: known{dues: make([]due, 1), works: []ostrich.Work{3600}}, Pools: []Pool{{Procs: 8}}}
	const want = "It waits for its turn in Slurm's own order, as OStrich only watches this cluster. " +
		"In OStrich's order, it is the next to start, as soon as there is room for it."
	if e := explainOne(t, s, "20"); e.Verdict != want {
		t.Errorf("verdict %q, want %q", e.Verdict, want)
	}
	fresh := pending(30, 0)
	fresh.Why.Code, fresh.SlurmRank = priority.Unheard, 2
	s.Plan.Entries, s.works, s.dues = append(s.Plan.Entries, fresh), append(s.works, 3600), append(s.dues, due{})
	if e := explainOne(t, s, "30"); e.Verdict != "It is new: accounting does not have it yet. It waits for its turn in Slurm's own order, as OStrich only watches this cluster." {
		t.Errorf("verdict %q", e.Verdict)
	}
	s.Enforced = true
	if e := explainOne(t, s, "20"); e.Verdict != "It is the next to start, as soon as there is room for it." {
		t.Errorf("verdict %q", e.Verdict)
	}
}

// What became of a job that started or ended.
func TestVerdictRan(t *testing.T) {
	const submit, start, end = 1_700_000_000, 1_700_000_600, 1_700_004_200
	began, over, never := format.Moment(start), format.Moment(end), format.Moment(start)
	for _, test := range []struct {
		state accounting.State
		job   ostrich.Job
		want  string
	}{
		{accounting.Running, ostrich.Job{Start: start}, "It runs. It started at " + began + ", after a wait of 10 min."},
		{accounting.Running, ostrich.Job{Submit: start, Start: start}, "It runs. It started at " + began + ", without a wait."},
		{accounting.Suspended, ostrich.Job{Start: start}, "It is suspended. It started at " + began + ", after a wait of 10 min."},
		{accounting.Completed, ostrich.Job{Start: start, End: end}, "It has completed. It started at " + began + ", after a wait of 10 min, and ended at " + over + ", after 60 min."},
		{accounting.TimedOut, ostrich.Job{Start: start, End: end}, "It was ended by a limit. It started at " + began + ", after a wait of 10 min, and ended at " + over + ", after 60 min."},
		{accounting.State(99), ostrich.Job{Start: start, End: end}, "It ended as 99. It started at " + began + ", after a wait of 10 min, and ended at " + over + ", after 60 min."},
		{accounting.Cancelled, ostrich.Job{End: start}, "It was cancelled at " + never + ", after a wait of 10 min, and never started."},
		{accounting.Pending, ostrich.Job{}, "By the accounting tables it waits, but it is not in Slurm's queue. It has just started or ended, or accounting lost its end (sacctmgr show runawayjobs)."},
	} {
		test.job.ID = 20
		if test.job.Submit == 0 {
			test.job.Submit = submit
		}
		s := &Cycle{known: known{live: []*ledger.Record{{Job: test.job, State: test.state, ArrayTask: ledger.NoTask}}}}
		if e := explainOne(t, s, "20"); e.Verdict != test.want {
			t.Errorf("verdict %q\nwant    %q", e.Verdict, test.want)
		}
	}
}

// TestEveryState: each state of accounting that ends a job has words.
func TestEveryState(t *testing.T) {
	for s := accounting.Completed; s <= accounting.OutOfMemory; s++ {
		if ends[s.String()] == "" {
			t.Errorf("%s has no words", s)
		}
	}
	for _, s := range []accounting.State{accounting.Requeued, accounting.Resizing, accounting.Revoked} {
		if ends[s.String()] == "" {
			t.Errorf("%s has no words", s)
		}
	}
}

// What the cycle has written itself is no longer to be written.
func TestWriteDone(t *testing.T) {
	p := pending(20, 1)
	p.From, p.To, p.Write, p.Why.Code = 3, 7, true, priority.InOrder
	s := &Cycle{Plan: sidecar.Plan{Entries: []*priority.Entry{p}}, known: known{dues: make([]due, 1), works: []ostrich.Work{3600}}, Pools: []Pool{{Procs: 8}}, Enforced: true, Channel: "nice"}
	for _, want := range []string{"OStrich is to change its nice value from 3 to 7: campaign order", "nothing now, as its nice value of 7 fits OStrich's order: campaign order"} {
		if got := explainOne(t, s, "20").line("write"); got != want {
			t.Errorf("%s, want %s", got, want)
		}
		s.written = map[ostrich.JobID]bool{20: true}
	}
}

// Words agree with their numbers.
func TestPlurals(t *testing.T) {
	for _, test := range []struct {
		ahead Ahead
		want  string
	}{
		{Ahead{}, "no job"},
		{Ahead{Jobs: 1, Users: 1, Campaigns: 1, Work: 1}, "1 job of 1 other user: 1 core-hour of work; the waiting tasks of an array count as one job"},
		{Ahead{Jobs: 2, Own: 2, Work: 0.5}, "2 jobs of the same campaign: 0.50 core-hours of work; the waiting tasks of an array count as one job"},
		{Ahead{Jobs: 6, Own: 1, OwnOther: 2, Users: 2, Campaigns: 4, Work: 2}, "1 job of the same campaign, 2 of the user's other campaigns and 3 of 2 other users: 2.00 core-hours of work; the waiting tasks of an array count as one job"},
	} {
		if got := test.ahead.words(""); got != test.want {
			t.Errorf("%+v:\n%s, want\n%s", test.ahead, got, test.want)
		}
	}
	waited := ostrich.Duration(60)
	for _, test := range []struct {
		m    Meanwhile
		want string
	}{
		{Meanwhile{}, "no other job started while it waited"},
		{Meanwhile{Jobs: 1, Users: 1, Work: 1}, "1 job of 1 other user (1 core-hour so far) started while it waited; each task of an array counts"},
		{Meanwhile{Jobs: 3, Users: 2, Work: 1.5, Own: 2, OwnWork: 3}, "3 jobs of 2 other users (1.50 core-hours so far) and 2 jobs of the same user (3.00 core-hours so far) started while it waited; each task of an array counts"},
	} {
		e := Explanation{Waited: &waited, Meanwhile: &test.m}
		if got := e.line("ahead"); got != test.want {
			t.Errorf("%+v: %s, want %s", test.m, got, test.want)
		}
	}
	for _, test := range []struct {
		c    ExplainedCampaign
		want string
	}{
		{ExplainedCampaign{Processors: 1, Entitled: new(1.0), Held: new(0.0)}, "u is entitled to the whole machine of 1 processor, as no other user has work that runs or can start; the user's jobs hold 0 now"},
		{ExplainedCampaign{Processors: 8, Others: 1, Entitled: new(4.0), Held: new(3.0)}, "u is entitled to 4 of 8 processors, as 1 other user has work too; the user's jobs hold 3 now"},
		{ExplainedCampaign{Processors: 8, Others: 2, Entitled: new(8.0 / 3), Held: new(0.0)}, "u is entitled to 2.7 of 8 processors, as 2 other users have work too; the user's jobs hold 0 now"},
	} {
		if got := (&Explanation{User: "u", Campaign: &test.c}).share(); got != test.want {
			t.Errorf("%s, want %s", got, test.want)
		}
	}
}

// The sum of a priority names what is not 0, and OStrich's part first.
func TestFactors(t *testing.T) {
	for _, test := range []struct {
		f    Factors
		want string
	}{
		{Factors{Sum: 1}, "1"},
		{Factors{Sum: 1073805812, Site: 1073805762, Age: 50}, "1073805812 = OStrich's part (site) 1073805762 + age 50"},
		{Factors{Sum: 90, Age: 100, Nice: 10}, "90 = age 100 - nice 10"},
		{Factors{Sum: 110, Age: 100, Nice: -10}, "110 = age 100 + nice 10"},
		{Factors{Sum: 5, Assoc: 1, Fairshare: 1, JobSize: 1, Partition: 1, QOS: 1, TRES: -1}, "5 = assoc 1 + fairshare 1 + jobsize 1 + partition 1 + qos 1 - tres 1"},
	} {
		if got := test.f.String(); got != test.want {
			t.Errorf("%s, want %s", got, test.want)
		}
	}
}

// Whoever gets an explanation as JSON can print the same words.
func TestWordsFromJSON(t *testing.T) {
	waited, start := ostrich.Duration(60), ostrich.Time(1_700_000_000)
	p := pending(20, 1)
	s := &Cycle{Plan: sidecar.Plan{Entries: []*priority.Entry{p}}, known: known{dues: make([]due, 1), works: []ostrich.Work{3600}}, Pools: []Pool{{Procs: 8}}, Enforced: true, Time: start}
	s.describePool(&s.Pools[0], []ostrich.User{{User: 1}}, []ostrich.Campaign{{User: 1, Lead: 20, First: start, Pending: []ostrich.JobID{20}, Held: []ostrich.JobID{7}, Work: 3600, VirtualEnd: 500, Bound: 2000}},
		func(ostrich.UserID) string { return "user" })
	many := make([]Write, mostWritten+1)
	for i := range many {
		many[i] = Write{start, "nice", 0, int64(i), "campaign order", priority.InOrder, []string{"applied", "refused", "intended", "unknown", "undone"}[i]}
	}
	for _, e := range []*Explanation{
		explainOne(t, s, "20"),
		{Waited: &waited, Unable: 30, Uncounted: "too much to read", Writes: many[:3]},
		{Waited: &waited, Started: &start, Meanwhile: &Meanwhile{Jobs: 1, Users: 1}, Writes: many},
	} {
		text, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		var again Explanation
		if err = json.Unmarshal(text, &again); err != nil {
			t.Fatal(err)
		}
		if got, want := again.String(), e.String(); got != want {
			t.Errorf("from JSON:\n%s\nwant:\n%s", got, want)
		}
	}
}

// Writes say what became of them; of many the first and the last are listed.
func TestWritten(t *testing.T) {
	const at = 1_700_000_000
	e := Explanation{Writes: []Write{
		{at, "sitefactor", 0, 7, "campaign order", priority.InOrder, "applied"}, {at, "nice", 0, -7, "", 0, "refused"}, {at, "priority", 1, 2, "x", 0, "intended"},
	}}
	when := "at " + format.Moment(at) + ": OStrich changed its "
	want := []string{
		when + "site factor from 0 to 7: campaign order",
		when + "nice value from 0 to -7: no reason noted; Slurm refused it",
		when + "priority from 1 to 2: x; its result is not known",
	}
	for i, line := range e.Lines() {
		if line.Label != "written" || line.Text != want[i] {
			t.Errorf("%q, want %q", line.Text, want[i])
		}
	}
	for i := range 7 {
		e.Writes = append(e.Writes, Write{at, "nice", 0, int64(i), "x", 0, "applied"})
	}
	lines := e.Lines()
	if len(lines) != 3 || lines[0].Text != want[0] || lines[1].Text != "and 9 more, the last of them:" || !strings.HasSuffix(lines[2].Text, "from 0 to 6: x") {
		t.Errorf("of ten: %q", lines)
	}
}

// What goes first is told apart: the same campaign, other campaigns of the user, other users.
func TestAhead(t *testing.T) {
	var entries []*priority.Entry
	for i, user := range []string{"v", "u", "u", "w", "w", "u"} {
		e := pending(ostrich.JobID(10+i), i+1)
		e.User, e.Place.User, e.Place.Lead = user, ostrich.UserID(user[0]), e.Job
		entries = append(entries, e)
	}
	entries[1].Place.User = 1 // in another account
	entries[2].Place.Lead, entries[4].Place.Lead = 15, 13
	s := &Cycle{Plan: sidecar.Plan{Entries: entries}, known: known{dues: make([]due, 6), works: []ostrich.Work{3600, 3600, 3600, 3600, 3600, 3600}}, Pools: []Pool{{Procs: 8, Active: 3}}, Enforced: true}
	s.describePool(&s.Pools[0], []ostrich.User{{User: 1, Active: true}}, []ostrich.Campaign{{User: 1, Lead: 15, Pending: []ostrich.JobID{12, 15}}}, func(ostrich.UserID) string { return "u" })
	e := explainOne(t, s, "15")
	if want := (Ahead{Users: 2, Campaigns: 3, Jobs: 5, Work: 5, Own: 1, OwnOther: 1}); *e.Ahead != want {
		t.Errorf("%+v, want %+v", *e.Ahead, want)
	}
	if e.Campaign.Active != 3 || e.Campaign.Others != 2 {
		t.Errorf("of %d active users %d are others", e.Campaign.Active, e.Campaign.Others)
	}
}

// TestOrderedOfClasses: a rank counts through all classes of a pool, and so does the number
// of those that have one.
func TestOrderedOfClasses(t *testing.T) {
	s := &Cycle{
		Plan: sidecar.Plan{Entries: []*priority.Entry{pending(20, 5)}}, known: known{dues: make([]due, 1), works: []ostrich.Work{3600}},
		Pools: []Pool{{Pool: ostrich.Pool{Name: "a"}, Procs: 8, Managed: 2}, {Pool: ostrich.Pool{Name: "a"}, Procs: 8, Managed: 3}, {Pool: ostrich.Pool{Name: "b"}, Procs: 8, Managed: 7}},
	}
	s.Plan.Entries[0].Pool = "a"
	if e := explainOne(t, s, "20"); e.Ordered != 5 || *e.Rank != 5 {
		t.Errorf("place %d of %d, want 5 of 5", *e.Rank, e.Ordered)
	}
}

package sidecar

import (
	"slices"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"slurm-ostrich/cmd/internal/configuration"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting"
	"slurm-ostrich/ostrich/accounting/ledger"
	"slurm-ostrich/priority"
)

// queued is a job as the queue has it once it has been submitted.
func queued(j *ostrich.Job) priority.Queued {
	return priority.Queued{
		Job: j.ID, UID: uint32(j.User), User: "u" + strconv.Itoa(int(j.User)), Partition: j.Partition, Full: strconv.Itoa(int(j.ID)),
		Count: j.Count(), CPUs: j.Procs, TimeLimit: j.Estimate, Priority: 100, Listed: true, SiteKnown: true,
		State: "PENDING", Reason: "Priority", Submit: j.Submit,
	}
}

func jobOf(id, user int, at ostrich.Time) ostrich.Job {
	return ostrich.Job{
		ID: ostrich.JobID(id), User: ostrich.UserID(user), Partition: "main", Tasks: 1, Procs: 1 + id%3, Estimate: ostrich.Duration(60 * (1 + id%5)), Submit: at,
	}
}

// tell lets accounting know a job.
func (s *site) tell(j *ostrich.Job) {
	s.Events = append(s.Events, ostrich.Event{At: j.Submit, Kind: ostrich.Submit, Job: *j})
	s.Records[j.ID] = &ledger.Record{Job: *j}
}

// A job that accounting has not told of is ordered by what the queue says.
func TestProvisional(t *testing.T) {
	w := newSite()
	w.submit(1, 1, 9000, "main")
	s := w.start(t)
	run(t, s, false)

	w.Now += 10
	j := jobOf(2, 2, w.Now-1)
	w.Pending = append(w.Pending, queued(&j))
	held := jobOf(3, 2, w.Now-1)
	w.Pending = append(w.Pending, queued(&held))
	w.Pending[2].Reason, w.Pending[2].Priority = "JobHeldUser", 0
	unclear := jobOf(4, 3, w.Now-1)
	w.Pending = append(w.Pending, queued(&unclear))
	w.Pending[3].CPUs = 0
	c := run(t, s, true)
	equal(t, "provisional", 2, len(c.Provisional))
	equal(t, "managed", 2, c.Plan.Summary.Managed)
	e := c.Plan.Entries[slices.IndexFunc(c.Plan.Entries, func(e *priority.Entry) bool { return e.Job == 2 })]
	equal(t, "rank of a job of three minutes beside one of ten", 1, e.Rank)
	equal(t, "why says where it is from", "campaign order; not yet in accounting", e.Why.String())
	equal(t, "written", true, slices.ContainsFunc(w.sent[0], func(ch priority.Change) bool { return ch.Job == 2 }))
	equal(t, "kept back", []ostrich.JobID{3}, c.Pools[0].Schedule.Kept())
	equal(t, "why of a job that the queue says too little of", priority.Unheard, c.Plan.Entries[slices.IndexFunc(c.Plan.Entries, func(e *priority.Entry) bool { return e.Job == 4 })].Why.Code)

	// The row comes, and nothing is to be written.
	w.Now += 10
	w.tell(&j)
	c = run(t, s, true)
	equal(t, "provisional", 1, len(c.Provisional))
	equal(t, "writes", 0, c.Plan.Summary.Writes)

	// One that has ended before accounting is asked is expected no more; one that is
	// gone without a word leaves nothing behind.
	gone := jobOf(5, 4, w.Now)
	w.Pending = append(w.Pending, queued(&gone))
	equal(t, "known from the queue", 2, len(run(t, s, false).Provisional))
	end := gone
	end.End = w.Now
	w.Events = append(w.Events, ostrich.Event{At: gone.Submit, Kind: ostrich.Submit, Job: gone}, ostrich.Event{At: w.Now, Kind: ostrich.End, Job: end})
	equal(t, "ended meanwhile", 1, len(run(t, s, false).Provisional))
	w.Pending = w.Pending[:2]
	w.Now += 10
	c = run(t, s, false)
	equal(t, "provisional", 0, len(c.Provisional))
	equal(t, "unfinished campaigns", 2, c.Pools[0].Schedule.Unfinished())
}

// What names users goes by the names of accounting, whatever squeue shows. Of a user
// whom accounting has not seen nobody knows whether the name is among them.
func TestProvisionalExcluded(t *testing.T) {
	for what, tt := range map[string]struct {
		edit    func(*configuration.Config)
		managed int
	}{
		"nobody":      {func(*configuration.Config) {}, 3},
		"excluded":    {func(c *configuration.Config) { c.Exclude.Users = []string{"u2"} }, 1},
		"another one": {func(c *configuration.Config) { c.Exclude.Users = []string{"u9"} }, 2},
		"included":    {func(c *configuration.Config) { c.Include.Users = []string{"u2"} }, 1},
		"as shown":    {func(c *configuration.Config) { c.Include.Users = []string{"1234"} }, 0},
	} {
		w := newSite()
		w.unseen = map[ostrich.UserID]bool{3: true}
		for i := range 3 {
			j := jobOf(i+1, i+1, w.Now-1)
			q := queued(&j)
			if i > 0 {
				q.User = "1234" // the host does not know the user
			}
			w.Pending = append(w.Pending, q)
		}
		c := run(t, w.start(t, tt.edit), false)
		equal(t, what+": managed", tt.managed, c.Plan.Summary.Managed)
	}
}

// Accounting reports jobs up to a minute late, also after others that came later.
func TestProvisionalLate(t *testing.T) {
	for ago, want := range map[ostrich.Time]int{0: 1, 59: 1, 60: 0} {
		w := newSite()
		w.submit(1, 1, 9900, "main")
		s := w.start(t)
		run(t, s, false)
		j := jobOf(2, 2, 9900-ago)
		w.Pending = append(w.Pending, queued(&j))
		equal(t, "provisional", want, len(run(t, s, false).Provisional))
	}
}

// What the queue says of a component of a heterogeneous job, and of a limit that is none.
func TestWaiting(t *testing.T) {
	q := priority.Queued{Job: 41, Full: "40+1", CPUs: 3, Count: 1, TimeLimit: priority.Unlimited, Submit: 7}
	equal(t, "waiting", ledger.Waiting{ID: 41, Het: 40, Procs: 3, Tasks: 1, Submit: 7}, waiting(&q))
}

// Accounting has reported a job with an invalid row.
func TestProvisionalLeftOut(t *testing.T) {
	w := newSite()
	j := jobOf(2, 2, w.Now-1)
	w.Pending = append(w.Pending, queued(&j))
	w.Skipped = []ledger.Skip{{Job: 2, Why: "asks for no processor"}}
	s := w.start(t)
	for range 2 {
		c := run(t, s, false)
		equal(t, "provisional", 0, len(c.Provisional))
		equal(t, "why", priority.Why{Code: priority.InvalidRow, About: "asks for no processor"}, c.Plan.Entries[0].Why)
	}
}

// Of an array it is its waiting tasks that are ordered at once, even where a task of it
// runs already. A task that leaves them waits for its row: it is counted there.
func TestProvisionalArray(t *testing.T) {
	w := newSite()
	s := w.start(t)
	run(t, s, false)
	w.Now += 10
	j := jobOf(7, 1, w.Now-2)
	j.Group, j.Tasks = 7, 9
	set := queued(&j)
	set.Array, set.Tasks, set.Full = 7, "2-10", "7_[2-10]"
	w.Pending = append(w.Pending, set)
	task := jobOf(8, 1, w.Now-2)
	task.Group, task.Start = 7, w.Now-1
	w.tell(&task)
	w.Records[8] = &ledger.Record{Job: task, ArrayJob: 7, ArrayTask: 1, State: accounting.Running}
	c := run(t, s, false)
	equal(t, "provisional", 1, len(c.Provisional))
	equal(t, "jobs", 9, c.Provisional[0].Job.Count())

	w.Now += 10
	w.tell(&j)
	w.Records[7] = &ledger.Record{Job: j, ArrayJob: 7, ArrayTask: ledger.NoTask}
	alone := jobOf(9, 1, w.Now-12)
	split := queued(&alone)
	split.Array, split.Tasks, split.Full = 7, "5", "7_5"
	w.Pending = append(w.Pending, split)
	c = run(t, s, false)
	equal(t, "provisional", 0, len(c.Provisional))
}

// What is known from the queue for a while leaves no trace: a sidecar that saw jobs
// there first, one that heard of each from accounting at once, and one that starts
// afterwards agree on the order. Rows come in any order.
func TestProvisionalLeavesNoTrace(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		early, prompt := newSite(), newSite()
		a, b := early.start(t), prompt.start(t)
		var waiting []ostrich.Job // of which accounting has not told
		var all []ostrich.Event
		id := 0
		both := func(step func(w *site)) { step(early); step(prompt) }
		for range rapid.IntRange(1, 12).Draw(rt, "cycles") {
			for range rapid.IntRange(0, 4).Draw(rt, "submissions") {
				id++
				j := jobOf(id, rapid.IntRange(1, 3).Draw(rt, "user"), early.Now-ostrich.Time(rapid.IntRange(0, 9).Draw(rt, "ago")))
				q := queued(&j)
				if rapid.IntRange(0, 4).Draw(rt, "limit") == 0 {
					q.Reason = "QOSMaxJobsPerUserLimit"
				}
				both(func(w *site) { w.Pending = append(w.Pending, q) })
				prompt.tell(&j)
				waiting = append(waiting, j)
				all = append(all, ostrich.Event{At: j.Submit, Kind: ostrich.Submit, Job: j})
			}
			for _, j := range rapid.Permutation(waiting).Draw(rt, "rows") {
				if rapid.Bool().Draw(rt, "row") {
					early.tell(&j)
					waiting = slices.DeleteFunc(waiting, func(o ostrich.Job) bool { return o.ID == j.ID })
				}
			}
			got, want := run(t, a, false), run(t, b, false)
			if x, y := order(got), order(want); !slices.Equal(x, y) {
				rt.Fatalf("known from the queue %v, from accounting %v", x, y)
			}
			if n := len(got.Provisional); n != len(waiting) {
				rt.Fatalf("%d provisional jobs, want %d", n, len(waiting))
			}
			both(func(w *site) { w.Now += 10 })
		}
		for _, j := range waiting {
			early.tell(&j)
		}
		got := run(t, a, false)
		fresh := newSite()
		fresh.Now, fresh.Pending, fresh.Records = early.Now, early.Pending, early.Records
		fresh.Events = append(fresh.Events, all...)
		want := run(t, fresh.start(t), false)
		if x, y := order(got), order(want); !slices.Equal(x, y) {
			rt.Fatalf("ran through %v, started afterwards %v", x, y)
		}
	})
}

// order is the managed jobs of a plan as they stand in it.
func order(c *Cycle) (jobs []ostrich.JobID) {
	for _, e := range c.Plan.Entries {
		if e.Rank > 0 {
			jobs = append(jobs, e.Job)
		}
	}
	return jobs
}

package statuspage

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"slurm-ostrich/cmd/internal/configuration"
	"slurm-ostrich/cmd/internal/live"
	"slurm-ostrich/cmd/internal/sidecar"
	"slurm-ostrich/cmd/internal/statuspage/statuspagetest"
	"slurm-ostrich/cmd/internal/view"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting/ledger"
	"slurm-ostrich/priority"
	"slurm-ostrich/priority/journal"
)

func TestHealthWords(t *testing.T) {
	s := taken(t, 5, 60)
	now := time.Unix(5000, 0)
	well := Daemon{Health: Health{Mode: "enforce", Channel: "nice", LastSuccess: Unix(now.Add(-time.Minute))}, Journal: "j"}
	for _, test := range []struct {
		name   string
		change func(d *Daemon)
		want   string
	}{
		{"well", func(*Daemon) {}, "All is well: 60 of 60 pending jobs ordered."},
		{"a check fails", func(d *Daemon) { d.Odd = 1 }, "Cycles succeed, but these checks fail: rows."},
		{"behind", func(d *Daemon) { d.Lag = 70 }, "Accounting is 70 s behind, so the virtual schedule stands still."},
		{"late", func(d *Daemon) { d.Unready = errors.New("long ago") }, "The latest cycle that succeeded ended at " + local(4940) + ", which is long ago."},
		{
			"failing",
			func(d *Daemon) { d.Failures, d.Since, d.LastError = 3, Unix(now.Add(-50*time.Second)), "no connection" },
			"3 cycles failed since " + local(4950) + ": no connection. What is shown is from before.",
		},
		{"starting", func(d *Daemon) { d.LastSuccess = 0 }, "The first cycle is not over yet."},
	} {
		d := well
		test.change(&d)
		if got := s.With(&d, now).Health; got.Words != "ostrichd orders the queue of testbed through nice. "+test.want {
			t.Errorf("%s: %q", test.name, got.Words)
		}
	}
	h := s.With(&well, now).Health
	if h.Behind != 60 || h.Cluster != "testbed" || h.Slurm != "22.05.8" || !h.Ready || h.Time != statuspagetest.Now {
		t.Errorf("%+v", h)
	}
	if s.Health.Mode != "observe" {
		t.Error("With has changed the snapshot itself")
	}
}

// failing names the checks that are not well, with how to fix them.
func failing(s *Snapshot) string {
	var list []string
	for _, c := range s.Checks {
		switch {
		case c.Name == "", c.Words == "", c.OK != (c.Fix == ""):
			list = append(list, fmt.Sprintf("%+v", c))
		case !c.OK:
			list = append(list, c.Name)
		}
	}
	return strings.Join(list, " ")
}

func TestChecks(t *testing.T) {
	base := taken(t, 5, 60)
	now := time.Unix(5000, 0)
	for _, test := range []struct {
		want string
		d    Daemon
	}{
		{"", Daemon{Health: Health{Mode: "observe"}}},
		{"", Daemon{Health: Health{Mode: "enforce"}, Journal: "/var/lib/ostrich/journal.jsonl", Written: 5}},
		{"cycles", Daemon{Health: Health{Mode: "observe", Failures: 1, LastError: "away"}}},
		{"cycles", Daemon{Health: Health{Mode: "observe"}, Unready: errors.New("the latest successful cycle was 2m0s ago")}},
		{"accounting", Daemon{Health: Health{Mode: "observe", Lag: 5}}},
		{"rows", Daemon{Health: Health{Mode: "observe"}, Skipped: 1}},
		{"rows", Daemon{Health: Health{Mode: "observe"}, Odd: 1}},
		{"writes", Daemon{Health: Health{Mode: "enforce"}, Journal: "j", Refused: 1}},
		{"writes", Daemon{Health: Health{Mode: "enforce"}, Journal: "j", NoEffect: 1}},
		{"journal", Daemon{Health: Health{Mode: "enforce"}}},
		{"journal", Daemon{Health: Health{Mode: "observe"}, Journal: "j", Unread: errors.New("permission denied")}},
	} {
		if got := failing(base.With(&test.d, now)); got != test.want {
			t.Errorf("%+v: %q", test.d, got)
		}
	}
	nights := func(period string, ages ...int) string { // in days
		s := *base
		for i, p := range live.Periods {
			if len(ages) > i {
				s.Nights = append(s.Nights, live.Night{Period: p.Name, Made: Unix(now) - ostrich.Time(86400*ages[i])})
			}
		}
		with := s.With(&Daemon{Health: Health{Mode: "observe"}}, now)
		for _, c := range with.Checks {
			if c.Name == "nightly comparison" && !strings.Contains(c.Words, " of a "+period+" ") {
				t.Errorf("%d: %s", ages, c.Words)
			}
		}
		return failing(with)
	}
	if got := nights("week", 0, 3); got != "nightly comparison" {
		t.Errorf("a stale week beside a fresh day: %q", got)
	}
	for _, got := range []string{nights("week", 3, 0), nights("day", 0), nights("")} { // no job has run for days; no week was made yet
		if got != "" {
			t.Errorf("%q", got)
		}
	}
	undone := *base
	behind := *base.cycle
	behind.Plan.Summary.Undone = 2
	undone.cycle = &behind
	if got := failing(undone.With(&Daemon{Health: Health{Mode: "observe"}}, now)); got != "backfill" {
		t.Errorf("undone writes: %q", got)
	}
	bad := *base
	bad.Pools = []Pool{{Pool: "gpu"}}
	c := *base.cycle
	c.Options.Channel, c.Options.Controller.BackfillContinue = priority.SiteFactor, false
	c.Options.Controller.PriorityType = "priority/basic"
	bad.cycle = &c
	if got := failing(bad.With(&Daemon{Health: Health{Mode: "observe"}}, now)); got != "processors of gpu priority priority" {
		t.Errorf("a pool without processors, a channel that cannot work: %q", got)
	}
}

func TestWrites(t *testing.T) {
	s := taken(t, 2, 10).With(&Daemon{Writes: []journal.Record{
		{Time: 9, Job: 7, Channel: priority.Nice, From: -1, To: -5, Why: "campaign order", Result: priority.Refused, Words: "no"},
	}}, time.Unix(10, 0))
	want := []Write{{Time: 9, Job: 7, Channel: priority.Nice, From: -1, To: -5, Why: "campaign order", Result: "refused", Words: "no"}}
	if d := cmp.Diff(want, s.Writes); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// Accounts that share by the association tree have lanes of their own, in the
// colour of their user.
func TestPoolsAndTree(t *testing.T) {
	s, c, report := cycle(t, statuspagetest.New(4, 100), func(c *configuration.Config) { c.Schedule.Shares = ledger.Tree })
	snapshot := New(view.Describe(tree{s}, c, nil), report)
	for _, lane := range snapshot.Lanes {
		if lane.Account != "lab" || !strings.HasPrefix(lane.User, "user00") || snapshot.Users[snapshot.number(lane.User)] != lane.User {
			t.Errorf("%+v", lane)
		}
	}
	for _, one := range snapshot.Shares {
		if one.Account != "lab" {
			t.Errorf("%+v", one)
		}
	}
	if len(snapshot.Users) != 4 || len(snapshot.Lanes) != 4 || len(snapshot.Shares) != 4 {
		t.Errorf("users %v, %d lanes, %d shares", snapshot.Users, len(snapshot.Lanes), len(snapshot.Shares))
	}
}

// TestClasses: each class of a pool has a drawing of its own, with its own users and what runs of
// it, and the tables say which class a row is of. The pool's processors are checked once.
func TestClasses(t *testing.T) {
	cluster := statuspagetest.New(4, 100)
	cluster.Parts = append(cluster.Parts, priority.Partition{Name: "urgent", PriorityTier: 2})
	cluster.Submit(ostrich.Job{ID: 900, User: 2, Partition: "urgent", Procs: 4, Estimate: 3600, Submit: statuspagetest.Now - 60})
	s, c, report := cycle(t, cluster)
	snapshot := New(view.Describe(s, c, nil), report).With(&Daemon{Health: Health{Mode: "observe"}}, time.Unix(int64(statuspagetest.Now), 0))
	var lanes []string
	for _, l := range snapshot.Lanes {
		lanes = append(lanes, l.Class+" "+l.User)
	}
	if d := cmp.Diff([]string{"urgent user002", "main user000", "main user003", "main user001", "main user002"}, lanes); d != "" {
		t.Errorf("lanes (-want +got):\n%s", d)
	}
	if len(snapshot.Pools) != 2 || snapshot.Pools[0].Pending != 1 || snapshot.Pools[1].Pending != 100 || snapshot.Pools[0].Busy != 0 || snapshot.Pools[1].Busy != 32 {
		t.Errorf("pools: %+v", snapshot.Pools)
	}
	var checked []string
	for _, one := range snapshot.Checks {
		if strings.HasPrefix(one.Name, "processors") {
			checked = append(checked, one.Name+": "+one.Words)
		}
	}
	if d := cmp.Diff([]string{"processors: 32 processors, of which jobs hold 32"}, checked); d != "" {
		t.Errorf("checks (-want +got):\n%s", d)
	}
	page := written(t, snapshot, Query{})
	for want, times := range map[string]int{
		"Class urgent: 1 active user": 1, "Class main: 4 active users": 1, "Running now in class main: 32 of 32": 2, "busy processors, class urgent": 1,
		`<th scope="col" class="l">class</th>`: 3, `id="lane%2F%2Furgent%2F%2Fuser002"`: 1, `<td class="l">urgent</td>`: 3,
	} {
		if got := strings.Count(page, want); got != times {
			t.Errorf("%q is %d times on the page, want %d", want, got, times)
		}
	}
	plain := written(t, taken(t, 4, 100), Query{})
	if strings.Contains(plain, `class="l">class</th>`) || strings.Contains(plain, "in class") {
		t.Error("a class on the page of a site that has none")
	}
}

// tree names users as the association tree does.
type tree struct{ *sidecar.Sidecar }

func (t tree) UserName(id ostrich.UserID) string { return "lab/" + t.Sidecar.UserName(id) }

// TestTrialWords: the strip and the sentence say which arm of a trial it is, and when it is over.
func TestTrialWords(t *testing.T) {
	for _, tt := range []struct{ arm, words, does string }{
		{"ostrich", "trial: OStrich orders the queue until then", "orders the queue of "},
		{"stock", "trial: stock Slurm orders the queue until then", "leaves the queue of "},
		{"stock", "the trial is over since then", "leaves the queue of "},
	} {
		s := New(nil, nil).With(&Daemon{Health: Health{Mode: "trial", Channel: "nice", Trial: &TrialArm{Arm: tt.arm, Words: tt.words}}, Journal: "j"}, time.Unix(1, 0))
		want := capital(tt.words) + "."
		if words := s.Health.Words; !strings.Contains(words, " "+want) || !strings.Contains(words, tt.does) {
			t.Errorf("%s: %q", tt.words, words)
		}
	}
}

package sacctsource_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"slurm-ostrich/cmd/internal/sacctsource"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting"
	"slurm-ostrich/ostrich/accounting/ledger"
	"slurm-ostrich/priority"
	"slurm-ostrich/priority/slurm"
	"slurm-ostrich/priority/slurm/slurmtest"
	"slurm-ostrich/slurmdb"
	"slurm-ostrich/slurmdb/slurmdbtest"
)

func TestMain(m *testing.M) { os.Exit(slurmdbtest.Main(m)) }

// twin is Slurm's commands over the tables that a reader reads: they print the same
// history.
type twin struct {
	t    testing.TB
	db   *slurmdbtest.DB
	now  ostrich.Time
	fail string // the command that fails
	ran  []string
}

var errAway = errors.New("slurmdbd is away")

func (w *twin) Diag(context.Context) (slurm.Diag, error) {
	return slurm.Diag{At: w.now}, w.run("sdiag")
}

func (w *twin) run(command string) error {
	w.ran = append(w.ran, command)
	if w.fail == command {
		return errAway
	}
	return nil
}

func (w *twin) Run(_ context.Context, to io.Writer, name string, args ...string) error {
	w.t.Helper()
	var out string
	switch {
	case name == "sacct" && args[0] == "--helpformat":
		if out = "JobID State SubmitLine WorkDir "; w.db != nil && w.db.Release >= slurmdbtest.R2605 {
			out += "Exclusive\n"
		}
	case name == "sacct":
		out = slurmtest.Sacct(w.rows(), args)
	case slices.Contains(args, "associations"):
		out = w.associations()
	case slices.Contains(args, "event"):
		out, name = w.events(), "event"
	case slices.Contains(args, "qos"):
		out = "Name|Priority|UsageFactor\nnormal|0|1.000000\n"
	}
	if err := w.run(name); err != nil {
		return err
	}
	// In pieces, as from a pipe.
	for len(out) > 0 {
		n := min(len(out), 100)
		if _, err := io.WriteString(to, out[:n]); err != nil {
			return err
		}
		out = out[n:]
	}
	return nil
}

// Unfinished is squeue.
func (w *twin) Unfinished(context.Context) (all []slurm.Unfinished, err error) {
	for _, j := range w.rows() {
		if j["end"] != "" {
			continue
		}
		u := slurm.Unfinished{Job: ostrich.JobID(j.Number("id")), Submit: ostrich.Time(slurmtest.Epoch + j.Number("submit")), Text: fmt.Sprint(j)}
		switch {
		case j["start"] != "":
			u.Status = slurm.Runs
		case j["held"] != "":
			u.Wait = priority.Kept
		case ostrich.Time(slurmtest.Epoch+j.Number("eligible")) > w.now:
			u.Wait = priority.Later
		}
		all = append(all, u)
	}
	return all, w.run("squeue")
}

// query calls row with the columns of each row of a query, as text.
func (w *twin) query(query string, columns int, row func(v []string)) {
	w.t.Helper()
	rows, err := w.db.QueryContext(w.t.Context(), query)
	if err != nil {
		w.t.Fatal(err)
	}
	defer func() { _ = rows.Close() }() // it was only read
	for rows.Next() {
		v, to := make([]string, columns), make([]any, columns)
		for i := range v {
			to[i] = &v[i]
		}
		if err := rows.Scan(to...); err != nil {
			w.t.Fatal(err)
		}
		row(v)
	}
	if err := rows.Err(); err != nil {
		w.t.Fatal(err)
	}
}

func (w *twin) rows() (all []slurmtest.Job) {
	w.t.Helper()
	at := func(text string) string {
		n, _ := strconv.ParseInt(text, 10, 64)
		if n == 0 {
			return ""
		}
		return strconv.FormatInt(n-slurmtest.Epoch, 10)
	}
	exclusive := "'NO'"
	if w.db.Release >= slurmdbtest.R2605 {
		exclusive = "exclusive"
	}
	w.query("SELECT id_job, id_array_job, id_array_task, COALESCE(array_task_str, ''), het_job_id, id_user, id_assoc, `partition`, "+
		"time_submit, time_eligible, time_start, time_end, time_suspended, state, timelimit, cpus_req, tres_alloc, account, job_name, "+
		"COALESCE(derived_es, ''), wckey, "+exclusive+", work_dir, COALESCE(submit_line, '') FROM c1_job_table ORDER BY id_job, time_submit", 24, func(v []string) {
		j := slurmtest.Job{
			"id": v[0], "uid": v[5], "assoc": v[6], "partition": v[7], "submit": at(v[8]), "eligible": at(v[9]), "start": at(v[10]), "end": at(v[11]),
			"suspended": v[12], "cpus": v[15], "account": v[17], "name": v[18], "comment": v[19], "wckey": v[20], "exclusive": v[21], "workdir": v[22], "submitline": v[23], "user": "user" + v[5],
		}
		if v[8] == "0" {
			j["submit"] = strconv.Itoa(-slurmtest.Epoch)
		}
		if v[1] != "0" {
			j["array"] = v[1]
		}
		if mask, ok := strings.CutPrefix(v[3], "0x"); ok {
			set, _ := strconv.ParseUint(mask, 16, 64)
			var tasks []int
			for ; set != 0; set &= set - 1 {
				tasks = append(tasks, bits.TrailingZeros64(set))
			}
			j["tasks"] = priority.FormatRanges(tasks)
		} else if v[1] != "0" {
			j["task"] = v[2]
		}
		if v[4] != "0" {
			j["full"] = v[4] + "+1"
		}
		if v[9] == "0" || v[9] == "4294967295" {
			j["held"] = "1"
		}
		if v[14] != "4294967294" {
			j["limit"] = v[14]
		}
		state, _ := strconv.ParseUint(v[13], 10, 32)
		j["state"] = accounting.State(state).String()
		if cpus, _, ok := strings.Cut(strings.TrimPrefix(v[16], "1="), ","); ok {
			j["alloc"] = cmp.Or(cpus, "0")
		}
		if state == 2 && v[11] == "0" { // as slurmdbd does, which stores the moment less the sum before it
			stored, _ := strconv.ParseInt(v[12], 10, 64)
			j["suspended"] = strconv.FormatInt(int64(w.now)-stored, 10)
		}
		for key, value := range j {
			if value == "" && key != "wckey" && key != "comment" {
				delete(j, key)
			}
		}
		all = append(all, j)
	})
	return all
}

func (w *twin) associations() string {
	out := "Cluster|Account|User|Partition|Share|ParentName|ID\n"
	w.query("SELECT acct, `user`, `partition`, IF(shares = 2147483647, 'parent', shares), parent_acct, id_assoc FROM c1_assoc_table "+
		"WHERE deleted = 0 ORDER BY id_assoc", 6, func(v []string) { out += "c1|" + strings.Join(v, "|") + "\n" })
	return out
}

func (w *twin) events() string {
	out := "NodeName|TimeStart|TimeEnd|StateRaw|TRES\n"
	names := strings.NewReplacer("1=", "cpu=", "2=", "mem=", "4=", "node=", "5=", "billing=")
	w.query("SELECT node_name, IF(time_start = 0, 'Unknown', time_start), IF(time_end = 0, 'Unknown', time_end), state, tres FROM c1_event_table ORDER BY c1_event_table.time_start", 5,
		func(v []string) {
			v[4] = names.Replace(v[4])
			out += strings.Join(v, "|") + "\n"
		})
	return out
}

// pair reads one history in both ways.
type pair struct {
	t      testing.TB
	twin   *twin
	reader *slurmdb.Reader
	source *sacctsource.Source
}

func newPair(t testing.TB, db *slurmdbtest.DB, edit func(*slurmdb.Config)) *pair {
	t.Helper()
	c := slurmdb.Config{Addresses: []string{db.Server.Socket}, User: "root", Database: db.Name, Cluster: db.Cluster, Config: ledger.Config{History: 86400}}
	if edit != nil {
		edit(&c)
	}
	r, err := slurmdb.Open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	w := &twin{t: t, db: db}
	s, err := sacctsource.New(w, c)
	if err != nil {
		t.Fatal(err)
	}
	return &pair{t, w, r, s}
}

// events polls both.
func (p *pair) events() (tables, sacct []ostrich.Event) {
	p.t.Helper()
	b, err := p.reader.PollEach(p.t.Context(), func(e ostrich.Event) { tables = append(tables, e) })
	if err != nil {
		p.t.Fatal(err)
	}
	p.twin.now = b.Now
	c, err := p.source.PollEach(p.t.Context(), func(e ostrich.Event) { sacct = append(sacct, e) })
	if err != nil {
		p.t.Fatal(err)
	}
	if c.Now != b.Now || !slices.Equal(b.Skipped, c.Skipped) {
		p.t.Errorf("at %d, left out %v; by sacct at %d, %v", b.Now, b.Skipped, c.Now, c.Skipped)
	}
	for i := range sacct {
		p.renumber(&sacct[i].Job)
	}
	return tables, sacct
}

// renumber gives what a job of sacct's asks of nodes the number that it has in the tables' list.
func (p *pair) renumber(j *ostrich.Job) {
	if j.Needs != 0 {
		tables, _ := p.reader.Nodes()
		sacct, _ := p.source.Nodes()
		j.Needs = uint32(slices.Index(tables, sacct[j.Needs]))
	}
}

// agree polls both, and compares all that they report.
func (p *pair) agree(what string, but ...ostrich.Kind) {
	p.t.Helper()
	tables, sacct := p.events()
	less := func(all []ostrich.Event) []ostrich.Event {
		return slices.DeleteFunc(all, func(e ostrich.Event) bool { return slices.Contains(but, e.Kind) })
	}
	if diff := gocmp.Diff(less(tables), less(sacct)); diff != "" {
		p.t.Fatalf("%s: events (-tables +sacct):\n%s", what, diff)
	}
	live := func(all []*ledger.Record) []ledger.Record {
		var list []ledger.Record
		for _, r := range all {
			list = append(list, *r)
			if len(but) > 0 && r.State == accounting.Suspended { // nobody knows since when, nor for how long before
				list[len(list)-1].Job.Suspended = 0
			}
		}
		return list
	}
	told := live(p.source.Live())
	for i := range told {
		p.renumber(&told[i].Job)
	}
	if diff := gocmp.Diff(live(p.reader.Live()), told); diff != "" {
		p.t.Fatalf("%s: unfinished jobs (-tables +sacct):\n%s", what, diff)
	}
}

// TestTextsOfQuietClusters: where nothing has ended for hours, sacct is not asked again and again
// for the texts of the jobs that ended last.
func TestTextsOfQuietClusters(t *testing.T) {
	db := slurmdbtest.New(t, slurmdbtest.R2205)
	base := db.Clock() - 8000
	db.Size(8, 1, base-100, 0)
	db.Put(slurmdbtest.Job{ID: 9, User: 1001, Submit: base, Start: base + 5, End: base + 50, Name: "nf-CALL_(a)", Folder: "/scratch/al/work/3f/2a9c510b7e4d2c9a615e0f7c1b2d3e"})
	p := newPair(t, db, func(c *slurmdb.Config) { c.Class, c.Declared = ledger.ByKind, ledger.ByTool })
	defer func() { _ = p.reader.Close() }()
	var ran []string
	for range 4 {
		p.twin.ran = nil
		p.agree("quiet")
		ran = append(ran, strings.Join(p.twin.ran, " "))
	}
	if ran[2] != "sdiag squeue sacct" || ran[3] != ran[2] {
		t.Errorf("ran %q", ran)
	}
}

// TestTexts: of jobs whose names call for it, and of no others, sacct is asked for the folder and the line of submission, once;
// kinds and runs are those that the tables tell.
func TestTexts(t *testing.T) {
	const uuid = "3f2a9c51-0b7e-4d2c-9a61-5e0f7c1b2d3e"
	db := slurmdbtest.New(t, slurmdbtest.R2205)
	base := db.Clock() - 1000
	db.Size(8, 1, base-100, 0)
	rule := func(id uint32, rule string) slurmdbtest.Job {
		return slurmdbtest.Job{ID: id, User: 1001, Submit: base, Name: uuid, Submitted: "sbatch --wrap x\n --comment rule_" + rule + "_wildcards_a " + strings.Repeat("x", 5000)}
	}
	ended := rule(9, "sort1")
	ended.Start, ended.End = base+5, base+50
	old := rule(10, "sort1")
	old.Submit, old.Start, old.End = base-9000, base-8900, base-8800
	db.Put(rule(1, "align1"), rule(2, "align2"), ended, old,
		slurmdbtest.Job{ID: 3, User: 1001, Submit: base, Name: "nf-CALL_(a)", Folder: "/scratch/al/work/3f/2a9c510b7e4d2c9a615e0f7c1b2d3e"},
		slurmdbtest.Job{ID: 5, User: 1001, Submit: base, Name: "toil_job_4_a.b", Array: 5, Mask: "0x6", Tasks: 2, Submitted: "sbatch -o /t/toil_" + uuid + ".4.%j.log"},
		slurmdbtest.Job{ID: 6, User: 1001, Submit: base, Name: "by hand", Folder: "/x/work/3f/2a9c51", Submitted: "sbatch --comment rule_x a.sh"})
	p := newPair(t, db, func(c *slurmdb.Config) { c.Class, c.Declared = ledger.ByKind, ledger.ByTool })
	defer func() { _ = p.reader.Close() }()
	agree := func(what, ran string) {
		t.Helper()
		p.twin.ran = nil
		if p.agree(what); strings.Join(p.twin.ran, " ") != ran {
			t.Errorf("%s: ran %s, want %s", what, p.twin.ran, ran)
		}
	}
	agree("cold start", "sdiag squeue sacct sacct sacct sacctmgr event")
	if r, _ := p.source.Record(2); r.Kind != "align2" || r.Job.Campaign != "run:"+uuid {
		t.Errorf("%+v", r)
	}
	if kept := p.source.Kept(); kept != 5 {
		t.Errorf("the texts of %d jobs are kept, want those of 1, 2, 3, 5 and 9", kept)
	}
	agree("quiet", "sdiag squeue sacct")
	db.Put(slurmdbtest.Job{ID: 7, User: 1001, Submit: base + 60, Name: "run-7"})
	agree("a job by hand", "sdiag squeue sacct sacct")
	for i, act := range []struct{ what, ran string }{{"a start", "sdiag squeue sacct sacct"}, {"an end", "sdiag squeue sacct"}, {"quiet again", "sdiag squeue sacct"}} {
		one := rule(1, "align1")
		one.Start = base + 70
		if i > 0 {
			one.End = base + 90
		}
		db.Put(one)
		agree(act.what, act.ran)
	}
	want, _, err := p.reader.Find(t.Context(), 9, -1, -1)
	got, _, bad := p.source.Find(t.Context(), 9, -1, -1)
	if err != nil || bad != nil || want.Job.Class != got.Job.Class || got.Job.Class == 0 {
		t.Errorf("%+v, %v; by sacct %+v, %v", want, err, got, bad)
	}
	h, err := p.source.History(t.Context(), ostrich.Time(base-5), 1000)
	if err != nil || len(h.Jobs) != 7 {
		t.Fatalf("%v, %+v", err, h)
	}
	for i := range h.Jobs {
		if j := &h.Jobs[i]; j.ByLine != (j.ID == 1 || j.ID == 2 || j.ID == 5 || j.ID == 9) {
			t.Errorf("%+v", j)
		}
	}
}

// TestSameAsTables: whatever happens to jobs, sacct's rows make the events that those
// of the tables make, poll by poll. A cold start knows of suspensions only how long they
// were.
func TestSameAsTables(t *testing.T) {
	for _, release := range []slurmdbtest.Release{slurmdbtest.R2205, slurmdbtest.R2605} {
		t.Run(string(release), func(t *testing.T) { sameAsTables(t, release) })
	}
}

func sameAsTables(t *testing.T, release slurmdbtest.Release) {
	t.Helper()
	db := slurmdbtest.New(t, release)
	base := db.Clock() - 20_000
	db.Size(64, 4, base-100, 0)
	db.Associate(
		slurmdbtest.Assoc{ID: 1, Account: "root"}, slurmdbtest.Assoc{ID: 10, Account: "physics", Above: "root", Shares: 3},
		slurmdbtest.Assoc{ID: 11, User: "user1001", Account: "physics", Shares: 0x7fffffff},
		slurmdbtest.Assoc{ID: 12, User: "user1002", Account: "physics", Shares: 2},
	)
	rapid.Check(t, func(rt *rapid.T) {
		db.Run("DELETE FROM c1_job_table")
		db.Run("DELETE FROM c1_suspend_table")
		edit := func(c *slurmdb.Config) {
			c.Shares = ledger.ShareBy(rapid.IntRange(0, 1).Draw(rt, "shares"))
			c.Class, c.Declared, c.Hints = ledger.ByName, ledger.InName, true
			c.Partitions = map[string]ledger.Partition{"main": {NodeProcs: 16}}
		}
		p := newPair(t, db, edit)
		defer func() { _ = p.reader.Close() }()
		s := &scene{rt: rt, db: db, now: base}
		for range rapid.IntRange(1, 12).Draw(rt, "acts") {
			s.now += int64(rapid.IntRange(1, 90).Draw(rt, "wait"))
			act := s.act()
			if s.suspends || rapid.IntRange(0, 3).Draw(rt, "poll") > 0 {
				p.agree(act)
			}
		}
		p.agree("at the end")
		cold := newPair(t, db, edit)
		defer func() { _ = cold.reader.Close() }()
		cold.agree("cold start", ostrich.Suspend, ostrich.Resume)
	})
}

// scene writes rows as slurmdbd does, while time goes on.
type scene struct {
	rt       *rapid.T
	db       *slurmdbtest.DB
	now      int64
	next     uint32
	jobs     []*slurmdbtest.Job // that have not ended
	paused   map[uint32]int64
	suspends bool // a job was suspended or resumed just now
}

func (s *scene) pick(ok func(*slurmdbtest.Job) bool) *slurmdbtest.Job {
	var all []*slurmdbtest.Job
	for _, j := range s.jobs {
		if ok(j) {
			all = append(all, j)
		}
	}
	if len(all) == 0 {
		return nil
	}
	return rapid.SampledFrom(all).Draw(s.rt, "job")
}

func (s *scene) close(j *slurmdbtest.Job, state uint32) {
	j.End, j.State = s.now, state
	s.db.Put(*j)
}

func (s *scene) over(j *slurmdbtest.Job) {
	s.jobs = slices.DeleteFunc(s.jobs, func(other *slurmdbtest.Job) bool { return other == j })
}

func (s *scene) act() string {
	s.suspends = false
	act := rapid.SampledFrom([]string{
		"submit", "submit", "array", "start", "start", "end", "cancel", "requeue", "resize", "suspend", "resume", "resume", "hold", "release", "later", "alter", "purge",
	}).Draw(s.rt, "act")
	waits := func(j *slurmdbtest.Job) bool { return j.Start == 0 }
	runs := func(j *slurmdbtest.Job) bool { return j.Start != 0 && s.paused[j.ID] == 0 }
	var j *slurmdbtest.Job
	switch act {
	case "submit", "array":
		s.next++
		j = &slurmdbtest.Job{
			ID: s.next, User: 1001 + s.next%3, Assoc: []uint32{11, 12, 0}[s.next%3], Submit: s.now, CPUs: 1 + s.next%4, Limit: 10,
			Exclusive: []string{"NO", "NODE", "USER"}[s.next/2%3],
			Name:      "set:run" + strconv.Itoa(int(s.next)) + "\n|x", Comment: []string{"", "expect=5m"}[s.next%2],
		}
		if act == "array" {
			j.Array, j.Tasks, j.Mask = s.next, 3, "0x7"
		}
		s.jobs = append(s.jobs, j)
	case "start":
		if j = s.pick(waits); j == nil {
			return act
		}
		if j.Tasks > 1 { // a task leaves the array under an id of its own
			j.Tasks--
			j.Mask = fmt.Sprintf("0x%X", 1<<j.Tasks-1)
			s.db.Put(*j)
			task := *j
			s.next++
			task.ID, task.Task, task.Mask, task.Tasks = s.next, int64(j.Tasks)+1, "", 0
			j = &task
			s.jobs = append(s.jobs, j)
		} else if j.Tasks == 1 {
			j.Task, j.Mask, j.Tasks = 1, "", 0
		}
		j.Start, j.State, j.Eligible = s.now, 1, min(max(j.Eligible, j.Submit), s.now)
	case "end", "cancel":
		if j = s.pick(func(j *slurmdbtest.Job) bool { return waits(j) == (act == "cancel") }); j == nil {
			return act
		}
		if s.paused[j.ID] != 0 {
			s.resume(j)
		}
		if act == "cancel" && rapid.Bool().Draw(s.rt, "never eligible") {
			j.Eligible, j.Start, j.TRES = -1, s.now, "," // its end is its start, and it held nothing
		}
		s.close(j, map[string]uint32{"end": 3, "cancel": 4}[act])
		s.over(j)
		return act
	case "requeue", "resize":
		if j = s.pick(runs); j == nil {
			return act
		}
		if act == "requeue" {
			s.close(j, 1024)
			j.Submit, j.Start, j.End, j.State, j.Suspended, j.Eligible = s.now, 0, 0, 0, 0, s.now
			break
		}
		s.close(j, 8192)
		j.Submit, j.End, j.State, j.Suspended, j.Procs = s.now, 0, 1, 0, 1+uint32(s.now)%5
	case "suspend":
		if j = s.pick(runs); j == nil {
			return act
		}
		if s.paused == nil {
			s.paused = map[uint32]int64{}
		}
		s.paused[j.ID], s.suspends = s.now, true
		j.State, j.Suspended = 2, uint64(s.now)-j.Suspended
		s.db.Put(*j)
		s.db.Pause(j.ID, j.Submit, s.now, 0)
		return act
	case "resume":
		if j = s.pick(func(j *slurmdbtest.Job) bool { return s.paused[j.ID] != 0 }); j == nil {
			return act
		}
		s.resume(j)
	case "hold", "release", "later":
		if j = s.pick(waits); j == nil {
			return act
		}
		j.Eligible = map[string]int64{"hold": -1, "release": s.now, "later": s.now + 40_000}[act]
	case "purge":
		if j = s.pick(runs); j != nil {
			s.over(j)
			s.db.Remove(j.ID, j.Submit)
		}
		return act
	case "alter":
		if j = s.pick(waits); j == nil {
			return act
		}
		j.Limit += 5
	}
	s.db.Put(*j)
	return act
}

func (s *scene) resume(j *slurmdbtest.Job) {
	s.db.Pause(j.ID, j.Submit, s.paused[j.ID], s.now)
	j.Suspended, j.State, s.suspends = uint64(s.now)-j.Suspended, 1, true
	delete(s.paused, j.ID)
}

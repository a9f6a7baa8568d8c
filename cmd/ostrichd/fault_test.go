package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"slurm-ostrich/cmd/internal/api"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting/ledger"
	"slurm-ostrich/priority/journal"
	"slurm-ostrich/priority/slurm/slurmtest"
	"slurm-ostrich/slurmdb/slurmdbtest"
)

// outage is the line with which an outage begins, recovered the one with which it ends.
const (
	outageLine = "error cycle failed; the queue stays as it is, and the next tries come at growing pauses"
	recovered  = "info recovered"
)

// hostile are names of users, accounts, partitions, QOS and jobs.
var hostile = []string{
	"two\nlines", `quote"back\slash'`, "pipe|semi;$(id)`id`", "\x1b[31mred\x07", "%s%n%d%!v(MISSING)", "<script>alert(1)</script>",
	"Zoë\u202e", "../../etc/passwd", "=1+1", "jobid=1 sitefactor=0", "\x1e\x1d", strings.Repeat("long", 60), "{{.}}", "update jobid=2 priority=0",
}

// TestHostileNames: names that want to be commands, markup, formats or lines of their own
// order their jobs as others do, and stay names wherever they are shown.
func TestHostileNames(t *testing.T) {
	db := slurmdbtest.New(t, slurmdbtest.R2411)
	h := settle(t, db, db.Server.Socket)
	h.daemon.page.shown = make(chan struct{})
	h.daemon.config.Metrics.PerUser = true
	h.daemon.configured()
	for _, table := range []string{"job", "assoc"} {
		db.Run("ALTER TABLE c1_" + table + "_table CONVERT TO CHARACTER SET utf8mb4")
	}
	db.Size(32, 2, h.now-86400, 0)
	var queue []slurmtest.Job
	for i, name := range hostile {
		id, uid := i+1, 1001+i
		db.Associate(slurmdbtest.Assoc{ID: uint32(uid), User: name, Account: name, Shares: 1})
		if i%2 == 0 { // the others are not in accounting yet
			db.Put(slurmdbtest.Job{ID: uint32(id), User: uint32(uid), Assoc: uint32(uid), Submit: h.now - 50, Account: name, Partition: name, Name: name})
		}
		queue = append(queue, slurmtest.Job{
			"id": strconv.Itoa(id), "user": name, "uid": strconv.Itoa(uid), "account": name, "partition": name, "qos": name, "name": name,
			"wckey": name, "comment": name, "reservation": "(null)", "submit": strconv.FormatInt(h.now-50-slurmtest.Epoch, 10), "limit": "60",
		})
	}
	if err := slurmtest.WriteQueue(h.slurm.Folder, queue); err != nil {
		t.Fatal(err)
	}
	o := h.daemon.cycle(t.Context())
	if o.err != nil {
		t.Fatal(o.err)
	}
	h.daemon.report(o, 0)
	h.daemon.show(o.cycle)
	diff(t, "log", nothing, h.said())
	if got := len(h.site()); got != len(hostile) {
		t.Errorf("%d of %d jobs have a value", got, len(hostile))
	}
	line := regexp.MustCompile(`^(scontrol|update jobid=\d+ sitefactor=\d+)$`)
	for l := range strings.Lines(h.slurm.Get("log")) {
		if l = strings.TrimSuffix(l, "\n"); !line.MatchString(l) {
			t.Errorf("scontrol was told %q", l)
		}
	}
	for _, path := range []string{"/", "/explain?job=6", "/explain?job=1"} {
		code, page := looks(h.daemon, path)
		if code != http.StatusOK || strings.Contains(string(page), "<script>alert") {
			t.Errorf("%s: %d, %s", path, code, page)
		}
	}
	for name := range strings.FieldsSeq("status plan campaigns shares schedule writes") {
		code, body := looks(h.daemon, api.Folder+name)
		if code != http.StatusOK || !json.Valid(body) || strings.Contains(string(body), "\x1b") {
			t.Errorf("%s: %d, %s", name, code, body)
		}
	}
	_, body := looks(h.daemon, api.Folder+"plan")
	var plan struct {
		Jobs []struct{ User, Account, Partition string }
	}
	if err := json.Unmarshal(body, &plan); err != nil {
		t.Fatal(err)
	}
	for _, j := range plan.Jobs {
		if !slices.Contains(hostile, j.User) || j.Account != j.User || j.Partition != j.User {
			t.Errorf("plan: %q", j)
		}
	}
	if len(plan.Jobs) != len(hostile) {
		t.Errorf("plan: %d jobs", len(plan.Jobs))
	}
	w := httptest.NewRecorder()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", nil)
	r.Host = "localhost"
	h.daemon.measures().ServeHTTP(w, r)
	sample := regexp.MustCompile(`^(# .*|[a-z_]+(\{([a-z_]+="([^"\\]|\\.)*",?)*\})? [-+.0-9eNaInf]+)$`)
	for l := range strings.Lines(w.Body.String()) {
		if !sample.MatchString(strings.TrimSuffix(l, "\n")) {
			t.Errorf("metrics: %q", l)
		}
	}
	if !strings.Contains(w.Body.String(), `user="two\nlines"`) {
		t.Error("metrics: no user of two lines")
	}
}

// TestHugeName: a job whose name has 10 MB is a job as any other.
func TestHugeName(t *testing.T) {
	db := slurmdbtest.New(t, slurmdbtest.R2411)
	h := settle(t, db, db.Server.Socket)
	h.daemon.page.shown = make(chan struct{})
	db.Size(32, 2, h.now-86400, 0)
	h.wait(1, 1001, 50, db)
	h.wait(2, 1002, 40, db)
	h.queue[1] += " name=" + strings.Repeat("n", 10_000_000)
	h.show()
	o := h.daemon.cycle(t.Context())
	if o.err != nil || len(h.site()) != 2 {
		t.Fatalf("%v, values %v", o.err, h.site())
	}
	h.daemon.report(o, 0)
	h.daemon.show(o.cycle)
	for _, path := range []string{"/", "/explain?job=2", api.Folder + "plan"} {
		if code, page := looks(h.daemon, path); code != http.StatusOK || len(page) > 1<<20 {
			t.Errorf("%s: %d, %d bytes", path, code, len(page))
		}
	}
	if h.log.Len() > 1<<16 {
		t.Errorf("%d bytes of log", h.log.Len())
	}
}

// TestIdsAgain: the counter of job ids begins at 1 again. The jobs that have old ids are
// others': their order, and what the journal knows, is their own.
func TestIdsAgain(t *testing.T) {
	db := slurmdbtest.New(t, slurmdbtest.R2411)
	h := settle(t, db, db.Server.Socket)
	db.Size(1, 1, h.now-86400, 0)
	for id := 1; id <= 6; id++ {
		h.wait(id, 1001, 500-int64(id), db)
	}
	h.works(2)
	if got := len(h.site()); got != 6 {
		t.Fatalf("%d values", got)
	}
	for id := 1; id <= 6; id++ {
		row := slurmdbtest.Job{ID: uint32(id), User: 1001, Submit: h.now - 500 + int64(id), Start: h.now - 100, End: h.now - 50}
		if id%3 == 0 { // slurmctld lost it with its state, and its row stays as it is
			row.Start, row.End = 0, 0
		}
		if id%3 == 1 { // and that of the next one says that it runs
			row.End = 0
		}
		db.Put(row)
	}
	h.queue = nil
	h.show()
	h.works(1)
	for id := 1; id <= 6; id++ {
		h.wait(id, 1010-id, 30-int64(id), db) // another user, and not the old value
	}
	h.works(3)
	diff(t, "log", nothing, h.said())
	site := h.site()
	if len(site) != 6 {
		t.Errorf("values: %v", site)
	}
	j, err := journal.Read(h.daemon.config.Journal)
	if err != nil {
		t.Fatal(err)
	}
	for id := 1; id <= 6; id++ {
		first, last, ok := j.Written("sitefactor", ostrich.JobID(id))
		there := site[strconv.Itoa(id)]
		if !ok || first != 0 || strconv.FormatInt(last, 10) != there || j.Submitted("sitefactor", ostrich.JobID(id)) != ostrich.Time(h.now-30+int64(id)) {
			t.Errorf("job %d: the journal has %d before, %d now, %v; Slurm has %s", id, first, last, ok, there)
		}
	}
	if owner, known := h.daemon.sidecar.(interface {
		Record(ostrich.JobID) (ledger.Record, bool)
	}).Record(3); !known || owner.UID != 1007 {
		t.Errorf("job 3 is of %d, %v", owner.UID, known)
	}
}

// TestDiskFull: the journal's disk fills before a burst, inside its intentions, or
// between a burst and its results. What is not in the journal is not sent. With room
// again the daemon goes on by itself, and knows its own values.
func TestDiskFull(t *testing.T) {
	db := slurmdbtest.New(t, slurmdbtest.R2411)
	disk := t.TempDir()
	if err := syscall.Mount("none", disk, "tmpfs", 0, "size=64k"); err != nil {
		t.Skipf("a small disk cannot be mounted: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(disk, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	h := settle(t, db, db.Server.Socket)
	h.daemon.config.Journal = filepath.Join(disk, "journal.jsonl")
	db.Size(32, 2, h.now-86400, 0)
	filler := filepath.Join(disk, "filler")
	// A tmpfs has pages of 4 kB. The room left is a page or none, so the length of the
	// journal's last page says where in a burst it fills.
	fill := func() {
		t.Helper()
		f, err := os.Create(filler)
		if err != nil {
			t.Fatal(err)
		}
		for err == nil {
			_, err = f.Write(make([]byte, 4096))
		}
		if err = f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	id := 0
	unsent, unrecorded := 0, 0
	for round := range 12 {
		for range 5 + 2*(round%3) {
			id++
			h.wait(id, 1001+id%7, 100-int64(id)%50, db)
		}
		before := h.slurm.Get("log")
		fill()
		err := h.cycle()
		sent := strings.TrimPrefix(h.slurm.Get("log"), before)
		intended := intentions(t, h.daemon.config.Journal)
		for l := range strings.Lines(sent) {
			if name, _, ok := strings.Cut(strings.TrimPrefix(l, "update jobid="), " "); ok && !intended[name] {
				t.Errorf("sent and not in the journal: %s", l)
			}
		}
		switch {
		case err == nil:
		case !strings.Contains(err.Error(), "no space left"):
			t.Fatal(err)
		case sent == "":
			unsent++
		default:
			unrecorded++
		}
		if left := os.Remove(filler); left != nil {
			t.Fatal(left)
		}
		h.works(2)
		want := []string{outageLine, recovered}
		if err == nil {
			want = nothing
		}
		diff(t, fmt.Sprintf("round %d: log", round), want, h.said())
		if got := len(h.site()); got != id {
			t.Errorf("round %d: %d of %d jobs have a value", round, got, id)
		}
		if h.daemon.news.contest {
			t.Errorf("round %d: our own values are taken for another writer's", round)
		}
	}
	if unsent == 0 || unrecorded == 0 {
		t.Errorf("the disk was full %d times before a burst and %d times after one", unsent, unrecorded)
	}
}

// intentions are the jobs in the journal.
func intentions(t *testing.T, path string) map[string]bool {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	jobs := map[string]bool{}
	for line := range strings.Lines(string(raw)) {
		var r journal.Record
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Errorf("journal: %q: %v", line, err)
		}
		jobs[fmt.Sprint(r.Job)] = true
	}
	return jobs
}

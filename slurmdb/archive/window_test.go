package archive_test

import (
	"errors"
	"flag"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting"
	"slurm-ostrich/slurmdb"
	"slurm-ostrich/slurmdb/archive"
	"slurm-ostrich/slurmdb/slurmdbtest"
)

const day = 86400

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
		named.Association, named.Job.Partition, named.Job.QOS = 0, 0, 0
		all = append(all, named)
	}
	return all
}

func TestHistory(t *testing.T) {
	const t0 = 1_700_000_000
	plain := func(id ostrich.JobID, change func(*jobOf)) []jobOf {
		j := jobOf{"alice", "physics", "main", "normal", accounting.Job{
			ID: id, State: accounting.Completed, Tasks: 1, Procs: 4, Asked: 4, Nodes: 1, AskedNodes: 1, Memory: 1000, Billing: 4,
			Submit: t0, Eligible: t0, Start: t0 + 10, End: t0 + 110, Limit: 3600,
		}}
		if change != nil {
			change(&j)
		}
		return []jobOf{j}
	}
	// base is what each test begins with: four processors, 100 s.
	base := slurmdbtest.Job{ID: 7, User: 1001, Assoc: 10, Submit: t0, Start: t0 + 10, End: t0 + 110, CPUs: 4}
	with := func(change func(*slurmdbtest.Job)) []slurmdbtest.Job {
		j := base
		change(&j)
		return []slurmdbtest.Job{j}
	}
	for _, tt := range []struct {
		name string
		rows []slurmdbtest.Job
		want []jobOf
		note string
	}{
		{name: "plain", rows: []slurmdbtest.Job{base}, want: plain(7, nil)},
		{"pending", with(func(j *slurmdbtest.Job) { j.Start, j.End, j.Limit = 0, 0, slurmdbtest.NoVal }), plain(7, func(j *jobOf) {
			j.State, j.Start, j.End, j.Limit, j.Billing = accounting.Pending, 0, 0, 0, 0
		}), ""},
		{"held", with(func(j *slurmdbtest.Job) { j.Start, j.End, j.Eligible = 0, 0, -1 }), nil, ""},
		{"cancelled while it was held", with(func(j *slurmdbtest.Job) {
			j.Start, j.End, j.Eligible, j.State, j.TRES = t0+110, t0+110, -1, 4, "5=0"
		}), nil, ""},
		{"waits for a begin time", with(func(j *slurmdbtest.Job) { j.Start, j.End, j.Eligible = 0, 0, 1<<31 }), nil, ""},
		{
			"throttled, and another job", append(with(func(j *slurmdbtest.Job) { j.Start, j.End, j.Eligible = 0, 0, slurmdbtest.Infinite }),
				slurmdbtest.Job{ID: 8, User: 1001, Assoc: 10, Submit: t0, Start: t0 + 10, End: t0 + 110, CPUs: 4}), plain(8, nil),
			"1 row of jobs that were never eligible",
		},
		{"running, without a limit", with(func(j *slurmdbtest.Job) { j.End, j.Limit = 0, slurmdbtest.Infinite }), plain(7, func(j *jobOf) {
			j.State, j.End, j.Limit = accounting.Running, 0, 0
		}), ""},
		{"cancelled before it started", with(func(j *slurmdbtest.Job) { j.Start, j.State = 0, 4 }), plain(7, func(j *jobOf) {
			j.State, j.Start, j.Billing = accounting.Cancelled, 0, 0
		}), ""},
		{"cancelled in the second of its start", with(func(j *slurmdbtest.Job) { j.End, j.State = t0+10, 4 }), plain(7, func(j *jobOf) {
			j.State, j.End = accounting.Cancelled, t0+10
		}), ""},
		{"cancelled while a dependency held it, eligible since", with(func(j *slurmdbtest.Job) {
			j.Start, j.End, j.State, j.TRES = t0+110, t0+110, 4, "5=0"
		}), plain(7, func(j *jobOf) { j.State, j.Start, j.Billing, j.Nodes = accounting.Cancelled, 0, 0, 1 }), ""},
		{"timed out", with(func(j *slurmdbtest.Job) { j.State = 6 }), plain(7, func(j *jobOf) { j.State = accounting.TimedOut }), ""},
		{"out of memory", with(func(j *slurmdbtest.Job) { j.State = 11 }), plain(7, func(j *jobOf) { j.State = accounting.OutOfMemory }), ""},
		{"got more than it asked for", with(func(j *slurmdbtest.Job) { j.Procs = 16 }), plain(7, func(j *jobOf) {
			j.Procs, j.Billing = 16, 16
		}), ""},
		{"several partitions", with(func(j *slurmdbtest.Job) { j.Partition = "long,main" }), plain(7, func(j *jobOf) { j.Partition = "long" }), ""},
		{"was suspended", with(func(j *slurmdbtest.Job) { j.Suspended = 30 }), plain(7, func(j *jobOf) { j.Suspended = 30 }), ""},
		{"suspended before a resize, and runs", with(func(j *slurmdbtest.Job) { j.Start, j.End, j.Suspended, j.State = t0-1000, 0, 50, 1 }), plain(7, func(j *jobOf) {
			j.Start, j.End, j.Suspended, j.State = t0, 0, 50, accounting.Running
		}), "1 job started before its submission, as a resized job does whose earlier part had ended before the window: it starts with it."},
		// Suspended for 5 s before, then at t0+60, and cancelled at t0+110.
		{"ended while suspended", with(func(j *slurmdbtest.Job) { j.Suspended, j.State = t0+60-5, 4 }), plain(7, func(j *jobOf) {
			j.Suspended, j.State = 55, accounting.Cancelled
		}), ""},
		{
			"unknown amounts", with(func(j *slurmdbtest.Job) {
				j.TRES = "1=4,2=18446744073709551614,3=18446744073709551614,5=18446744073709551614"
			}),
			plain(7, func(j *jobOf) { j.Billing = 0 }), "",
		},
		{"marked as deleted", with(func(j *slurmdbtest.Job) { j.Deleted = 1 }), nil, ""},
		{
			"taken by another cluster", append(with(func(j *slurmdbtest.Job) { j.State = 1 << 19 }),
				slurmdbtest.Job{ID: 8, User: 1001, Assoc: 10, Submit: t0, Start: t0 + 10, End: t0 + 110, CPUs: 4}), plain(8, nil),
			"1 row of jobs that another cluster of the federation took",
		},
		{
			"impossible", append(with(func(j *slurmdbtest.Job) { j.End = t0 + 1; j.Start = t0 + 50 }),
				slurmdbtest.Job{ID: 8, User: 1001, Assoc: 10, Submit: t0, Start: t0 + 10, End: t0 + 110, CPUs: 4}), plain(8, nil),
			"job 7: ends at 1700000001, before its start at 1700000050",
		},
		{
			"requeued", append(with(func(j *slurmdbtest.Job) { j.State = 1 << 10 }),
				slurmdbtest.Job{ID: 7, User: 1001, Assoc: 10, Submit: t0 + 110, Eligible: t0 + 231, Start: t0 + 300, End: t0 + 310, CPUs: 4}),
			append(plain(7, func(j *jobOf) { j.State = accounting.Requeued }), plain(7, func(j *jobOf) {
				j.Submit, j.Eligible, j.Start, j.End = t0+110, t0+231, t0+300, t0+310
			})...), "",
		},
		// 100 s on 4 processors and 100 s on 2.
		{
			"resized", append(with(func(j *slurmdbtest.Job) { j.State = 1 << 13 }),
				slurmdbtest.Job{ID: 7, User: 1001, Assoc: 10, Submit: t0 + 110, Start: t0 + 10, End: t0 + 210, CPUs: 4, Procs: 2}),
			plain(7, func(j *jobOf) { j.End, j.Procs, j.Billing, j.Resized = t0+210, 3, 3, true }), "1 job was resized",
		},
		{
			"resized before the window",
			[]slurmdbtest.Job{
				{ID: 7, User: 1001, Assoc: 10, Submit: t0 - 4*day, Start: t0 - 4*day, End: t0 - 3*day, CPUs: 4, State: 1 << 13},
				{ID: 7, User: 1001, Assoc: 10, Submit: t0 - 3*day, Start: t0 - 4*day, End: t0 + 50, CPUs: 4},
			},
			plain(7, func(j *jobOf) { j.Submit, j.Eligible, j.Start, j.End = t0-3*day, t0-3*day, t0-3*day, t0+50 }),
			"1 job started before its submission",
		},
		{"array, partly started", []slurmdbtest.Job{
			{ID: 7, User: 1001, Assoc: 10, Submit: t0, CPUs: 4, Array: 7, Mask: "0x3F8", Tasks: 7},
			{ID: 8, User: 1001, Assoc: 10, Submit: t0, Start: t0 + 10, End: t0 + 110, CPUs: 4, Array: 7, Task: 1},
		}, append(plain(7, func(j *jobOf) {
			j.State, j.Start, j.End, j.Tasks, j.Array, j.Billing = accounting.Pending, 0, 0, 7, 7, 0
		}), plain(8, func(j *jobOf) { j.Array = 7 })...), ""},
		{
			"no association any more", with(func(j *slurmdbtest.Job) { j.Assoc, j.User, j.Account = 99, 1234, "gone" }),
			plain(7, func(j *jobOf) { j.User, j.Account = "1234", "gone" }), "the uid stands for it",
		},
		{
			"no association any more, but another one", append(with(func(j *slurmdbtest.Job) { j.Assoc, j.Account = 99, "gone" }),
				slurmdbtest.Job{ID: 8, User: 1001, Assoc: 10, Submit: t0, Start: t0 + 10, End: t0 + 110, CPUs: 4}),
			append(plain(7, func(j *jobOf) { j.Account = "gone" }), plain(8, nil)...), "",
		},
		{
			"deleted association", with(func(j *slurmdbtest.Job) { j.Assoc, j.User = 11, 1002 }),
			plain(7, func(j *jobOf) { j.User, j.Account = "bob", "physics" }), "",
		},
		{"no QOS", with(func(j *slurmdbtest.Job) { j.QOS = 77 }), plain(7, func(j *jobOf) { j.QOS = "77" }), ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			db := slurmdbtest.New(t, slurmdbtest.R2205)
			db.Associate(
				slurmdbtest.Assoc{ID: 9, Account: "physics", Above: "root", Shares: 3},
				slurmdbtest.Assoc{ID: 10, User: "alice", Account: "physics", Shares: 1},
				slurmdbtest.Assoc{ID: 11, User: "bob", Account: "physics", Shares: 1, Deleted: 1},
			)
			db.Size(64, 4, t0-100*day, 0)
			db.Put(tt.rows...)
			h, err := archive.History(t.Context(), open(t, db), t0-day, t0+day)
			if len(tt.want) == 0 {
				if !errors.Is(err, accounting.ErrEmpty) {
					t.Fatalf("error %v, want %v", err, accounting.ErrEmpty)
				}
				return
			}
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

// TestHistoryWindow puts jobs on both sides of both ends of a window.
func TestHistoryWindow(t *testing.T) {
	db := slurmdbtest.New(t, slurmdbtest.R2205)
	const from, to = 1_700_000_000, 1_700_100_000
	for i, j := range []struct{ submit, start, end int64 }{
		{from - 100, from - 90, from - 1}, // 1: ended before
		{from - 100, from - 90, from},     // 2
		{from - 100, from - 90, 0},        // 3: runs
		{from - 100, 0, 0},                // 4: waits
		{to - 1, to + 5000, to + 9000},    // 5: ends after
		{to, to + 1, to + 2},              // 6: submitted after
		{from + 5, from + 6, from + 7},    // 7
		{to, 0, 0},                        // 8: submitted after
	} {
		db.Put(slurmdbtest.Job{ID: uint32(i + 1), User: 1001, Submit: j.submit, Start: j.start, End: j.end})
	}
	h, err := archive.History(t.Context(), open(t, db), from, to)
	if err != nil {
		t.Fatal(err)
	}
	var ids []ostrich.JobID
	for _, j := range h.Jobs {
		ids = append(ids, j.ID)
	}
	if diff := cmp.Diff([]ostrich.JobID{2, 3, 4, 7, 5}, ids); diff != "" {
		t.Errorf("jobs (-want +got):\n%s", diff)
	}
	if h.From != from || h.To != to || h.Cluster != "c1" {
		t.Errorf("%d to %d of %q", h.From, h.To, h.Cluster)
	}
}

// TestHistoryEmpty has jobs, but none in the window.
func TestHistoryEmpty(t *testing.T) {
	db := slurmdbtest.New(t, slurmdbtest.R2205)
	r := open(t, db)
	_, err := archive.History(t.Context(), r, 1000, 2000)
	const none = "slurmdb: cluster c1: no job between 1970-01-01T00:16:40Z and 1970-01-01T00:33:20Z; "
	if !errors.Is(err, accounting.ErrEmpty) || err.Error() != none+"and none has ended on this cluster" {
		t.Errorf("empty table: %v", err)
	}
	db.Put(slurmdbtest.Job{ID: 1, Submit: 5000, Start: 5000, End: 6000}, slurmdbtest.Job{ID: 2, Submit: 5000, Start: 5000, End: 7000})
	_, err = archive.History(t.Context(), r, 1000, 2000)
	if !errors.Is(err, accounting.ErrEmpty) || err.Error() != none+"jobs ended from 1970-01-01T01:40:00Z to 1970-01-01T01:56:40Z" {
		t.Errorf("another window: %v", err)
	}
	if _, err = archive.History(t.Context(), r, 2000, 2000); !errors.Is(err, slurmdb.ErrConfig) {
		t.Errorf("a window without length: %v", err)
	}
}

// TestHistorySize finds the size as of the end of the window.
func TestHistorySize(t *testing.T) {
	const to = 1_700_000_000
	for _, tt := range []struct {
		name         string
		sizes        [][3]int64 // processors, start, end
		procs, nodes int
		note         string
	}{
		{"none", nil, 0, 0, "do not have the size"},
		{"grew before", [][3]int64{{8, to - 900, to - 500}, {16, to - 500, 0}}, 16, 2, ""},
		{"grows after", [][3]int64{{8, to - 900, to + 500}, {16, to + 500, 0}}, 8, 2, ""},
		{"only after", [][3]int64{{32, to + 900, 0}, {16, to + 500, to + 900}}, 16, 2, "that of 2023-11-14T22:21:40Z"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			db := slurmdbtest.New(t, slurmdbtest.R2205)
			db.Run("DELETE FROM c1_event_table")
			for _, s := range tt.sizes {
				db.Size(int(s[0]), 2, s[1], s[2])
			}
			db.Put(slurmdbtest.Job{ID: 1, Submit: to - 100, Start: to - 90, End: to - 80})
			h, err := archive.History(t.Context(), open(t, db), to-1000, to)
			if err != nil {
				t.Fatal(err)
			}
			if h.Procs != tt.procs || h.Nodes != tt.nodes {
				t.Errorf("%d processors of %d nodes, want %d of %d", h.Procs, h.Nodes, tt.procs, tt.nodes)
			}
			if notes := strings.Join(h.Notes, "\n"); tt.note == "" && strings.Contains(notes, "size") || !strings.Contains(notes, tt.note) {
				t.Errorf("notes %q, want %q", notes, tt.note)
			}
		})
	}
}

// TestHistorySlices reads each job once, however the window is cut.
func TestHistorySlices(t *testing.T) {
	db := slurmdbtest.New(t, slurmdbtest.R2505)
	now := db.Clock()
	db.Seed(slurmdbtest.Seeding{Ended: 5000, Live: 100, Users: 20, First: now - 5000*20 - 700, Every: 20})
	r := open(t, db)
	for _, length := range []int64{100, 5000, 50_000, 200_000} {
		h, err := archive.History(t.Context(), r, ostrich.Time(now-length), ostrich.Time(now+1))
		if err != nil {
			t.Fatal(err)
		}
		var want int
		if err := db.QueryRowContext(t.Context(), fmt.Sprintf(
			"SELECT COUNT(*) FROM c1_job_table WHERE time_end = 0 OR time_end >= %d", now-length)).Scan(&want); err != nil {
			t.Fatal(err)
		}
		if len(h.Jobs) != want {
			t.Errorf("%d s: %d jobs, want %d; %q", length, len(h.Jobs), want, h.Notes)
		}
	}
}

func TestSite(t *testing.T) {
	for _, release := range []slurmdbtest.Release{slurmdbtest.R2011, slurmdbtest.R2205, slurmdbtest.R2505} {
		t.Run(string(release), func(t *testing.T) {
			db := slurmdbtest.New(t, release)
			db.Associate(
				slurmdbtest.Assoc{ID: 9, Account: "physics", Above: "root", Shares: 3},
				slurmdbtest.Assoc{ID: 12, Account: "optics", Above: "physics", Shares: 0x7fffffff},
				slurmdbtest.Assoc{ID: 10, User: "alice", Account: "optics", Shares: 0x7fffffff},
				slurmdbtest.Assoc{ID: 13, User: "alice", Account: "optics", Partition: "gpu", Shares: 5},
				slurmdbtest.Assoc{ID: 11, User: "bob", Account: "physics", Shares: 1, Deleted: 1},
			)
			db.Run("INSERT INTO qos_table (creation_time, mod_time, id, name, priority, usage_factor, deleted, preempt) " +
				"VALUES (1, 1, 2, 'high', 100, 0.5, 0, ',3,1,5,'), (1, 1, 3, 'old', 9, 1, 1, ',1,'), (1, 1, 5, 'low', 0, 1, 0, '')")
			s, err := open(t, db).Site(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			want := &accounting.Site{
				Accounts: []accounting.Account{
					{ID: 12, Name: "optics", Parent: "physics", Shares: accounting.ParentShares},
					{ID: 9, Name: "physics", Parent: "root", Shares: 3},
					{ID: 1, Name: "root", Shares: 1},
				},
				Associations: []accounting.AssociationShare{
					{ID: 10, User: "alice", Account: "optics", Shares: accounting.ParentShares},
					{ID: 13, User: "alice", Account: "optics", Partition: "gpu", Shares: 5},
					{ID: 2, User: "root", Account: "root", Shares: 1},
				},
				QOS: []accounting.QOS{
					{Name: "high", Priority: 100, UsageFactor: 0.5, Preempts: []string{"normal", "low"}, PreemptKnown: true},
					{Name: "low", UsageFactor: 1, PreemptKnown: true},
					{Name: "normal", UsageFactor: 1, PreemptKnown: true},
				},
			}
			if diff := cmp.Diff(want, s); diff != "" {
				t.Errorf("site (-want +got):\n%s", diff)
			}
			db.Run("UPDATE qos_table SET preempt = ',1-2,x,' WHERE id = 5")
			if _, err = open(t, db).Site(t.Context()); err == nil || !strings.Contains(err.Error(), `preempt of low: ",1-2,x,": not numbers of QOS`) {
				t.Errorf("not numbers: %v", err)
			}
			db.Run("ALTER TABLE qos_table DROP COLUMN preempt")
			if s, err = open(t, db).Site(t.Context()); err != nil || s.QOS[0].PreemptKnown || len(s.QOS[0].Preempts) > 0 {
				t.Errorf("without the column: %+v, %v", s.QOS[0], err)
			}
		})
	}
}

var ended = flag.Int("ended", 100_000, "rows of ended jobs in the benchmark")

// BenchmarkHistory reads all rows as a window, without what jobs ask for and with it.
func BenchmarkHistory(b *testing.B) {
	db := slurmdbtest.New(b, slurmdbtest.R2205)
	now := db.Clock()
	const every = 2
	db.Seed(slurmdbtest.Seeding{Ended: *ended, Live: 5000, Users: 300, First: now - int64(*ended)*every - 5000, Every: every})
	db.Run("UPDATE c1_job_table SET constraints = ELT(1 + id_job % 4, '', '', 'a100', 'big&ib'), mem_req = (1 << 63) + 1000 * (1 + id_job % 8), flags = 20 + 4 * (id_job % 2), " +
		"submit_line = CONCAT('sbatch -p long -n', 1 + id_job % 16, ' --mem-per-cpu=', 1 + id_job % 8, 'G -C a100 /home/somebody/project/run-', id_job, '.sh --input=data/', id_job, '.h5')")
	for _, needs := range []bool{false, true} {
		b.Run(fmt.Sprintf("needs=%t", needs), func(b *testing.B) {
			for b.Loop() {
				r := open(b, db, func(c *slurmdb.Config) { c.Needs = needs })
				h, err := archive.History(b.Context(), r, 1, ostrich.Time(now+1))
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(len(h.Jobs)), "jobs")
				var m runtime.MemStats
				runtime.GC()
				runtime.ReadMemStats(&m)
				b.ReportMetric(float64(m.HeapAlloc)/1e6, "MB-kept")
				b.ReportMetric(float64(m.Sys-m.HeapReleased)/1e6, "MB-process")
				runtime.KeepAlive(h)
			}
		})
	}
}

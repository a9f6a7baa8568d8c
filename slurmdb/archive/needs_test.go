package archive_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting"
	"slurm-ostrich/slurmdb"
	"slurm-ostrich/slurmdb/archive"
	"slurm-ostrich/slurmdb/slurmdbtest"
)

// TestNeeds: the tables tell what jobs ask for beside processors and time, as far as the release
// has the columns.
func TestNeeds(t *testing.T) {
	const t0 = 1_700_000_000
	known := accounting.Layout{Known: true}
	cases := []struct {
		name  string
		since slurmdbtest.Release
		row   slurmdbtest.Job
		want  accounting.Needs
		where string
	}{
		{name: "memory of the whole job", want: accounting.Needs{Memory: 1000}},
		{name: "memory per processor", row: slurmdbtest.Job{Memory: 1<<63 | 500}, want: accounting.Needs{Memory: 500, Per: accounting.PerCPU}},
		{name: "memory per node", row: slurmdbtest.Job{Memory: 1500}, want: accounting.Needs{Memory: 1500, Per: accounting.PerNode}},
		{
			name: "memory per GPU", row: slurmdbtest.Job{CPUs: 4, Memory: 1<<63 | 1500, TRESReq: "1=4,2=6000,4=1,1001=1", TRES: "1=4,2=20000,4=1,1001=1"},
			want: accounting.Needs{Memory: 20000, Per: accounting.PerNode, TRES: "gres/gpu=1"},
		},
		{
			name: "memory per processor of whole cores, with a GPU", row: slurmdbtest.Job{CPUs: 3, Memory: 1<<63 | 1500, TRESReq: "1=3,2=4500,4=1,1001=1", TRES: "1=4,2=6000,4=1,1001=1"},
			want: accounting.Needs{Memory: 1500, Per: accounting.PerCPU, TRES: "gres/gpu=1"},
		},
		{
			name: "memory per node, with a GPU", row: slurmdbtest.Job{CPUs: 4, Memory: 1500, TRESReq: "1=4,2=1500,4=1,1001=1", TRES: "1=4,2=3000,4=2,1001=2"},
			want: accounting.Needs{Memory: 1500, Per: accounting.PerNode, TRES: "gres/gpu=1"},
		},
		{
			name: "all memory of a node", row: slurmdbtest.Job{TRESReq: "1=1,2=16000,4=1", TRES: "1=1,2=32000,4=1"},
			want: accounting.Needs{Memory: 16000, Layout: accounting.Layout{AllMemory: true}},
		},
		{name: "memory unknown", row: slurmdbtest.Job{Memory: 1<<64 - 2, TRESReq: "1=1"}},
		{
			name: "GPUs and a licence", row: slurmdbtest.Job{TRESReq: "1=4,2=100,3=18446744073709551614,4=1,5=8,1001=2,1002=2,1003=1,1099=7", TRES: "1=4,2=100,4=1"},
			want: accounting.Needs{Memory: 100, TRES: "gres/gpu=2,gres/gpu:a100=2,license/matlab=1"},
		},
		{name: "features", row: slurmdbtest.Job{Constraints: "[a*2&b]|c", TRESReq: "1=1"}, want: accounting.Needs{Features: "[a*2&b]|c"}},
		{name: "a reservation", row: slurmdbtest.Job{Reservation: 3, TRESReq: "1=1"}, want: accounting.Needs{Reservation: "course"}},
		{name: "a reservation that is gone", row: slurmdbtest.Job{Reservation: 4, TRESReq: "1=1"}, want: accounting.Needs{Reservation: "4"}},
		{name: "waits for nodes", row: slurmdbtest.Job{Nodes: "None assigned", TRESReq: "1=1"}},
		{name: "ran on nodes", row: slurmdbtest.Job{Nodes: "n[1-3,7]", TRESReq: "1=1"}, where: "n[1-3,7]"},
		{name: "licences", since: slurmdbtest.R2411, row: slurmdbtest.Job{Licenses: "matlab:2", TRESReq: "1=1"}, want: accounting.Needs{Licenses: "matlab:2"}},
		{
			name: "a line of submission", since: slurmdbtest.R2205, row: slurmdbtest.Job{Submitted: "sbatch -N2 --mem=2G run.sh -N9", TRESReq: "1=1"},
			want: accounting.Needs{Layout: accounting.Layout{Known: true, MinNodes: 2, MaxNodes: 2, Memory: 2048, MemoryPer: accounting.PerNode}},
		},
		{ // 5 of --ntasks=512345 would be another number
			name: "a line that is cut off", since: slurmdbtest.R2205,
			row:  slurmdbtest.Job{Submitted: "sbatch --wrap=" + strings.Repeat("x", 2048-14-11) + " --ntasks=512345 run.sh", TRESReq: "1=1"},
			want: accounting.Needs{Layout: known},
		},
		{name: "exclusive", since: slurmdbtest.R2605, row: slurmdbtest.Job{Exclusive: "USER", TRESReq: "1=1"}, want: accounting.Needs{Layout: accounting.Layout{Exclusive: "user"}}},
		{name: "not exclusive", since: slurmdbtest.R2605, row: slurmdbtest.Job{Exclusive: "NO", TRESReq: "1=1"}},
	}
	for _, release := range []slurmdbtest.Release{slurmdbtest.R2011, slurmdbtest.R2205, slurmdbtest.R2605} {
		t.Run(string(release), func(t *testing.T) {
			db := slurmdbtest.New(t, release)
			db.Size(64, 4, t0-day, 0)
			db.Resource(1001, "gres", "gpu")
			db.Resource(1002, "gres", "gpu:a100")
			db.Resource(1003, "license", "matlab")
			db.Reserve(slurmdbtest.Reservation{ID: 3, Name: "course", Nodes: "n1", Start: t0 - day, End: t0}, slurmdbtest.Reservation{ID: 3, Name: "course", Nodes: "n2", Start: t0, End: t0 + day})
			for i, tt := range cases {
				row := tt.row
				row.ID, row.User, row.Submit, row.Start, row.End = uint32(i+1), 1001, t0, t0+10, t0+20
				db.Put(row)
			}
			h, err := archive.History(t.Context(), open(t, db, func(c *slurmdb.Config) { c.Needs = true }), t0-day, t0+day)
			if err != nil {
				t.Fatal(err)
			}
			for i, tt := range cases {
				want := tt.want
				if release < tt.since {
					want = accounting.Needs{}
				}
				if diff := cmp.Diff(want, *h.NeedsOf(&h.Jobs[i])); diff != "" {
					t.Errorf("%s (-want +got):\n%s", tt.name, diff)
				}
				if got := h.WhereRan(&h.Jobs[i]); got != tt.where {
					t.Errorf("%s: ran on %q, want %q", tt.name, got, tt.where)
				}
			}
		})
	}
}

// TestBackfilled: the flags tell which scheduler started a job, of which they name one first.
func TestBackfilled(t *testing.T) {
	const t0 = 1_700_000_000
	db := slurmdbtest.New(t, slurmdbtest.R2205)
	want := map[uint32]bool{0: false, 1: false, 20: false, 24: true, 8: true, 8 | 4: false, 16: false, 32 | 16 | 8: true}
	for flags := range want {
		db.Put(slurmdbtest.Job{ID: 100 + flags, Submit: t0, Start: t0 + 10, End: t0 + 20, Flags: flags})
	}
	h, err := archive.History(t.Context(), open(t, db, func(c *slurmdb.Config) { c.Needs = true }), t0-day, t0+day)
	if err != nil {
		t.Fatal(err)
	}
	for _, j := range h.Jobs {
		if flags := uint32(j.ID) - 100; j.Backfilled != want[flags] {
			t.Errorf("flags %d: backfilled %v", flags, j.Backfilled)
		}
	}
}

// TestUnreadNeeds: an account that may not read the names of resources and of reservations reads
// the jobs all the same, and a note says what is missing.
func TestUnreadNeeds(t *testing.T) {
	const t0 = 1_700_000_000
	db := slurmdbtest.New(t, slurmdbtest.R2205)
	db.Put(slurmdbtest.Job{ID: 7, Submit: t0, Start: t0 + 10, End: t0 + 20, Reservation: 3, TRESReq: "1=1,1001=2"})
	db.Run("DROP TABLE tres_table, c1_resv_table")
	h, err := archive.History(t.Context(), open(t, db, func(c *slurmdb.Config) { c.Needs = true }), t0-day, t0+day)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(accounting.Needs{Reservation: "3"}, *h.NeedsOf(&h.Jobs[0])); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if !strings.Contains(strings.Join(h.Notes, "\n"), "The account may not read tres_table") {
		t.Errorf("notes %q", h.Notes)
	}
	if plain, err := archive.History(t.Context(), open(t, db), t0-day, ostrich.Time(t0+day)); err != nil || len(plain.Needs) != 0 {
		t.Errorf("not asked for: %v, %v", plain, err)
	}
}

package slurmdb_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"slurm-ostrich/ostrich/accounting"
	"slurm-ostrich/slurmdb"
	"slurm-ostrich/slurmdb/slurmdbtest"
)

func withNeeds(db *slurmdbtest.DB) slurmdb.Config {
	c := config(db)
	c.Needs = true
	return c
}

// TestLimits: associations and QOS have their limits. Those of one job, of the time and of the
// number of jobs of a user, and the priority, come from the accounts above where the user has none, each TRES for itself.
func TestLimits(t *testing.T) {
	db := slurmdbtest.New(t, slurmdbtest.R2205)
	db.Resource(1001, "gres", "gpu")
	db.Associate(
		slurmdbtest.Assoc{ID: 10, Account: "science", Above: "root", Shares: 1}, slurmdbtest.Assoc{ID: 11, Account: "physics", Above: "science", Shares: 1},
		slurmdbtest.Assoc{ID: 12, User: "alice", Account: "physics", Shares: 1}, slurmdbtest.Assoc{ID: 13, User: "bob", Account: "physics", Shares: 1},
	)
	db.Run("UPDATE c1_assoc_table SET grp_tres = '1=100,1001=8', max_tres_pj = '1=50,4=2', max_jobs = 9, max_wall_pj = 600 WHERE id_assoc = 10")
	db.Run("UPDATE c1_assoc_table SET max_tres_pj = '1=40,1001=18446744073709551615', max_jobs = 5, grp_tres_mins = '1=1000', priority = 60 WHERE id_assoc = 11")
	db.Run("UPDATE c1_assoc_table SET max_tres_pj = '1=20', max_wall_pj = 60, grp_jobs = 3, priority = 100 WHERE id_assoc = 12")
	db.Run("INSERT INTO qos_table (creation_time, name, flags, max_tres_pu, max_jobs_per_user, max_wall_duration_per_job, preempt_mode, grace_time, preempt_exempt_time, grp_tres, usage_thres, max_jobs_accrue_pu) " +
		"VALUES (1, 'short', 1168, '1001=2', 4, 30, 2, 120, 300, '2=4096,1099=1', 0.5, 7)")
	s, err := open(t, withNeeds(db)).Site(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	limits := make(map[string]accounting.Limits)
	for _, a := range s.Accounts {
		limits[a.Name] = a.Limits
	}
	for _, a := range s.Associations {
		limits[a.User] = a.Limits
	}
	job := func(resource string, most int64) accounting.Limit {
		return accounting.Limit{Scope: accounting.ByJob, Resource: resource, Most: most}
	}
	group := func(resource string, most int64) accounting.Limit {
		return accounting.Limit{Scope: accounting.ByGroup, Resource: resource, Most: most}
	}
	want := map[string]accounting.Limits{
		"root":    {},
		"science": {List: []accounting.Limit{group("cpu", 100), group("gres/gpu", 8)}},
		"physics": {Other: []string{"GrpTRESMins"}, Priority: 60},
		"alice":   {List: []accounting.Limit{group("jobs", 3), job("cpu", 20), job("node", 2), {Scope: accounting.ByUser, Resource: "jobs", Most: 5}}, MaxWall: 3600, Priority: 100},
		"bob":     {List: []accounting.Limit{job("cpu", 40), job("node", 2), {Scope: accounting.ByUser, Resource: "jobs", Most: 5}}, MaxWall: 36000, Priority: 60},
	}
	delete(limits, "")
	if diff := cmp.Diff(want, limits); diff != "" {
		t.Errorf("associations (-want +got):\n%s", diff)
	}
	qos := accounting.QOS{
		Name: "short", UsageFactor: 1, PreemptKnown: true, PreemptMode: "REQUEUE", Exempt: 300, Grace: 120, Flags: accounting.OverPartQOS | accounting.Relative | accounting.NoReserve,
		Limits: accounting.Limits{
			List:    []accounting.Limit{group("mem", 4096), {Scope: accounting.ByUser, Resource: "gres/gpu", Most: 2}, {Scope: accounting.ByUser, Resource: "jobs", Most: 4}},
			MaxWall: 1800, Other: []string{"UsageThres", "MaxJobsAccruePU"},
		},
	}
	if diff := cmp.Diff(qos, s.QOS[1]); diff != "" {
		t.Errorf("QOS (-want +got):\n%s", diff)
	}
	if s, err = open(t, config(db)).Site(t.Context()); err != nil || len(s.QOS[1].Limits.List) > 0 || len(s.Accounts[1].Limits.List) > 0 {
		t.Errorf("limits that were not asked for: %+v, %v", s, err)
	}
	c := config(db)
	c.Limits, c.Resources = true, []string{"gres/gpu"}
	if only, bad := open(t, c).Site(t.Context()); bad != nil || !cmp.Equal(only.QOS[1].Limits, qos.Limits) {
		t.Errorf("limits alone: %+v, %v", only, bad)
	}
	db.Run("UPDATE qos_table SET grp_tres = '1:5' WHERE name = 'short'")
	if _, err = open(t, withNeeds(db)).Site(t.Context()); err == nil || !strings.Contains(err.Error(), `QOS short: grp_tres: not a TRES string: "1:5"`) {
		t.Errorf("a malformed limit: %v", err)
	}
}

// TestPrioritized: the priorities of associations are known only if the table has the column.
func TestPrioritized(t *testing.T) {
	db := slurmdbtest.New(t, slurmdbtest.R2205)
	for _, want := range []bool{true, false} {
		if s, err := open(t, withNeeds(db)).Site(t.Context()); err != nil || s.Prioritized != want {
			t.Errorf("priorities of associations known %t, want %t; %v", s.Prioritized, want, err)
		}
		if want {
			db.Run("ALTER TABLE c1_assoc_table DROP COLUMN priority")
		}
	}
}

// TestOutages: outages that had not ended before the window, and reservations.
func TestOutages(t *testing.T) {
	const t0 = 1_700_000_000
	db := slurmdbtest.New(t, slurmdbtest.R2205)
	db.Size(64, 4, t0-86400, 0)
	db.Node("n1", 0x200|2, 16, t0-200, t0-100)
	db.Node("n2", 0x200|2, 16, t0-200, t0+100)
	db.Node("n3", 1, 16, t0+50, 0)
	db.Reserve(
		slurmdbtest.Reservation{ID: 1, Name: "old", Nodes: "n1", Start: t0 - 200, End: t0 - 100},
		slurmdbtest.Reservation{ID: 2, Name: "course", Nodes: "n[1-2]", Start: t0, End: t0 + 100, Flags: 1<<25 | 1},
		slurmdbtest.Reservation{ID: 3, Name: "float", Nodes: "n3", Start: t0 + 10, End: t0 + 200, Flags: 1 << 17},
	)
	db.Run("UPDATE c1_resv_table SET tres = '1=8' WHERE id_resv = 2")
	r := open(t, withNeeds(db))
	outages, err := r.Outages(t.Context(), t0)
	if diff := cmp.Diff([]accounting.NodeEvent{{Node: "n2", From: t0 - 200, To: t0 + 100, State: 0x202}, {Node: "n3", From: t0 + 50, State: 1}}, outages); diff != "" || err != nil {
		t.Errorf("outages, %v (-want +got):\n%s", err, diff)
	}
	reserved, err := r.Reservations(t.Context(), t0)
	if diff := cmp.Diff([]accounting.Reservation{
		{Name: "course", Nodes: "n[1-2]", From: t0, To: t0 + 100, CPUs: 8, Flex: true}, {Name: "float", Nodes: "n3", From: t0 + 10, To: t0 + 200, Floats: true},
	}, reserved); diff != "" || err != nil {
		t.Errorf("reservations, %v (-want +got):\n%s", err, diff)
	}
}

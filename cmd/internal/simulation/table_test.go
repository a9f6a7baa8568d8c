package simulation

import (
	"slices"
	"strings"
	"testing"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/sim"
)

// TestTable: a name is one policy wherever it can be asked for, and each policy
// is made in one way.
func TestTable(t *testing.T) {
	for _, with := range []Need{Log, Site, Parts} {
		names := Names(Policies(with))
		slices.Sort(names)
		if len(names) < 5 || len(slices.Compact(slices.Clone(names))) != len(names) {
			t.Errorf("%d: %q", with, names)
		}
	}
	for i := range table {
		p := &table[i]
		if p.Usage == "" || p.needs == 0 {
			t.Errorf("%s: %+v", p.Name, p)
		}
		var loop sim.Machine
		p.Into(&loop, &Material{Tuning: Tuning{Period: 1}})
		ways := 0
		for _, is := range []bool{loop.Policy != nil, p.order != nil, p.place != nil} {
			if is {
				ways++
			}
		}
		want := 1
		if p.needs == Clusters { // package grid makes it
			want = 0
			if q, err := ParseVariant(strings.ToLower(strings.ReplaceAll(p.Name, "-n", "-3")), Clusters); err != nil || q.Usage != p.Usage && q.Name != "WQR-3" {
				t.Errorf("%s is known as %+v, %v", p.Name, q, err)
			}
		}
		if ways != want {
			t.Errorf("%s is made in %d ways", p.Name, ways)
		}
	}
}

// TestClassic: without Fair Tree, factors of users with much usage are all 0 after
// rounding, so of two such users the one who submits first goes first.
func TestClassic(t *testing.T) {
	job := func(user ostrich.UserID, submit ostrich.Time, run ostrich.Duration) sim.Campaign {
		return sim.NewCampaign(user, submit, 0, sim.Job{ID: ostrich.JobID(submit + 1), Procs: 1, Run: run, Estimate: run})
	}
	campaigns := []sim.Campaign{job(1, 0, 6000), job(2, 1, 4000), job(3, 2, 3000), job(1, 9000, 10), job(2, 9001, 10)}
	for user := range ostrich.UserID(60) { // makes a user's share small
		campaigns = append(campaigns, job(100+user, 50_000+ostrich.Time(user), 1))
	}
	first := func(name string) ostrich.UserID {
		loop := sim.Machine{Procs: 1, Open: true, Backfill: sim.EASY}
		v := variant(t, name, Parts)
		v.Into(&loop, &Material{Campaigns: campaigns, Tuning: v.Tuning})
		jobs, err := loop.Run(campaigns)
		if err != nil {
			t.Fatal(err)
		}
		one, two := ostrich.Time(0), ostrich.Time(0)
		for i := range jobs {
			switch jobs[i].ID {
			case 9001:
				one = jobs[i].Start
			case 9002:
				two = jobs[i].Start
			}
		}
		if one == 0 || one == two {
			t.Fatalf("%s: the jobs start at %d and %d", name, one, two)
		}
		if one < two {
			return 1
		}
		return 2
	}
	if got := first("fairshare"); got != 2 {
		t.Errorf("Fair Tree: user %d goes first, want 2, who has used less", got)
	}
	if got := first("classic"); got != 1 {
		t.Errorf("classic: user %d goes first, want 1, whose job came first", got)
	}
}

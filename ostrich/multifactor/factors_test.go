package multifactor_test

import (
	"math"
	"testing"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/multifactor"
)

// TestFactors has one factor at a time, on 100 processors and 10 nodes.
func TestFactors(t *testing.T) {
	all := multifactor.Weights{Age: 1, Assoc: 1, Fairshare: 1, JobSize: 1, Partition: 1, QOS: 1, TRES: []float64{1000, 10}}
	none := multifactor.Request{Association: -1, Partition: -1, QOS: -1}
	on := func(change func(r *multifactor.Request)) multifactor.Request {
		r := none
		change(&r)
		return r
	}
	for _, tt := range []struct {
		name    string
		flags   multifactor.Flags
		small   bool
		weights multifactor.Weights
		request multifactor.Request
		want    multifactor.Factors
	}{
		{"nothing", 0, false, multifactor.Weights{}, on(func(r *multifactor.Request) {
			r.Association, r.Partition, r.QOS, r.Procs, r.Eligible = 0, 0, 0, 50, 1
		}), multifactor.Factors{}},
		{"age", 0, false, all, on(func(r *multifactor.Request) { r.Nodes, r.Submit, r.Eligible = 10, 100, 500 }), multifactor.Factors{Age: 0.5, JobSize: 1}},
		{"age before", 0, false, all, on(func(r *multifactor.Request) { r.Nodes, r.Submit, r.Eligible, r.Aged = 10, 100, 1000, 300 }), multifactor.Factors{Age: 0.3, JobSize: 1}},
		{"age before, not eligible", 0, false, all, on(func(r *multifactor.Request) { r.Nodes, r.Submit, r.Aged = 10, 100, 300 }), multifactor.Factors{JobSize: 1}},
		{"old age", 0, false, all, on(func(r *multifactor.Request) { r.Nodes, r.Eligible = 10, 1 }), multifactor.Factors{Age: 0.999, JobSize: 1}},
		{"not eligible", 0, false, all, on(func(r *multifactor.Request) { r.Nodes, r.Submit = 10, 100 }), multifactor.Factors{JobSize: 1}},
		{"not yet", 0, false, all, on(func(r *multifactor.Request) { r.Nodes, r.Submit, r.Eligible = 10, 100, 1500 }), multifactor.Factors{JobSize: 1}},
		{"age always", multifactor.AccrueAlways, false, all, on(func(r *multifactor.Request) { r.Nodes, r.Submit = 10, 100 }), multifactor.Factors{Age: 0.9, JobSize: 1}},

		{"size", 0, false, all, on(func(r *multifactor.Request) { r.Procs, r.Nodes = 30, 2 }), multifactor.Factors{JobSize: 0.25}},
		{"no nodes", 0, false, all, on(func(r *multifactor.Request) { r.Procs = 30 }), multifactor.Factors{JobSize: 0.2}},
		{"no processors", 0, false, all, on(func(r *multifactor.Request) { r.Nodes = 2 }), multifactor.Factors{JobSize: 0.2}},
		{"small", 0, true, all, on(func(r *multifactor.Request) { r.Procs, r.Nodes = 30, 2 }), multifactor.Factors{JobSize: 0.75}},
		{"small, too large", 0, true, all, on(func(r *multifactor.Request) { r.Procs, r.Nodes = 100, 12 }), multifactor.Factors{}},
		{"small, no processors", 0, true, all, on(func(r *multifactor.Request) { r.Nodes = 2 }), multifactor.Factors{JobSize: 0.8}},
		{"too large", 0, false, all, on(func(r *multifactor.Request) { r.Procs, r.Nodes = 300, 2 }), multifactor.Factors{JobSize: 1}},
		{"relative", multifactor.SmallRelativeToTime, false, all, on(func(r *multifactor.Request) { r.Procs, r.Nodes, r.Limit = 30, 2, 241 }), multifactor.Factors{JobSize: 0.3 / 5}},
		{"relative, nodes", multifactor.SmallRelativeToTime, false, all, on(func(r *multifactor.Request) { r.Procs, r.Nodes, r.Limit = 10, 2, 1 }), multifactor.Factors{JobSize: 0.2}},
		{"relative, small", multifactor.SmallRelativeToTime, true, all, on(func(r *multifactor.Request) { r.Procs, r.Limit = 50, 120 }), multifactor.Factors{JobSize: 0.75}},
		{"relative, no limit", multifactor.SmallRelativeToTime, false, all, on(func(r *multifactor.Request) { r.Procs = 50 }), multifactor.Factors{JobSize: 0.5}},

		{"association", 0, false, all, on(func(r *multifactor.Request) { r.Association, r.Nodes = 0, 10 }), multifactor.Factors{Assoc: 0.25, Fairshare: 1, JobSize: 1}},
		{"association as it is", multifactor.NoNormalAssoc, false, all, on(func(r *multifactor.Request) { r.Association, r.Nodes = 0, 10 }), multifactor.Factors{Assoc: 10, Fairshare: 1, JobSize: 1}},
		{"partition", 0, false, all, on(func(r *multifactor.Request) { r.Partition, r.Nodes = 0, 10 }), multifactor.Factors{Partition: 0.5, JobSize: 1}},
		{"partition as it is", multifactor.NoNormalPart, false, all, on(func(r *multifactor.Request) { r.Partition, r.Nodes = 0, 10 }), multifactor.Factors{Partition: 3, JobSize: 1}},
		{"partition's limit", multifactor.SmallRelativeToTime, false, all, on(func(r *multifactor.Request) { r.Partition, r.Procs = 0, 100 }), multifactor.Factors{Partition: 0.5, JobSize: 0.1}},
		{"own limit", multifactor.SmallRelativeToTime, false, all, on(func(r *multifactor.Request) { r.Partition, r.Procs, r.Limit = 0, 100, 300 }), multifactor.Factors{Partition: 0.5, JobSize: 0.2}},
		{"partition without one", multifactor.SmallRelativeToTime, false, all, on(func(r *multifactor.Request) { r.Partition, r.Procs = 1, 100 }), multifactor.Factors{Partition: 1, JobSize: 1. / math.MaxUint32}},
		{"QOS", 0, false, all, on(func(r *multifactor.Request) { r.QOS, r.Nodes = 1, 10 }), multifactor.Factors{QOS: 0.2, JobSize: 1}},
		{"QOS as it is", multifactor.NoNormalQOS, false, all, on(func(r *multifactor.Request) { r.QOS, r.Nodes = 1, 10 }), multifactor.Factors{QOS: 20, JobSize: 1}},
		{"TRES", 0, false, all, on(func(r *multifactor.Request) { r.Partition, r.Nodes, r.TRES = 0, 10, []float64{20, 8} }), multifactor.Factors{Partition: 0.5, JobSize: 1, TRES: 500 + 20}},
		{"TRES of no partition", 0, false, all, on(func(r *multifactor.Request) { r.Nodes, r.TRES = 10, []float64{20, 8} }), multifactor.Factors{JobSize: 1}},
		{"TRES that the partition lacks", 0, false, all, on(func(r *multifactor.Request) { r.Partition, r.Nodes, r.TRES = 1, 10, []float64{20, 8} }), multifactor.Factors{Partition: 1, JobSize: 1}},
		{"TRES as they are", multifactor.NoNormalTRES, false, all, on(func(r *multifactor.Request) { r.Nodes, r.TRES = 10, []float64{20} }), multifactor.Factors{JobSize: 1, TRES: 20_000}},
		{"nice", 0, false, all, on(func(r *multifactor.Request) { r.Nodes, r.Nice, r.Site = 10, 5, -7 }), multifactor.Factors{JobSize: 1, Nice: 5, Site: -7}},
	} {
		m := must(t, multifactor.Config{
			Weights: tt.weights, Flags: tt.flags, FavorSmall: tt.small, MaxAge: 1000,
			Accounts:     []multifactor.Account{{Name: "a", Shares: 1, Priority: 40}},
			Associations: []multifactor.Association{{Account: "a", Shares: 1, Priority: 10}},
			TRES:         []string{"cpu", "gres/gpu"},
			Partitions:   []multifactor.Partition{{JobFactor: 3, MaxTime: 600, TRES: []float64{40, 4}}, {JobFactor: 6, TRES: []float64{0}}},
			QOS:          []multifactor.QOS{{Priority: 100}, {Priority: 20}},
		}, 0)
		if err := m.Check(&tt.request); err != nil {
			t.Fatal(tt.name, err)
		}
		got := m.Factors(&tt.request, 1000)
		for _, of := range []struct {
			name      string
			got, want float64
		}{
			{"age", got.Age, tt.want.Age},
			{"association", got.Assoc, tt.want.Assoc},
			{"fair share", got.Fairshare, tt.want.Fairshare},
			{"size", got.JobSize, tt.want.JobSize},
			{"partition", got.Partition, tt.want.Partition},
			{"QOS", got.QOS, tt.want.QOS},
			{"TRES", got.TRES, tt.want.TRES},
			{"nice", float64(got.Nice), float64(tt.want.Nice)},
			{"site", float64(got.Site), float64(tt.want.Site)},
		} {
			if !near(of.got, of.want, 1e-12) {
				t.Errorf("%s: %s %v, want %v", tt.name, of.name, of.got, of.want)
			}
		}
	}
}

// TestLargestPriority: the largest of accounts and users makes the factor.
func TestLargestPriority(t *testing.T) {
	for _, tt := range []struct {
		account, other int
		want           float64
	}{{40, 20, 0.25}, {5, 20, 0.5}, {5, 5, 1}} {
		m := must(t, multifactor.Config{
			Weights:      multifactor.Weights{Assoc: 1},
			Accounts:     []multifactor.Account{{Name: "a", Shares: 1, Priority: tt.account}},
			Associations: []multifactor.Association{{Account: "a", Priority: 10}, {Account: "a", Priority: tt.other}},
		}, 0)
		if got := m.Factors(&multifactor.Request{Partition: -1, QOS: -1}, 0).Assoc; got != tt.want {
			t.Errorf("of an account with %d and a user with %d: %v, want %v", tt.account, tt.other, got, tt.want)
		}
	}
}

func TestPriority(t *testing.T) {
	m := must(t, multifactor.Config{Weights: multifactor.Weights{Age: 1, Assoc: 10, Fairshare: 100, JobSize: 1000, Partition: 1e4, QOS: 1e5}}, 0)
	for _, tt := range []struct {
		f    multifactor.Factors
		want uint32
	}{
		{multifactor.Factors{}, 1},
		{multifactor.Factors{Age: 1, Assoc: 1, Fairshare: 1, JobSize: 1, Partition: 1, QOS: 1, TRES: 1e6}, 1_111_111},
		{multifactor.Factors{Fairshare: 0.059}, 5},
		{multifactor.Factors{Fairshare: 1, Nice: 30, Site: 5}, 75},
		{multifactor.Factors{Fairshare: 1, Nice: 300}, 1},
		{multifactor.Factors{Site: math.MaxUint32 + 1}, math.MaxUint32},
	} {
		if got := m.Priority(&tt.f); got != tt.want {
			t.Errorf("%+v: %d, want %d", tt.f, got, tt.want)
		}
	}
}

// TestBilling: what a second of a job costs is what it has used after one.
func TestBilling(t *testing.T) {
	for _, tt := range []struct {
		name    string
		flags   multifactor.Flags
		request multifactor.Request
		want    float64
	}{
		{"processors", 0, multifactor.Request{Partition: -1, QOS: -1, Procs: 7}, 7},
		{"in a partition", 0, multifactor.Request{Partition: 0, QOS: -1, Procs: 7, TRES: []float64{8}}, 7},
		{"told", 0, multifactor.Request{Partition: 1, QOS: -1, Procs: 7, TRES: []float64{8}, Billing: 2.5}, 2.5},
		{"usage factor", 0, multifactor.Request{Partition: 1, QOS: 0, Procs: 8}, 4},
		{"free", 0, multifactor.Request{Partition: -1, QOS: 1, Procs: 7}, 0},
	} {
		m := must(t, multifactor.Config{
			Flags: tt.flags, TRES: []string{"cpu", "mem", "gres/gpu", "license/x"},
			Associations: []multifactor.Association{{Shares: 1}},
			Partitions:   []multifactor.Partition{{}, {}},
			QOS:          []multifactor.QOS{{UsageFactor: 0.5}, {}},
		}, 0)
		if err := m.Start(1, &tt.request, 10); err != nil {
			t.Fatal(tt.name, err)
		}
		if err := m.End(1, 11); err != nil {
			t.Fatal(tt.name, err)
		}
		if got := m.Share(0).RawUsage; got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}

// TestNoAssociation: a job of nobody books nothing and has no fair share.
func TestNoAssociation(t *testing.T) {
	m := must(t, multifactor.Config{Weights: multifactor.Weights{Fairshare: 10}, Associations: []multifactor.Association{{Shares: 1}}}, 0)
	r := multifactor.Request{Association: -1, Partition: -1, QOS: -1, Procs: 7}
	if err := m.Start(1, &r, 10); err != nil {
		t.Fatal(err)
	}
	m.AdvanceTo(1000)
	if err := m.End(1, 2000); err != nil {
		t.Fatal(err)
	}
	if got := m.AccountShare(-1).RawUsage; got != 0 {
		t.Errorf("root has used %v", got)
	}
	f := m.Factors(&r, 2000)
	if got := m.Priority(&f); got != 1 {
		t.Errorf("priority %d, want 1", got)
	}
	if due, want := m.Due(), ostrich.Time(2100); due != want {
		t.Errorf("due at %d, want %d", due, want)
	}
}

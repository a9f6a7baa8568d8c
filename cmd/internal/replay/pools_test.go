package replay

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting"
	"slurm-ostrich/priority"
	"slurm-ostrich/priority/slurm"
)

// TestChoice: a job submitted to several partitions may start in those of its pool, of the PriorityTier of the one in which it ran, that allow its limit.
func TestChoice(t *testing.T) {
	const conf = `NodeName=n[1-3] CPUs=1
PartitionName=a Nodes=n1 MaxTime=60
PartitionName=b Nodes=n[1-2] MaxTime=10
PartitionName=high Nodes=n2 PriorityTier=2
PartitionName=apart Nodes=n3
PartitionName=endless Nodes=n1
`
	records, err := slurm.ParseRecords(conf, nil)
	if err != nil {
		t.Fatal(err)
	}
	parts, err := slurm.ParsePartitions(conf, nil)
	if err != nil {
		t.Fatal(err)
	}
	h := history()
	h.Partitions, h.Jobs = []string{"a", "b", "high", "apart", "endless"}, nil
	h.Needs = []accounting.Needs{{Layout: accounting.ParseSubmission("sbatch -p high,b,a,apart,gone x", 0)}, {Layout: accounting.ParseSubmission("sbatch -p endless,a,b,endless x", 0)}}
	for i := range 5 {
		h.Jobs = append(h.Jobs, accounting.Job{ID: ostrich.JobID(i + 1), Partition: int32(i % 4), Procs: 1, Asked: 1, Submit: 1000, Start: 1001, End: 1200, Limit: 300})
	}
	h.Jobs[4].Limit, h.Jobs[4].Het = 1200, 5
	for _, part := range []int32{0, 4} { // without a limit of their own
		h.Jobs = append(h.Jobs, accounting.Job{ID: ostrich.JobID(6 + part), Partition: part, Needs: 1, Procs: 1, Asked: 1, Submit: 1000, Start: 1001, End: 1200})
	}
	s := mustNew(t, h, Setup{Options: window30, Records: records, Partitions: parts})
	const note = "The record has no lines of submission"
	hasNote := func(s *Study) bool { return strings.Contains(strings.Join(s.Notes, "\n"), note) }
	var got [][]int
	for i := range s.Jobs {
		got = append(got, s.placement.requests[s.Jobs[i].Request-1].Partitions)
	}
	if diff := cmp.Diff([][]int{{0, 1}, {1, 0}, {2}, {3}, {0}, {0, 4}, {4}}, got); diff != "" {
		t.Errorf("partitions -want +got:\n%s", diff)
	}
	if s.placement.requests[s.Jobs[0].Request-1].Component || !s.placement.requests[s.Jobs[4].Request-1].Component {
		t.Error("job 5 alone is a component of a heterogeneous job")
	}
	h.Needs = make([]accounting.Needs, 2)
	if hasNote(s) || !hasNote(mustNew(t, h, Setup{Options: window30, Records: records, Partitions: parts})) {
		t.Errorf("the note %q is there with lines of submission, or not there without", note)
	}
	if n := s.left.jobs[several]; n != 7 {
		t.Errorf("%d jobs of several partitions are counted, want 7", n)
	}
}

// TestGoneUsers: users whose associations are gone have each their own, below that of the account if there is one.
func TestGoneUsers(t *testing.T) {
	records, err := slurm.ParseRecords("NodeName=n1 CPUs=8\nPartitionName=main Nodes=n1\n", nil)
	if err != nil {
		t.Fatal(err)
	}
	h := history()
	h.Partitions = []string{"main", "other"}
	account := h.Associations[0].Account
	for _, site := range []*accounting.Site{nil, {Accounts: []accounting.Account{{Name: "root"}, {Name: account, Parent: "root", Shares: 1}}}} {
		for i, a := range mustNew(t, h, Setup{Options: window30, Records: records, Site: site}).placement.associations {
			of := h.Associations[i]
			if a == nil || a.User != of.User || a.Account != of.Account || (a.Parent != nil) != (site != nil && of.Account == account) {
				t.Errorf("association of %+v: %+v", of, a)
			}
		}
	}
}

// TestWholeCluster: on nodes, what users used in one pool counts under fairshare in another, and limits count in all under every policy,
// but under OStrich where the daemon's pools are set.
func TestWholeCluster(t *testing.T) {
	records, err := slurm.ParseRecords("ClusterName=c\nNodeName=n[1-2] CPUs=1\nPartitionName=main Nodes=n1\nPartitionName=gpu Nodes=n2\n", nil)
	if err != nil {
		t.Fatal(err)
	}
	parts := []priority.Partition{
		{Name: "main", TotalCPUs: 1, Nodes: []string{"n1"}, MaxTime: priority.Unlimited}, {Name: "gpu", TotalCPUs: 1, Nodes: []string{"n2"}, MaxTime: priority.Unlimited},
	}
	site := &accounting.Site{Accounts: []accounting.Account{{Name: "root"}, {Name: "physics", Parent: "root", Shares: 1}}}
	for _, user := range []string{"alice", "bob", "carol"} {
		site.Associations = append(site.Associations, accounting.AssociationShare{User: user, Account: "physics", Shares: 1})
	}
	site.Associations[2].Limits.List = []accounting.Limit{{Scope: accounting.ByGroup, Resource: "jobs", Most: 1}}
	h := &accounting.History{
		From: 1000, To: 90000, Procs: 2, Nodes: 2, QOS: []string{"normal"}, Partitions: []string{"main", "gpu"},
		Associations: []accounting.Association{{User: "alice", Account: "physics"}, {User: "bob", Account: "physics"}, {User: "carol", Account: "physics"}},
		Jobs: []accounting.Job{ // bob's runs first, as alice used main
			{ID: 1, Procs: 1, Submit: 1000, Start: 1000, End: 3000, Limit: 3600},
			{ID: 2, Procs: 1, Partition: 1, Association: 1, Submit: 1000, Start: 1000, End: 1100, Limit: 3600},
			{ID: 3, Procs: 1, Partition: 1, Association: 1, Submit: 1100, Start: 1110, End: 2500, Limit: 3600},
			{ID: 4, Procs: 1, Partition: 1, Submit: 1200, Start: 2700, End: 2800, Limit: 3600},
			{ID: 5, Procs: 1, Partition: 1, Association: 1, Submit: 1300, Start: 2500, End: 2600, Limit: 3600},
			{ID: 6, Procs: 1, Association: 2, Submit: 10000, Start: 10001, End: 11000, Limit: 3600}, // and carol may run one job
			{ID: 7, Procs: 1, Partition: 1, Association: 2, Submit: 10001, Start: 11000, End: 11100, Limit: 3600},
		},
	}
	for _, tt := range []struct {
		policy         string
		divided, whole bool
	}{{"fairshare", false, true}, {"fairshare", true, true}, {"ostrich", false, true}, {"ostrich", true, false}, {"fcfs", false, true}} {
		s := mustNew(t, h, Setup{Options: window30, Divided: tt.divided, Records: records, Partitions: parts, Site: site, Controller: &priority.Controller{
			PriorityType: "priority/multifactor", Weights: priority.Weights{Fairshare: 1000}, CalcPeriod: 60, DecayHalfLife: 86400, AccountingEnforce: []string{"associations", "limits"},
		}})
		jobs, _, err := s.Replay(sitePolicy(t, tt.policy), func(int) {})
		if err != nil {
			t.Fatal(err)
		}
		start := make(map[ostrich.JobID]ostrich.Time)
		for _, j := range jobs {
			start[j.ID] = j.Start
		}
		if bobFirst, carolWaits := start[5] < start[4], start[7] == start[6]+999; tt.policy == "fairshare" && !bobFirst || carolWaits != tt.whole {
			t.Errorf("%+v: bob goes first: %v, carol's second job waits for the first one: %v; starts %v", tt, bobFirst, carolWaits, start)
		}
	}
}

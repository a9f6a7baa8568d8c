package sacct_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"slurm-ostrich/ostrich/accounting"
	"slurm-ostrich/ostrich/accounting/sacct"
)

const associations = `Cluster|Account|User|Partition|Share|ParentName|ID
c1|root|||1||1
c1|root|root||1||2
c1|physics|||3|root|9
c1|physics|bob||1||11
c1|optics|||parent|physics|12
c1|optics|alice||parent||10
c1|optics|alice|gpu|5||13
`

func site() *accounting.Site {
	return &accounting.Site{
		Accounts: []accounting.Account{
			{ID: 12, Name: "optics", Parent: "physics", Shares: accounting.ParentShares},
			{ID: 9, Name: "physics", Parent: "root", Shares: 3},
			{ID: 1, Name: "root", Shares: 1},
		},
		Associations: []accounting.AssociationShare{
			{ID: 10, User: "alice", Account: "optics", Shares: accounting.ParentShares},
			{ID: 13, User: "alice", Account: "optics", Partition: "gpu", Shares: 5},
			{ID: 11, User: "bob", Account: "physics", Shares: 1},
			{ID: 2, User: "root", Account: "root", Shares: 1},
		},
	}
}

func TestReadAssociations(t *testing.T) {
	without := func(s *accounting.Site) *accounting.Site {
		for i := range s.Accounts {
			s.Accounts[i].ID = 0
		}
		for i := range s.Associations {
			s.Associations[i].ID = 0
		}
		return s
	}
	// In a tree, of an old release: accounts are indented.
	tree := `User|Account|Cluster|FairShare|Partition|Par Name|GrpSubmit
|root|c1|1|||
root| root|c1||||
| physics|c1|3||root|
bob|  physics|c1|1|||
|  optics|c1|Parent||physics|
alice|   optics|c1|parent|||
alice|   optics|c1|5|gpu||7
`
	bare := `Cluster|Account|User|Partition|Share
c1|root|||1
c1| root|root||
c1| physics|||3
c1|  physics|bob||1
c1|  optics|||Parent
c1|   optics|alice||parent
c1|   optics|alice|gpu|5
`
	for _, tt := range []struct {
		name, text, cluster string
		want                *accounting.Site
		err                 string
	}{
		{"as asked for", associations, "", site(), ""},
		{"as asked for, of a cluster", associations, "c1", site(), ""},
		{"Windows' line ends", strings.ReplaceAll(associations, "\n", "\r\n"), "", site(), ""},
		{"a comment first, and parent as slurmdbd stores it", "# of 2026\n\n" + strings.ReplaceAll(associations, "parent", "2147483647"), "", site(), ""},
		{"a tree", tree, "", without(site()), ""},
		{"a tree without the parents' names", bare, "", without(site()), ""},
		{"a tree without a line", strings.Replace(bare, "c1| physics|||3\n", "", 1), "", nil, `f:5: account "optics" is indented by 2, and no line above has the account that it is in`},
		{"two clusters, one chosen", associations + "c2|root|||1||20\n", "c1", site(), ""},
		{"two clusters", associations + "c2|root|||1||20\n", "", nil, `f:9: associations of cluster "c2" after those of "c1": choose one`},
		{"another cluster", associations, "c3", nil, `f: no account of cluster "c3"`},
		{"empty", "", "", nil, "f: empty; it should be what sacctmgr --parsable2 show associations format="},
		{"no header", "c1|root|||1||1\n", "", nil, "f:1: no column Cluster, Account, User, Share; it should be what"},
		{
			"no parents", "Cluster|Account|User|Share\nc1|root||1\nc1|optics||2\n", "",
			&accounting.Site{Flat: true, Accounts: []accounting.Account{{Name: "optics", Parent: "root", Shares: 2}, {Name: "root", Shares: 1}}}, "",
		},
		{"too few fields", associations + "c1|root\n", "", nil, "f:9: 2 fields, want 7"},
		{"share", associations + "c1|root|eve||-1||3\n", "", nil, `f:9: share "-1": not a number or parent`},
		{"priority", "Cluster|Account|User|Share|Priority\nc1|root||1|high\n", "", nil, `f:2: priority "high": not a number`},
		{"id", associations + "c1|root|eve||1||x\n", "", nil, `f:9: ID "x": not a number`},
		{"no account", associations + "c1||eve||1||3\n", "", nil, "f:9: an association without an account"},
		{"twice", associations + "c1|physics|bob||1||14\n", "", nil, `f:9: account "physics", user "bob" again: first on line 5`},
		{"parent", associations + "c1|lost|||1|gone|14\n", "", nil, `f:9: account "lost": its parent "gone" is not there`},
		{"account", associations + "c1|gone|eve||1||14\n", "", nil, `f:9: user "eve": account "gone" is not there`},
		{"header alone", "Cluster|Account|User|Share|ParentName\n", "", nil, "f: no account"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := &accounting.Site{}
			err := sacct.ReadAssociations(s, strings.NewReader(tt.text), "f", tt.cluster)
			if tt.err != "" {
				if err == nil || !strings.Contains(err.Error(), tt.err) {
					t.Errorf("error %v, want %s", err, tt.err)
				}
				if s.Accounts != nil || s.Associations != nil {
					t.Error("half a site with an error")
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, s); diff != "" {
				t.Errorf("site (-want +got):\n%s", diff)
			}
		})
	}
}

// qosHead are the columns of sacctmgr --parsable2 show qos.
const qosHead = "Name|Priority|GraceTime|Preempt|PreemptExemptTime|PreemptMode|Flags|UsageThres|UsageFactor|GrpTRES|GrpTRESMins|GrpTRESRunMins|GrpJobs|GrpSubmit|GrpWall|" +
	"MaxTRES|MaxTRESPerNode|MaxTRESMins|MaxWall|MaxTRESPU|MaxJobsPU|MaxSubmitPU|MaxTRESPA|MaxJobsPA|MaxSubmitPA|MinTRES\n"

// TestAssociationLimits: of an account those of the whole group; the others are defaults, which
// sacctmgr shows of each user.
func TestAssociationLimits(t *testing.T) {
	s := &accounting.Site{}
	text := "Cluster|Account|User|Partition|Share|Priority|GrpJobs|GrpTRES|GrpSubmit|GrpWall|GrpTRESMins|MaxJobs|MaxTRES|MaxTRESPerNode|MaxSubmit|MaxWall|MaxTRESMins|QOS|Def QOS|GrpTRESRunMins\n" +
		"c|root|||1|||||||||||||normal||\nc|astro|||30||9|cpu=64||||5|node=2|||02:00:00||normal||\nc|astro|bob||1|||||||5|node=2|||02:00:00||normal||\n"
	if err := sacct.ReadAssociations(s, strings.NewReader(text), "f", ""); err != nil {
		t.Fatal(err)
	}
	account := accounting.Limits{MaxWall: 7200, List: []accounting.Limit{{Resource: "cpu", Most: 64}, {Resource: "jobs", Most: 9}}}
	user := accounting.Limits{MaxWall: 7200, List: []accounting.Limit{{Scope: accounting.ByJob, Resource: "node", Most: 2}, {Scope: accounting.ByUser, Resource: "jobs", Most: 5}}}
	if diff := cmp.Diff([]accounting.Limits{account, {}, user}, []accounting.Limits{s.Accounts[0].Limits, s.Accounts[1].Limits, s.Associations[0].Limits}); diff != "" || !s.Flat {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// FuzzTRES: what is read has known names and no number below 0.
func FuzzTRES(f *testing.F) {
	f.Add("cpu=36,gres/gpu:a100=4,mem=100G")
	f.Add("mem=18446744073709551615,=,cpu")
	f.Fuzz(func(t *testing.T, text string) {
		list, err := sacct.ReadTRES(text)
		for _, c := range list {
			if err != nil || c.Name == "" || c.Count < 0 {
				t.Errorf("%q: %+v, %v", text, list, err)
			}
		}
	})
}

func TestReadQOS(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       []accounting.QOS
		err        string
	}{
		{
			"as asked for", "Name|Priority|UsageFactor\nnormal|0|1.000000\nhigh|100|0.500000\n",
			[]accounting.QOS{{Name: "high", Priority: 100, UsageFactor: 0.5}, {Name: "normal", UsageFactor: 1}},
			"",
		},
		{
			"all columns", "Name|Priority|GraceTime|UsageFactor|MaxTRES\nnormal||00:00:00||cpu=4\n",
			[]accounting.QOS{{Name: "normal", UsageFactor: 1, Limits: accounting.Limits{List: []accounting.Limit{{Scope: accounting.ByJob, Resource: "cpu", Most: 4}}}}},
			"",
		},
		{
			"limits, as Slurm 22.05 shows them", qosHead + "limited|10|00:05:00||00:01:00|requeue|DenyOnLimit,OverPartQOS||1.000000|gres/gpu=4|cpu=100||20||||mem=100G,cpu=8||1-00:00:00|cpu=36|6||node=3|7||\n",
			[]accounting.QOS{{
				Name: "limited", Priority: 10, UsageFactor: 1, PreemptKnown: true, Preempts: []string{}, PreemptMode: "REQUEUE", Exempt: 60, Grace: 300, Flags: accounting.OverPartQOS,
				Limits: accounting.Limits{MaxWall: 86400, Other: []string{"GrpTRESMins"}, List: []accounting.Limit{
					{Scope: accounting.ByGroup, Resource: "gres/gpu", Most: 4},
					{Scope: accounting.ByGroup, Resource: "jobs", Most: 20},
					{Scope: accounting.ByJobNode, Resource: "mem", Most: 102400},
					{Scope: accounting.ByJobNode, Resource: "cpu", Most: 8},
					{Scope: accounting.ByUser, Resource: "cpu", Most: 36},
					{Scope: accounting.ByUser, Resource: "jobs", Most: 6},
					{Scope: accounting.ByAccount, Resource: "node", Most: 3},
					{Scope: accounting.ByAccount, Resource: "jobs", Most: 7},
				}},
			}},
			"",
		},
		{
			"unknown TRES", "Name|Priority|UsageFactor|GrpTRES\na|1|1|gpu=4\n", nil,
			`f:2: GrpTRES "gpu=4": "gpu": not a TRES: cpu, mem, node, billing, energy, vmem, pages, gres/NAME, license/NAME, fs/NAME, bb/NAME, ic/NAME`,
		},
		{"no count", "Name|Priority|UsageFactor|GrpTRES\na|1|1|gres/gpu=few\n", nil, `f:2: GrpTRES "gres/gpu=few": "gres/gpu=few": not a number of it`},
		{"no number of jobs", "Name|Priority|UsageFactor|MaxJobsPU\na|1|1|some\n", nil, `f:2: MaxJobsPU "some": not a number`},
		{"no time", "Name|Priority|UsageFactor|MaxWall\na|1|1|long\n", nil, `f:2: MaxWall "long": not [days-]hours:minutes:seconds`},
		{
			"preemption", "Name|Priority|UsageFactor|Preempt\nhigh|100|1|low,normal\nlow|0|1|\n",
			[]accounting.QOS{
				{Name: "high", Priority: 100, UsageFactor: 1, Preempts: []string{"low", "normal"}, PreemptKnown: true},
				{Name: "low", UsageFactor: 1, Preempts: []string{}, PreemptKnown: true},
			},
			"",
		},
		{"priority", "Name|Priority|UsageFactor\nnormal|high|1\n", nil, `f:2: priority "high": not a number`},
		{"factor", "Name|Priority|UsageFactor\nnormal|1|NaN\n", nil, `f:2: usage factor "NaN": not a number from 0`},
		{"negative factor", "Name|Priority|UsageFactor\nnormal|1|-0.5\n", nil, `f:2: usage factor "-0.5": not a number from 0`},
		{"endless factor", "Name|Priority|UsageFactor\nnormal|1|+Inf\n", nil, `f:2: usage factor "+Inf": not a number from 0`},
		{"no name", "Name|Priority|UsageFactor\n|1|1\n", nil, `f:2: QOS "": without a name, or there already`},
		{"twice", "Name|Priority|UsageFactor\na|1|1\na|1|1\n", nil, `f:3: QOS "a": without a name, or there already`},
		{"no header", "normal|0|1\n", nil, "f:1: no column Name, Priority, UsageFactor; it should be what sacctmgr"},
		{"too many fields", "Name|Priority|UsageFactor\na|1|1|1\n", nil, "f:2: 4 fields, want 3"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := &accounting.Site{}
			err := sacct.ReadQOS(s, strings.NewReader(tt.text), "f")
			if tt.err != "" {
				if err == nil || !strings.Contains(err.Error(), tt.err) || s.QOS != nil {
					t.Errorf("error %v, want %s", err, tt.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, s.QOS); diff != "" {
				t.Errorf("QOS (-want +got):\n%s", diff)
			}
		})
	}
}

func TestReadNames(t *testing.T) {
	text := "Account|User|Share\nb||1\nb|eve|1\na||1\na| bob |1\nb|bob|1\n"
	names, err := sacct.ReadNames(strings.NewReader(text), "sacctmgr", "User", "Account")
	if diff := cmp.Diff([][]string{{"bob", "eve"}, {"a", "b"}}, names); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if _, err = sacct.ReadNames(strings.NewReader(text), "sacctmgr", "QOS"); err == nil || !strings.Contains(err.Error(), "no column QOS; it should be what sacctmgr") {
		t.Error(err)
	}
}

func FuzzSite(f *testing.F) {
	f.Add(associations, "")
	f.Add("Name|Priority|UsageFactor\nnormal|0|1.000000\n", "c1")
	f.Fuzz(func(t *testing.T, text, cluster string) {
		s := &accounting.Site{}
		if sacct.ReadAssociations(s, strings.NewReader(text), "f", cluster) == nil && len(s.Accounts) == 0 {
			t.Error("no account and no error")
		}
		accounts := map[string]bool{}
		for _, a := range s.Accounts {
			accounts[a.Name] = true
		}
		for _, a := range s.Accounts {
			if a.Parent != "" && !accounts[a.Parent] || a.Shares < accounting.ParentShares {
				t.Errorf("%+v", a)
			}
		}
		for _, a := range s.Associations {
			if !accounts[a.Account] || a.User == "" {
				t.Errorf("%+v", a)
			}
		}
		if sacct.ReadQOS(s, strings.NewReader(text), "f") == nil {
			for _, q := range s.QOS {
				if q.Name == "" || q.Priority < 0 || q.UsageFactor < 0 {
					t.Errorf("%+v", q)
				}
			}
		}
	})
}

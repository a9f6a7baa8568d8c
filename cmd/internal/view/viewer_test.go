package view

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting/ledger"
	"slurm-ostrich/priority"
)

// What Slurm hides of others is hidden, and one's own never is.
func TestViewer(t *testing.T) {
	for private, want := range map[string]string{
		"":                         "other's: job share; own: job share; in an account of a coordinator: job share",
		"accounts,nodes,cloud":     "other's: job share; own: job share; in an account of a coordinator: job share",
		"jobs":                     "other's:; own: job share; in an account of a coordinator: job share",
		"usage":                    "other's: job; own: job share; in an account of a coordinator: job share",
		"users":                    "other's: job; own: job share; in an account of a coordinator: job share",
		"accounts,jobs,usage,cats": "other's:; own: job share; in an account of a coordinator: job share",
	} {
		v := NewViewer(strings.Split(private, ","))
		v.Names, v.Accounts = []string{"alice"}, []string{"physics"}
		sees := func(user, account string) (list string) {
			if v.Job(user, account) {
				list += " job"
			}
			if v.Share(user, account) {
				list += " share"
			}
			return list
		}
		got := fmt.Sprintf("other's:%s; own:%s; in an account of a coordinator:%s", sees("bob", "bio"), sees("alice", "bio"), sees("bob", "physics"))
		if got != want {
			t.Errorf("PrivateData=%s: %q, want %q", private, got, want)
		}
		if v.Names, v.Accounts = nil, nil; v.Job("", "") != v.Jobs || v.Share("", "") != v.Shares {
			t.Errorf("PrivateData=%s: a user without a name has the rows without one", private)
		}
	}
	if nobody := (Viewer{}); nobody.Job("alice", "physics") || nobody.Share("alice", "physics") {
		t.Error("the zero value sees something")
	}
}

// Answers hold the rows that are chosen and may be seen. A job that may not be seen
// is as unknown as one that does not exist.
func TestAnswers(t *testing.T) {
	s := &Cycle{Pools: []Pool{{Users: []User{{User: "alice", ID: 1}, {User: "bob", ID: 2}}}}}
	s.moved, s.dues = make([]int, 3), make([]due, 3)
	for i, user := range []string{"alice", "bob", "bob"} {
		q := priority.Queued{Job: ostrich.JobID(17 + i), Full: strconv.Itoa(17 + i), User: user, Account: "physics", Partition: "main,gpu"}
		s.Plan.Entries = append(s.Plan.Entries, &priority.Entry{Queued: &q})
		s.Campaigns = append(s.Campaigns, Campaign{User: user, Account: "physics", Partition: "main", Campaign: q.Job})
		s.live = append(s.live, &ledger.Record{Job: ostrich.Job{ID: q.Job, User: ostrich.UserID(1 + min(i, 1))}, Account: "physics", Partition: "main,gpu"})
	}
	alice := &Viewer{Names: []string{"alice"}}
	for _, test := range []struct {
		v    *Viewer
		by   Selection
		want string // jobs, campaigns, users
	}{
		{Everything(), Selection{}, "17 18 19, 17 18 19, alice bob"},
		{Everything(), Selection{Users: []string{"bob", "carol"}}, "18 19, 18 19, bob"},
		{Everything(), Selection{Accounts: []string{"bio"}}, ", , "},
		{Everything(), Selection{Users: []string{"alice"}, Accounts: []string{"bio", "physics"}, Partitions: []string{"main"}}, "17, 17, alice"},
		{Everything(), Selection{Partitions: []string{"gpu"}}, "17 18 19, , alice bob"},
		{alice, Selection{}, "17, 17, alice"},
		{alice, Selection{Users: []string{"bob"}}, ", , "},
		{&Viewer{Accounts: []string{"physics"}}, Selection{}, "17 18 19, 17 18 19, "}, // a user's shares are in all their accounts
		{&Viewer{}, Selection{}, ", , "},
		{Everything(), Selection{Jobs: []string{"19", "17", "20"}}, "17 19, 17 19, alice bob"},
		{Everything(), Selection{Jobs: []string{"18", "19"}, Users: []string{"alice"}}, ", , alice"},
		{alice, Selection{Jobs: []string{"18"}}, ", , alice"},
		{Everything(), Selection{Jobs: []string{"none"}}, ", , alice bob"},
	} {
		var jobs, campaigns, users []string
		for _, j := range s.Chosen(test.v, &test.by).Jobs {
			jobs = append(jobs, j.Job)
		}
		for _, c := range s.Unfinished(test.v, &test.by).Campaigns {
			campaigns = append(campaigns, strconv.Itoa(int(c.Campaign)))
		}
		for _, u := range s.Shares(test.v, &test.by).Shares {
			users = append(users, u.User)
		}
		got := strings.Join([]string{strings.Join(jobs, " "), strings.Join(campaigns, " "), strings.Join(users, " ")}, ", ")
		if got != test.want {
			t.Errorf("%+v asks for %+v: %q, want %q", test.v, test.by, got, test.want)
		}
	}
	all := &Selection{}
	for user, want := range map[string]bool{"alice": true, "bob": false} {
		for i, a := range []interface{ HasUser(name string) bool }{s.Chosen(alice, all), s.Unfinished(alice, all), s.Shares(alice, all)} {
			if a.HasUser(user) != want {
				t.Errorf("answer %d has %s: %v", i, user, !want)
			}
		}
	}
	if a, err := AskExplain.Of(t.Context(), s, alice, &Selection{Jobs: []string{"17", "18", "20"}}); err != nil || len(a.Jobs) != 1 || a.Jobs[0].Job != "17" || !slices.Equal(a.Unknown, []string{"18", "20"}) {
		t.Errorf("alice asks for 17, 18 and 20: %+v, %v", a, err)
	}
	if _, err := AskExplain.Of(t.Context(), s, alice, &Selection{}); err == nil {
		t.Error("no job is explained")
	}
}

// A coordinator sees of a campaign the ids and the kinds of the jobs in their accounts.
func TestSeenOfCampaign(t *testing.T) {
	s := &Cycle{Declared: ledger.ByTool, ByTool: true}
	for i, r := range []*ledger.Record{
		{Account: "bio", Tool: "Toil", Kind: "fold"},
		{Account: "physics", Tool: "Snakemake", Kind: "sort"},
		{Account: "bio"},
		{Account: "physics", Tool: "Snakemake", Kind: "align"},
	} {
		r.Job.ID = ostrich.JobID(20 + i)
		s.live = append(s.live, r)
	}
	s.Campaigns = []Campaign{{User: "bob", Account: "physics", Campaign: 20, Pending: []ostrich.JobID{20, 21}, CannotStart: []ostrich.JobID{20}, Running: []ostrich.JobID{22, 23}}}
	for _, test := range []struct {
		v    Viewer
		want string
	}{
		{*Everything(), "[20 21] [22 23] [20] Toil [fold]"},
		{Viewer{Names: []string{"bob"}}, "[20 21] [22 23] [20] Toil [fold]"},
		{Viewer{Accounts: []string{"physics"}}, "[21] [23] [] Snakemake [align sort]"},
		{Viewer{Accounts: []string{"physics", "bio"}}, "[20 21] [22 23] [20] Toil [fold]"},
	} {
		list := s.Unfinished(&test.v, &Selection{}).Campaigns
		if len(list) != 1 {
			t.Fatalf("%+v sees %d campaigns", test.v, len(list))
		}
		if got := fmt.Sprint(list[0].Pending, list[0].Running, list[0].CannotStart, " ", list[0].Found.Tool, " ", list[0].Found.Kinds); got != test.want {
			t.Errorf("%+v sees %s, want %s", test.v, got, test.want)
		}
	}
}

// Jobs choose the rows of an array and of the campaigns that they are in.
func TestChosenJobs(t *testing.T) {
	s := &Cycle{known: known{moved: make([]int, 2), dues: make([]due, 2)}}
	for _, q := range []priority.Queued{
		{Job: 11, Full: "11_[1-4]", Array: 11, Tasks: "1-4"},
		{Job: 40, Full: "40+0"},
	} {
		s.Plan.Entries = append(s.Plan.Entries, &priority.Entry{Queued: &q})
	}
	s.live = []*ledger.Record{
		{Job: ostrich.Job{ID: 11}, ArrayJob: 11, ArrayTask: ledger.NoTask},
		{Job: ostrich.Job{ID: 15}, ArrayJob: 11, ArrayTask: 5},
		{Job: ostrich.Job{ID: 41}, HetJob: 40},
	}
	s.Campaigns = []Campaign{{Campaign: 10, Pending: []ostrich.JobID{11}, Running: []ostrich.JobID{15}}, {Campaign: 12, Running: []ostrich.JobID{15}}, {Campaign: 40, Pending: []ostrich.JobID{40, 41}}}
	for job, want := range map[string]string{
		"11": "11_[1-4]; 10 12", "11_2": "11_[1-4]; 10", "11_5": "; 10 12", "11_[1-4]": "11_[1-4]; 10 12", "15": "; 10 12",
		"40+1": "; 40", "40": "40+0; 40", "10": "; 10", "40+0": "40+0; 40", "7": "; ",
	} {
		by := &Selection{Jobs: []string{job}}
		var jobs, campaigns []string
		for _, j := range s.Chosen(Everything(), by).Jobs {
			jobs = append(jobs, j.Job)
		}
		for _, c := range s.Unfinished(Everything(), by).Campaigns {
			campaigns = append(campaigns, strconv.Itoa(int(c.Campaign)))
		}
		if got := strings.Join(jobs, " ") + "; " + strings.Join(campaigns, " "); got != want {
			t.Errorf("%s: %q, want %q", job, got, want)
		}
	}
}

func TestSplit(t *testing.T) {
	for text, want := range map[string]string{"": "", "38": "38", "38, 35_[1-3,7],42": "38|35_[1-3,7]|42", "a,,b": "a|b", "bob, ,": "bob", ",": "", "1_[2": "1_[2"} {
		if got := strings.Join(Split(text), "|"); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

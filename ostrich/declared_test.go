package ostrich

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"slurm-ostrich/ostrich/campaign"
)

const week = Time(campaign.Gap)

// memberships lists the campaigns by the jobs in them, in the order in which
// they opened.
func memberships(s *Schedule, jobs []JobID) string {
	members := make(map[int][]string)
	for _, id := range jobs {
		if _, n, ok := s.CampaignOf(id); ok {
			members[n] = append(members[n], fmt.Sprint(id))
		}
	}
	var list []string
	for n := range 20 {
		if m := members[n]; m != nil {
			list = append(list, strings.Join(m, "+"))
		}
	}
	return strings.Join(list, " ")
}

func TestDeclared(t *testing.T) {
	type job struct {
		at, end  Time
		group    JobID
		campaign string
	}
	for _, tt := range []struct {
		name string
		jobs []job
		want string
	}{
		{"over days, between guessed ones", []job{
			{at: 0, campaign: "a"}, {at: 0}, {at: 86400, campaign: "a"}, {at: 86401}, {at: 90000, campaign: "b"},
		}, "1+3 2 4 5"},
		{"the guess goes on as if nothing had been declared between", []job{
			{at: 0}, {at: 5, campaign: "a"}, {at: 9},
		}, "1+3 2"},
		{"open for a week after its last job", []job{
			{at: 0, end: 10, campaign: "a"}, {at: 10 + week, campaign: "a"},
		}, "2"},
		{"an array is never split: its first record counts", []job{
			{at: 0, group: 1, campaign: "a"}, {at: 0, group: 1, campaign: "b"}, {at: 100, campaign: "a"}, {at: 100, campaign: "b"}, {at: 101, group: 1},
		}, "1+2+3+5 4"},
		{"an array that declares nothing at first", []job{
			{at: 0, group: 1}, {at: 0, group: 1, campaign: "b"},
		}, "1+2"},
		{"arrays of one campaign", []job{
			{at: 0, group: 1, campaign: "a"}, {at: 100, group: 2, campaign: "a"}, {at: 100, group: 2, campaign: "a"},
		}, "1+2+3"},
	} {
		s := mustNew(t, Options{Procs: 4, Rule: campaign.Rule{By: campaign.Window, Threshold: 60}})
		var events []Event
		var all []JobID
		for i, j := range tt.jobs {
			one := Job{ID: JobID(i + 1), User: 1, Group: j.group, Procs: 1, Estimate: 10, Submit: j.at + 1, Campaign: j.campaign}
			events = append(events, Event{At: one.Submit, Kind: Submit, Job: one})
			if j.end != 0 {
				one.End = j.end
				events = append(events, Event{At: j.end, Kind: End, Job: one})
			}
			all = append(all, one.ID)
		}
		slices.SortStableFunc(events, Compare)
		for _, e := range events {
			mustStep(t, s, e)
		}
		if got := memberships(s, all); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}

// TestDeclaredEnds: a declared campaign is joined a week after its last job, and
// not later.
func TestDeclaredEnds(t *testing.T) {
	for _, tt := range []struct {
		later Time
		same  bool
	}{{0, true}, {week, true}, {week + 1, false}} {
		s := mustNew(t, Options{Procs: 4})
		number := func(id JobID, at Time) int {
			j := Job{ID: id, User: 1, Procs: 1, Estimate: 10, Submit: at, Campaign: "a"}
			mustStep(t, s, Event{At: at, Kind: Submit, Job: j})
			_, n, _ := s.CampaignOf(id)
			j.End = at + 5
			mustStep(t, s, Event{At: at + 5, Kind: End, Job: j})
			return n
		}
		if first, second := number(1, 10), number(2, 15+tt.later); (first == second) != tt.same {
			t.Errorf("%d s after its end: campaigns %d and %d", tt.later, first, second)
		}
	}
}

// completions is when the virtual schedule has done all work of each user, and
// for those who declare nothing of each campaign, where all jobs wait forever.
func completions(t *rapid.T, o Options, jobs []Job, declares UserID) (users map[UserID]float64, others map[JobID]float64) {
	s := mustNew(t, o)
	user := make(map[JobID]UserID)
	users, others = make(map[UserID]float64), make(map[JobID]float64)
	for _, j := range jobs {
		user[cmp.Or(j.Group, j.ID)] = j.User
	}
	s.OnCompletion(func(lead JobID, at float64) {
		u := user[lead]
		users[u] = max(users[u], at)
		if u != declares {
			others[lead] = at
		}
	})
	for _, j := range jobs {
		mustStep(t, s, Event{At: j.Submit, Kind: Submit, Job: j})
	}
	mustAdvance(t, s, 1_000_000)
	return users, others
}

// TestDeclaringGainsNothing: whatever one user declares, splits or merges, the
// virtual schedule has done the user's work at the same time, and serves
// everybody else as before.
func TestDeclaringGainsNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := drawOptions(t)
		o.Machine = Sequential
		var jobs, declared []Job
		at := Time(1)
		for i := range rapid.IntRange(1, 25).Draw(t, "jobs") {
			at += Time(rapid.IntRange(0, 30).Draw(t, "gap"))
			j := Job{
				ID: JobID(i + 1), User: UserID(rapid.IntRange(1, 3).Draw(t, "user")), Submit: at,
				Procs: rapid.IntRange(1, o.Procs).Draw(t, "procs"), Estimate: Duration(rapid.IntRange(1, 60).Draw(t, "estimate")),
			}
			jobs = append(jobs, j)
			if j.User == 1 {
				j.Campaign = rapid.SampledFrom([]string{"", "a", "b", "c"}).Draw(t, "campaign")
			}
			declared = append(declared, j)
		}
		users, others := completions(t, o, jobs, 1)
		users2, others2 := completions(t, o, declared, 1)
		if diff := gocmp.Diff(users, users2, nearly); diff != "" {
			t.Fatalf("users, guessed - declared +\n%s", diff)
		}
		if diff := gocmp.Diff(others, others2, nearly); diff != "" {
			t.Fatalf("campaigns of the others, guessed - declared +\n%s", diff)
		}
	})
}

// TestSplittingAndMerging is an example in numbers: two users with 40 s of work
// each share one processor until 80 s. The first user's four jobs as one campaign,
// as two or as four end virtually at 80 s, and so does the other user's campaign.
// What declaring changes is when the user has the first results.
func TestSplittingAndMerging(t *testing.T) {
	for _, tt := range []struct {
		declare []string
		want    string
	}{
		{[]string{"all", "all", "all", "all"}, "1:80 5:80"},
		{[]string{"a", "b", "a", "b"}, "1:40 2:80 5:80"},
		{[]string{"a", "b", "c", "d"}, "1:20 2:40 3:60 4:80 5:80"},
		{[]string{"", "", "late", ""}, "1:60 3:80 5:80"},
	} {
		s := mustNew(t, Options{Procs: 1, Rule: campaign.Rule{By: campaign.Window, Threshold: 60}})
		ends := make(map[JobID]float64)
		s.OnCompletion(func(lead JobID, at float64) { ends[lead] = at - 1 })
		for i, name := range append(tt.declare, "") {
			j := Job{ID: JobID(i + 1), User: 1, Procs: 1, Estimate: 10, Submit: 1, Campaign: name}
			if i == 4 {
				j.User, j.Estimate = 2, 40
			}
			mustStep(t, s, Event{At: 1, Kind: Submit, Job: j})
		}
		mustAdvance(t, s, 1000)
		var got []string
		for id := range JobID(6) {
			if end, ok := ends[id]; ok {
				got = append(got, fmt.Sprintf("%d:%.0f", id, end))
			}
		}
		if text := strings.Join(got, " "); text != tt.want {
			t.Errorf("%q: %s, want %s", tt.declare, text, tt.want)
		}
	}
}

// TestRedeclared: a waiting job that is declared to belong elsewhere goes there,
// and takes its work along.
func TestRedeclared(t *testing.T) {
	s := mustNew(t, Options{Procs: 1})
	submit := func(id JobID, campaign string) Job {
		j := Job{ID: id, User: 1, Procs: 1, Estimate: 10, Submit: 1, Campaign: campaign}
		mustStep(t, s, Event{At: 1, Kind: Submit, Job: j})
		return j
	}
	submit(1, "a")
	j := submit(2, "b")
	submit(3, "b")
	j.Campaign = "a"
	mustStep(t, s, Event{At: 1, Kind: Change, Job: j})
	var got []string
	for _, c := range s.Campaigns() {
		got = append(got, fmt.Sprintf("%s %v %v", c.Name, c.Work, c.Pending))
	}
	if diff := gocmp.Diff([]string{"a 20 [1 2]", "b 10 [3]"}, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

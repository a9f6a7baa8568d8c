package ostrich

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"slurm-ostrich/ostrich/scalar"
)

// figure53 has the seven jobs of thesis 5.4.2, Figure 5.3, with times that fit
// the text: each of 2 to 5 is submitted before the latest end so far, 4 and 5
// end before 3, and 7 is submitted after all but 6, the linker job, have ended.
var figure53 = []Job{
	{ID: 1, User: 1, Submit: 0, Start: 1, End: 20},
	{ID: 2, User: 1, Submit: 10, Start: 11, End: 30},
	{ID: 3, User: 1, Submit: 25, Start: 26, End: 60},
	{ID: 4, User: 1, Submit: 32, Start: 33, End: 45},
	{ID: 5, User: 1, Submit: 40, Start: 41, End: 55},
	{ID: 6, User: 1, Submit: 50, Start: 51, End: 80},
	{ID: 7, User: 1, Submit: 70, Start: 71, End: 90},
}

// Split finds the campaigns of a whole log.
func (r Rule) Split(log []Job) ([]int, error) {
	s, err := r.Splitter()
	if err != nil {
		return nil, err
	}
	campaigns := make([]int, len(log))
	for i, j := range log {
		if campaigns[i], err = s.Next(j); err != nil {
			return nil, err
		}
	}
	return campaigns, nil
}

func TestSplit(t *testing.T) {
	without6 := append(slices.Clone(figure53[:5]), figure53[6])
	array := []Job{
		{ID: 1, User: 1, Group: 1, Submit: 0, Start: 1, End: 10},
		{ID: 2, User: 1, Group: 1, Submit: 0, Start: 1, End: 100},
		{ID: 3, User: 1, Submit: 50, Start: 51, End: 60},
		{ID: 4, User: 1, Group: 1, Submit: 80, Start: 81, End: 90},
		{ID: 5, User: 1, Submit: 200, Start: 201, End: 210},
	}
	for _, tt := range []struct {
		name string
		rule Rule
		log  []Job
		want []int
	}{
		{"max: a linker job", Rule{By: Max}, figure53, []int{0, 0, 0, 0, 0, 0, 0}},
		{"max: without the linker job", Rule{By: Max}, without6, []int{0, 0, 0, 0, 0, 1}},
		{"last", Rule{By: Last}, figure53, []int{0, 0, 0, 0, 0, 0, 0}},
		{"last: overlaps the campaign but not the job before", Rule{By: Last}, []Job{
			{ID: 1, User: 1, Submit: 0, Start: 1, End: 50},
			{ID: 2, User: 1, Submit: 10, Start: 11, End: 20},
			{ID: 3, User: 1, Submit: 30, Start: 31, End: 40},
		}, []int{0, 0, 1}},
		{"arrival", Rule{By: Arrival, Threshold: 10}, figure53, []int{0, 1, 2, 2, 2, 3, 4}},
		{"window", Rule{By: Window, Threshold: 32}, figure53, []int{0, 0, 0, 0, 1, 1, 1}},
		{"max: submitted in the second of the end", Rule{By: Max}, []Job{
			{ID: 1, User: 1, Submit: 0, Start: 1, End: 20},
			{ID: 2, User: 1, Submit: 20, Start: 21, End: 30},
		}, []int{0, 1}},
		{"max: ends in the second of its own submission", Rule{By: Max}, []Job{
			{ID: 1, User: 1, Submit: 20, Start: 20, End: 20},
			{ID: 2, User: 1, Submit: 20, Start: 21, End: 30},
		}, []int{0, 0}},
		{"an array is not split", Rule{By: Arrival, Threshold: 5}, array, []int{0, 0, 1, 0, 2}},
		{"groups", Rule{By: Groups}, array, []int{0, 0, 1, 0, 2}},
		{"groups: submitted in the same second", Rule{By: Groups}, []Job{
			{ID: 1, User: 1, Submit: 0, Start: 1, End: 20},
			{ID: 2, User: 1, Submit: 0, Start: 1, End: 20},
		}, []int{0, 1}},
		{"a group of two users", Rule{By: Max}, []Job{
			{ID: 1, User: 1, Group: 7, Submit: 0, Start: 1, End: 20},
			{ID: 2, User: 2, Group: 7, Submit: 5, Start: 6, End: 30},
			{ID: 3, User: 2, Group: 7, Submit: 40, Start: 41, End: 50},
		}, []int{0, 1, 2}},
		{"users", Rule{By: Max}, []Job{
			{ID: 1, User: 1, Submit: 0, Start: 1, End: 20},
			{ID: 2, User: 2, Submit: 5, Start: 6, End: 30},
			{ID: 3, User: 1, Submit: 6, Start: 7, End: 8},
		}, []int{0, 1, 0}},
		{"nothing", Rule{By: Max}, nil, []int{}},
	} {
		got, err := tt.rule.Split(tt.log)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
		if diff := gocmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", tt.name, diff)
		}
	}

	for _, tt := range []struct {
		name string
		rule Rule
		log  []Job
		want string
	}{
		{"unsorted", Rule{}, []Job{{Submit: 2}, {Submit: 1}}, "order of time"},
		{"no threshold", Rule{By: Window}, nil, "threshold must be above 0"},
		{"no such rule", Rule{By: 9}, nil, "unknown"},
	} {
		if _, err := tt.rule.Split(tt.log); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want %q in it", tt.name, err, tt.want)
		}
	}
}

// TestSplitIsOnline: a schedule that is told of a log event by event finds the
// campaigns that Split finds in the finished log.
func TestSplitIsOnline(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rule := drawRule(t)
		var log []Job
		var events []Event
		at := Time(1)
		for i := range rapid.IntRange(1, 30).Draw(t, "jobs") {
			at += Time(rapid.IntRange(0, 20).Draw(t, "gap"))
			j := Job{ID: JobID(i + 1), User: UserID(rapid.IntRange(1, 2).Draw(t, "user")), Procs: 1, Estimate: 50, Submit: at}
			if rapid.IntRange(0, 2).Draw(t, "grouped") == 0 {
				j.Group = JobID(rapid.IntRange(1, 4).Draw(t, "group"))
			}
			j.Campaign = rapid.SampledFrom([]string{"", "", "a", "b"}).Draw(t, "campaign")
			if rapid.IntRange(0, 9).Draw(t, "late") == 0 {
				at += Time(DeclaredGap) + Time(rapid.IntRange(-50, 50).Draw(t, "more"))
				j.Submit = at
			}
			j.End = at + Time(rapid.IntRange(0, 40).Draw(t, "stay"))
			if rapid.Bool().Draw(t, "runs") {
				j.Start = Time(rapid.IntRange(int(at), int(j.End)).Draw(t, "start"))
			}
			log = append(log, j)
			pending := j
			pending.Start, pending.End = 0, 0
			events = append(events, Event{At: at, Kind: Submit, Job: pending}, Event{At: j.End, Kind: End, Job: j})
			if j.Start != 0 {
				started := j
				started.End = 0
				events = append(events, Event{At: j.Start, Kind: Start, Job: started})
			}
		}
		split, err := rule.Split(log)
		if err != nil {
			t.Fatal(err)
		}
		slices.SortStableFunc(events, Compare)
		s := mustNew(t, Options{Procs: 2, Rule: rule, Late: Late(rapid.IntRange(0, 2).Draw(t, "late"))})
		type id struct {
			user   UserID
			number int
		}
		online := make([]id, len(log))
		for _, e := range events {
			mustStep(t, s, e)
			if e.Kind == Submit {
				u, n, ok := s.CampaignOf(e.Job.ID)
				if !ok {
					t.Fatalf("job %d is in no campaign", e.Job.ID)
				}
				online[e.Job.ID-1] = id{u, n}
			}
		}
		for i := range log {
			for j := range i {
				if (split[i] == split[j]) != (online[i] == online[j]) {
					t.Fatalf("jobs %d and %d: log %v, online %v", j+1, i+1, split, online)
				}
			}
		}
		if !slices.IsSortedFunc(firsts(split), cmp.Compare) {
			t.Fatalf("campaigns are not counted as they open: %v", split)
		}
	})
}

// firsts lists the campaigns as they appear.
func firsts(campaigns []int) []int {
	var list []int
	for _, c := range campaigns {
		if !slices.Contains(list, c) {
			list = append(list, c)
		}
	}
	return list
}

func TestNamed(t *testing.T) {
	if by, err := scalar.Named[By](ByNames, "window"); err != nil || by != Window {
		t.Errorf("%v, %v", by, err)
	}
	if _, err := scalar.Named[By](ByNames, "Window"); err == nil || !strings.Contains(err.Error(), `"Window" is none of [max last arrival window]`) {
		t.Errorf("%v", err)
	}
	for _, tt := range []struct {
		o    Options
		want string
	}{
		{Options{Procs: -1}, "processors: -1 is below 0"},
		{Options{Machine: 7}, "machine 7: unknown"},
		{Options{Late: 7}, "late 7: unknown"},
		{Options{Gate: 7}, "gate 7: unknown"},
		{Options{Inside: 7}, "order inside a campaign 7: unknown"},
		{Options{Rule: Rule{By: Arrival}}, "campaign rule arrival: threshold"},
		{Options{Predictor: 99}, "predictor 99: unknown"},
	} {
		if _, err := New(tt.o); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("error %v, want %q in it", err, tt.want)
		}
	}
}

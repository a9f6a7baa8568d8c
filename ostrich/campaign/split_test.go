package campaign

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"slurm-ostrich/ostrich/scalar"
)

// job is a job of a finished log.
type job struct {
	ID, Group          scalar.JobID
	User               scalar.UserID
	Campaign           string
	Submit, Start, End scalar.Time
}

// figure53 has the seven jobs of thesis 5.4.2, Figure 5.3, with times that fit
// the text: each of 2 to 5 is submitted before the latest end so far, 4 and 5
// end before 3, and 7 is submitted after all but 6, the linker job, have ended.
var figure53 = []job{
	{ID: 1, User: 1, Submit: 0, Start: 1, End: 20},
	{ID: 2, User: 1, Submit: 10, Start: 11, End: 30},
	{ID: 3, User: 1, Submit: 25, Start: 26, End: 60},
	{ID: 4, User: 1, Submit: 32, Start: 33, End: 45},
	{ID: 5, User: 1, Submit: 40, Start: 41, End: 55},
	{ID: 6, User: 1, Submit: 50, Start: 51, End: 80},
	{ID: 7, User: 1, Submit: 70, Start: 71, End: 90},
}

// Split finds the campaigns of a whole log.
func (r Rule) split(log []job) ([]int, error) {
	s, err := r.Splitter()
	if err != nil {
		return nil, err
	}
	campaigns := make([]int, len(log))
	for i, j := range log {
		if campaigns[i], err = s.Next(Submission{ID: j.ID, User: j.User, Group: j.Group, Campaign: j.Campaign, Submit: j.Submit, Departs: scalar.Departs(j.Submit, j.Start, j.End)}); err != nil {
			return nil, err
		}
	}
	return campaigns, nil
}

func TestSplit(t *testing.T) {
	without6 := append(slices.Clone(figure53[:5]), figure53[6])
	array := []job{
		{ID: 1, User: 1, Group: 1, Submit: 0, Start: 1, End: 10},
		{ID: 2, User: 1, Group: 1, Submit: 0, Start: 1, End: 100},
		{ID: 3, User: 1, Submit: 50, Start: 51, End: 60},
		{ID: 4, User: 1, Group: 1, Submit: 80, Start: 81, End: 90},
		{ID: 5, User: 1, Submit: 200, Start: 201, End: 210},
	}
	for _, tt := range []struct {
		name string
		rule Rule
		log  []job
		want []int
	}{
		{"max: a linker job", Rule{By: Max}, figure53, []int{0, 0, 0, 0, 0, 0, 0}},
		{"max: without the linker job", Rule{By: Max}, without6, []int{0, 0, 0, 0, 0, 1}},
		{"last", Rule{By: Last}, figure53, []int{0, 0, 0, 0, 0, 0, 0}},
		{"last: overlaps the campaign but not the job before", Rule{By: Last}, []job{
			{ID: 1, User: 1, Submit: 0, Start: 1, End: 50},
			{ID: 2, User: 1, Submit: 10, Start: 11, End: 20},
			{ID: 3, User: 1, Submit: 30, Start: 31, End: 40},
		}, []int{0, 0, 1}},
		{"arrival", Rule{By: Arrival, Threshold: 10}, figure53, []int{0, 1, 2, 2, 2, 3, 4}},
		{"window", Rule{By: Window, Threshold: 32}, figure53, []int{0, 0, 0, 0, 1, 1, 1}},
		{"max: submitted in the second of the end", Rule{By: Max}, []job{
			{ID: 1, User: 1, Submit: 0, Start: 1, End: 20},
			{ID: 2, User: 1, Submit: 20, Start: 21, End: 30},
		}, []int{0, 1}},
		{"max: ends in the second of its own submission", Rule{By: Max}, []job{
			{ID: 1, User: 1, Submit: 20, Start: 20, End: 20},
			{ID: 2, User: 1, Submit: 20, Start: 21, End: 30},
		}, []int{0, 0}},
		{"an array is not split", Rule{By: Arrival, Threshold: 5}, array, []int{0, 0, 1, 0, 2}},
		{"groups", Rule{By: Groups}, array, []int{0, 0, 1, 0, 2}},
		{"groups: submitted in the same second", Rule{By: Groups}, []job{
			{ID: 1, User: 1, Submit: 0, Start: 1, End: 20},
			{ID: 2, User: 1, Submit: 0, Start: 1, End: 20},
		}, []int{0, 1}},
		{"a group of two users", Rule{By: Max}, []job{
			{ID: 1, User: 1, Group: 7, Submit: 0, Start: 1, End: 20},
			{ID: 2, User: 2, Group: 7, Submit: 5, Start: 6, End: 30},
			{ID: 3, User: 2, Group: 7, Submit: 40, Start: 41, End: 50},
		}, []int{0, 1, 2}},
		{"users", Rule{By: Max}, []job{
			{ID: 1, User: 1, Submit: 0, Start: 1, End: 20},
			{ID: 2, User: 2, Submit: 5, Start: 6, End: 30},
			{ID: 3, User: 1, Submit: 6, Start: 7, End: 8},
		}, []int{0, 1, 0}},
		{"nothing", Rule{By: Max}, nil, []int{}},
	} {
		got, err := tt.rule.split(tt.log)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", tt.name, diff)
		}
	}

	for _, tt := range []struct {
		name string
		rule Rule
		log  []job
		want string
	}{
		{"unsorted", Rule{}, []job{{Submit: 2}, {Submit: 1}}, "order of time"},
		{"no threshold", Rule{By: Window}, nil, "threshold must be above 0"},
		{"no such rule", Rule{By: 9}, nil, "unknown"},
	} {
		if _, err := tt.rule.split(tt.log); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want %q in it", tt.name, err, tt.want)
		}
	}
}

func TestNamed(t *testing.T) {
	if by, err := scalar.Named[By](ByNames, "window"); err != nil || by != Window {
		t.Errorf("%v, %v", by, err)
	}
	if _, err := scalar.Named[By](ByNames, "Window"); err == nil || !strings.Contains(err.Error(), `"Window" is none of [max last arrival window]`) {
		t.Errorf("%v", err)
	}
}

// TestForgotten: declared campaigns that nobody can join any more are forgotten.
func TestForgotten(t *testing.T) {
	var d Declared[scalar.Time] // when its last job ended
	for i := range scalar.Time(1000) {
		now := i * scalar.Time(Gap) / 10
		past := func(ended scalar.Time) bool { return Past(ended, now) }
		d.Find(strconv.Itoa(int(i)), past, func() scalar.Time { return now + 5 })
		if n := len(d.byName); n > 40 {
			t.Fatalf("%d declared campaigns remembered", n)
		}
		if was := max(0, i-9); d.Find(strconv.Itoa(int(was)), past, func() scalar.Time { return -1 }) == -1 {
			t.Fatalf("campaign %d forgotten at %d", was, i)
		}
	}
}

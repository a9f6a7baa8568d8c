package priority

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// classSite is a controller with QOS, each "name=priority" or "name=priority>name,name" for
// those that it may preempt, and partitions, each "name=tier/factor".
func classSite(weights Weights, qos, parts string) (Controller, []Partition) {
	c := Controller{PriorityType: "priority/multifactor", Weights: weights}
	for word := range strings.FieldsSeq(qos) {
		var q QOS
		settings, preempts, may := strings.Cut(word, ">")
		name, level, _ := strings.Cut(settings, "=")
		q.Name = name
		_, _ = fmt.Sscan(level, &q.Priority)
		if may {
			q.Preempts = strings.Split(preempts, ",")
			c.PreemptType, c.PreemptMode = "preempt/qos", "REQUEUE"
		}
		c.QOS = append(c.QOS, q)
	}
	var list []Partition
	for word := range strings.FieldsSeq(parts) {
		name, numbers, _ := strings.Cut(word, "=")
		p := Partition{Name: name}
		_, _ = fmt.Sscanf(numbers, "%d/%d", &p.PriorityTier, &p.PriorityJobFactor)
		list = append(list, p)
	}
	return c, list
}

func TestClasses(t *testing.T) {
	both := Weights{QOS: 100000, Partition: 1000}
	for _, tt := range []struct {
		name       string
		by         ClassBy
		weights    Weights
		qos, parts string
		change     func(*Controller)
		want       string // the names, from the first
	}{
		{name: "none known", weights: both},
		{name: "all alike", weights: both, qos: "a=5 b=5", parts: "p=1/1 q=1/1"},
		{name: "by the QOS's weight", weights: both, qos: "normal=10 urgent=100 scavenger=0", parts: "main=1/1", want: "urgent normal scavenger"},
		{name: "a weight of 0", weights: Weights{Age: 1000}, qos: "normal=10 urgent=100", parts: "main=1/1"},
		{name: "equal sums", weights: both, qos: "normal=0 long=0 urgent=7", parts: "main=1/1", want: "urgent long+normal"},
		{name: "less than a point apart", weights: Weights{QOS: 10}, qos: "a=1000000 b=999999", parts: "main=1/1"},
		{name: "by the partition's weight", weights: both, qos: "normal=0", parts: "main=1/10 debug=1/100 old=1/10", want: "debug main+old"},
		{name: "tiers before sums", weights: both, qos: "normal=0 urgent=1", parts: "main=1/1 top=2/1", want: "top/urgent top/normal main/urgent main/normal"},
		{
			name: "sums of both", weights: Weights{QOS: 100, Partition: 100}, qos: "normal=0 urgent=1", parts: "main=1/0 debug=1/1",
			want: "debug/urgent debug/normal,main/urgent main/normal",
		},
		{name: "QOS alone", by: ClassesQOS, weights: both, qos: "normal=0 urgent=1", parts: "main=1/1 top=2/1", want: "urgent normal"},
		{name: "partitions alone", by: ClassesPartition, weights: both, qos: "normal=0 urgent=1>normal", parts: "main=1/1 top=2/1", want: "top main"},
		{name: "both, as named", by: ClassesBoth, weights: both, qos: "normal=0 urgent=1", parts: "main=1/1", want: "urgent normal"},
		{name: "off", by: ClassesOff, weights: both, qos: "normal=0 urgent=1>normal", parts: "main=1/1 top=2/1"},
		{name: "basic knows no weights", weights: both, qos: "normal=0 urgent=1", parts: "main=1/1", change: func(c *Controller) { c.PriorityType = "priority/basic" }},
		{
			name: "basic has tiers and preemption", qos: "normal=0 urgent=1>normal", parts: "main=1/1 top=2/1", change: func(c *Controller) { c.PriorityType = "priority/basic" },
			want: "top/urgent main/urgent top/normal main/normal",
		},
		{
			name: "not normalised", weights: Weights{QOS: 1, Partition: 1}, qos: "a=5 b=7", parts: "p=1/3 q=1/1", change: func(c *Controller) { c.PriorityFlags = []string{"NO_NORMAL_ALL"} },
			want: "p/b p/a,q/b q/a",
		},

		{name: "preemption without a weight", qos: "normal=0 urgent=0>scavenger scavenger=0", parts: "main=1/1", want: "urgent normal+scavenger"},
		{name: "preemption against the sums", weights: both, qos: "low=1>high high=100 mid=50", parts: "main=1/1", want: "low high mid"},
		{name: "just above what is preempted", weights: both, qos: "top=100 low=1>mid mid=50", parts: "main=1/1", want: "top low mid"},
		{name: "those that are raised keep their order", weights: both, qos: "a=2>c b=1>c c=50", parts: "main=1/1", want: "a b c"},
		{name: "through another", qos: "a=0>b b=0>c c=0", parts: "main=1/1", want: "a b c"},
		{name: "in a circle", weights: both, qos: "a=1>b b=2>a c=3 d=2>c", parts: "main=1/1", want: "d c a+b"},
		{name: "in a circle with one below", weights: both, qos: "a=1>b b=2>a,c c=3", parts: "main=1/1", want: "a+b c"},
		{name: "itself and one that is gone", qos: "a=0>a,gone b=0", parts: "main=1/1"},
		{name: "another plugin", qos: "a=0>b b=0", parts: "main=1/1", change: func(c *Controller) { c.PreemptType = "preempt/partition_prio" }},
		{name: "above all tiers", qos: "urgent=0>scavenger scavenger=0", parts: "low=1/1 high=2/1", want: "high/urgent low/urgent high/scavenger low/scavenger"},

		{
			name: "many names", weights: both, parts: "main=1/1", want: "z normal+q0_of_the_site+9_more",
			qos: "z=1 normal=0 q0_of_the_site=0 q1_of_the_site=0 q2_of_the_site=0 q3_of_the_site=0 q4_of_the_site=0 q5_of_the_site=0 q6_of_the_site=0 q7_of_the_site=0 q8_of_the_site=0 q9_of_the_site=0",
		},
		{
			name: "a long name", weights: both, parts: "main=1/1", qos: "z=0 " + strings.Repeat("long", 12) + "=0 y=1",
			want: "y " + strings.Repeat("long", 12) + "+1_more",
		},
	} {
		c, parts := classSite(tt.weights, tt.qos, tt.parts)
		if tt.change != nil {
			tt.change(&c)
		}
		got := tt.by.Classes(c, parts)
		var names []string
		for _, name := range got.Names {
			names = append(names, strings.ReplaceAll(name, " ", "_"))
		}
		if diff := cmp.Diff(tt.want, strings.Join(names, " ")); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", tt.name, diff)
		}
		if len(got.Names) == 0 != (got.Of == nil) {
			t.Errorf("%s: names %q and Of do not go together", tt.name, got.Names)
		}
	}
}

// A job is in the last class of all that it names. What is not known has priority 0.
func TestClassOf(t *testing.T) {
	c, parts := classSite(Weights{QOS: 100}, "urgent=9>low normal=5 low=0 none=0", "main=2/1 top=3/1")
	got := ClassesAuto.Classes(c, parts)
	want := []string{"top/urgent", "top/normal", "main/urgent", "top/low+none", "main/normal", "main/low+none"}
	if diff := cmp.Diff(want, got.Names); diff != "" {
		t.Fatal(diff)
	}
	for _, tt := range []struct {
		partitions, qos string
		want            string
	}{
		{"top", "urgent", "top/urgent"},
		{"main", "urgent", "main/urgent"},
		{"top,main", "urgent", "main/urgent"},
		{"main,top", "normal", "main/normal"},
		{"top", "urgent,low", "top/low+none"},
		{"top,main", "normal,urgent", "main/normal"},
		{"top", "", "top/low+none"},
		{"top", "gone", "top/low+none"},
		{"gone", "urgent", "main/urgent"},
		{"gone", "gone", "main/low+none"},
		{"", "", "main/low+none"},
	} {
		if name := got.Names[got.Of(tt.partitions, tt.qos)]; name != tt.want {
			t.Errorf("partitions %q, QOS %q: class %s, want %s", tt.partitions, tt.qos, name, tt.want)
		}
	}
	// Without a QOS of priority 0, what is not known is in the class before it or in the last one.
	c, parts = classSite(Weights{QOS: 100}, "urgent=9 normal=5", "main=1/1")
	if at := ClassesAuto.Classes(c, parts).Of("main", ""); at != 1 {
		t.Errorf("no QOS: place %d of 2", at)
	}
	// Nobody is raised by what preempts.
	c, parts = classSite(Weights{}, "urgent=0>low low=0", "main=1/1")
	if at := ClassesAuto.Classes(c, parts).Of("main", "gone"); at != 1 {
		t.Errorf("no QOS where one preempts: place %d of 2", at)
	}
}

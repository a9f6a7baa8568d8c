package priority

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// short is a harm as the tests compare it: where it is set, and whether nothing
// may be written.
func short(found []Harm) []string {
	var all []string
	for _, h := range found {
		where, leads, _ := strings.Cut(h.Found, ": ")
		if leads == "" || h.Fix == "" {
			where += ": without a reason or a fix"
		}
		all = append(all, fmt.Sprint(map[bool]string{true: "fatal ", false: ""}[h.Fatal], h.Setting, ": ", where))
	}
	return all
}

func TestHarms(t *testing.T) {
	qos := func(mode string, threshold uint32) func(*view) {
		return func(v *view) {
			v.Controller.PreemptType, v.Controller.PreemptMode = "preempt/qos", "REQUEUE"
			v.Controller.QOS = []QOS{{Name: "normal"}, {Name: "kill", PreemptMode: mode, Threshold: threshold}}
			v.Controller.AccountingEnforce = []string{"associations", "limits"}
		}
	}
	preempt := func(kind, mode string) func(*view) {
		return func(v *view) { v.Controller.PreemptType, v.Controller.PreemptMode = "preempt/"+kind, mode }
	}
	exempt := func(n int, changes ...func(*view)) func(*view) {
		return func(v *view) {
			v.Controller.PreemptType, v.Controller.PreemptMode = "preempt/qos", "REQUEUE"
			v.Controller.PreemptParameters = []string{"youngest_first", fmt.Sprint("min_exempt_priority=", n)}
			for _, change := range changes {
				change(v)
			}
		}
	}
	tests := []struct {
		name string
		set  func(*view)
		want []string
	}{
		{"nothing", func(*view) {}, nil},
		{"WITHIN without preempt/qos", preempt("partition_prio", "WITHIN,REQUEUE"), nil},
		{"WITHIN of a QOS", qos("WITHIN,CANCEL", 0), []string{"fatal PreemptMode=WITHIN: PreemptMode=WITHIN,CANCEL of QOS kill"}},
		{"WITHIN of a QOS that does not count", func(v *view) {
			qos("WITHIN", 0)(v)
			v.Controller.PreemptType = "preempt/partition_prio"
		}, nil},
		{"WITHIN and GANG, as Slurm shows them", preempt("qos", "GANG,UNKNOWN"), []string{
			"fatal PreemptMode=WITHIN: PreemptMode=GANG,UNKNOWN", "fatal PreemptMode=PRIORITY: PreemptMode=GANG,UNKNOWN",
		}},
		{"GANG", preempt("qos", "GANG,SUSPEND"), nil},
		{"PRIORITY", preempt("partition_prio", "PRIORITY,REQUEUE"), []string{"fatal PreemptMode=PRIORITY: PreemptMode=PRIORITY,REQUEUE"}},
		{"PRIORITY of a partition", func(v *view) {
			preempt("partition_prio", "REQUEUE")(v)
			v.Partitions = []Partition{{Name: "main"}, {Name: "low", PreemptMode: "PRIORITY,CANCEL"}}
		}, []string{"fatal PreemptMode=PRIORITY: PreemptMode=PRIORITY,CANCEL of partition low"}},
		{"PRIORITY of a QOS", qos("PRIORITY", 0), []string{"fatal PreemptMode=PRIORITY: PreemptMode=PRIORITY of QOS kill"}},
		{"PRIORITY while nothing is preempted", func(v *view) { v.Controller.PreemptMode = "PRIORITY" }, nil},
		{"exempt from a time on", func(v *view) {
			preempt("qos", "WITHIN,CANCEL")(v)
			v.Controller.PreemptExemptTime = 600
		}, []string{"fatal PreemptMode=WITHIN: PreemptMode=WITHIN,CANCEL", "PreemptExemptTime: PreemptExemptTime of 600 s"}},
		{"exempt from a priority on", exempt(1000), []string{"fatal min_exempt_priority: PreemptParameters=min_exempt_priority=1000"}},
		{"exempt above all", exempt(4000000000), nil},
		{"exempt above a small weight", exempt(20000, func(v *view) { v.Mode, v.Weight = Weight, 5000 }), nil},
		{"exempt below a weight", exempt(20000, func(v *view) { v.Mode, v.Weight = Weight, 50000 }), []string{"fatal min_exempt_priority: PreemptParameters=min_exempt_priority=20000"}},
		{"exempt below pins", exempt(4000000000, func(v *view) { v.Channel = Priority }), []string{"fatal min_exempt_priority: PreemptParameters=min_exempt_priority=4000000000"}},
		{"exempt while nothing is preempted", exempt(1000, func(v *view) { v.Controller.PreemptType = "" }), nil},
		{"threshold of all", func(v *view) { v.Controller.SchedulerParameters = []string{"BF_MIN_PRIO_RESERVE=7"} }, []string{"bf_min_prio_reserve: SchedulerParameters=bf_min_prio_reserve=7"}},
		{"threshold that is none", func(v *view) { v.Controller.SchedulerParameters = []string{"bf_min_prio_reserve=0"} }, nil},
		{"threshold of a QOS", qos("", 50), []string{"MinPrioThreshold: MinPrioThreshold=50 of QOS kill"}},
		{"threshold of a partition", func(v *view) {
			qos("", 50)(v)
			v.Partitions = []Partition{{Name: "main"}, {Name: "low", QOS: "kill"}}
		}, []string{"MinPrioThreshold: MinPrioThreshold=50 of QOS kill, which is that of partition low"}},
		{"threshold of an association", func(v *view) {
			qos("", 0)(v)
			v.Thresholds = []Threshold{{"user ann of account lab", "user ann where account=lab", 9}}
		}, []string{"MinPrioThreshold: MinPrioThreshold=9 of user ann of account lab"}},
		{"thresholds without limits", func(v *view) {
			qos("", 50)(v)
			v.Controller.AccountingEnforce, v.Thresholds = []string{"associations"}, []Threshold{{"user ann of account lab", "user ann where account=lab", 9}}
		}, nil},
		{"federation", func(v *view) { v.Controller.Federation = "fed" }, []string{"fatal federation: federation fed"}},
		{"clusters", func(v *view) { v.Clusters = []string{"a", "b"} }, []string{"clusters: 2 clusters in one database (a, b)"}},
		{"one cluster", func(v *view) { v.Clusters = []string{"a"} }, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			v := view{Options: Options{Channel: SiteFactor, Mode: Strict, Controller: multifactor()}}
			tt.set(&v)
			if diff := cmp.Diff(tt.want, short(Harms(v.Options, v.Surroundings))); diff != "" {
				t.Errorf("harms (-want +got):\n%s", diff)
			}
		})
	}
}

// TestFixes are the commands and settings that fixes name.
func TestFixes(t *testing.T) {
	preempt := func(kind, mode string) func(*view) {
		return func(v *view) {
			v.Controller.PreemptType, v.Controller.QOS = "preempt/"+kind, []QOS{{Name: "kill", PreemptMode: mode}}
			v.Partitions = []Partition{{Name: "low", PreemptMode: mode}}
		}
	}
	weights := func(sum int64, set func(*view)) func(*view) {
		return func(v *view) {
			v.Controller.Weights = Weights{Age: sum}
			v.Controller.DefaultQueueDepth, v.Controller.BackfillMaxJobTest = 100, 500
			set(v)
		}
	}
	none := func(*view) {}
	tests := []struct {
		name string
		set  func(*view)
		want []string
	}{
		{"WITHIN and more", preempt("qos", "WITHIN,REQUEUE"), []string{"sacctmgr -i modify qos kill set preemptmode=requeue"}},
		{"PRIORITY alone", preempt("qos", "PRIORITY"), []string{"sacctmgr -i modify qos kill set preemptmode=cluster"}},
		{"of a partition", preempt("partition_prio", "PRIORITY"), []string{"remove PRIORITY from the partition's PreemptMode in slurm.conf"}},
		{"thresholds", func(v *view) {
			v.Controller.AccountingEnforce, v.Controller.QOS = []string{"limits"}, []QOS{{Name: "kill", Threshold: 5}}
			v.Thresholds = []Threshold{{"user ann of account lab", "user ann where account=lab", 9}}
		}, []string{"sacctmgr -i modify qos kill set minpriothresh=-1", "sacctmgr -i modify user ann where account=lab set minpriothresh=-1"}},
		{"federation", func(v *view) { v.Controller.Federation, v.Controller.ClusterName = "fed", "c1" }, []string{
			"sacctmgr -i modify federation fed set clusters-=c1, or stay in mode observe",
		}},
		{"ranks enough", weights(2_000_000, none), nil},
		{"few ranks", weights(10_000_000, none), []string{
			"divide all PriorityWeight* of slurm.conf by 5, or set priority.mode: weight=10000000",
		}},
		{"few ranks for those that could start", weights(2_000_000, func(v *view) {
			v.Pending, v.Partitions = 900, []Partition{{TotalCPUs: 64}, {TotalCPUs: 128}}
		}), []string{"divide all PriorityWeight* of slurm.conf by 2, or set priority.mode: weight=2000000"}},
		{"few of them wait", weights(2_000_000, func(v *view) { v.Pending, v.Partitions = 500, []Partition{{TotalCPUs: 9000}} }), nil},
		{"a depth", weights(13_000, func(v *view) { v.Depth = 100_000 }), []string{
			"divide all PriorityWeight* of slurm.conf by 2, or set priority.mode: weight=100000",
		}},
		{"a small weight", weights(2_000_000, func(v *view) { v.Mode, v.Weight, v.Pending = Weight, 700, 900 }), []string{"set priority.mode: weight=900 or more"}},
		{"a weight", weights(200_000_000, func(v *view) { v.Mode, v.Weight, v.Pending = Weight, 900, 900 }), nil},
		{"pins", func(v *view) { v.Channel, v.Controller, v.Depth = Priority, basic(), 40_000 }, []string{"set priority.depth: 32766"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			v := view{Options: Options{Channel: SiteFactor, Mode: Strict, Controller: multifactor()}}
			tt.set(&v)
			var got []string
			for _, h := range Harms(v.Options, v.Surroundings) {
				got = append(got, h.Fix)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("fixes (-want +got):\n%s", diff)
			}
		})
	}
}

// TestDivide: weights divided as a fix says leave as many ranks as are needed, and
// weights divided by less do not.
func TestDivide(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := Options{Channel: SiteFactor, Mode: Strict, Controller: multifactor()}
		sum := rapid.Int64Range(0, 1<<36).Draw(t, "sum")
		o.Controller.Weights = Weights{Age: sum}
		needed := rapid.Int64Range(1, 1<<20).Draw(t, "needed")
		var by int64
		if _, err := fmt.Sscanf(o.divide(needed), "divide all PriorityWeight* of slurm.conf by %d", &by); err != nil {
			t.Fatal(err)
		}
		enough := func(by int64) bool {
			w, err := o.window(sum/max(1, by), 0)
			return err == nil && w.ranks()/2 >= needed
		}
		if !enough(by) || by > 1 && sum/(by-1) > sum/by+1 && enough(by-2) {
			t.Errorf("%s: enough %t, with 2 less %t", o.divide(needed), enough(by), enough(by-2))
		}
	})
}

// What QOS decide is known before anything is written, wherever they decide something.
func TestUndecided(t *testing.T) {
	for _, tt := range []struct {
		name  string
		is    bool
		order func(*Options)
	}{
		{"nothing", false, func(*Options) {}},
		{"preemption by QOS", true, func(o *Options) { o.Controller.PreemptType = "preempt/qos" }},
		{"without classes", true, func(o *Options) { o.Controller.PreemptType, o.ClassBy = "preempt/qos", ClassesOff }},
		{"preemption by partition", false, func(o *Options) { o.Controller.PreemptType = "preempt/partition_prio" }},
		{"a weight", true, func(o *Options) { o.Controller.Weights.QOS = 7 }},
		{"a weight without classes", false, func(o *Options) { o.Controller.Weights.QOS, o.ClassBy = 7, ClassesPartition }},
		{"a weight of basic", false, func(o *Options) { o.Controller.Weights.QOS, o.Controller.PriorityType = 7, "priority/basic" }},
		{"mode weight", false, func(o *Options) {
			o.Controller.PreemptType, o.Controller.Weights.QOS, o.Mode = "preempt/qos", 7, Weight
		}},
		{"mode weight without their modes", true, func(o *Options) {
			o.Controller.PreemptType, o.Mode, o.Controller.QOS = "preempt/qos", Weight, nil
		}},
	} {
		o := Options{Mode: Strict, Controller: multifactor()}
		o.Controller.Weights.QOS, o.Controller.QOS = 0, []QOS{{Name: "normal"}}
		tt.order(&o)
		if err := Undecided(o); err != nil {
			t.Errorf("%s: %v where all is known", tt.name, err)
		}
		o.Controller.QOSUnknown, o.Controller.PoliciesUnknown = true, "sacctmgr: no answer"
		if err := Undecided(o); (err != nil) != tt.is || tt.is && (!errors.Is(err, ErrUndecided) || !strings.Contains(err.Error(), "sacctmgr: no answer")) {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}

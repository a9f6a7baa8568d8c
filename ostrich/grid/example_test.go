package grid_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/grid"
	"slurm-ostrich/ostrich/lengths"
)

// bag is a bag of a user, submitted at a moment.
func bag(user ostrich.UserID, at ostrich.Time, runs ...ostrich.Duration) grid.Bag {
	b := grid.Bag{User: user, Submit: at}
	for _, r := range runs {
		b.Tasks = append(b.Tasks, grid.Task{Run: r})
	}
	return b
}

// two is a slow and a fast processor.
var two = grid.Platform{Clusters: []grid.Cluster{{Name: "slow", Procs: 1, Speed: 1}, {Name: "fast", Procs: 1, Speed: 2}}}

// single is a processor.
var single = grid.Platform{Clusters: []grid.Cluster{{Procs: 1, Speed: 1}}}

// where says where and when each task ran: "0:4-10" from 4 to 10 on cluster 0, with
// a star for each further copy.
func where(r *grid.Result) []string {
	var list []string
	for _, t := range r.Tasks {
		list = append(list, fmt.Sprintf("%d:%d-%d%s", t.Cluster, t.Start, t.End, strings.Repeat("*", max(0, t.Copies-1))))
	}
	return list
}

func mustRun(t *testing.T, x grid.Experiment, bags ...grid.Bag) *grid.Result {
	t.Helper()
	r, err := x.Run(bags)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func same(t *testing.T, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestPolicies works each policy out by hand: three tasks of a user at 0, two of
// another at 1, on a slow and a fast processor.
func TestPolicies(t *testing.T) {
	for _, tt := range []struct {
		policy string
		want   []string
		used   ostrich.Work
	}{
		// 10: ends at 10 or 5. 4: at 4 or 7. 6: at 10 or 8. 8: at 12 or 12. 8: at 20 or 12.
		{"ECT", []string{"1:0-5", "0:0-4", "1:5-8", "0:4-12", "1:8-12"}, 24},
		{"FPLT", []string{"1:0-5", "1:9-11", "0:0-6", "1:5-9", "0:6-14"}, 25},
		// The slow processor, which is the first, takes the 10. At 10 nothing waits: the last
		// task is copied to it, and ends on the fast one.
		{"RR", []string{"0:0-10", "1:0-2", "1:2-5", "1:5-9", "1:9-13*"}, 26},
		{"WQR-4", []string{"0:0-10", "1:0-2", "1:2-5", "1:5-9", "1:9-13*"}, 26},
		// At 3 the fast processor is known to be so, at 10 the slow one too.
		{"DFPLT", []string{"0:0-10", "0:10-14", "1:0-3", "1:3-7", "1:7-11"}, 25},
		// Nothing has ended, so each is expected to take a second: 10 at 1 or 1, 4 at 2 or
		// 1, 6 at 2 or 2. At 1 the 10 may end at any moment: 8 at 3 or 2, 8 at 3 or 3.
		{"ECT-P", []string{"0:0-10", "1:0-2", "0:10-16", "1:2-6", "0:16-24"}, 30},
		{"STFR", []string{"1:7-12", "0:0-4", "1:0-3", "1:3-7", "0:4-12"}, 24},
		{"FPF", []string{"1:0-5", "0:0-4", "0:4-10", "1:5-9", "1:9-13"}, 23},
		// 10: at 10 or 5. 6: at 6 or 8. 4: at 10 or 7. 8: at 14 or 11. 8: at 14 or 15.
		{"MaxMin", []string{"1:0-5", "1:5-7", "0:0-6", "1:7-11", "0:6-14"}, 25},
	} {
		t.Run(tt.policy, func(t *testing.T) {
			x := grid.Experiment{Platform: two, Architecture: grid.CSP, Selection: "S-T", Policy: tt.policy, Predictor: lengths.ByLast}
			r := mustRun(t, x, bag(1, 0, 10, 4, 6), bag(2, 1, 8, 8))
			same(t, where(r), tt.want)
			same(t, r.Used, tt.used)
		})
	}
}

// TestSelections works each selection out by hand, on one processor: user 1 has A of
// 4, 4 at 0 and C of 1 at 2, user 2 has B of 2, 2, 2 and E of 1 at 1, user 3 has D of
// 3 at 2. What is wanted are the starts of A, B, E, C, D.
func TestSelections(t *testing.T) {
	for _, tt := range []struct {
		selection, policy string
		want              []ostrich.Time
	}{
		{"S-T", "FPF", []ostrich.Time{0, 4, 8, 10, 12, 14, 15, 16}},
		{"S-T", "FPLT", []ostrich.Time{0, 4, 11, 13, 15, 17, 18, 8}},
		{"S-BoT", "FPLT", []ostrich.Time{0, 4, 8, 10, 12, 14, 15, 16}},
		{"S-U-Prio", "FPF", []ostrich.Time{0, 4, 9, 11, 13, 15, 8, 16}},
		{"S-U-T", "FPF", []ostrich.Time{0, 4, 8, 10, 12, 14, 18, 15}},
		{"S-U-BoT", "FPF", []ostrich.Time{0, 4, 8, 10, 12, 17, 18, 14}},
		{"S-U-GRR", "FPF", []ostrich.Time{0, 4, 8, 10, 12, 14, 18, 15}},
		{"S-U-RR", "FPF", []ostrich.Time{0, 9, 4, 13, 16, 18, 15, 6}},
		{"FCFS", "FPLT", []ostrich.Time{0, 4, 8, 10, 12, 14, 15, 16}},
		// Deadlines 24, 18, 21, 27, 9.
		{"FairCamp", "FPF", []ostrich.Time{0, 14, 7, 9, 11, 13, 18, 4}},
		// Tags 8, 7, 8, 9, 4.5; at 13 neither E nor C has started virtually.
		{"OStrich", "FPF", []ostrich.Time{0, 13, 7, 9, 11, 17, 18, 4}},
	} {
		t.Run(tt.selection+"/"+tt.policy, func(t *testing.T) {
			x := grid.Experiment{Platform: single, Architecture: grid.CSP, Selection: tt.selection, Policy: tt.policy}
			r := mustRun(t, x, bag(1, 0, 4, 4), bag(2, 1, 2, 2, 2), bag(2, 1, 1), bag(1, 2, 1), bag(3, 2, 3))
			var got []ostrich.Time
			for _, ran := range r.Tasks {
				got = append(got, ran.Start)
			}
			same(t, got, tt.want)
		})
	}
}

// TestPriorities has S-U-Prio serve users by number.
func TestPriorities(t *testing.T) {
	x := grid.Experiment{Platform: single, Architecture: grid.CSP, Selection: "S-U-Prio", Policy: "FPF"}
	r := mustRun(t, x, bag(3, 0, 1), bag(1, 0, 1), bag(2, 0, 1))
	same(t, where(r), []string{"0:2-3", "0:0-1", "0:1-2"})
}

// TestRedraw draws the next bag when the last one has started, or has ended.
func TestRedraw(t *testing.T) {
	x := grid.Experiment{Platform: two, Architecture: grid.CSP, Selection: "S-BoT", Policy: "FPF"}
	bags := []grid.Bag{bag(1, 0, 4, 8), bag(2, 0, 2)}
	same(t, where(mustRun(t, x, bags...)), []string{"1:0-2", "0:0-8", "1:2-3"})
	x.Redraw = grid.Ended
	same(t, where(mustRun(t, x, bags...)), []string{"1:0-2", "0:0-8", "1:8-9"})
	x.Policy = "ECT"
	same(t, where(mustRun(t, x, bags...)), []string{"1:0-2", "1:2-6", "1:6-7"})
}

// TestCharted draws the next set when all tasks of the last one are in the queues of
// clusters: the second task of 10 waits for the fast processor, and the one of 3 need
// not wait for it.
func TestCharted(t *testing.T) {
	p := grid.Platform{Clusters: []grid.Cluster{{Name: "slow", Procs: 1, Speed: 1}, {Name: "fast", Procs: 1, Speed: 5}}}
	for _, selection := range []string{"S-T", "S-BoT", "S-U-Prio", "S-U-T", "S-U-BoT", "S-U-GRR", "FCFS", "FairShare", "FairCamp", "OStrich"} {
		t.Run(selection, func(t *testing.T) {
			// 10: ends at 10 or 2, and at 10 or 4. 3: at 4 or 5.
			x := grid.Experiment{Platform: p, Architecture: grid.CSP, Selection: selection, Policy: "ECT"}
			r := mustRun(t, x, bag(1, 0, 10, 10), bag(2, 1, 3))
			same(t, where(r), []string{"1:0-2", "1:2-4", "0:1-4"})
		})
	}
}

// TestScope has the last task of the second bag be expected to take as long as the one
// before it in its bag, 30, so that it waits for the fast processor; or as long as the
// user's last, 17.
func TestScope(t *testing.T) {
	x := grid.Experiment{Platform: two, Architecture: grid.CSP, Selection: "FCFS", Policy: "ECT-P", Predictor: lengths.ByLast}
	bags := []grid.Bag{bag(1, 0, 17), bag(1, 0, 30, 30, 30)}
	// At 17 the fast one has 30 until 30. 30: at 47 or 45. 17: at 34 or 39.
	same(t, where(mustRun(t, x, bags...)), []string{"0:0-17", "1:0-15", "1:15-30", "1:30-45"})
	x.Scope = grid.ByUser
	same(t, where(mustRun(t, x, bags...)), []string{"0:0-17", "1:0-15", "1:15-30", "0:17-47"})
}

// TestArchitectures has a user of the second cluster submit six tasks of 10 and one
// of 10 after them.
func TestArchitectures(t *testing.T) {
	p := grid.Platform{Clusters: []grid.Cluster{{Procs: 1, Speed: 1}, {Procs: 1, Speed: 1}, {Procs: 2, Speed: 1}}}
	for _, tt := range []struct {
		architecture grid.Architecture
		monitor      ostrich.Duration
		want         []string
	}{
		{grid.SepC, 0, []string{"1:0-10", "1:10-20", "1:20-30", "1:30-40", "1:40-50", "1:50-60", "1:60-70"}},
		{grid.CSP, 0, []string{"0:0-10", "1:0-10", "2:0-10", "2:0-10", "0:10-20", "1:10-20", "2:10-20"}},
		// It looks at 0, 7, 14, 21.
		{grid.CSP, 7, []string{"0:0-10", "1:0-10", "2:0-10", "2:0-10", "0:14-24", "1:14-24", "2:14-24"}},
		// The first starts, the second waits there. So the third and fourth go to the
		// third cluster, where the fifth waits; the sixth goes to the first one, and so
		// does the one at 3, which waits.
		{grid.FCondor, 0, []string{"1:0-10", "1:10-20", "2:0-10", "2:0-10", "2:10-20", "0:0-10", "0:10-20"}},
	} {
		t.Run(fmt.Sprint(tt.architecture, tt.monitor), func(t *testing.T) {
			x := grid.Experiment{Platform: p, Architecture: tt.architecture, Selection: "S-T", Policy: "FPF", Monitor: tt.monitor}
			bags := []grid.Bag{bag(1, 0, 10, 10, 10, 10, 10, 10), bag(1, 3, 10)}
			for i := range bags {
				bags[i].Home = 1
			}
			same(t, where(mustRun(t, x, bags...)), tt.want)
		})
	}
}

// TestFlock has a user go on after a task that waits, or after a bag of which one does.
func TestFlock(t *testing.T) {
	p := grid.Platform{Clusters: []grid.Cluster{{Procs: 1, Speed: 1}, {Procs: 2, Speed: 1}}}
	for flock, want := range [][]string{
		grid.ByTask:    {"0:0-10", "0:10-20", "1:0-10", "1:0-10"},
		grid.WholeBags: {"0:0-10", "0:10-20", "0:20-30", "1:0-10"},
	} {
		x := grid.Experiment{Platform: p, Architecture: grid.FCondor, Selection: "S-T", Policy: "FPF", Flock: grid.Flock(flock)}
		same(t, where(mustRun(t, x, bag(1, 0, 10, 10, 10), bag(1, 0, 10))), want)
	}
}

// TestCalled has one processor, a bag of user 1 and bags of others behind it. A set that
// is drawn when a bag comes, or when a task ends, joins what is eligible, so that FPLT
// chooses among all; S-BoT waits for its own set.
func TestCalled(t *testing.T) {
	for _, tt := range []struct {
		selection string
		redraw    grid.Redraw
		want      []string
	}{
		{"S-U-GRR", grid.Started, []string{"0:0-2", "0:2-3", "0:3-12", "0:12-20"}},
		{"S-U-GRR", grid.Called, []string{"0:0-2", "0:19-20", "0:2-11", "0:11-19"}},
		{"S-BoT", grid.Called, []string{"0:0-2", "0:2-3", "0:3-12", "0:12-20"}},
		// The bags of users 2 and 3 come with a call each, as the end at 2 does.
		{"S-U-RR", grid.Called, []string{"0:0-2", "0:19-20", "0:2-11", "0:11-19"}},
	} {
		x := grid.Experiment{Platform: single, Architecture: grid.CSP, Selection: tt.selection, Policy: "FPLT", Redraw: tt.redraw}
		if got := where(mustRun(t, x, bag(1, 0, 2, 1), bag(2, 1, 9), bag(3, 1, 8))); !slices.Equal(got, tt.want) {
			t.Errorf("%s, %s: %v, want %v", tt.selection, grid.RedrawNames[tt.redraw], got, tt.want)
		}
	}
}

// TestCopies starts copies when no task waits, in turn, and cancels them when the
// first one ends.
func TestCopies(t *testing.T) {
	p := grid.Platform{Clusters: []grid.Cluster{{Procs: 1, Speed: 1}, {Procs: 3, Speed: 2}}}
	for _, tt := range []struct {
		policy string
		want   []string
		used   ostrich.Work
	}{
		// The 20 is copied at 0 and ends at 10, the 8 is copied at 0 and ends at 4.
		{"RR", []string{"1:0-10*", "1:0-4*"}, 2*10 + 2*4},
		// At 4 the 20 gets both processors of the 8.
		{"WQR-3", []string{"1:0-10***", "1:0-4*"}, 2*10 + 2*4 + 2*6},
	} {
		t.Run(tt.policy, func(t *testing.T) {
			r := mustRun(t, grid.Experiment{Platform: p, Architecture: grid.CSP, Selection: "S-T", Policy: tt.policy}, bag(1, 0, 20, 8))
			same(t, where(r), tt.want)
			same(t, r.Used, tt.used)
			same(t, r.Measures().Goodput, ostrich.Work(14))
		})
	}
}

// TestMeasures measures two bags, of which one has not ended.
func TestMeasures(t *testing.T) {
	x := grid.Experiment{Platform: two, Architecture: grid.CSP, Selection: "S-T", Policy: "FPF", Until: 10}
	r := mustRun(t, x, bag(1, 5, 10, 4), bag(2, 6, 2), bag(2, 8, 20, 2))
	same(t, where(r), []string{"1:5-10", "0:5-9", "0:9-11", "-1:10-0", "0:11-13"})
	same(t, r.Done(), []grid.Done{
		{Bag: 0, MS: 5, NSL: 5. / 14, Stretch: 1}, // 10/2
		{Bag: 1, MS: 5, NSL: 5. / 2, Stretch: 5},  // 2/2
	})
	class := grid.Measure{Bags: 2, Tasks: 4, DoneBags: 1, DoneTasks: 3, MS: 5, NSL: 5. / 14, Stretch: 1, WorstStretch: 1}
	m := r.Measures()
	same(t, m.Measure, grid.Measure{Bags: 3, Tasks: 5, DoneBags: 2, DoneTasks: 4, MS: 5, NSL: (5./14 + 5./2) / 2, Stretch: 3, WorstStretch: 5})
	same(t, m.Classes[0], class)
	same(t, m.Goodput, ostrich.Work(5+4+2+2))
	same(t, m.Used, m.Goodput+5)
	same(t, m.Utilisation, 18./20)
	same(t, m.Finished(), 0.8)
	same(t, len(r.Jobs()), 4)
}

// TestWarmup leaves out what comes before the warm-up ends. Of the 10 s from 5 to 15 the
// fast processor serves from 5 to 10, the first slow one from 5 to 9 and from 12 on.
func TestWarmup(t *testing.T) {
	x := grid.Experiment{Platform: two, Architecture: grid.CSP, Selection: "S-T", Policy: "FPF", Warmup: 5}
	r := mustRun(t, x, bag(1, 0, 20, 9), bag(2, 12, 4, 4), bag(1, 15, 2))
	same(t, where(r), []string{"1:0-10", "0:0-9", "1:12-14", "0:12-16", "1:15-16"})
	m := r.Measures()
	same(t, []int{m.Bags, m.Tasks, m.DoneBags}, []int{2, 3, 2})
	same(t, m.MS, 2.5)
	same(t, m.Goodput, ostrich.Work(10+9+2+4+1))
	same(t, r.Served, 5*2+4+2*2+3.)
	same(t, m.Realised, 21./(10*two.Capacity()))
}

func TestClasses(t *testing.T) {
	same(t, grid.ClassNames, [9]string{"2-4", "5-9", "10-19", "20-49", "50-99", "100-199", "200-499", "500-999", "1000 and over"})
	for size, want := range map[int]int{1: -1, 2: 0, 4: 0, 5: 1, 999: 7, 1000: 8, 5000: 8} {
		if got := grid.ClassOf(size); got != want {
			t.Errorf("bags of %d are in class %d", size, got)
		}
	}
}

package priority

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"slurm-ostrich/ostrich"
)

func TestRank(t *testing.T) {
	queue := []Queued{
		job(1, func(q *Queued) { q.Priority = 10 }),
		job(2, func(q *Queued) { q.Priority = 20 }),
		job(3, func(q *Queued) { q.Priority, q.Partition = 5, "main,fast" }),
		job(4, func(q *Queued) { q.Priority, q.Reservation = 1, "r" }),
		job(5, func(q *Queued) { q.Priority, q.Submit = 20, 1 }),
		job(6, func(q *Queued) { q.Priority = 10; q.Submit = 1001 }),
	}
	Rank(queue, []Partition{{Name: "main", PriorityTier: 1}, {Name: "fast", PriorityTier: 3}})
	var got []ostrich.JobID
	for _, q := range queue {
		got = append(got, q.Job)
	}
	if diff := cmp.Diff([]ostrich.JobID{4, 3, 5, 2, 1, 6}, got); diff != "" {
		t.Errorf("order (-want +got):\n%s", diff)
	}
}

func TestHasTask(t *testing.T) {
	q := Queued{Tasks: "1-9:4,20%3"}
	for task, want := range map[int]bool{1: true, 5: true, 9: true, 20: true, 2: false, 13: false, 21: false} {
		if got := q.HasTask(task); got != want {
			t.Errorf("HasTask(%d) = %v", task, got)
		}
	}
}

func FuzzTasks(f *testing.F) {
	f.Add("1-10%2")
	f.Add("0-99:3,4,7-8")
	f.Fuzz(func(t *testing.T, text string) {
		ranges, err := ParseTasks(text)
		if err != nil {
			return
		}
		spec, ok := arraySpec(7, ranges, maxSpec)
		if !ok {
			return
		}
		if !validSpec(spec) {
			t.Fatalf("%q is no name for scontrol", spec)
		}
		again, err := ParseTasks(strings.TrimSuffix(strings.TrimPrefix(spec, "7_["), "]"))
		if err != nil || again.Count() != ranges.Count() {
			t.Errorf("%q became %q: %v", text, spec, err)
		}
	})
}

func FuzzFormatTasks(f *testing.F) {
	f.Add([]byte{1, 1, 1, 5})
	f.Add([]byte{0, 4, 4, 4, 4, 4})
	f.Fuzz(func(t *testing.T, gaps []byte) {
		var tasks []int
		next := 0
		for i, gap := range gaps {
			next += int(gap)
			if gap > 0 || i == 0 {
				tasks = append(tasks, next)
			}
		}
		if len(tasks) == 0 {
			return
		}
		text := FormatTasks(tasks)
		set, err := ParseTasks(text)
		if err != nil || set.Count() != len(tasks) {
			t.Fatalf("%v became %q: %v", tasks, text, err)
		}
		for _, task := range tasks {
			if !set.Has(task) {
				t.Errorf("%v became %q, without %d", tasks, text, task)
			}
		}
	})
}

// TestReasons: all reasons of all releases are taken for what testdata says.
func TestReasons(t *testing.T) {
	text, err := os.ReadFile("testdata/reasons.txt")
	if err != nil {
		t.Fatal(err)
	}
	kinds := []string{Able: "able", Limited: "limited", Barred: "barred", Impossible: "impossible", Later: "later", Dependent: "dependent", Kept: "held"}
	count := 0
	for line := range strings.Lines(string(text)) {
		f := strings.Fields(line)
		if f[0] == "#" {
			continue
		}
		count++
		if got := kinds[reasonOf(f[1])]; got != f[0] {
			t.Errorf("%s: %s, want %s", f[1], got, f[0])
		}
	}
	if count < 200 {
		t.Errorf("%d reasons", count)
	}
	if w := reasonOf("ReasonOfARelaseToCome"); w != Able {
		t.Errorf("what is not known is %v", w)
	}
}

func TestWait(t *testing.T) {
	for _, tt := range []struct {
		q    Queued
		want Wait
	}{
		{Queued{Priority: 1, Reason: "Priority"}, Able},
		{Queued{Priority: 0, Reason: "None"}, Kept},
		{Queued{Priority: 0, Reason: "BadConstraints"}, Impossible},
		{Queued{Priority: 1, Reason: "None", Dependency: "afterok:7(unfulfilled)"}, Dependent},
		{Queued{Priority: 1, Reason: "Priority", Dependency: "afterany:7(unfulfilled)"}, Able},
		{Queued{Priority: 1, Reason: "PartitionTimeLimit", Partition: "main"}, Impossible},
		{Queued{Priority: 1, Reason: "PartitionTimeLimit", Partition: "short,main"}, Able},
		{Queued{Priority: 1, Reason: "QOSMaxJobsPerUserLimit", Partition: "short,main"}, Limited},
		{Queued{Priority: 1, Reason: "Priority", Barred: "its user's jobs hold n1"}, Barred},
		{Queued{Priority: 1, Reason: "ReqNodeNotAvail", Barred: "it asks for n1, where no job can start"}, Barred},
		{Queued{Priority: 1, Reason: "AssocGrpCpuLimit", Barred: "its user's jobs hold n1"}, Limited},
	} {
		if got := tt.q.Wait(); got != tt.want {
			t.Errorf("%+v: %v, want %v", tt.q, got, tt.want)
		}
	}
}

// TestWhoCannotRunStandsBehind: whatever the order, the queue and the depth, no
// job that cannot start has a value as high as one that can and has one; those at a limit keep
// their order as deep as Slurm looks, and those that ask for the impossible share a
// value. Once it is written, nothing is left to write.
func TestWhoCannotRunStandsBehind(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := Options{
			Channel: SiteFactor, Mode: Strict, Controller: multifactor(), Depth: rapid.IntRange(1, 12).Draw(t, "depth"),
		}
		n := rapid.IntRange(1, 30).Draw(t, "jobs")
		var queue []Queued
		var order []ostrich.Place
		for i := range n {
			queue = append(queue, Queued{
				Job: ostrich.JobID(i + 1), Count: 1, Full: strconv.Itoa(i + 1), User: "u", Priority: 1000, Listed: true, SiteKnown: true,
				Site:   int64(rapid.SampledFrom([]int{0, 0, 5, 1 << 30}).Draw(t, "site")),
				Reason: rapid.SampledFrom([]string{"Priority", "Resources", "AssocGrpJobsLimit", "QOSMaxJobsPerUserLimit", "PartitionConfig"}).Draw(t, "reason"),
				State:  "PENDING", Submit: ostrich.Time(1000 + i),
			})
			order = append(order, ostrich.Place{Job: ostrich.JobID(i + 1), Campaign: i / 3})
		}
		order = rapid.Permutation(order).Draw(t, "order")
		p, err := o.Plan(order, queue)
		if err != nil {
			t.Fatal(err)
		}
		var place []ostrich.JobID
		for _, r := range order {
			place = append(place, r.Job)
		}
		able, lo := 0, o.Controller.Weights.Sum()+1
		for _, e := range p.Entries {
			if e.Wait != e.Queued.Wait() {
				t.Fatalf("job %d %v, and its record %v", e.Job, e.Wait, e.Queued.Wait())
			}
			if e.Wait == Able {
				able++
			}
		}
		for i, e := range p.Entries[:p.Managed] {
			if i == 0 {
				continue
			}
			before := p.Entries[i-1]
			switch {
			case before.Wait > e.Wait:
				t.Fatalf("job %d, which %v, before job %d, which %v", before.Job, before.Wait, e.Job, e.Wait)
			case before.Wait < e.Wait && (i < o.Depth || e.Wait == Impossible && before.To >= lo) && before.To <= e.To:
				t.Fatalf("job %d (%v) has %d, job %d (%v) has %d", before.Job, before.Wait, before.To, e.Job, e.Wait, e.To)
			case before.Wait == e.Wait && slices.Index(place, before.Job) > slices.Index(place, e.Job):
				t.Fatalf("jobs %d and %d are in another order", before.Job, e.Job)
			case e.Wait == Limited && i < o.Depth && before.To <= e.To:
				t.Fatalf("job %d has %d and job %d %d", before.Job, before.To, e.Job, e.To)
			case e.Wait == Able && i < o.Depth && before.To <= e.To:
				t.Fatalf("able jobs %d and %d have %d and %d", before.Job, e.Job, before.To, e.To)
			case e.Wait == Impossible && before.Wait == Impossible && e.Write && before.Write && e.To != before.To:
				t.Fatalf("two impossible jobs have %d and %d", before.To, e.To)
			}
		}
		if p.Exact > able {
			t.Fatalf("%d exact of %d that can start", p.Exact, able)
		}
		for _, c := range p.Changes() {
			for i := range queue {
				if queue[i].Job == c.Job {
					queue[i].Site = c.To
				}
			}
		}
		if again, err := o.Plan(order, queue); err != nil || len(again.Changes()) != 0 {
			t.Fatalf("planned again: %v %v", again.Changes(), err)
		}
	})
}

// TestInUse: of the limits those of what jobs have at once.
func TestInUse(t *testing.T) {
	for reason, want := range map[string]bool{
		"AssocGrpCpuLimit": true, "AssocGrpMemLimit": true, "AssocGrpGRES": true, "AssocGrpJobsLimit": true, "AssocMaxJobsLimit": true, "AssocGrpNodeLimit": true,
		"QOSMaxCpuPerUserLimit": true, "QOSMaxMemoryPerUser": true, "QOSMaxJobsPerUserLimit": true, "QOSGrpNodeLimit": true, "MaxGRESPerAccount": true, "MaxJobsPerAccount": true,
		"AssocGrpCPUMinutesLimit": false, "QOSGrpGRESRunMinutes": false, "MaxCpuRunMinsPerUser": false, "AssocGrpBilling": false, "QOSMaxLicensePerUser": false,
		"QOSGrpWallLimit": false, "AssocGrpSubmitJobsLimit": false, "QOSMaxSubmitJobPerUserLimit": false, "QOSMaxCpuPerJobLimit": false, "JobArrayTaskLimit": false,
		"QOSUsageThreshold": false, "MaxMemPerLimit": false, "Priority": false, "": false,
	} {
		if got := InUse(reason); got != want {
			t.Errorf("%q: %t", reason, got)
		}
	}
}

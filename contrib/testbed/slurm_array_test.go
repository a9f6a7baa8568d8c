package testbed_test

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"
)

// TestArray measures a plan, and a cycle that writes, beside an array of as many waiting tasks
// as OSTRICH_TEST_ARRAY says, three of which have records of their own.
func TestArray(t *testing.T) {
	text := os.Getenv("OSTRICH_TEST_ARRAY")
	if text == "" {
		t.Skip("a measurement: OSTRICH_TEST_ARRAY=300000")
	}
	tasks, err := strconv.Atoi(text)
	if err != nil || tasks < 10 {
		t.Fatalf("OSTRICH_TEST_ARRAY=%s: not a number of tasks, 10 or more", text)
	}
	needSlurm(t) // and not in parallel: it measures time
	b := up(t, "array", "--set", fmt.Sprintf("MaxArraySize=%d", tasks+1), "--set", fmt.Sprintf("MaxJobCount=%d", tasks+1000))
	b.do(t, "root", "sacctmgr", "-i", "modify", "user", "set", "maxsubmitjobs=-1")
	b.freeze(t)
	array := b.submit(t, users[0], fmt.Sprintf("--array=0-%d", tasks-1), "--time=10")
	job := b.submit(t, users[1], "--time=10")
	held, slow, released := array+"_3", array+"_5", array+"_7"
	b.do(t, "root", "scontrol", "hold", held)
	b.do(t, users[0], "scontrol", "update", "jobid="+slow, "nice=30")
	b.do(t, "root", "scontrol", "hold", released)
	b.do(t, "root", "scontrol", "release", released)

	b.managed(t, 4)
	seconds := func(do func()) string {
		began := time.Now()
		do()
		return fmt.Sprintf("%.3g", time.Since(began).Seconds())
	}
	var p plan
	report(t, "plan", "%s", seconds(func() { p = b.plan(t) }))
	var names []string
	for _, j := range p.Jobs {
		names = append(names, j.Job)
	}
	slices.Sort(names)
	want := []string{job, held, slow, released, fmt.Sprintf("%s_[0-2,4,6,8-%d]", array, tasks-1)}
	slices.Sort(want)
	if !slices.Equal(names, want) {
		t.Errorf("the plan names %v, want %v", names, want)
	}
	report(t, "apply", "%s", seconds(func() { b.apply(t) }))
	b.unchanged(t)
}

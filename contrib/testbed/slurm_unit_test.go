package testbed_test

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// countedJSON is what shares and campaigns say of work.
type countedJSON struct {
	Resource string
	Shares   []struct {
		User string
		Held float64
	}
	Campaigns []struct {
		User string
		Work float64 `json:"work_core_hours"`
		Jobs struct{ Pending int }
	}
}

// TestUnit counts work in billing on a Slurm with GPUs, memory and weights: the example that
// processors get wrong, floods of GPUs and of processors beside small campaigns of both kinds,
// and shares that agree with sshare's usage.
func TestUnit(t *testing.T) {
	needSlurm(t)
	t.Parallel()
	b := up(t, "unit", "--gpus", "4", "--memory", "16000", "--weights", "CPU=1,Mem=0.25G,GRES/gpu=8",
		"--set", "PriorityWeightAge=0", "--set", "PriorityDecayHalfLife=0", "--set", "PriorityUsageResetPeriod=NONE")
	const why = "work is counted by billing: TRESBillingWeights of partition debug, main"
	if r := b.ostrich(t, "check"); r.code != 0 || !strings.Contains(r.stdout, why) {
		t.Errorf("check: exit code %d, no %q\n%s%s", r.code, why, r.stdout, r.stderr)
	}
	if r := b.ostrich(t, "shares", "--schedule-resource", "gres/fpga"); r.code == 0 || !strings.Contains(r.stderr, "these can be chosen: cpu, mem, node, billing, gres/gpu") {
		t.Errorf("a GRES that accounting does not count: exit code %d\n%s", r.code, r.stderr)
	}
	part(t, "example", b.testUnitExample)
	part(t, "floods", b.testUnitFloods)
	part(t, "usage", b.testUnitUsage)
}

// oneGPU and allGPUs are what jobs of the example ask for: all GPUs of a node with one
// processor, and a GPU with four.
var (
	allGPUs = []string{"--nodes=1", "--ntasks=1", "--gpus-per-node=4", "--mem=1G", "--time=10", "--wrap", "sleep 600"}
	oneGPU  = []string{"--nodes=1", "--ntasks=4", "--gpus-per-node=1", "--mem=1G", "--time=10", "--wrap", "sleep 600"}
)

// testUnitExample: twelve jobs with all GPUs of a node and one processor each are more work than
// four jobs with four processors and a GPU each, though they have fewer processors.
func (b *bed) testUnitExample(t *testing.T) {
	t.Cleanup(func() { b.empty(t) })
	b.freeze(t)
	defer b.thaw(t)
	for range 12 {
		b.submit(t, "ob-alice", allGPUs...)
	}
	for range 4 {
		b.submit(t, "ob-bob", oneGPU...)
	}
	work := func(resource string) (alice, bob float64) {
		t.Helper()
		eventually(t, "accounting has all jobs", func() string {
			alice, bob = 0, 0
			jobs := 16
			var all countedJSON
			b.read(t, &all, "campaigns", "--json", "--schedule-resource", resource, "--schedule-predictor", "limit")
			for _, c := range all.Campaigns {
				switch jobs -= c.Jobs.Pending; c.User {
				case "ob-alice":
					alice = c.Work
				case "ob-bob":
					bob = c.Work
				}
			}
			return differ(0, jobs)
		})
		return alice, bob
	}
	// Ten minutes each: 12 · (1 + 0.25 + 32) / 6 and 4 · (4 + 0.25 + 8) / 6.
	if alice, bob := work("auto"); math.Abs(alice-66.5) > 0.01 || math.Abs(bob-49.0/6) > 0.01 {
		t.Errorf("%.3f and %.3f billing-hours, want 66.5 and 8.167", alice, bob)
	}
	if alice, bob := work("gres/gpu"); math.Abs(alice-8) > 0.01 || math.Abs(bob-4.0/6) > 0.01 {
		t.Errorf("%.3f and %.3f GPU-hours, want 8 and 0.667", alice, bob)
	}
	if alice, bob := work("cpu"); alice >= bob {
		t.Errorf("%.3f and %.3f core-hours: by processors the example is the other way round", alice, bob)
	}
	order := b.plan(t, byWork...).order()
	if len(order) != 16 || b.owner(t, order[0]) != "ob-bob" || b.owner(t, order[15]) != "ob-alice" {
		t.Errorf("the order is %v, want the jobs of ob-bob first", order)
	}
}

// testUnitFloods: who comes with little, of GPUs or of processors, goes before what is left of a
// flood of either kind.
func (b *bed) testUnitFloods(t *testing.T) {
	t.Cleanup(func() { b.empty(t) })
	var fills []string
	for range 2 {
		fills = append(fills, b.submit(t, "ob-alice", allGPUs...), b.submit(t, "ob-bob", "--nodes=1", "--exclusive", "--time=10", "--wrap", "sleep 600"))
	}
	b.running(t, fills...)
	for range 10 {
		b.submit(t, "ob-alice", allGPUs...)
		b.submit(t, "ob-bob", "--nodes=1", "--ntasks=4", "--mem=8G", "--exclusive", "--time=10", "--wrap", "sleep 600")
	}
	small := []string{b.submit(t, "ob-erin", oneGPU...), b.submit(t, "ob-frank", "--ntasks=1", "--mem=500", "--exclusive", "--time=10", "--wrap", "sleep 600")}
	b.managed(t, 22, byWork...)
	b.apply(t, byWork...)
	got := ids(b.queue(t))
	if !slices.Equal(slices.Sorted(slices.Values(got[:2])), slices.Sorted(slices.Values(small))) {
		t.Errorf("the queue is %v, want first %v", got, small)
	}
}

// testUnitUsage: while jobs of two users run, their usage grows in sshare as what they hold says.
func (b *bed) testUnitUsage(t *testing.T) {
	t.Cleanup(func() { b.empty(t) })
	b.running(t, b.submit(t, "ob-carol", allGPUs...), b.submit(t, "ob-dave", "--nodes=1", "--ntasks=3", "--mem=3000", "--time=10", "--wrap", "sleep 600"))
	held := map[string]float64{}
	eventually(t, "accounting has both jobs", func() string {
		var all countedJSON
		b.read(t, &all, "shares", "--json")
		for _, s := range all.Shares {
			held[s.User] = s.Held
		}
		return differ("billing", all.Resource) + differ(true, held["ob-carol"] > 0 && held["ob-dave"] > 0)
	})
	if c, d := held["ob-carol"], held["ob-dave"]; math.Abs(c-33.25) > 0.001 || math.Abs(d-(3+3000*0.25/1024)) > 0.001 {
		t.Errorf("held %.4f and %.4f, want 33.25 and 3.7324", c, d)
	}
	usage := func() (carol, dave float64) {
		for _, row := range b.lines(t, "sshare", "-hPa", "--format=user,rawusage") {
			n, _ := strconv.ParseFloat(row[1], 64)
			switch row[0] {
			case "ob-carol":
				carol = n
			case "ob-dave":
				dave = n
			}
		}
		return carol, dave
	}
	c0, d0 := usage()
	deadline := time.Now().Add(4 * time.Minute)
	for { // PriorityCalcPeriod is a minute, the least that Slurm allows
		c, d := usage()
		if d-d0 > 300 { // at least two periods
			if got, want := (c-c0)/(d-d0), held["ob-carol"]/held["ob-dave"]; math.Abs(got/want-1) > 0.02 {
				t.Errorf("usage grew by %.0f and %.0f, %.3f times; what is held is %.3f times", c-c0, d-d0, got, want)
			}
			report(t, "unit-usage", "sshare %.0f and %.0f, ratio %.3f; held %.4f and %.4f, ratio %.3f", c-c0, d-d0, (c-c0)/(d-d0),
				held["ob-carol"], held["ob-dave"], held["ob-carol"]/held["ob-dave"])
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("usage grew by %.0f and %.0f only", c-c0, d-d0)
		}
		time.Sleep(5 * time.Second)
	}
}

// read reads what the tool prints.
func (b *bed) read(t *testing.T, into any, args ...string) {
	t.Helper()
	r := b.ostrich(t, args...)
	if r.code != 0 {
		t.Fatalf("ostrich %s: exit code %d\n%s", strings.Join(args, " "), r.code, r.stderr)
	}
	if err := json.Unmarshal([]byte(r.stdout), into); err != nil {
		t.Fatal(fmt.Errorf("ostrich %s: %w", strings.Join(args, " "), err))
	}
}

// owner is the user of a pending job.
func (b *bed) owner(t *testing.T, id string) string {
	t.Helper()
	return b.do(t, "root", "squeue", "-h", "-o", "%u", "-j", id)
}

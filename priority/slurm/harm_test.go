package slurm

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"slurm-ostrich/priority"
)

// TestHarmsRecorded reads what real slurmctlds of 22.05 say that were started
// with such settings. PreemptParameters came with 23.02 and PreemptMode=PRIORITY
// with 25.05, and cannot be recorded from it.
func TestHarmsRecorded(t *testing.T) {
	sitefactor := priority.Options{Channel: priority.SiteFactor, Mode: priority.Strict}
	tests := []struct {
		file   string
		option func(*priority.Options)
		want   []string
	}{
		{"config.txt", nil, nil},
		{"harm/within.txt", nil, []string{
			"fatal PreemptMode=WITHIN: PreemptMode=WITHIN,REQUEUE",
			"PreemptExemptTime: PreemptExemptTime of 600 s",
			"bf_min_prio_reserve: SchedulerParameters=bf_min_prio_reserve=5000",
		}},
		{"harm/preempt.txt", nil, nil}, // preemption by tiers, and a time of exemption, know no priority
		{"harm/flags.txt", func(o *priority.Options) { o.Channel = priority.Nice }, []string{"PriorityFlags: PriorityFlags has NO_NORMAL_*"}},
		{"harm/flags.txt", func(o *priority.Options) { o.Channel = priority.Priority }, nil},
		{"harm/weights.txt", nil, []string{"PriorityWeight: the PriorityWeight* add up to 100003100, which leaves 10 exact ranks, and as deep as Slurm looks 1000 are needed (no job waits now)"}},
		{"harm/weights.txt", func(o *priority.Options) { o.Mode, o.Weight = priority.Weight, 1000 }, nil},
		{"harm/weights.txt", func(o *priority.Options) { o.Depth = 10 }, nil},
	}
	for _, tt := range tests {
		t.Run(tt.file, func(t *testing.T) {
			o := sitefactor
			var err error
			if o.Controller, err = parseConfig(captured(t, "22.05/"+tt.file)); err != nil {
				t.Fatal(err)
			}
			if tt.option != nil {
				tt.option(&o)
			}
			found := priority.Harms(o, priority.Surroundings{})
			if diff := cmp.Diff(tt.want, inShort(found)); diff != "" {
				t.Errorf("harms (-want +got):\n%s", diff)
			}
			fatal := slices.ContainsFunc(found, func(h priority.Harm) bool { return h.Fatal })
			if err := priority.Harmless(o, nil); errors.Is(err, priority.ErrImpossible) != fatal {
				t.Errorf("harmless: %v", err)
			}
		})
	}
}

// inShort is a harm in short: its setting, where that is set, and whether nothing may be
// written.
func inShort(found []priority.Harm) (all []string) {
	for _, h := range found {
		where, _, _ := strings.Cut(h.Found, ": ")
		all = append(all, map[bool]string{true: "fatal "}[h.Fatal]+h.Setting+": "+where)
	}
	return all
}

func TestPoliciesRecorded(t *testing.T) {
	qos, err := parseQOS(captured(t, "22.05/harm/qos.txt"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]priority.QOS{{Name: "normal"}, {Name: "kill", PreemptMode: "WITHIN,REQUEUE", Threshold: 5000}}, qos); diff != "" {
		t.Errorf("QOS (-want +got):\n%s", diff)
	}
	qos, err = parseQOS("QOS=fast(3) MinPrioThresh=7  MinTRESPJ= PreemptMode=OFF Priority=4000000000 Account Limits=No Accounts\n")
	if diff := cmp.Diff([]priority.QOS{{Name: "fast", Threshold: 7, Priority: 4000000000}}, qos); diff != "" || err != nil {
		t.Errorf("QOS with a priority: %v (-want +got):\n%s", err, diff)
	}
	if _, err = parseQOS("QOS=fast(3) Priority=high\n"); err == nil || err.Error() != `scontrol show assoc_mgr: QOS fast: Priority="high": not a number` {
		t.Errorf("QOS with a wrong priority: %v", err)
	}
	for _, end := range []string{"\n", "\r\n", "\t\n", ""} { // nothing behind the last key
		if qos, err = parseQOS("QOS=fast(3) Priority=" + end); err != nil || len(qos) != 1 || qos[0].Priority != 0 {
			t.Errorf("QOS that ends with %q: %+v, %v", end, qos, err)
		}
	}
	if name := parseFederation(captured(t, "22.05/harm/federation.txt")); name != "fed" {
		t.Errorf("federation %q", name)
	}
	if name := parseFederation(""); name != "" {
		t.Errorf("without one: federation %q", name)
	}
	thresholds, err := parseThresholds(captured(t, "22.05/harm/thresholds.txt"), "c1")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]priority.Threshold{{Association: "user ob-alice of account astro", Entity: "user ob-alice where account=astro cluster=c1", Priority: 77}}, thresholds); diff != "" {
		t.Errorf("thresholds (-want +got):\n%s", diff)
	}
}

// Slurm tells which QOS may preempt which by sacctmgr alone, and it is asked only where that
// counts.
func TestPreempts(t *testing.T) {
	f := newFake(t)
	f.Set("qos", "QOS=normal(1) Priority=10 \nQOS=urgent(2) Priority=100 \nQOS=scavenger(3) Priority=0 \n")
	f.Set("preempt", "normal|scavenger\nurgent|normal,scavenger\nscavenger|\nother_cluster's|normal\n")
	want := []priority.QOS{{Name: "normal", Priority: 10}, {Name: "urgent", Priority: 100}, {Name: "scavenger"}}
	read := func(what, unknown string) {
		t.Helper()
		c, err := f.Controller(t.Context())
		if diff := cmp.Diff(want, c.QOS); diff != "" || err != nil || c.PoliciesUnknown != unknown {
			t.Errorf("%s: %v, unknown %q (-want +got):\n%s", what, err, c.PoliciesUnknown, diff)
		}
	}
	read("no preemption", "")
	f.Set("config", "PreemptType = preempt/partition_prio\nPreemptMode = REQUEUE\n")
	read("by partition", "")
	f.Set("config", "PreemptType = preempt/qos\nPreemptMode = REQUEUE\n")
	f.Set("fail-sacctmgr", "no answer")
	read("slurmdbd down", "sacctmgr: exit status 1: no answer")
	if err := os.Remove(filepath.Join(f.Folder, "fail-sacctmgr")); err != nil {
		t.Fatal(err)
	}
	want[0].Preempts, want[1].Preempts = []string{"scavenger"}, []string{"normal", "scavenger"}
	read("by QOS", "")
	f.Set("preempt", "normal\n")
	want[0].Preempts, want[1].Preempts = nil, nil
	read("not the columns", `sacctmgr: line "normal\n": not a QOS and those that it may preempt`)
}

// A pinned job in several partitions has no factors in sprio, as 22.05 shows it.
func TestParseSprioPinnedInSeveral(t *testing.T) {
	jobs, err := parseSprio("7|1000|0.00000023283064|-2147483648|-2147483648|0|0|0|0|1000|0|\n7|1000|0.00000023283064|-2147483648|-2147483648|0|0|0|0|1000|0|\n")
	if err != nil || !jobs[7].pinned {
		t.Errorf("%+v, %v", jobs, err)
	}
}

// Every value of PriorityFlags that slurm.conf(5) has means something.
func TestFlags(t *testing.T) {
	c, err := parseConfig(captured(t, "22.05/harm/flags.txt"))
	if err != nil {
		t.Fatal(err)
	}
	c.PriorityFlags = append(c.PriorityFlags, "FAIR_TREE", "max_tres_gres", "NO_NORMAL_QOS", "NEW_ONE")
	said := func(ch priority.Channel) (silent []string) {
		for _, f := range priority.Flags(priority.Options{Channel: ch, Controller: c}) {
			if f.Means == "" {
				silent = append(silent, fmt.Sprint(f.Name, " ", f.Known))
			}
		}
		return silent
	}
	if diff := cmp.Diff([]string{"INCR_ONLY true", "NO_NORMAL_ALL true", "NO_NORMAL_QOS true", "NEW_ONE false"}, said(priority.SiteFactor)); diff != "" {
		t.Errorf("without a meaning (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"NO_NORMAL_ALL true", "NO_NORMAL_QOS true", "NEW_ONE false"}, said(priority.Priority)); diff != "" {
		t.Errorf("without a meaning, channel priority (-want +got):\n%s", diff)
	}
	if err := priority.Check(priority.Options{Channel: priority.SiteFactor, Mode: priority.Strict, Controller: c}); !errors.Is(err, priority.ErrImpossible) {
		t.Errorf("INCR_ONLY: %v", err)
	}
}

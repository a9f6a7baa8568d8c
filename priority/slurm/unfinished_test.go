package slurm

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"slurm-ostrich/priority"
)

// unfinishedLines are of a squeue of 22.05.
const unfinishedLines = "13|1795501100|PENDING|N/A|1:00:00|1|main|normal|astro|2-40%1|JobArrayTaskLimit\n" +
	"7|1795501099|PENDING|1795504700|5:00|2|main|normal|bio|N/A|Resources\n" +
	"9|1795501100|PENDING|1795504700|5:00|1|main|normal|astro|N/A|BeginTime\n" +
	"15|1795501099|RUNNING|1795501100|1:00:00|4|main|normal|astro|1|None\n" +
	"16|1795501099|COMPLETING|1795501100|1:00:00|4|main|normal|astro|2|None\n"

func TestUnfinished(t *testing.T) {
	want := []Unfinished{
		{13, 1795501100, Waits, priority.Limited, "1795501100|PENDING||1:00:00|1|main|normal|astro|2-40%1|waits for a limit"},
		{7, 1795501099, Waits, priority.Able, "1795501099|PENDING||5:00|2|main|normal|bio|N/A|can start"},
		{9, 1795501100, Waits, priority.Later, "1795501100|PENDING|1795504700|5:00|1|main|normal|astro|N/A|begins later"},
		{15, 1795501099, Runs, priority.Able, "1795501099|RUNNING|1795501100|1:00:00|4|main|normal|astro|1|None"},
		{16, 1795501099, Ends, priority.Able, "1795501099|COMPLETING|1795501100|1:00:00|4|main|normal|astro|2|None"},
	}
	got, err := parseUnfinished("CLUSTER: c1\n" + unfinishedLines)
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	// A job that moves up in the queue, or is to start at another time, is as it was.
	moved, err := parseUnfinished(strings.NewReplacer("Resources", "Priority", "1795504700|5:00|2", "N/A|5:00|2").Replace(unfinishedLines))
	if diff := cmp.Diff(want, moved); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	for _, bad := range []string{"x|1|PENDING|N/A|1|1|m|n|a|1|None\n", "1|x|PENDING|N/A|1|1|m|n|a|1|None\n", "1|2|PENDING\n"} {
		if _, err := parseUnfinished(bad); err == nil {
			t.Errorf("%q: no error", bad)
		}
	}
}

func FuzzUnfinished(f *testing.F) {
	addLines(f, "", unfinishedLines)
	f.Fuzz(func(t *testing.T, text string) {
		all, err := parseUnfinished(text)
		seen := map[any]bool{}
		for _, u := range all {
			if u.Job == 0 || seen[u.Job] || err != nil {
				t.Errorf("%+v: again, without a number or in spite of %v", u, err)
			}
			seen[u.Job] = true
		}
	})
}

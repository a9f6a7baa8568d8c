package slurm

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"slurm-ostrich/priority"
)

// unfinishedRecords are of a squeue of 22.05.
const unfinishedRecords = mark + "13|1795501100|PENDING|N/A|1:00:00|1|main|normal|2-40%1|JobArrayTaskLimit|astro\n" +
	mark + "7|1795501099|PENDING|1795504700|5:00|2|main|normal|N/A|Resources|bio\n" +
	mark + "9|1795501100|PENDING|1795504700|5:00|1|main|normal|N/A|BeginTime|astro\n" +
	mark + "15|1795501099|RUNNING|1795501100|1:00:00|4|main|normal|1|None|astro\n" +
	mark + "16|1795501099|COMPLETING|1795501100|1:00:00|4|main|normal|2|None|astro\n"

func TestUnfinished(t *testing.T) {
	want := []Unfinished{
		{13, 1795501100, Waits, priority.Limited, "1795501100|PENDING||1:00:00|1|main|normal|2-40%1|waits for a limit|astro", 39, 40},
		{7, 1795501099, Waits, priority.Able, "1795501099|PENDING||5:00|2|main|normal|N/A|can start|bio", 0, 0},
		{9, 1795501100, Waits, priority.Later, "1795501100|PENDING|1795504700|5:00|1|main|normal|N/A|begins later|astro", 0, 0},
		{15, 1795501099, Runs, priority.Able, "1795501099|RUNNING|1795501100|1:00:00|4|main|normal|1|None|astro", 0, 0},
		{16, 1795501099, Ends, priority.Able, "1795501099|COMPLETING|1795501100|1:00:00|4|main|normal|2|None|astro", 0, 0},
	}
	got, err := parseUnfinished("CLUSTER: c1\n"+unfinishedRecords, mark)
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	// A job that moves up in the queue, or is to start at another time, is as it was.
	moved, err := parseUnfinished(strings.NewReplacer("Resources", "Priority", "1795504700|5:00|2", "N/A|5:00|2").Replace(unfinishedRecords), mark)
	if diff := cmp.Diff(want, moved); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	// An account of the user's invention is one field.
	invented := "x|y\n17|1795501099|PENDING|N/A|1|1|m|n|1|None|a"
	got, err = parseUnfinished(strings.Replace(unfinishedRecords, "bio", invented, 1), mark)
	want[1].Text = strings.Replace(want[1].Text, "bio", invented, 1)
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	for _, bad := range []string{
		mark + "x|1|PENDING|N/A|1|1|m|n|1|None|a\n", mark + "1|x|PENDING|N/A|1|1|m|n|1|None|a\n", mark + "1|2|PENDING\n",
		strings.TrimSuffix(unfinishedRecords, "tro\n"), "1|1|PENDING|N/A|1|1|m|n|1|None|a\n",
	} {
		if _, err := parseUnfinished(bad, mark); err == nil {
			t.Errorf("%q: no error", bad)
		}
	}
}

func FuzzUnfinished(f *testing.F) {
	addLines(f, "", unfinishedRecords)
	f.Fuzz(func(t *testing.T, text string) {
		all, err := parseUnfinished(text, mark)
		seen := map[any]bool{}
		for _, u := range all {
			if u.Job == 0 || seen[u.Job] || err != nil {
				t.Errorf("%+v: again, without a number or in spite of %v", u, err)
			}
			seen[u.Job] = true
		}
	})
}

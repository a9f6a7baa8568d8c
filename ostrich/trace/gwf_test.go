package trace

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestGrid reads a log in the Grid Workload Format: words get numbers in the order in which
// they come, and times begin at the first submission.
func TestGrid(t *testing.T) {
	const rest = " -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1"
	text := "# The Grid Workloads Archive\n" +
		"7 1136070700 5 100.4 1 90.5 -1 1 259200 -1 1 U8 G1 app QA -1 SiteB SiteA" + rest + "\n" +
		"8\t1136070690\t-1\t60\t2\t-1\t2048.4\t2\t-1\t-1\t0\tU3\t-1\t-1\tQA\t4\t-1\t-1" + strings.ReplaceAll(rest, " ", "\t") + "\n"
	log, err := Read(strings.NewReader(text), "t.gwf", Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := []Record{
		{Number: 7, Submit: 10, Wait: 5, Run: 100, Allocated: 1, CPU: 90.5, Memory: -1, Requested: 1, Limit: 259200, RAM: -1, Status: 1, User: 1, Group: 1, App: 1, Queue: 1, Partition: 1, Preceding: -1, Think: -1},
		{Number: 8, Submit: 0, Wait: -1, Run: 60, Allocated: 2, CPU: -1, Memory: 2048, Requested: 2, Limit: -1, RAM: -1, Status: 0, User: 2, Group: -1, App: -1, Queue: 1, Partition: 2, Preceding: -1, Think: -1},
	}
	if diff := cmp.Diff(want, log.Records); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if got := log.Key.User(2); got != "U3" || !slices.Equal(log.Key.Partitions, []string{"SiteB", "4"}) || log.Number("UnixStartTime") != 1136070690 {
		t.Errorf("%s, %+v, %v", got, log.Key, log.Header)
	}
	// A job without a submission is not the first.
	log, err = Read(strings.NewReader(text+"9 -1 0 1 1 -1 -1 1 -1 -1 1 U3 G1 app QA 4 -1 -1"+rest+"\n"), "t.gwf", Options{})
	if err != nil || log.Records[0].Submit != 10 || log.Records[2].Submit != Unknown || log.Number("UnixStartTime") != 1136070690 {
		t.Errorf("%v, %+v", err, log)
	}
	for text, why := range map[string]string{
		text + "9 1 2 3\n": "t.gwf:4: 4 fields instead of 29, which the lines before have",
		text + "9 1 2 3 1 -1 -1 1 -1 -1 1 1 1 1 1 1 -1 -1\n":                "t.gwf:4: 18 fields instead of 29",
		strings.Replace(text, "1136070700", "noon", 1):                      `t.gwf:2: field 2 (submit time): "noon": not a whole number`,
		"1 0 0 1 1 1 1 1 1 1 1 1 1 1 1 1 -1 -1\n" + strings.TrimSpace(text): `t.gwf:3: field 12 (user): "U8": not a whole number`,
	} {
		if _, err := Read(strings.NewReader(text), "t.gwf", Options{}); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%v, want %s", err, why)
		}
	}
	if log, err := Read(strings.NewReader(text+"9 1 2 3\n"), "t.gwf", Options{Lenient: true}); err != nil || log.Skipped != 1 || len(log.Records) != 2 {
		t.Errorf("lenient: %v, %+v", err, log)
	}
	if _, err := Read(strings.NewReader("# none\n"), "t.gwf", Options{}); !errors.Is(err, ErrEmpty) {
		t.Error(err)
	}
}

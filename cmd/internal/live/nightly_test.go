package live

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"slurm-ostrich/cmd/internal/view"
	"slurm-ostrich/ostrich/report"
)

// compared is what "ostrich compare --json" writes, of the fields that are read.
const compared = `{"title":"Comparison of scheduling policies","from":1700000000,"to":1700086400,"unix":true,"baseline":"fairshare",
"verdict":["Users gain under ostrich.","The simulated fairshare is close to what happened."],"changes":[{"run":"ostrich","sentences":["x"]}],
"differences":[{"run":"recorded","measure":"user_mean_stretch","baseline":4,"value":5,"difference":1,"interval":null,"reading":"too few"},
{"run":"ostrich","measure":"wait_mean","baseline":40,"value":50,"difference":10,"interval":null},
{"run":"ostrich","measure":"user_mean_stretch","baseline":4,"value":2.5,"difference":-1.5,"interval":{"low":-2,"high":-1},"reading":"better"}]}`

func writeNight(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(path, time.Time{}, time.Unix(1_700_100_000, 0)); err != nil {
		t.Fatal(err)
	}
}

// TestFolder: journals side by side may have comparisons of their own.
func TestFolder(t *testing.T) {
	dir := t.TempDir()
	one, other := filepath.Join(dir, "one.jsonl"), filepath.Join(dir, "other.jsonl")
	if err := os.Mkdir(one+".compare", 0o700); err != nil {
		t.Fatal(err)
	}
	for journal, want := range map[string]string{"": "", one: one + ".compare", other: filepath.Join(dir, "compare")} {
		if got := Folder(journal); got != want {
			t.Errorf("%q: %s, want %s", journal, got, want)
		}
	}
}

func TestNights(t *testing.T) {
	var n Nights
	folder := t.TempDir()
	read := func(want string, nights int) []Night {
		t.Helper()
		list, err := n.Read(folder)
		said := ""
		if err != nil {
			said = err.Error()
		}
		if len(list) != nights || (want == "") != (said == "") || !strings.Contains(said, want) {
			t.Fatalf("%d nights and %q, want %d and %q", len(list), said, nights, want)
		}
		return list
	}
	read("", 0)
	week := filepath.Join(folder, "week.json")
	writeNight(t, week, compared)
	interval := &report.Interval{Low: -2, High: -1}
	want := Night{
		Period: "week", Made: 1_700_100_000, From: 1_700_000_000, To: 1_700_086_400, Baseline: "fairshare", Page: filepath.Join(folder, "week.html"),
		Verdict: []string{"Users gain under ostrich.", "The simulated fairshare is close to what happened."},
		Changes: []Change{
			{Run: "recorded", Measure: userMean, Baseline: 4, Value: 5, Difference: 1},
			{Run: "ostrich", Measure: userMean, Baseline: 4, Value: 2.5, Difference: -1.5, Interval: interval},
		},
	}
	first := read("", 1)
	equal(t, "the week", want, first[0])
	again := read("", 1)
	if &first[0].Changes[0] != &again[0].Changes[0] {
		t.Error("a file that has not changed is read again")
	}
	// What is broken is left out, and told once, whatever else changes.
	day := filepath.Join(folder, "day.json")
	for _, broken := range []string{"", compared[:100], "[]", `{"verdict":["x"]}`, strings.Replace(compared, `"unix":true`, `"unix":false`, 1), strings.Repeat(" ", MostBytes+1)} {
		writeNight(t, day, broken)
		read(day, 1)
		read("", 1)
		if err := os.Remove(day); err != nil {
			t.Fatal(err)
		}
		read("", 1)
	}
	if err := os.Mkdir(day, 0o700); err != nil {
		t.Fatal(err)
	}
	read("is no file", 1)
	if err := os.Remove(day); err != nil {
		t.Fatal(err)
	}
	writeNight(t, day, compared)
	equal(t, "the day first", "day", read("", 2)[0].Period)
	// The next comparison replaces the file.
	writeNight(t, day+".new", strings.Replace(compared, "2.5", "3.5", 1))
	if err := os.Rename(day+".new", day); err != nil {
		t.Fatal(err)
	}
	equal(t, "the next night", 3.5, read("", 2)[0].Changes[1].Value)
	folder = Folder("")
	read("", 0)
	folder = Folder("/nowhere/journal.jsonl")
	equal(t, "beside the journal", "/nowhere/compare", folder)
	read("", 0)
}

// The page of a comparison is opened only if it is a file of a sane size.
func TestOpenNight(t *testing.T) {
	n := Night{Page: filepath.Join(t.TempDir(), "day.html")}
	if _, _, err := n.Open(); err == nil {
		t.Error("a page that is not there is opened")
	}
	writeNight(t, n.Page, "<p>")
	f, made, err := n.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	if text, err := io.ReadAll(f); string(text) != "<p>" || err != nil || made.Unix() != 1_700_100_000 {
		t.Errorf("%q of %v, %v", text, made, err)
	}
	if err := os.Truncate(n.Page, MostBytes+1); err != nil {
		t.Fatal(err)
	}
	n2 := Night{Page: filepath.Dir(n.Page)}
	for _, bad := range []*Night{&n, &n2} {
		if _, _, err := bad.Open(); err == nil {
			t.Errorf("%s is opened", bad.Page)
		}
	}
}

// Who does not see the jobs or shares of others sees the figures only.
func TestSeenNights(t *testing.T) {
	nights := []Night{{Period: "day", Verdict: []string{"alice pays"}, Page: "day.html", Changes: []Change{{Run: "ostrich"}}}}
	equal(t, "everything", nights, Seen(nights, view.Everything()))
	hidden := []Night{{Period: "day", Verdict: []string{}, Changes: []Change{{Run: "ostrich"}}}}
	for _, private := range []string{"jobs", "usage", "users"} {
		equal(t, private, hidden, Seen(nights, view.NewViewer([]string{private})))
	}
	equal(t, "as it was", "day.html", nights[0].Page)
	// slurmctld hides nothing, and slurmdbd ended jobs, or nobody knows yet.
	equal(t, "ended jobs", hidden, Seen(nights, view.NewViewer(nil)))
	named := []Night{{Period: "day", Verdict: []string{}, Changes: []Change{{Run: "ostrich, share:alice=3"}, {Run: "ostrich"}}}}
	equal(t, "a user in a name", hidden, Seen(named, view.NewViewer(nil)))
	equal(t, "and for all", named, Seen(named, view.Everything()))
}

// The report has the comparisons in words and in a table.
func TestNightsAreShown(t *testing.T) {
	folder := t.TempDir()
	writeNight(t, filepath.Join(folder, "day.json"), compared)
	var n Nights
	nights, err := n.Read(folder)
	if err != nil {
		t.Fatal(err)
	}
	r := Report{Nights: nights}
	equal(t, "notes", []string(nil), r.Notes())
	if got := r.Verdict(); !strings.HasPrefix(got, "The day before 2023-11-1") || !strings.HasSuffix(got, ": Users gain under ostrich.\nThe simulated fairshare is close to what happened.\n") {
		t.Error(got)
	}
	rows := r.Tables()[0].Rows
	equal(t, "rows", 2, len(rows))
	equal(t, "interval", "-2.00 to -1.00", nights[0].Changes[1].Between())
	equal(t, "without users", "", (&Report{Nights: Seen(nights, &view.Viewer{})}).Verdict())
}

package sacct

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// ways lists how columns can share fields, tried one by one: what is read of each way.
func ways(l *layout, fields [][]byte, i int, so []string) []string {
	if i == len(l.kinds) {
		if len(fields) > 0 {
			return nil
		}
		return []string{strings.Join(so, "\n")}
	}
	var all []string
	for k := 1; k <= len(fields); k++ {
		if k > 2 && !l.goesOn(i, fields[k-2]) { // of the fields before, all do
			break
		}
		if l.takes(i, fields[0], k > 1) && (k == 1 || l.goesOn(i, fields[k-1])) {
			all = append(all, ways(l, fields[k:], i+1, append(so[:i:i], string(bytes.Join(fields[:k], []byte("|")))))...)
		}
	}
	return all
}

// TestShareHints: a line of submission is not read in half where a comment behind it may have the rest.
func TestShareHints(t *testing.T) {
	line := "sbatch -J a|b --exclusive"
	for _, tt := range []struct{ columns, text, want string }{
		{"JobID|JobName|SubmitLine", "1|a|b|" + line, line},
		{"JobID|SubmitLine|State", "1|" + line + "|COMPLETED", line},
		{"JobID|SubmitLine|Comment", "1|" + line + "|", ""},
		{"JobID|SubmitLine|Comment", "1|sbatch x|", "sbatch x"}, // as many fields as columns
	} {
		l := newLayout(strings.Split(tt.columns, "|")...)
		d := &dump{fields: bytes.Split([]byte(tt.text), []byte("|")), mark: []byte("|")}
		cells, why := d.share(l)
		if cells == nil || string(cells[l.at[colSubmitLine]]) != tt.want || (d.unsure > 0) != (tt.want == "") {
			t.Errorf("%s: %q, %s, %d unsure, want %q", tt.text, cells, why, d.unsure, tt.want)
		}
	}
}

// TestShareAlternatives: of features with | between them nothing is taken for the text or the reservation beside them.
func TestShareAlternatives(t *testing.T) {
	for _, tt := range []struct{ columns, text, want string }{
		{"Constraints|Reservation|Flags|JobName|SubmitLine|Priority", "x|y||SchedBackfill,StartRecieved|sbatch|sbatch --constraint=x|y|5144", "x|y"},
		{"Constraints|Reservation|Flags|JobName|SubmitLine|Priority", "x|||name|sbatch -p a|5144", "x"}, // of a dump without flags
		{"Comment|Constraints|ConsumedEnergy|ConsumedEnergyRaw|Container|CPUTime", "|x|y||||00:05:20", "x|y"},
		{"JobID|JobName|Constraints|State", "1||a|x|COMPLETED", "a|x"},
		{"JobID|Comment|JobName|State", "1|a||x|COMPLETED", ""},
		{"JobID|JobName|State", "1||x|COMPLETED", ""}, // a name that begins with it
	} {
		l := newLayout(strings.Split(tt.columns, "|")...)
		d := &dump{fields: bytes.Split([]byte(tt.text), []byte("|")), mark: []byte("|")}
		cells, why := d.share(l)
		at := l.at[colConstraints]
		if cells == nil || at >= 0 && string(cells[at]) != tt.want {
			t.Errorf("%s: %q, %s, want %q", tt.text, cells, why, tt.want)
		}
	}
}

// TestFitIsTheOnlyWay: fields are shared among the columns in the one way in which they can
// be, and refused where there is none or a second.
func TestFitIsTheOnlyWay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOfN(rapid.SampledFrom([]string{"JobID", "JobName", "WorkDir", "State", "SubmitLine", "NCPUS", "User", "Licenses", "NodeList"}), 1, 5).Draw(t, "columns")
		l := newLayout(names...)
		n := rapid.IntRange(len(names), len(names)+4).Draw(t, "fields")
		var fields [][]byte
		for range n {
			fields = append(fields, []byte(rapid.SampledFrom([]string{"1", "a b", "/home", "COMPLETED", "sbatch x", "bob", "", "lm:2", "x:1"}).Draw(t, "field")))
		}
		cells, why := l.fit(fields, []byte("|"))
		all := ways(l, fields, 0, make([]string, len(names)))
		switch got := string(bytes.Join(cells, []byte("\n"))); {
		case len(all) == 1 && (why != "" || got != all[0]), len(all) == 0 && why == "":
			t.Fatalf("%q of %q: %q (%s), want one of %q", fields, names, got, why, all)
		case why != "" || len(all) < 2:
		default: // only texts that nobody reads may differ
			for i := range names {
				if l.read[i] || !l.free[i] {
					for _, way := range all {
						if other := strings.Split(way, "\n")[i]; other != string(cells[i]) {
							t.Fatalf("%q of %q: %s is %q, and could be %q", fields, names, names[i], cells[i], other)
						}
					}
				}
			}
		}
	})
}

// TestManyDelimiters: a name of a hundred thousand delimiters, or of as many lines, is read
// as soon as another, and a line of a million is refused.
func TestManyDelimiters(t *testing.T) {
	const head, rest = "JobIDRaw|JobName|User|Submit|Start|End|State|NCPUS\n", "|bob|2026-01-01T00:00:00|2026-01-01T00:01:00|2026-01-01T01:01:00|COMPLETED|4\n"
	for _, name := range []string{strings.Repeat("|", 100_000), strings.Repeat("\n", 100_000)} {
		h, err := Read(strings.NewReader(head+"1|"+name+rest+"2|x"+rest), "dump", Options{})
		if err != nil || len(h.Jobs) != 2 || h.Associations[h.Jobs[0].Association].User != "bob" {
			t.Errorf("a name that begins with %q: %v", name[:2], err)
		}
	}
	var f *Fault
	_, err := Read(strings.NewReader(head+"1|x"+rest+"2|"+strings.Repeat("|", mostFields)+rest), "dump", Options{})
	if !errors.As(err, &f) || f.Line != 3 || f.Why != "more than 1048576 fields" {
		t.Errorf("a million delimiters: %v", err)
	}
}

// TestMade: ids that are made up for array tasks are those of no other job, and the same in
// each dump.
func TestMade(t *testing.T) {
	const head = "JobID|User|Submit|Start|End|State|NCPUS\n"
	line := func(id string) string {
		return id + "|bob|2026-01-01T00:00:00|2026-01-01T00:01:00|2026-01-01T01:01:00|COMPLETED|4\n"
	}
	var many strings.Builder
	many.WriteString(head + line("2147483650"))
	for array := range 300 {
		for task := range 300 {
			many.WriteString(line(fmt.Sprintf("%d_%d", 1000*array+1, task)))
		}
	}
	o := Options{Made: new(Made)}
	read := func(text string) (int, map[uint32]bool, []string) {
		t.Helper()
		h, err := Read(strings.NewReader(text), "dump", o)
		if err != nil {
			t.Fatal(err)
		}
		ids := make(map[uint32]bool)
		for _, j := range h.Jobs {
			ids[uint32(j.ID)] = true
		}
		return len(h.Jobs), ids, h.Notes
	}
	jobs, ids, _ := read(many.String())
	if jobs != 90_001 || len(ids) != jobs {
		t.Errorf("%d jobs with %d ids", jobs, len(ids))
	}
	_, again, notes := read(head + line("299001_299") + line("1_0"))
	for id := range again {
		if !ids[id] {
			t.Errorf("%d is the id of a task in the second dump alone", id)
		}
	}
	if len(again) != 2 || len(notes) != 0 {
		t.Errorf("%v, %q", again, notes)
	}
	_, err := Read(strings.NewReader(head+line("2147483649")), "dump", o)
	var f *Fault
	if !errors.As(err, &f) || f.Field != "jobid" || !strings.HasSuffix(f.Why, "run sacct again with JobIDRaw") {
		t.Errorf("the id of a task: %v", err)
	}
	_, _, notes = read("JobID|JobIDRaw|User|Submit|Start|End|State|NCPUS\n" + strings.Replace(line("7_1"), "|", "|12|", 1))
	if len(notes) != 1 || !strings.HasPrefix(notes[0], "Some dumps have JobIDRaw and others have not") {
		t.Errorf("notes %q", notes)
	}
}

// TestCutOff: where a dump may end within its last number, a note says so.
func TestCutOff(t *testing.T) {
	const head, row = "JobIDRaw|User|Submit|Start|End|NCPUS|State|", "|bob|2026-01-01T00:00:00|2026-01-01T00:01:00|2026-01-01T01:01:00|4|COMPLETED|"
	for _, tt := range []struct {
		column, end string
		cut         bool
	}{
		{"ReqCPUS", "16\n", false},
		{"ReqCPUS", "16\r\n", false},
		{"ReqCPUS", "16|\n", false},
		{"ReqCPUS", "16|", false},
		{"ReqCPUS", "16", true},
		{"ReqMem", "4000", true},
		{"ReqMem", "4000M", false},
		{"ReqMem", "", false},
		{"Eligible", "2026-01-01T00:00:00", false},
		{"Eligible", "1767225600", true},
	} {
		mark := "" // behind the last column, as with sacct --parsable
		if strings.Contains(tt.end, "|") {
			mark = "|"
		}
		text := head + tt.column + mark + "\n1" + row + mark + "\n2" + row + tt.end
		h, err := Read(strings.NewReader(text), "dump", Options{})
		if err != nil || len(h.Jobs) != 2 {
			t.Fatalf("%s %q: %v", tt.column, tt.end, err)
		}
		if noted := strings.Contains(strings.Join(h.Notes, " "), "no line feed"); noted != tt.cut {
			t.Errorf("%s %q: notes %q", tt.column, tt.end, h.Notes)
		}
	}
}

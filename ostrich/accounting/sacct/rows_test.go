package sacct_test

import (
	"bytes"
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting"
	"slurm-ostrich/ostrich/accounting/sacct"
)

const rowMark = "\x1emark\x1e"

// rowOf is a row as sacct of 22.05 prints it, with some columns changed.
func rowOf(changed ...string) string {
	values := map[string]string{
		"JobIDRaw": "15", "JobID": "5_1", "UID": "995", "User": "ob-bob", "Account": "astro", "AssocID": "6", "Partition": "main",
		"QOS": "normal", "QOSRAW": "1", "Submit": "1795501099", "Eligible": "1795501099", "Start": "1795501100", "End": "Unknown",
		"Suspended": "1-00:00:09", "TimelimitRaw": "60", "ReqCPUS": "4", "ReqTRES": "billing=4,cpu=4,mem=1M,node=1",
		"AllocTRES": "billing=8,cpu=8,node=1", "WCKey": "*", "JobName": "a|b\nc", "Comment": "x,y", "State": "CANCELLED by 1000",
	}
	for i := 0; i+1 < len(changed); i += 2 {
		values[changed[i]] = changed[i+1]
	}
	var fields []string
	for c := range strings.SplitSeq(sacct.RowColumns, ",") {
		fields = append(fields, values[c])
	}
	return strings.Join(fields, rowMark) + "\n"
}

func readRows(text string, piece int) (all []accounting.Row, err error) {
	r := sacct.Rows{Mark: rowMark, Visit: func(row accounting.Row) error {
		all = append(all, row)
		return nil
	}}
	for part := range slices.Chunk([]byte(text), piece) {
		if _, err = r.Write(part); err != nil {
			return all, err
		}
	}
	return all, r.Close()
}

func TestRows(t *testing.T) {
	task := accounting.Row{
		ID: 15, Array: 5, Task: 1, Tasks: 1, UID: 995, User: "ob-bob", Account: "astro", Assoc: 6, Partition: "main", QOS: "normal",
		QOSNumber: 1, Submit: 1795501099, Eligible: 1795501099, Start: 1795501100, Suspended: 86409, Limit: 3600, Req: 4, Alloc: 8,
		Asked: accounting.TRES{CPUs: 4, Nodes: 1, Billing: 4, Memory: 1}, Held: accounting.TRES{CPUs: 8, Nodes: 1, Billing: 8}, WCKey: "*", Name: "a|b\nc", Comment: "x,y", State: accounting.Cancelled,
	}
	array := task
	array.ID, array.Task, array.Tasks, array.Eligible, array.Start, array.Alloc, array.State = 5, -1, 6, 0, 0, 0, accounting.Pending
	array.Held = accounting.TRES{}
	component := task
	component.ID, component.Array, component.Task, component.Het, component.Limit = 7, 0, -1, 6, 0
	text := rowOf() +
		rowOf("JobIDRaw", "5", "JobID", "5_[0-2,7,9-10%2]", "Eligible", "Unknown", "Start", "Unknown", "AllocTRES", "", "State", "PENDING") +
		rowOf("JobIDRaw", "7", "JobID", "6+1", "TimelimitRaw", "Partition_Limit")
	for _, piece := range []int{1, 7, len(text)} {
		got, err := readRows(text, piece)
		if diff := cmp.Diff([]accounting.Row{task, array, component}, got); diff != "" || err != nil {
			t.Errorf("in pieces of %d: %v (-want +got):\n%s", piece, err, diff)
		}
	}
}

// TestExclusiveRows: a sacct that knows the column Exclusive is asked for it.
func TestExclusiveRows(t *testing.T) {
	if got := sacct.RowFormat("Account AllocCPUS\nJobID NotExclusive State\n"); got != sacct.RowColumns {
		t.Errorf("columns of an earlier sacct: %s", got)
	}
	format := sacct.RowFormat("Account             Elapsed\nExclusive           ExitCode\n")
	var got []bool
	r := sacct.Rows{Mark: rowMark, Format: format, Visit: func(row accounting.Row) error {
		got = append(got, row.Exclusive)
		return nil
	}}
	for _, to := range []string{"NODE", "NO", "USER", ""} {
		if _, err := r.Write([]byte(strings.TrimSuffix(rowOf(), "\n") + rowMark + to + "\n")); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.Close(); err != nil || !slices.Equal(got, []bool{true, false, false, false}) {
		t.Errorf("%v, %v", got, err)
	}
}

// TestRowFaults: a field that cannot be read leaves the row its id. What
// is no row at all ends the reading.
func TestRowFaults(t *testing.T) {
	for field, text := range map[string]string{
		"UID": "bob", "Start": "2024-03-01T10:00:00", "Suspended": "long", "JobID": "5_[1-", "QOSRAW": "99999999999",
		"Submit": "2024-03-01T10:00:00", "State": "LOST", "ReqTRES": "cpu=4,mem=99999999999999999999M", "AllocTRES": "cpu=4000000000",
	} {
		rows, err := readRows(rowOf(field, text), 1000)
		submit := ostrich.Time(1795501099)
		if field == "Submit" {
			submit = 0
		}
		if err != nil || len(rows) != 1 || rows[0].ID != 15 || rows[0].Submit != submit ||
			!strings.HasPrefix(rows[0].Impossible, "sacct: "+field+" "+strconv.Quote(text)+": ") {
			t.Errorf("%s %q: %v, %v", field, text, rows, err)
		}
	}
	rows, err := readRows(rowOf("Submit", "Unknown")+rowOf(), 1000)
	if err != nil || len(rows) != 2 || rows[0].Submit != 0 || rows[0].Impossible+rows[1].Impossible != "" {
		t.Errorf("no submission: %v, %v", rows, err)
	}
	for want, text := range map[string]string{
		`job ""`:                             rowOf("JobIDRaw", ""),
		"23 fields, want 22":                 rowOf("JobName", "x"+rowMark+"y"),
		"it ends in the middle of \"15\\x1e": strings.TrimSuffix(rowOf(), "1000\n"),
		`in the middle of "sacct: error`:     "sacct: error\n",
		"longer than 16 MiB":                 rowOf("JobName", strings.Repeat("x", 1<<24)),
	} {
		if _, err := readRows(text, 1<<20); !errors.Is(err, sacct.ErrRow) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	stop := errors.New("stop")
	r := sacct.Rows{Mark: rowMark, Visit: func(accounting.Row) error { return stop }}
	if _, err := r.Write([]byte(rowOf())); !errors.Is(err, stop) {
		t.Errorf("what visit returns: %v", err)
	}
}

func FuzzRows(f *testing.F) {
	f.Add(rowOf(), 5)
	f.Add(rowOf("JobID", "5_[0-2,7,9-10:2%2]"), 100)
	f.Add(rowOf("JobID", "5_[]"), 9) // a mask that lost its end: no tasks
	f.Add(rowOf("JobID", "6+1", "Suspended", "00:01.5")+rowOf("JobIDRaw", "x"), 1)
	f.Fuzz(func(t *testing.T, text string, piece int) {
		piece = max(1, piece)
		rows, err := readRows(text, piece)
		again, other := readRows(text, len(text)+1)
		if diff := cmp.Diff(again, rows); diff != "" || (err == nil) != (other == nil) {
			t.Errorf("in pieces of %d: %v, in one %v (-one +pieces):\n%s", piece, err, other, diff)
		}
		for _, r := range rows {
			if r.ID == 0 || r.Submit < 0 || r.Tasks < 1 && r.Array == 0 || r.Suspended < 0 || r.Limit < 0 {
				t.Errorf("impossible row %+v", r)
			}
		}
	})
}

func TestEvents(t *testing.T) {
	text := "NodeName|TimeStart|TimeEnd|StateRaw|TRES\n" +
		"|1795501040|Unknown|0|billing=16,cpu=16,energy=0,fs/disk=0,mem=4M,node=4,pages=0,vmem=0\n" +
		"n1|1795501050|1795501060|513|billing=4,cpu=4,mem=1M\n" +
		"n2|Unknown|Unknown|1|cpu=2\n"
	want := []accounting.NodeEvent{
		{From: 1795501040, TRES: accounting.TRES{CPUs: 16, Memory: 4, Nodes: 4, Billing: 16}},
		{Node: "n1", From: 1795501050, To: 1795501060, State: 513, TRES: accounting.TRES{CPUs: 4, Memory: 1, Billing: 4}},
		{Node: "n2", State: 1, TRES: accounting.TRES{CPUs: 2}}, // since nobody knows when
	}
	got, err := sacct.ReadEvents(strings.NewReader(text), "events", nil)
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	for _, bad := range []struct{ text, want string }{
		{"", "events: empty"},
		{"NodeName|TimeStart\n", "no column TimeEnd"},
		{text + "n1|x|6|1|\n", `events:5: start "x": not the seconds since 1970`},
		{text + "n1|2026-11-24T06:17:20|Unknown|1|\n", `events:5: start "2026-11-24T06:17:20": not the seconds`},
		{text + "n1|5|1099511627776|1|\n", `events:5: end "1099511627776": not the seconds since 1970`},
		{text + "n1|5|6|DOWN|\n", `events:5: state "DOWN": not a number`},
		{text + "n1|5|6|1|cpu=x\n", `events:5: TRES "cpu=x": not an amount of cpu`},
		{text + "n1|5\n", "events:5: 2 fields, want 5"},
	} {
		if _, err := sacct.ReadEvents(strings.NewReader(bad.text), "events", nil); err == nil || !strings.Contains(err.Error(), bad.want) {
			t.Errorf("%q: %v, want %q", bad.text, err, bad.want)
		}
	}
}

func FuzzEvents(f *testing.F) {
	f.Add([]byte("NodeName|TimeStart|TimeEnd|StateRaw|TRES\nn1|1795501040|Unknown|1|cpu=4,node=1\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		all, err := sacct.ReadEvents(bytes.NewReader(text), "events", nil)
		for _, e := range all {
			if e.From < 0 || e.To < 0 {
				t.Errorf("impossible event %+v, %v", e, err)
			}
		}
		names, err := sacct.ReadNames(bytes.NewReader(text), "sacctmgr", "NodeName")
		if err == nil && (!slices.IsSorted(names[0]) || slices.Contains(names[0], "")) {
			t.Errorf("names %q", names[0])
		}
	})
}

// TestRowResources: rows that a sacct 22.05.8 printed have the GPUs that somebody asks for.
func TestRowResources(t *testing.T) {
	for _, tt := range []struct {
		named       []string
		asked, held uint64
	}{{[]string{"gres/gpu"}, 1, 4}, {[]string{"gres/fpga"}, 0, 0}, {[]string{accounting.AllGRES}, 1, 4}, {nil, 0, 0}} {
		r := sacct.Rows{Mark: rowMark, Named: tt.named, Visit: func(row accounting.Row) error {
			if row.Asked.Of("gres/gpu") != tt.asked || row.Held.Of("gres/gpu") != tt.held || row.Held.Billing != 45 || row.Held.Memory != 16000 {
				t.Errorf("%v: asks for %+v, holds %+v", tt.named, row.Asked, row.Held)
			}
			return nil
		}}
		if _, err := r.Write([]byte(rowOf("ReqTRES", "billing=14,cpu=4,gres/gpu=1,mem=8000M,node=1", "AllocTRES", "billing=45,cpu=8,gres/gpu=4,mem=16000M,node=1"))); err != nil {
			t.Fatal(err)
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}
}

package trace_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"slurm-ostrich/ostrich/trace"
	"slurm-ostrich/ostrich/trace/tracetest"
)

const small = `; MaxProcs: 100
; MaxNodes: 50 (of two)
;
 1 0 10 20 4 -1 -1 4 60 -1 1 7 8 -1 -1 -1 -1 -1
 2	5 -1 -1 -1 12.50 -1 8 60 -1 5 -1 -1 -1 -1 -1 1 15
`

// zip compresses a text.
func zip(t *testing.T, text string) string {
	t.Helper()
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	if _, err := z.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return zipped.String()
}

func TestRead(t *testing.T) {
	want := []trace.Record{
		{Number: 1, Wait: 10, Run: 20, Allocated: 4, CPU: -1, Memory: -1, Requested: 4, Limit: 60, RAM: -1, Status: 1, User: 7, Group: 8, App: -1, Queue: -1, Partition: -1, Preceding: -1, Think: -1},
		{Number: 2, Submit: 5, Wait: -1, Run: -1, Allocated: -1, CPU: 12.5, Memory: -1, Requested: 8, Limit: 60, RAM: -1, Status: 5, User: -1, Group: -1, App: -1, Queue: -1, Partition: -1, Preceding: 1, Think: 15},
	}
	for name, text := range map[string]string{
		"plain": small, "gzip": zip(t, small), "no last newline": strings.TrimSuffix(small, "\n"),
		"long lines":       strings.ReplaceAll(small, " 4 ", strings.Repeat(" ", 200_000)+"4"+strings.Repeat("\t", 200_000)),
		"carriage returns": strings.ReplaceAll(small, "\n", "\r\n"),
	} {
		t.Run(name, func(t *testing.T) {
			log, err := trace.Read(strings.NewReader(text), "small.swf", trace.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, log.Records); diff != "" {
				t.Error("-want +got\n", diff)
			}
			if log.Processors() != 100 || log.Number("maxnodes") != 50 || log.Number("MaxJobs") != 0 {
				t.Errorf("header: %q", log.Header)
			}
			if log.Records[0].Procs() != 4 || !log.Records[0].Runnable() || log.Records[1].Procs() != 8 || log.Records[1].Runnable() {
				t.Error("processors or what can run")
			}
		})
	}
}

func TestFaults(t *testing.T) {
	good := "1 0 10 20 4 -1 -1 4 60 -1 1 7 8 -1 -1 -1 -1 -1\n"
	for _, tt := range []struct{ name, text, want string }{
		{"empty", "", "trace: x.swf: no job in the log"},
		{"comments only", "; nothing\n", "trace: x.swf: no job in the log"},
		{"not a number", good + strings.Replace(good, "20", "-", 1), `trace: x.swf:2: field 4 (run time): "-": not a whole number`},
		{"fraction", strings.Replace(good, " 4 ", " 4.5 ", 1), `trace: x.swf:1: field 5 (allocated processors): "4.5": not a whole number`},
		{"CPU time", strings.Replace(good, "4 -1", "4 NaN", 1), `trace: x.swf:1: field 6 (CPU time): "NaN": not a number`},
		{"too few", "1 2 3\n", "trace: x.swf:1: 3 fields instead of 18"},
		{"too many", strings.TrimSpace(good) + " 7\n", "trace: x.swf:1: more than 18 fields"},
		{"huge", strings.Replace(good, "20", "99999999999999999999", 1), `trace: x.swf:1: field 4 (run time): "99999999999999999999": too large`},
		{"broken gzip", "\x1f\x8b", "trace: x.swf: the compressed file is cut off: unexpected EOF"},
		{"cut gzip", zip(t, good)[:40], "trace: x.swf:1: the compressed file is cut off: unexpected EOF"},
		{"endless line", strings.Repeat("1 ", 1<<20), "trace: x.swf:1: longer than a megabyte"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := trace.Read(strings.NewReader(tt.text), "x.swf", trace.Options{})
			if err == nil || err.Error() != tt.want {
				t.Errorf("got %v\nwant %s", err, tt.want)
			}
		})
	}
	log, err := trace.Read(strings.NewReader("rubbish\n"+good+"1 2\n"), "x.swf", trace.Options{Lenient: true})
	if err != nil || log.Skipped != 2 || len(log.Faults) != 2 || len(log.Records) != 1 {
		t.Errorf("lenient: %v, %+v", err, log)
	}
	var fault *trace.Fault
	if !errors.As(log.Faults[1], &fault) || fault.Line != 3 {
		t.Errorf("lenient: %v", log.Faults)
	}
	if _, err := trace.Open(filepath.Join(t.TempDir(), "none"), trace.Options{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("missing file: %v", err)
	}
}

// TestVariants: what some logs have otherwise than the format says.
func TestVariants(t *testing.T) {
	want := trace.Record{
		Number: 1, Submit: 11, Wait: 10, Run: 20, Allocated: 4, CPU: -1, Memory: -1, Requested: 4, Limit: 60, RAM: -1, Status: 1, User: 7, Group: 8,
		App: -1, Queue: -1, Partition: -1, Preceding: -1, Think: -1,
	}
	for _, tt := range []struct {
		name, text string
		procs      int64
	}{
		{"fractions, and CRLF", "; MaxProcs: 8\r\n1 10.5 10.0 19.6 4 -1 -1 4 60.4 -1 1 7 8 -1 -1 -1 -1 -1\r\n", 8},
		{"17 fields", "; MaxProcs: 8\n1 11 10 20 4 -1 -1 4 60 -1 1 7 8 -1 -1 -1 -1\n", 8},
		{"#, =, and a mark", "\ufeff# MaxProcs = 8\n#\n1 11 10 20 4 -1 -1 4 60 -1 1 7 8 -1 -1 -1 -1 -1\n# end\n", 8},
		{"thousands", "; MaxProcs: 1,024,000 (all)\n1 11 10 20 4 -1 -1 4 60 -1 1 7 8 -1 -1 -1 -1 -1", 1024000},
		{"thousands apart", "; MaxProcs = 1 024\n1 11 10 20 4 -1 -1 4 60 -1 1 7 8 -1 -1 -1 -1 -1", 1024},
		{"words", "; MaxProcs: 1024, of 3 kinds\n1 11 10 20 4 -1 -1 4 60 -1 1 7 8 -1 -1 -1 -1 -1", 1024},
	} {
		log, err := trace.Read(strings.NewReader(tt.text), "x.swf", trace.Options{})
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if diff := cmp.Diff([]trace.Record{want}, log.Records); diff != "" || log.Processors() != tt.procs {
			t.Errorf("%s: %d processors\n%s", tt.name, log.Processors(), diff)
		}
	}
	log, err := trace.Read(strings.NewReader("1 11 10 0.3 4 -1 -1 4 60 -1 1 7 8 -1 -1 -1 -1 -1"), "x.swf", trace.Options{})
	if err != nil || log.Records[0].Run != 1 {
		t.Errorf("a job of a third of a second: %v", err)
	}
}

// TestParts: a line of a part of a job counts only where none has the whole.
func TestParts(t *testing.T) {
	line := func(number, run, status int) string {
		return fmt.Sprintf("%d 0 0 %d 4 -1 -1 4 60 -1 %d 7 8 -1 -1 -1 -1 -1\n", number, run, status)
	}
	text := line(1, 5, 2) + line(2, 20, 0) + line(2, 10, 2) + line(2, 10, 4) + line(1, 6, 3) + line(3, 7, 1)
	log, err := trace.Read(strings.NewReader(text), "x", trace.Options{})
	if err != nil || log.Parts != 2 {
		t.Fatalf("%v, %d parts left out", err, log.Parts)
	}
	var runs []int64
	for i := range log.Records {
		runs = append(runs, log.Records[i].Run)
	}
	if diff := cmp.Diff([]int64{5, 20, 6, 7}, runs); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// TestRoundTrip reads back what was written.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Int64Range(-1, 1<<50)
		whole := rapid.OneOf(rapid.Int64Range(-1, 1), rapid.Int64Range(5, 1<<50)) // no part of a job
		log := &trace.Log{Header: []string{" MaxProcs: 7"}, Records: rapid.SliceOfN(rapid.Custom(func(t *rapid.T) trace.Record {
			return trace.Record{
				Number: n.Draw(t, "number"), Submit: n.Draw(t, "submit"), Wait: n.Draw(t, "wait"), Run: n.Draw(t, "run"),
				Allocated: n.Draw(t, "allocated"), CPU: rapid.Float64Range(-1, 1e9).Draw(t, "cpu"), Memory: n.Draw(t, "memory"),
				Requested: n.Draw(t, "requested"), Limit: n.Draw(t, "limit"), RAM: n.Draw(t, "ram"), Status: whole.Draw(t, "status"),
				User: n.Draw(t, "user"), Group: n.Draw(t, "group"), App: n.Draw(t, "app"), Queue: n.Draw(t, "queue"),
				Partition: n.Draw(t, "partition"), Preceding: n.Draw(t, "preceding"), Think: n.Draw(t, "think"),
			}
		}), 1, 5).Draw(t, "records")}
		var text bytes.Buffer
		if err := log.Write(&text); err != nil {
			t.Fatal(err)
		}
		got, err := trace.Read(&text, "x", trace.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(log, got); diff != "" {
			t.Fatal("-want +got\n", diff)
		}
	})
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(small))
	f.Add([]byte("1 2 3"))
	f.Fuzz(func(t *testing.T, text []byte) {
		log, err := trace.Read(bytes.NewReader(text), "x", trace.Options{Lenient: true})
		if err != nil {
			return
		}
		var out bytes.Buffer
		if err = log.Write(&out); err != nil {
			t.Fatal(err)
		}
		again, err := trace.Read(&out, "x", trace.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(log.Records, again.Records); diff != "" {
			t.Fatal("-first +again\n", diff)
		}
	})
}

// TestArchive reads the logs that OSTRICH_TRACES points to.
func TestArchive(t *testing.T) {
	dir := tracetest.Folder(t)
	for _, tt := range []struct {
		file           string
		jobs, runnable int
		procs          int64
	}{
		{"KTH-SP2-1996-2.1-cln.swf.gz", 28476, 28467, 100},
		{"SDSC-SP2-1998-4.2-cln.swf.gz", 59715, 54034, 128},
		{"LPC-EGEE-2004-1.2-cln.swf.gz", 234889, 214322, 140},
	} {
		log, err := trace.Open(filepath.Join(dir, tt.file), trace.Options{})
		if err != nil {
			t.Error(err)
			continue
		}
		runnable := 0
		for i := range log.Records {
			if log.Records[i].Runnable() {
				runnable++
			}
		}
		if len(log.Records) != tt.jobs || runnable != tt.runnable || log.Processors() != tt.procs {
			t.Errorf("%s: %d jobs, %d runnable, %d processors; want %d, %d, %d",
				tt.file, len(log.Records), runnable, log.Processors(), tt.jobs, tt.runnable, tt.procs)
		}
	}
}

func BenchmarkRead(b *testing.B) {
	text := "; MaxRecords: 100000\n" + strings.Repeat("   15   599850 192180   3477    4     -1    -1    4  53940    -1  1  12  12  -1 -1 -1 -1 -1\n", 100_000)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if _, err := trace.Read(strings.NewReader(text), "x", trace.Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkOpen reads compressed logs that OSTRICH_TRACES points to.
func BenchmarkOpen(b *testing.B) {
	dir := tracetest.Folder(b)
	for _, name := range []string{"KTH-SP2-1996-2.1-cln.swf.gz", "HPC2N-2002-2.2-cln.swf.gz", "CEA-Curie-2011-2.1-cln.swf.gz"} {
		b.Run(name, func(b *testing.B) {
			records := 0
			for b.Loop() {
				log, err := trace.Open(filepath.Join(dir, name), trace.Options{})
				if err != nil {
					b.Fatal(err)
				}
				records += len(log.Records)
			}
			b.ReportMetric(float64(records)/b.Elapsed().Seconds(), "records/s")
		})
	}
}

package sacct_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting"
	"slurm-ostrich/ostrich/accounting/sacct"
)

// manyLines is a dump of n jobs.
func manyLines(n int) []byte {
	var b bytes.Buffer
	at := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	const layout = "2006-01-02T15:04:05"
	for i := range n {
		submit := at.Add(time.Duration(i*20) * time.Second)
		start := submit.Add(time.Duration(i%3600) * time.Second)
		procs := 1 + i%64
		tres := fmt.Sprintf("billing=%d,cpu=%[1]d,mem=%dM,node=1", procs, procs*2000)
		fmt.Fprintf(&b, "%d|%[1]d|c1|%s|normal|acc%d|users|100|user%d|%d|%s|%[6]s|%[7]s|%s|01:00:00|0:0|COMPLETED|1|%d|%[9]d|%dM|"+
			"%s|%[11]s|02:00:00|n%d|job-%d\n",
			i+1, []string{"main", "long", "gpu"}[i%3], i%40, i%300, 1000+i%300, submit.Format(layout), start.Format(layout),
			start.Add(time.Hour).Format(layout), procs, procs*2000, tres, i%500, i)
	}
	return b.Bytes()
}

func BenchmarkRead(b *testing.B) {
	const n = 1_000_000
	text := manyLines(n)
	for name, zone := range map[string]string{"utc": "UTC", "warsaw": "Europe/Warsaw"} {
		b.Run(name, func(b *testing.B) {
			o := sacct.Options{Location: zoned(b, zone)}
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				h, err := sacct.Read(bytes.NewReader(text), "dump", o)
				if err != nil || len(h.Jobs) < n-1000 {
					b.Fatal(len(h.Jobs), err)
				}
			}
		})
	}
}

func FuzzRead(f *testing.F) {
	f.Add(plainLine, true)
	f.Add(header+plainLine, false)
	f.Add(without(line(fieldMemory, "4000M|gpu:2"), fieldQOS), false)
	f.Add(line(fieldState, "RESIZING")+"\n"+line(fieldSubmit, "2024-03-01T11:01:00"), true)
	f.Add(line(fieldID, "7_[1,5-9,...%2]", fieldState, "PENDING", fieldStart, "Unknown", fieldEnd, "Unknown"), true)
	f.Add(line(fieldStart, "2024-10-27T02:30:00", fieldEnd, "2024-10-27T02:10:00", fieldElapsed, "00:40:00"), true)
	warsaw := zoned(f, "Europe/Warsaw")
	f.Fuzz(func(t *testing.T, text string, lenient bool) {
		h, err := sacct.Read(strings.NewReader(text), "dump", sacct.Options{Location: warsaw, Lenient: lenient})
		if err != nil {
			if h != nil {
				t.Fatal("a history with an error")
			}
			return
		}
		if len(h.Jobs) == 0 {
			t.Fatal("no job and no error")
		}
		for i := range h.Jobs {
			j := &h.Jobs[i]
			switch {
			case i > 0 && (h.Jobs[i-1].Submit > j.Submit || h.Jobs[i-1].Submit == j.Submit && h.Jobs[i-1].ID >= j.ID):
				t.Fatalf("jobs not sorted: %+v", j)
			case j.ID == 0, j.Submit <= 0, j.Submit < h.From, j.Submit >= h.To, j.Procs < 1, j.Asked < 1, j.Tasks < 1,
				j.Nodes < 0, j.Memory < 0, j.Billing < 0, j.Limit < 0, j.Suspended < 0, j.Eligible < 0, j.Start < 0, j.End < 0,
				j.State == accounting.Suspended || j.State == accounting.Resizing || j.State == accounting.Revoked,
				j.State == accounting.Pending && (j.Start != 0 || j.End != 0),
				j.State == accounting.Running && (j.Start == 0 || j.End != 0),
				j.State.Ended() && j.End == 0,
				j.Start > 0 && j.Start < j.Submit,
				j.Start > 0 && j.End > 0 && (j.End < j.Start || j.Suspended > ostrich.Duration(j.End-j.Start)),
				int(j.Association) >= len(h.Associations), int(j.Partition) >= len(h.Partitions), int(j.QOS) >= len(h.QOS):
				t.Fatalf("no such job can be: %+v", *j)
			}
		}
	})
}

package sacct_test

import (
	"strings"
	"testing"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting"
	"slurm-ostrich/ostrich/accounting/sacct"
)

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

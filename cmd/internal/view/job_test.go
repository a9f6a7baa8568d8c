package view

import (
	"fmt"
	"testing"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting/ledger"
	"slurm-ostrich/priority"
)

// Whatever somebody types is found or refused with the words they typed.
func TestJobNames(t *testing.T) {
	pending := func(id, array ostrich.JobID, full, tasks string) *priority.Entry {
		return &priority.Entry{Queued: &priority.Queued{Job: id, Array: array, Full: full, Tasks: tasks}}
	}
	entries := []*priority.Entry{
		pending(17, 0, "17", ""), pending(20, 20, "20_[3-9:2]", "3-9:2"), pending(31, 20, "20_2", "2"), pending(40, 0, "40+0", ""), pending(41, 0, "40+1", ""),
	}
	records := []*ledger.Record{
		{Job: ostrich.Job{ID: 50}, ArrayTask: ledger.NoTask},
		{Job: ostrich.Job{ID: 60}, ArrayJob: 20, ArrayTask: 1},
		{Job: ostrich.Job{ID: 71}, HetJob: 70, ArrayTask: ledger.NoTask},
	}
	for text, want := range map[string]string{
		"17": "pending 17", "20": "pending 20", "20_[3-9:2]": "pending 20", "20_5": "pending 20", "20_2": "pending 31", "31": "pending 31", "40+1": "pending 41",
		"50": "live 50", "20_1": "live 60", "70+1": "live 71",
		"20_4": "none", "17_1": "none", "18": "none", "70": "none", "70+2": "none", "4294967295": "none", "20_[1-3]": "pending 20",
	} {
		name, err := ParseJob(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		got := "none"
		if i := name.Pending(entries); i >= 0 {
			got = fmt.Sprint("pending ", entries[i].Job)
		} else if r, ok := name.live(records); ok {
			got = fmt.Sprint("live ", r.Job.ID)
		}
		if got != want || name.String() != text {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
	for _, text := range []string{
		"", " ", "0", "-1", "+1", "1.5", "1e3", "17_", "17_[]", "17_[a]", "17+", "17++1", "17_1_2", "0x11", "17;", "１７", "\x00", "4294967296", "99999999999999999999",
		"17_99999999999999999999", "17+99999999999999999999",
	} {
		if _, err := ParseJob(text); err == nil {
			t.Errorf("%q is a job", text)
		}
	}
}

package sacct_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"slurm-ostrich/ostrich/accounting"
	"slurm-ostrich/ostrich/accounting/sacct"
)

var plainColumns = strings.Split("row,user,gpus,ncpus,reqnodes,interval,elapsedraw,walltime,state", ",")

// TestPlain: a trace with intervals, GPUs and no times of sacct's is read by its columns.
func TestPlain(t *testing.T) {
	const trace = "u_id,user,gpu_num,cpu_num,node_num,interval,run_time,wall_time,new_status\n" +
		"0,7,8,0,2,0,84,0,Pass\n1,7,0,64,1,94,18341.22,21600,Killed\n2,9,0,0,0,6,0,90,Failed\n"
	h, err := sacct.Read(strings.NewReader(trace), "t", sacct.Options{Columns: plainColumns, Delimiter: ","})
	if err != nil {
		t.Fatal(err)
	}
	want := []accounting.Job{
		{ID: 1, State: accounting.Completed, Tasks: 1, Procs: 8, Asked: 8, Nodes: 2, AskedNodes: 2, Submit: 1, Eligible: 1, Start: 1, End: 85},
		{ID: 2, State: accounting.Cancelled, Tasks: 1, Procs: 64, Asked: 64, Nodes: 1, AskedNodes: 1, Submit: 95, Eligible: 95, Start: 95, End: 95 + 18342, Limit: 21600},
		{ID: 3, State: accounting.Failed, Tasks: 1, Procs: 1, Asked: 1, Submit: 101, Eligible: 101, Start: 101, End: 102, Limit: 120},
	}
	for i := range h.Jobs {
		j := &h.Jobs[i]
		if asks := h.NeedsOf(j).TRES; asks != []string{"gres/gpu=8", "", ""}[i] {
			t.Errorf("job %d asks for %q", j.ID, asks)
		}
		if user := h.Associations[j.Association].User; user != []string{"7", "7", "9"}[i] {
			t.Errorf("job %d of user %q", j.ID, user)
		}
		j.Association, j.Needs = 0, 0
	}
	if diff := cmp.Diff(want, h.Jobs); diff != "" || !h.Unstarted {
		t.Errorf("unstarted %v (-want +got):\n%s", h.Unstarted, diff)
	}
	if !strings.Contains(strings.Join(h.Notes, "\n"), "2 jobs do not tell their processors: they have one for each GPU, or one.") {
		t.Errorf("notes %q", h.Notes)
	}
	for line, want := range map[string]string{
		"0,7,8,1,1,soon,84,0,Pass": `sacct: t:1:interval: "soon": not a number of seconds`,
		"0,7,few,1,1,0,84,0,Pass":  `sacct: t:1:gpus: "few": not a count`,
		"0,7,1.5,1,1,0,84,0,Pass":  `sacct: t:1:gpus: "1.5": not a count`,
		"0,7,8,1,1,0,84,0,Odd":     `sacct: t:1:state: "ODD": not a state of a job`,
	} {
		_, err = sacct.Read(strings.NewReader(line+"\n"), "t", sacct.Options{Columns: plainColumns, Delimiter: ","})
		if err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", line, err, want)
		}
	}
	_, err = sacct.Read(strings.NewReader(trace), "t", sacct.Options{Columns: []string{"user", "interval", "state"}, Delimiter: ","})
	if err == nil || err.Error() != "sacct: --columns: the header lacks columns: ElapsedRaw, NCPUS or GPUs" {
		t.Errorf("columns that are not there: %v", err)
	}
}

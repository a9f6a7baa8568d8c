package sacct_test

import (
	"bytes"
	"cmp"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"slurm-ostrich/ostrich/accounting"
	"slurm-ostrich/ostrich/accounting/sacct"
)

// TestWrite: what is written of a history is read as the same, but for what tells the classes.
func TestWrite(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		jobs := drawRecords(rt)
		want, err := sacct.Read(strings.NewReader(asText(jobs)), "dump", sacct.Options{})
		if err != nil {
			rt.Fatal(err)
		}
		var text bytes.Buffer
		if err = sacct.Write(&text, want, false); err != nil {
			rt.Fatal(err)
		}
		got, err := sacct.Read(&text, "written", sacct.Options{})
		if err != nil {
			rt.Fatalf("%v\n%s", err, text.String())
		}
		if diff := gocmp.Diff(whole(want), whole(got)); diff != "" {
			rt.Fatalf("(-history +written):\n%s", diff)
		}
	})
}

// TestWriteAnonymous: nothing that a copy leaves out is written of a history.
func TestWriteAnonymous(t *testing.T) {
	h := &accounting.History{
		Associations: []accounting.Association{{User: "ada", Account: "phys"}}, Partitions: []string{"main"}, QOS: []string{"normal"},
		Needs: []accounting.Needs{{}, {Reservation: "ada-course", Layout: accounting.Layout{Known: true, NodeList: "secret1"}}},
		Jobs:  []accounting.Job{{ID: 5, Needs: 1, State: accounting.Pending, Tasks: 1, Procs: 1, Asked: 1, Submit: 1_700_000_000}},
	}
	for anonymous, want := range map[bool]bool{false: true, true: false} {
		var text bytes.Buffer
		if err := sacct.Write(&text, h, anonymous); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"ada", "phys", "ada-course", "secret1"} {
			if got := strings.Contains(text.String(), name); got != want {
				t.Errorf("anonymous %v: %s is there: %v\n%s", anonymous, name, got, text.String())
			}
		}
	}
}

// writtenJob is a job with all that a history has of it.
type writtenJob struct {
	Job                   accounting.Job
	Needs                 accounting.Needs
	Association           accounting.Association
	Partition, QOS, Where string
}

// whole returns the jobs of a history. Their classes are numbered as they come.
func whole(h *accounting.History) (list []writtenJob) {
	classes := map[uint64]uint64{0: 0}
	for i := range h.Jobs {
		j := h.Jobs[i]
		w := writtenJob{
			Needs: *h.NeedsOf(&j), Association: h.Associations[j.Association], Partition: h.Partitions[j.Partition], QOS: h.QOS[j.QOS], Where: h.WhereRan(&j),
		}
		class := cmp.Or(j.KindClass, j.NameClass)
		if _, known := classes[class]; !known {
			classes[class] = uint64(len(classes))
		}
		j.Class, j.KindClass, j.NameClass, j.Tool, j.ByLine = 0, classes[class], 0, 0, false
		j.Association, j.Partition, j.QOS, j.Needs, j.Where = 0, 0, 0, 0, 0
		w.Job = j
		list = append(list, w)
	}
	return list
}

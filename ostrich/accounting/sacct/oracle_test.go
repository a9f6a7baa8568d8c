package sacct

import (
	"bytes"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"slurm-ostrich/ostrich/accounting"
	"slurm-ostrich/ostrich/accounting/tools"
)

// shaken returns a text of which some characters are others.
func shaken(random *rand.Rand, text, others string) []byte {
	b := []byte(text)
	for range random.IntN(3) {
		b[random.IntN(len(b))] = others[random.IntN(len(others))]
	}
	return b
}

// TestCivil: a time of sacct's is one if package time takes it as RFC 3339, and the same one.
func TestCivil(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	taken := 0
	for range 100_000 {
		day := time.Unix(random.Int64N(4e10)-4e8, 0).UTC().Format("2006-01-02T15:04:05")
		b := shaken(random, day, "0123456789999-:T .Zx")
		want, err := time.Parse(time.RFC3339, string(b[:10])+"T"+string(b[11:])+"Z")
		is := err == nil && want.Year() >= 1970 && (b[10] == 'T' || b[10] == ' ')
		got, ok := readCivil(b)
		if ok != is || ok && int64(got) != want.Unix() {
			t.Fatalf("%s: %d %v, want %d %v", b, got, ok, want.Unix(), is)
		}
		if ok {
			taken++
		}
	}
	if taken < 25_000 {
		t.Error("few of them are times:", taken)
	}
}

// TestCut: to cut a line into columns at once is to split it and to assign the fields.
func TestCut(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	names := strings.Split("jobid,group,user,jobname,user,comment,state,nodelist", ",")
	same := 0
	for range 100_000 {
		l := newLayout(names[:1+random.IntN(len(names))]...)
		line := shaken(random, strings.Repeat("ab}|c\x00|\xfc", 1+random.IntN(4))+"x", "|}\x80\x01z")
		d := &dump{mark: []byte{'|'}}
		fields := d.split(nil, line)
		var want, got [columns][]byte
		is := len(fields) == l.count
		if is {
			l.spread(fields, &want)
			same++
		}
		if ok := l.cut(line, '|', &got); ok != is || ok && cmp.Diff(want, got) != "" {
			t.Fatalf("%q in %d columns: %v, want %v: %s", line, l.count, ok, is, cmp.Diff(want, got))
		}
	}
	if same < 1000 {
		t.Error("few lines have as many fields as columns:", same)
	}
}

// TestRemembered: a job is read alike whether the cells of jobs before it are remembered or not.
func TestRemembered(t *testing.T) {
	const head = "JobID|JobIDRaw|User|UID|Account|Partition|QOS|State|Submit|Start|End|AllocCPUS|ReqCPUS|ReqNodes|NNodes|ReqMem|ReqTRES|AllocTRES|Constraints|Reservation|Licenses|NodeList|JobName|WorkDir|SubmitLine"
	random := rand.New(rand.NewPCG(1, 3))
	one := func(of ...string) string { return of[random.IntN(len(of))] }
	var lines []string
	for id := 1; id <= 1000; id++ {
		when := "2024-03-01T10:00:00|2024-03-01T10:00:10|2024-03-01T10:01:00"
		state := "COMPLETED"
		if random.IntN(4) == 0 {
			state, when = "CANCELLED by 7", "2024-03-01T10:00:00|None|2024-03-01T10:01:00"
		}
		lines = append(lines, strings.Join([]string{
			strconv.Itoa(id), strconv.Itoa(id), one("al", "bo", "", "77"), one("7", "77"), one("phys", "bio", ""), one("main", "gpu", "main,gpu"), one("", "high"), state, when,
			one("4", "8", ""), one("4", "2"), one("", "1", "2"), one("1", "2"), one("4000M", "4Gn", "1Gc", "?"), one("", "cpu=4,mem=3G,node=1", "cpu=8,gres/gpu=2,node=2"),
			one("", "cpu=4,billing=9", "cpu=8,billing=3,mem=2G"), one("", "intel", "(null)"), one("", "maint"), one("", "matlab:2"), one("n1", "n[1-2]", "None assigned"),
			one("run-17", "run-18", "job", "snakejob_align_17", "nf-A_(s1)", "wrap", "a1b2c3d", "a9b8c7d"), one("/home/al/1", "/home/al/2", "/x/work/3f/2a9c51"), one("", "sbatch -n 4 job.sh", "sbatch -N2 --mem=2G x"),
		}, "|"))
	}
	o := Options{Unit: &accounting.Unit{Resource: "gres/gpu", Parts: 1}, Tools: tools.Table(nil)}
	read := func(text string) *accounting.History {
		h, err := Read(strings.NewReader(head+"\n"+text), "dump", o)
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	all := read(strings.Join(lines, "\n"))
	for i := range all.Jobs {
		j := &all.Jobs[i]
		alone := read(lines[j.ID-1])
		a := &alone.Jobs[0]
		if all.Associations[j.Association] != alone.Associations[a.Association] || all.Partitions[j.Partition] != alone.Partitions[a.Partition] ||
			all.QOS[j.QOS] != alone.QOS[a.QOS] || *all.NeedsOf(j) != *alone.NeedsOf(a) || all.WhereRan(j) != alone.WhereRan(a) {
			t.Fatalf("%s: read as %+v, alone %+v", lines[j.ID-1], j, a)
		}
		same := *a
		same.Association, same.Partition, same.QOS, same.Needs, same.Where = j.Association, j.Partition, j.QOS, j.Needs, j.Where
		if *j != same {
			t.Fatalf("%s: read as %+v, alone %+v", lines[j.ID-1], j, same)
		}
	}
}

// TestDigits: which digits a text has does not change the classes of its job, but
// for tools that say so, and what is remembered of a job is never taken for that of another.
func TestDigits(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 4))
	other := func(text string) []byte {
		b := []byte(text)
		for i, c := range b {
			if '0' <= c && c <= '9' {
				b[i] = byte('0' + random.IntN(10))
			}
		}
		return b
	}
	class := func(text ...[]byte) classes {
		said := tools.Table(nil).Read(&tools.Texts{Name: text[0], Folder: text[1], Line: text[2]})
		return classes{accounting.NameClass(text[0]), said.Class(), said.Row, said.ByLine, said.Digits, said.Parts}
	}
	const run = "3f2a9c51-0b7e-4d2c-9a61-5e0f7c1b2d3e"
	kinds := make(map[classes]bool)
	d := &dump{options: Options{Tools: tools.Table(nil)}, folds: true}
	for _, name := range []string{
		"run-17", "snakejob_align_17", "snakejob_align_" + run, run, "x_" + run, "nf-ALIGN_2_(sample7)", "toil_job_4_CWLJob", "toil_job_4_wf.cwl.1.step2", "toil_job_4_.5", "parsl.site.block-3.17.5", "proj/0a1b2c3d/op2/00aa11bb22",
		"aiida-99", "submitit", "dask-worker", "wrap", "sys/dashboard/7", "a1b2c3d", "abc123", "0123456789abcdef",
	} {
		for _, folder := range []string{"", "/scratch/al/work/3f/2a9c510b7e", "/home/al/run7"} {
			for _, line := range []string{"", "sbatch --comment rule_align_wildcards_1 x", "sbatch -o /slurm_logs/rule_map2/5.log", "sbatch -o /t/toil_" + run + ".1.log"} {
				want := class([]byte(name), []byte(folder), []byte(line))
				kinds[want] = true
				for range 20 {
					n, f, l := other(name), other(folder), other(line)
					got := class(n, f, l)
					if d.values[colName], d.values[colFolder], d.values[colSubmitLine] = n, f, l; d.class() != got {
						t.Fatalf("%s in %s by %s: remembered as %v, want %v", n, f, l, d.class(), got)
					}
					if got.digits {
						got.kind = want.kind
					}
					if got != want {
						t.Fatalf("%s in %s by %s: %v, and %v with other digits: %s in %s by %s", name, folder, line, want, got, n, f, l)
					}
				}
			}
		}
	}
	if len(kinds) < 20 {
		t.Error("few kinds:", len(kinds))
	}
	d.values[colName], d.values[colFolder], d.values[colSubmitLine] = []byte("run-17"), nil, nil
	if got := d.class(); got != class([]byte("run-17"), nil, nil) || !bytes.Equal(d.folded, []byte("run-00")) {
		t.Errorf("class %v of %s", got, d.folded)
	}
}

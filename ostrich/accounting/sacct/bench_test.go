package sacct_test

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"slurm-ostrich/ostrich/accounting/sacct"
)

// manyColumns are those that docs/compare.md asks for and the names of jobs, without what nobody reads.
const manyColumns = "JobID|JobIDRaw|Cluster|Partition|QOS|Account|User|UID|Submit|Eligible|Start|End|Elapsed|ExitCode|State|NNodes|NCPUS|ReqCPUS|ReqNodes|" +
	"ReqMem|ReqTRES|AllocTRES|Timelimit|Constraints|Flags|Priority|NodeList|JobName\n"

// manyLines is a dump of n jobs in 28 columns: of 300 users, who submit up to 60 alike at once, an
// array or a loop, on 1500 nodes. Times are those of a zone. A fifth of them is a workflow tool's, a fiftieth was cancelled.
func manyLines(n int, in *time.Location) []byte {
	b := bytes.NewBufferString(manyColumns)
	random := rand.New(rand.NewPCG(1, 28))
	submit := time.Date(2024, 1, 1, 0, 0, 0, 0, in)
	for id := 1; id <= n; {
		user, kind, limit, array := random.IntN(300), random.IntN(3), 1+random.IntN(48), random.IntN(4) == 0
		partition, features := []string{"main", "long", "gpu"}[kind], []string{"", "intel", "avx512"}[kind]
		nodes := 1
		if random.IntN(5) == 0 {
			nodes = 1 << random.IntN(5)
		}
		procs, gres := nodes*(1+random.IntN(48)), ""
		if kind == 2 {
			gres = fmt.Sprintf("gres/gpu:a100=%d,gres/gpu=%[1]d,", nodes)
		}
		tres := fmt.Sprintf("billing=%d,cpu=%[1]d,%smem=%dM,node=%d", procs, gres, procs*2000, nodes)
		name := fmt.Sprintf([]string{"relax-%d", "train_%d.sh", "md%d/step2", "eq%d", "fold-%d", "run_%d", "job", "sim%d-b", "snakejob_align_%%d", "nf-ALIGN_(sample_%%d)"}[random.IntN(10)], id)
		for first, jobs := id, 1+random.IntN(60); jobs > 0 && id <= n; jobs-- {
			submit = submit.Add(time.Duration(random.IntN(40)) * time.Second)
			start := submit.Add(time.Duration(random.ExpFloat64()*3600) * time.Second)
			ran := min(time.Duration(random.ExpFloat64()*float64(limit)/3*3600)*time.Second, time.Duration(limit)*time.Hour)
			state := []string{"COMPLETED", "FAILED", fmt.Sprintf("CANCELLED by %d", 1000+user), "TIMEOUT"}[max(0, random.IntN(200)-196)]
			list, at := "", 1+random.IntN(1484)
			if list = fmt.Sprintf("n%04d", at); nodes > 1 {
				list = fmt.Sprintf("n[%04d-%04d]", at, at+nodes-1)
			}
			shown, called := strconv.Itoa(id), name
			if array {
				shown = fmt.Sprintf("%d_%d", first, id-first)
			}
			if strings.Contains(name, "%d") {
				called = fmt.Sprintf(name, id)
			}
			seconds := int(ran.Seconds())
			elapsed := fmt.Sprintf("%02d:%02d:%02d", seconds/3600, seconds/60%60, seconds%60)
			const layout = "2006-01-02T15:04:05"
			fmt.Fprintln(b, strings.Join([]string{
				shown, strconv.Itoa(id), "c1", partition, "normal", fmt.Sprintf("acc%d", user%40), fmt.Sprintf("user%d", user), strconv.Itoa(1000 + user),
				submit.Format(layout), submit.Format(layout), start.Format(layout), start.Add(ran).Format(layout), elapsed, "0:0", state,
				strconv.Itoa(nodes), strconv.Itoa(procs), strconv.Itoa(procs), strconv.Itoa(nodes), fmt.Sprintf("%dM", procs*2000), tres, tres,
				fmt.Sprintf("%d-%02d:00:00", limit/24, limit%24), features, []string{"SchedMain", "SchedBackfill"}[random.IntN(2)],
				strconv.Itoa(100000 + random.IntN(50000)), list, called,
			}, "|"))
			id++
		}
	}
	return b.Bytes()
}

// BenchmarkRead reads a million jobs in 28 columns. Beside the time it tells how much memory a job takes at
// the most, what is garbage by then included.
func BenchmarkRead(b *testing.B) {
	const n = 1_000_000
	for name, zone := range map[string]string{"utc": "UTC", "warsaw": "Europe/Warsaw"} {
		b.Run(name, func(b *testing.B) {
			text := manyLines(n, zoned(b, zone))
			o := sacct.Options{Location: zoned(b, zone), Size: int64(len(text))}
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			most, before := 0.0, processor()
			for b.Loop() {
				in := watched{Reader: bytes.NewReader(text)}
				in.watch()
				empty := in.most
				h, err := sacct.Read(&in, "dump", o)
				if err != nil || len(h.Jobs) < n-1000 {
					b.Fatal(err)
				}
				in.watch()
				most = max(most, float64(in.most-empty)/n)
			}
			b.ReportMetric(float64(b.N)*float64(len(text))/1e6/(processor()-before).Seconds(), "MB/cpu-s")
			b.ReportMetric(most, "B-most/job")
		})
	}
}

// processor returns the processor time of the process.
func processor() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// watched watches how large the heap is while somebody reads.
type watched struct {
	io.Reader
	most  uint64
	reads int
}

func (w *watched) Read(p []byte) (int, error) {
	if w.reads++; w.reads%50 == 0 {
		w.watch()
	}
	return w.Reader.Read(p)
}

func (w *watched) watch() {
	if w.most == 0 {
		runtime.GC()
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	w.most = max(w.most, m.HeapInuse)
}

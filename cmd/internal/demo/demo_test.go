package demo

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"math"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"slurm-ostrich/cmd/internal/console"
	"slurm-ostrich/cmd/internal/memslurm"
	"slurm-ostrich/cmd/internal/svg"
	"slurm-ostrich/cmd/internal/svg/svgtest"
	"slurm-ostrich/ostrich"
)

// ran is a demonstration that has run.
func ran(t *testing.T, users, hours int, seed uint64, rule memslurm.Rule) *demo {
	t.Helper()
	d := newDemo(users, hours, seed, rule)
	if err := d.run(t.Context(), 0, func(int, int) {}); err != nil {
		t.Fatal(err)
	}
	return d
}

// output is all that a demonstration prints.
func output(t *testing.T, d *demo) string {
	t.Helper()
	r := d.result()
	var b bytes.Buffer
	b.WriteString(r.Text())
	if err := json.NewEncoder(&b).Encode(r.Document()); err != nil {
		t.Fatal(err)
	}
	if err := r.WritePage(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// The same seed gives the same bytes, side by side too; another seed another load.
func TestDemoSeed(t *testing.T) {
	first := output(t, ran(t, 4, 2, 7, memslurm.FairTree))
	if diff := cmp.Diff(first, output(t, ran(t, 4, 2, 7, memslurm.FairTree))); diff != "" {
		t.Errorf("a second run differs:\n%s", diff)
	}
	beside := newDemo(4, 2, 7, memslurm.FairTree)
	beside.live = true
	if err := beside.run(t.Context(), 100*time.Hour, func(int, int) {}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(first, output(t, beside)); diff != "" {
		t.Errorf("side by side it differs:\n%s", diff)
	}
	if cmp.Equal(drawLoad(submitters(4), 2, 7)[0].Jobs, drawLoad(submitters(4), 2, 8)[0].Jobs) {
		t.Error("two seeds give the same load")
	}
}

// What the loads promise, and what must hold of any schedule of them: all jobs
// run, for their length, on no more processors than there are, one campaign of a
// user after the other with the think time between them.
func TestDemoRuns(t *testing.T) {
	for users := leastUsers; users <= len(userNames); users += 3 {
		d := ran(t, users, 4, uint64(users), memslurm.Classic)
		runs := d.snapshot()
		for _, r := range runs {
			if len(r.Jobs) != d.Total || !r.Over || r.ended != d.Total {
				t.Fatalf("%s: %d of %d jobs, over: %v", r.Name, len(r.Jobs), d.Total, r.Over)
			}
			first, last := make([]ostrich.Time, len(d.Load)), make([]ostrich.Time, len(d.Load))
			used := make(map[ostrich.Time]int) // change of the processors in use
			lengths := make([]ostrich.Duration, len(d.Load))
			for _, j := range r.Jobs {
				first[j.Campaign] = j.Submit
				last[j.Campaign] = max(last[j.Campaign], j.End)
				lengths[j.Campaign] += ostrich.Duration(j.End - j.Start)
				used[j.Start] += j.Procs
				used[j.End] -= j.Procs
				if j.Start < j.Submit || ostrich.Duration(j.End-j.Start) > j.Estimate || j.Estimate%60 != 0 {
					t.Errorf("%s: job %+v", r.Name, j)
				}
			}
			busy := 0
			for at := begin; at <= r.Now; at++ {
				if busy += used[at]; busy > procs {
					t.Fatalf("%s: %d processors at %d", r.Name, busy, at)
				}
			}
			before := make(map[ostrich.UserID]int)
			for i, c := range d.Load {
				want := ostrich.Duration(0)
				for _, task := range c.Jobs {
					want += task.Run
				}
				if want != lengths[i] {
					t.Errorf("%s: the jobs of campaign %d ran for %d s, not %d", r.Name, i, lengths[i], want)
				}
				if b, ok := before[c.User]; ok && first[i] != last[b]+ostrich.Time(c.Think) {
					t.Errorf("%s: campaign %d came at %d, the one before ended at %d, think time %d", r.Name, i, first[i], last[b], c.Think)
				}
				before[c.User] = i
			}
		}
		if runs[0].Cycles+runs[0].Writes != 0 || runs[1].Cycles == 0 || runs[1].Writes == 0 {
			t.Errorf("cycles and writes: stock %d, %d; ostrich %d, %d", runs[0].Cycles, runs[0].Writes, runs[1].Cycles, runs[1].Writes)
		}
	}
}

// Every processor-second of the jobs is drawn, and none twice.
func TestDemoDrawing(t *testing.T) {
	d := ran(t, 3, 1, 1, memslurm.FairTree)
	m := &d.result().both[1]
	want, got := 0.0, 0.0
	for _, j := range m.Started {
		want += float64(j.End-j.Start) * float64(j.Procs)
	}
	busy := make(map[[2]int]bool) // by processor and second
	for _, b := range d.boxes(m.Started) {
		from, to := int(math.Round(3600*b.From)), int(math.Round(3600*b.To))
		got += float64(to-from) * b.Height
		if b.Top+b.Height > procs || b.What == "" {
			t.Errorf("box %+v", b)
		}
		for lane := int(b.Top); lane < int(b.Top+b.Height); lane++ {
			for second := from; second < to; second++ {
				if busy[[2]int{lane, second}] {
					t.Fatalf("box %+v: processor %d is taken at %d s", b, lane, second)
				}
				busy[[2]int{lane, second}] = true
			}
		}
	}
	if got != want {
		t.Errorf("%v processor-seconds are drawn, %v were used", got, want)
	}
}

// The page draws the jobs of both runs over one axis, and the bars of the users
// as long as their stretch.
func TestDemoPage(t *testing.T) {
	d := ran(t, 3, 1, 1, memslurm.FairTree)
	r := d.result()
	both := r.both
	var page bytes.Buffer
	if err := r.WritePage(&page); err != nil {
		t.Fatal(err)
	}
	drawn := svgtest.ReadAll(t, page.String())
	if len(drawn) != 4 {
		t.Fatalf("%d drawings", len(drawn))
	}
	for i := range both {
		p, boxes := drawn[i], d.boxes(both[i].Started)
		left, _, _, _ := p.All("floor")[0].Box()
		hour := p.Find(t, "1 h").X - left
		shapes := p.All("box")
		if len(shapes) != len(boxes) {
			t.Fatalf("%s: %d shapes of %d boxes", both[i].Name, len(shapes), len(boxes))
		}
		for k, b := range boxes {
			from, top, to, bottom := shapes[k].Box()
			if math.Abs(from-left-b.From*hour) > 0.02 || to-from-(b.To-b.From)*hour > 0.82 || math.Abs(bottom-top-9*b.Height) > 0.02 || !shapes[k].Is(b.Class) {
				t.Errorf("%s: %+v is drawn as %+v", both[i].Name, b, shapes[k])
			}
		}
	}
	for i, of := range []func(outcome) float64{
		func(u outcome) float64 { return u.Mean }, func(u outcome) float64 { return u.Max },
	} {
		p := drawn[2+i]
		zero, _, _, _ := p.All("zero")[0].Box()
		for k := range both {
			bars := p.All("bar", svg.Run(k))
			_, _, all, _ := bars[len(bars)-1].Box()
			for u, bar := range bars[:len(bars)-1] {
				_, _, end, _ := bar.Box()
				if want := (all - zero) * of(both[k].Users[u]) / of(both[k].All); math.Abs(end-zero-want) > 0.05 {
					t.Errorf("%s, user %d: a bar of %v, want %v", p.Name, u, end-zero, want)
				}
			}
		}
	}
}

// lines collects what a command writes. If it has channels, it hands the first of it
// over, and the command goes on when it may.
type lines struct {
	once  sync.Once
	first chan string
	goOn  chan struct{}

	mu   sync.Mutex
	text strings.Builder
}

func (l *lines) Write(p []byte) (int, error) {
	l.once.Do(func() {
		if l.first != nil {
			l.first <- string(p)
			<-l.goOn
		}
	})
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// get reads a page.
func get(t *testing.T, url string) string {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	body, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Fatalf("%s: %v", answer.Status, err)
	}
	return string(body)
}

// serving starts a demonstration that is served and returns its URL, and begin, which lets
// the runs begin. What is reported goes to stdout.
func serving(ctx context.Context, t *testing.T, o Options) (url string, begin func(), stdout, stderr *lines, ended chan error) {
	t.Helper()
	stdout, stderr, ended = new(lines), &lines{first: make(chan string), goOn: make(chan struct{})}, make(chan error, 1)
	begin = sync.OnceFunc(func() { close(stderr.goOn) })
	t.Cleanup(begin)
	o.Serve, o.Address, o.Fairshare = true, "127.0.0.1:0", memslurm.RuleNames[memslurm.FairTree]
	go func() {
		ended <- Run(ctx, o, stderr, func(r *Result) error {
			_, err := io.WriteString(stdout, r.Text())
			return err
		})
	}()
	select {
	case err := <-ended:
		t.Fatalf("%v: %s", err, stderr)
	case text := <-stderr.first:
		if url = regexp.MustCompile(`http://\S+/`).FindString(text); url == "" {
			t.Fatalf("no URL in %q", text)
		}
	}
	return url, begin, stdout, stderr, ended
}

// refreshes is in a page that loads itself again.
const refreshes = `http-equiv="refresh"`

// The page is live until the runs are over, and stays as it is after that.
func TestDemoServe(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	out := filepath.Join(t.TempDir(), "page.html")
	url, begin, stdout, _, ended := serving(ctx, t, Options{Users: 2, Hours: 1, Pace: 10 * time.Hour, Out: out})
	page := get(t, url)
	if !strings.Contains(page, refreshes) || !strings.Contains(page, "still running") {
		t.Error("the page does not load itself again before the runs are over")
	}
	begin()
	for strings.Contains(page, refreshes) {
		time.Sleep(20 * time.Millisecond)
		page = get(t, url)
	}
	for !strings.Contains(stdout.String(), "makespan") {
		time.Sleep(10 * time.Millisecond)
	}
	if strings.Contains(page, "script") || strings.Contains(page, "still running") || !strings.Contains(page, `class="box u1"`) {
		t.Errorf("the page of the end:\n%s", page)
	}
	if answer := get(t, url); answer != page {
		t.Error("the page changes after the end")
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// Interrupted before both runs are done, it says so and writes nothing.
func TestDemoInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	folder := t.TempDir()
	url, begin, stdout, stderr, ended := serving(ctx, t, Options{Users: 6, Hours: 24, Pace: time.Second, Out: filepath.Join(folder, "page.html")})
	begin()
	get(t, url)
	cancel()
	if err := <-ended; !errors.Is(err, console.ErrInterrupted) {
		t.Errorf("%v: %s", err, stderr)
	}
	files, err := filepath.Glob(filepath.Join(folder, "*"))
	if err != nil || len(files) > 0 || stdout.String() != "" {
		t.Errorf("%v: files %v, output %q, %q", err, files, stdout, stderr)
	}
}

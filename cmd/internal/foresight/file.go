package foresight

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"slurm-ostrich/cmd/internal/atomicfile"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/forecast"
	"slurm-ostrich/priority/privilege"
)

// suffix is added to the journal's path, as two journals may lie in one folder.
const suffix = ".forecasts"

// mostBytes is more than a file has: some 5 MB for each pool in which all questions are open.
const mostBytes = 256 << 20

const version = 2

// errContent marks a file that is none of ours.
var errContent = errors.New("not what ostrichd has written")

type file struct {
	Version int        `json:"version"`
	Cluster string     `json:"cluster"`
	Pools   []filePool `json:"pools"`
}

type filePool struct {
	Name string `json:"name"`
	fileAnswers
	Ends   fileAnswers `json:"ends"`   // earlier files have none
	Places []float32   `json:"places"` // the oldest first
}

type fileAnswers struct {
	Learned   forecast.Learned `json:"correction"`
	Questions []*question      `json:"questions"`
	Days      []Day            `json:"days"`
}

func (a *answers) saved() fileAnswers {
	return fileAnswers{a.learned.Learned, orNone(a.questions), orNone(a.days)}
}

// Path returns the path of the file beside a journal; "" without one.
func Path(journal string) string {
	if journal == "" {
		return ""
	}
	return journal + suffix
}

// PoolRecord is the record of a pool.
type PoolRecord struct {
	Pool string
	Record
}

// Records returns those of the pools that a file has, as of a moment; none without a file.
func Records(path, cluster string, now ostrich.Time) (all []PoolRecord, err error) {
	f := New()
	if err = f.Load(path, cluster); err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(f.known)) {
		all = append(all, PoolRecord{name, f.Record(name, Starts, now)})
	}
	return all, nil
}

// Save writes what was learned from questions, and the questions that are open, unless nothing has
// changed. Before the first Begin it writes nothing. As the journal, the file names jobs, which Slurm may hide.
func (f *Foresight) Save(path string) error {
	text, err := f.text()
	if text == nil || err != nil {
		return err
	}
	if err = atomicfile.WriteNew(path, 0o640, func(w io.Writer) error { _, bad := w.Write(text); return bad }); err != nil {
		f.mu.Lock()
		f.changed = true
		f.mu.Unlock()
	}
	return err
}

// text returns the file's text, nil if nothing has changed.
func (f *Foresight) text() ([]byte, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.changed || f.cluster == "" {
		return nil, nil
	}
	is := file{Version: version, Cluster: f.cluster, Pools: []filePool{}}
	for _, name := range slices.Sorted(maps.Keys(f.known)) {
		p := f.known[name]
		one := filePool{Name: name, fileAnswers: p.answers[Starts].saved(), Ends: p.answers[Ends].saved(), Places: slices.Concat([]float32{}, p.places[p.next:], p.places[:p.next])}
		is.Pools = append(is.Pools, one)
	}
	text, err := json.Marshal(is)
	f.changed = err != nil
	return append(text, '\n'), err
}

func orNone[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// Load reads what Save has written of a cluster. That there is no file is no error. After an error nothing has
// changed.
func (f *Foresight) Load(path, cluster string) error {
	text, err := read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var is file
	if err = json.Unmarshal(text, &is); err != nil {
		return fmt.Errorf("%s: %w: %w", path, errContent, err)
	}
	if err = is.check(cluster); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.cluster, f.known, f.asked, f.changed = cluster, make(map[string]*pool), make(map[ostrich.JobID]int), false
	for i := range is.Pools {
		p := is.Pools[i].restored()
		f.known[is.Pools[i].Name] = p
		p.each(func(_ *answers, q *question) { f.count(q, 1) })
	}
	return nil
}

// read reads a regular file whole.
func read(path string) (text []byte, err error) {
	var from *os.File
	err = privilege.Do(filepath.Dir(path), func() (bad error) {
		from, bad = os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
		return bad
	})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	info, err := from.Stat()
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular() || info.Size() > mostBytes:
		return nil, fmt.Errorf("%s: %w: no regular file of at most %d MB", path, errContent, mostBytes>>20)
	}
	return io.ReadAll(io.LimitReader(from, mostBytes))
}

func (is *file) check(cluster string) error {
	if is.Version != version || is.Cluster != cluster {
		return fmt.Errorf("%w: version %d of cluster %q, and not version %d of cluster %q", errContent, is.Version, is.Cluster, version, cluster)
	}
	names := make(map[string]bool)
	for i := range is.Pools {
		p := &is.Pools[i]
		bad := func(what string, n int) error {
			return fmt.Errorf("%w: pool %q: %s %d", errContent, p.Name, what, n)
		}
		switch {
		case names[p.Name]:
			return fmt.Errorf("%w: pool %q is there twice", errContent, p.Name)
		case len(p.Places) > mostPlaces:
			return bad("places:", len(p.Places))
		}
		names[p.Name] = true
		for i, place := range p.Places {
			if !(place >= 0 && place <= 1) {
				return bad("place", i)
			}
		}
		if err := p.check(false, bad); err != nil {
			return err
		}
		if err := p.Ends.check(true, bad); err != nil {
			return err
		}
	}
	return nil
}

// check returns what is wrong with answers, be they of ends.
func (a *fileAnswers) check(ends bool, bad func(what string, n int) error) error {
	switch {
	case a.Learned.Count < 0 || max(math.Abs(a.Learned.Below), math.Abs(a.Learned.Above), math.Abs(a.Learned.Nearer)) > mostLearned:
		return bad("learned from answers:", a.Learned.Count)
	case len(a.Questions) > mostOpen:
		return bad("questions:", len(a.Questions))
	case len(a.Days) > scoreDays+1:
		return bad("days:", len(a.Days))
	}
	for i, q := range a.Questions {
		if q == nil || len(q.Draws) == 0 || len(q.Draws) > mostDraws || q.Odds[0] > q.Odds[1] || q.Odds[1] > q.Odds[2] || slices.Min(q.Draws) < q.At ||
			q.At < 0 || q.Quiet != 0 && q.Quiet < q.At || max(q.Quiet, q.Ended, slices.Max(q.Draws)) > latest ||
			(q.Jobs != nil) != ends || len(q.Jobs) > mostJobs || !slices.IsSorted(q.Jobs) || q.Ended != 0 && q.Ended <= q.At {
			return bad("question", i)
		}
	}
	for i, d := range a.Days {
		if d.Held < 0 || d.Held > d.Asked || i > 0 && d.Day <= a.Days[i-1].Day {
			return bad("day", i)
		}
	}
	return nil
}

const (
	// mostLearned is more than a number gets that is learned, be it the logarithm of a factor between two waits or a sum in
	// which some 30 of those count.
	mostLearned = 1000
	mostDraws   = 1000    // more than there are
	latest      = 1 << 50 // later than half a million of the longest jobs one after another
)

// restored returns a pool as it was saved. Of the questions the correction goes on to learn, but for those from which it
// has: the late ones.
func (is *filePool) restored() *pool {
	p := newPool()
	p.places = is.Places
	for i, from := range []*fileAnswers{&is.fileAnswers, &is.Ends} {
		a := &p.answers[i]
		a.questions, a.days, a.learned.Learned = from.Questions, from.Days, from.Learned
	}
	p.each(func(a *answers, q *question) {
		if !q.Late {
			q.token, q.learns = a.learned.Again(&forecast.Draws{Now: q.At, Starts: q.Draws, Quiet: q.Quiet}, q.Odds), true
		}
	})
	return p
}

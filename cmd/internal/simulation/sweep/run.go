package sweep

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"slurm-ostrich/cmd/internal/console"
	"slurm-ostrich/cmd/internal/format"
	"slurm-ostrich/cmd/internal/runs"
	"slurm-ostrich/cmd/internal/simulation"
	"slurm-ostrich/ostrich/trace"
)

// form is part of the key of every result, so that results of another form are
// ignored.
const form = "ostrich sweep 1"

// pointResult is what is kept of a point. It has no log name: a result belongs to
// a trace, whatever the trace is called.
type pointResult struct {
	Summary simulation.Summary `json:"summary"`
	Notes   []string           `json:"notes,omitempty"`
}

// run is a sweep with what is known of its points.
type run struct {
	c      *cli.Context
	file   *File
	traces []*source
	*Grid
	store   *runs.Store
	keys    []string // of the points, as far as results were looked for
	results []*pointResult
	refused []error // why a point cannot be simulated; nil for one that can
}

// refusal is the error of a point that the policy or the options refuse on its trace, while
// the trace can be read.
type refusal struct{ error }

// read reads the file that the command names, and reports what is left out of its
// grid.
func read(c *cli.Context) (*run, error) {
	path := c.Args().First()
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	r := &run{c: c, store: &runs.Store{Dir: c.String("out")}}
	if r.file, err = Read(path, raw); err != nil {
		return nil, err
	}
	r.file.place()
	traces, bad := readTraces(r.file)
	r.Grid, err = r.file.Expand()
	if err = errors.Join(bad, err); err != nil {
		return nil, err
	}
	r.traces, r.keys, r.results = traces, make([]string, len(r.Points)), make([]*pointResult, len(r.Points))
	r.refused = make([]error, len(r.Points))
	if !c.IsSet("task") {
		for _, note := range r.Notes {
			console.Say(c.App.ErrWriter, "%s: %s", filepath.Base(path), note)
		}
	}
	return r, nil
}

// describe names a point for a person: its number and what is simulated.
func (r *run) describe(i int) string {
	p := &r.Points[i]
	words := []string{r.traces[p.Trace].name}
	if p.Seeded {
		words = append(words, fmt.Sprintf("seed %d", p.Seed))
	}
	for _, o := range p.Options {
		words = append(words, "--"+o.Name+" "+o.Value)
	}
	return fmt.Sprintf("point %d (%s)", i, strings.Join(words, ", "))
}

// key identifies a point by all that its result depends on: the version of the
// command, the content of the trace, the seed and the options.
func (r *run) key(i int) (string, error) {
	p := &r.Points[i]
	content, err := r.traces[p.Trace].identity()
	if err != nil {
		return "", err
	}
	code, err := runs.CodeVersion()
	if err != nil {
		return "", err
	}
	lines := []string{form, code, content}
	if p.Seeded {
		lines = append(lines, fmt.Sprintf("seed %d", p.Seed))
	}
	var options []string
	for _, o := range p.Options {
		options = append(options, fmt.Sprintf("%s=%q", o.Name, r.Texts[o]))
	}
	slices.Sort(options) // the order of the file means nothing
	return runs.Key(append(lines, options...)...), nil
}

// find reads the kept results of these points, and returns the points that have
// none.
func (r *run) find(points []int) (missing []int, err error) {
	if r.store.Dir == "" {
		return points, nil
	}
	for _, i := range points {
		if r.results[i] != nil {
			continue
		}
		if r.keys[i], err = r.key(i); err != nil {
			return nil, err
		}
		var result pointResult
		switch found, err := r.store.Find(r.keys[i], &result); {
		case err != nil:
			return nil, err
		case found:
			if err := r.name(i, &result.Summary); err != nil {
				return nil, err
			}
			r.results[i] = &result
		default:
			missing = append(missing, i)
		}
	}
	return missing, nil
}

// name gives a kept result the names that this sweep has for its policy and selection: a
// result belongs to what they do, whatever they are called.
func (r *run) name(i int, s *simulation.Summary) error {
	o, err := r.file.with(r.Points[i].Options)
	if err != nil {
		return err
	}
	return o.Label(s)
}

// all returns the numbers of all points.
func (r *run) all() []int {
	numbers := make([]int, len(r.Points))
	for i := range numbers {
		numbers[i] = i
	}
	return numbers
}

// compute simulates points, several at a time, and keeps each result as soon
// as it is there. A point that fails does not keep the others from being
// computed, and one that is refused is no error unless all are. When a signal comes, no
// result is half kept.
func (r *run) compute(points []int) error {
	logs := r.sharedBy(points)
	errs := make([]error, len(r.Points))
	what := "simulating " + format.Plural(len(points), "point")
	err := runs.Replays(r.c.Context, r.c.App.ErrWriter, what, r.c.Int("workers"), slices.Repeat([]int{1}, len(points)), func(n int, ended func(n int)) error {
		i := points[n]
		if r.results[i], errs[i] = r.simulate(i, logs); errs[i] == nil {
			errs[i] = r.store.Keep(r.keys[i], r.results[i])
		}
		ended(1)
		return nil
	})
	if r.store.Close(); err != nil {
		return r.store.Interrupted("points")
	}
	return r.failures(r.sort(points, errs))
}

// sort takes the refusals out of the errors of some points, unless all are, and tells them.
func (r *run) sort(points []int, errs []error) []error {
	rest := slices.Clone(errs)
	for _, i := range points {
		if is, ok := errors.AsType[refusal](errs[i]); ok {
			r.refused[i], rest[i] = is.error, nil
		}
	}
	if !slices.ContainsFunc(r.results, func(p *pointResult) bool { return p != nil }) {
		return errs
	}
	for _, reason := range r.reasons(r.refused, "refused: ") {
		console.Say(r.c.App.ErrWriter, "sweep: %s", reason)
	}
	return rest
}

// simulate computes a point as its command does with the point's options.
func (r *run) simulate(i int, logs *sharedLogs) (*pointResult, error) {
	p := &r.Points[i]
	o, err := r.file.with(p.Options)
	if err != nil {
		return nil, err
	}
	t := r.traces[p.Trace]
	log, done, err := logs.acquire(r.keyOf(p), func() (*trace.Log, error) { return t.read(r.c.Context, o, p.Seed) })
	defer done()
	if err != nil {
		return nil, err
	}
	s, err := o.Simulation(cmp.Or(t.path, t.name), log)
	if err != nil {
		return nil, refusal{err}
	}
	if err = s.Do(func(int, int) {}); err != nil {
		return nil, refusal{err}
	}
	result := &pointResult{Summary: s.Summary(), Notes: s.Workload.Notes}
	result.Summary.Log = ""
	for _, note := range s.Outcome.Notes {
		result.Notes = append(result.Notes, s.Run.Policy.Name+": "+note)
	}
	return result, nil
}

// failures makes one error of those of many points.
func (r *run) failures(errs []error) error {
	const most = 10
	reasons := r.reasons(errs, "")
	var listed []error
	for _, reason := range reasons[:min(most, len(reasons))] {
		listed = append(listed, fmt.Errorf("sweep: %s", reason))
	}
	if n := len(reasons) - most; n > 0 {
		listed = append(listed, fmt.Errorf("sweep: and %s", format.Plural(n, "other reason")))
	}
	return errors.Join(listed...)
}

// reasons lists the errors of points, each once with the first point that has it. what stands
// before an error.
func (r *run) reasons(errs []error, what string) []string {
	var all tally
	first := make(map[string]int)
	for i, err := range errs {
		if err != nil && all.add(err.Error()) == 1 {
			first[err.Error()] = i
		}
	}
	return format.Texts(all.texts, func(reason string) string {
		who := r.describe(first[reason])
		if n := all.counts[reason] - 1; n > 0 {
			who += " and " + format.Plural(n, "other")
		}
		return who + ": " + what + reason
	})
}

package sweep

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"slurm-ostrich/cmd/internal/inventory"
	"slurm-ostrich/cmd/internal/platform"
	"slurm-ostrich/cmd/internal/runs"
	"slurm-ostrich/cmd/internal/simulation"
	"slurm-ostrich/cmd/internal/yamlfile"
	"slurm-ostrich/ostrich/trace"
)

// source is a trace of a sweep: a log, or what generates one.
type source struct {
	name  string
	path  string               // of the log; "" for a generated one
	dumps simulation.Dumps     // in place of it; none for a log
	model simulation.Generator // of a generated one

	// identity identifies the trace by its content, not by its name: a log by its size
	// and a hash, a generated one by the numbers of its model. It reads a log once.
	identity func() (string, error)
}

// readTraces returns the traces of a file, in its order. Paths are relative to the
// folder of the file.
func readTraces(f *File) ([]*source, error) {
	var all []*source
	var errs []error
	lines := make(map[string]int)
	for _, t := range f.Traces {
		at := func(line int, err error) { errs = append(errs, yamlfile.At(f.Name, line, "%w", err)) }
		made := &source{name: t.Name}
		var what string
		if t.Generate != "" {
			line, err := made.generated(t)
			if err != nil {
				at(line, err)
				continue
			}
			what = fmt.Sprintf("%+v", made.model)
			made.identity = func() (string, error) { return "generate " + what, nil }
		} else {
			made.dumps = t.Dumps
			paths := t.Dumps.Sacct
			if t.Log != "" {
				paths = []string{t.Log}
			}
			paths = slices.Clone(paths)
			missing := false
			for i, path := range paths {
				if !filepath.IsAbs(path) {
					path = filepath.Join(filepath.Dir(f.Name), path)
				}
				paths[i] = filepath.Clean(path)
				switch info, err := os.Stat(path); {
				case err != nil:
					at(t.Line, err)
					missing = true
				case !info.Mode().IsRegular():
					at(t.Line, fmt.Errorf("%s: not a file", path))
					missing = true
				}
			}
			if missing {
				continue
			}
			kind := "log"
			if t.Log == "" {
				made.dumps.Sacct = paths
				kind = fmt.Sprintf("sacct %q %q %q", t.Dumps.Columns, t.Dumps.Delimiter, t.Dumps.Timezone)
			}
			made.path = strings.Join(paths, ", ")
			what = made.path
			made.name = cmp.Or(made.name, (&simulation.LogOptions{Dumps: made.dumps}).LogName(made.path))
			made.identity = sync.OnceValues(func() (string, error) {
				parts := []string{kind}
				for _, path := range paths {
					size, sum, err := runs.HashFile(path)
					if err != nil {
						return "", err
					}
					parts = append(parts, fmt.Sprintf("%d %s", size, sum))
				}
				return strings.Join(parts, " "), nil
			})
		}
		if first, twice := lines["what "+what]; twice {
			at(t.Line, fmt.Errorf("traces: %s: is in line %d already", made.name, first))
			continue
		}
		if first, twice := lines["name "+made.name]; twice {
			at(t.Line, fmt.Errorf("traces: %s is the name of the trace in line %d too: give one of them another with {log: …, name: …}", made.name, first))
			continue
		}
		lines["what "+what], lines["name "+made.name] = t.Line, t.Line
		all = append(all, made)
	}
	return all, errors.Join(errs...)
}

// place makes paths of platforms and of nodes relative to the folder of the file, as those of
// traces are. A platform that needs no file has no path, and neither have nodes that are counted.
func (f *File) place() {
	for _, a := range f.Axes {
		for i := range a {
			v := &a[i].Value
			path := a[i].Name == "platform" && !slices.Contains(platform.Names(), *v) || a[i].Name == "nodes" && inventory.IsFile(*v)
			if path && !filepath.IsAbs(*v) {
				*v = filepath.Join(filepath.Dir(f.Name), *v)
			}
		}
	}
}

// generated makes a trace by a model and options of generate. With an error it
// returns the line.
func (s *source) generated(t Trace) (int, error) {
	o := simulation.DefaultModel()
	for _, one := range t.Options {
		if err := has(o.Names, one.Name, "generate"); err != nil {
			return one.Line, fmt.Errorf("traces.%w", err)
		}
		if err := o.Set(one.Name, one.Value); err != nil {
			return one.Line, fmt.Errorf("traces.%s: %w", one.Name, err)
		}
	}
	var err error
	if s.model, err = o.Model(t.Generate); err != nil {
		return t.Line, fmt.Errorf("traces.generate: %w", err)
	}
	o.Jobs = min(o.Jobs, 1)
	probe, err := o.Model(t.Generate)
	if err == nil {
		_, err = probe.Generate(1)
	}
	if err != nil {
		return t.Line, fmt.Errorf("traces.generate: %w", err)
	}
	if s.name == "" {
		s.name = t.Generate
		for _, o := range t.Options {
			s.name += " " + o.Name + "=" + o.Value
		}
	}
	return 0, nil
}

// read reads or generates the log.
func (s *source) read(ctx context.Context, o command, seed uint64) (*trace.Log, error) {
	if s.path == "" {
		return s.model.Generate(seed)
	}
	o.From(s.dumps)
	log, err := o.Read(ctx, s.path)
	if note := simulation.Skipped(log); note != "" && err != nil {
		return nil, fmt.Errorf("%w: %s", err, note)
	}
	return log, err
}

// sharedLogs are logs that are read once for all points that need them, and
// dropped after the last one.
type sharedLogs struct {
	sync.Mutex
	logs map[logKey]*sharedLog
}

type logKey struct {
	trace   int
	seed    uint64
	lenient bool
}

type sharedLog struct {
	users int // points that are still to come
	read  func() (*trace.Log, error)
}

// keyOf returns the log of a point. An option has several spellings: --lenient is true and 1.
func (g *Grid) keyOf(p *Point) logKey {
	lenient := slices.ContainsFunc(p.Options, func(o Option) bool { return o.Name == "lenient" && g.Texts[o] == "true" })
	return logKey{p.Trace, p.Seed, lenient}
}

func (r *run) sharedBy(points []int) *sharedLogs {
	s := &sharedLogs{logs: make(map[logKey]*sharedLog)}
	for _, i := range points {
		key := r.keyOf(&r.Points[i])
		if s.logs[key] == nil {
			s.logs[key] = &sharedLog{}
		}
		s.logs[key].users++
	}
	return s
}

// acquire returns the log of a point by its key. It must not be changed. done is to be called
// when the point is done with it.
func (s *sharedLogs) acquire(key logKey, read func() (*trace.Log, error)) (log *trace.Log, done func(), err error) {
	s.Lock()
	l := s.logs[key]
	if l.read == nil {
		l.read = sync.OnceValues(read)
	}
	s.Unlock()
	log, err = l.read()
	return log, func() {
		s.Lock()
		defer s.Unlock()
		if l.users--; l.users == 0 {
			delete(s.logs, key)
		}
	}, err
}

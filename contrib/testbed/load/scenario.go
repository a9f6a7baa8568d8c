package main

import (
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// Scenario is a load: which users submit which campaigns, and when.
type Scenario struct {
	Name  string `yaml:"name"`
	About string `yaml:"about"` // one line for people

	// Seed is the default of the random jitter.
	Seed uint64 `yaml:"seed"`

	// Processors is the size of the cluster that the numbers of jobs are for. On
	// another size they are scaled, so that a campaign keeps the whole machine
	// busy for the same time. Zero: the numbers are for every size.
	Processors int `yaml:"processors"`

	// Until is the time after which nobody submits a new campaign; the load still
	// waits for the present ones. Zero sets no end; then every loop needs a
	// number of campaigns.
	Until time.Duration `yaml:"until"`

	// History is a load that runs before the measured one, to give users some
	// usage. It may be empty.
	History []Loop `yaml:"history"`

	Users []Loop `yaml:"users"`
}

// Loop is the behaviour of one user.
type Loop struct {
	User string `yaml:"user"`

	// Start is when the user arrives, counted from the start of the load.
	Start time.Duration `yaml:"start"`

	// Campaigns is the number of campaigns; 0 means as many as begin before
	// Scenario.Until.
	Campaigns int `yaml:"campaigns"`

	// Think is the mean time from the end of a campaign to the next one.
	Think time.Duration `yaml:"think"`

	// Jitter varies lengths and think times uniformly by this fraction to both
	// sides: 0 not at all, 0.5 from half to one and a half.
	Jitter float64 `yaml:"jitter"`

	// Background marks a user for whose campaigns nobody waits: when the loops of
	// all others have ended, the rest of them is cancelled. They have no stretch;
	// what they were served is counted.
	Background bool `yaml:"background"`

	// Shapes are the forms of the user's campaigns, taken in turn.
	Shapes []Shape `yaml:"shapes"`
}

// Shape is the form of a campaign: one job array, or a number of single jobs.
type Shape struct {
	Array    int           `yaml:"array"`    // tasks of a job array
	Jobs     int           `yaml:"jobs"`     // single jobs
	Procs    int           `yaml:"procs"`    // processors of a job; 0 means 1
	Length   time.Duration `yaml:"length"`   // mean run time of a job
	Limit    time.Duration `yaml:"limit"`    // least time limit; 0 means that of the longest job, in full minutes
	Deadline time.Duration `yaml:"deadline"` // longest acceptable time from the first submission to the last end; 0: no deadline

	// Tool submits the jobs as a workflow tool does, with its names, see byTool. Step is then
	// the step of the workflow that they are.
	Tool string `yaml:"tool"`
	Step string `yaml:"step"`
	// Then are further steps. Each begins when the one before has ended.
	Then []Shape `yaml:"then"`
}

// count returns the number of jobs of a step.
func (s Shape) count() int { return s.Array + s.Jobs }

var userName = regexp.MustCompile(`^[a-z_][a-z0-9_-]{0,31}$`)

// ReadScenario reads a scenario file. Unknown keys are errors.
func ReadScenario(path string) (*Scenario, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	s, err := ParseScenario(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return s, nil
}

// ParseScenario reads and checks one scenario.
func ParseScenario(r io.Reader) (*Scenario, error) {
	dec := yaml.NewDecoder(r)
	dec.KnownFields(true)
	s := &Scenario{Seed: 1}
	if err := dec.Decode(s); err != nil {
		return nil, err
	}
	if err := dec.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return nil, errors.New("more than one document")
	}
	return s, s.validate()
}

func (s *Scenario) validate() error {
	if s.Name == "" {
		return errors.New("name: must be given")
	}
	if s.Until < 0 {
		return fmt.Errorf("until: %v is negative", s.Until)
	}
	if len(s.Users) == 0 {
		return errors.New("users: nobody submits anything")
	}
	if s.Processors < 0 {
		return fmt.Errorf("processors: %d is negative", s.Processors)
	}
	for i, l := range s.History {
		if l.Background {
			return fmt.Errorf("history[%d] (%s): background: a history is waited for", i, l.User)
		}
	}
	if !slices.ContainsFunc(s.Users, func(l Loop) bool { return !l.Background }) {
		return errors.New("users: all are in the background, so that nothing ends the load")
	}
	if err := validateLoops("history", s.History, false); err != nil {
		return err
	}
	return validateLoops("users", s.Users, s.Until > 0)
}

// tools reports whether jobs are submitted as workflow tools do.
func (s *Scenario) tools() bool {
	return slices.ContainsFunc(slices.Concat(s.History, s.Users), func(l Loop) bool {
		return slices.ContainsFunc(l.Shapes, func(shape Shape) bool { return shape.Tool != "" })
	})
}

// ScaleTo scales the numbers of jobs from the scenario's size of cluster to this
// one. Every campaign keeps at least one job.
func (s *Scenario) ScaleTo(processors int) {
	if s.Processors == 0 || s.Processors == processors {
		return
	}
	scale := func(count int) int {
		if count == 0 {
			return 0
		}
		return min(max(1, (count*processors+s.Processors/2)/s.Processors), maxJobs)
	}
	for _, loops := range [][]Loop{s.History, s.Users} {
		for i := range loops {
			for j := range loops[i].Shapes {
				shape := &loops[i].Shapes[j]
				shape.Array, shape.Jobs = scale(shape.Array), scale(shape.Jobs)
				for k := range shape.Then {
					shape.Then[k].Array, shape.Then[k].Jobs = scale(shape.Then[k].Array), scale(shape.Then[k].Jobs)
				}
			}
		}
	}
	s.Processors = processors
}

func validateLoops(what string, loops []Loop, ends bool) error {
	seen := make(map[string]bool, len(loops))
	for i, l := range loops {
		err := l.validate(ends)
		if err == nil && seen[l.User] {
			err = errors.New("a second loop of this user")
		}
		if err != nil {
			return fmt.Errorf("%s[%d] (%s): %w", what, i, l.User, err)
		}
		seen[l.User] = true
	}
	return nil
}

func (l *Loop) validate(ends bool) error {
	switch {
	case !userName.MatchString(l.User):
		return fmt.Errorf("user: %q is not a user name", l.User)
	case l.Start < 0:
		return fmt.Errorf("start: %v is negative", l.Start)
	case l.Think < 0:
		return fmt.Errorf("think: %v is negative", l.Think)
	case l.Campaigns < 0:
		return fmt.Errorf("campaigns: %d is negative", l.Campaigns)
	case l.Campaigns == 0 && !ends:
		return errors.New("campaigns: must be given where nothing else ends the loop")
	case !(l.Jitter >= 0 && l.Jitter < 1): // also refuses NaN
		return fmt.Errorf("jitter: %v is not in [0, 1)", l.Jitter)
	case len(l.Shapes) == 0:
		return errors.New("shapes: must be given")
	}
	for i, s := range l.Shapes {
		err := s.validate()
		if err == nil && l.Background && s.Deadline > 0 {
			err = errors.New("deadline: nobody waits for a campaign in the background")
		}
		if err != nil {
			return fmt.Errorf("shapes[%d]: %w", i, err)
		}
	}
	return nil
}

// maxJobs is the largest campaign; the testbed's MaxArraySize is just above.
const maxJobs = 10000

func (s Shape) validate() error {
	switch {
	case s.Array < 0 || s.Jobs < 0 || (s.Array > 0) == (s.Jobs > 0):
		return errors.New("give either array or jobs, at least 1")
	case s.count() > maxJobs:
		return fmt.Errorf("%d jobs, more than %d", s.count(), maxJobs)
	case s.Procs < 0:
		return fmt.Errorf("procs: %d is negative", s.Procs)
	case s.Length <= 0:
		return fmt.Errorf("length: %v is not above zero", s.Length)
	case s.Limit != 0 && s.Limit < s.Length:
		return fmt.Errorf("limit: %v is below the length %v", s.Limit, s.Length)
	case s.Deadline != 0 && s.Deadline < s.Length:
		return fmt.Errorf("deadline: %v is below the length %v", s.Deadline, s.Length)
	}
	if _, known := byTool[s.Tool]; s.Tool != "" && !known {
		return fmt.Errorf("tool: %q is none of %s", s.Tool, strings.Join(slices.Sorted(maps.Keys(byTool)), ", "))
	}
	if (s.Tool != "") != (s.Step != "") {
		return errors.New("give both tool and step, or neither")
	}
	for i, next := range s.Then {
		if next.Tool != "" || next.Deadline != 0 || len(next.Then) > 0 {
			return fmt.Errorf("then[%d]: a further step has no tool, deadline or then of its own", i)
		}
		next.Tool = s.Tool
		if err := next.validate(); err != nil {
			return fmt.Errorf("then[%d]: %w", i, err)
		}
	}
	return nil
}

// Plan is one campaign after all random draws, or a step of one.
type Plan struct {
	User       string
	Seq        int // 1, 2, … within the user
	Array      bool
	Procs      int
	Limit      time.Duration   // a multiple of a minute, as Slurm stores it
	Lengths    []time.Duration // of each job; all tasks of an array share the first
	Count      int             // jobs
	Think      time.Duration   // after the campaign
	Deadline   time.Duration   // 0: none
	Background bool            // nobody waits for it

	Tool, Step string // see Shape
	Then       []Plan // further steps
}

// steps returns the steps of a campaign, and the campaign itself if it has one.
func (p *Plan) steps() []Plan { return append([]Plan{*p}, p.Then...) }

// jobs returns the number of jobs of all steps.
func (p *Plan) jobs() (count int) {
	for _, step := range p.steps() {
		count += step.Count
	}
	return count
}

// slack is what starting and ending a job on a busy machine may add to its
// length; the time limit includes it.
const slack = 5 * time.Second

// Plan draws the seq-th campaign of a user, from 1.
func (l *Loop) Plan(seed uint64, seq int) Plan {
	h := fnv.New64a()
	_, _ = h.Write([]byte(l.User))
	rng := rand.New(rand.NewPCG(seed^h.Sum64(), uint64(seq)))
	vary := func(d time.Duration) time.Duration {
		f := 1 + l.Jitter*(2*rng.Float64()-1)
		return time.Duration(math.Round(float64(d)*f/1e8)) * 100 * time.Millisecond
	}
	s := l.Shapes[(seq-1)%len(l.Shapes)]
	p := Plan{User: l.User, Seq: seq, Think: vary(l.Think), Deadline: s.Deadline, Background: l.Background}
	draw := func(p *Plan, s *Shape) {
		p.Array, p.Procs, p.Count, p.Step = s.Array > 0, max(s.Procs, 1), s.count(), s.Step
		draws := s.count()
		if p.Array {
			draws = 1
		}
		limit := s.Limit
		for range draws {
			d := max(vary(s.Length), 100*time.Millisecond)
			p.Lengths = append(p.Lengths, d)
			limit = max(limit, d+slack)
		}
		p.Limit = (limit + time.Minute - 1).Truncate(time.Minute)
	}
	p.Tool = s.Tool
	draw(&p, &s)
	for i := range s.Then {
		next := Plan{User: p.User, Seq: seq, Tool: s.Tool, Background: p.Background}
		draw(&next, &s.Then[i])
		p.Then = append(p.Then, next)
	}
	return p
}

package orderbench

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"slices"
	"sync"

	"slurm-ostrich/cmd/internal/format"
	"slurm-ostrich/cmd/internal/runs"
	"slurm-ostrich/cmd/internal/simulation"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/satisfaction"
	"slurm-ostrich/ostrich/sim"
)

// form is part of the key of every run, so that runs of another form are ignored.
const form = "ostrich bench 1"

// Settings say how orders are measured. Only results of the same settings can be
// compared; the number of shakes may differ.
type Settings struct {
	Parts    int              `json:"parts"`     // of each log
	PartJobs int              `json:"part_jobs"` // at most, in each part
	Seed     uint64           `json:"seed"`      // of the shakes
	Floor    ostrich.Duration `json:"floor"`     // of the bounded stretch, in seconds
	Loop     string           `json:"loop"`      // one of Loops

	// Satisfaction is the wait that users accept, as satisfaction.Parse reads it
	// and Acceptance.String writes it.
	Satisfaction string `json:"satisfaction"`

	Shakes int `json:"-"`
}

// Loops are the ways in which users react. open submits jobs when they were
// logged. closed submits a user's campaign when the one before has ended and its
// think time has passed. Both keep the distances inside a campaign.
var Loops = []string{"open", "closed"}

// closed is the second of Loops.
const closed = "closed"

// Bench holds the runs of logs under policies. Its methods may be called from
// several goroutines, but each run from only one.
type Bench struct {
	settings Settings
	accept   satisfaction.Acceptance
	policies []Policy
	logs     []Log
	parts    [][][]sim.Job // by log
	shaken   [][][]shaken  // by log, part and shake
	runs     []Run
}

// shaken is a part of a log under a shake. It holds its campaigns while some of its
// runs are being made.
type shaken struct {
	mu        sync.Mutex
	campaigns []sim.Campaign
	left      int // runs not made yet
}

// Run is a replay to make.
type Run struct {
	Log, Policy string // names; the policy's includes all its settings
	Part, Shake int
	Jobs        int

	log, policy int
	key         string // identifies the run among all others
	found       Measures
	done        bool
}

// New plans the runs of logs under policies. The others are compared with the
// first policy. code identifies this program, because another version may find
// other figures. Jobs without a user are left out. The settings are those that
// [Options] let pass.
func New(logs []Log, policies []Policy, s Settings, code string) (*Bench, error) {
	accept, err := satisfaction.Parse(s.Satisfaction)
	if err != nil {
		return nil, fmt.Errorf("satisfaction %w", err)
	}
	b := &Bench{settings: s, accept: accept, policies: policies}
	for _, log := range logs {
		if slices.ContainsFunc(b.logs, func(l Log) bool { return l.Name == log.Name }) {
			return nil, fmt.Errorf("two logs of the name %s", log.Name)
		}
		log.Jobs = slices.DeleteFunc(slices.Clone(log.Jobs), func(j sim.Job) bool { return j.User == sim.Nobody })
		if len(log.Jobs) == 0 {
			return nil, fmt.Errorf("%s: no job tells its user", log.Name)
		}
		b.add(log, code)
	}
	// The largest first, so that none of them is left to the end. Runs of one
	// shaken part come together, because they share it.
	slices.SortStableFunc(b.runs, func(a, b Run) int { return cmp.Compare(b.Jobs, a.Jobs) })
	return b, nil
}

// add plans the runs of a log. Policies with the same settings share a run.
func (b *Bench) add(log Log, code string) {
	number, id, settings := len(b.logs), identity(&log), b.settings
	settings.Shakes = 0 // a run is the same among more of them
	parts := cut(log.Jobs, b.settings.Parts, b.settings.PartJobs)
	all := make([][]shaken, len(parts))
	for p := range parts {
		all[p] = make([]shaken, b.settings.Shakes)
		for s := range all[p] {
			for i := range b.policies {
				if b.same(i) != i {
					continue
				}
				name := b.policies[i].Canonical
				key := runs.Key(form, code, fmt.Sprintf("%+v", settings), id, name, fmt.Sprint(p, s))
				b.runs = append(b.runs, Run{
					Log: log.Name, Policy: name, Part: p, Shake: s, Jobs: len(parts[p]),
					log: number, policy: i, key: key,
				})
				all[p][s].left++
			}
		}
	}
	b.logs, b.parts, b.shaken = append(b.logs, log), append(b.parts, parts), append(b.shaken, all)
}

// same returns the first policy with the settings of the i-th one.
func (b *Bench) same(i int) int {
	name := b.policies[i].Canonical
	return slices.IndexFunc(b.policies, func(p Policy) bool { return p.Canonical == name })
}

// identity identifies the jobs of a log.
func identity(log *Log) string {
	sum := sha256.New()
	line := binary.AppendVarint(nil, int64(log.Procs))
	for i := range log.Jobs {
		j := &log.Jobs[i]
		for _, n := range []int64{int64(j.User), int64(j.Submit), int64(j.Start), int64(j.Run), int64(j.Estimate), int64(j.Procs), int64(j.Class), int64(j.Outcome)} {
			line = binary.AppendVarint(line, n)
		}
		_, _ = sum.Write(line) // never fails
		line = line[:0]
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// Keep stores the figures of a run, and frees what it replays when no other run needs
// that.
func (b *Bench) Keep(r *Run, m Measures) {
	r.found, r.done = m, true
	p := b.of(r)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.left--; p.left == 0 {
		p.campaigns = nil
	}
}

// Runs lists the runs.
func (b *Bench) Runs() format.Table {
	t := format.Table{Header: []string{"RUN", "LOG", "POLICY", "PART", "SHAKE", "JOBS"}}
	for i := range b.runs {
		r := &b.runs[i]
		t.Add(i, r.Log, r.Policy, r.Part, r.Shake, r.Jobs)
	}
	return t
}

func (b *Bench) sizes() (jobs []int) {
	for i := range b.runs {
		jobs = append(jobs, b.runs[i].Jobs)
	}
	return jobs
}

func (b *Bench) restore(i int, store *runs.Store) (bool, error) {
	var m Measures
	found, err := store.Find(b.runs[i].key, &m)
	if found {
		b.Keep(&b.runs[i], m)
	}
	return found, err
}

func (b *Bench) make(i int, store *runs.Store, ended func(n int)) error {
	r := &b.runs[i]
	m, err := b.Do(r, ended)
	if err != nil {
		return err
	}
	b.Keep(r, m)
	return store.Keep(r.key, m)
}

func (b *Bench) of(r *Run) *shaken { return &b.shaken[r.log][r.Part][r.Shake] }

// prepare makes what a run replays, unless another run has.
func (b *Bench) prepare(r *Run) (_ []sim.Campaign, err error) {
	p := b.of(r)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.campaigns == nil {
		jobs := shake(b.parts[r.log][r.Part], b.settings.Seed, r.Shake)
		if p.campaigns, err = sim.Campaigns(jobs, measuredBy); err != nil {
			return nil, fmt.Errorf("campaigns: %w", err)
		}
	}
	return p.campaigns, nil
}

// Do makes a run. It calls ended with the number of its jobs that have ended.
func (b *Bench) Do(r *Run, ended func(n int)) (Measures, error) {
	fail := func(err error) (Measures, error) {
		return nil, fmt.Errorf("%s: part %d, shake %d: %s: %w", r.Log, r.Part, r.Shake, r.Policy, err)
	}
	campaigns, err := b.prepare(r)
	if err != nil {
		return fail(err)
	}
	p, procs := b.policies[r.policy], b.logs[r.log].Procs
	loop := sim.Machine{
		Procs: procs, Backfill: sim.EASY, Open: b.settings.Loop != closed, Offsets: true,
		Progress: func(n, _ int) { ended(n) },
	}
	p.Into(&loop, &simulation.Material{Campaigns: campaigns, Tuning: p.Tuning})
	jobs, err := loop.Run(campaigns)
	if err != nil {
		return fail(err)
	}
	m, err := measured(jobs, procs, b.settings.Floor, b.accept)
	if err != nil {
		return fail(err)
	}
	return m, nil
}

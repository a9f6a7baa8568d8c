package view

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"slurm-ostrich/cmd/internal/foresight"
	"slurm-ostrich/cmd/internal/format"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting/ledger"
	"slurm-ostrich/ostrich/forecast"
	"slurm-ostrich/ostrich/lengths"
	"slurm-ostrich/ostrich/scalar"
	"slurm-ostrich/ostrich/sim"
	"slurm-ostrich/ostrich/sim/nodes"
	"slurm-ostrich/priority"
	"slurm-ostrich/priority/slurm"
)

// Forecast says when a job would start that is not submitted yet, if it were now.
type Forecast struct {
	Cluster   string           `json:"cluster"`
	Time      ostrich.Time     `json:"time"`
	User      string           `json:"user"` // who would submit it; "" for somebody of whom nothing is known
	Partition string           `json:"partition"`
	CPUs      int              `json:"cpus"` // that it would hold
	Limit     ostrich.Duration `json:"time_limit"`
	Enforced  bool             `json:"enforced"`        // it would go where OStrich's order has it; else behind all
	Ahead     int              `json:"ahead"`           // jobs that can start and would go before it; each task of an array counts
	Gates     []string         `json:"gates,omitempty"` // whom the partition lets in, where it is not known that this user is among them
	Odds      *Odds            `json:"odds"`
	By        []By             `json:"by"` // for each odds that were asked for
}

// By is the moment by which a job has started with odds of so many per cent.
type By struct {
	Percent int          `json:"percent"`
	At      ostrich.Time `json:"at"`
}

// AskForecast asks when a job would start that a selection describes, see Selection.New.
var AskForecast = Query[*Forecast]{
	"forecast",
	func(*Cycle, *Viewer, *Selection) int { return 1 },
	func(_ context.Context, s *Cycle, v *Viewer, by *Selection) (*Forecast, error) {
		return s.Forecast(v, by)
	},
}

// newJob is a job that is not submitted yet.
type newJob struct {
	cpus, nodes int
	memory      int64 // MiB of each node; 0: not said
	gres        []nodes.GRES
	limit       ostrich.Duration // 0: the partition's
	odds        []int
}

// ParseNew reads the job of a selection. The error says what is right.
func (s *Selection) ParseNew() error {
	_, err := s.job()
	return err
}

func (s *Selection) job() (j newJob, err error) {
	number := func(name string, list []string, most int) (n int) {
		if err != nil || len(list) == 0 {
			return 0
		}
		n, bad := strconv.Atoi(list[0])
		if bad != nil || len(list) > 1 || n < 1 || n > most {
			err = fmt.Errorf("%s %q: not a whole number from 1 to %d", name, strings.Join(list, ","), most)
		}
		return n
	}
	j.cpus, j.nodes = max(1, number("cpus", s.New.CPUs, math.MaxInt32)), number("nodes", s.New.Nodes, math.MaxInt32)
	if mem := strings.Join(s.New.Mem, ","); mem != "" && err == nil {
		var ok bool
		if j.memory, ok = scalar.Mebibytes(mem); !ok || j.memory < 1 {
			err = fmt.Errorf("mem %q: not memory as sbatch takes it, such as 4000 or 4G", mem)
		}
	}
	if gres := strings.Join(s.New.GRES, ","); err == nil {
		all, bad := slurm.ParseGRES(gres)
		if bad != nil {
			err = fmt.Errorf("gres: %w", bad)
		}
		for _, g := range all {
			j.gres = append(j.gres, nodes.GRES{Name: g.Name, Type: g.Type, Count: g.Count})
		}
	}
	if len(s.New.Time) > 0 && err == nil {
		j.limit, err = parseLimit(strings.Join(s.New.Time, ","))
	}
	for _, one := range s.New.Odds {
		n, bad := strconv.Atoi(one)
		if err == nil && (bad != nil || n < 1 || n > 99) {
			err = fmt.Errorf("odds %q: not a whole number of per cent from 1 to 99", one)
		}
		if !slices.Contains(j.odds, n) {
			j.odds = append(j.odds, n)
		}
	}
	if err == nil && len(s.Partitions) > 1 {
		err = fmt.Errorf("partition %q: name one", strings.Join(s.Partitions, ","))
	}
	slices.Sort(j.odds)
	return j, err
}

// parseLimit reads a time limit as sbatch does: minutes, minutes:seconds, hours:minutes:seconds, days-hours,
// days-hours:minutes or days-hours:minutes:seconds.
func parseLimit(text string) (ostrich.Duration, error) {
	wrong := fmt.Errorf("time %q: not a time limit as sbatch takes it, such as 30, 30:00, 2:00:00 or 1-12:00:00", text)
	days, rest, hasDays := strings.Cut(text, "-")
	if !hasDays {
		days, rest = "0", text
	}
	parts := strings.Split(rest, ":")
	if len(parts) > 3 {
		return 0, wrong
	}
	units := []ostrich.Duration{3600, 60, 1} // of the parts
	if !hasDays {
		units = [][]ostrich.Duration{{60}, {60, 1}, {3600, 60, 1}}[len(parts)-1]
	}
	d := ostrich.Duration(0)
	for i, part := range append([]string{days}, parts...) {
		n, err := strconv.ParseUint(part, 10, 24)
		if err != nil {
			return 0, wrong
		}
		if i == 0 {
			d = ostrich.Duration(n) * 86400
		} else {
			d += ostrich.Duration(n) * units[i-1]
		}
	}
	if d < 1 {
		return 0, wrong
	}
	return d, nil
}

// errNoForesight says why a command that looks for itself has no forecast.
var errNoForesight = errors.New("only ostrichd can say when a job would start, as it has learned who brings what at which hour and how well its answers hold: start it, or leave out --config, --clusters and settings, with which it is not asked")

// Forecast says when the job of a selection would start. The user is the one that is named, if v may see their jobs,
// and else v. The error says why it never starts.
func (s *Cycle) Forecast(v *Viewer, by *Selection) (*Forecast, error) {
	job, err := by.job()
	if err != nil {
		return nil, err
	}
	if s.Foresight == nil {
		return nil, errNoForesight
	}
	p, err := s.partition(by.Partitions)
	if err != nil {
		return nil, err
	}
	pool := s.inPool(p.Name)
	if pool == nil {
		return nil, fmt.Errorf("partition %s is in no pool of OStrich's", p.Name)
	}
	a := &Forecast{Cluster: s.Cluster, Time: s.Time, Partition: p.Name, Enforced: s.Enforced, By: []By{}}
	if a.CPUs, a.Limit, err = job.fits(p); err != nil {
		return nil, err
	}
	if a.CPUs > pool.Procs {
		return nil, fmt.Errorf("%s are asked for, and there are %d at present", format.Plural(a.CPUs, "processor"), pool.Procs)
	}
	switch {
	case len(by.Users) == 1 && v.Job(by.Users[0], ""):
		a.User = by.Users[0]
	case len(v.Names) > 0:
		a.User = v.Names[0]
	}
	a.Gates = s.gates(p, a.User)
	on := s.placing(pool)
	number, err := job.on(on, s.controller.GRES(), p.Name, a.CPUs)
	if err != nil {
		return nil, err
	}
	draws, err := s.Foresight.Draws(pool.Name, func(spread foresight.SpreadOf) (*forecast.State, []int) {
		is, user := s.sight(pool, on, spread), s.idOf(a.User)
		one := forecast.Job{ID: math.MaxUint32, User: user, Procs: a.CPUs, Limit: bounded(a.Limit), Request: number}
		if under, kept := is.Bound[user]; kept && number > 0 { // as their other jobs are
			one.Request = on.add(under.Of(on.requests[number-1]))
			is.Requests = on.requests
		}
		one.Spread = spread(user, &lengths.Request{Limit: one.Limit, Procs: one.Procs})
		a.Ahead = s.goes(&one, a.User, pool, p.Name, is.Pending)
		is.Pending = slices.Insert(is.Pending, a.Ahead, one)
		return is, []int{a.Ahead}
	})
	if err != nil {
		return nil, err
	}
	a.Odds = s.answer(pool, foresight.Starts, &draws[0])
	odds := s.Foresight.Answer(pool.Name, foresight.Starts, &draws[0])
	for _, percent := range job.odds {
		at, err := odds.At(percent)
		if err != nil {
			return nil, err
		}
		a.By = append(a.By, By{percent, at})
	}
	return a, nil
}

// partition returns the partition of a name, or Slurm's default one.
func (s *Cycle) partition(names []string) (*priority.Partition, error) {
	var all []string
	for i := range s.Partitions {
		p := &s.Partitions[i]
		if len(names) == 0 && p.Default || len(names) > 0 && p.Name == names[0] {
			return p, nil
		}
		all = append(all, p.Name)
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("Slurm has no default partition; name one of %s", format.List(all)) //nolint:staticcheck // Slurm is a name
	}
	return nil, fmt.Errorf("partition %q: Slurm has none of that name; there are %s", names[0], format.List(all))
}

// fits returns how many processors a job would hold in a partition, and its limit. The error says why it never starts.
func (j *newJob) fits(p *priority.Partition) (cpus int, limit ostrich.Duration, err error) {
	cpus, limit = max(j.cpus, j.nodes), cmp.Or(j.limit, p.DefaultTime, p.MaxTime)
	if p.Exclusive && len(p.NodeCPUs) > 0 {
		if each := slices.Max(p.NodeCPUs); each > 0 {
			cpus = each * max(j.nodes, (j.cpus+each-1)/each)
		}
	}
	switch {
	case p.State != "":
		return 0, 0, fmt.Errorf("it does not start: partition %s is %s", p.Name, p.State)
	case limit < 1:
		return 0, 0, fmt.Errorf("name a time limit: partition %s has no longest one", p.Name)
	case p.MaxNodes > 0 && j.nodes > p.MaxNodes:
		return 0, 0, fmt.Errorf("it never starts: %s are asked for, and partition %s allows %d", format.Plural(j.nodes, "node"), p.Name, p.MaxNodes)
	case p.MaxTime > 0 && limit > p.MaxTime:
		return 0, 0, fmt.Errorf("it never starts: %s are asked for, and partition %s allows %s", format.Span(float64(limit)), p.Name, format.Span(float64(p.MaxTime)))
	case j.nodes > len(p.Nodes) && len(p.Nodes) > 0:
		return 0, 0, fmt.Errorf("it never starts: %s are asked for, and partition %s has %d", format.Plural(j.nodes, "node"), p.Name, len(p.Nodes))
	case p.MaxNodes > 0 && len(p.NodeCPUs) > 0 && cpus > largest(p.NodeCPUs, p.MaxNodes):
		return 0, 0, fmt.Errorf("it never starts: %s are asked for, and MaxNodes=%d of partition %s allows %d", format.Plural(cpus, "processor"), p.MaxNodes, p.Name, largest(p.NodeCPUs, p.MaxNodes))
	case cpus > p.TotalCPUs:
		return 0, 0, fmt.Errorf("it never starts: %s are asked for, and partition %s has %d", format.Plural(cpus, "processor"), p.Name, p.TotalCPUs)
	}
	return cpus, limit, nil
}

// on adds what a job of so many processors asks of the nodes of a partition, and returns its number. The error says why it never starts,
// or that it is not known.
func (j *newJob) on(p *placing, counted []string, partition string, cpus int) (int32, error) {
	if p.cluster == nil {
		if j.memory > 0 || len(j.gres) > 0 {
			return 0, errors.New("slurmctld does not tell what memory and generic resources the nodes have: ask without them")
		}
		return 0, nil
	}
	at := slices.IndexFunc(p.cluster.Partitions, func(of nodes.Partition) bool { return of.Name == partition })
	r := nodes.Request{CPUs: cpus, MinNodes: j.nodes, Memory: nodes.Memory{MiB: j.memory}, Partitions: []int{at}}
	counts := func(g nodes.GRES) bool {
		return slices.ContainsFunc(counted, func(name string) bool { return strings.EqualFold(name, "gres/"+g.String()) })
	}
	for _, g := range j.gres {
		if g.Type != "" && !counts(g) { // each type is as good as another
			g.Type = ""
		}
		if !counts(g) {
			return 0, fmt.Errorf("gres %s: it is not known which nodes have it, as accounting does not count it (AccountingStorageTRES of slurm.conf): ask without it", g)
		}
		r.GRES = append(r.GRES, nodes.GRESRequest{GRES: g})
	}
	number := p.add(r)
	m := sim.Machine{Cluster: p.cluster, Requests: p.requests}
	if err := m.Prepare(); err != nil {
		return 0, err
	}
	if !m.Meets(number) {
		return 0, fmt.Errorf("it never starts: no nodes of partition %s have all that it asks for", partition)
	}
	return number, nil
}

// gates returns what lets jobs into a partition, but for what an account lets in under which the user has a job. Slurm may
// let in accounts below one that is named, too.
func (s *Cycle) gates(p *priority.Partition, user string) (list []string) {
	for _, g := range p.Gates {
		if g.Key == "AllowAccounts" && user != "" && slices.ContainsFunc(s.live, func(r *ledger.Record) bool {
			return r.UserName == user && slices.Contains(g.Names, r.Account)
		}) {
			continue
		}
		list = append(list, g.Key+"="+strings.Join(g.Names, ","))
	}
	return list
}

func largest(list []int, n int) (sum int) {
	list = slices.Sorted(slices.Values(list))
	for _, x := range list[max(0, len(list)-n):] {
		sum += x
	}
	return sum
}

// idOf returns what a user is in the virtual schedule, by an unfinished job or a share; 0 if that is not known.
func (s *Cycle) idOf(user string) ostrich.UserID {
	for i := range s.live {
		if user != "" && s.live[i].UserName == user {
			return s.live[i].Job.User
		}
	}
	for i := range s.Pools {
		for k := range s.Pools[i].Users {
			if u := &s.Pools[i].Users[k]; user != "" && u.User == user {
				return u.ID
			}
		}
	}
	return 0
}

// goes returns the place that a job would have among the waiting ones as a new campaign of a user: in OStrich's order before
// the campaigns that end later on a machine shared by all at all times, in Slurm's behind all.
func (s *Cycle) goes(j *forecast.Job, user string, pool *Pool, partition string, pending []forecast.Job) int {
	if !s.Enforced {
		return len(pending)
	}
	share, from := 1/float64(pool.Active+1), float64(s.Time)
	for i := range s.Pools {
		if s.Pools[i].Name != pool.Name {
			continue
		}
		for k := range s.Pools[i].Users {
			if u := &s.Pools[i].Users[k]; user != "" && u.User == user && u.Share > 0 {
				share = u.Share
			}
		}
	}
	ends := make(map[ostrich.JobID]float64)
	for i := range s.Campaigns {
		c := &s.Campaigns[i]
		if c.VirtualEnd == nil || c.Pool != pool.Name {
			continue
		}
		if c.Of.User == user && user != "" {
			from = max(from, *c.VirtualEnd)
		}
		for _, id := range c.Pending {
			ends[id] = *c.VirtualEnd
		}
	}
	end := from + float64(j.Procs)*float64(j.Spread.Length(0.5, 0))/(share*float64(max(1, pool.Procs)))
	classes, mine := s.classesOf(partition)
	for i := range pending {
		id := pending[i].ID
		if at, known := ends[id]; classes[id] > mine || classes[id] == mine && known && at > end {
			return i
		}
	}
	return len(pending)
}

// classesOf returns the classes of the waiting jobs, and the one that a job of a partition would have: that of another one
// there, or the last.
func (s *Cycle) classesOf(partition string) (classes map[ostrich.JobID]int, mine int) {
	if len(s.Plan.Classes) == 0 {
		return nil, 0
	}
	classes, mine = make(map[ostrich.JobID]int, len(s.Plan.Entries)), len(s.Plan.Classes)-1
	for _, e := range s.Plan.Entries {
		classes[e.Job] = e.Class
		if e.Partition == partition {
			mine = e.Class
		}
	}
	return classes, mine
}

// String returns it in words, as "ostrich forecast" prints them.
func (a *Forecast) String() string {
	var b strings.Builder
	if len(a.Gates) > 0 {
		fmt.Fprintf(&b, "if partition %s lets it in (%s), else never:\n", a.Partition, strings.Join(a.Gates, " "))
	}
	switch o := a.Odds; {
	case o.Held == nil:
		fmt.Fprintf(&b, "%s; how often such answers hold is not known yet: %s have become known in 30 days, and %d must have\n", o.words(a.Time), format.Plural(o.Of, "answer"), foresight.Enough)
	case o.cannotTell():
		fmt.Fprintf(&b, "OStrich cannot tell here: only %.0f %% of %s answers in 30 days held\n", 100**o.Held, grouped(o.Of))
		return b.String()
	default:
		fmt.Fprintf(&b, "%s\n", o.start(a.Time))
	}
	for _, by := range a.By {
		if !slices.Contains(forecast.Shown[:], by.Percent) {
			fmt.Fprintf(&b, "by %s with odds of %d %%\n", cmp.Or(strings.TrimSpace(moment(by.At)), "now"), by.Percent)
		}
	}
	return b.String()
}

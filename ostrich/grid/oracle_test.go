package grid_test

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"pgregory.net/rapid"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/campaign"
	"slurm-ostrich/ostrich/grid"
)

// oracle runs an experiment the obvious way: at each moment it looks at every task
// and every processor, and keeps nothing that it can find out by looking.
type oracle struct {
	rapid.TB
	grid.Experiment
	bags  []grid.Bag
	procs []oracleProc
	tasks []oracleTask
	runs  []oracleRun // all copies there ever were
	now   ostrich.Time
	begin ostrich.Time
	shift ostrich.Time           // of the virtual schedule
	turn  map[int]int            // of S-U-GRR and S-U-RR, by manager: the latest user
	goes  map[ostrich.UserID]int // of FCondor
	calls map[int]int            // of the selection that are due, by manager
	sees  int                    // counts processors as they are known to be idle
	users []ostrich.UserID       // as selections number them

	virtual []*ostrich.Schedule // of OStrich, by manager
}

type oracleProc struct {
	cluster int
	run     int // of runs; -1
	idle    int // when it was known to be idle, as sees counts; -1 while it is not
	speed   float64
}

type oracleTask struct {
	bag       int
	run, told ostrich.Duration
	manager   int
	state     int // absent to ended
	admitted  int // in the order in which tasks became eligible, from 1
	cluster   int // of a chart, where it waits
	order     int // of a chart, as it was assigned
	length    ostrich.Duration
	expected  ostrich.Duration // of ECT-P
	copies    int
	latest    int // of runs
	start     ostrich.Time
	end       ostrich.Time
	ended     int // in the order of ends, from 1
	site      int
}

const (
	absent   = iota
	queued   // but not eligible
	eligible // but not started
	running
	ended
)

type oracleRun struct {
	task, proc       int
	start, due, stop ostrich.Time // stop is math.MaxInt64 while it runs
}

func newOracle(tb rapid.TB, x grid.Experiment, bags []grid.Bag) *oracle {
	o := &oracle{
		TB: tb, Experiment: x, bags: bags, begin: bags[0].Submit, shift: max(0, 1-bags[0].Submit), now: bags[0].Submit,
		turn: make(map[int]int), goes: make(map[ostrich.UserID]int), calls: make(map[int]int),
	}
	for c, k := range x.Platform.Clusters {
		for range k.Procs {
			o.procs = append(o.procs, oracleProc{cluster: c, run: -1, idle: o.sees, speed: k.Speed})
			o.sees++
		}
	}
	random := rand.New(rand.NewPCG(x.Seed, 3))
	for i, b := range bags {
		for _, t := range b.Tasks {
			told := t.Run
			if x.Inaccuracy > 0 {
				e := x.Inaccuracy * (2*random.Float64() - 1)
				told = ostrich.Duration(math.Round(max(float64(t.Run)+e/100*float64(t.Run), 1)))
			}
			o.tasks = append(o.tasks, oracleTask{bag: i, run: t.Run, told: told, cluster: -1, site: -1, latest: -1})
		}
		if !slices.Contains(o.users, b.User) {
			o.users = append(o.users, b.User)
		}
		if _, known := o.goes[b.User]; !known {
			o.goes[b.User] = b.Home
		}
	}
	slices.Sort(o.users)
	managers := len(x.Platform.Clusters)
	if x.Architecture == grid.CSP {
		managers = 1
	}
	for m := range managers {
		o.turn[m] = -1
		options := x.OStrich
		options.Procs, options.Rule = x.Platform.Clusters[m].Procs, campaign.Rule{By: campaign.Groups}
		if managers == 1 {
			options.Procs = x.Platform.Procs()
		}
		s, err := ostrich.New(options)
		if err != nil {
			tb.Fatal(err)
		}
		o.virtual = append(o.virtual, s)
	}
	return o
}

func (o *oracle) user(t int) ostrich.UserID { return o.bags[o.tasks[t].bag].User }

func (o *oracle) of(p int) int {
	if o.Architecture == grid.CSP {
		return 0
	}
	return o.procs[p].cluster
}

func (o *oracle) replicas() int {
	switch p := strings.ToUpper(o.Policy); {
	case p == "RR" || p == "STFR":
		return 1
	case strings.HasPrefix(p, "WQR-"):
		return int(p[4] - '0')
	}
	return 0
}

func (o *oracle) charts() bool { return strings.HasPrefix(o.Policy, "ECT") || o.Policy == "MaxMin" }

// run runs the experiment.
func (o *oracle) run() {
	next := 0
	for {
		at := ostrich.Time(math.MaxInt64)
		if next < len(o.bags) {
			at = o.bags[next].Submit
		}
		unseen := ostrich.Time(math.MaxInt64)
		for p := range o.procs {
			switch r := o.procs[p].run; {
			case r >= 0:
				at = min(at, o.runs[r].due)
			case o.procs[p].idle < 0:
				for unseen = o.begin; unseen < o.now; {
					unseen += ostrich.Time(o.Monitor)
				}
			}
		}
		at = min(at, unseen)
		if at == math.MaxInt64 || o.Until > 0 && at > o.begin+ostrich.Time(o.Until) {
			return
		}
		o.now = at
		for t := range o.tasks {
			for p := range o.procs {
				if r := o.procs[p].run; r >= 0 && o.runs[r].due == o.now && o.runs[r].task == t {
					o.end(p)
				}
			}
		}
		if o.Architecture == grid.FCondor {
			o.pass()
		}
		for ; next < len(o.bags) && o.bags[next].Submit == o.now; next++ {
			user := o.bags[next].User
			manager, waits := o.goes[user], false
			for t := range o.tasks {
				if o.tasks[t].bag == next {
					o.submit(t)
					waits = waits || o.tasks[t].state != running
				}
			}
			if o.Flock == grid.WholeBags && waits {
				o.goes[user] = (manager + 1) % len(o.virtual)
			}
		}
		if o.Monitor > 0 && (o.now-o.begin)%ostrich.Time(o.Monitor) == 0 {
			for p := range o.procs {
				if o.procs[p].run < 0 && o.procs[p].idle < 0 {
					o.see(p)
				}
			}
		}
		o.pass()
	}
}

func (o *oracle) see(p int) {
	o.procs[p].idle = o.sees
	o.sees++
}

func (o *oracle) pass() {
	for m := range o.virtual {
		o.passOf(m)
	}
}

func (o *oracle) submit(t int) {
	x := &o.tasks[t]
	u := o.user(t)
	switch o.Architecture {
	case grid.SepC:
		x.manager = o.bags[x.bag].Home
	case grid.FCondor:
		x.manager = o.goes[u]
	case grid.CSP: // has one manager, 0
	}
	x.state = queued
	if o.Architecture == grid.FCondor || t == 0 || o.tasks[t-1].bag != x.bag {
		o.calls[x.manager]++
	}
	if o.Selection == "S-T" {
		o.admit(t)
	}
	o.step(ostrich.Submit, t)
	if o.Architecture == grid.FCondor {
		o.passOf(x.manager)
		if x.state != running && o.Flock == grid.ByTask {
			o.goes[u] = (x.manager + 1) % len(o.virtual)
		}
	}
}

// admit makes a task eligible; what is predicted of it is so now.
func (o *oracle) admit(t int) {
	x := &o.tasks[t]
	x.state, x.expected = eligible, 1
	for k := range o.tasks {
		x.admitted = max(x.admitted, o.tasks[k].admitted+1)
	}
	rank := func(k int) int { // the last that ended of the bag, else of the user, else of all
		switch {
		case o.tasks[k].bag == x.bag && o.Scope == grid.ByBag:
			return 2
		case o.user(k) == o.user(t):
			return 1
		}
		return 0
	}
	best := -1
	for k := range o.tasks {
		if o.tasks[k].state == ended && (best < 0 || rank(k) > rank(best) || rank(k) == rank(best) && o.tasks[k].ended > o.tasks[best].ended) {
			best = k
		}
	}
	if best >= 0 {
		x.expected = o.tasks[best].run
	}
}

func (o *oracle) step(k ostrich.Kind, t int) {
	if o.Selection != "OStrich" {
		return
	}
	x := &o.tasks[t]
	e := ostrich.Event{At: o.now + o.shift, Kind: k, Job: ostrich.Job{
		ID: ostrich.JobID(t + 1), User: o.user(t), Procs: 1, Estimate: x.told, Submit: o.bags[x.bag].Submit + o.shift,
	}}
	first := slices.IndexFunc(o.tasks, func(k oracleTask) bool { return k.bag == x.bag })
	if len(o.bags[x.bag].Tasks) > 1 {
		e.Job.Group = ostrich.JobID(first + 1)
	}
	if k != ostrich.Submit {
		e.Job.Start = x.start + o.shift
	}
	if k == ostrich.End {
		e.Job.End = e.At
	}
	if err := o.virtual[x.manager].Step(e); err != nil {
		o.Fatal(err)
	}
}

func (o *oracle) begins(t, p int) {
	x, r := &o.tasks[t], &o.procs[p]
	if r.run >= 0 || r.idle < 0 || x.state == ended || o.of(p) != x.manager {
		o.Fatalf("task %d starts on processor %d: %+v, %+v", t, p, x, r)
	}
	if x.state != running {
		x.start, x.state = o.now, running
		o.step(ostrich.Start, t)
	}
	length := max(1, math.Round(float64(x.run)/r.speed))
	r.run, r.idle = len(o.runs), -1
	x.copies, x.latest = x.copies+1, r.run
	o.runs = append(o.runs, oracleRun{t, p, o.now, o.now + ostrich.Time(length), math.MaxInt64})
}

func (o *oracle) end(p int) {
	t := o.runs[o.procs[p].run].task
	x := &o.tasks[t]
	x.state, x.end, x.site, x.ended = ended, o.now, o.procs[p].cluster, 1
	for k := range o.tasks {
		if k != t && o.tasks[k].state == ended {
			x.ended++
		}
	}
	o.calls[x.manager]++
	o.step(ostrich.End, t)
	order := []int{} // the latest copy is the first that is known to have stopped
	for q := range o.procs {
		if r := o.procs[q].run; r >= 0 && o.runs[r].task == t {
			order = append(order, q)
		}
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(o.procs[b].run, o.procs[a].run) })
	for _, q := range order {
		o.runs[o.procs[q].run].stop = o.now
		o.procs[q].run = -1
		if o.Architecture != grid.CSP || o.Monitor == 0 {
			o.see(q)
		}
	}
}

// measured is how fast the latest task that ended on a processor was.
func (o *oracle) measured(p int) float64 {
	speed := 0.0
	for _, r := range o.runs {
		if r.proc == p && r.stop == r.due && o.tasks[r.task].site == o.procs[p].cluster && o.won(r) {
			speed = float64(o.tasks[r.task].told) / float64(r.stop-r.start)
		}
	}
	return speed
}

// won reports whether a copy is the one that ended its task: of those that end at
// one moment the one on the first processor.
func (o *oracle) won(r oracleRun) bool {
	for _, k := range o.runs {
		if k.task == r.task && k.due == r.due && k.proc < r.proc {
			return false
		}
	}
	return true
}

func (o *oracle) passOf(m int) {
	if o.Redraw == grid.Called && strings.HasPrefix(o.Selection, "S-U-") {
		for range o.calls[m] {
			if waits := o.tasksIn(m, queued); len(waits) > 0 {
				for _, t := range o.draw(m, waits) {
					o.admit(t)
				}
			}
		}
	}
	o.calls[m] = 0
	if o.charts() {
		o.chart(m)
		return
	}
	for {
		idle := o.idle(m)
		if len(idle) == 0 {
			return
		}
		set := o.set(m)
		if len(set) == 0 {
			set = o.copyable(m)
		}
		if len(set) == 0 {
			return
		}
		t := slices.MinFunc(set, func(a, b int) int { return o.first(a, b) })
		p := slices.MinFunc(idle, func(a, b int) int { return o.best(a, b) })
		o.begins(t, p)
	}
}

func (o *oracle) idle(m int) []int {
	var list []int
	for p := range o.procs {
		if o.of(p) == m && o.procs[p].run < 0 && o.procs[p].idle >= 0 {
			list = append(list, p)
		}
	}
	return list
}

func (o *oracle) copyable(m int) []int {
	var list []int
	for t := range o.tasks {
		if x := &o.tasks[t]; x.manager == m && x.state == running && x.copies <= o.replicas() {
			list = append(list, t)
		}
	}
	return list
}

func (o *oracle) first(a, b int) int {
	x, y := &o.tasks[a], &o.tasks[b]
	if x.state == running {
		return cmp.Or(cmp.Compare(x.copies, y.copies), cmp.Compare(x.latest, y.latest))
	}
	switch strings.ToUpper(o.Policy) {
	case "FPLT", "DFPLT", "MAXMIN":
		return cmp.Or(cmp.Compare(y.told, x.told), cmp.Compare(a, b))
	case "STFR":
		return cmp.Or(cmp.Compare(x.told, y.told), cmp.Compare(a, b))
	}
	return cmp.Or(cmp.Compare(x.admitted, y.admitted), cmp.Compare(a, b))
}

func (o *oracle) best(a, b int) int {
	switch strings.ToUpper(o.Policy) {
	case "FPLT", "FPF":
		return cmp.Or(cmp.Compare(o.procs[b].speed, o.procs[a].speed), cmp.Compare(a, b))
	case "DFPLT":
		return cmp.Or(cmp.Compare(o.measured(b), o.measured(a)), cmp.Compare(a, b))
	}
	return cmp.Compare(o.procs[a].idle, o.procs[b].idle)
}

// tasksIn lists the tasks of a manager in a state.
func (o *oracle) tasksIn(m int, states ...int) []int {
	var list []int
	for t := range o.tasks {
		if x := &o.tasks[t]; x.state != absent && x.manager == m && slices.Contains(states, x.state) {
			list = append(list, t)
		}
	}
	return list
}

// set returns the eligible tasks of a manager, of which there is one if any waits.
func (o *oracle) set(m int) []int {
	waits := o.tasksIn(m, queued, eligible)
	if bag, ranks := o.front(m, queued, eligible); ranks {
		return slices.DeleteFunc(waits, func(t int) bool { return o.tasks[t].bag != bag })
	}
	if set := o.tasksIn(m, eligible); len(set) > 0 || len(waits) == 0 {
		return set
	}
	if o.Redraw == grid.Ended && o.Selection != "FCFS" && len(o.tasksIn(m, running)) > 0 {
		return nil
	}
	for _, t := range o.draw(m, waits) {
		o.admit(t)
	}
	return o.tasksIn(m, eligible)
}

// front is the bag in front of those with tasks in some states, if the selection
// ranks bags.
func (o *oracle) front(m int, states ...int) (bag int, ranks bool) {
	waits := o.tasksIn(m, states...)
	switch o.Selection {
	case "OStrich":
		if len(waits) == 0 {
			return -1, true
		}
		s := o.virtual[m]
		if err := s.AdvanceTo(o.now + o.shift); err != nil {
			o.Fatal(err)
		}
		for _, place := range s.Order() {
			if slices.Contains(waits, int(place.Job-1)) {
				return o.tasks[place.Job-1].bag, true
			}
		}
		o.Fatal("no task that waits has a place")
	case "FairCamp":
		best, least := -1, 0.0
		for _, t := range waits {
			if d := o.deadline(m, o.tasks[t].bag); best < 0 || d < least || d == least && o.tasks[t].bag < best {
				best, least = o.tasks[t].bag, d
			}
		}
		return best, true
	}
	return 0, false
}

func (o *oracle) deadline(m, bag int) float64 {
	clusters := o.Platform.Clusters
	if o.Architecture != grid.CSP {
		clusters = clusters[m : m+1]
	}
	users, d := make(map[ostrich.UserID]bool), 0.0
	for i, b := range o.bags {
		if o.Architecture != grid.SepC || b.Home == m {
			users[b.User] = true
			_ = i
		}
	}
	for i, b := range o.bags[:bag+1] {
		if b.User != o.bags[bag].User || o.Architecture == grid.SepC && b.Home != m {
			continue
		}
		sum, longest, capacity, fastest := 0.0, 0.0, 0.0, 0.0
		for _, t := range o.bags[i].Tasks {
			sum, longest = sum+float64(t.Run), max(longest, float64(t.Run))
		}
		for _, c := range clusters {
			capacity, fastest = capacity+float64(c.Procs)*c.Speed, max(fastest, c.Speed)
		}
		d += float64(len(users)) * max(sum/capacity, longest/fastest)
	}
	return d
}

// draw returns the next eligible set, out of the waiting tasks.
func (o *oracle) draw(m int, waits []int) []int {
	number := func(t int) int { return slices.Index(o.users, o.user(t)) }
	only := func(keep func(t int) bool) []int {
		return slices.DeleteFunc(slices.Clone(waits), func(t int) bool { return !keep(t) })
	}
	who := -1
	switch o.Selection {
	case "S-BoT":
		return only(func(t int) bool { return o.tasks[t].bag == o.tasks[waits[0]].bag })
	case "FCFS":
		return waits[:1]
	case "S-U-Prio":
		who = number(slices.MinFunc(waits, func(a, b int) int { return cmp.Compare(number(a), number(b)) }))
	case "S-U-T", "S-U-BoT":
		used := func(t int) (sum ostrich.Time) {
			for _, r := range o.runs {
				if o.user(r.task) == o.user(t) && o.of(r.proc) == m {
					sum += min(o.now, r.stop) - r.start
				}
			}
			return sum
		}
		who = number(slices.MinFunc(waits, func(a, b int) int {
			return cmp.Or(cmp.Compare(used(a), used(b)), cmp.Compare(number(a), number(b)))
		}))
	case "S-U-GRR", "S-U-RR":
		after := func(t int) int { // turns until it is the user's
			return (number(t) - o.turn[m] - 1 + len(o.users)) % len(o.users)
		}
		who = number(slices.MinFunc(waits, func(a, b int) int { return cmp.Compare(after(a), after(b)) }))
		o.turn[m] = who
	default:
		o.Fatalf("selection %q", o.Selection)
	}
	own := only(func(t int) bool { return number(t) == who })
	switch o.Selection {
	case "S-U-RR":
		return own[:1]
	case "S-U-BoT":
		return slices.DeleteFunc(own, func(t int) bool { return o.tasks[t].bag != o.tasks[own[0]].bag })
	}
	return own
}

// chart assigns the eligible tasks, each to the best of all processors, and starts
// what is at the front of a queue.
func (o *oracle) chart(m int) {
	for {
		set := slices.DeleteFunc(o.tasksIn(m, eligible), func(t int) bool { return o.tasks[t].cluster >= 0 })
		slices.SortFunc(set, o.first)
		for _, t := range set {
			o.assign(m, t)
		}
		for c := range o.Platform.Clusters {
			for {
				queue := o.assigned(m, c)
				idle := slices.DeleteFunc(o.idle(m), func(p int) bool { return o.procs[p].cluster != c })
				if len(queue) == 0 || len(idle) == 0 {
					break
				}
				o.begins(queue[0], slices.MinFunc(idle, func(a, b int) int { return cmp.Compare(o.procs[a].idle, o.procs[b].idle) }))
			}
		}
		waits := o.tasksIn(m, queued)
		if len(waits) == 0 || len(o.idle(m)) == 0 {
			return
		}
		if bag, ranks := o.front(m, queued); ranks {
			waits = slices.DeleteFunc(waits, func(t int) bool { return o.tasks[t].bag != bag })
		} else if o.Redraw == grid.Ended && o.Selection != "FCFS" && len(o.tasksIn(m, eligible, running)) > 0 {
			return
		} else {
			waits = o.draw(m, waits)
		}
		for _, t := range waits {
			o.admit(t)
		}
	}
}

func (o *oracle) assigned(m, c int) []int {
	queue := slices.DeleteFunc(o.tasksIn(m, eligible), func(t int) bool { return o.tasks[t].cluster != c })
	slices.SortFunc(queue, func(a, b int) int { return cmp.Compare(o.tasks[a].order, o.tasks[b].order) })
	return queue
}

func (o *oracle) assign(m, t int) {
	x := &o.tasks[t]
	told := x.told
	if o.Policy == "ECT-P" {
		told = x.expected
	}
	length := func(p int) ostrich.Time { return ostrich.Time(max(1, math.Round(float64(told)/o.procs[p].speed))) }
	ready := make([]ostrich.Time, len(o.procs)) // by processor
	for p := range o.procs {
		ready[p] = o.now
		if r := o.procs[p].run; r >= 0 {
			ready[p] = max(o.now, o.runs[r].start+ostrich.Time(o.tasks[o.runs[r].task].length))
		}
	}
	order := 0
	for c := range o.Platform.Clusters {
		for _, k := range o.assigned(m, c) {
			soonest := -1
			for p := range o.procs {
				if o.procs[p].cluster == c && (soonest < 0 || ready[p] < ready[soonest]) {
					soonest = p
				}
			}
			ready[soonest] += ostrich.Time(o.tasks[k].length)
			order = max(order, o.tasks[k].order)
		}
	}
	best := -1
	for p := range o.procs {
		if o.of(p) == m && (best < 0 || ready[p]+length(p) < ready[best]+length(best)) {
			best = p
		}
	}
	x.cluster, x.length, x.order = o.procs[best].cluster, ostrich.Duration(length(best)), order+1
}

// result returns what became of the tasks, and the processor time of all copies
// until a moment; and what the processors did between the end of the warm-up and the last
// submission.
func (o *oracle) result(end ostrich.Time) (tasks []grid.Ran, used ostrich.Work, served float64) {
	k := 0
	for i, b := range o.bags {
		for _, t := range b.Tasks {
			x := &o.tasks[k]
			ran := grid.Ran{ID: t.ID, Bag: i, Copies: x.copies, Cluster: -1}
			if x.copies > 0 {
				ran.Start = x.start
			}
			if x.state == ended {
				ran.End, ran.Cluster = x.end, x.site
			}
			tasks = append(tasks, ran)
			k++
		}
	}
	for _, r := range o.runs {
		used += ostrich.Work(min(r.stop, end) - r.start)
	}
	from, last := o.begin+ostrich.Time(o.Warmup), o.bags[len(o.bags)-1].Submit
	for t := range o.tasks {
		counts := -1 // the copy that ended, or the first
		for k := range slices.Backward(o.runs) {
			if r := &o.runs[k]; r.task == t && (o.tasks[t].state != ended || r.due == r.stop && o.won(*r)) {
				counts = k
			}
		}
		if counts < 0 {
			continue
		}
		r := &o.runs[counts]
		for s := max(from, r.start); s < min(last, r.stop, end); s++ {
			served += o.procs[r.proc].speed
		}
	}
	return tasks, used, served
}

package testbed_test

import (
	"cmp"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/multifactor"
)

// fairshareNodes is how many nodes these testbeds have.
const fairshareNodes = 8

// slowProcess is how long a process that does nothing takes on a machine that is
// too slow, or too busy, to hold a model with a clock of seconds against it.
const slowProcess = 10 * time.Millisecond

// TestFairshareModel: package multifactor has the factors and the order of the queue
// that slurmctld has. A load runs for some minutes under stock fair share while
// sprio and sshare are asked; then the model is told of the same starts and ends, as
// accounting has them.
func TestFairshareModel(t *testing.T) {
	needSlurm(t)
	if took := min(process(t), process(t), process(t)); took > slowProcess {
		t.Skipf("LEFT OUT: a process takes %v here, and accounting knows whole seconds only", took)
	}
	t.Parallel()
	for _, tt := range []struct {
		name, flags string
		model       multifactor.Flags
	}{
		{"tree", "ACCRUE_ALWAYS", multifactor.AccrueAlways},
		{"classic", "NO_FAIR_TREE", multifactor.NoFairTree},
	} {
		part(t, tt.name, func(t *testing.T) {
			t.Parallel()
			// Every node is one processor, as nodes are not modelled, and most jobs
			// take one: which small job is backfilled beside a wide one is a matter
			// of the second, and all that follows from it.
			b := up(t, "fairshare-"+tt.name, "--nodes", strconv.Itoa(fairshareNodes), "--cpus", "1",
				"--set", "PriorityFlags="+tt.flags, "--set", "PriorityDecayHalfLife=00:03:00", "--set", "PriorityMaxAge=00:05:00",
				"--set", "PriorityWeightJobSize=1000", "--set", "PriorityWeightFairshare=100", "--set", "DebugFlags=Priority", "--set", "PartitionName=urgent Nodes=ALL PriorityJobFactor=4")
			b.cpus = fairshareNodes
			b.do(t, "root", "sacctmgr", "-i", "add", "qos", "favoured", "priority=1000", "usagefactor=2")
			for _, user := range users {
				b.do(t, "root", "sacctmgr", "-i", "modify", "user", user, "set", "qos+=favoured")
			}
			first := b.calculated(t)
			samples, wrong := b.watchLoad(t, first)
			wrong = append(wrong, b.compared(t, first)...)
			b.empty(t)
			r := b.replay(t, tt.model, first)
			r.read(t, b.log(t))
			wrong = append(wrong, r.compare(t, samples)...)
			took := median(samples)
			report(t, "process", "takes %v at the median of %d samples", took, len(samples))
			if len(wrong) > 0 && took > slowProcess {
				t.Skipf("LEFT OUT: a process took %v during the load, and accounting knows whole seconds only: %s", took, strings.Join(wrong, "; "))
			}
			for _, what := range wrong {
				t.Error(what)
			}
		})
	}
}

// printed is what a figure of sshare or sprio may be off by, which have six
// digits behind the point.
const printed = 1e-6

// median is how long a process took during the load.
func median(samples []sample) time.Duration {
	var list []time.Duration
	for _, s := range samples {
		list = append(list, s.process)
	}
	slices.Sort(list)
	return list[len(list)/2]
}

// calculated is when slurmctld calculated last, as its decay thread saves it
// (_write_last_decay_ran).
func (b *bed) calculated(t *testing.T) ostrich.Time {
	t.Helper()
	saved, err := os.ReadFile(b.dir + "/state/priority_last_decay_ran")
	if err != nil {
		t.Fatal(err)
	}
	if len(saved) != 16 {
		t.Fatalf("priority_last_decay_ran has %d bytes, want two times", len(saved))
	}
	return ostrich.Time(binary.BigEndian.Uint64(saved))
}

// log is what slurmctld has written.
func (b *bed) log(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(b.dir + "/log/slurmctld.out")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Between the two lines of the end of a job slurmctld books it.
var (
	completes = regexp.MustCompile(`_job_complete: JobId=(\d+) W`)
	books     = regexp.MustCompile(`_apply_new_usage: job (\d+) ran for (\d+) seconds`)
)

// sample is what slurmctld answers between two calculations.
type sample struct {
	at, calculated ostrich.Time
	process        time.Duration // that a process which does nothing took
	jobs           []sampledJob
	shares         map[string]multifactor.Share // of users
}

// sampledJob is a line of sprio.
type sampledJob struct {
	id       ostrich.JobID
	priority uint32
	factors  multifactor.Factors
}

// watchLoad submits jobs of four users for some minutes, more than the machine
// can do however long a submission takes, and takes samples until all have
// ended. In between the whole command compares its model with the controller.
func (b *bed) watchLoad(t *testing.T, since ostrich.Time) (samples []sample, wrong []string) {
	t.Helper()
	random := uint64(7)
	some := []string{users[0], users[1], users[4], users[5]} // two of each account
	draw := func(n int) int {
		random = random*6364136223846793005 + 1442695040888963407
		return int(random >> 33 % uint64(n))
	}
	const jobs, waiting, most = 48, 12, 15 * time.Minute
	began := time.Now()
	next := began
	for n := 1; ; n++ {
		if n <= jobs {
			user := some[min(draw(6), draw(6), 3)] // some submit more than others
			args := []string{
				"--ntasks", strconv.Itoa(1 + draw(5)/4), "--time", strconv.Itoa(2 + draw(4)),
				"--nice=" + strconv.Itoa(n%10/9*50), "--wrap", "exec sleep " + strconv.Itoa(15+draw(30)),
			}
			switch draw(5) {
			case 0:
				args = append(args, "--qos=favoured")
			case 1:
				args = append(args, "--partition=urgent")
			}
			b.submit(t, user, args...)
		}
		if n == jobs {
			wrong = b.checked(t, since)
		}
		if n > jobs && b.do(t, "root", "squeue", "-h") == "" {
			return samples, wrong
		}
		if time.Since(began) > most {
			t.Fatalf("the load had not ended after %v", most)
		}
		if time.Now().After(next) {
			samples = append(samples, b.sample(t))
			next = time.Now().Add(12 * time.Second)
		}
		if n < jobs && len(b.lines(t, "squeue", "-h", "-t", "PENDING")) < waiting {
			continue
		}
		time.Sleep(2300 * time.Millisecond)
	}
}

// sample asks sprio and sshare, again if a calculation falls between.
func (b *bed) sample(t *testing.T) sample {
	t.Helper()
	for {
		s := sample{calculated: b.calculated(t), shares: make(map[string]multifactor.Share)}
		for _, line := range b.lines(t, "sprio", "-h", "-o", "%i|%Y|%a|%f|%j|%p|%q|%N") {
			for i := range line {
				line[i] = strings.TrimSpace(line[i])
			}
			s.jobs = append(s.jobs, sampledJob{
				id: ostrich.JobID(number(t, line[0])), priority: uint32(number(t, line[1])),
				factors: multifactor.Factors{
					Age: decimal(t, line[2]), Fairshare: decimal(t, line[3]), JobSize: decimal(t, line[4]), Partition: decimal(t, line[5]), QOS: decimal(t, line[6]),
					Nice: number(t, line[7]),
				},
			})
		}
		for _, line := range b.lines(t, "sshare", "-a", "-l", "-n", "-P", "-o", "Account,User,NormShares,RawUsage,NormUsage,EffectvUsage,FairShare,LevelFS") {
			user := strings.TrimSpace(line[1])
			if user == "" {
				continue
			}
			s.shares[user] = multifactor.Share{
				NormShares: decimal(t, line[2]), RawUsage: decimal(t, line[3]), NormUsage: decimal(t, line[4]), EffectvUsage: decimal(t, line[5]),
				FairShare: decimal(t, line[6]), LevelFS: decimal(t, line[7]),
			}
		}
		s.process = process(t)
		s.at = ostrich.Time(time.Now().Unix())
		// A calculation is saved when all is done.
		if now := b.calculated(t); now == s.calculated && s.at < now+59 {
			return s
		}
		time.Sleep(time.Second)
	}
}

// decimal is a number with a fraction; what is left out is 0.
func decimal(t *testing.T, text string) float64 {
	t.Helper()
	if text = strings.TrimSpace(text); text == "" {
		return 0
	}
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// replayed is the model after the events of accounting.
type replayed struct {
	model  *multifactor.Multifactor
	users  map[string]int // associations
	jobs   map[ostrich.JobID]*multifactor.Request
	events []turn
	ends   []ostrich.Time
	before map[ostrich.JobID]bool // jobs that ended just before a calculation of that second
}

// turn is what happened to a job.
type turn struct {
	at   ostrich.Time
	kind ostrich.Kind
	job  ostrich.JobID
}

// replay reads the association tree and the jobs.
func (b *bed) replay(t *testing.T, flags multifactor.Flags, first ostrich.Time) *replayed {
	t.Helper()
	c := multifactor.Config{
		Weights: multifactor.Weights{Age: 1000, Fairshare: 100, JobSize: 1000, Partition: 1000, QOS: 1000},
		Flags:   flags, MaxAge: 300, HalfLife: 180, Period: 60, Procs: b.cpus, Nodes: b.cpus,
		Partitions: []multifactor.Partition{{Name: "main", JobFactor: 1}, {Name: "debug", JobFactor: 1}, {Name: "urgent", JobFactor: 4}},
		QOS:        []multifactor.QOS{{Name: "normal", UsageFactor: 1}, {Name: "favoured", Priority: 1000, UsageFactor: 2}},
	}
	r := &replayed{users: make(map[string]int), jobs: make(map[ostrich.JobID]*multifactor.Request), before: make(map[ostrich.JobID]bool)}
	for _, line := range b.lines(t, "sacctmgr", "-n", "-P", "show", "associations", "where", "cluster="+cluster, "format=Account,User,ParentName,Share") {
		shares := multifactor.UseParent
		if line[3] != "parent" {
			shares = int(number(t, line[3]))
		}
		switch account, user, parent := line[0], line[1], line[2]; {
		case user != "":
			r.users[user] = len(c.Associations)
			c.Associations = append(c.Associations, multifactor.Association{User: user, Account: account, Shares: shares})
		case account != multifactor.Root:
			c.Accounts = append(c.Accounts, multifactor.Account{Name: account, Parent: parent, Shares: shares})
		}
	}
	var err error
	if r.model, err = multifactor.New(c, first); err != nil {
		t.Fatal(err)
	}
	rows := b.lines(t, "sacct", "-X", "-n", "-P", "-a", "-S", "now-1hour", "-o",
		"JobIDRaw,User,Partition,QOS,ReqCPUS,Submit,Eligible,Start,End,TimelimitRaw,AllocCPUS")
	for _, row := range rows {
		when := func(text string) ostrich.Time {
			if n, err := strconv.ParseInt(text, 10, 64); err == nil {
				return ostrich.Time(n)
			}
			return 0 // None, Unknown
		}
		id := ostrich.JobID(number(t, row[0]))
		q := &multifactor.Request{
			Association: r.users[row[1]],
			Partition:   slices.IndexFunc(c.Partitions, func(p multifactor.Partition) bool { return p.Name == row[2] }),
			QOS:         slices.IndexFunc(c.QOS, func(q multifactor.QOS) bool { return q.Name == row[3] }),
			Procs:       int(number(t, row[4])), Submit: when(row[5]), Eligible: when(row[6]), Limit: ostrich.Duration(60 * number(t, row[9])),
		}
		if q.Submit < first {
			continue // the testbed's own
		}
		r.jobs[id] = q
		r.events = append(r.events, turn{q.Submit, ostrich.Submit, id})
		// One that is cancelled while it waits starts when it ends.
		if start, end := when(row[7]), when(row[8]); 0 < start && start < end && row[10] != "0" {
			r.events = append(r.events, turn{start, ostrich.Start, id}, turn{end, ostrich.End, id})
			r.ends = append(r.ends, end)
		}
	}
	slices.SortFunc(r.events, func(a, b turn) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.job, b.job), cmp.Compare(a.kind, b.kind))
	})
	return r
}

// until steps the model through the events before a moment, or a calculation at it.
func (r *replayed) until(t *testing.T, at ostrich.Time) {
	t.Helper()
	for i := 0; i < len(r.events) && r.events[i].at <= at; {
		e := r.events[i]
		if e.at == at && !r.before[e.job] {
			i++
			continue
		}
		r.events = slices.Delete(r.events, i, i+1)
		var err error
		switch e.kind {
		case ostrich.Submit:
			err = r.model.Wait(e.job, r.jobs[e.job], e.at)
		case ostrich.Start:
			err = r.model.Start(e.job, r.jobs[e.job], e.at)
		default:
			err = r.model.End(e.job, e.at)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// read finds out which jobs that ended in the second of a calculation did so
// before it. Accounting knows seconds only. The log of slurmctld tells what was
// booked at the end of a job: nothing, if the calculation had just done so.
func (r *replayed) read(t *testing.T, log string) {
	t.Helper()
	booked := make(map[ostrich.JobID]bool)
	ending := ""
	for line := range strings.Lines(log) {
		if m := completes.FindStringSubmatch(line); m != nil {
			ending = m[1]
		} else if m := books.FindStringSubmatch(line); m != nil && m[1] == ending {
			booked[ostrich.JobID(number(t, ending))] = m[2] != "0"
			ending = ""
		}
	}
	first, period := r.model.Latest(), r.model.Due()-r.model.Latest()
	for _, e := range r.events {
		if e.kind == ostrich.End && (e.at-first)%period == 0 {
			r.before[e.job] = booked[e.job]
			report(t, "close", "job %d ended in the second of a calculation, before it: %v", e.job, r.before[e.job])
		}
	}
}

// quiet reports that no job ended about that moment: slurmctld books an end a little
// later than it happened.
func (r *replayed) quiet(at ostrich.Time) bool {
	return !slices.ContainsFunc(r.ends, func(end ostrich.Time) bool { return end-1 <= at && at <= end+5 })
}

// compare holds the model against the samples, and returns what is wrong.
func (r *replayed) compare(t *testing.T, samples []sample) (wrong []string) {
	t.Helper()
	off := make(map[string][]float64) // by how much
	low, high := make(map[string]float64), make(map[string]float64)
	note := func(name string, got, want float64) {
		if _, seen := low[name]; !seen {
			low[name], high[name] = want, want
		}
		low[name], high[name] = min(low[name], want), max(high[name], want)
		off[name] = append(off[name], math.Abs(got-want))
	}
	concordant, pairs, jobs, quiet := 0, 0, 0, 0
	for _, s := range samples {
		r.until(t, s.calculated)
		r.model.AdvanceTo(s.calculated)
		if r.model.Latest() != s.calculated {
			wrong = append(wrong, fmt.Sprintf("slurmctld calculated at %d, the model at %d", s.calculated, r.model.Latest()))
		}
		for _, user := range users {
			got, want := r.model.Share(r.users[user]), s.shares[user]
			note("FairShare", got.FairShare, want.FairShare)
			note("EffectvUsage", got.EffectvUsage, want.EffectvUsage)
			note("NormShares", got.NormShares, want.NormShares)
			if !near(got.FairShare, want.FairShare, 0.01) {
				t.Logf("at %d+%d %s: %+v, want %+v", s.calculated, s.at-s.calculated, user, got, want)
			}
		}
		model := make([]uint32, len(s.jobs))
		for i, j := range s.jobs {
			q := r.jobs[j.id]
			if q == nil {
				t.Fatalf("accounting does not know job %d", j.id)
			}
			jobs++
			q.Nice = j.factors.Nice
			f := r.model.Factors(q, max(s.calculated, q.Submit))
			model[i] = r.model.Priority(&f)
			note("age", f.Age, j.factors.Age)
			note("fair share", f.Fairshare, j.factors.Fairshare)
			note("job size", f.JobSize, j.factors.JobSize)
			note("partition", f.Partition, j.factors.Partition)
			note("QOS", f.QOS, j.factors.QOS)
			note("priority", float64(model[i]), float64(j.priority))
			for k := range i {
				if s.jobs[k].priority == j.priority {
					continue
				}
				pairs++
				if (s.jobs[k].priority < j.priority) == (model[k] < model[i]) && model[k] != model[i] {
					concordant++
				}
			}
		}
		if r.quiet(s.at) {
			quiet++
			r.until(t, s.at)
			for _, user := range users {
				note("RawUsage", r.model.Share(r.users[user]).RawUsage, s.shares[user].RawUsage)
			}
		}
	}
	for _, name := range []string{"FairShare", "EffectvUsage", "NormShares", "RawUsage", "age", "fair share", "job size", "partition", "QOS", "priority"} {
		if len(off[name]) == 0 || name == "RawUsage" && high[name] == 0 {
			continue // no moment was quiet, or only those before the first end
		}
		span, within := high[name]-low[name], 0
		for _, x := range off[name] {
			if x <= max(0.01*span, printed) {
				within++
			}
		}
		part := float64(within) / float64(len(off[name]))
		report(t, strings.ReplaceAll(name, " ", "-"), "%.1f %% of %d within 1 %% of the range, off by at most %.6g, in Slurm from %.6g to %.6g",
			100*part, len(off[name]), slices.Max(off[name]), low[name], high[name])
		if span == 0 && name != "NormShares" {
			wrong = append(wrong, fmt.Sprintf("%s is always %v: nothing is compared", name, low[name]))
		}
		// Where a job ends in the second of a calculation, or two users have used
		// the same, accounting's whole seconds do not decide.
		if part < 0.85 && name != "RawUsage" && name != "EffectvUsage" {
			wrong = append(wrong, fmt.Sprintf("%s is off by more than 1 %% of the range from %v to %v in %.1f %%", name, low[name], high[name], 100*(1-part)))
		}
	}
	tau := 2*float64(concordant)/float64(pairs) - 1
	report(t, "tau", "%.5f, by %d pairs of %d jobs in %d samples", tau, pairs, jobs, len(samples))
	if pairs < 200 || tau < 0.98 {
		wrong = append(wrong, fmt.Sprintf("tau %.5f of %d pairs, want 0.98 of 200 at least", tau, pairs))
	}
	return wrong
}

func near(a, b, within float64) bool { return a == b || math.Abs(a-b) <= within }

// comparedJSON is what compare writes, as far as it matters here.
type comparedJSON struct {
	Runs []struct {
		Run  string
		Jobs int
		Wait struct{ Mean float64 }
	}
	Agreement struct {
		Starts float64 `json:"start_kendall_tau"`
		Waits  float64 `json:"wait_kendall_tau"`
	}
	Controller struct {
		Users, Jobs int
		Delta       float64 `json:"max_factor_difference"`
		Tau         float64 `json:"kendall_tau"`
	}
	Notes []string
}

// compareSince has the command compare what happened since a moment.
func (b *bed) compareSince(t *testing.T, since ostrich.Time) comparedJSON {
	t.Helper()
	r := b.ostrich(t, "compare", "--json", "--starttime", time.Unix(int64(since), 0).Format("2006-01-02T15:04:05"))
	if r.code != 0 {
		t.Fatalf("ostrich compare: exit code %d: %s", r.code, r.stderr)
	}
	var c comparedJSON
	if err := json.Unmarshal([]byte(r.stdout), &c); err != nil {
		t.Fatal(err)
	}
	return c
}

// checked holds the model that the command makes from accounting against the
// controller, while jobs wait, and returns what is wrong.
func (b *bed) checked(t *testing.T, since ostrich.Time) (wrong []string) {
	t.Helper()
	c := b.compareSince(t, since).Controller
	report(t, "controller", "fair share of %d users off by at most %.4g, tau %.4f of %d pending jobs", c.Users, c.Delta, c.Tau, c.Jobs)
	if c.Users < len(users) || c.Jobs < 5 || c.Tau < 0.9 {
		wrong = append(wrong, fmt.Sprintf("compare sees the controller otherwise: %+v", c))
	}
	return wrong
}

// compared has the command replay what happened since a moment, and holds the
// starts under its fairshare against the real ones; it returns what is wrong.
func (b *bed) compared(t *testing.T, since ostrich.Time) (wrong []string) {
	t.Helper()
	c := b.compareSince(t, since)
	if len(c.Runs) < 2 || c.Runs[0].Jobs < 30 {
		t.Fatalf("nothing was compared: %+v", c)
	}
	report(t, "starts", "tau %.4f of the starts of %d jobs and %.4f of their waits; mean wait %.1f s recorded, %.1f s simulated",
		c.Agreement.Starts, c.Runs[0].Jobs, c.Agreement.Waits, c.Runs[0].Wait.Mean, c.Runs[1].Wait.Mean)
	// The simulation does not know how long slurmctld and slurmd take for a start,
	// which on a busy machine is seconds: this is to notice nonsense. How good it
	// is else, the figures above and package sim's tests say.
	const least = 0.5
	if c.Agreement.Starts < least {
		wrong = append(wrong, fmt.Sprintf("the simulated starts come in another order than the real ones: tau %.4f, want %v at least", c.Agreement.Starts, least))
	}
	return wrong
}

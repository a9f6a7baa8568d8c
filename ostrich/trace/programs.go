package trace

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sort"
)

// Programs generates workloads in which each user runs a few programs again and
// again. A site's job names and scripts show such programs; its time limits hide
// them. Field 14, the executable, is the number of the program.
//
//   - A user has 2 to 6 programs, the first ones run most often. The median length
//     of a program is log-normal around 10 minutes with σ = 2 over all programs;
//     its runs scatter around it with σ = 0.2 to 0.6. Seven in ten run on as many
//     processors as their user always takes, 1 to 32, a power of two.
//   - Limits are round numbers. Half of the users ask for the same limit for
//     everything they run, the others for the first round number above a
//     program's usual length times 1.5 to 8. A job that reaches its limit is ended.
//   - A campaign is a run of one program with 3 jobs in the median, and seldom
//     hundreds; one in five mixes the user's programs. Its jobs come within seconds.
//   - Two in five programs are fragile: 15 to 60 % of their campaigns fail at once,
//     all their jobs within half a minute. One in fifty other jobs does.
//   - After a campaign the user thinks for three hours in the median, and comes
//     back the next morning if that ends at night.
//
// Fields 17 and 18 link the campaigns of a user, as in Model.
type Programs struct {
	Jobs, Users int

	// Procs are the processors of the machine; 0 sizes the machine for Load.
	Procs int64
	// Load is the work of all jobs, divided by what the machine can do between
	// the first and the last submission; 0 means 0.85.
	Load float64
}

const usualLoad = 0.85

// widest is the most processors of a job.
const widest = 32

// program is what a user runs.
type program struct {
	number        int64
	median, sigma float64 // of the length
	procs, limit  int64
	fragile       float64 // probability that a campaign of it fails
}

// customer is a user, with the next campaign.
type customer struct {
	id            int64
	programs      []program
	next          int64 // submission
	think, before int64 // of the next one; before is the last job of the present one
}

// limits are the time limits that users ask for, in seconds.
var limits = []int64{600, 1800, 3600, 2 * 3600, 4 * 3600, 8 * 3600, 12 * 3600, 24 * 3600, 48 * 3600, 96 * 3600}

const (
	morning, night = 8 * 3600, 22 * 3600
	wholeDay       = 24 * 3600
)

// Generate draws a workload. The same model and seed give the same log.
func (a Programs) Generate(seed uint64) (*Log, error) {
	why := ""
	switch {
	case a.Jobs < 1:
		why = fmt.Sprintf("%d jobs", a.Jobs)
	case a.Users < 1 || a.Users > math.MaxInt32:
		why = fmt.Sprintf("%d users", a.Users)
	case a.Procs < 0 || a.Procs > 0 && a.Procs < widest:
		why = fmt.Sprintf("%d processors, and jobs of up to %d", a.Procs, widest)
	case !(a.Load >= 0) || a.Load > 10:
		why = fmt.Sprintf("a load of %v", a.Load)
	}
	if why != "" {
		return nil, fmt.Errorf("trace: generate: %s: %w", why, ErrModel)
	}
	rng := rand.New(rand.NewPCG(seed, 1))
	users := customers(rng, a.Users)
	records := make([]Record, 0, a.Jobs)
	for len(records) < a.Jobs {
		u := slices.MinFunc(users, func(a, b *customer) int { return cmp.Compare(a.next, b.next) })
		records = u.campaign(rng, records, a.Jobs)
	}
	byTime(records)
	procs := a.Procs
	if procs == 0 {
		procs = max(widest, Machine(records, cmp.Or(a.Load, usualLoad)))
	}
	return &Log{
		Header: []string{
			" Version: 2.2",
			fmt.Sprintf(" MaxJobs: %d", a.Jobs),
			fmt.Sprintf(" MaxProcs: %d", procs),
			fmt.Sprintf(" Note: generated from seed %d: %d users with programs of their own (field 14)", seed, a.Users),
		},
		Records: records,
	}, nil
}

// customers draws the users.
func customers(rng *rand.Rand, n int) []*customer {
	list := make([]*customer, n)
	number := int64(0)
	for i := range list {
		u := &customer{id: int64(i + 1), think: Unknown, before: Unknown, next: rng.Int64N(wholeDay)}
		same := int64(0) // what this user always asks for; 0 if it depends on the program
		if rng.Float64() < 0.5 {
			same = limits[4+rng.IntN(5)]
		}
		usual := int64(1) << rng.IntN(6)
		for range 2 + rng.IntN(5) {
			number++
			p := program{
				number: number, sigma: 0.2 + 0.4*rng.Float64(), procs: usual,
				median: min(max(600*math.Exp(2*rng.NormFloat64()), 5), 24*3600),
			}
			if rng.Float64() < 0.3 {
				p.procs = 1 << rng.IntN(6)
			}
			p.limit = same
			if same == 0 {
				p.limit = round(p.median * math.Exp(2*p.sigma) * (1.5 + 6.5*rng.Float64()))
			}
			if rng.Float64() < 0.4 {
				p.fragile = 0.15 + 0.45*rng.Float64()
			}
			u.programs = append(u.programs, p)
		}
		list[i] = u
	}
	return list
}

// round returns the first limit that is at least this long, or the last limit.
func round(seconds float64) int64 {
	i := sort.Search(len(limits)-1, func(i int) bool { return float64(limits[i]) >= seconds })
	return limits[i]
}

// choose draws one of the user's programs: the second is half as likely as the
// first, and so on.
func (u *customer) choose(rng *rand.Rand) *program {
	for i := range u.programs {
		if rng.Float64() < 0.5 {
			return &u.programs[i]
		}
	}
	return &u.programs[0]
}

// campaign adds the jobs of the user's next campaign, up to most records in all,
// and draws the think time before the one after it.
func (u *customer) campaign(rng *rand.Rand, records []Record, most int) []Record {
	p := u.choose(rng)
	mixed := rng.Float64() < 0.2
	fails := rng.Float64() < p.fragile
	size := int(min(max(3*math.Exp(1.4*rng.NormFloat64()), 1), 500))
	at, end := u.next, u.next
	for range min(size, most-len(records)) {
		if mixed {
			p = u.choose(rng)
		}
		run, status := int64(p.median*math.Exp(p.sigma*rng.NormFloat64())), int64(1)
		if fails || rng.Float64() < 0.02 {
			run, status = 1+rng.Int64N(30), 0
		}
		if run >= p.limit {
			run, status = p.limit, 5
		}
		r := Record{
			Number: int64(len(records) + 1), Submit: at, Wait: Unknown, Run: max(run, 1), Allocated: p.procs, CPU: Unknown, Memory: Unknown,
			Requested: p.procs, Limit: p.limit, RAM: Unknown, Status: status, User: u.id, Group: Unknown,
			App: p.number, Queue: Unknown, Partition: Unknown, Preceding: u.before, Think: u.think,
		}
		records = append(records, r)
		end = max(end, at+r.Run)
		if rng.Float64() < 0.2 {
			at++
		}
	}
	u.before = records[len(records)-1].Number
	u.next = end + 1 + int64(min(3*3600*math.Exp(1.5*rng.NormFloat64()), 7*wholeDay))
	if hour := u.next % wholeDay; hour < morning || hour >= night {
		u.next += (wholeDay+morning-hour)%wholeDay + rng.Int64N(3600)
	}
	u.think = u.next - end
	return records
}

// byTime sorts the jobs by submission and renumbers them.
func byTime(records []Record) {
	slices.SortStableFunc(records, func(a, b Record) int { return cmp.Compare(a.Submit, b.Submit) })
	number := make([]int64, len(records)+1)
	for i := range records {
		number[records[i].Number] = int64(i + 1)
	}
	for i := range records {
		r := &records[i]
		r.Number = int64(i + 1)
		if r.Preceding != Unknown {
			r.Preceding = number[r.Preceding]
		}
	}
}

// Machine returns how many processors have the given load under the records, which are in
// the order of their submission; at least 1.
func Machine(records []Record, load float64) int64 {
	work := 0.0
	for i := range records {
		work += float64(records[i].Run) * float64(records[i].Allocated)
	}
	span := max(records[len(records)-1].Submit-records[0].Submit, 1)
	return max(1, int64(math.Ceil(work/float64(span)/load)))
}

package trace

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"sort"
)

// Owners says how Model draws the owners of campaigns.
type Owners uint8

const (
	// Uniform makes every user equally likely. It is the zero value.
	Uniform Owners = iota
	// Zipf makes the u-th user likely in proportion to u to the power of
	// −Exponent.
	Zipf
)

// OwnerNames lists the distributions of owners in the order of their constants.
var OwnerNames = []string{"uniform", "zipf"}

// Profile is a kind of user. The lengths of their jobs are whole seconds, uniform
// between Shortest and Longest.
type Profile struct {
	Shortest, Longest int64
}

// Model generates workloads of campaigns as the papers do. It draws jobs one
// after the other. Each starts a new campaign with a fixed probability, or else
// belongs to the one before; a new campaign gets an owner.
type Model struct {
	Jobs     int
	Users    int
	Procs    int64   // of the machine, for the header; all jobs are sequential
	New      float64 // probability that a job starts a new campaign, above 0
	Owners   Owners
	Exponent float64 // of Zipf

	// Profiles are given to users in turn: the first to user 1, and so on.
	Profiles []Profile

	// Think is the think time of every campaign but a user's first, in seconds,
	// at most 2^31−1.
	Think int64
}

// HiPC is the workload of Pinheiro, Rzadca, Trystram, "Campaign Scheduling"
// (HiPC 2012), section VII: 10 processors, 10^4 jobs of 1 to 100 s, a new
// campaign with probability 0.1, owners by Zipf's law with exponent 1.4267, and
// no think time.
func HiPC(users int) Model {
	return Model{
		Jobs: 10_000, Users: users, Procs: 10, New: 0.1, Owners: Zipf, Exponent: 1.4267,
		Profiles: []Profile{{Shortest: 1, Longest: 100}},
	}
}

// PPAM is the workload of Emeras, Pinheiro, Rzadca, Trystram, "OStrich: Fair
// Scheduling for Multiple Submissions" (PPAM 2013), section 6: 64 processors,
// 10^4 jobs, a new campaign with probability 0.02, each user equally likely.
// Users with odd numbers are short, with jobs of 1 s to an hour, the others long,
// with jobs of one to ten hours. The paper does not give the number of users, the
// number of each kind and the think times.
func PPAM(users int) Model {
	return Model{
		Jobs: 10_000, Users: users, Procs: 64, New: 0.02,
		Profiles: []Profile{{Shortest: 1, Longest: 3600}, {Shortest: 3600, Longest: 36_000}},
	}
}

// ErrModel marks a model that cannot generate a workload.
var ErrModel = errors.New("nothing can be generated")

func (m *Model) check() error {
	why := ""
	switch {
	case m.Jobs < 1:
		why = fmt.Sprintf("%d jobs", m.Jobs)
	case m.Users < 1 || m.Users > math.MaxInt32:
		why = fmt.Sprintf("%d users", m.Users)
	case m.Procs < 1:
		why = fmt.Sprintf("%d processors", m.Procs)
	case !(m.New > 0 && m.New <= 1):
		why = fmt.Sprintf("a new campaign with probability %v", m.New)
	case int(m.Owners) >= len(OwnerNames):
		why = fmt.Sprintf("owners by distribution %d", m.Owners)
	case m.Owners == Zipf && !(m.Exponent >= 0 && m.Exponent <= 100):
		why = fmt.Sprintf("an exponent of %v", m.Exponent)
	case len(m.Profiles) == 0:
		why = "no profile"
	case m.Think < 0 || m.Think > math.MaxInt32:
		why = fmt.Sprintf("a think time of %d s", m.Think)
	}
	for i, p := range m.Profiles {
		if p.Shortest < 1 || p.Longest < p.Shortest || p.Longest > math.MaxInt32 {
			why = fmt.Sprintf("profile %d has jobs of %d to %d s", i+1, p.Shortest, p.Longest)
		}
	}
	if why != "" {
		return fmt.Errorf("trace: generate: %s: %w", why, ErrModel)
	}
	return nil
}

// Generate draws a workload. The same model and seed give the same log.
//
// The fields that the format has for it describe a campaign: each job except
// those of a user's first campaign names as preceding job (field 17) the last job
// of the user's campaign before, with the think time (field 18). A campaign is
// submitted when all jobs of the one before have ended, not only the named one.
// That moment depends on the scheduler. So submit times (field 2) are those of a
// user alone on unlimited processors, where the campaign before ends with its
// longest job. Jobs are numbered in the order of drawing, and the log is in that
// order. Field 14, the executable, is the profile of the user, from 1.
func (m Model) Generate(seed uint64) (*Log, error) {
	if err := m.check(); err != nil {
		return nil, err
	}
	rng := rand.New(rand.NewPCG(seed, 0))
	type user struct {
		last, before int64 // number of the last job of the present campaign and of the one before; 0 for none
		submit, end  int64 // of the present campaign
	}
	users := make([]user, m.Users)
	weights := m.weights()
	log := &Log{
		Header: []string{
			" Version: 2.2",
			fmt.Sprintf(" MaxJobs: %d", m.Jobs),
			fmt.Sprintf(" MaxProcs: %d", m.Procs),
			fmt.Sprintf(" Note: generated from seed %d: %d users, owners %s, a new campaign with probability %v",
				seed, m.Users, OwnerNames[m.Owners], m.New),
		},
		Records: make([]Record, 0, m.Jobs),
	}
	owner := 0
	for n := range m.Jobs {
		if n == 0 || rng.Float64() < m.New {
			owner = pick(rng, weights)
			u := &users[owner]
			if u.last > 0 {
				u.before, u.submit = u.last, u.end+m.Think
			}
		}
		u := &users[owner]
		profile := owner % len(m.Profiles)
		p := m.Profiles[profile]
		run := p.Shortest + rng.Int64N(p.Longest-p.Shortest+1)
		r := Record{
			Number: int64(n + 1), Submit: u.submit, Wait: Unknown, Run: run, Allocated: 1, CPU: Unknown, Memory: Unknown,
			Requested: 1, Limit: run, RAM: Unknown, Status: 1, User: int64(owner + 1), Group: Unknown,
			App: int64(profile + 1), Queue: Unknown, Partition: Unknown, Preceding: Unknown, Think: Unknown,
		}
		if u.before > 0 {
			r.Preceding, r.Think = u.before, m.Think
		}
		u.last = r.Number
		u.end = max(u.end, u.submit+run)
		log.Records = append(log.Records, r)
	}
	return log, nil
}

// weights returns cumulated probabilities of the users: the u-th entry is the sum
// over the first u+1.
func (m *Model) weights() []float64 {
	list := make([]float64, m.Users)
	total := 0.0
	for u := range list {
		if m.Owners == Zipf {
			total += math.Pow(float64(u+1), -m.Exponent)
		} else {
			total++
		}
		list[u] = total
	}
	return list
}

// pick draws a user.
func pick(rng *rand.Rand, weights []float64) int {
	x := rng.Float64() * weights[len(weights)-1]
	return sort.Search(len(weights)-1, func(u int) bool { return x < weights[u] })
}

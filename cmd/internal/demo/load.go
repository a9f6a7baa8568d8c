package demo

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"slurm-ostrich/cmd/internal/memslurm"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/sim"
)

// begin is when the emulated clock starts: Monday, 5 January 2026, 8:00 UTC.
const begin ostrich.Time = 1_767_600_000

// userNames are the users of the demonstration, as many as there are colours
// that most people can tell apart.
var userNames = []string{"alice", "bob", "carol", "dave", "erin", "frank", "grace", "heidi"}

// accounts are the accounts of two users each.
var accounts = []string{"astro", "bio", "chem", "dyna"}

// between is a range of whole numbers, both ends included.
type between struct{ least, most int64 }

// draw is even in the logarithm: of jobs there are more short than long ones.
func (b between) draw(r *rand.Rand) int64 {
	if b.least == b.most {
		return b.least
	}
	low, high := math.Log(float64(b.least)), math.Log(float64(b.most+1))
	return min(b.most, int64(math.Exp(low+(high-low)*r.Float64())))
}

// shape is a kind of campaign: so many jobs, of so many seconds and processors.
type shape struct{ jobs, length, procs between }

// profile is a kind of user. The user submits the shapes in turn.
type profile struct {
	About  string // one phrase
	shapes []shape
	think  between // seconds
	late   float64 // when the user arrives, as part of the time
}

var (
	flood = shape{between{80, 160}, between{600, 3600}, between{1, 1}}
	small = shape{between{4, 12}, between{60, 480}, between{1, 2}}
	long  = shape{between{12, 32}, between{1800, 7200}, between{1, 4}}
	some  = shape{between{16, 40}, between{300, 1800}, between{1, 2}}
)

// profiles are given to the users in turn.
var profiles = []profile{
	{"floods the queue", []shape{flood}, between{600, 3600}, 0},
	{"small campaigns", []shape{small}, between{300, 1800}, 0.02},
	{"long parallel jobs", []shape{long}, between{600, 3600}, 0.01},
	{"small campaigns", []shape{small}, between{300, 1800}, 0.03},
	{"newcomer after a third of the time", []shape{some}, between{600, 3600}, 0.33},
	{"long parallel jobs", []shape{long}, between{600, 3600}, 0},
	{"tests, then long runs", []shape{small, small, long}, between{300, 3600}, 0.01},
	{"small campaigns", []shape{small}, between{300, 1800}, 0.04},
}

// submitter is a user of the demonstration.
type submitter struct {
	memslurm.User
	profile
}

func submitters(n int) []submitter {
	list := make([]submitter, n)
	for i := range list {
		list[i] = submitter{memslurm.User{UID: ostrich.UserID(1001 + i), Name: userNames[i], Account: accounts[i/2]}, profiles[i%len(profiles)]}
	}
	return list
}

// drawLoad draws the campaigns of the users for about some hours. The same seed gives
// the same campaigns. A user has as many as fit in when each takes as long as it would
// on the user's even share of the machine; what really happens is up to the scheduler.
// Time limits are one to three times the length, in full minutes as Slurm has them.
func drawLoad(users []submitter, hours int, seed uint64) []sim.Campaign {
	var list []sim.Campaign
	for i, u := range users {
		r := rand.New(rand.NewPCG(seed, uint64(i)))
		span := float64(hours) * 3600
		at := u.late * span
		first := begin + ostrich.Time(at)
		for number := 0; number == 0 || at < span; number++ {
			c := sim.Campaign{User: u.UID}
			if number > 0 {
				c.Think = ostrich.Duration(u.think.draw(r))
			}
			// A closed loop asks for the first submission only; the others
			// put the campaigns of a user in order.
			c.Submit = first + ostrich.Time(len(list))
			kind := u.shapes[number%len(u.shapes)]
			work, longest := 0.0, 0.0
			for range kind.jobs.draw(r) {
				run := kind.length.draw(r)
				t := &sim.Job{
					ID: ostrich.JobID(len(c.Jobs) + 1), User: c.User, Submit: c.Submit, Procs: int(kind.procs.draw(r)), Run: ostrich.Duration(run),
					Estimate: ostrich.Duration((int64(float64(run)*(1+2*r.Float64()))/60 + 1) * 60),
				}
				work += float64(t.Procs) * float64(run)
				longest = max(longest, float64(run))
				c.Jobs = append(c.Jobs, t)
			}
			at += float64(c.Think) + max(work*float64(len(users))/2/procs, longest)
			list = append(list, c)
		}
	}
	slices.SortStableFunc(list, func(a, b sim.Campaign) int { return cmp.Compare(a.Submit, b.Submit) })
	return list
}

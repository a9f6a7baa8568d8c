package grid

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/sim"
)

// Task is a sequential task.
type Task struct {
	ID  ostrich.JobID
	Run ostrich.Duration // on a processor of speed 1, at least 1
}

// Bag is a bag of tasks that a user submits at once.
type Bag struct {
	User   ostrich.UserID
	Submit ostrich.Time

	// Home is the cluster, from 0, to which a user submits under SepC, and to which
	// one submits first under FCondor; Spread sets it. It has no meaning under
	// CSP.
	Home  int
	Tasks []Task // at least one
}

// work returns the sum of the reference run times, and the longest.
func (b *Bag) work() (sum ostrich.Work, most ostrich.Duration) {
	for _, t := range b.Tasks {
		sum += ostrich.Work(t.Run)
		most = max(most, t.Run)
	}
	return sum, most
}

// bound is the least time in which processors of a capacity, the fastest of a speed,
// could run the bag.
func (b *Bag) bound(capacity, fastest float64) float64 {
	sum, most := b.work()
	return max(float64(sum)/capacity, float64(most)/fastest)
}

// FromLog returns the bags of a log, in the order of their submission. numbers has the
// bag of each job, as from sim.Numbers; a job of no bag (below 0) is a bag of its own. A
// job on several processors is one task of its run time. All tasks of a bag are submitted
// with its first one.
func FromLog(jobs []sim.Job, numbers []int) []Bag {
	var bags []Bag
	of := make(map[int]int) // bags by number
	for i := range jobs {
		j := &jobs[i]
		n, known := of[numbers[i]]
		if !known || numbers[i] < 0 {
			n = len(bags)
			bags = append(bags, Bag{User: j.User, Submit: j.Submit})
			of[numbers[i]] = n
		}
		bags[n].Tasks = append(bags[n].Tasks, Task{ID: j.ID, Run: j.Run})
	}
	slices.SortStableFunc(bags, func(a, b Bag) int { return cmp.Compare(a.Submit, b.Submit) })
	return bags
}

// Homes says how users are spread over the clusters. The paper gives each cluster a
// stream of its own and does not say how it compares with the cluster.
type Homes uint8

const (
	// Sized gives clusters users in proportion to their processors. It is the
	// zero value.
	Sized Homes = iota
	// Even gives all clusters the same number of users, whatever their size.
	Even
)

// HomesNames lists the ways in the order of their constants.
var HomesNames = []string{"sized", "even"}

// Spread gives each user a home, in the order in which the users' first bags come: the
// cluster that has the fewest users then, the new one included, per processor under Sized;
// the first of equals.
func Spread(bags []Bag, p Platform, h Homes) error {
	if err := p.Validate(); err != nil {
		return err
	}
	if int(h) >= len(HomesNames) {
		return fmt.Errorf("grid: homes number %d: choose among %s: %w", h, strings.Join(HomesNames, ", "), ErrInput)
	}
	homes, users := make(map[ostrich.UserID]int), make([]int, len(p.Clusters))
	for i := range bags {
		home, known := homes[bags[i].User]
		if !known {
			home = 0
			for c := range users {
				a, b := users[c]+1, users[home]+1
				if h == Sized {
					a, b = a*p.Clusters[home].Procs, b*p.Clusters[c].Procs
				}
				if a < b {
					home = c
				}
			}
			homes[bags[i].User] = home
			users[home]++
		}
		bags[i].Home = home
	}
	return nil
}

// Load returns the load that bags put on a platform: the sum of their reference
// run times, divided by what the platform can do between the first and the last
// submission. It is infinite where all come at once.
func Load(bags []Bag, p Platform) float64 {
	if len(bags) == 0 {
		return 0
	}
	all := ostrich.Work(0)
	for i := range bags {
		sum, _ := bags[i].work()
		all += sum
	}
	span := bags[len(bags)-1].Submit - bags[0].Submit
	return float64(all) / (p.Capacity() * float64(span))
}

// Stretch returns the bags with all times between submissions multiplied so that
// they put a load, above 0, on a platform; bags that all come at once as they are.
func Stretch(bags []Bag, p Platform, load float64) []Bag {
	now := Load(bags, p)
	if math.IsInf(now, 0) || now == 0 {
		return bags
	}
	bags = slices.Clone(bags)
	first := bags[0].Submit
	for i := range bags {
		after := math.Round(float64(bags[i].Submit-first) * (now / load))
		bags[i].Submit = first + ostrich.Time(min(after, float64(4*latest)))
	}
	return bags
}

// Bounds of times, so that no sum of them overflows.
const (
	latest   = ostrich.Time(1) << 50
	longest  = ostrich.Duration(math.MaxInt32 - 1)
	mostWork = math.MaxInt32 // tasks
)

// checkBags returns what is wrong with bags, and how many tasks they have.
func checkBags(bags []Bag, clusters int, needHome bool) (tasks int, err error) {
	for i := range bags {
		b := &bags[i]
		why := ""
		switch {
		case b.Submit < bags[max(0, i-1)].Submit:
			why = "submitted before the one in front of it"
		case b.Submit < -latest || b.Submit > latest:
			why = fmt.Sprintf("submitted at %d", b.Submit)
		case needHome && (b.Home < 0 || b.Home >= clusters):
			why = fmt.Sprintf("home is cluster %d of %d", b.Home+1, clusters)
		case len(b.Tasks) == 0:
			why = "no task"
		case tasks+len(b.Tasks) >= mostWork:
			why = fmt.Sprintf("more than %d tasks", mostWork-1)
		}
		for k := range b.Tasks {
			if t := &b.Tasks[k]; why == "" && (t.Run < 1 || t.Run > longest) {
				why = fmt.Sprintf("task %d runs for %d s", t.ID, t.Run)
			}
		}
		if why != "" {
			return 0, fmt.Errorf("grid: bag %d of user %d: %s: %w", i+1, b.User, why, ErrInput)
		}
		tasks += len(b.Tasks)
	}
	if tasks == 0 {
		return 0, fmt.Errorf("grid: no bags: %w", ErrInput)
	}
	return tasks, nil
}

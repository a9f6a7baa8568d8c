//go:build !race

package figures

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/campaign"
	"slurm-ostrich/ostrich/policy"
	"slurm-ostrich/ostrich/report"
	"slurm-ostrich/ostrich/sim"
)

var measure = flag.Bool("measure", false, "compute all readings of the papers, some of which are in docs/reproduction.md")

func skipUnlessMeasuring(t *testing.T) {
	t.Helper()
	if !*measure {
		t.Skip("only prints: run with -measure")
	}
}

// byOwner draws campaigns of 1 to 100 s jobs, each of which opens a campaign
// with probability 0.1, whose owner comes from a function that is made anew for
// each instance.
func byOwner(owners func(k int, r *rand.Rand) func() int) func(k int, seed uint64) ([]policy.Campaign, error) {
	return func(k int, seed uint64) ([]policy.Campaign, error) {
		r := rand.New(rand.NewPCG(seed, uint64(k)))
		owner := owners(k, r)
		var list []policy.Campaign
		for n := range 10_000 {
			if n == 0 || r.Float64() < 0.1 {
				list = append(list, policy.Campaign{User: ostrich.UserID(owner() + 1)})
			}
			c := &list[len(list)-1]
			c.Tasks = append(c.Tasks, policy.Task{ID: ostrich.JobID(n + 1), Run: 1 + ostrich.Duration(r.IntN(100))})
		}
		return list, nil
	}
}

// zeta draws a number from 1 on in proportion to x to the power of −a
// (Devroye, "Non-Uniform Random Variate Generation", X.6.1).
func zeta(a float64, r *rand.Rand) float64 {
	b := math.Pow(2, a-1)
	for {
		x := math.Floor(math.Pow(1-r.Float64(), -1/(a-1)))
		if x > 1e15 {
			continue
		}
		if t := math.Pow(1+1/x, a-1); r.Float64()*x*(t-1)/(b-1) <= t/b {
			return x
		}
	}
}

// merged makes one campaign of those of one owner that follow one another.
func merged(draw func(k int, seed uint64) ([]policy.Campaign, error)) func(k int, seed uint64) ([]policy.Campaign, error) {
	return func(k int, seed uint64) ([]policy.Campaign, error) {
		campaigns, err := draw(k, seed)
		var list []policy.Campaign
		for _, c := range campaigns {
			if n := len(list); n > 0 && list[n-1].User == c.User {
				list[n-1].Tasks = append(list[n-1].Tasks, c.Tasks...)
				continue
			}
			list = append(list, c)
		}
		return list, err
	}
}

// TestHiPCReadings prints the tables of HiPC Fig. 4 and 5, some minutes.
func TestHiPCReadings(t *testing.T) {
	skipUnlessMeasuring(t)
	const n = 300
	clipped := byOwner(func(k int, r *rand.Rand) func() int {
		return func() int { return int(min(zeta(1.4267, r), float64(k))) - 1 }
	})
	modulo := byOwner(func(k int, r *rand.Rand) func() int {
		return func() int { return int(math.Mod(zeta(1.4267, r)-1, float64(k))) }
	})
	drawnWeights := byOwner(func(k int, r *rand.Rand) func() int {
		weights := make([]float64, k)
		total := 0.0
		for u := range weights {
			total += zeta(1.4267, r)
			weights[u] = total
		}
		return func() int {
			u, _ := slices.BinarySearch(weights, r.Float64()*total)
			return u
		}
	})
	const packed = policy.Packed
	readings := []struct {
		name string
		hipcReading
	}{
		{"exponent 1.4267, blocks (as printed)", hipcReading{exponent: 1.4267}},
		{"… against max(W/m, p_max)", hipcReading{exponent: 1.4267, byBound: true}},
		{"… the largest of all campaigns, not of users", hipcReading{exponent: 1.4267, each: true}},
		{"exponent 1.4267, packed", hipcReading{exponent: 1.4267, place: packed}},
		{"… FCFS of jobs", hipcReading{exponent: 1.4267, place: packed, byJob: true}},
		{"… the largest of all campaigns, not of users", hipcReading{exponent: 1.4267, place: packed, each: true}},
		{"1.4267 without end, those beyond k are user k, blocks", hipcReading{draw: clipped}},
		{"1.4267 without end, modulo k, blocks", hipcReading{draw: modulo}},
		{"1.4267, campaigns of one owner in a row are one, blocks", hipcReading{draw: merged(hipcReading{exponent: 1.4267}.generate)}},
		{"… packed", hipcReading{draw: merged(hipcReading{exponent: 1.4267}.generate), place: packed}},
		{"users' weights drawn by 1.4267, blocks", hipcReading{draw: drawnWeights}},
		{"… packed", hipcReading{draw: drawnWeights, place: packed}},
		{"exponent 1 (the paper's \"twice, three times\"), blocks", hipcReading{exponent: 1}},
		{"… packed", hipcReading{exponent: 1, place: packed}},
		{"exponent 2.4267 = 1 + 1.4267, blocks", hipcReading{exponent: 2.4267}},
		{"… packed", hipcReading{exponent: 2.4267, place: packed}},
		{"… packed, FCFS of jobs", hipcReading{exponent: 2.4267, place: packed, byJob: true}},
		{"… in a row are one, blocks", hipcReading{draw: merged(hipcReading{exponent: 2.4267}.generate)}},
		{"exponent 2.3436 = 1/(1.4267−1), blocks", hipcReading{exponent: 1 / 0.4267}},
		{"… packed", hipcReading{exponent: 1 / 0.4267, place: packed}},
		{"*not as printed:* exponent 2, blocks", hipcReading{exponent: 2}},
		{"… packed", hipcReading{exponent: 2, place: packed}},
		{"*not as printed:* new campaign with 0.02, blocks", hipcReading{exponent: 1.4267, opens: 0.02}},
		{"*not as printed:* 0.05 and exponent 2.4267, blocks", hipcReading{exponent: 2.4267, opens: 0.05}},
		{"*not as printed:* 1000 jobs, blocks", hipcReading{exponent: 1.4267, jobs: 1000}},
	}
	var table strings.Builder
	table.WriteString("\n| reading | k = 2 | k = 5 | k = 10 | k = 20 | FairCamp, k = 20 | FCFS in 10 to 50 | FCFS > 100 | distance |\n|---|---|---|---|---|---|---|---|---|\n")
	users := []int{2, 5, 10, 20}
	for _, r := range readings {
		measured, err := r.measure(t.Context(), Input{Workers: 2}, users, n)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&table, "| %s |", r.name)
		distance := 0.0
		for i, k := range users {
			fcfs, fair := measured[i][0], measured[i][1]
			a, _ := confident(fcfs)
			b, _ := confident(fair)
			fmt.Fprintf(&table, " %.2f |", a/b)
			distance += map[int]float64{5: math.Abs(math.Log(a / b / 1.35)), 10: math.Abs(math.Log(a / b / 2.24)), 20: math.Abs(math.Log(a / b / 3.4))}[k]
			if k == 20 {
				distance += math.Abs(math.Log(b / 8))
				within, above := 0, 0
				for _, v := range fcfs {
					if v >= 10 && v <= 50 {
						within++
					}
					if v > 100 {
						above++
					}
				}
				fmt.Fprintf(&table, " %.1f (%.1f to %.1f) | %.0f %% | %.1f %% |", b, slices.Min(fair), slices.Max(fair),
					100*float64(within)/n, 100*float64(above)/n)
			}
		}
		fmt.Fprintf(&table, " %.2f |\n", distance)
	}
	t.Log(table.String())
}

// TestPPAMReadings prints the table of PPAM Fig. 2, some minutes.
func TestPPAMReadings(t *testing.T) {
	skipUnlessMeasuring(t)
	var table strings.Builder
	table.WriteString("\n| users | short : long | think time (s) | FCFS of | gate | > 20 FCFS | > 20 OStrich | < 2 | short FCFS | short OStrich | long FCFS | long OStrich | distance |\n" +
		"|---|---|---|---|---|---|---|---|---|---|---|---|---|\n")
	row := func(r ppamReading, of string, fcfs sim.Machine, gate ostrich.Gate) (distance float64) {
		virtual := sim.Machine{Procs: ppamProcs, Policy: sim.OStrich(ostrich.Options{Gate: gate})}
		measured, err := r.measure(t.Context(), Input{Workers: 2}, []sim.Machine{fcfs, virtual}, 40)
		if err != nil {
			t.Fatal(err)
		}
		a, _ := measured[0].above20()
		b, _ := measured[1].above20()
		lowA, _ := measured[0].count(0, 2)
		lowB, _ := measured[1].count(0, 2)
		values := []float64{a, b}
		for profile := range 2 {
			for policy := range 2 {
				m, _ := confident(measured[policy].users[profile])
				values = append(values, m)
			}
		}
		for i, paper := range []float64{0.423, 0.013, 50, 12.8, 6.3, 6.8} {
			distance += math.Abs(math.Log(values[i] / paper))
		}
		fmt.Fprintf(&table, "| %d | %d : %d | %d | %s | %s | %.1f %% | %.1f %% | %.1f times | %.1f | %.1f | %.1f | %.1f | %.2f |\n",
			r.users, r.short, r.long, r.think, of, gate, 100*a, 100*b, float64(lowB)/float64(lowA),
			values[2], values[3], values[4], values[5], distance)
		return distance
	}
	for _, share := range [][2]int{{1, 1}, {2, 1}, {1, 2}, {3, 1}} {
		for _, users := range []int{10, 14, 16, 18, 20, 22, 24} {
			row(ppamReading{users: users, short: share[0], long: share[1]}, "campaigns", ppamFCFS, ostrich.Strict)
		}
	}
	for _, think := range []ostrich.Duration{600, 3600, 7200, 36_000} {
		for _, users := range []int{19, 20, 21, 22} {
			row(ppamReading{users: users, short: 2, long: 1, think: think}, "campaigns", ppamFCFS, ostrich.Strict)
		}
	}
	row(nearestPPAM, "jobs", sim.Machine{Procs: ppamProcs, Order: sim.FCFS}, ostrich.Strict)
	row(nearestPPAM, "campaigns", ppamFCFS, ostrich.Demote)
	row(nearestPPAM, "campaigns", ppamFCFS, ostrich.Off)
	t.Log(table.String())
	for _, r := range []ppamReading{
		nearestPPAM,
		{users: 21, short: 2, long: 1, think: 7200},
		{users: 20, short: 2, long: 1},
		{users: 20, short: 3, long: 1},
		{users: 16, short: 1, long: 1},
		{users: 20, short: 1, long: 1},
	} {
		sum := 0.0
		for set := range uint64(4) {
			r.first = 1000 * set
			sum += row(r, "campaigns", ppamFCFS, ostrich.Strict)
		}
		t.Logf("distance over four sets of 40 instances: %.2f with %d users, %d : %d, think time %d s", sum/4, r.users, r.short, r.long, r.think)
	}
}

// TestUtilisationReadings prints the table of what the thesis says of Fig. 5.11.
func TestUtilisationReadings(t *testing.T) {
	skipUnlessMeasuring(t)
	log, err := readLPC(t.Context(), lpcInput(t))
	if err != nil {
		t.Fatal(err)
	}
	from, before := extract()
	used := func(loop sim.Machine, cut, step ostrich.Duration) []float64 {
		pieces := [][]sim.Job{log.jobs}
		if cut > 0 {
			pieces = sim.Pieces(log.jobs, cut)
		}
		loop.Procs, loop.Policy = lpcProcs, sim.OStrich(ostrich.Options{Gate: ostrich.Strict})
		var all []report.Job
		for _, piece := range pieces {
			campaigns, err := sim.Campaigns(piece, campaign.Rule{})
			if err != nil {
				t.Fatal(err)
			}
			sim.Depend(campaigns)
			jobs, err := loop.Run(campaigns)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, jobs...)
		}
		return report.Utilisations(all, lpcProcs, log.moment(from), log.moment(before), step)
	}
	yes := map[bool]string{true: "kept", false: "dropped"}
	var table strings.Builder
	table.WriteString("\n| with dependencies: offsets | without: offsets | cut | mean of | each by itself | hours of the one with | hours of the one without |\n|---|---|---|---|---|---|---|\n")
	for _, r := range []struct {
		with, without bool // offsets kept
		cut           ostrich.Duration
		step          ostrich.Duration
	}{
		{true, false, 0, 3600},
		{true, false, 0, 6 * 3600},
		{true, false, 0, 24 * 3600},
		{true, false, 24 * 3600, 3600},
		{true, true, 0, 3600},
		{false, false, 0, 3600},
	} {
		numbers := compareLoads(used(sim.Machine{Offsets: r.with, Dependencies: true}, r.cut, r.step), used(sim.Machine{Offsets: r.without}, r.cut, r.step))
		fmt.Fprintf(&table, "| %s | %s | %d h | %d h |", yes[r.with], yes[r.without], r.cut/3600, r.step/3600)
		for _, n := range numbers {
			fmt.Fprintf(&table, " %s |", n.Ours)
		}
		table.WriteString("\n")
	}
	t.Log(table.String())
}

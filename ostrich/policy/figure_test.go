package policy_test

import (
	"flag"
	"math"
	"slices"
	"testing"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/policy"
	"slurm-ostrich/ostrich/trace"
)

var instances = flag.Int("figure4.instances", 30, "instances for each number of users in TestFigure4; the paper has 1000")

// instance draws an instance of HiPC section VII as campaigns.
func instance(tb testing.TB, model trace.Model, seed uint64) []policy.Campaign {
	tb.Helper()
	log, err := model.Generate(seed)
	if err != nil {
		tb.Fatal(err)
	}
	var list []policy.Campaign
	for i := range log.Records {
		r := &log.Records[i]
		if i == 0 || r.User != log.Records[i-1].User || r.Preceding != log.Records[i-1].Preceding {
			c := policy.Campaign{User: ostrich.UserID(r.User), Think: ostrich.Duration(max(r.Think, 0))}
			list = append(list, c)
		}
		c := &list[len(list)-1]
		c.Tasks = append(c.Tasks, policy.Task{ID: ostrich.JobID(r.Number), Run: ostrich.Duration(r.Run)})
	}
	return list
}

// sample is the max-stretch over instances.
type sample []float64

func (s sample) mean() float64 {
	total := 0.0
	for _, x := range s {
		total += x
	}
	return total / float64(len(s))
}

// interval is half the width of the 95 % confidence interval of the mean.
func (s sample) interval() float64 {
	mean, squares := s.mean(), 0.0
	for _, x := range s {
		squares += (x - mean) * (x - mean)
	}
	return 1.96 * math.Sqrt(squares/float64(len(s)-1)/float64(len(s)))
}

// TestFigure4 is HiPC figure 4 (thesis figure 4.3): the max-stretch of FCFS
// against that of FairCamp. The paper has ratios of 1.35, 2.24 and 3.4 for 5, 10
// and 20 users, no difference for fewer, about 8 for FairCamp with 20 users and
// 5 to 13 in figure 4.4, and always less than k.
//
// With 1000 instances, which take a minute or two (-figure4.instances 1000), the
// packed schedules have, as mean with its 95 % interval:
//
//	new campaign    k    FairCamp         FCFS             ratio
//	as printed      2     1.30 ± 0.00      1.30 ± 0.00      1.00
//	with 0.1        3     1.73 ± 0.00      1.73 ± 0.00      1.00
//	                5     2.78 ± 0.01      2.83 ± 0.01      1.02
//	               10     5.42 ± 0.02      5.90 ± 0.03      1.09
//	               20    10.08 ± 0.04     13.24 ± 0.15      1.31
//	with 0.02       2     1.93 ± 0.01      1.93 ± 0.01      1.00
//	                3     2.83 ± 0.01      2.99 ± 0.02      1.05
//	                5     4.42 ± 0.01      5.69 ± 0.08      1.29
//	               10     7.46 ± 0.04     17.13 ± 0.51      2.30
//	               20    10.90 ± 0.07     54.27 ± 8.95      4.98
//
// So what the paper says of its instances does not give its ratios. Other
// readings, with 60 to 200 instances: ratios for 5, 10 and 20 users, and the mean
// of FairCamp for 20.
//
//	blocks, as printed                    1.02  1.09  1.28    18.5
//	packed, Zipf exponent 2               1.04  1.21  2.14     8.2
//	packed, Zipf exponent 2.4267          1.06  1.47  2.68     6.4
//	packed, 1000 jobs                     1.17  1.65  3.16     6.0
//	packed, 500 jobs                      1.54  2.12  3.03     4.7
//	packed, new campaign with 0.05        1.07  1.30  2.59    12.3
//	packed, new campaign with 0.03        1.16  1.76  3.20    12.0
//	blocks, new campaign with 0.02        1.27  2.27  4.10    12.1
//	packed, new campaign with 0.01        1.71  3.98  8.13     8.7
//
// The probability of PPAM section 6, 0.02, is near for 5 and 10 users. With 20 the
// mean of FCFS hangs on a few instances, of up to 4428, in which a light user has
// a single small campaign; FCFS lets it wait for one of everybody else.
//
// FairCamp stays below k in every instance as printed when it is packed, with 7.9
// to 12.5 for 20 users where figure 4.4 has 5 to 13. With
// 0.02 it does not for 2, 3 and 5 users (up to 2.74, 3.55 and 5.01), since a packed
// campaign can be late. In blocks the bound k holds for Δ(ς); by the lower bound
// l, which stretch is measured with, they are up to 3 % above it for few users.
func TestFigure4(t *testing.T) {
	if testing.Short() {
		t.Skip("-short leaves out the instances of a figure")
	}
	for _, tt := range []struct {
		name   string
		fresh  float64            // probability of a new campaign
		ratios map[int][2]float64 // least and largest by users
	}{
		{"as printed", 0.1, map[int][2]float64{2: {0.97, 1.03}, 3: {0.97, 1.04}, 5: {0.98, 1.06}, 10: {1.04, 1.15}, 20: {1.2, 1.5}}},
		{"campaigns as in PPAM", 0.02, map[int][2]float64{2: {0.97, 1.03}, 3: {0.97, 1.15}, 5: {1.15, 1.40}, 10: {1.9, 2.8}, 20: {3.2, 7}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := policy.Machine{Procs: 10, Place: policy.Packed}
			for _, k := range []int{2, 3, 5, 10, 20} {
				model := trace.HiPC(k)
				model.New = tt.fresh
				var fair, fcfs sample
				for seed := range uint64(max(*instances, 2)) {
					campaigns := instance(t, model, seed)
					s, err := m.FairCamp(campaigns, k)
					if err != nil {
						t.Fatal(err)
					}
					fair = append(fair, s.MaxStretch(campaigns, m.Procs))
					if s, err = m.FCFS(campaigns); err != nil {
						t.Fatal(err)
					}
					fcfs = append(fcfs, s.MaxStretch(campaigns, m.Procs))
				}
				ratio := fcfs.mean() / fair.mean()
				t.Logf("k = %2d: FairCamp %.2f ± %.2f (%.2f to %.2f), FCFS %.2f ± %.2f (%.2f to %.2f), ratio %.2f",
					k, fair.mean(), fair.interval(), slices.Min(fair), slices.Max(fair),
					fcfs.mean(), fcfs.interval(), slices.Min(fcfs), slices.Max(fcfs), ratio)
				if ratio < tt.ratios[k][0] || ratio > tt.ratios[k][1] {
					t.Errorf("k = %d: ratio %.2f, want %.2f to %.2f", k, ratio, tt.ratios[k][0], tt.ratios[k][1])
				}
				if worst := slices.Max(fair); worst >= float64(k) && tt.fresh == 0.1 {
					t.Errorf("k = %d: FairCamp has a max-stretch of %v", k, worst)
				}
			}
		})
	}
}

// BenchmarkFairCamp is one instance of figure 4.
func BenchmarkFairCamp(b *testing.B) {
	for _, place := range []policy.Placement{policy.Block, policy.Packed} {
		b.Run(policy.PlacementNames[place], func(b *testing.B) {
			campaigns := instance(b, trace.HiPC(20), 1)
			m := policy.Machine{Procs: 10, Place: place}
			for b.Loop() {
				if _, err := m.FairCamp(campaigns, 20); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

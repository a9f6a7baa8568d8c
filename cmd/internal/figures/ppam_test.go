//go:build !race

package figures

import (
	"math"
	"testing"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/sim"
)

func TestProfiles(t *testing.T) {
	r := ppamReading{users: 7, short: 2, long: 1}
	var long []ostrich.UserID
	for u := ostrich.UserID(1); u <= 7; u++ {
		if r.isLong(u) == 1 {
			long = append(long, u)
		}
	}
	if len(long) != 2 || long[0] != 3 || long[1] != 6 {
		t.Errorf("long users %v", long)
	}
	r.think = 60
	campaigns, err := r.draw(1)
	if err != nil {
		t.Fatal(err)
	}
	seen := make(map[ostrich.UserID]bool)
	jobs := 0
	for _, c := range campaigns {
		want := ostrich.Duration(0)
		if seen[c.User] {
			want = 60
		}
		seen[c.User] = true
		if c.Think != want {
			t.Errorf("user %d: think time %d, want %d", c.User, c.Think, want)
		}
		for _, task := range c.Jobs {
			jobs++
			if short := task.Run < 3600; short && r.isLong(c.User) == 1 || task.Run > 3600 && r.isLong(c.User) == 0 {
				t.Errorf("user %d has a job of %d s", c.User, task.Run)
			}
		}
	}
	if jobs != 10_000 {
		t.Errorf("%d jobs", jobs)
	}
}

// TestPPAMNumbers pins what the first ten instances give. The paper has 42.3 %
// and 1.3 % of the campaigns above 20, and the means 50 and more, 12.8, 6.3 and 6.8.
func TestPPAMNumbers(t *testing.T) {
	measured, err := nearestPPAM.measure(t.Context(), Input{Workers: 2}, []sim.Machine{ppamFCFS, ppamOStrich}, 10)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []struct{ above, short, long float64 }{{0.336, 48.8, 4.9}, {0.0083, 17.9, 6.3}} {
		above, _ := measured[i].above20()
		short, _ := confident(measured[i].users[0])
		long, _ := confident(measured[i].users[1])
		if math.Abs(above-want.above) > 0.001 || math.Abs(short-want.short) > 0.1 || math.Abs(long-want.long) > 0.1 {
			t.Errorf("%s: %.4f above 20, short %.2f, long %.2f; want %+v", []string{"FCFS", "OStrich"}[i], above, short, long, want)
		}
	}
	lowFCFS, all := measured[0].count(0, 2)
	lowOStrich, _ := measured[1].count(0, 2)
	if lowOStrich <= 2*lowFCFS {
		t.Errorf("below 2: %d under FCFS and %d under OStrich, not more than twice", lowFCFS, lowOStrich)
	}
	sum := 0
	for _, interval := range intervals {
		n, _ := measured[0].count(interval.low, interval.high)
		sum += n
	}
	if sum != all {
		t.Errorf("%d of %d campaigns are in an interval", sum, all)
	}
}

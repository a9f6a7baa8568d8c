package bot

import (
	"errors"
	"math"
	"slices"
	"testing"

	"slurm-ostrich/ostrich/trace"
)

// drawLog draws a log of the average system.
func drawLog(t testing.TB, change func(*Model)) []trace.Record {
	t.Helper()
	m := Model{System: system(t, "avg"), Tasks: 20_000, Procs: 1}
	change(&m)
	log, err := m.Generate(5)
	if err != nil {
		t.Fatal(err)
	}
	return log.Records
}

// firsts are the first tasks of the bags, and their sizes.
func firsts(records []trace.Record) (list []trace.Record, sizes []float64) {
	for _, r := range records {
		if int(r.App) > len(list) {
			list, sizes = append(list, r), append(sizes, 0)
		}
		sizes[r.App-1]++
	}
	return list, sizes
}

// TestStreams: each stream has bags, and users of its own.
func TestStreams(t *testing.T) {
	bags, _ := firsts(drawLog(t, func(m *Model) { m.Streams = 20 }))
	counts := make([]int, 20)
	for i, b := range bags {
		if want := (b.User-1)/368 + 1; b.Partition != want {
			t.Fatalf("bag %d: user %d in stream %d, want %d", i+1, b.User, b.Partition, want)
		}
		counts[b.Partition-1]++
		if i > 0 && b.Submit < bags[i-1].Submit {
			t.Fatalf("bag %d comes before the one in front of it", i+1)
		}
	}
	for k, n := range counts {
		if mean := float64(len(bags)) / 20; float64(n) < 0.7*mean || float64(n) > 1.3*mean {
			t.Errorf("stream %d has %d bags, and the mean is %.0f", k+1, n, mean)
		}
	}
}

// TestDays: the bags come in so many days, and more of them in peak hours.
func TestDays(t *testing.T) {
	bags, _ := firsts(drawLog(t, func(m *Model) { m.Streams, m.Days = 20, 2 }))
	if last := bags[len(bags)-1].Submit; last < 2*day-600 || last > 2*day {
		t.Errorf("the last bag comes after %d s, want two days", last)
	}
	peak := 0
	for _, b := range bags {
		if at := b.Submit % day; at >= PeakFrom && at < PeakUntil {
			peak++
		}
	}
	if part := float64(peak) / float64(len(bags)); part < 0.5 {
		t.Errorf("%.2f of the bags come in the peak hours, 9 of 24", part)
	}
}

// TestArrivals: section 5.2, Fig. 5. The bags are the same whenever they come.
func TestArrivals(t *testing.T) {
	daily := drawLog(t, func(m *Model) { m.Days = 1 })
	for _, a := range []Arrivals{AtOnce, Even} {
		records := drawLog(t, func(m *Model) { m.Days, m.Arrivals = 1, a })
		if len(records) != len(daily) {
			t.Fatalf("%s: %d tasks, and %d of the daily cycle", ArrivalNames[a], len(records), len(daily))
		}
		bags, _ := firsts(records)
		for i := range records {
			if records[i].Run != daily[i].Run || records[i].User != daily[i].User {
				t.Fatalf("%s: task %d is another one", ArrivalNames[a], i+1)
			}
		}
		step := float64(day) / float64(len(bags))
		if a == AtOnce {
			step = 0
		}
		for i, b := range bags {
			if want := step * float64(i); math.Abs(float64(b.Submit)-want) > 1 {
				t.Fatalf("%s: bag %d comes at %d, want %.0f", ArrivalNames[a], i+1, b.Submit, want)
			}
		}
	}
}

// TestScaled: the mean run time and the median size are what is asked for, and the
// coefficient of variation of the size stays (section 5.2, Fig. 6 and 7).
func TestScaled(t *testing.T) {
	sum := 0.0
	records := drawLog(t, func(m *Model) { m.MeanRun = 3600 })
	for _, r := range records {
		sum += float64(r.Run)
	}
	near(t, "mean run time", sum/float64(len(records)), 3600, 2)
	// All sizes times a number have the same deviation of their logarithms. The
	// coefficient of variation itself is that of a few large bags.
	var of []float64
	for _, median := range []float64{10, 20, 50} {
		_, sizes := firsts(drawLog(t, func(m *Model) { m.Tasks, m.Bags, m.MedianSize = 0, 1500, median }))
		slices.Sort(sizes)
		near(t, "median size", sizes[750], median, 0.1*median)
		for i := range sizes {
			sizes[i] = math.Log2(sizes[i])
		}
		_, deviation := meanAndDeviation(sizes)
		of = append(of, deviation)
	}
	near(t, "deviation of log2 of sizes around 50 and 10", of[2], of[0], 0.1)
	near(t, "deviation of log2 of sizes around 50 and 20", of[2], of[1], 0.1)
}

// TestCut: no task runs for longer than asked for, and the mean is still what is asked for;
// without a mean shorter tasks stay as they are.
func TestCut(t *testing.T) {
	const longest = 24 * 3600
	sum, most := 0.0, int64(0)
	records := drawLog(t, func(m *Model) { m.MeanRun, m.MaxRun = 3600, longest })
	for _, r := range records {
		sum, most = sum+float64(r.Run), max(most, r.Run)
	}
	if near(t, "mean run time", sum/float64(len(records)), 3600, 2); most != longest {
		t.Errorf("the longest task runs for %d s, want %d", most, longest)
	}
	whole := drawLog(t, func(m *Model) { m.Base = Natural })
	for i, r := range drawLog(t, func(m *Model) { m.Base, m.MaxRun = Natural, longest }) {
		if want := min(whole[i].Run, longest); r.Run != want {
			t.Fatalf("task %d runs for %d s, want %d", r.Number, r.Run, want)
		}
	}
}

// TestBase: the median of the mean run times of bags is 2 or e to the power of the
// 6.10 of Table 3.
func TestBase(t *testing.T) {
	for base, want := range []float64{Two: 68.6, Natural: 445.9} {
		var means []float64
		sum, n, bag := 0.0, 0.0, int64(1)
		for _, r := range drawLog(t, func(m *Model) { m.Tasks, m.Bags, m.Base = 0, 3000, Base(base) }) {
			if r.App != bag {
				means, sum, n, bag = append(means, sum/n), 0, 0, r.App
			}
			sum, n = sum+float64(r.Run), n+1
		}
		slices.Sort(means)
		near(t, "median of the mean run times, base "+BaseNames[base], means[len(means)/2], want, 0.12*want)
	}
}

// TestScaledRefused: what cannot be drawn.
func TestScaledRefused(t *testing.T) {
	for name, change := range map[string]func(*Model){
		"streams": func(m *Model) { m.Streams = -1 }, "many streams": func(m *Model) { m.Streams = math.MaxInt32 },
		"days": func(m *Model) { m.Days = -1 }, "no days": func(m *Model) { m.Days = math.NaN() },
		"arrivals": func(m *Model) { m.Arrivals = 7 }, "small": func(m *Model) { m.MedianSize = 1 },
		"large": func(m *Model) { m.MedianSize = math.Inf(1) }, "short": func(m *Model) { m.MeanRun = 0.5 },
		"base": func(m *Model) { m.Base = 2 }, "cut": func(m *Model) { m.MaxRun = 0.5 }, "cut below the mean": func(m *Model) { m.MeanRun, m.MaxRun = 60, 60 },
	} {
		m := Model{System: system(t, "avg"), Tasks: 10, Procs: 1}
		change(&m)
		if _, err := m.Generate(1); !errors.Is(err, trace.ErrModel) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

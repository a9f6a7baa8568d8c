package bot

import (
	"cmp"
	"math"
	"slices"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/lengths"
	"slurm-ostrich/ostrich/sim"
)

// Known says which tasks a predictor of section 3.7 has seen.
type Known uint8

const (
	// Before are the tasks that were submitted before, as those of a time series.
	// It is the zero value.
	Before Known = iota
	// Ended are the tasks that had ended when the task started.
	Ended
)

// Inaccuracy is how far predictions of run times are off: |pred−real|/real, where
// 1 is 100 %.
type Inaccuracy struct {
	Tasks     int // that were predicted; nothing was known of the others
	Mean, Max float64
	Median    float64
}

// Predict measures a predictor on the tasks of a log, which are in the order of their
// submission. numbers has the bag of each task, −1 for none; tasks in no bag of two or
// more are ignored. With byBag the predictor learns from tasks of the same bag only, else
// from those of the same user.
func Predict(jobs []sim.Job, numbers []int, p lengths.Predictor, byBag bool, known Known) Inaccuracy {
	sizes := make(map[int]int)
	for _, n := range numbers {
		sizes[n]++
	}
	// A moment is when a task is predicted, or when it becomes known.
	type moment struct {
		at      ostrich.Time
		learned bool
		task    int
	}
	var moments []moment
	for i := range jobs {
		j := &jobs[i]
		if numbers[i] < 0 || sizes[numbers[i]] < smallest {
			continue
		}
		asked, told := moment{ostrich.Time(i), false, i}, moment{ostrich.Time(i), true, i}
		if known == Ended {
			asked.at, told.at = j.Start, j.Start+ostrich.Time(j.Run)
		}
		moments = append(moments, asked, told)
	}
	slices.SortStableFunc(moments, func(a, b moment) int {
		switch c := cmp.Compare(a.at, b.at); {
		case c != 0 || a.learned == b.learned || known == Before:
			return c
		case a.learned: // what ends now has ended
			return -1
		}
		return 1
	})
	series := make(map[int]*lengths.Forecast)
	var off []float64
	for _, m := range moments {
		j, key := &jobs[m.task], numbers[m.task]
		if !byBag {
			key = int(j.User)
		}
		f := series[key]
		if f == nil {
			f = &lengths.Forecast{Predictor: p}
			series[key] = f
		}
		if m.learned {
			f.Add(j.Run)
		} else if predicted, ok := f.Next(); ok {
			off = append(off, math.Abs(float64(predicted-j.Run))/float64(j.Run))
		}
	}
	if len(off) == 0 {
		return Inaccuracy{}
	}
	mean, _ := meanAndDeviation(off)
	slices.Sort(off)
	return Inaccuracy{Tasks: len(off), Mean: mean, Max: off[len(off)-1], Median: off[len(off)/2]}
}

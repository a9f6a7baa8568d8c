package comparison

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/report"
	"slurm-ostrich/ostrich/report/confidence"
)

// TestUtilisationInterval resamples the parts of the window by hand.
func TestUtilisationInterval(t *testing.T) {
	in := madeUp(20, 25)
	in.Seed = 8
	c := compare(t, in)
	part := ostrich.Duration((c.To - c.From + timeParts - 1) / timeParts)
	var busy [3][]float64
	for r := range in.Runs {
		busy[r] = report.Utilisations(in.Runs[r].Jobs, in.Procs, c.From, c.To, part)
	}
	random := rand.New(rand.NewPCG(8, 1))
	var samples []float64
	for range in.Resamples {
		var area, length float64
		for range timeParts {
			i := random.IntN(timeParts)
			w := float64(min(ostrich.Time(part), c.To-c.From-ostrich.Time(i)*ostrich.Time(part)))
			area, length = area+w*(busy[2][i]-busy[1][i]), length+w
		}
		samples = append(samples, area/length)
	}
	want, _ := confidence.Percentile(samples, confidence.Level)
	d := c.Differences[slices.IndexFunc(c.Differences, func(d Difference) bool { return d.Run == "ostrich" && d.Measure == "utilisation" })]
	if d.Interval == nil || !near(d.Interval.Low, want.Low) || !near(d.Interval.High, want.High) || want.Low == want.High {
		t.Errorf("interval %v, want %v", d.Interval, want)
	}
}

// TestBlocks: blocks hold all units, in order, and about as many each.
func TestBlocks(t *testing.T) {
	for _, n := range []int{0, 1, 63, 64, 65, 1000} {
		units := make([]unit, n)
		for i := range units {
			units[i].number = int32(i)
		}
		list := blocks(units, func(u unit) block { return block{1, float64(u.number), 4, 2, 3} })
		if len(list) != min(n, mostBlocks) {
			t.Errorf("%d units: %d blocks", n, len(list))
		}
		var sum block
		last := -1.0
		for _, b := range list {
			sum.add(b)
			if mean := b.base / b.campaigns; mean <= last || b.campaigns < float64(n/mostBlocks) || b.campaigns > float64(n/mostBlocks+1) {
				t.Errorf("%d units: block %+v behind one of mean %v", n, b, last)
			} else {
				last = mean
			}
		}
		if all := float64(n); sum != (block{all, all * (all - 1) / 2, 4 * all, 2 * all, 3 * all}) {
			t.Errorf("%d units: in the blocks %+v", n, sum)
		}
	}
}

// TestLoneJobs: jobs in no campaign tell of waits, not of stretch.
func TestLoneJobs(t *testing.T) {
	in := madeUp(20, 25)
	for r := range in.Runs {
		jobs := in.Runs[r].Jobs
		var kept []int // campaigns of alice
		for i := range jobs {
			if jobs[i].User != 1000 {
				continue
			}
			if n := len(kept); (n == 0 || kept[n-1] != jobs[i].Campaign) && n < 2 {
				kept = append(kept, jobs[i].Campaign)
			}
			if jobs[i].Campaign != kept[0] && (len(kept) < 2 || jobs[i].Campaign != kept[1]) {
				jobs[i].Campaign = -1
			}
		}
	}
	users := compare(t, in).Users
	alice := users[slices.IndexFunc(users, func(u User) bool { return u.Name == "alice" })]
	if change := alice.change("ostrich"); alice.Campaigns != 2 || change.Stretch.Reading != TooFew || change.Stretch.Interval != nil || change.Wait.Reading != Better {
		t.Errorf("%d campaigns, %+v", alice.Campaigns, change)
	}
}

// lapsing is a context that ends when it has been asked so often.
type lapsing struct {
	context.Context
	left int
}

func (l *lapsing) Err() error {
	if l.left--; l.left < 0 {
		return context.Canceled
	}
	return nil
}

// TestInterrupted: a comparison ends where it is, between two samples.
func TestInterrupted(t *testing.T) {
	in := madeUp(20, 3)
	for _, rounds := range []int{0, 5, in.Resamples + 5, 2*in.Resamples + 5} {
		ctx := &lapsing{t.Context(), rounds}
		if _, err := Compare(ctx, in); !errors.Is(err, context.Canceled) || ctx.left != -1 {
			t.Errorf("after %d rounds: %v, asked %d times more", rounds, err, -1-ctx.left)
		}
	}
}

// TestFewRounds: intervals of few resamples are not what they are called, and a note says so.
func TestFewRounds(t *testing.T) {
	for rounds, want := range map[int]bool{1: true, 39: true, 40: false} {
		in := madeUp(20, 25)
		in.Resamples = rounds
		few := func(note string) bool {
			return strings.Contains(note, "too few for 95 % intervals, which need at least 40")
		}
		if c := compare(t, in); slices.ContainsFunc(c.Notes, few) != want {
			t.Errorf("%d resamples: %q", rounds, c.Notes)
		}
		p := happened(3, 16, each(3600), each(4))
		p.Resamples = rounds
		if c := periods(t, p); slices.ContainsFunc(c.Notes, few) != want {
			t.Errorf("%d resamples: %q", rounds, c.Notes)
		}
	}
}

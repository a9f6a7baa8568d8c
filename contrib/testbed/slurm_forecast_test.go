package testbed_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/forecast"
)

// foretold is what was said at a moment of when a job starts.
type foretold struct {
	at, squeue ostrich.Time // squeue is 0 where squeue --start did not know
	odds       [3]ostrich.Time
}

// TestForecast asks ostrichd and squeue --start every minute when each pending job starts, under three
// loads, and counts what came true. $OSTRICH_TEST_FORECAST is how long it asks.
func TestForecast(t *testing.T) {
	text := os.Getenv("OSTRICH_TEST_FORECAST")
	if text == "" {
		t.Skip("OSTRICH_TEST_FORECAST=30m asks for half an hour, and waits until all have started")
	}
	needSlurm(t)
	length, err := time.ParseDuration(text)
	if err != nil || length < 4*time.Minute {
		t.Fatalf("OSTRICH_TEST_FORECAST=%s: 4m or more", text)
	}
	for k, load := range []float64{0.8, 1, 0.6} {
		part(t, fmt.Sprintf("load %.2f", load), func(t *testing.T) {
			t.Parallel()
			foretell(t, fmt.Sprintf("forecast-%d", k), load, length, rand.New(rand.NewPCG(uint64(k), 34)))
		})
	}
}

// foretell lets users submit with a load of the processors of a testbed, asks, and reports the scores. Nobody is
// asked in the first quarter, from which ostrichd learns.
func foretell(t *testing.T, name string, load float64, length time.Duration, random *rand.Rand) {
	b := up(t, name)
	d := b.daemon(t, "--apply")
	asked := make(map[string][]foretold)
	began := time.Now()
	next, minute := began, began.Add(length/4)
	left := 1              // jobs that were asked for and wait
	for range 2 * b.cpus { // some wait from the start on
		submitSome(t, b, random)
	}
	for end := began.Add(length); left > 0; time.Sleep(time.Until(next)) {
		now := time.Now()
		if now.After(end.Add(length)) {
			t.Fatalf("%d jobs still wait", left)
		}
		submitSome(t, b, random)
		next = next.Add(time.Duration(random.ExpFloat64() * meanWork() / (load * float64(b.cpus)) * float64(time.Second)))
		if now.Before(minute) {
			continue
		}
		minute = minute.Add(time.Minute)
		waiting := queuedStarts(t, b)
		if now.Before(end) {
			said := oddsOf(t, b, d)
			for id, at := range waiting {
				if odds, ok := said[id]; ok {
					asked[id] = append(asked[id], foretold{at: ostrich.Time(now.Unix()), squeue: at, odds: odds})
				}
			}
			continue
		}
		left = 0
		for id := range waiting {
			if len(asked[id]) > 0 {
				left++
			}
		}
	}
	var ours, all, theirs forecast.Score // ours where squeue answers as well
	for _, line := range b.lines(t, "sacct", "--allusers", "--noheader", "--parsable2", "--allocations", "--format=JobID,Start") {
		for _, a := range asked[line[0]] {
			at := ostrich.Time(number(t, line[1]))
			all.Add(a.at, a.odds, at)
			if a.squeue > 0 {
				ours.Add(a.at, a.odds, at)
				theirs.Add(a.at, [3]ostrich.Time{a.squeue, a.squeue, a.squeue}, at)
			}
		}
	}
	report(t, "forecast", "%d answers about %d jobs, %.0f %% held; of %d squeue had one too: mean pinball %.1f s, squeue's %.1f s (%.2f); median error %.0f s, squeue's %.0f s",
		all.All.Asked, len(asked), 100*all.All.Part(), ours.All.Asked, ours.MeanLoss(), theirs.MeanLoss(), ours.MeanLoss()/theirs.MeanLoss(), ours.MedianError(), theirs.MedianError())
	for _, event := range []string{"start", "end"} {
		labels := fmt.Sprintf(`{event="%s",pool=""}`, event)
		known, held := d.metric(t, "ostrich_forecasts"+labels), d.metric(t, "ostrich_forecast_held_ratio"+labels)
		report(t, "forecast", "of %.0f answers to the daemon's own questions for each %s %.0f %% held", known, event, 100*held)
		if known < 1 {
			t.Errorf("of no %s it is known whether the answer held", event)
		}
	}
	if ours.All.Asked < 10 || ours.MeanLoss() > theirs.MeanLoss() {
		t.Errorf("of %d answers the mean loss is %.1f s, that of squeue --start %.1f s", ours.All.Asked, ours.MeanLoss(), theirs.MeanLoss())
	}
}

// kindOf returns what a job of one of three kinds of one of five users asks for, and how long the kind runs: jobs
// of a kind are alike, from half to twice as long, and of one limit.
func kindOf(user, kind int) (cpus int, seconds float64) {
	return 1 << ((user + kind) % 3), 8 * math.Pow(2, float64((2*user+kind)%5)) // to 128 s
}

const kinds, submitters = 3, 5

// meanWork returns the processor-seconds of a job in the mean.
func meanWork() (work float64) {
	for i := range kinds * submitters {
		cpus, seconds := kindOf(i/kinds, i%kinds)
		work += float64(cpus) * seconds * 1.5 / math.Ln2 / 2 / (kinds * submitters)
	}
	return work
}

// submitSome submits a job of some kind of some user.
func submitSome(t *testing.T, b *bed, random *rand.Rand) {
	t.Helper()
	user, kind := random.IntN(submitters), random.IntN(kinds)
	cpus, seconds := kindOf(user, kind)
	b.submit(t, users[user], "--ntasks=1", fmt.Sprintf("--cpus-per-task=%d", cpus), fmt.Sprintf("--time=%d", int(math.Ceil(seconds/30))+user),
		fmt.Sprintf("--job-name=kind%c", 'a'+kind), "--wrap", fmt.Sprintf("sleep %.1f", seconds*math.Exp2(2*random.Float64()-1)))
}

// queuedStarts returns what squeue --start says of each pending job, 0 where it does not know.
func queuedStarts(t *testing.T, b *bed) map[string]ostrich.Time {
	t.Helper()
	starts := make(map[string]ostrich.Time)
	for _, line := range b.lines(t, "squeue", "--start", "--noheader", "--states=PENDING", "--format=%i|%S") {
		starts[line[0]] = 0
		if line[1] != "N/A" {
			starts[line[0]] = ostrich.Time(number(t, line[1]))
		}
	}
	return starts
}

// oddsOf returns what ostrichd says of each pending job of which it says something.
func oddsOf(t *testing.T, b *bed, d *daemon) map[string][3]ostrich.Time {
	t.Helper()
	said := make(map[string][3]ostrich.Time)
	for _, j := range planOf(t, b.try(t, "root", "ostrich", "plan", "--json", "--socket", d.socket)).Jobs {
		if j.Odds != nil {
			said[j.Job] = [3]ostrich.Time{j.Odds.P10, j.Odds.P50, j.Odds.P90}
		}
	}
	return said
}

package forecasts

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/forecast"
	"slurm-ostrich/ostrich/report"
	"slurm-ostrich/ostrich/sim"
	"slurm-ostrich/ostrich/sim/orders"
)

// TestTables: two questions by hand. One job starts in the middle, one after the interval. One campaign is asked for, which
// ends before the interval.
func TestTables(t *testing.T) {
	ask := func(start ostrich.Time) *forecast.Ask {
		return &forecast.Ask{
			At: 1000, Start: start, Odds: [3]ostrich.Time{1100, 1200, 1300}, Limits: 1600,
			Two: [2]ostrich.Time{1200, 1400}, Bounds: [3]ostrich.Time{1000, 1000, 1000},
		}
	}
	asks := []*forecast.Ask{ask(1200), ask(1700)}
	asks[0].Ends, asks[0].End = [3]ostrich.Time{2100, 2200, 2300}, 2000
	r := &Result{Rows: []*Row{rowOf(asks).Named("log", "mine"), rowOf(nil).Named("log", "none")}}
	var out bytes.Buffer
	for _, table := range r.Tables() {
		if err := table.Write(&out, true, true, 0); err != nil {
			t.Fatal(err)
		}
	}
	// (10 + 0 + 10 + 60 + 250 + 360) / 6 is 115. By limits: (0.9 + 0.5 + 0.1)·400 and (0.1 + 0.5 + 0.9)·100, of 6, 125.
	// The end: (0.9·100 + 0.5·200 + 0.1·300) / 3. Two starts: 0, 50, 20 and 50, 200, 270. QBETS: 1.5·200 and 1.5·700.
	const want = `LOG|POLICY|ASKED|HELD|HELD_MARGIN|EARLY|LATE|PINBALL|ERROR|/SQUEUE|/TWO|/QBETS|TWO_HELD|QBETS_HELD
log|mine|2|0.5||0|0.5|115|0|0.92|1.169492|0.511111|0.5|0
log|none|0|||||||||||
LOG|POLICY|<10min|<1h|<6h|<24h|LONGER
log|mine|1|0|||
log|none|||||
LOG|POLICY|ENDS|HELD|HELD_MARGIN|EARLY|LATE|PINBALL|ERROR
log|mine|1|0||1|0|73|200
log|none|0||||||
`
	if got := out.String(); got != want {
		t.Errorf("\n%s\nwant\n%s", got, want)
	}
	raw, err := json.Marshal(r)
	if err != nil || !bytes.Contains(raw, []byte(`"held_margin":null`)) || !bytes.Contains(raw, []byte(`"ends":{"asked":1,"held":0,"pinball_loss":73.33333333333333,"median_error":200,"held_margin":null,"early":1,"late":0}`)) ||
		!bytes.Contains(raw, []byte(`"squeue":{"asked":2,"held":null,"pinball_loss":125,`)) {
		t.Errorf("%s %v", raw, err)
	}
}

// TestTest: the seven first days are learned from, and a policy without a ranker cannot be tested.
func TestTest(t *testing.T) {
	var campaigns []sim.Campaign
	for i := range 60 {
		campaigns = append(campaigns, sim.NewCampaign(ostrich.UserID(i%3), ostrich.Time(1_000_000+4*3600*i), 0, sim.Job{ID: ostrich.JobID(2*i + 1), Procs: 1, Estimate: 20_000, Run: 9000}, sim.Job{ID: ostrich.JobID(2*i + 2), Procs: 1, Estimate: 20_000, Run: 4000}))
	}
	m := sim.Machine{Procs: 1, Backfill: sim.EASY, Open: true, Offsets: true}
	if _, err := Test(m, campaigns, Settings{Questions: 20}); !errors.Is(err, errFixed) {
		t.Errorf("without a policy: %v", err)
	}
	m.Policy = sim.OStrich(ostrich.Options{Gate: ostrich.Off})
	if _, err := Test(m, campaigns, Settings{Questions: 20}); !errors.Is(err, errFixed) {
		t.Errorf("of campaigns: %v", err)
	}
	m.Policy = orders.FairShare(300)
	row, err := Test(m, campaigns, Settings{Questions: 20})
	if err != nil {
		t.Fatal(err)
	}
	if row.Asked < 3 || row.Asked > 30 || row.Held == nil || row.Ends.Asked < 3 || row.Ends.Asked > row.Asked || len(row.ByWait) != len(forecast.Bands) {
		t.Errorf("%+v", row)
	}
}

// TestSampling: as many questions as are wanted, from the jobs that wait and the hours in which one does.
func TestSampling(t *testing.T) {
	var jobs []report.Job
	for i := range 100 {
		at := ostrich.Time(36_000 * i)
		jobs = append(jobs, report.Job{ID: ostrich.JobID(i), Submit: at, Start: at + 18_000*ostrich.Time(i%2)})
	}
	// 50 jobs wait, each over five full hours.
	if got, want := sampling(jobs, Settings{Questions: 20, Seed: 3}), (forecast.Sampling{Every: 5, Hours: 50, AtOne: 2, From: Learning, Seed: 3}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got := sampling(nil, Settings{Questions: 20}); got.Every != 1 || got.Hours != 1 {
		t.Errorf("without a job: %+v", got)
	}
}

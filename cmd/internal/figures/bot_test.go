//go:build !race

package figures

import (
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"slurm-ostrich/ostrich/bot"
	"slurm-ostrich/ostrich/campaign"
	"slurm-ostrich/ostrich/report"
	"slurm-ostrich/ostrich/sim"
	"slurm-ostrich/ostrich/sim/swf"
	"slurm-ostrich/ostrich/trace"
)

// TestPredictorNumbers pins ours beside those of HPDC 2008, section 3.7.
func TestPredictorNumbers(t *testing.T) {
	r := drawFigure(t, "bot-2", lpcInput(t))
	for what, want := range map[string]string{
		"LCG: worse by user than by bag":    "6 of 6 predictors",
		"LCG: by bag, the best in front":    "LastValue, ExpSmooth, AutoRegress, Mean(10), Mean, AdpExpSmooth",
		"LCG: by user, the best in front":   "LastValue, ExpSmooth, Mean(10), AutoRegress, AdpExpSmooth, Mean",
		"LCG: LastValue by bag, mean":       "1514 %",
		"LCG: LastValue by bag, largest":    "10676600 %",
		"T1, drawn: LastValue by bag, mean": "2050 %",
	} {
		if got := r.number(t, what); got != want {
			t.Errorf("%s: %s, want %s", what, got, want)
		}
	}
	if len(r.Pictures) != 3 || len(r.Tables[0].Rows) != 36 {
		t.Errorf("%d pictures, %d rows", len(r.Pictures), len(r.Tables[0].Rows))
	}
}

// TestBagsRefused: no log.
func TestBagsRefused(t *testing.T) {
	if _, err := readLCG(t.Context(), Input{Traces: t.TempDir()}, campaign.Rule{}); err == nil || !strings.Contains(err.Error(), lcgFile) {
		t.Error(err)
	}
}

// bagRules are the ways to find bags.
var bagRules = []struct {
	name string
	campaign.Rule
}{
	{"max", campaign.Rule{}},
	{"last", campaign.Rule{By: campaign.Last}},
	{"arrival 30 s", campaign.Rule{By: campaign.Arrival, Threshold: 30}},
	{"arrival 1 min", campaign.Rule{By: campaign.Arrival, Threshold: 60}},
	{"arrival 2 min", campaign.Rule{By: campaign.Arrival, Threshold: 120}},
	{"arrival 5 min", campaign.Rule{By: campaign.Arrival, Threshold: 300}},
	{"arrival 30 min", campaign.Rule{By: campaign.Arrival, Threshold: 1800}},
	{"window 1 min", campaign.Rule{By: campaign.Window, Threshold: 60}},
	{"window 2 min", campaign.Rule{By: campaign.Window, Threshold: 120}},
	{"window 5 min", campaign.Rule{By: campaign.Window, Threshold: 300}},
	{"window 30 min", campaign.Rule{By: campaign.Window, Threshold: 1800}},
}

// TestBotReadings prints the tables of HPDC 2008, Table 3 and Fig. 2.
func TestBotReadings(t *testing.T) {
	skipUnlessMeasuring(t)
	in := lpcInput(t)
	var fits, predictions strings.Builder
	fits.WriteString("\n| rule | bags | mean size | inter-arrival | cycle | size | run time | variance | size, e | run time, e | variance, e |\n|---|---|---|---|---|---|---|---|---|---|---|\n")
	predictions.WriteString("\n| rule | known | worse by user | by bag, the best in front | by user | LastValue by bag |\n|---|---|---|---|---|---|\n")
	paper := bot.Systems[5]
	families := []bot.Family{paper.InterArrive.Family, paper.Cycle.Family, paper.Size.Family, paper.RunTime.Family, paper.Variance.Family}
	for _, rule := range bagRules {
		b, err := readLCG(t.Context(), in, rule.Rule)
		if err != nil {
			t.Fatal(err)
		}
		campaigns, err := sim.Campaigns(b.jobs, rule.Rule)
		if err != nil {
			t.Fatal(err)
		}
		seen := bot.Observe(campaigns, 5)
		f, err := seen.Fit()
		if err != nil {
			t.Fatal(err)
		}
		if rule.Rule == bagRule {
			fromMidnight, err := bot.Observe(campaigns, 5+bot.DayBegins).Fit()
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("cycle counted from midnight: %v", fromMidnight.Fits[1][families[1]].Distribution)
			var means, variances []float64
			for i, v := range seen.Values[4] {
				if !math.IsInf(v, 0) {
					means, variances = append(means, seen.Values[3][i]), append(variances, v)
				}
			}
			rho, _ := report.Spearman(means, variances)
			t.Logf("rank correlation of mean and variance: %.2f over %d bags", rho, len(means))
		}
		fmt.Fprintf(&fits, "| %s | %d | %.1f |", rule.name, seen.Bags, seen.Mean)
		for i, family := range families {
			fmt.Fprintf(&fits, " %v |", f.Fits[i][family].Distribution)
		}
		for i := 2; i < 5; i++ { // natural logarithms
			for k := range seen.Values[i] {
				seen.Values[i][k] *= 0.6931471805599453
			}
			natural, _, err := bot.FitAll(seen.Values[i])
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&fits, " %v |", natural[families[i]].Distribution)
		}
		fits.WriteString("\n")
		for known, word := range []string{"submitted before", "ended at its start"} {
			var values []bot.Inaccuracy
			for i := range 2 * len(botPredictors) {
				values = append(values, bot.Predict(b.jobs, b.numbers, botPredictors[i%6].Predictor, i >= 6, bot.Known(known)))
			}
			numbers := predictorNumbers("", values)
			fmt.Fprintf(&predictions, "| %s | %s | %s | %s | %s | %s |\n", rule.name, word, numbers[0].Ours, numbers[1].Ours, numbers[2].Ours, numbers[3].Ours)
		}
	}
	t.Log(fits.String())
	t.Log(predictions.String())
	log, err := trace.Open(filepath.Join(in.Traces, lpcFile), trace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	jobs, _, err := swf.Jobs(log, lpcProcs, swf.Exact)
	if err != nil {
		t.Fatal(err)
	}
	numbers, err := sim.Numbers(jobs, bagRule)
	if err != nil {
		t.Fatal(err)
	}
	for known, word := range []string{"submitted before", "ended at its start"} {
		var values []bot.Inaccuracy
		for i := range 2 * len(botPredictors) {
			values = append(values, bot.Predict(jobs, numbers, botPredictors[i%6].Predictor, i >= 6, bot.Known(known)))
		}
		for _, n := range predictorNumbers("LPC-EGEE, "+word, values) {
			t.Logf("%s | %s", n.What, n.Ours)
		}
	}
}
